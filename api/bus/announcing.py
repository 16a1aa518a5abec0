"""Telling the other workers of commits: one entry in a Redis stream for each, whose id is its position.

An entry names the match and the first and last position, and nothing of the moves.  Whoever hears it looks
into the store; so no secret ever lies in Redis, and an entry that somebody else put there shows nobody
anything.  A code over it (HMAC-SHA256, of which 12 bytes are sent) tells that it is a worker's: who believed
in commits that are still to come would not look for them when they do.  The code holds no time: what was true
once stays true, for a position is used only once.  Only where a store was restored to an earlier time may who
writes to Redis put an old entry back, and so hold up news of a match to those who follow it at another
worker; whoever looks at the match sees what is stored.

Redis refuses an entry whose id does not come after the last one: what two workers announce out of order, or
twice.  That leaves a gap in the positions, and whoever hears fills it from the store.
"""

from __future__ import annotations

import asyncio
import hmac
from collections import deque

from redis.asyncio import Redis

from api.bus.link import PAUSE, Away, Link, Refused

WAITING = 10_000  # announcements kept while Redis does not answer; the oldest are given up
KEPT = 100_000  # entries in the stream, about: whoever is further behind reads the store
_AT_ONCE = 500
_PACE = 0.01  # seconds between two calls: a call costs as much as 150 announcements in it

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


class Announcer:
    """Announces commits from a task of its own; whoever commits never waits.

    Args:
        link: to Redis.
        stream: the name of the stream.
        key: 32 bytes that the workers share and Redis does not know.
        most: announcements that may wait.
    """

    def __init__(self, link: Link, stream: str, key: bytes, most: int = WAITING) -> None:
        self._link, self._stream, self._key = link, stream, key
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
                    await asyncio.sleep(_PACE)
                except Refused:  # it would be refused again; who hears finds a gap, and fills it
                    self._sending = []
                except Away:
                    await asyncio.sleep(PAUSE)

    async def _send(self) -> None:
        """Send some; those that failed are sent again, for nobody knows whether they arrived."""
        if not self._sending:
            some = [self._waiting.popleft() for _ in range(min(_AT_ONCE, len(self._waiting)))]
            self._sending = sorted(some)
        lines = "\n".join(self._line(last, f"{first} {match}") for last, first, match in self._sending)

        async def add(redis: Redis) -> int:
            refused: int = await redis.register_script(_ADD)(keys=[self._stream], args=[KEPT, lines])
            return refused

        self.refused += await self._link.ask(add)
        self.announced += len(self._sending)
        self._sending = []

    def _line(self, last: int, said: str) -> str:
        return f"{last} {said} {code(self._key, self._stream, last, said.encode()).decode()}"


def code(key: bytes, stream: str, last: int, said: bytes) -> bytes:
    """What tells that a worker announced this: up to position `last`, and `said`, the rest of the entry."""
    whole = f"{stream} {last} ".encode() + said
    return hmac.new(key, whole, "sha256").hexdigest()[:24].encode()
