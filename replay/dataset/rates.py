"""Rates with what makes them honest: n, an interval, and marks for many comparisons.

The interval of a rate is Wilson's, of 95 %.  Matches of the same player are no independent cases: where one
player has more than a fifth of them, players are drawn again instead of matches, and the interval is the
wider one of both.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from msgspec import Struct

from replay.dataset.queries import Query, Z

FEW = 30  # cases: a rate over fewer is shown grey, and not ranked
LEVEL = 0.05  # of a mark
_MOST_OF_ONE = 0.2  # the share of the cases that one player may have
_AGAIN = 500  # times that players are drawn again
_CELLS = 4_000_000  # weights that are kept at once
_SEED = 17
_AS_LIKELY = 1 + 1e-7  # numbers of hits whose probabilities differ by less are as likely as each other
_NEGLIGIBLE = 1e-18  # of a sum: what is so much smaller changes no digit of it

Key = TypeVar("Key")


class Rate(Struct, frozen=True):
    """How often something was so: `won` of `n` cases, and the ends of its interval.

    by_players: the interval also draws the players again, because one has more than a fifth of the cases.
    """

    n: int
    won: int
    lo: float | None = None
    hi: float | None = None
    by_players: bool = False

    @property
    def rate(self) -> float | None:
        """The rate, 0 to 1; None without a case."""
        return self.won / self.n if self.n else None


def wilson(won: int, n: int) -> tuple[float, float]:
    """The ends of Wilson's interval of 95 % of `won` of `n` cases, within 0 and 1.

    Raises:
        ValueError: there is no case, or there are more that were won.
    """
    if not 0 <= won <= n or n == 0:
        raise ValueError(f"{won} of {n} cases is no rate")
    rate, squared = won / n, Z * Z
    centre = rate + squared / (2 * n)
    half = Z * math.sqrt(rate * (1 - rate) / n + squared / (4 * n * n))
    scale = 1 + squared / n
    low = 0.0 if won == 0 else max(0.0, (centre - half) / scale)
    return low, 1.0 if won == n else min(1.0, (centre + half) / scale)


def rate_of(cases: Sequence[tuple[bool, tuple[str, ...]]]) -> Rate:
    """The rate over cases: was it so, and whose matches they are (the ids of the players).

    Raises:
        ImportError: numpy is not installed (the extra `analysis`), and one player has too many cases.
    """
    n, won = len(cases), sum(case for case, _ in cases)
    if not n:
        return Rate(0, 0)
    low, high = wilson(won, n)
    held = Counter(player for _, players in cases for player in set(players))
    if not held or max(held.values()) <= _MOST_OF_ONE * n:
        return Rate(n, won, low, high)
    least, most = _over_players(cases)
    return Rate(n, won, min(low, least), max(high, most), by_players=True)


def _over_players(cases: Sequence[tuple[bool, tuple[str, ...]]]) -> tuple[float, float]:
    """The ends of the interval by drawing the players again: a match weighs as its players do, multiplied.

    Players get exponential weights, so that no draw is without a case (A. Owen, D. Eckles, Bootstrapping data
    arrays of arbitrary order).
    """
    import numpy as np

    places: dict[str, int] = {}
    wide = max(len(players) for _, players in cases)
    sat = np.zeros((len(cases), wide), dtype=np.intp)  # place 0 is a seat of no known player
    for row, (_, players) in enumerate(cases):
        for column, player in enumerate(players):
            sat[row, column] = places.setdefault(player, len(places) + 1)
    won = np.array([case for case, _ in cases])
    random, rates = np.random.default_rng(_SEED), list[Any]()
    step = max(1, _CELLS // (len(cases) * wide))
    for first in range(0, _AGAIN, step):
        weights = random.exponential(size=(min(step, _AGAIN - first), len(places) + 1))
        weights[:, 0] = 1.0
        of_case = weights[:, sat].prod(axis=2)
        rates.append(of_case[:, won].sum(axis=1) / of_case.sum(axis=1))
    low, high = np.quantile(np.concatenate(rates), [0.025, 0.975])
    return float(low), float(high)


def holm(p: Mapping[Key, float]) -> dict[Key, float]:
    """P values, each adjusted for all of them together (Holm, 1979)."""
    adjusted, so_far = dict[Key, float](), 0.0
    for place, key in enumerate(sorted(p, key=lambda one: p[one])):
        so_far = max(so_far, min(1.0, (len(p) - place) * p[key]))
        adjusted[key] = so_far
    return adjusted


def unlike_the_rest(cases: Mapping[Key, tuple[int, int]]) -> dict[Key, float]:
    """For each rate (`won` of `n`) the p value that it is the same as that of all others together.

    The test is exact: twice the smaller tail of the hypergeometric distribution.
    """
    won, every = (sum(case[place] for case in cases.values()) for place in (0, 1))
    return {key: _Draws(every, won, n).smaller_tail_twice(hits) for key, (hits, n) in cases.items()}


def differs(won: int, n: int, won_elsewhere: int, n_elsewhere: int) -> float:
    """The p value of Fisher's exact test that two rates are the same; 1 if one of them has no case."""
    if not n or not n_elsewhere:
        return 1.0
    return _Draws(n + n_elsewhere, won + won_elsewhere, n).no_likelier(won)


class _Draws(Struct, frozen=True):
    """How many are hits when `n` of `every` cases are drawn, `won` of which are hits: hypergeometric.

    scipy has it, too, but importing `scipy.stats` takes 0.6 s, and the first answer would wait for it.  Each
    probability follows from its neighbour, and a sum ends where what is left changes no digit.
    """

    every: int
    won: int
    n: int

    def smaller_tail_twice(self, hits: int) -> float:
        """The p value of so many hits or of fewer, or of more, whichever is less, twice; at most 1."""
        here = self._probability(hits)
        step = 1 if self._ratio(hits, 1) <= 1 else -1  # where the probabilities fall
        tail = here + self._sum(here, hits, step)
        return min(1.0, 2 * min(tail, 1 - tail + here))

    def no_likelier(self, hits: int) -> float:
        """The p value of all numbers of hits that are not likelier than this one; at most 1."""
        here = self._probability(hits)
        step = 1 if self._ratio(hits, 1) <= 1 else -1
        other_side = self._sum(here, hits, -step, most=here * _AS_LIKELY)
        return min(1.0, here + self._sum(here, hits, step) + other_side)

    def _probability(self, hits: int) -> float:
        lost, missed = self.every - self.won, self.n - hits
        found = _log_ways(self.won, hits) + _log_ways(lost, missed) - _log_ways(self.every, self.n)
        return math.exp(found)

    def _ratio(self, hits: int, step: int) -> float:
        """The probability of the next number of hits in a direction, divided by that of this one."""
        lost, missed = self.every - self.won, self.n - hits
        if step > 0:
            return (self.won - hits) * missed / ((hits + 1) * (lost - missed + 1))
        return hits * (lost - missed) / ((self.won - hits + 1) * (missed + 1))

    def _sum(self, here: float, hits: int, step: int, most: float = math.inf) -> float:
        """The sum of the probabilities beyond `hits` in a direction, without those that are above `most`."""
        total, each = 0.0, here
        while each > 0:
            ratio = self._ratio(hits, step)
            each, hits = each * ratio, hits + step
            if each <= most:
                total += each
            if ratio < 1 and each < _NEGLIGIBLE * (here + total):
                break
        return total


def _log_ways(n: int, k: int) -> float:
    """The logarithm of the number of ways to choose `k` of `n`."""
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


class RateMark(Struct, frozen=True):
    """A rate of a row (from 0) that is another one than that of the other rows of its pool.

    p: the p value, adjusted by Holm for all rates that were compared.
    """

    row: int
    rate: str
    p: float


def marks_of(query: Query, rows: Sequence[Mapping[str, object]]) -> tuple[RateMark, ...]:
    """The rates of an answer that differ from the rest of their pool, adjusted for all its comparisons.

    A share of one whole is compared with no other share: they depend on each other.
    """
    compared = dict[tuple[str, str], dict[tuple[int, str], tuple[int, int]]]()
    for at, row in enumerate(rows):
        for rate, n in query.rates.items():
            value, cases = row[rate], row[n]
            if isinstance(value, float) and isinstance(cases, int) and cases and not query.is_share(rate):
                group = compared.setdefault((str(row["pool"]), rate), {})
                group[at, rate] = (round(value * cases), cases)
    single = {
        key: p for group in compared.values() if len(group) > 1 for key, p in unlike_the_rest(group).items()
    }
    return tuple(RateMark(at, rate, p) for (at, rate), p in holm(single).items() if p < LEVEL)
