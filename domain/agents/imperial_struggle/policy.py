"""Imperial Struggle: an answer without looking ahead, at random; see `search.greedy` for better ones."""

from __future__ import annotations

from domain.agents.search import random_picks
from domain.agents.spec import Rng
from domain.imperial_struggle.state import State
from domain.kernel import Picks, Prompt, Seat


def policy(s: State, seat: Seat, question: Prompt, rng: Rng) -> Picks:
    """A random answer."""
    return random_picks(question, rng)
