"""Late War cards that change the course of the game: Star Wars, North Sea Oil, Wargames."""

from __future__ import annotations

from typing import Any

import pytest

from domain.kernel import Ended
from domain.twilight_struggle.facts.cards import CardPutAway, CardRevived
from domain.twilight_struggle.facts.flow import (
    ChoiceMade,
    EffectBegan,
    EffectsLapsed,
    EventBarred,
    EventBegan,
    RoundBegan,
    RoundPassed,
)
from domain.twilight_struggle.facts.tracks import DefconSet, ScoreMoved
from domain.twilight_struggle.rules.hand import rounds_left
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps.flow import Act, Round
from domain.twilight_struggle.steps.play import Event
from tests.domain.twilight_struggle.table import US, USSR, nuclear_war, resolving, table
from tests.scenario import Scenario, given

# --------------------------------------------------------------------------- Star Wars


def star_wars(*discards: str, player: str = US, **fields: Any) -> Scenario[State]:
    """Star Wars happens over these discards, with the US a box ahead in space."""
    s = table(**{"space": {US: 1, USSR: 0}, "phasing": player, **fields}, discards=discards)
    return given(resolving(s, "star_wars", player), do=Event(US, "star_wars"))


@pytest.mark.parametrize("space", [{US: 3, USSR: 3}, {US: 2, USSR: 3}])
def test_star_wars_needs_the_us_ahead_in_space_and_is_else_discarded(space: dict[str, int]) -> None:
    star_wars("duck_and_cover", space=space).then(
        EventBarred("star_wars", "needs_space_lead"), CardPutAway("star_wars", "discards")
    )


def test_star_wars_lets_a_discarded_event_happen() -> None:
    star_wars("duck_and_cover", "asia_scoring", "fidel").asks(US, "duck_and_cover", "fidel").when(
        US, "duck_and_cover"
    ).then(
        CardRevived(US, "duck_and_cover"),
        EventBegan("duck_and_cover", US),
        DefconSet(5, 4),
        ScoreMoved(US, 1, 1, "duck_and_cover"),
        CardPutAway("duck_and_cover", "discards"),
        CardPutAway("star_wars", "removed"),
    )


def test_star_wars_is_of_no_use_without_a_card_that_does_not_score() -> None:
    star_wars("asia_scoring").then(EventBegan("star_wars", US), CardPutAway("star_wars", "removed"))


def test_star_wars_removes_the_picked_card_if_it_has_an_asterisk() -> None:
    revived = star_wars("containment", "nato").when(US, "containment")
    revived.has(removed=("containment", "star_wars"), discards=("nato",))


def test_star_wars_lays_the_picked_card_beside_the_board_if_it_lasts() -> None:
    star_wars("formosan_resolution").when(US, "formosan_resolution").has(beside=("formosan_resolution",))


def test_star_wars_returns_a_card_whose_event_cannot_happen() -> None:
    star_wars("nato").when(US, "nato").includes(
        EventBarred("nato", "needs_alliance"), CardPutAway("nato", "discards")
    ).has(removed=("star_wars",), discards=("nato",))


def test_star_wars_plays_a_neutral_card_for_the_us_even_in_a_round_of_the_ussr() -> None:
    revived = star_wars("nuclear_test_ban", player=USSR, defcon=3).when(US, "nuclear_test_ban")
    revived.includes(ScoreMoved(US, 1, 1, "nuclear_test_ban"))


def test_star_wars_leaves_the_choices_of_a_ussr_event_to_the_ussr() -> None:
    star_wars("decolonization").when(US, "decolonization").asks(USSR)


def test_star_wars_triggered_by_the_ussr_leaves_it_the_phasing_player_for_defcon() -> None:
    star_wars("duck_and_cover", player=USSR, defcon=2).when(US, "duck_and_cover").includes(
        DefconSet(2, 1), nuclear_war(US)
    )


def test_star_wars_plays_a_war_card_for_flower_power() -> None:
    star_wars("indo_pakistani_war", beside=("flower_power",)).when(US, "indo_pakistani_war").then(
        CardRevived(US, "indo_pakistani_war"),
        ScoreMoved(USSR, 2, -2, "flower_power"),
        EventBegan("indo_pakistani_war", US),
    ).asks(US, "india", "pakistan")


def test_star_wars_gains_nothing_from_un_intervention() -> None:
    """It is played together with a card of the hand, and here there is none: it may be chosen, in vain."""
    star_wars("un_intervention", us_hand=("fidel",)).when(US, "un_intervention").then(
        CardRevived(US, "un_intervention"),
        EventBegan("un_intervention", US),
        CardPutAway("un_intervention", "discards"),
        CardPutAway("star_wars", "removed"),
    )


@pytest.mark.parametrize("holder", [US, USSR])
def test_star_wars_never_offers_the_china_card(holder: str) -> None:
    star_wars("fidel", china=holder, china_ready=False).asks(US, "fidel")


# --------------------------------------------------------------------------- North Sea Oil

OIL = ("north_sea_oil", US)


def eighth(**fields: Any) -> State:
    """The table after seven rounds of turn 10, under North Sea Oil."""
    return table(**{"turn": 10, "round": 7, "effects": (OIL,), **fields})


def test_north_sea_oil_lies_beside_the_board_and_holds_for_the_turn() -> None:
    s = resolving(table(), "north_sea_oil", US)
    given(s, do=Event(US, "north_sea_oil")).then(
        EventBegan("north_sea_oil", US),
        EffectBegan("north_sea_oil", US),
        CardPutAway("north_sea_oil", "beside"),
    )


def test_north_sea_oil_gives_the_us_alone_an_eighth_round_which_it_may_pass() -> None:
    game = given(eighth(us_hand=("nato",), ussr_hand=("fidel",)), do=Round(8)).then(RoundBegan(8, US))
    assert "influence:nato" in game.asks(US).table.agenda[-1].options(game.table, US)
    game.when(US, "pass").includes(RoundPassed(US), EffectsLapsed(("north_sea_oil",)))


def test_north_sea_oil_gives_no_round_in_later_turns() -> None:
    """The card stays beside the board, its effect does not."""
    s = eighth(us_hand=("nato",), effects=(), beside=("north_sea_oil",))
    given(s, do=Round(8)).includes(EffectsLapsed(())).asks_nobody()


def test_north_sea_oil_lets_the_ussr_go_first_where_it_has_eight_rounds_too() -> None:
    s = eighth(us_hand=("nato",), ussr_hand=("fidel",), space={US: 0, USSR: 8})
    game = given(s, do=Round(8)).then(RoundBegan(8, USSR)).when(USSR, "pass")
    game.then(RoundPassed(USSR), RoundBegan(8, US)).asks(US)


def test_north_sea_oil_needs_a_card_for_the_eighth_round() -> None:
    given(eighth(), do=Act(8, US, extra=True)).then(RoundBegan(8, US), RoundPassed(US))


def test_north_sea_oil_lets_the_china_card_be_played_in_the_eighth_round() -> None:
    s = eighth(china=US)
    given(s, do=Act(8, US, extra=True)).asks(US, "influence:china_card", "space:china_card", "pass")


def test_north_sea_oil_adds_nothing_to_the_eight_rounds_of_the_space_station() -> None:
    s = eighth(us_hand=("nato", "fidel"), space={US: 8, USSR: 0})
    assert rounds_left(s, US) == 2  # the seventh, and one more
    given(s, do=Round(8)).when(US, "pass").includes(EffectsLapsed(("north_sea_oil",)))


# --------------------------------------------------------------------------- Wargames


def wargames(player: str = US, **fields: Any) -> Scenario[State]:
    """Wargames happens, at DEFCON 2 unless the test says otherwise."""
    s = table(**{"defcon": 2, "turn": 8, "phasing": player, **fields})
    return given(resolving(s, "wargames", player), do=Event(player, "wargames"))


@pytest.mark.parametrize("defcon", [3, 4, 5])
def test_wargames_does_not_happen_above_defcon_2_and_is_not_removed(defcon: int) -> None:
    wargames(defcon=defcon).then(
        EventBarred("wargames", "needs_defcon_two"), CardPutAway("wargames", "discards")
    )


@pytest.mark.parametrize(("vp", "winner"), [(7, US), (6, None), (5, USSR)])
def test_wargames_gives_6_points_and_ends_the_game_for_who_leads_then(vp: int, winner: str | None) -> None:
    """0 is a draw."""
    left = vp - 6
    wargames(vp=vp).asks(US, "end", "go_on").when(US, "end").then(
        ChoiceMade(US, "wargames", "end"),
        ScoreMoved(USSR, 6, left, "wargames"),
        Ended(winner, "wargames", {US: left, USSR: -left}),
    )


def test_wargames_of_the_ussr_gives_the_us_6_points() -> None:
    wargames(USSR, vp=-7).when(USSR, "end").then(
        ChoiceMade(USSR, "wargames", "end"),
        ScoreMoved(US, 6, -1, "wargames"),
        Ended(USSR, "wargames", {US: -1, USSR: 1}),
    )


def test_wargames_brings_no_final_scoring_and_no_point_for_the_china_card() -> None:
    wargames(vp=6, china=US, us={"chile": 3}).when(US, "end").has(vp=0).includes(
        Ended(None, "wargames", {US: 0, USSR: 0})
    )


def test_wargames_may_be_declined_and_has_then_happened() -> None:
    wargames(vp=7).when(US, "go_on").then(
        ChoiceMade(US, "wargames", "go_on"), CardPutAway("wargames", "removed")
    ).has(vp=7)


def test_wargames_that_brings_the_opponent_to_20_wins_for_him() -> None:
    wargames(vp=-15).when(US, "end").then(
        ChoiceMade(US, "wargames", "end"),
        ScoreMoved(USSR, 6, -20, "wargames"),
        Ended(USSR, "victory_points", {US: -20, USSR: 20}),
    )


def test_wargames_of_the_us_in_the_late_war_scenario_wins_for_the_ussr_below_20() -> None:
    wargames(vp=19, options={"scenario": "late_war"}).when(US, "end").includes(
        Ended(USSR, "wargames", {US: 13, USSR: -13})
    )


@pytest.mark.parametrize(("vp", "winner"), [(-7, USSR), (-5, US)])
def test_wargames_of_the_ussr_in_the_late_war_scenario_wins_for_who_leads(vp: int, winner: str) -> None:
    wargames(USSR, vp=vp, options={"scenario": "late_war"}).when(USSR, "end").includes(
        Ended(winner, "wargames", {US: vp + 6, USSR: -vp - 6})
    )
