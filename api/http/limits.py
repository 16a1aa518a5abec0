"""Limits on what one visitor may do: requests in a second, new players in a minute, streams at once."""

from __future__ import annotations

import math
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from api.http.problems import Failed

_REMEMBERED = 50_000  # visitors; whoever is forgotten starts with a full bucket


class Buckets:
    """Token buckets, one for each visitor.

    Args:
        rate: how many a visitor may have in one period, and at once after a pause.
        period: in seconds.
        clock: seconds that never run backwards.
    """

    def __init__(self, rate: int, period: float, clock: Callable[[], float]) -> None:
        self._rate, self._each, self._clock = rate, period / rate, clock
        self._free_at: OrderedDict[str, float] = OrderedDict()
        self._burst = period

    def take(self, visitor: str) -> None:
        """Take one.

        Raises:
            Failed: limit, with the seconds after which there is one again.
        """
        now = self._clock()
        start = max(self._free_at.get(visitor, 0.0), now - self._burst)
        if start + self._each > now + 1e-9:
            wait = math.ceil(start + self._each - now)
            raise Failed("limit", f"try again in {wait} s", {"retry-after": str(wait)})
        self._free_at[visitor] = start + self._each
        self._free_at.move_to_end(visitor)
        if len(self._free_at) > _REMEMBERED:
            self._free_at.popitem(last=False)


class AtOnce:
    """How much of something a visitor has at the same time; `most` is the limit."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._now: Counter[str] = Counter()

    @property
    def total(self) -> int:
        """How many there are in all."""
        return self._now.total()

    def check(self, visitor: str) -> None:
        """Raises Failed: limit."""
        if self._now[visitor] >= self._most:
            raise Failed("limit", f"at most {self._most} streams at once", {"retry-after": "1"})

    @contextmanager
    def one(self, visitor: str) -> Iterator[None]:
        """One more, for as long as the context lasts."""
        self._now[visitor] += 1
        try:
            yield
        finally:
            self._now[visitor] -= 1
            if not self._now[visitor]:
                del self._now[visitor]
