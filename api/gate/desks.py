"""The matches at hand: committed state only, one desk per match, the least recently used leave first.

A desk is where a match lies while somebody plays or watches it.  Its lock admits one command at a time, so a
match has at most one uncommitted request.  Whoever reads takes `desk.match` and finds what is committed.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from domain.chance import Secret
from domain.match import Match


class Desk:
    """One match as committed, its secret, the lock for commands and the news for those who follow it.

    `secret` is None where neither store nor log holds it.  `signer` names who signed an uploaded match; None
    for a match of this store's own.
    """

    def __init__(self, match: Match, secret: Secret | None, signer: str | None = None) -> None:
        self.match, self.secret, self.signer = match, secret, signer
        self.lock = asyncio.Lock()
        self.users = 0  # who plays or follows here; the desk stays as long as there are any
        self._news: asyncio.Future[None] | None = None

    @contextmanager
    def used(self) -> Iterator[Desk]:
        """Keep the desk from being cleared away."""
        self.users += 1
        try:
            yield self
        finally:
            self.users -= 1

    def tell(self) -> None:
        """Wake everybody who waits for news."""
        if self._news is not None and not self._news.done():
            self._news.set_result(None)
        self._news = None

    async def news(self, seconds: float) -> bool:
        """Wait until something is committed, but no longer than this; whether there was something."""
        if self._news is None:
            self._news = asyncio.get_running_loop().create_future()
        done, _ = await asyncio.wait((self._news,), timeout=seconds)
        return bool(done)


class Desks:
    """The desks by match, the most recently used last.

    Args:
        most: how many are kept; busy ones stay beyond that.
        load: sets up the desk of a stored match, in a thread; None where there is no such match.
    """

    def __init__(self, most: int, load: Callable[[str], Desk | None]) -> None:
        self._most, self._load = most, load
        self._desks: OrderedDict[str, Desk] = OrderedDict()
        self._loading: dict[str, asyncio.Task[Desk | None]] = {}

    def put(self, desk: Desk) -> None:
        """Keep the desk of a match that was just opened."""
        self._desks[desk.match.id] = desk
        self._thin_out()

    def at_hand(self, match: str) -> Desk | None:
        """The desk, where it need not be loaded."""
        desk = self._desks.get(match)
        if desk is not None:
            self._desks.move_to_end(match)
        return desk

    async def get(self, match: str) -> Desk | None:
        """The desk of a match; several who ask at once share one reading of the store."""
        while True:
            desk = self.at_hand(match)
            if desk is not None:
                return desk
            loading = self._loading.get(match)
            if loading is None:
                loading = self._loading[match] = asyncio.create_task(self._fetch(match))
            desk = await asyncio.shield(loading)
            if desk is None or self._desks.get(match) is desk:
                return desk

    def __len__(self) -> int:
        return len(self._desks)

    async def refresh(self, desk: Desk) -> None:
        """Read the match again: what lies here is not what is stored."""
        found = await asyncio.to_thread(self._load, desk.match.id)
        if found is not None:
            desk.match, desk.secret, desk.signer = found.match, found.secret, found.signer
            desk.tell()

    def wake(self) -> None:
        """Wake all who wait for news anywhere."""
        for desk in self._desks.values():
            desk.tell()

    async def _fetch(self, match: str) -> Desk | None:
        try:
            found = await asyncio.to_thread(self._load, match)
        finally:
            del self._loading[match]
        if found is None:
            return None
        if match not in self._desks:
            self.put(found)
        return self._desks[match]

    def _thin_out(self) -> None:
        newest = next(reversed(self._desks))
        for match in list(self._desks):
            if len(self._desks) <= self._most:
                return
            if match != newest and not self._desks[match].users:
                del self._desks[match]
