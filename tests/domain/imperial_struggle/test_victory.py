"""The automatic victories of a peace turn, and only in their phase (book 001, 2.4, 4.1.13)."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from domain.imperial_struggle import GAME
from domain.imperial_struggle.components import BR, FR, MARKETS_OF, SIDES, WAR_AFTER, WARS
from domain.imperial_struggle.facts.flow import TurnBegan, TurnEnded
from domain.imperial_struggle.facts.tracks import ScoreMoved
from domain.imperial_struggle.facts.wars import TheatreFought, WarBegan
from domain.imperial_struggle.steps.flow import Follow, TakeInitiative
from domain.imperial_struggle.steps.scoring import CheckVictory
from domain.kernel import Ended, Result
from domain.piles import Pile
from tests.domain import properties
from tests.domain.imperial_struggle.course import LATER, NO_ROUND, PLAIN, checked, having
from tests.domain.imperial_struggle.table import table
from tests.scenario import given

DEMAND = ("fish", "sugar", "spice")
AHEAD = ("savoy", "jamaica", *MARKETS_OF["fish"], *MARKETS_OF["sugar"], *MARKETS_OF["spice"])
"""A lead in all four Regions and in three goods; spice is grown in India, fish in North America."""


# --------------------------------------------------------------------------- everything of a turn


@pytest.mark.parametrize("side", SIDES)
def test_4_1_13_all_awards_and_all_rewards_of_demand_win_at_once(side: str) -> None:
    game = checked(demand=DEMAND, **having(side, AHEAD))
    game.asks_nobody()
    assert isinstance(game.table.result, Result)
    assert (game.table.result.winner, game.table.result.reason) == (side, "turn_sweep")
    assert [type(fact) for fact in game.facts[-2:]] == [TurnEnded, Ended]


@pytest.mark.parametrize("side", SIDES)
def test_4_1_13_prestige_is_no_part_of_it(side: str) -> None:
    """The opponent has the only prestige space, the Region all the same."""
    flags = having(side, (*AHEAD, "bavaria"), ("sweden",))
    result = checked(demand=DEMAND, **flags).table.result
    assert result is not None
    assert (result.winner, result.reason) == (side, "turn_sweep")


@pytest.mark.parametrize("missing", ["award", "good", "lead"])
def test_4_1_13_with_one_missing_no_side_wins(missing: str) -> None:
    fields: dict[str, Any] = {"br": AHEAD, "demand": DEMAND}
    if missing == "award":
        fields["fr"] = ("sardinia",)  # a tie in Europe
    elif missing == "good":
        fields["demand"] = (*DEMAND, "cotton")  # which no side has
    else:
        fields["laid"] = {**PLAIN, "europe": "award_2"}  # a lead of 1 is too small
    game = checked(**fields)
    assert game.table.result is None
    assert isinstance(game.facts[-1], TurnEnded)


def test_4_1_13_a_fourth_good_in_demand_is_needed_as_well() -> None:
    """Le Beau Monde adds one."""
    four = (*DEMAND, "furs")
    assert checked(demand=four, br=AHEAD).table.result is None
    won = checked(demand=four, br=(*AHEAD, *MARKETS_OF["furs"])).table.result
    assert won is not None
    assert won.reason == "turn_sweep"


def test_4_1_13_it_comes_before_the_marker() -> None:
    """France has 34 points and Britain took everything."""
    result = checked(vp=60, demand=DEMAND, br=AHEAD).table.result
    assert result is not None
    assert (result.winner, result.reason) == (BR, "turn_sweep")


@pytest.mark.parametrize("side", SIDES)
def test_4_1_13_what_was_won_in_an_earlier_turn_does_not_count(side: str) -> None:
    s = TurnBegan(2, "succession").apply(table(swept={BR: 6, FR: 6}))
    assert s.swept == {BR: 0, FR: 0}


# --------------------------------------------------------------------------- the marker


@pytest.mark.parametrize(
    ("vp", "winner"),
    [(30, FR), (31, FR), (44, FR), (29, None), (15, None), (1, None), (0, BR), (-1, BR), (-12, BR)],
)
def test_4_1_13_at_30_france_and_at_0_britain_has_won(vp: int, winner: str | None) -> None:
    game = given(table(turn=3, vp=vp, **NO_ROUND), do=CheckVictory())
    if winner is None:
        game.then(TurnEnded(3, vp)).has(result=None)
    else:
        score = {BR: 30 - vp, FR: vp}
        game.then(TurnEnded(3, vp), Ended(winner, "victory_points", score))


def test_4_1_13_points_that_are_lost_again_before_the_check_win_nothing() -> None:
    """North America brings France to 30, prestige takes it back to 28."""
    game = checked(vp=29, fr=("acadia",), br=("biscay",), laid={**PLAIN, "europe": "award_0t_a"})
    assert 30 in [fact.now for fact in game.facts if isinstance(fact, ScoreMoved)]
    assert game.table.result is None
    game.has(vp=28)


@pytest.mark.parametrize("vp", [40, -7])
def test_2_4_no_side_wins_in_any_other_phase(vp: int) -> None:
    """The turn goes on with its first round."""
    start = table(turn=2, vp=vp, shown=("e4_d2_1",), **NO_ROUND)
    game = given(start, do=TakeInitiative())
    side = FR if vp < 15 else BR
    game.when(side, side).has(result=None).asks(side)


@pytest.mark.parametrize("seed", range(12))
def test_2_4_a_match_ends_after_a_turn_a_war_or_final_scoring(seed: int) -> None:
    facts = properties.random_match(GAME, Random(seed)).facts
    end = facts[-1]
    assert isinstance(end, Ended)
    last = [fact for fact in facts if isinstance(fact, TurnBegan | TurnEnded | WarBegan)][-1]
    if end.reason == "turn_sweep":
        assert isinstance(last, TurnEnded)
    elif end.reason == "final_scoring":
        assert isinstance(last, TurnEnded)
        assert last.turn == 6
    elif isinstance(last, WarBegan):
        fought = [fact for fact in facts[facts.index(last) :] if isinstance(fact, TheatreFought)]
        assert len(fought) == (3 if last.war == "awi" else 4)
    else:
        assert isinstance(last, TurnEnded)


# --------------------------------------------------------------------------- what follows


@pytest.mark.parametrize("turn", [1, 2, 3, 4, 5])
def test_2_1_a_war_follows_where_one_is_due(turn: int) -> None:
    if turn in WAR_AFTER:
        front = {side: dict.fromkeys(_theatres(WAR_AFTER[turn]), f"{side}_one_1") for side in SIDES}
        awards = Pile.of(LATER)
        game = given(table(turn=turn, front=front, awards=awards, **NO_ROUND), do=Follow())
        assert game.facts[0] == WarBegan(WAR_AFTER[turn])
    else:
        assert given(table(turn=turn, **NO_ROUND), do=Follow()).facts[0] == TurnBegan(turn + 1, "empire")


def _theatres(war: str) -> list[str]:
    return [theatre.id for theatre in WARS[war].theatres]
