"""CIA vs. KGB: an answer without looking ahead.

Playouts to the end of a turn are strong enough with random answers (docs/bots.md has the numbers).
"""

from __future__ import annotations

from domain.agents.search import random_picks
from domain.agents.spec import Rng
from domain.cia_vs_kgb.state import State
from domain.kernel import Picks, Prompt, Seat


def policy(s: State, seat: Seat, question: Prompt, rng: Rng) -> Picks:
    """A random answer."""
    return random_picks(question, rng)
