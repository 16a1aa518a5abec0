"""What this server's verifier says of its matches: computed off the loop, one at a time, and kept by root.

The verification of a running match uses the secret, so its reasons and notes may name what is hidden: only
the outcome of each question leaves this module before the match is over.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from cachetools import LRUCache
from msgspec import Struct

from api.http.rate_limits import Buckets
from domain.kernel import Refused
from domain.log import Record
from domain.match import Match
from domain.signed_notes import VerifyingKey
from replay.report import Report

_KEPT = 1_000  # reports
_WAITING = 8  # requests that wait for a verification; the next one is refused
_EACH_MINUTE = 10  # verifications for one visitor
_SOON = 5  # seconds
_Key = tuple[str, int, bytes, bool]


class Task(Struct, frozen=True):
    """What one verification works on; all of it is immutable."""

    records: Sequence[Record]
    note: str
    secret: bytes | None
    keys: Sequence[VerifyingKey]
    parent: Match | None = None  # of a branch, if it is here


class Verifications:
    """The reports of this process.

    Args:
        clock: seconds that never run backwards.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._kept: LRUCache[_Key, Report] = LRUCache(_KEPT)
        self._each = Buckets(_EACH_MINUTE, 60.0, clock)
        self._turn = asyncio.Semaphore(1)
        self._waiting = 0

    async def of(self, match: Match, visitor: str, task: Task) -> Report:
        """Return the report on a match with all its moves.

        Raises:
            Refused: limit, if it must be computed first and too many are.
        """
        last = len(task.records)
        key = match.id, last, match.roots[last - 1], task.parent is not None
        kept = self._kept.get(key)
        return kept or await self._computed(key, visitor, task)

    async def _computed(self, key: _Key, visitor: str, task: Task) -> Report:
        if self._waiting >= _WAITING:
            raise Refused("limit", "try-again", {"wait": _SOON}, {"retry-after": str(_SOON)})
        self._waiting += 1
        try:
            async with self._turn:
                report = self._kept.get(key)  # others may have asked for the same meanwhile
                if report is None:
                    self._each.take(visitor)
                    report = await asyncio.to_thread(_report, task)
                    self._kept[key] = report
        finally:
            self._waiting -= 1
        return report


def _report(task: Task) -> Report:
    from replay import verify

    return verify.verify_records(
        task.records, task.note, secret=task.secret, known=task.keys, parent=lambda match: task.parent
    )
