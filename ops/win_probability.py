"""Fit the win probability of a game to matches of self-play, and check it on others.

    ./ops/glasnost selfplay twilight_struggle --bots easy,easy --matches 500 --seed f1 --out fit
    ./ops/glasnost selfplay twilight_struggle --bots easy,easy --matches 1000 --seed e5 --out fresh
    ./.venv/bin/python ops/win_probability.py fit twilight_struggle fit
    ./.venv/bin/python ops/win_probability.py check twilight_struggle fresh

`fit` writes win_probability.json beside the evaluation of the game.  `check` prints how good it is on matches
that it does not know: tenths of the probability with what came true, and the Brier score beside that of a
forecast by victory points alone, which is fitted to the very matches that are checked.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from api.research.selfplay import MANIFEST, Manifest
from domain.agents import AGENTS
from domain.agents.spec import AgentSpec
from domain.agents.win_probability import FILE, Fitted
from domain.events import Played
from domain.match_base import ALL
from replay import matchfile

Floats = NDArray[np.float64]
SCALES = {"thirteen_minutes": 2.0, "cia_vs_kgb": 20.0, "twilight_struggle": 10.0, "imperial_struggle": 5.0}
CLIPPED = 4.0  # scales
RIDGE = 1e-3  # keeps a coefficient finite of which the matches say nothing
STEPS = 50  # of Newton's method; it needs about ten
PLACES = 4  # decimal places of a coefficient
OFF = 0.05  # by which a tenth may be off


class Positions(Struct):
    """Positions of many matches, one number each: which match, what came of it for the first seat (1, 0.5,
    0), the value and the lead in points for that seat, the share of the match that was played, and the
    forecast."""

    match: Floats
    won: Floats
    value: Floats
    lead: Floats
    played: Floats
    forecast: Floats


def positions(spec: AgentSpec[Any], folder: Path) -> Positions:
    """Every position of a folder of self-play behind a move at which the match was not yet over."""
    rows = [row for number, file in enumerate(files(folder)) for row in _of_match(spec, number, file)]
    return Positions(*np.array(rows, dtype=np.float64).T)


def files(folder: Path) -> list[Path]:
    """The match files of a folder, by name."""
    return sorted(folder.glob("*.glasnost"))


def _of_match(spec: AgentSpec[Any], number: int, file: Path) -> Iterator[tuple[float, ...]]:
    match, (first, second) = matchfile.read(file).match(), spec.game.seats
    played = importlib.import_module(f"domain.agents.{spec.game.name}.win_probability").played
    result = match.result
    won = 0.5 if result is None or result.winner is None else float(result.winner == first)
    for record in match.records:
        table = match.table_at(record.move, ALL)
        if isinstance(record.entry, Played) and table.result is None:
            score = spec.game.score(table)
            lead, value = score[first] - score[second], spec.evaluate(table, first)
            yield number, won, value, lead, played(table), spec.win_probability(table, first)


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


def fit(spec: AgentSpec[Any], folder: Path) -> Fitted:
    """The coefficients that fit the matches of a folder."""
    found, scale = positions(spec, folder), SCALES[spec.game.name]
    manifest = msgspec.json.decode((folder / MANIFEST).read_bytes(), type=Manifest)
    base, late, value, value_late = (
        round(float(one), PLACES) for one in newton(features(found.value, found.played, scale), found.won)
    )
    agent, seed = manifest.agents["easy"], manifest.plan.seed.lstrip("0")
    return Fitted(scale, CLIPPED, base, late, value, value_late, agent, len(manifest.files), seed)


class Tenth(Struct, frozen=True):
    """Positions with a forecast between two tenths: how many, of how many matches, forecast and outcome."""

    number: int
    positions: int
    matches: int
    forecast: float
    won: float


def tenths(found: Positions) -> list[Tenth]:
    """The positions by the tenth of their forecast; a tenth without positions is left out."""
    number = np.minimum((found.forecast * 10).astype(int), 9)
    rows = []
    for tenth in sorted(set(number.tolist())):
        here = number == tenth
        matches = len(np.unique(found.match[here]))
        forecast, won = float(found.forecast[here].mean()), float(found.won[here].mean())
        rows.append(Tenth(tenth, int(here.sum()), matches, forecast, won))
    return rows


def brier(forecast: Floats, won: Floats) -> float:
    """The mean squared error of a forecast."""
    return float(((forecast - won) ** 2).mean())


def brier_of_points(found: Positions, scale: float) -> float:
    """The Brier score of a forecast by the lead in points alone, fitted to these very positions."""
    x = np.clip(found.lead / scale, -CLIPPED, CLIPPED)
    rows = np.column_stack([np.ones_like(x), x])
    return brier(1 / (1 + np.exp(-(rows @ newton(rows, found.won)))), found.won)


def check(spec: AgentSpec[Any], folder: Path) -> Iterator[str]:
    """What is to be said of the win probability on the matches of a folder, line by line."""
    found = positions(spec, folder)
    yield f"{spec.game.name}: {len(found.won)} positions of {len(files(folder))} matches"
    for one in tenths(found):
        off = one.won - one.forecast
        mark = "  OFF" if abs(off) > OFF else ""
        yield (
            f"  {one.number / 10:.1f} to {(one.number + 1) / 10:.1f}: {one.positions:6d} positions of "
            f"{one.matches:4d} matches, forecast {one.forecast:.3f}, "
            f"came true {one.won:.3f}, {off:+.3f}{mark}"
        )
    points = brier_of_points(found, SCALES[spec.game.name])
    yield f"  Brier {brier(found.forecast, found.won):.4f}; of points alone {points:.4f}"


def main() -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=str(__doc__), formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=("fit", "check"))
    parser.add_argument("game", choices=sorted(AGENTS))
    parser.add_argument("folder", type=Path)
    given = parser.parse_args()
    spec = AGENTS[given.game]
    if given.what == "check":
        sys.stdout.writelines(f"{line}\n" for line in check(spec, given.folder))
        return
    place = Path(__file__).parent.parent / "domain" / "agents" / given.game / FILE
    written = msgspec.json.format(msgspec.json.encode(fit(spec, given.folder)), indent=2)
    place.write_bytes(written + b"\n")
    sys.stdout.write(written.decode() + "\n")


if __name__ == "__main__":
    main()
