"""Mid War cards 36 to 58 beside the map: Arms Race, SALT, Summit, How I Learned, ABM Treaty and others."""

from __future__ import annotations

from typing import Any

import pytest

from domain.twilight_struggle.facts.board import CoupRolled
from domain.twilight_struggle.facts.cards import CardPlayed, CardPutAway, CardRetrieved, ChinaPassed
from domain.twilight_struggle.facts.flow import EffectBegan, EventBarred, EventBegan, HeadlineBegan
from domain.twilight_struggle.facts.tracks import (
    ArmsCompared,
    ContestRolled,
    DefconSet,
    MilitarySet,
    ScoreMoved,
)
from domain.twilight_struggle.rules.operations import Ops
from domain.twilight_struggle.steps.flow import ResolveHeadline
from domain.twilight_struggle.steps.operations import Coup
from domain.twilight_struggle.steps.play import Event, PlayCard
from domain.twilight_struggle.steps.wars import FightWar
from tests.domain.twilight_struggle.table import US, USSR, nuclear_war, resolving, table
from tests.scenario import given

# --------------------------------------------------------------------------- Arms Race


@pytest.mark.parametrize(
    ("own", "theirs", "defcon", "points"),
    [(3, 2, 4, 1), (4, 2, 4, 3), (5, 4, 3, 3), (2, 2, 2, 0), (3, 4, 3, 0)],
)
def test_arms_race(own: int, theirs: int, defcon: int, points: int) -> None:
    """Arms Race: more than the opponent brings 1; 3 where the requirement is met; nothing on a tie."""
    s = resolving(table(military={US: own, USSR: theirs}, defcon=defcon), "arms_race", US)
    scored = (ScoreMoved(US, points, points, "arms_race"),) if points else ()
    given(s, do=Event(US, "arms_race")).then(
        EventBegan("arms_race", US),
        ArmsCompared(US, {US: own, USSR: theirs}, defcon),
        *scored,
        CardPutAway("arms_race", "discards"),
    )


def test_arms_race_asks_only_the_player_to_meet_the_requirement() -> None:
    """Arms Race, ruling: that the opponent met it too does not matter."""
    s = resolving(table(military={US: 3, USSR: 4}, defcon=3), "arms_race", USSR)
    given(s, do=Event(USSR, "arms_race")).includes(ScoreMoved(USSR, 3, -3, "arms_race"))


def test_arms_race_as_headline_is_for_its_player() -> None:
    """Arms Race, ruling: in the headline phase who showed it is the phasing player."""
    s = table(military={US: 0, USSR: 1}, phase="headline", phasing=None, headlines={USSR: "arms_race"})
    given(s, do=ResolveHeadline(USSR)).then(
        HeadlineBegan(USSR, "arms_race"),
        EventBegan("arms_race", USSR),
        ArmsCompared(USSR, {US: 0, USSR: 1}, 5),
        ScoreMoved(USSR, 1, -1, "arms_race"),
        CardPutAway("arms_race", "discards"),
    )


def test_arms_race_through_missile_envy_is_for_who_resolves_it() -> None:
    """Arms Race, ruling: taken by Missile Envy it counts for the taker."""
    s = resolving(table(ussr_hand=("arms_race",), military={US: 2, USSR: 1}), "missile_envy", US)
    given(s, do=Event(US, "missile_envy")).when(USSR, "arms_race").includes(
        ArmsCompared(US, {US: 2, USSR: 1}, 5), ScoreMoved(US, 1, 1, "arms_race")
    )


def test_arms_race_compares_the_track_as_printed() -> None:
    """Arms Race, ruling: the track ends at 5, so 4 + 3 is no more than 5."""
    s = resolving(table(military={US: 4, USSR: 5}), "arms_race", US)
    fought = given(s, do=(FightWar(US, "brush_war", "haiti"), Event(US, "arms_race"))).when("chance", "1")
    fought.includes(ArmsCompared(US, {US: 5, USSR: 5}, 5)).has(vp=0)


# --------------------------------------------------------------------------- SALT Negotiations


def test_salt_negotiations_take_a_card_back() -> None:
    """SALT Negotiations: DEFCON up by 2, the effect, and a discard, starred ones included (ruling)."""
    s = table(defcon=2, discards=("fidel", "asia_scoring", "nasser", "junta"), us_hand=("nato",))
    asked = given(resolving(s, "salt_negotiations", US), do=Event(US, "salt_negotiations"))
    asked.then(
        EventBegan("salt_negotiations", US), DefconSet(2, 4), EffectBegan("salt_negotiations", US)
    ).asks(US, "fidel", "nasser", "junta", "none")
    asked.when(US, "fidel").then(CardRetrieved(US, "fidel"), CardPutAway("salt_negotiations", "removed")).has(
        hands={US: ("fidel", "nato"), USSR: ()}, discards=("asia_scoring", "nasser", "junta")
    )


def test_salt_negotiations_may_leave_the_discards() -> None:
    """SALT Negotiations, ruling: taking a card is optional."""
    s = resolving(table(discards=("fidel",)), "salt_negotiations", USSR)
    given(s, do=Event(USSR, "salt_negotiations")).when(USSR, "none").then(
        CardPutAway("salt_negotiations", "removed")
    ).has(discards=("fidel",))


def test_salt_negotiations_with_nothing_to_take() -> None:
    """SALT Negotiations: DEFCON never above 5; of scoring cards alone none can be taken."""
    s = resolving(table(defcon=4, discards=("asia_scoring",)), "salt_negotiations", US)
    given(s, do=Event(US, "salt_negotiations")).then(
        EventBegan("salt_negotiations", US),
        DefconSet(4, 5),
        EffectBegan("salt_negotiations", US),
        CardPutAway("salt_negotiations", "removed"),
    )


@pytest.mark.parametrize(("player", "enemy"), [(US, USSR), (USSR, US)])
def test_salt_negotiations_lower_every_coup(player: str, enemy: str) -> None:
    """SALT Negotiations: 1 less for both sides, played by either."""
    influence: dict[str, Any] = {enemy: {"haiti": 1}}
    s = table(**influence, phasing=player, effects=(("salt_negotiations", US),))
    aimed = given(s, do=Coup(player, Ops("fidel", 2))).when(player, "haiti")
    aimed.when("chance", "1").then(CoupRolled(player, "haiti", 1, 2, -1, 1, 0))


# --------------------------------------------------------------------------- Summit

AFRICAN = {"nigeria": 1, "cameroon": 1}  # Domination of Africa


def test_summit_counts_regions_and_a_tie_is_nothing() -> None:
    """Summit: 1 for each region Dominated or Controlled; Southeast Asia is none (ruling); no second roll."""
    american = {"panama": 2, "cuba": 3, "mexico": 2}  # Control of Central America
    s = table(us={**AFRICAN, **american}, ussr={"thailand": 2, "vietnam": 1})
    given(resolving(s, "summit", US), do=Event(US, "summit")).when("chance", "34").then(
        ContestRolled("summit", {US: 3, USSR: 4}, {US: 2, USSR: 1}, None), CardPutAway("summit", "discards")
    )


def test_summit_does_not_count_presence() -> None:
    """Summit: Presence brings nothing."""
    s = resolving(table(us={"nigeria": 1}), "summit", US)
    given(s, do=Event(US, "summit")).when("chance", "11").includes(
        ContestRolled("summit", {US: 1, USSR: 1}, {US: 0, USSR: 0}, None)
    )


@pytest.mark.parametrize(
    ("direction", "moved"), [("improve", (DefconSet(3, 4),)), ("degrade", (DefconSet(3, 2),)), ("leave", ())]
)
def test_summit_lets_the_winner_move_defcon(direction: str, moved: tuple[DefconSet, ...]) -> None:
    """Summit: 2 points and a step either way for the winner, the opponent of the player here."""
    s = resolving(table(ussr=AFRICAN, defcon=3), "summit", US)
    rolled = given(s, do=Event(US, "summit")).when("chance", "33")
    rolled.then(
        ContestRolled("summit", {US: 3, USSR: 3}, {US: 0, USSR: 1}, USSR), ScoreMoved(USSR, 2, -2, "summit")
    ).asks(USSR, "improve", "degrade", "leave")
    rolled.when(USSR, direction).then(*moved, CardPutAway("summit", "discards"))


def test_summit_at_defcon_5_cannot_improve() -> None:
    """Summit: there is no level above 5."""
    s = resolving(table(), "summit", US)
    given(s, do=Event(US, "summit")).when("chance", "61").asks(US, "degrade", "leave")


@pytest.mark.parametrize(("rolls", "winner"), [("61", US), ("16", USSR)])
def test_summit_down_to_defcon_1_loses_for_the_phasing_player(rolls: str, winner: str) -> None:
    """Summit, ruling: also if the other side won and lowered DEFCON."""
    s = resolving(table(defcon=2), "summit", US)
    points = 2 if winner == US else -2
    given(s, do=Event(US, "summit")).when("chance", rolls).when(winner, "degrade").then(
        DefconSet(2, 1), nuclear_war(USSR, points)
    )


def test_summit_ignores_formosan_resolution() -> None:
    """Summit, ruling: Taiwan is no battleground here, so the US has mere Presence in Asia."""
    s = table(us={"taiwan": 3, "philippines": 2}, beside=("formosan_resolution",))
    given(resolving(s, "summit", US), do=Event(US, "summit")).when("chance", "11").includes(
        ContestRolled("summit", {US: 1, USSR: 1}, {US: 0, USSR: 0}, None)
    ).has(beside=("formosan_resolution",))


def test_summit_ignores_shuttle_diplomacy() -> None:
    """Summit, ruling: the USSR dominates Asia all the same, and the card is not used up."""
    s = table(ussr={"thailand": 2, "vietnam": 1}, beside=("shuttle_diplomacy",))
    given(resolving(s, "summit", US), do=Event(US, "summit")).when("chance", "21").includes(
        ContestRolled("summit", {US: 2, USSR: 1}, {US: 0, USSR: 1}, None)
    ).has(beside=("shuttle_diplomacy",))


# --------------------------------------------------------------------------- How I Learned, ABM Treaty


def test_how_i_learned_to_stop_worrying() -> None:
    """How I Learned to Stop Worrying: any DEFCON level, and 5 Military Operations."""
    s = resolving(table(defcon=3, military={US: 1, USSR: 0}), "how_i_learned_to_stop_worrying", US)
    asked = given(s, do=Event(US, "how_i_learned_to_stop_worrying")).asks(US, "1", "2", "3", "4", "5")
    asked.when(US, "5").then(
        DefconSet(3, 5), MilitarySet(US, 5), CardPutAway("how_i_learned_to_stop_worrying", "removed")
    )


def test_how_i_learned_to_stop_worrying_may_leave_defcon() -> None:
    """How I Learned to Stop Worrying: the level where it stands is one of the five."""
    s = resolving(table(defcon=3), "how_i_learned_to_stop_worrying", USSR)
    given(s, do=Event(USSR, "how_i_learned_to_stop_worrying")).when(USSR, "3").then(
        MilitarySet(USSR, 5), CardPutAway("how_i_learned_to_stop_worrying", "removed")
    )


def test_how_i_learned_to_stop_worrying_in_the_phase_of_the_other() -> None:
    """How I Learned to Stop Worrying, ruling: drawn in a USSR round, level 1 loses for the USSR."""
    bomb = "how_i_learned_to_stop_worrying"
    s = table(ussr_hand=("grain_sales_to_soviets", bomb), phasing=USSR)
    played = given(s, do=PlayCard(USSR)).when(USSR, "event_first:grain_sales_to_soviets")
    drawn = played.when("chance", bomb).when(US, f"event:{bomb}")
    drawn.when(US, "1").then(DefconSet(5, 1), nuclear_war(US))


def test_abm_treaty_improves_defcon_before_its_operations() -> None:
    """ABM Treaty, ruling: a Coup at the new DEFCON 4 may go to Asia, not Europe, and is no free Coup."""
    s = resolving(table(ussr={"burma": 1, "italy": 1}, defcon=3), "abm_treaty", US)
    asked = given(s, do=Event(US, "abm_treaty")).then(EventBegan("abm_treaty", US), DefconSet(3, 4))
    asked.asks(US, "influence", "coup", "realign", "none")
    aimed = asked.when(US, "coup").asks(US, "burma").when(US, "burma").then(MilitarySet(US, 4))
    aimed.when("chance", "1").includes(
        CoupRolled(US, "burma", 1, 4, 0, 2, 1), CardPutAway("abm_treaty", "discards")
    )


def test_abm_treaty_is_not_for_the_space_race() -> None:
    """ABM Treaty, ruling: no card is played, so none can be spent on the Space Race."""
    s = resolving(table(), "abm_treaty", USSR)
    given(s, do=Event(USSR, "abm_treaty")).asks(USSR, "influence", "none").refuses(USSR, "space")


def test_abm_treaty_has_the_value_of_the_card() -> None:
    """ABM Treaty: the Purge takes 1 off; the 4 stays the most."""
    s = table(ussr={"burma": 1}, effects=(("red_scare_purge", US),))
    aimed = given(resolving(s, "abm_treaty", US), do=Event(US, "abm_treaty")).when(US, "coup")
    aimed.when(US, "burma").then(MilitarySet(US, 3))


def test_abm_treaty_as_headline_gives_its_operations() -> None:
    """ABM Treaty, ruling: they are part of the event."""
    s = table(phase="headline", phasing=None, headlines={USSR: "abm_treaty"}, defcon=4)
    given(s, do=ResolveHeadline(USSR)).then(
        HeadlineBegan(USSR, "abm_treaty"), EventBegan("abm_treaty", USSR), DefconSet(4, 5)
    ).asks(USSR, "influence", "none")


def test_abm_treaty_through_missile_envy_gives_its_operations() -> None:
    """ABM Treaty, ruling: the same when Missile Envy takes it."""
    s = resolving(table(ussr_hand=("abm_treaty",), defcon=4), "missile_envy", US)
    given(s, do=Event(US, "missile_envy")).when(USSR, "abm_treaty").includes(
        CardPlayed(US, "abm_treaty", "given", USSR), DefconSet(4, 5)
    ).asks(US, "influence", "none")


# --------------------------------------------------------------------------- Brezhnev, Kitchen Debates, China


def test_brezhnev_doctrine() -> None:
    """Brezhnev Doctrine: in force for the USSR until the end of the turn."""
    s = resolving(table(), "brezhnev_doctrine", USSR)
    given(s, do=Event(USSR, "brezhnev_doctrine")).then(
        EventBegan("brezhnev_doctrine", USSR),
        EffectBegan("brezhnev_doctrine", USSR),
        CardPutAway("brezhnev_doctrine", "removed"),
    )


@pytest.mark.parametrize(("card", "ops"), [("allende", 2), ("quagmire", 4), ("muslim_revolution", 4)])
def test_brezhnev_doctrine_raises_up_to_4(card: str, ops: int) -> None:
    """Brezhnev Doctrine: 1 more for a Coup and its Military Operations, never above 4."""
    s = table(us={"haiti": 1}, phasing=USSR, ussr_hand=(card,), effects=(("brezhnev_doctrine", USSR),))
    given(s, do=PlayCard(USSR)).when(USSR, f"coup:{card}").when(USSR, "haiti").then(MilitarySet(USSR, ops))


def test_brezhnev_doctrine_does_not_travel_with_a_card() -> None:
    """Brezhnev Doctrine, ruling: a card that Grain Sales takes has its printed value for the US (7.4.1)."""
    s = table(ussr={"haiti": 1}, ussr_hand=("junta",), effects=(("brezhnev_doctrine", USSR),))
    s = resolving(s, "grain_sales_to_soviets", US)
    drawn = given(s, do=Event(US, "grain_sales_to_soviets")).when("chance", "junta")
    drawn.when(US, "coup:junta").when(US, "haiti").then(MilitarySet(US, 2))


def test_kitchen_debates_with_more_battlegrounds() -> None:
    """Kitchen Debates: two battlegrounds to one."""
    s = resolving(table(us={"cuba": 3, "egypt": 2}, ussr={"angola": 1, "burma": 2}), "kitchen_debates", US)
    given(s, do=Event(US, "kitchen_debates")).then(
        EventBegan("kitchen_debates", US),
        ScoreMoved(US, 2, 2, "kitchen_debates"),
        CardPutAway("kitchen_debates", "removed"),
    )


def test_kitchen_debates_without_more_battlegrounds_stays_in_the_game() -> None:
    """Kitchen Debates, ruling: one to one, Taiwan never counted: no event, and the card is discarded."""
    s = table(us={"cuba": 3, "taiwan": 3}, ussr={"angola": 1}, beside=("formosan_resolution",))
    given(resolving(s, "kitchen_debates", US), do=Event(US, "kitchen_debates")).then(
        EventBarred("kitchen_debates", "needs_more_battlegrounds"),
        CardPutAway("kitchen_debates", "discards"),
    )


@pytest.mark.parametrize("ready", [True, False])
def test_cultural_revolution_takes_the_china_card_face_up(ready: bool) -> None:
    """Cultural Revolution: from the US to the USSR, which may use it at once."""
    s = resolving(table(china=US, china_ready=ready, phasing=USSR), "cultural_revolution", USSR)
    taken = given(s, do=(Event(USSR, "cultural_revolution"), PlayCard(USSR)))
    taken.then(
        EventBegan("cultural_revolution", USSR),
        ChinaPassed(USSR, ready=True),
        CardPutAway("cultural_revolution", "removed"),
    ).asks(USSR, "influence:china_card", "space:china_card", "pass")


def test_cultural_revolution_scores_where_the_ussr_has_the_china_card() -> None:
    """Cultural Revolution: 1 point, and the card stays face down where it was."""
    s = resolving(table(china=USSR, china_ready=False), "cultural_revolution", USSR)
    given(s, do=Event(USSR, "cultural_revolution")).then(
        EventBegan("cultural_revolution", USSR),
        ScoreMoved(USSR, 1, -1, "cultural_revolution"),
        CardPutAway("cultural_revolution", "removed"),
    ).has(china_ready=False)


@pytest.mark.parametrize("player", [US, USSR])
def test_cultural_revolution_waits_for_the_chinese_civil_war(player: str) -> None:
    """Cultural Revolution, ruling: in the variant no event before the box is complete."""
    s = table(china=None, options={"chinese_civil_war": True}, ussr={"chinese_civil_war": 2})
    given(resolving(s, "cultural_revolution", player), do=Event(USSR, "cultural_revolution")).then(
        EventBarred("cultural_revolution", "chinese_civil_war"),
        CardPutAway("cultural_revolution", "discards"),
    )


def test_cultural_revolution_after_the_chinese_civil_war() -> None:
    """Cultural Revolution, ruling: with the box complete the USSR has the China Card, and scores."""
    s = table(china=USSR, options={"chinese_civil_war": True})
    given(resolving(s, "cultural_revolution", USSR), do=Event(USSR, "cultural_revolution")).includes(
        ScoreMoved(USSR, 1, -1, "cultural_revolution")
    )
