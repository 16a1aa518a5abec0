"""The feed of commits through Redis: each is heard once, in the order of the store.

An announcement that follows the one before it is believed; it only makes somebody look.  Whatever else comes,
a gap or a leap, is filled from the store.  So is all that was committed while Redis was away or silent: then
the store is looked at from time to time.

A stream that is ahead of the store at the start, or when Redis comes back, was announced before the store
was restored to an earlier time.  It is thrown away: else commits that are still to come would be taken for
those of old.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
import time
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from redis.asyncio import Redis
from redis.exceptions import ResponseError

from api.bus.redis_client import PAUSE, Away, RedisClient, Refused
from api.store.interface import Log, OnCommit, StoreError

# ── Telling the other workers of commits: one entry in a Redis stream for each, whose id is its position ──
#
# An entry names the match and the first and last position, and nothing of the moves.  A reader looks
# into the store; so no secret ever lies in Redis, and an entry that somebody else put there shows nobody
# anything.  A code over it (HMAC-SHA256, of which 12 bytes are sent) tells that it is a worker's: who
# believed in commits that are still to come would not look for them when they do.  The code holds no time:
# what was true once stays true, for a position is used only once.  Only where a store was restored to an
# earlier time may who writes to Redis put an old entry back, and so hold up news of a match to those who
# follow it at another worker; a viewer of the match sees what is stored.
#
# Redis refuses an entry whose id does not come after the last one: what two workers announce out of order, or
# twice.  That leaves a gap in the positions, and the reader fills it from the store.

WAITING = 10_000  # announcements kept while Redis does not answer; the oldest are given up
KEPT = 100_000  # entries in the stream, about: a worker further behind reads the store
_GROUP = 500
_WAIT = 0.01  # seconds between two calls: a call costs as much as 150 announcements in it

# The lines come in the order of their positions.  Those that come too late are counted; where Redis takes
# nothing, for want of room or as a replica, that is the answer.
_ADD = """
local refused = 0
for last, what in string.gmatch(ARGV[2], '(%d+) ([^\\n]+)') do
  local added = redis.pcall('XADD', KEYS[1], 'MAXLEN', '~', ARGV[1], last .. '-0', 'c', what)
  if type(added) == 'table' and added.err then
    if not string.find(added.err, 'equal or smaller', 1, true) then return added end
    refused = refused + 1
  end
end
return refused
"""


class Publisher:
    """Announces commits from a task of its own; a commit never waits.

    Args:
        link: to Redis.
        stream: the name of the stream.
        key: 32 bytes that the workers share and Redis does not know.
        most: announcements that may wait.
    """

    def __init__(self, client: RedisClient, stream: str, key: bytes, most: int = WAITING) -> None:
        self._client, self._stream, self._key = client, stream, key
        self._waiting: deque[tuple[int, int, str]] = deque(maxlen=most)
        self._sending: list[tuple[int, int, str]] = []
        self._woken = asyncio.Event()
        self.announced, self.refused = 0, 0

    @property
    def waiting(self) -> int:
        """Announcements that were not sent yet."""
        return len(self._waiting) + len(self._sending)

    def announce(self, match: str, first: int, last: int) -> None:
        """Positions `first` to `last` were committed, all of this match."""
        self._waiting.append((last, first, match))
        self._woken.set()

    async def run(self) -> None:
        """Announce for ever."""
        while True:
            await self._woken.wait()
            self._woken.clear()
            while self.waiting:
                try:
                    await self._send()
                    await asyncio.sleep(_WAIT)
                except Refused:  # it would be refused again; who hears finds a gap, and fills it
                    self._sending = []
                except Away:
                    await asyncio.sleep(PAUSE)

    async def _send(self) -> None:
        """Send some; those that failed are sent again, for it is unknown whether they arrived."""
        if not self._sending:
            some = [self._waiting.popleft() for _ in range(min(_GROUP, len(self._waiting)))]
            self._sending = sorted(some)
        lines = "\n".join(self._line(last, f"{first} {match}") for last, first, match in self._sending)

        async def add(redis: Redis) -> int:
            refused: int = await redis.register_script(_ADD)(keys=[self._stream], args=[KEPT, lines])
            return refused

        self.refused += await self._client.ask(add)
        self.announced += len(self._sending)
        self._sending = []

    def _line(self, last: int, said: str) -> str:
        return f"{last} {said} {code(self._key, self._stream, last, said.encode()).decode()}"


def code(key: bytes, stream: str, last: int, said: bytes) -> bytes:
    """What tells that a worker announced this: up to position `last`, and `said`, the rest of the entry."""
    whole = f"{stream} {last} ".encode() + said
    return hmac.new(key, whole, "sha256").hexdigest()[:24].encode()


# ── Hearing of commits through Redis: every one is told once, in the order of the store ──


BLOCK = 0.5  # seconds that Redis holds a question for news back
_LOOK = 0.5  # seconds between two looks at the store while Redis is away
_AT_ONCE = 1_000  # entries, or moves, read in one question
_STEP = 1_000  # moves that one commit holds at most: what claims to hold more is looked up
_PACE = 0.004  # seconds between two readings, so that a busy stream is read in pieces
_EASY = 0.05  # the same, where the store itself has told everything sooner

Entry = tuple[int, int, str]  # the last and first position of a commit, and its match
_log = logging.getLogger("glasnost.bus")


class Consumer:
    """Reads the stream in a task of its own and tells what was committed.

    Args:
        link: to Redis, with more patience than `BLOCK`.
        stream: the name of the stream.
        key: that of those who announce.
        log: fills the gaps.
        clock: seconds that never run backwards.
    """

    def __init__(
        self,
        client: RedisClient,
        stream: str,
        key: bytes,
        log: Log,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._client, self._stream, self._key, self._log, self._clock = client, stream, key, log, clock
        self._callbacks: list[OnCommit] = []
        self.position = 0  # up to which everything was told
        self._begun = self._compared = False
        self.heard_at = clock()  # when Redis answered last, though it were with nothing
        self.filled = 0  # moves that were told from the store

    def watch(self, callback: OnCommit) -> None:
        """Tell of every commit from now on; called before the first match is looked at."""
        self._callbacks.append(callback)
        with suppress(StoreError):  # of what is away no match was looked at
            self._begin(self._log.last())

    def _begin(self, position: int) -> None:
        self.position, self._begun = position, True

    def passed(self, position: int) -> None:
        """Everything up to here was told by somebody else; it need not be told, nor looked for, again."""
        self.position = max(self.position, position)

    async def run(self) -> None:
        """Hear for ever."""
        while True:
            try:
                if not self._begun:
                    self._begin(await asyncio.to_thread(self._log.last))
                await self._compare()
                await self._once()
            except Away:
                self._compared = False  # it may come back with what it once held
                await asyncio.sleep(_LOOK)
                await self._read_all()
            except StoreError:  # it is heard again: the position stands
                await asyncio.sleep(_LOOK)

    async def _compare(self) -> None:
        """Is the stream ahead of the store?  It is read first: what comes meanwhile makes no difference."""
        if self._compared:
            return
        newest = await self._found(lambda redis: redis.xrevrange(self._stream, count=1))
        if newest and _position(newest[0][0]) > await asyncio.to_thread(self._log.last):
            await self._throw_away()
        self._compared = True

    async def _once(self) -> None:
        entries = await self._read()
        self.heard_at, known = self._clock(), self.position
        for entry in entries:
            await self._take(*entry)
        if entries:
            await asyncio.sleep(_PACE if entries[-1][0] > known else _EASY)
        else:
            await self._read_all()

    async def _read(self) -> list[Entry]:
        """What comes after the position; waits for it a while."""
        after: dict[Any, Any] = {self._stream: f"{self.position}-0"}
        block = int(BLOCK * 1000)
        found = await self._found(lambda redis: redis.xread(after, count=_AT_ONCE, block=block))
        return [self._entry(*entry) for entry in (found[0][1] if found else ())]

    async def _found(self, ask: Callable[[Redis], Awaitable[Any]]) -> Any:
        """What the stream holds; where something else lies under its name, that is put away."""

        async def work(redis: Redis) -> Any:
            try:
                return await ask(redis)
            except ResponseError as error:
                if not str(error).startswith("WRONGTYPE"):
                    raise
                await redis.delete(self._stream)
                return []

        return await self._client.ask(work)

    def _entry(self, number: bytes, fields: dict[bytes, bytes]) -> Entry:
        """An entry; one that is not ours reads as a leap, which is looked up."""
        last = _position(number)
        said, _, shown = fields.get(b"c", b"").rpartition(b" ")
        if not hmac.compare_digest(shown, code(self._key, self._stream, last, said)):
            return last, 0, ""
        first, _, match = said.decode().partition(" ")
        return last, int(first), match

    async def _take(self, last: int, first: int, match: str) -> None:
        if last <= self.position:
            return
        if first == self.position + 1 and last - first < _STEP:
            self._tell(match, last)
            return
        await self._fill(last)
        if self.position < last:
            await self._throw_away()

    async def _read_all(self) -> None:
        """Tell what the store holds and was not announced."""
        try:
            while await self._page() == _AT_ONCE:
                pass
        except StoreError as error:
            _log.info("the store is not followed", extra={"reason": type(error).__name__})

    async def _fill(self, upto: int) -> None:
        while self.position < upto and await self._page():
            pass

    async def _page(self) -> int:
        """Tell a page of what the store holds after the position; how many moves it had."""
        news = await asyncio.to_thread(self._log.news, self.position, _AT_ONCE)
        for match, position in news:
            self._tell(match, position)
        self.filled += len(news)
        return len(news)

    def _tell(self, match: str, position: int) -> None:
        if position <= self.position:
            return
        self.position = position
        for callback in self._callbacks:
            callback(match, position)

    async def _throw_away(self) -> None:
        """The stream is ahead of the store: it is another store's, or the store was restored."""
        _log.warning("announcements of what is not stored: thrown away", extra={"stream": self._stream})
        await self._client.ask(lambda redis: redis.delete(self._stream))


def _position(number: bytes) -> int:
    """The position that the id of an entry names."""
    return int(number.partition(b"-")[0])
