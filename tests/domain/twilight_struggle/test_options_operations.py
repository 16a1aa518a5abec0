"""Options about Operations: optional rules of both books, and what events grant."""

from __future__ import annotations

from typing import Any

import pytest

from domain.kernel import prompt
from domain.twilight_struggle import GAME
from domain.twilight_struggle.components import US, USSR
from domain.twilight_struggle.facts.board import InfluenceSet, RealignmentRolled
from domain.twilight_struggle.facts.cards import CardPutAway
from domain.twilight_struggle.facts.tracks import SpaceDeclined, SpaceRolled
from domain.twilight_struggle.rules.operations import COUP, REALIGN, Ops, grant, targets, value
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps.operations import Realign, RollRealignment
from domain.twilight_struggle.steps.play import Event, PlayCard
from tests.domain.twilight_struggle.optional import under
from tests.domain.twilight_struggle.table import resolving
from tests.scenario import Scenario, given

FOUR = Ops("nato", 4)
EVERYWHERE = {"italy": 1, "thailand": 1, "iran": 1, "chile": 1}


def options(match: Scenario[State], seat: str) -> tuple[str, ...]:
    """What a seat may answer."""
    question = prompt(match.table, seat)
    assert question is not None
    return question.options


# --------------------------------------------------------------------------- realignments and DEFCON


@pytest.mark.parametrize(
    ("ignores", "countries"), [(True, {"italy", "thailand", "iran", "chile"}), (False, {"chile"})]
)
def test_realignment_ignores_defcon(ignores: bool, countries: set[str]) -> None:
    """At DEFCON 2 only South America is open, or everything."""
    s = under({"realignment_ignores_defcon": ignores}, defcon=2, ussr=EVERYWHERE)
    assert set(targets(s, US, FOUR, REALIGN)) == countries


@pytest.mark.parametrize("ignores", [True, False])
def test_realignment_ignores_defcon_but_a_coup_does_not(ignores: bool) -> None:
    s = under({"realignment_ignores_defcon": ignores}, defcon=2, ussr=EVERYWHERE)
    assert targets(s, US, FOUR, COUP) == ("chile",)


def test_realignment_ignores_defcon_but_not_nato() -> None:
    s = under({"realignment_ignores_defcon": True}, defcon=2, us={"italy": 2, "chile": 1}, beside=("nato",))
    assert targets(s, USSR, FOUR, REALIGN) == ("chile",)


# -------------------------------------------------------------- realignments and the own influence


@pytest.mark.parametrize(("safe", "left"), [(True, 2), (False, 0)])
def test_realignment_phasing_player_safe(safe: bool, left: int) -> None:
    """The US rolls 1 against 4: it loses 2 of its 2 influence, or nothing."""
    s = under({"realignment_phasing_player_safe": safe}, us={"angola": 2}, ussr={"angola": 2})
    match = given(s, do=RollRealignment(US, "angola")).when("chance", "14")
    assert match.table.influence[US].get("angola", 0) == left
    assert match.facts[0] == RealignmentRolled(US, "angola", {US: 1, USSR: 4}, {US: 0, USSR: 0})


@pytest.mark.parametrize("safe", [True, False])
def test_realignment_phasing_player_safe_does_not_protect_the_enemy(safe: bool) -> None:
    s = under({"realignment_phasing_player_safe": safe}, us={"angola": 2}, ussr={"angola": 2})
    match = given(s, do=RollRealignment(US, "angola")).when("chance", "41")
    match.includes(InfluenceSet(USSR, "angola", -2, 0))


@pytest.mark.parametrize("phasing", [US, USSR])
def test_realignment_phasing_player_safe_protects_the_side_that_rolls(phasing: str) -> None:
    """The books think of the phasing player; an event lets the other side roll in that player's round."""
    s = under(
        {"realignment_phasing_player_safe": True}, phasing=phasing, us={"angola": 2}, ussr={"angola": 2}
    )
    given(s, do=RollRealignment(US, "angola")).when("chance", "16").has(influence=s.influence)
    given(s, do=RollRealignment(USSR, "angola")).when("chance", "61").has(influence=s.influence)


# --------------------------------------------------------------------------- influence and realignments mixed


def mixing(mixed: bool = True, **fields: Any) -> Scenario[State]:
    """A US round with a card of 4, in which the USSR stands in Angola and Zimbabwe."""
    placed: dict[str, Any] = {"us": {"angola": 1}, "ussr": {"angola": 2, "zimbabwe": 1}}
    s = under({"realignment_mixed": mixed}, us_hand=("nato",), **{**placed, **fields})
    return given(s, do=PlayCard(US))


@pytest.mark.parametrize("mixed", [True, False])
def test_realignment_mixed_lets_a_card_be_split(mixed: bool) -> None:
    match = mixing(mixed).when(US, "influence:nato").when(US, "angola")
    assert (REALIGN in options(match, US)) is mixed
    match = mixing(mixed).when(US, "realign:nato").when(US, "zimbabwe").when("chance", "11")
    assert ("influence" in options(match, US)) is mixed


def test_realignment_mixed_no_country_sees_influence_and_then_a_roll() -> None:
    match = mixing().when(US, "influence:nato").when(US, "angola").when(US, "realign")
    match.asks(US, "zimbabwe", "done").refuses(US, "angola")


def test_realignment_mixed_no_country_sees_a_roll_and_then_influence() -> None:
    match = mixing().when(US, "realign:nato").when(US, "angola").when("chance", "11")
    match.when(US, "influence").refuses(US, "angola")


def test_realignment_mixed_remembers_over_several_changes() -> None:
    """Influence in Zaire, a roll in Angola, influence in South Africa, and 1 point is left."""
    match = mixing().when(US, "influence:nato").when(US, "zaire").when(US, "realign").when(US, "angola")
    match.when("chance", "11").when(US, "influence").refuses(US, "angola").when(US, "south_africa")
    match.when(US, "realign").refuses(US, "zaire").refuses(US, "south_africa").when(US, "zimbabwe")
    match.when("chance", "11").includes(CardPutAway("nato", "discards")).asks_nobody()


def test_realignment_mixed_costs_what_it_always_costs() -> None:
    """Of 4 points 2 go into a country that the USSR controls, and 2 are left for rolls."""
    held = {"angola": 1, "zimbabwe": 1, "cameroon": 1}
    match = mixing(ussr=held, us={"zaire": 1}).when(US, "influence:nato").when(US, "cameroon")
    match.when(US, "realign").when(US, "angola").when("chance", "11").when(US, "angola")
    match.when("chance", "11").includes(CardPutAway("nato", "discards"))


def test_realignment_mixed_a_change_is_followed_by_something_spent() -> None:
    """So a player cannot change to and fro for ever."""
    match = (
        mixing().when(US, "influence:nato").when(US, "angola").when(US, "realign").refuses(US, "influence")
    )
    match.when(US, "zimbabwe").when("chance", "11").when(US, "influence").refuses(US, "realign")


def test_realignment_mixed_is_not_for_coups_or_space() -> None:
    match = mixing().when(US, "influence:nato").when(US, "angola")
    assert not {"coup", "space"} & {*options(match, US)}


@pytest.mark.parametrize("mixed", [True, False])
def test_realignment_mixed_does_not_split_what_an_event_grants(mixed: bool) -> None:
    """ABM Treaty: the optional rule speaks of the points of a card that is played for them."""
    s = under({"realignment_mixed": mixed}, us={"angola": 1}, ussr={"angola": 1, "zimbabwe": 1})
    match = given(resolving(s, "abm_treaty", US), do=Event(US, "abm_treaty"))
    match.asks(US, "influence", "coup", "realign", "none").when(US, "influence").when(US, "angola")
    assert REALIGN not in options(match, US)


def test_realignment_mixed_keeps_to_defcon() -> None:
    """At DEFCON 4 Italy is closed to the rolls of a card that began with influence."""
    match = mixing(defcon=4, ussr={"italy": 1, "chile": 1}).when(US, "influence:nato").when(US, "zaire")
    match.when(US, "realign").asks(US, "chile", "done")


def test_realignment_mixed_the_china_card_gives_5_where_all_stays_in_asia() -> None:
    s = under({"realignment_mixed": True}, china=US, us={"japan": 4}, ussr={"thailand": 4}, us_hand=("nato",))
    match = given(s, do=PlayCard(US)).when(US, "influence:china_card").when(US, "japan")
    match.when(US, "realign")
    for _ in range(4):
        match.when(US, "thailand").when("chance", "11")
    match.has(china=USSR).asks_nobody()


def test_the_three_realignment_options_go_together() -> None:
    """Both books: as you like, one of them or all."""
    every = {
        "realignment_mixed": True,
        "realignment_ignores_defcon": True,
        "realignment_phasing_player_safe": True,
    }
    s = under(every, defcon=2, us={"italy": 1, "france": 1}, ussr={"italy": 1}, us_hand=("nato",))
    match = given(s, do=PlayCard(US)).when(US, "influence:nato").when(US, "france").when(US, "realign")
    match.when(US, "italy").when("chance", "16").has(
        influence={US: {"italy": 1, "france": 2}, USSR: {"italy": 1}}
    )


# --------------------------------------------------------------------------- space without a roll


def test_space_without_roll_lets_the_player_decline_the_die() -> None:
    """It is the card of the turn all the same, and its event does not happen."""
    s = under({"space_without_roll": True}, us_hand=("fidel", "nato"), us={"cuba": 1})
    match = given(s, do=PlayCard(US)).when(US, "space:fidel").asks(US, "roll", "none")
    match.when(US, "none").then(SpaceDeclined(US, "fidel"), CardPutAway("fidel", "discards"))
    match.has(spaced={US: 1, USSR: 0}, space={US: 0, USSR: 0}, influence={US: {"cuba": 1}, USSR: {}})
    assert not any(play.startswith("space") for play in options(given(match.table, do=PlayCard(US)), US))


def test_space_without_roll_the_die_may_be_rolled() -> None:
    s = under({"space_without_roll": True}, us_hand=("fidel",))
    match = given(s, do=PlayCard(US)).when(US, "space:fidel").when(US, "roll").when("chance", "3")
    match.includes(SpaceRolled(US, "fidel", 1, 3, 3)).has(space={US: 1, USSR: 0})


def test_without_that_option_the_die_is_rolled() -> None:
    s = under({"space_without_roll": False}, us_hand=("fidel",))
    given(s, do=PlayCard(US)).when(US, "space:fidel").asks("chance", *"123456")


# --------------------------------------------------------------------------- Operations that events grant


@pytest.mark.parametrize("edition", GAME.editions)
@pytest.mark.parametrize(
    ("card", "seat", "printed"),
    [
        ("cia_created", US, 1),
        ("lone_gunman", USSR, 1),
        ("abm_treaty", US, 4),
        ("abm_treaty", USSR, 4),
        ("soviets_shoot_down_kal_007", US, 4),
        ("glasnost", USSR, 4),
    ],
)
@pytest.mark.parametrize("modified", [True, False])
def test_event_ops_modified(edition: str, card: str, seat: str, printed: int, modified: bool) -> None:
    """Under Red Scare/Purge, or Containment and Brezhnev Doctrine where the card is worth 1."""
    lift = {US: "containment", USSR: "brezhnev_doctrine"}[seat]
    change = (lift, seat) if printed == 1 else ("red_scare_purge", seat)
    s = under(
        {"event_ops_modified": modified},
        edition,
        effects=(change,),
        us={"south_korea": 3},
        beside=("the_reformer",),
        phasing=seat,
    )
    match = given(resolving(s, card, seat), do=Event(seat, card)).asks(seat)
    changed = 2 if printed == 1 else 3
    question = prompt(match.table, seat)
    assert question is not None
    assert question.why["points"] == (changed if modified else printed)


@pytest.mark.parametrize("modified", [True, False])
def test_event_ops_modified_says_nothing_about_cards_played_for_operations(modified: bool) -> None:
    s = under({"event_ops_modified": modified}, effects=(("containment", US),))
    assert value(s, US, Ops("cia_created", 1)) == 2


@pytest.mark.parametrize(
    ("edition", "modified", "expected"),
    [("deluxe", True, 3), ("deluxe", False, 4), ("second", True, 4), ("second", False, 4)],
)
def test_event_ops_modified_for_a_fixed_number(edition: str, modified: bool, expected: int) -> None:
    """The 4 of Olympic Games: FAQ 4.2 for the 2nd edition, 7.4.3 for the Deluxe edition."""
    s = under({"event_ops_modified": modified}, edition, effects=(("red_scare_purge", US),))
    assert value(s, US, grant(s, "olympic_games", 4, own_value=False)) == expected


def test_event_ops_modified_counts_for_the_coup_and_its_military_operations() -> None:
    for modified, points in ((True, 2), (False, 1)):
        s = under(
            {"event_ops_modified": modified}, effects=(("containment", US),), ussr={"angola": 1}, phasing=US
        )
        match = given(resolving(s, "cia_created", US), do=Event(US, "cia_created")).when(US, "coup")
        match.when(US, "angola").has(military={US: points, USSR: 0})


# --------------------------------------------------------------------------- UN Intervention


@pytest.mark.parametrize("space", [True, False])
def test_un_intervention_space(space: bool) -> None:
    """The card whose event is cancelled goes into space, or not."""
    s = under({"un_intervention_space": space}, us={"iran": 1}, us_hand=("un_intervention", "fidel"))
    match = given(s, do=PlayCard(US)).when(US, "cancel:fidel")
    assert options(match, US) == (("influence", "space") if space else ("influence",))


@pytest.mark.parametrize("space", [True, False])
def test_un_intervention_space_says_nothing_about_other_cards(space: bool) -> None:
    s = under({"un_intervention_space": space}, us={"iran": 1}, us_hand=("un_intervention", "fidel"))
    assert "space:fidel" in options(given(s, do=PlayCard(US)), US)


def test_un_intervention_space_is_the_space_card_of_the_turn() -> None:
    s = under({}, us={"iran": 1}, us_hand=("un_intervention", "fidel", "nasser"), spaced={US: 1, USSR: 0})
    match = given(s, do=PlayCard(US)).when(US, "cancel:fidel")
    assert options(match, US) == ("influence",)


@pytest.mark.parametrize("rolled", [0, 1])
def test_realigning_alone_never_offers_influence(rolled: int) -> None:
    """Without the option a card of realignments is one of realignments to its end."""
    match = given(under({}, us={"angola": 1}, ussr={"angola": 3}), do=Realign(US, FOUR))
    for _ in range(rolled):
        match.when(US, "angola").when("chance", "11")
    assert "influence" not in options(match, US)
