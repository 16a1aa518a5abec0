"""Imperial Struggle: the win probability of a table."""

from __future__ import annotations

from domain.agents.imperial_struggle.evaluation import evaluate
from domain.agents.win_probability import logistic, read
from domain.imperial_struggle import GAME
from domain.imperial_struggle.components import LAST_TURN
from domain.imperial_struggle.state import State

TILES = 8  # investment tiles that both sides take in a peace turn


def played(s: State) -> float:
    """The share of the six peace turns that is played, by the investment tiles that were taken."""
    if s.turn < 1:
        return 0.0
    return min(1.0, (s.turn - 1 + sum(map(len, s.picked.values())) / TILES) / LAST_TURN)


win_probability = logistic(read(__package__), GAME.seats[0], evaluate, played)
