"""Twilight Struggle: what a table is worth, in victory points, and how far a playout goes."""

from __future__ import annotations

from domain.agents.twilight_struggle.influence import held, weight
from domain.kernel import Seat
from domain.twilight_struggle.components import MAP, OTHER, US
from domain.twilight_struggle.state import State

WON = 1_000.0  # far more than the track has points
CHINA = 1.5  # of holding the China Card
SPACE = 0.8  # of a box of the Space Race


def evaluate(s: State, seat: Seat) -> float:
    """The points by which a seat leads, with those that its countries will bring."""
    if s.result is not None:
        return 0.0 if s.result.winner is None else WON if s.result.winner == seat else -WON
    lead = float(s.vp if seat == US else -s.vp)
    china = 0.0 if s.china is None else CHINA if s.china == seat else -CHINA
    space = SPACE * (s.space[seat] - s.space[OTHER[seat]])
    return lead + china + space + _board(s, seat)


def _board(s: State, seat: Seat) -> float:
    own, other, early = s.influence[seat], s.influence[OTHER[seat]], s.turn < 4
    return sum(
        weight(country, early) * held(own.get(country, 0) - other.get(country, 0), MAP[country].stability)
        for country in {*own, *other}
        if country in MAP
    )


def is_quiet(before: State, now: State) -> bool:
    """A playout may be cut at the next action round or turn."""
    return (now.turn, now.round, now.phasing) != (before.turn, before.round, before.phasing)
