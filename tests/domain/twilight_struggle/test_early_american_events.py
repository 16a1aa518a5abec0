"""Early War events of the US, and the neutral ones that are neither wars nor modifiers."""

from __future__ import annotations

from typing import Any

import pytest

from domain.kernel import Ended
from domain.twilight_struggle.components import MEMBERS
from domain.twilight_struggle.facts.board import InfluenceSet
from domain.twilight_struggle.facts.cards import CardPlayed, CardPutAway
from domain.twilight_struggle.facts.flow import EventBegan
from domain.twilight_struggle.facts.tracks import DefconSet, ScoreMoved, SpaceRolled, SpaceSet
from domain.twilight_struggle.rules.hand import plays
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps.play import Event, PlayCard
from tests.domain.twilight_struggle.table import US, USSR, nuclear_war, resolving, table
from tests.scenario import Scenario, given


def happens(card: str, player: str = US, **fields: Any) -> Scenario[State]:
    """The event of a US or neutral card, on this table, played by `player`; a neutral one is the player's."""
    owner = player if card in NEUTRAL else US
    return given(resolving(table(**fields), card, player), do=Event(owner, card))


NEUTRAL = ("captured_nazi_scientist", "nuclear_test_ban")

# ── Duck and Cover ──


@pytest.mark.parametrize(("before", "points"), [(5, 1), (4, 2), (3, 3)])
def test_duck_and_cover_lowers_defcon_and_scores_5_less_the_new_level(before: int, points: int) -> None:
    happens("duck_and_cover", defcon=before).then(
        EventBegan("duck_and_cover", US),
        DefconSet(before, before - 1),
        ScoreMoved(US, points, points, "duck_and_cover"),
        CardPutAway("duck_and_cover", "discards"),
    )


def test_duck_and_cover_at_defcon_2_the_ussr_playing_it_loses_and_nothing_is_scored() -> None:
    s = table(defcon=2, phasing=USSR, ussr={"poland": 3}, ussr_hand=("duck_and_cover",))
    given(s, do=PlayCard(USSR)).when(USSR, "event_first:duck_and_cover").then(
        CardPlayed(USSR, "duck_and_cover", "event_first", USSR),
        EventBegan("duck_and_cover", US),
        DefconSet(2, 1),
        nuclear_war(US),
    )


def test_duck_and_cover_at_defcon_2_the_us_playing_it_loses() -> None:
    happens("duck_and_cover", defcon=2).includes(nuclear_war(USSR))


def test_duck_and_cover_at_defcon_2_is_harmless_when_spaced() -> None:
    s = table(defcon=2, phasing=USSR, ussr_hand=("duck_and_cover",))
    game = given(s, do=PlayCard(USSR)).when(USSR, "space:duck_and_cover").when("chance", "6")
    game.then(SpaceRolled(USSR, "duck_and_cover", 1, 6, 3), CardPutAway("duck_and_cover", "discards"))
    game.has(defcon=2, result=None)


def test_duck_and_cover_at_defcon_2_is_harmless_when_cancelled() -> None:
    hand = ("duck_and_cover", "un_intervention")
    s = table(defcon=2, phasing=USSR, ussr={"poland": 3}, ussr_hand=hand)
    game = given(s, do=PlayCard(USSR)).when(USSR, "cancel:duck_and_cover").when(USSR, "influence")
    for _ in range(3):
        game.when(USSR, "poland")
    game.asks_nobody().has(defcon=2, result=None, discards=("un_intervention", "duck_and_cover"))


# ── Captured Nazi Scientist, Nuclear Test Ban ──


def test_captured_nazi_scientist_advances_one_box_without_a_roll_for_its_points() -> None:
    happens("captured_nazi_scientist", USSR).then(
        EventBegan("captured_nazi_scientist", USSR),
        SpaceSet(USSR, 1),
        ScoreMoved(USSR, 2, -2, "captured_nazi_scientist"),
        CardPutAway("captured_nazi_scientist", "removed"),
    )


def test_captured_nazi_scientist_second_in_a_box_scores_less() -> None:
    happens("captured_nazi_scientist", space={US: 0, USSR: 1}).includes(
        SpaceSet(US, 1), ScoreMoved(US, 1, 1, "captured_nazi_scientist")
    )


def test_captured_nazi_scientist_is_no_space_attempt() -> None:
    """Ruling: another card may still be spaced in this turn."""
    game = happens("captured_nazi_scientist", us_hand=("fidel",)).has(spaced={US: 0, USSR: 0})
    assert "space:fidel" in plays(game.table, US)


def test_captured_nazi_scientist_takes_the_ability_of_the_box() -> None:
    """Box 2: two cards a turn, so a second one may be spaced at once (6.4.4)."""
    spaced = {US: 1, USSR: 0}
    game = happens("captured_nazi_scientist", us_hand=("fidel",), space={US: 1, USSR: 0}, spaced=spaced)
    assert "space:fidel" in plays(game.table, US)


def test_captured_nazi_scientist_in_the_last_box_does_nothing() -> None:
    happens("captured_nazi_scientist", space={US: 8, USSR: 0}).then(
        EventBegan("captured_nazi_scientist", US), CardPutAway("captured_nazi_scientist", "removed")
    )


def test_captured_nazi_scientist_may_win_with_20_points() -> None:
    game = happens("captured_nazi_scientist", vp=18)
    assert game.facts[-1] == Ended(US, "victory_points", {US: 20, USSR: -20})


@pytest.mark.parametrize(("before", "points", "after"), [(5, 3, 5), (4, 2, 5), (3, 1, 5), (2, 0, 4)])
def test_nuclear_test_ban_scores_first_and_improves_afterwards(before: int, points: int, after: int) -> None:
    game = happens("nuclear_test_ban", USSR, defcon=before)
    scored = [ScoreMoved(USSR, points, -points, "nuclear_test_ban")] if points else []
    moved = [DefconSet(before, after)] if after != before else []
    game.then(
        EventBegan("nuclear_test_ban", USSR),
        *scored,
        *moved,
        CardPutAway("nuclear_test_ban", "discards"),
    )


# ── Truman Doctrine ──


def test_truman_doctrine_clears_one_uncontrolled_european_country() -> None:
    """Ruling: uncontrolled means by neither player; Poland and France do not qualify, nor does Syria."""
    game = happens(
        "truman_doctrine",
        us={"france": 4},
        ussr={"poland": 3, "france": 1, "italy": 1, "austria": 3, "syria": 1},
    )
    game.asks(US, "italy", "austria").when(US, "austria").then(
        InfluenceSet(USSR, "austria", -3, 0), CardPutAway("truman_doctrine", "removed")
    )


def test_truman_doctrine_with_a_single_target_asks_no_seat() -> None:
    happens("truman_doctrine", ussr={"italy": 1}).then(
        EventBegan("truman_doctrine", US),
        InfluenceSet(USSR, "italy", -1, 0),
        CardPutAway("truman_doctrine", "removed"),
    )


def test_truman_doctrine_without_target_still_counts_as_played() -> None:
    """Ruling, book 003, example of play, turn 1: the USSR plays it for Operations; it is removed."""
    s = table(phasing=USSR, ussr={"thailand": 2}, ussr_hand=("truman_doctrine",))
    game = given(s, do=PlayCard(USSR)).when(USSR, "influence:truman_doctrine").when(USSR, "thailand")
    game.then(
        InfluenceSet(USSR, "thailand", 1, 3),
        EventBegan("truman_doctrine", US),
        CardPutAway("truman_doctrine", "removed"),
    )


# ── Independent Reds, Marshall Plan, US/Japan ──


def test_independent_reds_raises_the_us_to_the_ussr() -> None:
    game = happens("independent_reds", us={"hungary": 1}, ussr={"hungary": 4, "poland": 3})
    game.asks(US, "yugoslavia", "romania", "bulgaria", "hungary", "czechoslovakia")
    game.when(US, "hungary").then(
        InfluenceSet(US, "hungary", 3, 4), CardPutAway("independent_reds", "removed")
    )


def test_independent_reds_adds_nothing_where_the_us_has_as_much() -> None:
    game = happens("independent_reds", us={"romania": 2}, ussr={"romania": 1}).when(US, "romania")
    game.then(CardPutAway("independent_reds", "removed"))


def test_marshall_plan_adds_1_in_seven_countries_the_ussr_does_not_control() -> None:
    game = happens("marshall_plan", ussr={"italy": 2, "finland": 4})
    game.asks(US, *(name for name in MEMBERS["western_europe"] if name not in ("italy", "finland")))
    seven = ("canada", "united_kingdom", "france", "austria", "turkey", "greece", "benelux")
    game.refuses(US, *seven[:6]).when(US, *seven).then(
        *(InfluenceSet(US, country, 1, 1) for country in seven), CardPutAway("marshall_plan", "beside")
    )


def test_marshall_plan_adds_in_all_that_qualify_where_fewer_than_seven_do() -> None:
    """Ruling; the USSR controls nine of the fourteen countries here."""
    soviet = dict.fromkeys(MEMBERS["western_europe"][:9], 5)
    rest = MEMBERS["western_europe"][9:]
    happens("marshall_plan", ussr=soviet).then(
        EventBegan("marshall_plan", US),
        *(InfluenceSet(US, country, 1, 1) for country in rest),
        CardPutAway("marshall_plan", "beside"),
    )


@pytest.mark.parametrize(("soviet", "american", "added"), [(0, 1, 3), (2, 0, 6), (1, 5, 0)])
def test_us_japan_pact_gives_the_us_control_of_japan(soviet: int, american: int, added: int) -> None:
    """Up to 4 more than the USSR has."""
    us, ussr = ({"japan": count} if count else {} for count in (american, soviet))
    gained = [InfluenceSet(US, "japan", added, american + added)] if added else []
    happens("us_japan_mutual_defense_pact", us=us, ussr=ussr).then(
        EventBegan("us_japan_mutual_defense_pact", US),
        *gained,
        CardPutAway("us_japan_mutual_defense_pact", "beside"),
    )


# ── East European Unrest ──


def test_east_european_unrest_removes_1_from_each_of_three_countries() -> None:
    game = happens(
        "east_european_unrest", turn=7, ussr={"poland": 3, "hungary": 2, "finland": 1, "romania": 3}
    )
    game.asks(US, "poland", "hungary", "finland", "romania").refuses(US, "poland", "hungary")
    game.when(US, "poland", "hungary", "finland").then(
        InfluenceSet(USSR, "poland", -1, 2),
        InfluenceSet(USSR, "hungary", -1, 1),
        InfluenceSet(USSR, "finland", -1, 0),
        CardPutAway("east_european_unrest", "discards"),
    )


def test_east_european_unrest_removes_2_from_each_in_the_late_war_or_the_single_one() -> None:
    """Turns 8 to 10; ruling: a single influence is all that such a country loses."""
    happens("east_european_unrest", turn=8, ussr={"poland": 3, "hungary": 2, "finland": 1}).then(
        EventBegan("east_european_unrest", US),
        InfluenceSet(USSR, "poland", -2, 1),
        InfluenceSet(USSR, "hungary", -2, 0),
        InfluenceSet(USSR, "finland", -1, 0),
        CardPutAway("east_european_unrest", "discards"),
    )
