"""B24: luck has no mean of its own, and win probabilities come true as often as they say."""

from __future__ import annotations

from math import fsum
from random import Random

import pytest

from api.research.selfplay import Plan, played
from domain.agents import AGENTS
from domain.agents.spec import Budget
from domain.games import GAMES
from domain.match import Match
from replay import matchfile
from replay.analysis import analyse
from replay.calibration import Forecast, brier, mean_interval, tenths
from tests.matches import finished

FRESH, OFF = 1_000, 0.05
ENOUGH = 100  # matches that a tenth needs; fewer say too little of 0.05
SEED = b"b24".hex()


def lucks(matches: list[Match]) -> list[float]:
    """The luck of the first seat in each match."""
    spec, rng = AGENTS[matches[0].game.name], Random(1)
    return [fsum(one.luck for one in analyse(match, spec, Budget(0), rng)) for match in matches]


def test_mean_luck_is_nothing_within_its_interval() -> None:
    """B24, small: given matches of random answers, which the evaluation was not made for."""
    found = lucks([finished(GAMES["twilight_struggle"], seed).match for seed in range(5)])
    mean, low, high = mean_interval(found)
    assert any(found)
    assert low <= 0 <= high, mean


@pytest.mark.long
@pytest.mark.parametrize("game", AGENTS)
def test_win_probabilities_of_fresh_matches_come_true(game: str) -> None:
    """B24."""
    spec, forecasts, every = AGENTS[game], list[Forecast](), list[float]()
    edition, options = spec.game.settle(None, {})
    plan = Plan(game, edition, options, ("easy", "easy"), SEED.rjust(64, "0"), FRESH)
    for number in range(FRESH):
        match = matchfile.read(played(plan, number)).match()
        moves = list(analyse(match, spec, Budget(0), Random(number)))
        won = moves[-1].after
        forecasts += [Forecast(number, one.before, won) for one in moves]
        every.append(fsum(one.luck for one in moves))
    mean, low, high = mean_interval(every)
    assert low <= 0 <= high, mean
    assert [one for one in tenths(forecasts) if one.matches >= ENOUGH and abs(one.off) > OFF] == []
    assert brier(forecasts) < brier([Forecast(one.match, 0.5, one.won) for one in forecasts])


def test_tenths_hold_what_was_alike() -> None:
    some = [Forecast(1, 0.12, 0.0), Forecast(1, 0.18, 1.0), Forecast(2, 1.0, 1.0)]
    low, high = tenths(some)
    assert (low.number, low.positions, low.matches, low.won) == (1, 2, 1, 0.5)
    assert low.forecast == pytest.approx(0.15)
    assert low.off == pytest.approx(0.35)
    assert (high.number, high.won) == (9, 1.0)
    assert brier(some) == pytest.approx((0.12**2 + 0.82**2) / 3)


def test_an_interval_needs_two_numbers_and_a_score_one() -> None:
    assert mean_interval([1.0, 1.0, 1.0]) == (1.0, 1.0, 1.0)
    mean, low, high = mean_interval([0.0, 2.0])
    assert mean == 1.0
    assert high - mean == pytest.approx(mean - low)
    with pytest.raises(ValueError, match="no forecasts"):
        brier([])
    with pytest.raises(ValueError, match="two numbers"):
        mean_interval([1.0])
