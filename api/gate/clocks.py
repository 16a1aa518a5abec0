"""The clocks of matches: who notes that the server was stopped, and that the time of a seat is up.

`Clocks.settle` notes both before every command to a match with a clock, so no command is judged on clocks
that are behind.  `Timekeeper` does the same for matches to which no command comes; of the processes of a
shared store, the one that writes the read models runs it.  Whatever is noted follows from the log, the stored
stops and the time, and is inserted like a move; so it is noted once, also if a process is killed.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

from api.gate.commit import UNTOLD, Commits, Inbox
from api.gate.match_cache import CachedMatch
from api.store.interface import Stop, Store, StoreError
from domain.bounds import MOST
from domain.clocks import dues, only_reports
from domain.kernel import Refused
from domain.log import Damaged

BEAT = 10_000_000  # microseconds between two heartbeats
LISTING = 5_000_000  # microseconds between two lists of the running matches
IDLE = 1.0  # seconds after which the time is looked at unasked
_LEAST = 0.01  # seconds between two looks
_log = logging.getLogger("glasnost.clocks")


class Clocks:
    """Notes in matches what the time has brought.

    Args:
        commits: makes it durable, and knows the time.
    """

    def __init__(self, commits: Commits) -> None:
        self._commits, self._uptime = commits, commits.store.uptime
        self._beaten: int | None = None
        self.stops: tuple[Stop, ...] = ()

    async def beat_in_time(self) -> None:
        """Write a heartbeat if the latest one of this process is no longer fresh; see `beat`."""
        now = self._commits.clock()
        if now is not None and (self._beaten is None or abs(now - self._beaten) >= BEAT):
            await self.beat()

    async def beat(self) -> None:
        """Write a heartbeat, and learn of stops.

        Raises:
            Refused: unavailable; the store cannot be written.
        """
        now = self._commits.clock()
        if now is None:
            return
        try:
            self.stops = await asyncio.to_thread(self._uptime.beat, now)
        except StoreError as error:
            raise error.refusal() from error
        self._beaten = now

    async def settle(self, cached: CachedMatch) -> None:
        """Note stops of the server and a time-out, if there are any; the caller holds the match's lock.

        Raises:
            Conflict: another process was faster.
            Refused: unavailable, in-doubt.
        """
        match = cached.match
        if not has_clock(cached):
            return
        await self.beat_in_time()
        for stop in self.stops:
            if stop.end <= match.clocks_seen or (match.clock and match.clock.stands):
                continue
            context, start = self._commits.context(cached), max(stop.start, match.clocks_seen)
            if match.clock_stop_refused(start, stop.end, context.now or 0) is None:
                await self._commits.commit(cached, match.stop_clock(context, start, stop.end))
                self._commits.counts.commands["stop_clock"] += 1
        context = self._commits.context(cached)
        if context.now is not None and match.run_out(context.now) is not None:
            await self._commits.commit(cached, match.time_out(context))
            self._commits.counts.commands["time_out"] += 1


def has_clock(cached: CachedMatch) -> bool:
    """Return whether a match has a clock that runs here."""
    match = cached.match
    return bool(match.opened.clock) and match.status == "running" and cached.secret is not None


def due_of(cached: CachedMatch) -> int | None:
    """Return when a match is next lost on time, in microseconds UTC; None if it has no clock that runs here.

    Never (`MOST`) while its clocks stand, and if it only reports that a time is up.
    """
    state, terms = cached.match.clock if has_clock(cached) else None, cached.match.opened.clock
    if state is None:
        return None
    return MOST if state.stands or only_reports(terms) else min(dues(terms, state).values(), default=None)


class Timekeeper:
    """Watches the clocks of all running matches, and notes in time what they have come to.

    Args:
        store: tells of commits.
        clocks: writes heartbeats.
        settled: settles the clocks of a match, and returns it.
        at_hand: returns a match if it is in memory.
        running: returns the matches with a clock that are running.
        leads: is this process the one that watches them?
        clock: the time in microseconds UTC.
    """

    def __init__(
        self,
        store: Store,
        clocks: Clocks,
        settled: Callable[[str], Awaitable[CachedMatch]],
        at_hand: Callable[[str], CachedMatch | None],
        running: Callable[[], Awaitable[Sequence[str]]],
        leads: Callable[[], bool],
        clock: Callable[[], int | None],
    ) -> None:
        self._store, self._clocks, self._settled, self._at_hand = store, clocks, settled, at_hand
        self._running, self._leads, self._clock = running, leads, clock
        self._due: dict[str, int] = {}  # by match with a clock
        self._news: set[str] = set()  # those of them, and new ones, in which something was stored
        self._listed: int | None = None  # when the running matches were listed last
        self._stops = 0  # so many were known when all matches were looked at
        self._woken = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Run on this event loop until `stop`."""
        self.watch()
        self._task = asyncio.create_task(self._run())

    def watch(self) -> None:
        """From now on, hear of commits on this event loop."""
        loop, inbox = asyncio.get_running_loop(), Inbox(self._hear)
        self._store.watch(lambda match, _: inbox.put(loop, match))

    async def stop(self) -> None:
        """Stop; a store that does not answer is not waited for."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def tick(self) -> None:
        """Write a heartbeat; look at the matches in which something happened, and at those whose time is up.

        Raises:
            Refused: unavailable; the matches are looked at again the next time.
        """
        await self._clocks.beat_in_time()
        if not self._leads():
            self._listed = None
            return
        now = self._clock() or 0
        await self._list(now)
        self._news |= {match for match, due in self._due.items() if due <= now}
        if self._stops != len(self._clocks.stops):
            self._news |= self._due.keys()
        while self._news:
            await self._look(next(iter(self._news)))
        self._stops = len(self._clocks.stops)

    @property
    def next(self) -> int | None:
        """When the next time is up, in microseconds UTC; None if no clock is watched."""
        return min(self._due.values(), default=None)

    async def _list(self, now: int) -> None:
        """Find matches that other processes began; if this process leads only now, forget what it knew."""
        if self._listed is not None and abs(now - self._listed) < LISTING:
            return
        if self._listed is None:
            self._due.clear()
        self._news |= set(await self._running()) - self._due.keys()
        self._listed = now

    async def _look(self, match: str) -> None:
        """Settle the clocks of one match, and note when its next time is up."""
        try:
            due = due_of(await self._settled(match))
        except (Refused, Damaged) as error:
            if isinstance(error, Refused) and error.kind in UNTOLD:
                raise
            _log.warning("clocks not read", extra={"match": match, "reason": type(error).__name__})
            due = None
        self._news.discard(match)
        if due is None:
            self._due.pop(match, None)
        else:
            self._due[match] = due

    def _hear(self, match: str) -> None:
        cached = self._at_hand(match)
        if match in self._due or (cached is not None and has_clock(cached)):
            self._news.add(match)
            self._woken.set()

    async def _run(self) -> None:
        while True:
            self._woken.clear()
            try:
                await self.tick()
            except (Refused, StoreError):  # the store or the read models are away
                pass
            except Exception:
                _log.error("error of the timekeeper", exc_info=True)
            with suppress(TimeoutError):
                async with asyncio.timeout(self._pause()):
                    await self._woken.wait()

    def _pause(self) -> float:
        """Seconds until there is something to do."""
        due, now = self.next, self._clock()
        return IDLE if due is None or now is None else min(max((due - now) / 1_000_000, _LEAST), IDLE)
