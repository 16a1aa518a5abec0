"""How strong the levels were measured to be: what `ops/bench/bots.py --accept --record` wrote.

A number belongs to one version and budget of both levels; once one of them changes, there is none until it
is measured again.
"""

from __future__ import annotations

import importlib.resources
from functools import cache
from pathlib import Path

import msgspec
from msgspec import Struct

from api.bots.levels import agent_of, method_of, version_of

FILE = "strengths.json"


class Strength(Struct, frozen=True):
    """The matches of a level, in one version, against another.

    `milliseconds`: the mean of a decision, by the clock; `action`: of the processor, for all answers of an
    action (0: not measured); `playouts`: the budget of the method (None: was not noted);
    `against_agent`: what played for the other level, see `agent_of` ("": not noted, or at random).
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
    playouts: int | None = None
    against_agent: str = ""


def strength_of(level: str, game: str) -> Strength | None:
    """The measured strength of a level against its opponent, as both play now; None: not measured."""
    version, budgets = version_of(level, game), (None, method_of(level, game).budget.playouts)
    found = (one for one in measured() if (one.level, one.game, one.version) == (level, game, version))
    return next((one for one in found if one.playouts in budgets and _meets(one)), None)


def _meets(strength: Strength) -> bool:
    """Does the opponent of a measurement play as it does now, as far as was noted?"""
    return strength.against_agent in ("", agent_of(strength.against, strength.game))


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
