"""13 Minutes: the win probability of a table."""

from __future__ import annotations

from domain.agents.thirteen_minutes.evaluation import evaluate
from domain.agents.win_probability import logistic, read
from domain.thirteen_minutes import GAME
from domain.thirteen_minutes.state import State

PLAYS = 10  # cards that both sides play in a battle


def played(s: State) -> float:
    """The share of the battle, or of the campaign's battles, that is played."""
    battles = s.options.campaign_battles if s.options.campaign else 1
    return min(1.0, max(0.0, (s.battle - 1 + min(1.0, s.plays / PLAYS)) / battles))


win_probability = logistic(read(__package__), GAME.seats[0], evaluate, played)
