"""CIA vs. KGB: the win probability of a table."""

from __future__ import annotations

from domain.agents.cia_vs_kgb.evaluation import evaluate
from domain.agents.win_probability import logistic, read
from domain.cia_vs_kgb import GAME
from domain.cia_vs_kgb.rules import score
from domain.cia_vs_kgb.state import State


def played(s: State) -> float:
    """How far the match is, by the points of the side that leads, or by its turns if these run out first."""
    points = max(score(s).values()) / s.options.score_limit
    return min(1.0, max(points, s.turn / s.options.turn_limit))


win_probability = logistic(read(__package__), GAME.seats[0], evaluate, played)
