"""How strong the levels were measured to be: what `ops/bench/bots.py --accept --record` wrote.

A number belongs to one version of an agent; for changed code there is none until it is measured again.
"""

from __future__ import annotations

import importlib.resources
from functools import cache
from pathlib import Path

import msgspec
from msgspec import Struct

from api.bots.levels import version_of

FILE = "strengths.json"


class Strength(Struct, frozen=True):
    """The matches of a level, in one version, against another.

    `milliseconds`: the mean of a decision, by the clock; `action`: of the processor, for all answers of an
    action (0: not measured).
    """

    level: str
    game: str
    version: str
    against: str
    matches: int
    points: float
    low: float
    high: float
    milliseconds: float
    p99: float
    seed: str
    endings: dict[str, int]
    seats: dict[str, float]
    action: float = 0.0
    action_p99: float = 0.0


def strength_of(level: str, game: str) -> Strength | None:
    """The measured strength of a level as it plays now; None if this version was not measured."""
    version = version_of(level, game)
    return next(
        (one for one in measured() if (one.level, one.game, one.version) == (level, game, version)), None
    )


@cache
def measured() -> tuple[Strength, ...]:
    """Everything that was measured, of older versions too."""
    content = (importlib.resources.files(__package__) / FILE).read_bytes()
    return msgspec.json.decode(content, type=tuple[Strength, ...])


def record(strength: Strength) -> None:
    """Note a measurement in the place of an earlier one of this level and game."""
    others = [one for one in measured() if (one.level, one.game) != (strength.level, strength.game)]
    found = sorted((*others, strength), key=lambda one: (one.game, one.level))
    written = msgspec.json.format(msgspec.json.encode(found), indent=2)
    (Path(__file__).parent / FILE).write_bytes(written + b"\n")
    measured.cache_clear()
