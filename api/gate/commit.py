"""Commits: a draft goes to the store's writer, and is added to the match once it is durable.

No caller sees anything of a draft before the store confirms that it is durable.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from functools import partial
from typing import Any, Generic, TypeVar

from api.gate.match_cache import CachedMatch
from api.histogram import SECONDS, Histogram
from api.store.interface import Append, Conflict, Exists, InDoubt, Remembered, Reservations, Store, StoreError
from api.store.keys import Keys
from domain.chance import Secret
from domain.drafts import Context, Draft
from domain.events import Closed, SecretOpened
from domain.kernel import Refused
from domain.log import unb64
from domain.match import Match
from domain.signed_notes import PUBLIC, NotSignedHere, Signed, checkpoint

UNTOLD = ("unavailable", "in-doubt")  # kinds that say nothing about the match: the store failed


# ── What a gate has done since it was made, for metrics: numbers only, of no match and no person ──


class GateCounters:
    """Counters of the gate.

    `moves`: stored from here, by game.  `commands`: carried out, by name.  `doubts`: appends that ended in
    doubt.  `delays`: the seconds from the time in a move of another process to its arrival here.
    """

    def __init__(self) -> None:
        self.moves, self.commands = Counter[str](), Counter[str]()
        self.doubts = 0
        self.delays = Histogram(SECONDS)


# ── Results from other threads: the loop takes all that have arrived in one call ──
#
# A commit makes a whole group of appends durable at once, and news of commits come in groups, too.  Waking
# the loop for each of them, as `asyncio.wrap_future` does, would cost as much as judging some of the moves.

T = TypeVar("T")
_Loop = asyncio.AbstractEventLoop
_Pair = tuple[asyncio.Future[Any], Future[Any]]


class Inbox(Generic[T]):
    """A queue from other threads to the event loop, in order.

    Args:
        take: handles one item on the loop; it must not fail.
    """

    def __init__(self, take: Callable[[T], None]) -> None:
        self._take = take
        self._came: deque[T] = deque()
        self._called = False

    def put(self, loop: _Loop, thing: T) -> None:
        """Add an item from another thread, and wake the loop once; a closed loop gets nothing."""
        if loop.is_closed():
            return
        self._came.append(thing)
        if not self._called:
            self._called = True
            loop.call_soon_threadsafe(self._deliver)

    def _deliver(self) -> None:
        """Handle all items on the loop; later items wake it again."""
        self._called = False
        while self._came:
            self._take(self._came.popleft())


class _Work:
    """Work that a coroutine waits for: `future` is its result in the thread, once it is submitted."""

    __slots__ = ("begin", "future", "waiting")

    def __init__(self, begin: Callable[[], Future[Any]], waiting: asyncio.Future[Any]) -> None:
        self.begin, self.waiting = begin, waiting
        self.future: Future[Any] | None = None


class ThreadBridge:
    """Lets coroutines wait for work in another thread.

    Work is submitted at the end of the loop turn in which it is requested: all commands that came together
    are in one transaction, and the writing thread does not compete for the interpreter while the others are
    still being judged.
    """

    def __init__(self) -> None:
        self._inbox: Inbox[_Pair] = Inbox(_settle)
        self._turn: list[_Work] = []

    async def result(self, begin: Callable[[], Future[T]]) -> T:
        """Return the result of the work that `begin` submits to a thread; a cancelled caller cancels it."""
        loop = asyncio.get_running_loop()
        waiting: asyncio.Future[T] = loop.create_future()
        work = _Work(begin, waiting)
        if not self._turn:
            loop.call_soon(self._hand_over, loop)
        self._turn.append(work)
        try:
            return await waiting
        except asyncio.CancelledError:
            if work.future is not None:
                work.future.cancel()
            raise

    def _hand_over(self, loop: _Loop) -> None:
        turn, self._turn = self._turn, []
        for work in turn:
            if work.waiting.cancelled():
                continue
            try:
                work.future = work.begin()
            except Exception as error:
                work.waiting.set_exception(error)
                continue
            work.future.add_done_callback(partial(self._come, loop, work.waiting))

    def _come(self, loop: _Loop, waiting: asyncio.Future[Any], future: Future[Any]) -> None:
        self._inbox.put(loop, (waiting, future))


def _settle(pair: _Pair) -> None:
    waiting, future = pair
    if waiting.done():
        return
    try:
        waiting.set_result(future.result())
    except CancelledError:
        return
    except Exception as error:
        waiting.set_exception(error)


# ── From a draft to committed state: hand it to the store's writer, wait, and only then take it in ──


Announce = Callable[[str, int, int], None]  # a match, and its first and last position in a commit


class Commits:
    """Makes drafts durable, then visible.

    Args:
        store: where matches are kept.
        keys: sign the checkpoint of a match that ends.
        clock: returns the time in microseconds UTC; None if the log must hold no time (a seeded match).
        product: the version of this program, for the log.
    """

    def __init__(self, store: Store, keys: Keys, clock: Callable[[], int | None], product: str) -> None:
        self.store, self.keys, self.clock, self.product = store, keys, clock, product
        self._bridge = ThreadBridge()
        self.announce: Announce | None = None  # called after each commit; it must not block
        self.counts = GateCounters()

    def load(self, match: str) -> CachedMatch | None:
        """Return a match as stored; reads the store, so call it in a thread."""
        found = self.store.match(match)
        if found is None:
            return None
        secret = self.store.secret(match)
        known = Secret(secret, match) if secret else opened_secret(found)
        return CachedMatch(found, known)

    def context(self, cached: CachedMatch) -> Context:
        """Return the context of a command to this match.  The time of a match never runs backwards."""
        if cached.secret is None:
            raise Refused("over", "secret-not-here")
        now, latest = self.clock(), cached.match.records[-1].entry.at or 0
        return Context(cached.secret, None if now is None else max(now, latest), self.product)

    def note(self, match: Match, size: int, root: bytes) -> str:
        """Return the signed checkpoint over `size` moves.  Raises NotSignedHere: see `checkpoint`."""
        return checkpoint(self.keys.signing, match, size, root)

    async def commit(
        self,
        cached: CachedMatch,
        draft: Draft,
        remembered: Remembered | None = None,
        reservations: int | None = None,
    ) -> None:
        """Make a draft durable, then add it to the match, then notify the followers.

        `reservations`: the version of those that it was judged by, if it was.

        Raises:
            Conflict: another writer was faster.
            Refused: unavailable, in-doubt.
        """
        match, records = cached.match, draft.records
        note = self._closing_note(match, draft) if isinstance(records[-1].entry, Closed) else ""
        append = Append(records, remembered=remembered, note=note, reservations=reservations)
        cached.position = await self.durable(append)
        match.add(draft)
        self.counts.moves[match.game.name] += len(records)
        cached.tell()

    async def first(
        self,
        match: Match,
        secret: Secret,
        remembered: Remembered | None = None,
        reserved: Reservations | None = None,
    ) -> CachedMatch:
        """Store a new match; see `_new`."""
        append = Append(match.records, secret.bytes, remembered, reserved=reserved)
        return await self._new(match, secret, append)

    async def whole(self, match: Match, note: str, proof: Signed) -> CachedMatch:
        """Store a whole match from elsewhere, its checkpoint and the signers of that; see `_new`."""
        match.proof = proof
        signer = next(iter((*proof.by, *proof.named)), PUBLIC.label)
        return await self._new(match, opened_secret(match), Append(match.records, note=note, signer=signer))

    async def _new(self, match: Match, secret: Secret | None, append: Append) -> CachedMatch:
        """Raises Refused: exists, unavailable, in-doubt."""
        try:
            position = await self.durable(append)
        except (Exists, Conflict) as error:
            raise Refused("exists", "match-exists", {"match": match.id}) from error
        self.counts.moves[match.game.name] += match.move
        cached = CachedMatch(match, secret)
        cached.position = position
        return cached

    async def durable(self, append: Append) -> int:
        """Make an append durable; return the position of its last record.

        Raises:
            Conflict, Exists: another writer was faster.
            Refused: unavailable, in-doubt.
        """
        match = append.records[0].match
        try:
            last = await self._bridge.result(partial(self.store.submit, append))
        except (Conflict, Exists):
            raise
        except StoreError as error:
            self.counts.doubts += isinstance(error, InDoubt)
            raise error.refusal() from error
        if self.announce is not None:
            self.announce(match, last - len(append.records) + 1, last)
        return last

    def _closing_note(self, match: Match, draft: Draft) -> str:
        """The checkpoint over the whole match, which the draft ends; "" if it is not to be signed."""
        tree = match.tree.copy()
        for record in draft.records:
            tree.add(record.leaf)
        try:
            return self.note(match, tree.size, tree.root)
        except NotSignedHere:
            return ""


def opened_secret(match: Match) -> Secret | None:
    """The secret of a finished match, from its own log."""
    entries = (record.entry for record in reversed(match.records))
    found = next((entry for entry in entries if isinstance(entry, SecretOpened)), None)
    return Secret(unb64(found.secret), match.id) if found else None
