"""A bounded record of the latest commands that the gate refused.

The record is kept in memory, outside the command path.  It holds no picks and no text
of a refusal, so its readers learn nothing of a hidden card.
"""

from __future__ import annotations

from collections import Counter, deque

from msgspec import Struct

from domain.kernel import Seat

UNTOLD = ("unavailable", "in-doubt")  # kinds that say nothing about the match: the store failed


class Refusal(Struct, frozen=True):
    """One recorded refusal of a command: `at` in microseconds UTC, `move` the latest move at that time."""

    at: int | None
    kind: str
    command: str
    match: str | None
    player: str | None
    seat: Seat | None
    move: int | None


class Refusals:
    """The latest refusals, and how many of each kind there were.

    Args:
        most: how many are kept.
    """

    def __init__(self, most: int) -> None:
        self._kept: deque[Refusal] = deque(maxlen=most)
        self.counts: Counter[str] = Counter()

    def keep(self, refusal: Refusal) -> None:
        """Record one; the oldest is dropped if there are too many."""
        self._kept.append(refusal)
        self.counts[refusal.kind] += 1

    def latest(self, limit: int, match: str | None = None) -> list[Refusal]:
        """Return the latest `limit` refusals (of one match), the newest first."""
        found: list[Refusal] = []
        for refusal in reversed(self._kept):
            if len(found) == limit:
                break
            if match is None or refusal.match == match:
                found.append(refusal)
        return found
