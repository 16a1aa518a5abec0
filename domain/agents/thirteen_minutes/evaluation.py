"""13 Minutes: what a table is worth, and how far a playout goes."""

from __future__ import annotations

from domain.kernel import Seat
from domain.thirteen_minutes.rules import score
from domain.thirteen_minutes.state import State

WON = 20.0  # VP; more than the points of a battle can differ


def evaluate(s: State, seat: Seat) -> float:
    """The VP by which a seat leads, and `WON` for a match that is won (less for one that is lost)."""
    points = score(s)
    lead = float(2 * points[seat] - sum(points.values()))
    if s.result is None or s.result.winner is None:
        return lead if s.result is None else 0.0
    return lead + (WON if s.result.winner == seat else -WON)


def is_quiet(before: State, now: State) -> bool:
    """A playout goes to the end of the battle, which is short."""
    return now.battle != before.battle
