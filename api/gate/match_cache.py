"""The cache of matches: committed state only, one entry per match, evicted by least recent use.

A cached match is kept while a client plays or follows it.  Its lock admits one command at a time, so a match
has at most one uncommitted command.  Readers take `cached.match`, which is the committed state.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from msgspec import Struct

from api.store.interface import Log, Store, StoreError
from domain.chance import Secret
from domain.log import Damaged, Record
from domain.match import Match
from domain.partial_match import PartialMatch
from domain.sharing import Data, data_of

Since = Callable[[str, int], Awaitable[list[Record]]]

_GLANCE = 0.01  # seconds after which it is looked again whether a match is free


def forget(task: asyncio.Task[Any]) -> None:
    """Ignore the failure of a task whose callers were all cancelled."""
    if not task.cancelled():
        task.exception()


class CachedMatch:
    """One match as committed, its secret, the lock for commands and the notification of followers.

    `secret` is None if neither store nor log holds it.
    """

    def __init__(self, match: Match, secret: Secret | None) -> None:
        self.match, self.secret = match, secret
        match.rest()  # it may stay in memory for long, with many others
        self.lag: float | None = (
            None  # the age in seconds that it may have; None: it was current at the last read
        )
        self.position = 0  # in the store's order, up to which nothing of the match is missing here
        self.lock = asyncio.Lock()
        self.users = 0  # the commands and followers that use it; it stays cached while there are any
        self._waiting: list[asyncio.Future[bool]] = []  # callers that wait for a commit
        self._followers: list[Callable[[], None]] = []

    @contextmanager
    def used(self) -> Iterator[CachedMatch]:
        """Keep the match from being evicted while the context lasts."""
        self.users += 1
        try:
            yield self
        finally:
            self.users -= 1

    def take_in(self, records: Sequence[Record]) -> None:
        """Add the moves that another process has stored since."""
        for record in records:
            if record.move > self.match.move:
                self.match.accept(record)
        self.tell()

    @contextmanager
    def followed(self, news: Callable[[], None]) -> Iterator[None]:
        """While the context lasts, call `news` after each commit, in the same loop turn; it must not fail."""
        self._followers.append(news)
        try:
            yield
        finally:
            self._followers.remove(news)

    def tell(self) -> None:
        """Notify all followers and all callers that wait for a commit."""
        for news in tuple(self._followers):
            news()
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            _answer(future, True)

    async def news(self, seconds: float) -> bool:
        """Wait for the next commit, for at most these seconds; return whether there was one."""
        loop = asyncio.get_running_loop()
        waiting: asyncio.Future[bool] = loop.create_future()
        self._waiting.append(waiting)
        late = loop.call_later(seconds, _answer, waiting, False)
        try:
            return await waiting
        finally:
            late.cancel()
            if waiting in self._waiting:
                self._waiting.remove(waiting)


def _answer(future: asyncio.Future[bool], answer: bool) -> None:
    if not future.done():
        future.set_result(answer)


class MatchCache:
    """The cached matches by id, the most recently used last.

    Args:
        most: how many are kept; busy ones stay beyond that.
        room: bytes of memory that they may take, about; busy ones stay beyond that.
        load: loads a stored match, in a thread; None if there is no such match.
        since: returns the stored moves of a match after one (see `CoalescedReads.since`).
    """

    def __init__(self, most: int, room: int, load: Callable[[str], CachedMatch | None], since: Since) -> None:
        self._most, self._room, self._load, self._since = most, room, load, since
        self.weight = 0  # bytes of memory that they take, about
        self._weights: dict[str, int] = {}
        self._data: dict[int, tuple[int, int]] = {}  # by id: how many desks have it, and what it weighs
        self._matches: OrderedDict[str, CachedMatch] = OrderedDict()
        self._loading: dict[str, asyncio.Task[CachedMatch | None]] = {}

    def put(self, cached: CachedMatch) -> CachedMatch:
        """Cache a match that was just opened, and return the cached one.

        It may have been read from the store already: then that one is returned.
        """
        kept = self._matches.setdefault(cached.match.id, cached)
        if kept is cached:
            for data in data_of(cached.match.opened.options):
                self._hold(data)
        self._weigh(kept.match.id, kept)
        self._thin_out()
        return kept

    @property
    def is_full(self) -> bool:
        """Whether the matches that cannot be evicted take all the room."""
        return self.weight > self._room

    def at_hand(self, match: str) -> CachedMatch | None:
        """Return the match if it is cached, as the most recently used one."""
        cached = self._matches.get(match)
        if cached is not None:
            self._matches.move_to_end(match)
            self._weigh(match, cached)
            self._thin_out()
        return cached

    def peek(self, match: str) -> CachedMatch | None:
        """Return the match if it is cached, without counting as a use."""
        return self._matches.get(match)

    async def get(self, match: str) -> CachedMatch | None:
        """Return the match of an id, loaded if necessary; concurrent callers share one read of the store."""
        while True:
            cached = self.at_hand(match)
            if cached is not None:
                return cached
            loading = self._loading.get(match)
            if loading is None:
                loading = self._loading[match] = asyncio.create_task(self._fetch(match))
                loading.add_done_callback(forget)
            cached = await asyncio.shield(loading)
            if cached is None or self._matches.get(match) is cached:
                return cached

    def __len__(self) -> int:
        return len(self._matches)

    async def catch_up(self, cached: CachedMatch) -> bool:
        """Add the moves that other processes have stored; return whether there were any."""
        return await self.take_in(cached, await self._since(cached.match.id, cached.match.move))

    async def take_in(self, cached: CachedMatch, records: Sequence[Record]) -> bool:
        """Add stored moves as soon as no command holds the lock; return whether any were still missing."""
        while records and cached.match.move < records[-1].move:
            if not cached.lock.locked():
                cached.take_in(records)
                return True
            await cached.news(_GLANCE)  # the command under way may take them in itself: its own moves
        return False

    async def read_on(self, cached: CachedMatch) -> bool:
        """Add the stored moves while holding the match's lock; return whether there were any."""
        records = await self._since(cached.match.id, cached.match.move)
        if records:
            cached.take_in(records)
        return bool(records)

    async def refresh(self, cached: CachedMatch) -> None:
        """Read the missing moves, or the whole match if the cached one differs; needs the match's lock."""
        if await self.read_on(cached):
            return
        found = await asyncio.to_thread(self._load, cached.match.id)
        if found is not None:
            cached.match, cached.secret = found.match, found.secret
            cached.tell()

    def wake(self) -> None:
        """Wake all callers that wait for a commit of any match."""
        for cached in self._matches.values():
            cached.tell()

    async def _fetch(self, match: str) -> CachedMatch | None:
        try:
            found = await asyncio.to_thread(self._load, match)
        finally:
            del self._loading[match]
        if found is None:
            return None
        if match not in self._matches:
            self.put(found)
        return self._matches[match]

    def _thin_out(self) -> None:
        if len(self._matches) <= self._most and not self.is_full:
            return
        newest = next(reversed(self._matches))
        for match in list(self._matches):
            if len(self._matches) <= self._most and not self.is_full:
                return
            if match != newest and not self._matches[match].users:
                self._clear_away(self._matches.pop(match))

    def _clear_away(self, cached: CachedMatch) -> None:
        self.weight -= self._weights.pop(cached.match.id)
        for data in data_of(cached.match.opened.options):
            desks, weight = self._data.pop(id(data))
            if desks > 1:
                self._data[id(data)] = desks - 1, weight
            else:
                self.weight -= weight

    def _hold(self, data: Data) -> None:
        """Data that several matches share is weighed once."""
        desks, weight = self._data.get(id(data), (0, data.weight))
        self._data[id(data)] = desks + 1, weight
        self.weight += 0 if desks else weight

    def _weigh(self, match: str, cached: CachedMatch) -> None:
        """The weight of a match grows with each move, and with each view of it."""
        weight, known = cached.match.weight, self._weights.get(match, 0)
        if weight != known:
            self.weight += weight - known
            self._weights[match] = weight


# ── Looks into a store that others write, too: what is stored since of the matches at hand ──
#
# Each look sees everything that was committed before it was asked for.  Those that wait at the same time are
# one question, which costs little more than one look alone; a question that was sent takes in no other look.


_PATIENCE = 0.1  # seconds for which a question waits for the one before it, which may hang

_Found = Mapping[str, list[Record]]


class CoalescedReads:
    """Reads the missing moves of cached matches; waiting reads share one query.

    Args:
        store: it is read in threads.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._question: _Question | None = None  # the latest

    async def since(self, match: str, move: int) -> list[Record]:
        """Return the stored records of a match after move `move`: all that were committed before the call.

        Raises:
            StoreError: the store cannot be read.
            Damaged: these are not the bytes of moves.
        """
        question = self._question
        if question is None or question.is_sent:
            question = self._question = _Question(self._store, question)
        try:
            found = await question.answer(match, move)
        except Damaged:  # only a query for this match alone shows whether it is the damaged one
            return await asyncio.to_thread(self._store.since, match, move)
        return [record for record in found if record.move > move]


class _Question:
    """One query of the log, sent when the query before it is answered.

    Args:
        log: the log that is queried.
        before: the query before this one.
    """

    def __init__(self, log: Log, before: _Question | None) -> None:
        self._log, self._moves = log, dict[str, int]()
        self.is_sent = False
        asking = self._ask(before._task if before else None)
        self._task: asyncio.Task[_Found] = asyncio.create_task(asking)
        self._task.add_done_callback(forget)

    async def answer(self, match: str, move: int) -> list[Record]:
        """Return the records of a match after a move, maybe with earlier ones; only before `is_sent`."""
        self._moves[match] = min(move, self._moves.get(match, move))
        return (await asyncio.shield(self._task))[match]

    async def _ask(self, before: asyncio.Task[_Found] | None) -> _Found:
        if before is not None and not before.done():
            await asyncio.wait((before,), timeout=_PATIENCE)
        self.is_sent = True
        return await asyncio.to_thread(self._log.since_each, self._moves)


# ── Reading earlier moves of matches that are not cached, without loading the whole match ──


class UncachedMatch(Struct, frozen=True):
    """An earlier move of a match that is not cached, for reading only."""

    match: PartialMatch


def read_uncached(store: Store, match: str, move: int) -> UncachedMatch | None:
    """Return what an earlier move of a match shows; reads the store, so call it in a thread.

    Returns None if that is not possible.  Reading the whole match then raises the reason: there is no such
    match or move, its log is damaged, or the store is not available and has a replica.
    """
    try:
        found = store.partial_match(match, move)
        return None if found is None else UncachedMatch(found)
    except (StoreError, Damaged):
        return None
