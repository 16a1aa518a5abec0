"""13 Minutes: an answer without looking ahead.

Playouts to the end of a battle are strong enough with random answers (docs/bots.md has the numbers), so only
what is plainly bad is left out: a high bid, because bids are lost, and doing nothing where one may act.
"""

from __future__ import annotations

from domain.agents.determinization import below
from domain.agents.search import random_picks
from domain.agents.spec import Rng
from domain.kernel import Picks, Prompt, Seat
from domain.thirteen_minutes.state import State

HIGHEST_BID = 3  # cubes


def policy(s: State, seat: Seat, question: Prompt, rng: Rng) -> Picks:
    """A random answer; see the module's docstring for what is left out."""
    if question.ask == "Bid":
        return (question.options[below(min(HIGHEST_BID + 1, len(question.options)), rng)],)
    picks = random_picks(question, rng)
    return picks or random_picks(question, rng)
