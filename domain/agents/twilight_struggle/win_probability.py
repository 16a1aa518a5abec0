"""Twilight Struggle: the win probability of a table."""

from __future__ import annotations

from domain.agents.twilight_struggle.evaluation import evaluate
from domain.agents.win_probability import logistic, read
from domain.twilight_struggle.components import US
from domain.twilight_struggle.rules.hand import rounds
from domain.twilight_struggle.state import State

LAST_TURN = 10


def played(s: State) -> float:
    """The share of the ten turns that is played; a turn that begins with its headlines has no round yet."""
    if s.turn < 1:
        return 0.0
    return min(1.0, (s.turn - 1 + min(1.0, s.round / (rounds(s.turn) + 1))) / LAST_TURN)


win_probability = logistic(read(__package__), US, evaluate, played)
