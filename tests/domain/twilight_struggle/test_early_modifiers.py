"""Containment, Red Scare/Purge and Vietnam Revolts: what Operations are worth (7.4)."""

from __future__ import annotations

from typing import Any

import pytest

from domain.twilight_struggle.facts.board import CoupRolled, InfluenceSet
from domain.twilight_struggle.facts.cards import CardPutAway
from domain.twilight_struggle.facts.flow import EffectBegan, EffectsLapsed, EventBegan
from domain.twilight_struggle.facts.tracks import MilitarySet
from domain.twilight_struggle.rules.hand import plays
from domain.twilight_struggle.rules.operations import Ops, value
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps.flow import EndTurn
from domain.twilight_struggle.steps.play import Event, PlayCard, PlayTaken
from tests.domain.twilight_struggle.table import US, USSR, resolving, table
from tests.scenario import Scenario, given

CONTAINMENT, PURGED = ("containment", US), ("red_scare_purge", US)
BOLSTERED, PURGED_USSR = ("brezhnev_doctrine", USSR), ("red_scare_purge", USSR)
REVOLTS = ("vietnam_revolts", USSR)


def worth(printed: int, seat: str = US, scope: str = "world", *effects: tuple[str, str]) -> int:
    """Operations of a printed value under these effects of the turn."""
    return value(table(effects=effects), seat, Ops("any", printed), scope)


def soviet_round(card: str, *effects: tuple[str, str], **fields: Any) -> Scenario[State]:
    """An action round of the USSR with this card in hand."""
    s = table(phasing=USSR, ussr_hand=(card,), effects=effects, **fields)
    return given(s, do=PlayCard(USSR))


# ── Containment, Red Scare/Purge ──


def test_containment_begins_for_the_us() -> None:
    given(resolving(table(), "containment", US), do=Event(US, "containment")).then(
        EventBegan("containment", US),
        EffectBegan("containment", US),
        CardPutAway("containment", "removed"),
    )


@pytest.mark.parametrize(("player", "victim"), [(US, USSR), (USSR, US)])
def test_red_scare_purge_strikes_the_opponent_of_the_player(player: str, victim: str) -> None:
    given(resolving(table(), "red_scare_purge", player), do=Event(player, "red_scare_purge")).then(
        EventBegan("red_scare_purge", player),
        EffectBegan("red_scare_purge", victim),
        CardPutAway("red_scare_purge", "discards"),
    )


@pytest.mark.parametrize(("printed", "points"), [(1, 2), (2, 3), (3, 4), (4, 4)])
def test_containment_adds_1_up_to_4(printed: int, points: int) -> None:
    assert worth(printed, US, "world", CONTAINMENT) == points


@pytest.mark.parametrize(("printed", "points"), [(1, 1), (2, 1), (3, 2), (4, 3)])
def test_red_scare_purge_takes_1_down_to_1(printed: int, points: int) -> None:
    assert worth(printed, US, "world", PURGED) == points


def test_modifiers_belong_to_one_player() -> None:
    """7.4.1."""
    assert worth(2, USSR, "world", CONTAINMENT, PURGED) == 2


@pytest.mark.parametrize(("printed", "points"), [(1, 1), (2, 2), (3, 3), (4, 4)])
def test_containment_and_purge_are_added_before_the_limits(printed: int, points: int) -> None:
    """Ruling: a 4 is 4 + 1 - 1, not 4 - 1; a 1 is 1 - 1 + 1."""
    assert worth(printed, US, "world", PURGED, CONTAINMENT) == points


@pytest.mark.parametrize(("printed", "points"), [(4, 2), (3, 1), (2, 1)])
def test_red_scare_purge_twice_on_one_side_takes_2(printed: int, points: int) -> None:
    """Ruling."""
    assert worth(printed, US, "world", PURGED, PURGED) == points


@pytest.mark.parametrize(
    ("modifier", "points"), [(PURGED, 1), (CONTAINMENT, 3)], ids=["purge", "containment"]
)
def test_modifiers_count_for_the_coup_roll_and_its_military_operations(
    modifier: tuple[str, str], points: int
) -> None:
    """7.4.2 example 1: a card with 2 Operations under Purge adds 1, and brings 1 Military Operation."""
    s = table(ussr={"haiti": 3}, us_hand=("independent_reds",), effects=(modifier,))
    game = given(s, do=PlayCard(US)).when(US, "coup:independent_reds").when(US, "haiti")
    game.then(MilitarySet(US, points)).when("chance", "1")
    game.includes(CoupRolled(US, "haiti", 1, points, 0, 1, points - 1))


def test_modifiers_count_for_influence() -> None:
    """Book 003, example of play, turn 2: Five-Year Plan under Purge places 2."""
    s = table(us={"saudi_arabia": 1}, us_hand=("five_year_plan",), effects=(PURGED,))
    game = given(s, do=PlayCard(US)).when(US, "influence:five_year_plan").when(US, "saudi_arabia")
    game.when(US, "saudi_arabia").then(
        InfluenceSet(US, "saudi_arabia", 1, 3), CardPutAway("five_year_plan", "discards")
    )


def test_modifiers_count_for_the_space_race() -> None:
    """A 2 no longer meets box 1 under Purge, and a 1 does under Containment."""
    hand = ("independent_reds", "truman_doctrine")
    assert "space:independent_reds" not in plays(table(us_hand=hand, effects=(PURGED,)), US)
    assert "space:truman_doctrine" in plays(table(us_hand=hand, effects=(CONTAINMENT,)), US)


def test_modifiers_count_for_the_discard_of_quagmire() -> None:
    """Ruling on Containment: a 1 satisfies Quagmire; under Purge a 2 does not."""
    hand = ("independent_reds", "truman_doctrine")
    raised = table(us_hand=hand, beside=("quagmire",), effects=(CONTAINMENT,))
    assert plays(raised, US) == ("discard:independent_reds", "discard:truman_doctrine")
    lowered = table(us_hand=hand, beside=("quagmire",), effects=(PURGED,))
    assert plays(lowered, US) == ("pass",)


def test_modifiers_count_for_the_discard_of_latin_american_debt_crisis() -> None:
    """Ruling on Containment: a 2 is worth the 3 that this card demands; under Purge a 3 is not."""
    card, hand = "latin_american_debt_crisis", ("independent_reds", "duck_and_cover")
    for modifier, fit in ((CONTAINMENT, hand), (PURGED, ())):
        s = resolving(table(us_hand=hand, effects=(modifier,)), card, USSR)
        given(s, do=Event(USSR, card)).asks(US, *fit, "decline")


def test_modifiers_stay_with_the_player_of_a_card_from_the_other_hand() -> None:
    """7.4.1, example of Grain Sales: Brezhnev Doctrine gives the US nothing, its own Purge still holds."""
    s = table(ussr={"haiti": 3}, ussr_hand=("fidel",), effects=(BOLSTERED, PURGED))
    game = given(s, do=PlayTaken(US, "fidel", USSR)).when(US, "coup:fidel").when(US, "haiti")
    game.then(MilitarySet(US, 1))


def test_modifiers_end_with_the_turn() -> None:
    given(table(effects=(CONTAINMENT, PURGED_USSR)), do=EndTurn()).includes(
        EffectsLapsed(("containment", "red_scare_purge"))
    )


# ── Vietnam Revolts ──


def test_vietnam_revolts_adds_2_influence_and_begins() -> None:
    given(resolving(table(), "vietnam_revolts", USSR), do=Event(USSR, "vietnam_revolts")).then(
        EventBegan("vietnam_revolts", USSR),
        InfluenceSet(USSR, "vietnam", 2, 2),
        EffectBegan("vietnam_revolts", USSR),
        CardPutAway("vietnam_revolts", "removed"),
    )


def test_vietnam_revolts_example_of_play_a_3_places_4_in_southeast_asia() -> None:
    """Book 003, turn 3: Socialist Governments for Burma, Malaysia and twice Laos."""
    soviet = {"burma": 1, "malaysia": 2, "vietnam": 2}
    game = soviet_round("socialist_governments", REVOLTS, ussr=soviet)
    game.when(USSR, "influence:socialist_governments")
    game.when(USSR, "burma").when(USSR, "malaysia").when(USSR, "laos_cambodia")
    game.when(USSR, "laos_cambodia").then(
        InfluenceSet(USSR, "laos_cambodia", 1, 2), CardPutAway("socialist_governments", "discards")
    )


def test_vietnam_revolts_no_extra_point_once_one_is_spent_elsewhere() -> None:
    """Ruling: every point, the extra one included, in Southeast Asia."""
    game = soviet_round("fidel", REVOLTS, ussr={"vietnam": 2, "india": 1}).when(USSR, "influence:fidel")
    game.when(USSR, "india").when(USSR, "vietnam").asks_nobody()


def test_vietnam_revolts_the_extra_point_may_not_leave_southeast_asia() -> None:
    game = soviet_round("fidel", REVOLTS, ussr={"burma": 2, "india": 1}).when(USSR, "influence:fidel")
    game.when(USSR, "burma").when(USSR, "burma").asks(USSR, "burma", "laos_cambodia", "done")


def test_vietnam_revolts_adds_to_a_coup_there_and_to_its_military_operations() -> None:
    game = soviet_round("fidel", REVOLTS, us={"indonesia": 1}).when(USSR, "coup:fidel")
    game.when(USSR, "indonesia").then(MilitarySet(USSR, 3)).when("chance", "1")
    game.includes(CoupRolled(USSR, "indonesia", 1, 3, 0, 1, 2))


def test_vietnam_revolts_adds_nothing_to_a_coup_elsewhere() -> None:
    game = soviet_round("fidel", REVOLTS, us={"taiwan": 1}).when(USSR, "coup:fidel")
    game.when(USSR, "taiwan").then(MilitarySet(USSR, 2))


def test_vietnam_revolts_gives_one_more_realignment_roll_there() -> None:
    game = soviet_round("blockade", REVOLTS, us={"indonesia": 9}).when(USSR, "realign:blockade")
    game.when(USSR, "indonesia").when("chance", "11").asks(USSR, "indonesia", "done")
    game.when(USSR, "indonesia").when("chance", "11").asks_nobody()


def test_vietnam_revolts_does_not_help_the_us() -> None:
    assert worth(2, US, "southeast_asia", REVOLTS) == 2


def test_vietnam_revolts_stacks_and_is_not_stopped_by_the_limit_of_4() -> None:
    """Ruling: 7.4 itself goes beyond; a 4 under Brezhnev Doctrine is 4, and 5 in Southeast Asia."""
    assert worth(4, USSR, "southeast_asia", REVOLTS, BOLSTERED) == 5


def test_vietnam_revolts_and_purge_leave_a_1_at_1() -> None:
    """Modifiers are added together before the floor of 1."""
    assert worth(1, USSR, "southeast_asia", REVOLTS, PURGED_USSR) == 1


def test_red_scare_purge_a_missile_envy_forced_on_the_victim_is_reduced() -> None:
    """Ruling."""
    s = table(ussr={"haiti": 3}, us_hand=("missile_envy",), envy=US, effects=(PURGED,))
    given(s, do=PlayCard(US)).when(US, "coup:missile_envy").when(US, "haiti").then(MilitarySet(US, 1))
