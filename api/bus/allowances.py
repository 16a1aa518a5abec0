"""Limits that the workers share: each tells what it let through, and hears what the others did.

A request is judged by its own worker alone, at once.  Ten times a second the workers settle in Redis what
each visitor has used, and a worker that hears of more than it knew lets him wait accordingly.  So whoever
spreads his requests over the workers gets one allowance, and what he can take in a tenth of a second on top.
Without Redis each worker judges by what it let through itself.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from redis.asyncio import Redis

from api.bus.link import Away, Link

EVERY = 0.1  # seconds between two settlements
_SECOND = 1_000_000

# Two sorted sets: when each visitor's bucket is full again, by which it is judged (GCRA), and when that was
# changed.  All times are Redis' own, in microseconds.  Where its clock was set back, those that are still to
# come are thrown away: they would hold visitors up until it comes there again.  Given: what one request
# costs, the burst, since when changes are told, and visitors with how many requests they made.  Answered:
# now, and for each change the visitor, his time from now, and when it was changed.
_SETTLE = """
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local each, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
for i = 4, #ARGV, 2 do
  local free = math.max(tonumber(redis.call('ZSCORE', KEYS[1], ARGV[i]) or 0), now - burst)
  if free > now + burst then free = now - burst end
  free = math.min(free + each * tonumber(ARGV[i + 1]), now + burst)
  redis.call('ZADD', KEYS[1], string.format('%.0f', free), ARGV[i])
  redis.call('ZADD', KEYS[2], string.format('%.0f', now), ARGV[i])
end
redis.call('ZREMRANGEBYSCORE', KEYS[1], string.format('(%.0f', now + burst), '+inf')
redis.call('ZREMRANGEBYSCORE', KEYS[2], string.format('(%.0f', now), '+inf')
local past = string.format('%.0f', now - burst)
for _, visitor in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', past, 'LIMIT', 0, 1000)) do
  redis.call('ZREM', KEYS[1], visitor)
  redis.call('ZREM', KEYS[2], visitor)
end
local answer = {string.format('%.0f', now)}
local changed = redis.call('ZRANGEBYSCORE', KEYS[2], ARGV[3], '+inf', 'WITHSCORES', 'LIMIT', 0, 1000)
for i = 1, #changed, 2 do
  local free = redis.call('ZSCORE', KEYS[1], changed[i])
  if free then
    table.insert(answer, changed[i])
    table.insert(answer, string.format('%.0f', math.min(free - now, burst)))
    table.insert(answer, changed[i + 1])
  end
end
redis.call('PEXPIRE', KEYS[1], math.ceil(burst / 500) + 1000)
redis.call('PEXPIRE', KEYS[2], math.ceil(burst / 500) + 1000)
return answer
"""
_TOLD = 1_000  # changes in one answer


class Limit(Protocol):
    """The limit of one worker."""

    each: float  # seconds that one request costs
    burst: float  # seconds of an empty bucket until it is full

    def granted(self, most: int) -> Mapping[str, int]:
        """What was let through since this was asked before, of up to so many visitors."""

    def learn(self, visitor: str, free_at: float) -> None:
        """What all workers let through leaves his bucket full only at `free_at`, on this worker's clock."""


class Allowance:
    """Settles one limit with the other workers.

    Args:
        link: to Redis.
        name: the keys of this limit.
        limit: this worker's own.
        clock: the limit's clock.
    """

    def __init__(
        self, link: Link, name: str, limit: Limit, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._link, self._keys, self._clock = link, (f"{name}:free", f"{name}:changed"), clock
        self._limit, self._since = limit, "0"

    async def run(self) -> None:
        """Settle for ever."""
        while True:
            try:
                await self.settle()
            except Away:
                self._since = "0"
            await asyncio.sleep(EVERY)

    async def settle(self) -> None:
        """Tell, and hear.  What cannot be told is forgotten: a visitor never pays for a Redis that was away.

        Raises:
            Away.
        """
        limit, now = self._limit, self._clock()
        told = [word for pair in limit.granted(_TOLD // 2).items() for word in pair]
        given = [int(limit.each * _SECOND), int(limit.burst * _SECOND), self._since, *told]

        async def settle(redis: Redis) -> Sequence[Any]:
            answer: Sequence[Any] = await redis.register_script(_SETTLE)(keys=self._keys, args=given)
            return answer

        self._hear(await self._link.ask(settle), now)

    def _hear(self, answer: Sequence[bytes], now: float) -> None:
        """Learn the changes; the next answer begins with the last one, but never later than now."""
        changes = list(zip(answer[1::3], answer[2::3], answer[3::3], strict=True))
        for visitor, free, _ in changes:
            self._limit.learn(visitor.decode("utf-8", "replace"), now + int(free) / _SECOND)
        since = [answer[0], changes[-1][2]] if len(changes) >= _TOLD else [answer[0]]
        self._since = min(since, key=float).decode()
