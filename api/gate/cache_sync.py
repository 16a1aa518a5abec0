"""Cache sync: if several processes write one store, the cached matches follow the commits of the others.

A caller gets all that was committed before the call, so each call reads new moves from the store first.  A
follower is notified as soon as a commit is announced: by the store itself, and by a bus if there is one.  An
announcement only names a position to read, so a repeated one does no harm.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

from api.gate.bots import BotRunner
from api.gate.commit import Inbox
from api.gate.match_cache import CachedMatch, MatchCache
from api.histogram import Histogram
from api.store.interface import OnCommit, Store, StoreError, Unavailable
from domain.log import Damaged

_AGAIN_SECONDS = 1.0  # until a match that could not be read is read again, while it is followed
_log = logging.getLogger("glasnost.gate")


class Feed(Protocol):
    """A bus that announces commits between processes, faster than the store or instead of it."""

    def announce(self, match: str, first: int, last: int) -> None:
        """Announce that this process committed these positions of one match; never blocks, never fails."""

    def watch(self, callback: OnCommit) -> None:
        """From now on, call `callback(match, position)` on the loop after each commit of any process."""

    def passed(self, match: str, position: int) -> None:
        """Note that the store itself announced this position of the match's log, and all before it."""


class Following:
    """Keeps the cached matches in step with a shared store.

    Args:
        store: where other processes may write.
        cache: the matches in memory.
        bots: they go on if those of another process do not.
        clock: the time in microseconds UTC, as it is in the moves.
        delays: counts the seconds that moves of other processes took to arrive.
    """

    def __init__(
        self,
        store: Store,
        cache: MatchCache,
        bots: BotRunner,
        clock: Callable[[], int | None],
        delays: Histogram,
    ) -> None:
        self._store, self._cache, self._bots, self._clock = store, cache, bots, clock
        self._delays = delays
        self._wanted: dict[str, int] = {}  # by match, the latest position heard of while it is read
        self._tasks: set[asyncio.Task[None]] = set()
        self._stopping = asyncio.Event()

    def start(self, bus: Feed | None = None) -> None:
        """Start to receive announcements of commits, also from `bus` if there is one."""
        if not self._store.shared:
            return
        loop = asyncio.get_running_loop()

        def hear(news: tuple[str, int]) -> None:
            self._hear(*news)
            if bus is not None:
                bus.passed(*news)

        inbox = Inbox(hear)
        self._store.watch(lambda match, position: inbox.put(loop, (match, position)))
        if bus is not None:
            bus.watch(self._hear)

    async def catch_up(self, cached: CachedMatch) -> bool:
        """Add what is committed by now; return whether another process had committed anything."""
        found = await self._cache.catch_up(cached)
        self._bots.mind(cached)
        return found

    async def look(self, cached: CachedMatch) -> None:
        """Add what is committed by now, for a reader: if the store is not available, from a replica.

        Sets `cached.lag`, the age in seconds that the match may have; None if it is current.
        """
        try:
            await self.catch_up(cached)
            cached.lag = None
        except Unavailable:
            lately = await asyncio.to_thread(self._store.lately, cached.match.id, cached.match.move)
            if lately is None:
                raise
            await self._cache.take_in(cached, lately.records)
            cached.lag = math.inf if lately.seconds is None else lately.seconds

    async def stop(self) -> None:
        """Stop receiving announcements."""
        self._stopping.set()
        while self._tasks:
            await asyncio.wait(self._tasks)

    def _hear(self, match: str, position: int) -> None:
        cached = self._cache.peek(match)
        if cached is None or position <= cached.position or self._stopping.is_set():
            return
        is_read = match in self._wanted
        self._wanted[match] = max(position, self._wanted.get(match, 0))
        if not is_read:
            task = asyncio.create_task(self._follow(cached))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _follow(self, cached: CachedMatch) -> None:
        """Read until the cached match holds all announced moves; several commits are read at once."""
        match = cached.match.id
        try:
            while cached.position < self._wanted[match] and not self._stopping.is_set():
                position = self._wanted[match]
                if await self._caught_up(cached):
                    cached.position = max(cached.position, position)
                elif not cached.users:
                    return
        finally:
            del self._wanted[match]

    async def _caught_up(self, cached: CachedMatch) -> bool:
        """Add what is committed; if the store is not available, wait a while and return False."""
        try:
            if await self.catch_up(cached):
                self._note_delay(cached)
            return True
        except Damaged as error:  # a request for the match is refused for it
            _log.warning("a match is not followed", extra={"reason": type(error).__name__})
            return True
        except StoreError as error:
            _log.warning("a match is not followed", extra={"reason": type(error).__name__})
        with suppress(TimeoutError):
            async with asyncio.timeout(_AGAIN_SECONDS):
                await self._stopping.wait()
        return False

    def _note_delay(self, cached: CachedMatch) -> None:
        now, made = self._clock(), cached.match.records[-1].entry.at
        if now is not None and made is not None:
            self._delays.add(max(now - made, 0) / 1_000_000)
