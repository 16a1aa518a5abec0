"""Win probability: how often a side wins from tables of a value and an age like this one.

It is a logistic function of the value that `evaluate` gives and of the share of the match that is played.  A
lead counts for more the later it is, so the value stands in it alone, and multiplied by that share.  The
coefficients are those of matches that `easy` played against itself (`ops/win_probability.py`), and lie in a
file beside the evaluation of their game.  No bot decides by them.
"""

from __future__ import annotations

import importlib.resources
from collections.abc import Callable
from math import exp
from typing import TypeVar

import msgspec
from msgspec import Struct

from domain.agents.spec import by_result
from domain.kernel import Seat, Table

T = TypeVar("T", bound=Table)
FILE = "win_probability.json"
MOST = 30.0  # of the exponent: beyond it a float shows no difference


class Fitted(Struct, frozen=True):
    """The coefficients of one game, and the matches of which they are made.

    scale: the value is divided by it, and counts for no more than `clipped` of it in either direction.
    base, base_late, value, value_late: the logarithm of the odds of the first seat is
        `base + base_late * played + (value + value_late * played) * x`, with x the value so scaled.
    agent, matches, seed: the version of `easy` that played, and its matches.
    """

    scale: float
    clipped: float
    base: float
    base_late: float
    value: float
    value_late: float
    agent: str
    matches: int
    seed: str

    def at(self, value: float, played: float) -> float:
        """The win probability of the first seat, from 0 to 1.

        Args:
            value: of a table, for the first seat, in points of the game.
            played: the share of the match that is played, from 0 to 1.
        """
        x = max(-self.clipped, min(self.clipped, value / self.scale))
        odds = self.base + self.base_late * played + (self.value + self.value_late * played) * x
        return 1 / (1 + exp(-max(-MOST, min(MOST, odds))))


def read(package: str) -> Fitted:
    """The coefficients that lie in a package.

    Raises:
        FileNotFoundError, msgspec.DecodeError: there are none.
    """
    return msgspec.json.decode((importlib.resources.files(package) / FILE).read_bytes(), type=Fitted)


def logistic(
    fitted: Fitted, first: Seat, evaluate: Callable[[T, Seat], float], played: Callable[[T], float]
) -> Callable[[T, Seat], float]:
    """The win probability of a seat on a whole table, as a function.

    A match that is over has the probability 1 or 0, a drawn one 0.5.  Both seats together have 1.

    Args:
        first: the seat for which the coefficients count.
        evaluate: as in `AgentSpec`.
        played: the share of the match that is played on a table, from 0 to 1.
    """

    def win_probability(s: T, seat: Seat) -> float:
        if s.result is not None:
            return by_result(s, seat)
        found = fitted.at(evaluate(s, first), played(s))
        return found if seat == first else 1 - found

    return win_probability
