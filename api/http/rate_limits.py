"""Limits on what one visitor may do: requests in a second, new players in a minute, streams at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice

from cachetools import FIFOCache

from domain.kernel import Refused

_REMEMBERED = 50_000  # visitors; a forgotten one starts with a full bucket


class Buckets:
    """Token buckets, one for each visitor.

    A worker judges by itself, at once; where several share a limit (`api.bus.redis_client`), they tell one
    another what they granted.

    Args:
        rate: how many a visitor may take in one period, and at once after a pause.
        period: seconds.
        clock: seconds that never run backwards.
    """

    def __init__(self, rate: int, period: float, clock: Callable[[], float]) -> None:
        self.each, self.burst, self._clock = period / rate, period, clock
        self._free_at: FIFOCache[str, float] = FIFOCache(_REMEMBERED)
        self._granted: dict[str, int] | None = None

    def take(self, visitor: str) -> None:
        """Take one.

        Raises:
            Refused: limit, with the seconds until there is one again.
        """
        now = self._clock()
        start = max(self._free_at.get(visitor, 0.0), now - self.burst)
        if start + self.each > now + 1e-9:
            wait = math.ceil(start + self.each - now)
            raise Refused("limit", "try-again", {"wait": wait}, {"retry-after": str(wait)})
        self._free_at[visitor] = start + self.each
        if self._granted is not None:
            self._granted[visitor] = self._granted.get(visitor, 0) + 1

    def share(self) -> None:
        """From now on record what is granted, until `granted` returns it."""
        self._granted = {}

    def granted(self, most: int) -> Mapping[str, int]:
        """Return what was granted since the last call, by visitor, for at most `most` visitors."""
        granted = self._granted or {}
        return {visitor: granted.pop(visitor) for visitor in list(islice(granted, most))}

    def learn(self, visitor: str, free_at: float) -> None:
        """Take over what all workers granted to a visitor: the bucket is full again only at `free_at`.

        What this worker granted and has not published yet is added.  The bucket never becomes fuller by this.
        """
        own = (self._granted or {}).get(visitor, 0) * self.each
        self._free_at[visitor] = max(self._free_at.get(visitor, 0.0), free_at + own)


class AtOnce:
    """A counter of what each visitor has open at the same time; `most` is the limit."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._now: dict[str, int] = {}

    @property
    def total(self) -> int:
        """The count of all visitors together."""
        return sum(self._now.values())

    @property
    def visitors(self) -> set[str]:
        """Those who have something open."""
        return set(self._now)

    def check(self, visitor: str) -> None:
        """Raises Refused: limit."""
        if self.has_all(visitor):
            raise Refused("limit", "too-many-streams", {"most": self.most}, {"retry-after": "1"})

    def has_all(self, visitor: str) -> bool:
        """Return whether the visitor has reached the limit."""
        return self._now.get(visitor, 0) >= self.most

    def add(self, visitor: str) -> None:
        """Count one more."""
        self._now[visitor] = self._now.get(visitor, 0) + 1

    def remove(self, visitor: str) -> None:
        """Count one less."""
        left = self._now.pop(visitor) - 1
        if left:
            self._now[visitor] = left

    @contextmanager
    def one(self, visitor: str) -> Iterator[None]:
        """Count one more for as long as the context lasts."""
        self.add(visitor)
        try:
            yield
        finally:
            self.remove(visitor)
