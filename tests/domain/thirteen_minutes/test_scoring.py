"""The end of a battle, part by part (book 002, End of the game)."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from domain.kernel import Ended
from domain.piles import Pile
from domain.thirteen_minutes import GAME
from domain.thirteen_minutes.battle import EndBattle
from domain.thirteen_minutes.board import US, USSR, Territory
from domain.thirteen_minutes.rules import controller, started_war
from domain.thirteen_minutes.scoring import (
    CheckWar,
    MatchLastCards,
    RevealLastCards,
    ScoreAftermath,
    ScoreMilitary,
    ScoreTerritories,
    TurnCuba,
)
from domain.thirteen_minutes.scoring_facts import (
    AftermathScored,
    BattleEnded,
    CubaTurned,
    LastCardsPlaced,
    LastCardsRevealed,
    LastCardsScored,
    MilitaryScored,
    TerritoriesScored,
    WarChecked,
)
from domain.thirteen_minutes.state import State
from tests.domain.properties import random_match
from tests.domain.thirteen_minutes.tables import empty, lying, table
from tests.scenario import given

NONE = {"military": 0, "political": 0, "world_opinion": 0}


def last(us: str, ussr: str, **changes: Any) -> State:
    """A battle after the last play; each side holds one card."""
    fields: dict[str, Any] = {
        "hands": {US: (us,), USSR: (ussr,)},
        "deck": Pile(),
        "vp": {US: 4, USSR: 5},
        "plays": 10,
    }
    return table(**{**fields, **changes})


@pytest.mark.parametrize("seed", range(30))
def test_scoring_keeps_the_strict_order(seed: int) -> None:
    """Book 002: territories, Cuba, military, last cards, aftermath, matched cards, war, result."""
    order = [
        TerritoriesScored,
        CubaTurned,
        MilitaryScored,
        LastCardsRevealed,
        AftermathScored,
        LastCardsPlaced,
        WarChecked,
        BattleEnded,
        Ended,
    ]
    told = [type(fact) for fact in random_match(GAME, Random(seed)).facts if type(fact) in order]
    assert told in (order, [kind for kind in order if kind is not LastCardsPlaced])


@pytest.mark.parametrize(
    ("zone", "us", "ussr", "side"),
    [
        ("neutral", 2, 1, US),
        ("ussr_sphere", 2, 1, US),
        ("us_sphere", 1, 2, USSR),
        ("us_sphere", 1, 1, US),
        ("ussr_sphere", 1, 1, USSR),
        ("us_sphere", 0, 0, US),
        ("ussr_sphere", 0, 0, USSR),
        ("neutral", 3, 3, None),
        ("neutral", 0, 0, None),
    ],
)
def test_t_control_more_cubes_then_the_sphere(zone: str, us: int, ussr: int, side: str | None) -> None:
    """T-CONTROL: more cubes; equal, none included: the sphere; equal in the neutral zone: no side."""
    assert controller(Territory(zone, us, ussr)) == side


def test_territories_give_one_vp_each_and_cuba_two() -> None:
    """Book 002, Victory on territories."""
    s = table(territories=lying(cuba=("n", 2, 0), un_1=("ussr", 1, 1), un_2=("n", 0, 0), us_1=("us", 0, 0)))
    scored = given(s, do=ScoreTerritories())
    scored.then(TerritoriesScored(("cuba", "us-1"), ("un-1",), ("un-2",), 3, 1)).has(vp={US: 3, USSR: 1})


def test_t_cuba_is_turned_over_after_the_territories() -> None:
    """T-CUBA: its colour counts only from now on, and everybody knows it."""
    turned = given(table(cuba="un-2"), do=TurnCuba()).then(CubaTurned("un-2", "military"))
    turned.has(cuba="un-2", cuba_open=True)
    assert CubaTurned.reveals


def test_t_military_counts_controlled_territories() -> None:
    """T-MILITARY, military_by = control: where they lie does not matter."""
    s = table(
        territories=lying(us_1=("ussr", 2, 1), us_2=("ussr", 1, 0), ussr_1=("ussr", 0, 0), us_4=("us", 3, 0)),
        vp={US: 4, USSR: 4},
    )
    scored = given(s, do=ScoreMilitary())
    scored.then(MilitaryScored(("us-1", "us-2"), ("ussr-1",), US, 5, 4)).has(vp={US: 5, USSR: 4})


def test_t_military_by_sphere_is_the_other_reading() -> None:
    """T-MILITARY, military_by = sphere: by their sphere, not by who controls them."""
    lie = lying(us_1=("ussr", 2, 1), us_2=("ussr", 1, 0), ussr_1=("us", 0, 1), ussr_2=("n", 3, 0))
    s = table({"military_by": "sphere"}, territories=lie, vp={US: 4, USSR: 4})
    given(s, do=ScoreMilitary()).then(MilitaryScored(("ussr-1",), ("us-1", "us-2"), USSR, 4, 5))


def test_t_military_includes_cuba_once_turned_over() -> None:
    """T-MILITARY: Cuba counts by its own colour."""
    for cuba, counted in (("un-2", ("cuba",)), ("us-3", ())):
        s = table(cuba=cuba, cuba_open=True, territories=lying(cuba=("n", 0, 1)), vp={US: 0, USSR: 2})
        scored = given(s, do=ScoreMilitary())
        assert [fact.ussr for fact in scored.facts if isinstance(fact, MilitaryScored)] == [counted]


def test_t_military_equal_numbers_give_no_side_the_point() -> None:
    """T-MILITARY: equal: no side."""
    s = table(territories=lying(us_1=("us", 0, 0), us_2=("ussr", 0, 0)), vp={US: 1, USSR: 1})
    given(s, do=ScoreMilitary()).then(MilitaryScored(("us-1",), ("us-2",), None, 1, 1))


def test_last_cards_are_revealed_to_all() -> None:
    """Book 002, Further scoring: open the cards left in hand."""
    given(last("us-1", "un-2"), do=RevealLastCards()).then(LastCardsRevealed("us-1", "un-2"))
    assert LastCardsRevealed.reveals


@pytest.mark.parametrize(
    ("us_holds", "ussr_holds", "scored"),
    [
        ("us-1", "ussr-4", AftermathScored(3, 2, US, 5, 5)),
        ("ussr-1", "us-5", AftermathScored(1, 3, USSR, 4, 6)),
        ("us-2", "us-3", AftermathScored(5, 0, US, 5, 5)),
        ("ussr-1", "ussr-2", AftermathScored(0, 5, USSR, 4, 6)),
    ],
)
def test_t_aftermath_adds_numbers_of_a_superpower_from_both_hands(
    us_holds: str, ussr_holds: str, scored: AftermathScored
) -> None:
    """T-AFTERMATH: the opponent's strong card, kept to the end, gives the opponent the point."""
    given(last(us_holds, ussr_holds), do=ScoreAftermath()).then(scored)


def test_t_aftermath_does_not_count_un_cards() -> None:
    """T-AFTERMATH: UN cards do not count, however strong."""
    given(last("un-2", "ussr-5"), do=ScoreAftermath()).then(AftermathScored(0, 1, USSR, 4, 6))


def test_t_aftermath_equal_sums_give_no_side_the_point() -> None:
    """T-AFTERMATH: equal: no side; two UN cards are 0 to 0."""
    given(last("us-1", "ussr-1"), do=ScoreAftermath()).then(AftermathScored(3, 3, None, 4, 5))
    given(last("un-1", "un-2"), do=ScoreAftermath()).then(AftermathScored(0, 0, None, 4, 5))


def test_t_match_same_colour_comes_into_the_holders_own_spheres() -> None:
    """T-MATCH: each player puts their last card into their own sphere, also a card of the other side."""
    matched = given(last("ussr-1", "un-2"), do=MatchLastCards())
    matched.then(LastCardsPlaced("military", "ussr-1", "un-2")).has(hands={US: (), USSR: ()})
    assert matched.table.territories["ussr-1"] == Territory("us_sphere")
    assert matched.table.territories["un-2"] == Territory("ussr_sphere")


def test_t_match_different_colours_stay_in_hand() -> None:
    """T-MATCH: no match, nothing is placed."""
    given(last("us-1", "un-3"), do=MatchLastCards()).then()


def test_t_match_gives_no_vp_by_default() -> None:
    """T-MATCH: matched cards count for the war check only."""
    given(last("us-1", "un-2"), do=MatchLastCards()).has(vp={US: 4, USSR: 5})


def test_t_match_rescored_as_territories_is_the_other_reading() -> None:
    """T-MATCH, matched_cards_rescore = true: 0:0 in the own sphere, 1 VP for each."""
    s = last("us-1", "un-2", options={"matched_cards_rescore": True})
    rescored = given(s, do=MatchLastCards())
    rescored.then(LastCardsPlaced("military", "us-1", "un-2"), LastCardsScored(5, 6))
    rescored.has(vp={US: 5, USSR: 6})


def test_t_war_three_symbols_of_one_colour_in_a_sphere_start_it() -> None:
    """T-WAR: location, not control; here the opponent controls all three."""
    s = table(territories=lying(us_1=("us", 0, 1), us_2=("us", 0, 1), un_2=("us", 0, 1), un_1=("ussr", 0, 0)))
    checked = given(s, do=CheckWar())
    checked.then(WarChecked({**NONE, "military": 3}, {**NONE, "world_opinion": 1}, "us")).has(war=US)


def test_t_war_two_symbols_keep_the_peace() -> None:
    """T-WAR: three or more; two of each colour are safe."""
    s = table(
        territories=lying(
            us_1=("us", 0, 0), us_2=("us", 0, 0), us_3=("us", 0, 0), un_3=("us", 0, 0), un_1=("us", 0, 0)
        )
    )
    given(s, do=CheckWar()).has(war="")


def test_t_war_neutral_zone_never_counts() -> None:
    """T-WAR: neutral-zone cards never count, even under control."""
    s = table(territories=lying(us_1=("us", 0, 0), us_2=("us", 0, 0), un_2=("n", 5, 0), ussr_1=("n", 5, 0)))
    given(s, do=CheckWar()).has(war="")


def test_t_war_counts_cuba_by_its_own_colour() -> None:
    """T-WAR: Cuba included."""
    two = {"us_1": ("ussr", 0, 0), "us_2": ("ussr", 0, 0), "cuba": ("ussr", 0, 0)}
    given(table(cuba="un-2", territories=lying(**two)), do=CheckWar()).has(war=USSR)
    given(table(cuba="un-1", territories=lying(**two)), do=CheckWar()).has(war="")


def test_t_war_counts_matched_last_cards() -> None:
    """Book 002: putting the last cards down may start a nuclear war."""
    s = last("us-1", "un-2", territories=lying(us_2=("us", 0, 0), ussr_1=("us", 0, 0), ussr_2=("ussr", 0, 0)))
    given(s, do=(MatchLastCards(), CheckWar())).has(war=US)


def test_t_war_of_both_sides_has_its_own_sentence() -> None:
    """T-WAR: both start it."""
    assert started_war({**NONE, "military": 3}, {**NONE, "political": 4}) == "both"
    assert started_war({**NONE, "military": 2}, {**NONE, "political": 3}) == USSR


def test_t_war_loses_whatever_the_vp() -> None:
    """Book 002: you start a nuclear war and lose."""
    ended = given(last("us-1", "un-3", war=USSR, vp={US: 2, USSR: 9}), do=EndBattle())
    ended.then(
        BattleEnded(1, US, 2, 9, {US: 2, USSR: 9}),
        Ended(US, "nuclear_war", {US: 2, USSR: 9}),
    )


def test_t_war_of_both_leaves_no_winner() -> None:
    """Book 002: if both start the war, no side wins."""
    ended = given(last("us-1", "un-3", war="both"), do=EndBattle())
    ended.includes(Ended(None, "nuclear_war_both", {US: 4, USSR: 5}))


def test_higher_vp_wins_without_a_war() -> None:
    """Notes A5: otherwise the higher VP."""
    ended = given(last("us-1", "un-3"), do=EndBattle())
    ended.then(
        BattleEnded(1, USSR, 4, 5, {US: 4, USSR: 5}),
        Ended(USSR, "more_points", {US: 4, USSR: 5}),
    )
    assert BattleEnded.ends_period


def test_t_tie_equal_vp_is_a_draw() -> None:
    """T-TIE, equal_vp = draw: the rulebook is silent."""
    ended = given(last("us-1", "un-3", vp={US: 5, USSR: 5}), do=EndBattle())
    ended.then(
        BattleEnded(1, None, 5, 5, {US: 5, USSR: 5}),
        Ended(None, "equal_points", {US: 5, USSR: 5}),
    )


def test_largest_total_of_a_battle_is_14() -> None:
    """Notes A5: ten territories, Cuba 2, military 1, aftermath 1."""
    played = ("us-1", "us-2", "us-3", "us-4", "us-5", "ussr-1", "ussr-2", "ussr-3", "un-1", "un-2")
    lie = {name: Territory("neutral", 1) for name in ("cuba", *played)}
    s = last("un-3", "ussr-5", territories=lie, cuba="ussr-4", vp={})
    scored = given(s, do=(ScoreTerritories(), TurnCuba(), ScoreMilitary(), ScoreAftermath()))
    scored.has(vp={US: 13, USSR: 1})


def test_score_within_a_battle_is_what_the_territories_would_give_now() -> None:
    """For turn summaries: cubes and zones only, so that no hidden colour leaks."""
    s = table(territories=lying(cuba=("n", 1, 0), un_1=("ussr", 0, 0)))
    assert GAME.score(s) == {US: 2, USSR: 1}
    assert GAME.score(table(vp={US: 7, USSR: 3})) == {US: 7, USSR: 3}
    assert GAME.score(table(over=True, vp={US: 7, USSR: 3}, totals={US: 9, USSR: 8})) == {US: 9, USSR: 8}
    assert GAME.score(empty()) == {US: 0, USSR: 0}
