"""Fit the win probability of a game to matches of self-play, and check it on others.

    ./ops/glasnost selfplay twilight_struggle --bots easy,easy --matches 500 --seed f1 --out fit
    ./ops/glasnost selfplay twilight_struggle --bots easy,easy --matches 1000 --seed e5 --out fresh
    ./.venv/bin/python ops/win_probability.py fit twilight_struggle fit
    ./.venv/bin/python ops/win_probability.py check twilight_struggle fresh

`fit` writes win_probability.json beside the evaluation of the game.  `check` prints how good it is on matches
that it does not know: tenths of the probability with what came true, the Brier score beside that of a
forecast by victory points alone, which is fitted to the very matches that are checked, and the mean luck.
It ends with status 1 if one of them is worse than B24 of the design page of bots allows.
"""

from __future__ import annotations

import argparse
import importlib
import random
import sys
from collections.abc import Iterator, Sequence
from math import fsum
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from api.research.selfplay import MANIFEST, Manifest
from domain.agents import AGENTS
from domain.agents.spec import AgentSpec, Budget
from domain.agents.win_probability import FILE, Fitted
from domain.match import Match
from domain.match_base import ALL
from replay import matchfile
from replay.analysis import analyse, answers
from replay.calibration import Forecast, Tenth, brier, mean_interval, tenths

Floats = NDArray[np.float64]
SCALES = {"thirteen_minutes": 2.0, "cia_vs_kgb": 20.0, "twilight_struggle": 10.0, "imperial_struggle": 5.0}
CLIPPED = 4.0  # scales
RIDGE = 1e-3  # keeps a coefficient finite of which the matches say nothing
STEPS = 50  # of Newton's method; it needs about ten
PLACES = 4  # decimal places of a coefficient
OFF = 0.05  # by which a tenth may be off
ENOUGH = 100  # matches that a tenth needs; fewer say too little of so small a difference
ROUNDED = 1e-9  # the sum of a match's luck is 0 in 13 Minutes but for the rounding of floats


class Position(Struct, frozen=True):
    """One position of a match (its number), and what came of it for the first seat (1, 0.5, 0).

    value, lead: of the first seat, in the evaluation and in points; played: the share of the match.
    """

    match: int
    won: float
    value: float
    lead: float
    played: float
    forecast: float


def positions(spec: AgentSpec[Any], matches: Sequence[Match]) -> list[Position]:
    """Every position behind an answer at which a match was not yet over."""
    return [found for number, match in enumerate(matches) for found in _of_match(spec, number, match)]


def matches_in(folders: Sequence[Path]) -> list[Match]:
    """The matches of some folders, by the names of their files."""
    paths = [path for folder in folders for path in sorted(folder.glob("*.glasnost"))]
    return [matchfile.read(path).match() for path in paths]


def _of_match(spec: AgentSpec[Any], number: int, match: Match) -> Iterator[Position]:
    (first, second), won = spec.game.seats, won_by_first(match)
    played = importlib.import_module(f"domain.agents.{spec.game.name}.win_probability").played
    for move in answers(match):
        table = match.table_at(move, ALL)
        if table.result is None:
            score = spec.game.score(table)
            lead, value = score[first] - score[second], spec.evaluate(table, first)
            forecast = spec.win_probability(table, first)
            yield Position(number, won, value, lead, played(table), forecast)


def won_by_first(match: Match) -> float:
    """The result for the first seat: 1, 0.5 or 0."""
    result = match.result
    return 0.5 if result is None or result.winner is None else float(result.winner == match.game.seats[0])


def newton(features: Floats, won: Floats) -> Floats:
    """The coefficients of a logistic regression of shares on features."""
    found = np.zeros(features.shape[1])
    for _ in range(STEPS):
        forecast = 1 / (1 + np.exp(-np.clip(features @ found, -30, 30)))
        slope = features.T @ (won - forecast) - RIDGE * found
        curve = (features * (forecast * (1 - forecast))[:, None]).T @ features
        found = found + np.linalg.solve(curve + RIDGE * np.eye(len(found)), slope)
    return found


def features(value: Floats, played: Floats, scale: float) -> Floats:
    """The four features of `Fitted.at`, a row for each position."""
    x = np.clip(value / scale, -CLIPPED, CLIPPED)
    return np.column_stack([np.ones_like(x), played, x, played * x])


def fit(spec: AgentSpec[Any], folders: Sequence[Path]) -> Fitted:
    """The coefficients that fit the matches of some folders, which one version of `easy` played."""
    found, scale = positions(spec, matches_in(folders)), SCALES[spec.game.name]
    value, played, won = np.array([(one.value, one.played, one.won) for one in found], dtype=np.float64).T
    manifests = [msgspec.json.decode((folder / MANIFEST).read_bytes(), type=Manifest) for folder in folders]
    base, late, own, own_late = (
        round(float(one), PLACES) for one in newton(features(value, played, scale), won)
    )
    (agent,) = {manifest.agents["easy"] for manifest in manifests}
    seed = ", ".join(manifest.plan.seed.lstrip("0") for manifest in manifests)
    matches = sum(len(manifest.files) for manifest in manifests)
    return Fitted(scale, CLIPPED, base, late, own, own_late, agent, matches, seed)


def brier_of_points(found: Sequence[Position], scale: float) -> float:
    """The Brier score of a forecast by the lead in points alone, fitted to these very positions."""
    lead, won = np.array([(one.lead, one.won) for one in found], dtype=np.float64).T
    x = np.clip(lead / scale, -CLIPPED, CLIPPED)
    rows = np.column_stack([np.ones_like(x), x])
    forecasts = 1 / (1 + np.exp(-(rows @ newton(rows, won))))
    return brier([Forecast(one.match, float(p), one.won) for one, p in zip(found, forecasts, strict=True)])


def lucks(spec: AgentSpec[Any], matches: Sequence[Match]) -> list[float]:
    """The luck of the first seat in each match, with the evaluation alone."""
    rng = random.Random(1)
    return [fsum(one.luck for one in analyse(match, spec, Budget(0), rng)) for match in matches]


class Check(Struct, frozen=True):
    """How good the win probability of a game is on some matches.

    brier, brier_of_points: the score of its forecasts, and of those by the lead in points alone.
    luck: the mean luck of a match for the first seat, and its interval at 99 %.
    """

    game: str
    positions: int
    matches: int
    tenths: tuple[Tenth, ...]
    brier: float
    brier_of_points: float
    luck: tuple[float, float, float]

    @property
    def holds(self) -> bool:
        """Does it hold what B24 asks for?"""
        _, low, high = self.luck
        is_fair = low <= ROUNDED and high >= -ROUNDED
        return is_fair and self.brier < self.brier_of_points and not any(map(is_off, self.tenths))

    def lines(self) -> Iterator[str]:
        """What is to be said of it, line by line."""
        yield f"{self.game}: {self.positions} positions of {self.matches} matches"
        for one in self.tenths:
            yield (
                f"  {one.number / 10:.1f} to {(one.number + 1) / 10:.1f}: {one.positions:6d} positions of "
                f"{one.matches:4d} matches, forecast {one.forecast:.3f}, came true {one.won:.3f}, "
                f"{one.off:+.3f}{'  OFF' if is_off(one) else ''}"
            )
        yield f"  Brier {self.brier:.4f}; of points alone {self.brier_of_points:.4f}"
        mean, low, high = self.luck
        yield f"  mean luck of a match {mean:+.4f}, 99 % interval {low:+.4f} to {high:+.4f}"


def is_off(tenth: Tenth) -> bool:
    """Does a tenth of enough matches come true more or less often than it may?"""
    return tenth.matches >= ENOUGH and abs(tenth.off) > OFF


def check(spec: AgentSpec[Any], folders: Sequence[Path]) -> Check:
    """How good the win probability of a game is on the matches of some folders."""
    matches = matches_in(folders)
    found = positions(spec, matches)
    forecasts = [Forecast(one.match, one.forecast, one.won) for one in found]
    return Check(
        spec.game.name,
        len(found),
        len(matches),
        tuple(tenths(forecasts)),
        brier(forecasts),
        brier_of_points(found, SCALES[spec.game.name]),
        mean_interval(lucks(spec, matches)),
    )


def main() -> int:
    """Do what the command line says, and give the status of the process."""
    parser = argparse.ArgumentParser(description=str(__doc__), formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=("fit", "check"))
    parser.add_argument("game", choices=sorted(AGENTS))
    parser.add_argument("folders", type=Path, nargs="+")
    given = parser.parse_args()
    spec = AGENTS[given.game]
    if given.what == "check":
        checked = check(spec, given.folders)
        sys.stdout.writelines(f"{line}\n" for line in checked.lines())
        return 0 if checked.holds else 1
    place = Path(__file__).parent.parent / "domain" / "agents" / given.game / FILE
    written = msgspec.json.format(msgspec.json.encode(fit(spec, given.folders)), indent=2)
    place.write_bytes(written + b"\n")
    sys.stdout.write(written.decode() + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
