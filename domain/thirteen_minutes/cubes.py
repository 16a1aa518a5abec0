"""The facts of placing, removing and sliding, in order; each generator returns the table after them.

A territory slides one step toward the owner of cubes that are placed on it, and one step away from the owner
of cubes that are removed from it, whatever their number (book 002, Commands; ruling T-EVENT-SLIDE).
"""

from __future__ import annotations

from collections.abc import Generator

from domain.kernel import Fact
from domain.thirteen_minutes.board import OPPONENT, Side, Zone
from domain.thirteen_minutes.facts import CubesPlaced, CubesRemoved, TerritorySlid
from domain.thirteen_minutes.rules import one_step
from domain.thirteen_minutes.state import State

Changes = Generator[Fact[State], State, State]


def placing(s: State, me: Side, territory: str, cubes: int) -> Changes:
    """`me` puts `cubes` of its supply on a territory."""
    now = s.territories[territory].cubes(me) + cubes
    s = yield CubesPlaced(me, territory, cubes, now, s.supply[me] - cubes)
    return (yield from _sliding(s, territory, me))


def removing(s: State, me: Side, owner: Side, territory: str, cubes: int) -> Changes:
    """`me` takes `cubes` of `owner` off a territory."""
    now = s.territories[territory].cubes(owner) - cubes
    s = yield CubesRemoved(me, owner, territory, cubes, now, s.supply[owner] + cubes)
    return (yield from _sliding(s, territory, OPPONENT[owner]))


def _sliding(s: State, territory: str, toward: Side) -> Changes:
    return (yield from shifting(s, territory, one_step(s.territories[territory].zone, toward)))


def shifting(s: State, territory: str, zone: Zone) -> Changes:
    """The territory moves into `zone`, unless it lies there already."""
    if s.territories[territory].zone != zone:
        s = yield TerritorySlid(territory, zone)
    return s
