"""B24: luck has no mean of its own, and win probabilities come true as often as they say."""

from __future__ import annotations

import os
import subprocess
import sys
from math import fsum
from pathlib import Path
from random import Random

import pytest

from api.bots.levels import version_of
from domain.agents import AGENTS
from domain.agents.spec import Budget
from domain.agents.win_probability import read as fitted
from domain.games import GAMES
from domain.match import Match
from replay.analysis import analyse
from replay.calibration import Forecast, brier, mean_interval, tenths
from tests.matches import Sitting, resigned
from tests.test_imports import ROOT

SEED = b"b24".hex()


def lucks(matches: list[Match]) -> list[float]:
    """The luck of the first seat in each match."""
    spec, rng = AGENTS[matches[0].game.name], Random(1)
    return [fsum(one.luck for one in analyse(match, spec, Budget(0), rng)) for match in matches]


def test_mean_luck_is_nothing_within_its_interval() -> None:
    """B24, small: given the first answers of random matches, which the evaluation was not made for."""
    begun = (Sitting(GAMES["twilight_struggle"], seed).seat_all() for seed in range(5))
    found = lucks([resigned(one, 100).match for one in begun])
    mean, low, high = mean_interval(found)
    assert any(found)
    assert low <= 0 <= high, mean


@pytest.mark.parametrize("game", AGENTS)
def test_the_win_probability_is_fitted_to_the_bot_that_plays(game: str) -> None:
    assert fitted(f"domain.agents.{game}").agent.partition("/")[0] == version_of("easy", game)


@pytest.mark.long
@pytest.mark.parametrize("game", AGENTS)
def test_win_probabilities_of_fresh_matches_come_true(game: str, tmp_path: Path) -> None:
    """B24: given 1,000 matches that no coefficient knows, then the check of the script holds."""
    workers = str(os.cpu_count())
    selfplay = ("-m", "api.cli.main", "selfplay", game, "--matches", "1000", "--seed", SEED)
    run(*selfplay, "--workers", workers, "--out", str(tmp_path))
    said = run(str(ROOT / "ops" / "win_probability.py"), "check", game, str(tmp_path))
    assert "of 1000 matches" in said


def run(*arguments: str) -> str:
    """What a Python program prints; it must end well."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=True,
        capture_output=True,
        text=True,
    ).stdout


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
