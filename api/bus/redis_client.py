"""The Redis client, with short timeouts and no retries; and the limits and tickets that the workers share by
it.

Retries of the library would delay the caller for seconds; here a query that is not answered in time has
failed, and for a moment no caller tries again.

If Redis refuses a query as wrong, Redis is not away: the error is logged once, and other queries go on.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
import re
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar
from urllib.parse import urlsplit

from api.settings import BadSetting

if TYPE_CHECKING:  # a server without Redis starts sooner: its client is not imported
    from redis.asyncio import Redis
    from redis.exceptions import ResponseError

VARIABLE = "GLASNOST_REDIS"
PATIENCE = 0.25  # seconds until a query has failed
PAUSE = 0.5  # seconds after a failure during which no query is sent
CALM = 5.0  # seconds without another refusal until a Redis that takes nothing counts as back
_CONNECTIONS = 16  # at most
_LOGGED = 100  # most different refusals that are logged
# Refusals because of Redis's state, not of the query, where a script wraps them in other text: they pass.
_PASSING = re.compile("\\b(BUSY|CLUSTERDOWN|LOADING|MASTERDOWN|MISCONF|NOREPLICAS|OOM|READONLY|TRYAGAIN) ")
_SCHEMES = ("redis", "rediss", "unix")
_NOT_UNDERSTOOD = (
    f"{VARIABLE} is no address of a Redis: it is redis://USER:PASSWORD@HOST:PORT/NUMBER (rediss:// with TLS,"
    " unix:///PATH for a socket), where other characters than letters and digits have the form %40"
)
_OPTIONS = f"{VARIABLE} has an option after the ? that the client of Redis does not know, or cannot use there"

T = TypeVar("T")
_log = logging.getLogger("glasnost.bus")


class Away(Exception):
    """Redis did not answer; the caller goes on without it."""


class Refused(Away):
    """Redis refuses the query, and would refuse it again: the query is wrong, and the error is logged."""


class Address:
    """The address of Redis, with the password if it has one; `str` gives it without the password.

    Args:
        url: redis://USER:PASSWORD@HOST:PORT/NUMBER, rediss://... or unix:///PATH.

    Raises:
        BadSetting: it is not such an address.  The text does not contain it, for it may hold a password.
    """

    def __init__(self, url: str) -> None:
        from redis.asyncio.connection import parse_url

        try:
            parts = urlsplit(url)
            self._arguments: dict[str, Any] = dict(parse_url(url))
            self._shown = f"{parts.scheme}://{parts.hostname}:{parts.port or 6379}{parts.path}"
        except ValueError:
            raise BadSetting(_NOT_UNDERSTOOD) from None
        number = parts.path.strip("/")
        if parts.scheme == "unix":
            self._shown = f"unix://{parts.path}"
        elif not parts.hostname or not (number.isdecimal() or not number):
            raise BadSetting(_NOT_UNDERSTOOD)
        if parts.scheme not in _SCHEMES:
            raise BadSetting(_NOT_UNDERSTOOD)
        self._try_options()

    def __str__(self) -> str:
        return self._shown

    def _try_options(self) -> None:
        """Check the options: make a connection object, which does not connect yet."""
        from redis.exceptions import RedisError

        try:
            pool: Any = self.client(PATIENCE).connection_pool
            pool.make_connection()
        except (TypeError, ValueError, RedisError):
            raise BadSetting(_OPTIONS) from None

    def client(self, patience: float) -> Redis:
        """Return a client with a timeout of so many seconds and no retries; the caller closes it."""
        from redis.asyncio import BlockingConnectionPool, Redis
        from redis.asyncio.retry import Retry
        from redis.backoff import NoBackoff

        ours = {
            "retry": Retry(NoBackoff(), 0),
            "socket_timeout": patience,
            "socket_connect_timeout": patience,
            "health_check_interval": 0,
            "protocol": 2,
            "decode_responses": False,
            "max_connections": _CONNECTIONS,
            "timeout": patience,
        }
        return Redis.from_pool(BlockingConnectionPool(**{**self._arguments, **ours}))


class Health:
    """Whether Redis answers, by all queries of this process; each change is logged once.

    Args:
        address: the address for the log.
        clock: seconds that never run backwards.
    """

    def __init__(self, address: Address, clock: Callable[[], float] = time.monotonic) -> None:
        self._address, self._clock = address, clock
        self._until = self._uncalm_until = 0.0
        self._refused = set[str]()
        self.away = False

    @property
    def is_open(self) -> bool:
        """Did a query fail a moment ago, so that no other is to be sent yet?"""
        return self.away and self._clock() < self._until

    def failed(self, error: Exception) -> None:
        """Note that Redis did not answer, or refuses to write."""
        from redis.exceptions import ResponseError

        now = self._clock()
        self._until = now + PAUSE
        self._uncalm_until = now + (CALM if isinstance(error, ResponseError) else 0.0)
        if not self.away:
            self.away = True
            said = {"address": str(self._address), "reason": type(error).__name__}
            _log.warning("redis is away; going on without it", extra=said)

    def refused(self, reason: str) -> None:
        """Note that Redis refused a query as wrong."""
        self.answered()
        if reason not in self._refused and len(self._refused) < _LOGGED:
            self._refused.add(reason)
            said = {"address": str(self._address), "reason": reason}
            _log.error("redis refuses what it was asked; going on without the answer", extra=said)

    def answered(self) -> None:
        """It answered."""
        if self.away and self._clock() >= self._uncalm_until:
            self.away = False
            _log.warning("redis is back", extra={"address": str(self._address)})


class RedisClient:
    """Sends queries to one Redis.

    Args:
        address: the address of Redis.
        health: whether Redis answers, shared by all clients of this process.
        patience: seconds until a query has failed.
    """

    def __init__(self, address: Address, health: Health, patience: float = PATIENCE) -> None:
        self._client, self._health = address.client(patience), health

    async def ask(self, question: Callable[[Redis], Awaitable[T]]) -> T:
        """Send a query; return its answer.

        Raises:
            Away: there is no answer, or one that this version does not understand.
            Refused: the query is wrong, or another program uses our keys.
        """
        from redis.exceptions import RedisError, ResponseError

        if self._health.is_open:
            raise Away("it failed a moment ago")
        try:
            answer = await question(self._client)
        except (RedisError, OSError, TimeoutError) as error:
            if isinstance(error, ResponseError) and not _passes(error):
                self._health.refused(_reason(error))
                raise Refused(type(error).__name__) from error
            self._health.failed(error)
            raise Away(type(error).__name__) from error
        self._health.answered()
        return answer

    async def close(self) -> None:
        """Hang up."""
        await self._client.aclose(close_connection_pool=True)


def _passes(error: ResponseError) -> bool:
    """Is this refusal because of Redis's state, not of the query?"""
    from redis.exceptions import ClusterDownError, OutOfMemoryError, ReadOnlyError, TryAgainError

    states = (ClusterDownError, OutOfMemoryError, ReadOnlyError, TryAgainError)
    return isinstance(error, states) or _PASSING.search(_reason(error)) is not None


def _reason(error: ResponseError) -> str:
    """The error of Redis without the text of the query, which may be anything."""
    return str(error).rpartition("caused error: ")[2].partition(", with args")[0].strip("(',)")


# ── Limits that the workers share: each reports what it let through, and reads what the others did ──
#
# Each worker decides on its requests alone, at once.  Ten times a second the workers exchange through Redis
# what each visitor has used, and a worker that learns of more than it knew makes the visitor wait
# accordingly.  So a visitor who spreads requests over the workers gets one allowance, and on top what can be
# sent in a tenth of a second.  Without Redis each worker counts only what it let through itself.


EVERY = 0.1  # seconds between two exchanges
_SECOND = 1_000_000

# Two sorted sets: when each visitor's bucket is full again (GCRA), and when that time was changed.  All times
# are those of Redis's clock, in microseconds.  If that clock was set back, times in the future are deleted:
# else visitors would wait until the clock comes there again.  Arguments: what one request costs, the burst,
# since when changes are wanted, and visitors with their numbers of requests.  Answer: the time now, and for
# each change the visitor, the time from now until the bucket is full, and when it was changed.
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
_SPREAD = 1_000  # changes in one answer


class Limit(Protocol):
    """The limit of one worker."""

    each: float  # seconds that one request costs
    burst: float  # seconds of an empty bucket until it is full

    def granted(self, most: int) -> Mapping[str, int]:
        """Return how many requests were let through since the last call, of up to so many visitors."""

    def learn(self, visitor: str, free_at: float) -> None:
        """Set when the visitor's bucket is full, by the requests at all workers: `free_at`, by this clock."""


class SharedLimit:
    """Exchanges one limit with the other workers.

    Args:
        client: the client of Redis.
        name: the prefix of the keys of this limit.
        limit: the limit of this worker.
        clock: the limit's clock.
    """

    def __init__(
        self, client: RedisClient, name: str, limit: Limit, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._client, self._keys, self._clock = client, (f"{name}:free", f"{name}:changed"), clock
        self._limit, self._since = limit, "0"

    async def run(self) -> None:
        """Exchange until the task is cancelled."""
        while True:
            try:
                await self.settle()
            except Away:
                self._since = "0"
            await asyncio.sleep(EVERY)

    async def settle(self) -> None:
        """Report this worker's requests, and read the changes of the others.

        What cannot be reported is dropped: no visitor waits because Redis was away.

        Raises:
            Away: Redis does not answer.
        """
        limit, now = self._limit, self._clock()
        used = [word for pair in limit.granted(_SPREAD // 2).items() for word in pair]
        given = [int(limit.each * _SECOND), int(limit.burst * _SECOND), self._since, *used]

        async def settle(redis: Redis) -> Sequence[Any]:
            answer: Sequence[Any] = await redis.register_script(_SETTLE)(keys=self._keys, args=given)
            return answer

        self._hear(await self._client.ask(settle), now)

    def _hear(self, answer: Sequence[bytes], now: float) -> None:
        """Take in the changes; the next answer begins with the last of them, but never later than now."""
        changes = list(zip(answer[1::3], answer[2::3], answer[3::3], strict=True))
        for visitor, free, _ in changes:
            self._limit.learn(visitor.decode("utf-8", "replace"), now + int(free) / _SECOND)
        since = [answer[0], changes[-1][2]] if len(changes) >= _SPREAD else [answer[0]]
        self._since = min(since, key=float).decode()


# Tickets for streams: one worker issues them and any worker accepts them; Redis keeps them while they are
# valid.
#
# The key of each is the hash of the ticket, and its value has a code over it (HMAC-SHA256) by a key of the
# store. So a reader of Redis cannot use a ticket, and a writer cannot make one that opens a player's view,
# nor restore an expired one, for the code covers the time of expiry, too.  The time is that of Redis, so that
# the clocks of the workers need not agree.


_CODE, _TIME = 32, 8  # bytes


class TicketStore:
    """Stores small values by name for a limited time.

    Args:
        client: the client of Redis.
        name: the prefix of the keys.
        key: 32 bytes that the workers share and Redis does not know.
    """

    def __init__(self, client: RedisClient, name: str, key: bytes) -> None:
        self._client, self._name, self._key = client, name, key

    async def put(self, tickets: dict[str, bytes], seconds: int) -> None:
        """Store these values by name for `seconds` from now.

        Raises:
            Away: Redis does not answer.
        """

        async def put(redis: Redis) -> None:
            now, _ = await redis.time()
            until = (now + seconds).to_bytes(_TIME, "big")
            pipeline = redis.pipeline(transaction=False)
            for name, content in tickets.items():
                kept = until + content
                pipeline.set(f"{self._name}:{name}", self._code(name, kept) + kept, ex=seconds)
            await pipeline.execute()

        if tickets:
            await self._client.ask(put)

    async def get(self, name: str) -> bytes | None:
        """Return the value of this name; None if there is none, or if it is forged or expired.

        Raises:
            Away: Redis does not answer.
        """

        async def get(redis: Redis) -> tuple[bytes | None, tuple[int, int]]:
            pipeline = redis.pipeline(transaction=False)
            pipeline.get(f"{self._name}:{name}")
            pipeline.time()
            kept, now = await pipeline.execute()
            return kept, now

        found, (now, _) = await self._client.ask(get)
        if found is None:
            return None
        code, kept = found[:_CODE], found[_CODE:]
        if not hmac.compare_digest(code, self._code(name, kept)):
            return None
        return kept[_TIME:] if now <= int.from_bytes(kept[:_TIME], "big") else None

    def _code(self, name: str, kept: bytes) -> bytes:
        return hmac.digest(self._key, name.encode() + b"\n" + kept, hashlib.sha256)
