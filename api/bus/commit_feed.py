"""The feed of commits through Redis: a worker reports each commit once, in the order of the store.

An announcement that follows the one before it is trusted; it only makes a worker read the store.  A gap or a
leap is filled from the store.  So is everything that was committed while Redis was away or silent: then the
store is read from time to time.

If the stream is ahead of the store at the start, or when Redis comes back, it was written before the store
was restored to an earlier state.  It is deleted: else commits that are still to come would be taken for old
ones.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
import time
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from api.bus.redis_client import PAUSE, Away, RedisClient, Refused
from api.store.interface import Log, OnCommit, StoreError

if TYPE_CHECKING:
    from redis.asyncio import Redis

# ── The publisher: one entry in a Redis stream for each commit, whose id is the commit's position ──
#
# An entry names the match and the first and last position, and nothing of the moves.  A reader reads the
# store; so Redis never holds a secret, and a forged entry shows nothing to anyone.  A code over the entry
# (HMAC-SHA256, of which 12 bytes are sent) proves that a worker wrote it: a reader that trusted forged
# positions would not read the real commits later.  The code covers no time: an entry stays true, because a
# position is used only once.  Only after a store was restored to an earlier state could a writer to Redis put
# an old entry back, and so delay the announcement of a match for those who follow it at another worker; a
# viewer who opens the match sees what is stored.
#
# Redis refuses an entry whose id does not come after the last one, if two workers announce out of order or
# twice.  That leaves a gap in the positions, and the reader fills it from the store.

WAITING = 10_000  # announcements kept while Redis does not answer; the oldest are dropped
KEPT = 100_000  # entries in the stream, about: a worker further behind reads the store
_GROUP = 500
_WAIT = 0.01  # seconds between two calls: a call costs as much as 150 announcements in one

# The lines are in the order of their positions.  Those that come too late are counted; if Redis takes
# nothing, because it is full or a replica, its error is the answer.
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
    """Announces commits from its own task; a commit never waits.

    Args:
        client: the client of Redis.
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
        """The number of announcements that were not sent yet."""
        return len(self._waiting) + len(self._sending)

    def announce(self, match: str, first: int, last: int) -> None:
        """Announce that positions `first` to `last` were committed, all of this match."""
        self._waiting.append((last, first, match))
        self._woken.set()

    async def run(self) -> None:
        """Announce until the task is cancelled."""
        while True:
            await self._woken.wait()
            self._woken.clear()
            while self.waiting:
                try:
                    await self._send()
                    await asyncio.sleep(_WAIT)
                except Refused:  # it would be refused again; the consumers find a gap, and fill it
                    self._sending = []
                except Away:
                    await asyncio.sleep(PAUSE)

    async def _send(self) -> None:
        """Send some announcements; send failed ones again, for it is unknown whether they arrived."""
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
    """Return the code of an entry: over the stream, the position `last`, and the rest of it (`said`)."""
    whole = f"{stream} {last} ".encode() + said
    return hmac.new(key, whole, "sha256").hexdigest()[:24].encode()


# ── The consumer: reports every commit once, in the order of the store ──


BLOCK = 0.5  # seconds that Redis waits for an entry before it answers that there is none
_LOOK = 0.5  # seconds between two readings of the store while Redis is away
_AT_ONCE = 1_000  # entries, or moves, that one query reads
_STEP = 1_000  # most moves of one commit: an entry that claims more is looked up in the store
_PACE = 0.004  # seconds between two readings, so that a busy stream is read in batches
_EASY = 0.05  # the same if the store itself has reported everything sooner

Entry = tuple[int, int, str]  # the last and first position of a commit, and its match
_log = logging.getLogger("glasnost.bus")


class Consumer:
    """Reads the stream in its own task and calls back for what was committed.

    Args:
        client: the client of Redis, with a longer timeout than `BLOCK`.
        stream: the name of the stream.
        key: the key of the publishers.
        log: the log of the store, from which gaps are filled.
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
        self.position = 0  # everything up to here was reported
        self._begun = self._compared = False
        self.heard_at = clock()  # when Redis answered last, even with nothing
        self.filled = 0  # moves that were reported from the store

    def watch(self, callback: OnCommit) -> None:
        """Call back for every commit from now on; must be called before the first match is read."""
        self._callbacks.append(callback)
        with suppress(StoreError):  # while the store is away no match was read
            self._begin(self._log.last())

    def _begin(self, position: int) -> None:
        self.position, self._begun = position, True

    def passed(self, position: int) -> None:
        """Skip everything up to this position: it was reported already, in another way."""
        self.position = max(self.position, position)

    async def run(self) -> None:
        """Read until the task is cancelled."""
        while True:
            try:
                if not self._begun:
                    self._begin(await asyncio.to_thread(self._log.last))
                await self._compare()
                await self._once()
            except Away:
                self._compared = False  # Redis may come back with old content
                await asyncio.sleep(_LOOK)
                await self._read_all()
            except StoreError:  # it is read again: the position did not change
                await asyncio.sleep(_LOOK)

    async def _compare(self) -> None:
        """Delete the stream if it is ahead of the store; it is read first, so new commits do no harm."""
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
        """The entries after the position; waits up to `BLOCK` seconds for one."""
        after: dict[Any, Any] = {self._stream: f"{self.position}-0"}
        block = int(BLOCK * 1000)
        found = await self._found(lambda redis: redis.xread(after, count=_AT_ONCE, block=block))
        return [self._entry(*entry) for entry in (found[0][1] if found else ())]

    async def _found(self, ask: Callable[[Redis], Awaitable[Any]]) -> Any:
        """The answer of a query to the stream; deletes a value of another type under its name."""
        from redis.exceptions import ResponseError

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
        """An entry; a forged one counts as a leap, which is looked up in the store."""
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
        """Report what is in the store and was not announced."""
        try:
            while await self._page() == _AT_ONCE:
                pass
        except StoreError as error:
            _log.info("the store is not followed", extra={"reason": type(error).__name__})

    async def _fill(self, upto: int) -> None:
        while self.position < upto and await self._page():
            pass

    async def _page(self) -> int:
        """Report a page of the store after the position; return how many moves it had."""
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
        """Delete the stream: it is ahead of the store, so it is another store's or the store was restored."""
        _log.warning("announcements of what is not stored: thrown away", extra={"stream": self._stream})
        await self._client.ask(lambda redis: redis.delete(self._stream))


def _position(number: bytes) -> int:
    """Return the position in the id of an entry."""
    return int(number.partition(b"-")[0])
