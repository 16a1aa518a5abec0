"""The opinion of a level on a match that is over: its search, with a budget of its own."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial

from api.bots.levels import HARD, TREE, method_of
from domain.agents import AGENTS
from domain.agents.lookahead import look_ahead
from domain.agents.spec import Budget
from domain.history import History
from domain.kernel import Seat
from replay.analysis import MoveAnalysis, analyse, must_be_analysable

ADVISER = HARD
"""The level by whose search finished matches are analysed."""


def opinion(
    match: History, budget: Budget, rng: random.Random, seat: Seat | None = None
) -> Iterator[MoveAnalysis]:
    """The analysis of a match that is over, by the search of `ADVISER` with a budget of its own.

    Raises:
        Refused: see `replay.analysis.must_be_analysable`.
    """
    must_be_analysable(match)
    spec, method = AGENTS[match.game.name], method_of(ADVISER, match.game.name)
    if not method.is_deep:
        return analyse(match, spec, budget, rng, seat)
    look = partial(look_ahead, tree=method.name == TREE)
    return analyse(match, spec, budget, rng, seat, playing=spec.deeper, look=look)
