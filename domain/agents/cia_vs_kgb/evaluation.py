"""CIA vs. KGB: what a table is worth, and how far a playout goes."""

from __future__ import annotations

from domain.cia_vs_kgb.rules import OTHER, score
from domain.cia_vs_kgb.state import State
from domain.kernel import Seat

WON = 1_000.0  # points; far more than all objectives together
AGENT = 6.0  # what an agent is worth who is still in the game
LEAVE = 1.0  # what it costs that an agent misses the next Planning
PROMISE = 2.0  # what an agent brings whose work is still to come


def evaluate(s: State, seat: Seat) -> float:
    """The points by which a seat leads, with its agents; a result outweighs everything."""
    if s.result is not None:
        return 0.0 if s.result.winner is None else WON if s.result.winner == seat else -WON
    return _worth(s, seat) - _worth(s, OTHER[seat])


def _worth(s: State, seat: Seat) -> float:
    promises = sum(owner == seat for owner in s.promises.values())
    agents = AGENT * len(s.fallen[seat]) + LEAVE * len(s.leave[seat])
    return score(s)[seat] + PROMISE * promises - agents


def is_quiet(before: State, now: State) -> bool:
    """A playout goes to the end of the turn: then its objective is won, and the groups are shuffled."""
    return now.turn != before.turn
