"""Luck: what a throw brought, less what it was worth on average by the odds that the rules enumerate.

How good an outcome is, is a function of the caller: victory points, a win probability, the opinion of an
agent.  Weighted by their odds, the lucks of all outcomes of a throw add up to 0 whatever that function is, so
a poor one makes luck noisy and never unfair (D. Zare, Hedging Toward Skill).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from domain.kernel import Chance

Outcome = Mapping[str, int]
"""What changes, as in `domain.kernel.Chance`."""


def expected(v: Callable[[Outcome], float], chances: Sequence[Chance]) -> float:
    """The mean of `v` over all throws, in the unit of `v`.

    Args:
        v: how good an outcome is for the side that throws.
        chances: every outcome, with `ways` of `of` throws that bring it; the ways add up to `of`.

    Raises:
        ValueError: there is no outcome, or the ways do not add up.
    """
    total = sum(chance.ways for chance in chances)
    if not chances or any(chance.of != total for chance in chances):
        raise ValueError(f"{total} throws of {sorted({chance.of for chance in chances})} have an outcome")
    return sum(chance.ways * v(chance.outcome) for chance in chances) / total


def luck(v: Callable[[Outcome], float], happened: Outcome, chances: Sequence[Chance]) -> float:
    """`v` of what happened, less its mean over all throws, in the unit of `v`; arguments as in `expected`.

    Raises:
        ValueError: see `expected`.
    """
    return v(happened) - expected(v, chances)
