"""The way to Redis: short waits, no second attempts, and one line in the log when it goes and when it comes.

The client's own second attempts would hold up whoever asks for seconds; here a question that is not answered
in time has failed, and for a moment nobody else tries.

A question that Redis refuses as wrong is another matter: then it is not Redis that is away.  It is told as
the error that it is, once, and keeps nobody from asking other questions.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar
from urllib.parse import urlsplit

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.connection import parse_url
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import (
    ClusterDownError,
    OutOfMemoryError,
    ReadOnlyError,
    RedisError,
    ResponseError,
    TryAgainError,
)

from api.settings import BadSetting

VARIABLE = "GLASNOST_REDIS"
PATIENCE = 0.25  # seconds until a question has failed
PAUSE = 0.5  # seconds after a failure during which nobody tries
CALM = 5.0  # seconds without another refusal until a Redis that takes nothing counts as back
_CONNECTIONS = 16  # at once
_TOLD = 100  # different refusals that are told in the log
# Refusals that tell of Redis, not of the question: they pass.  A script tells them within words of its own.
_STATES = (ClusterDownError, OutOfMemoryError, ReadOnlyError, TryAgainError)
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
    """There is no answer of Redis; whoever asked does without it."""


class Refused(Away):
    """Redis refuses the question, and will each time: one of us is wrong, and it is told in the log."""


class Address:
    """How a Redis is reached, which may hold a password; `str` gives what may be shown.

    Args:
        url: redis://USER:PASSWORD@HOST:PORT/NUMBER, rediss://... or unix:///PATH.

    Raises:
        BadSetting: it is none.  The text never holds the address, for that may hold a password.
    """

    def __init__(self, url: str) -> None:
        try:
            parts = urlsplit(url)
            self._given: dict[str, Any] = dict(parse_url(url))
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
        """What an option is good for shows when a connection is made; that does not reach out yet."""
        try:
            pool: Any = self.client(PATIENCE).connection_pool
            pool.make_connection()
        except (TypeError, ValueError, RedisError):
            raise BadSetting(_OPTIONS) from None

    def client(self, patience: float) -> Redis:
        """A client that gives an answer up after so many seconds and asks nothing twice.  Close it."""
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
        return Redis.from_pool(BlockingConnectionPool(**{**self._given, **ours}))


class Health:
    """Whether Redis answers, as all who ask it in this process find; it is said once in the log.

    Args:
        address: named in the log.
        clock: seconds that never run backwards.
    """

    def __init__(self, address: Address, clock: Callable[[], float] = time.monotonic) -> None:
        self._address, self._clock = address, clock
        self._until = self._uncalm_until = 0.0
        self._refused = set[str]()
        self.away = False

    @property
    def resting(self) -> bool:
        """Did it fail a moment ago?"""
        return self.away and self._clock() < self._until

    def failed(self, error: Exception) -> None:
        """It did not answer, or takes nothing: whoever only reads is answered all the same."""
        now = self._clock()
        self._until = now + PAUSE
        self._uncalm_until = now + (CALM if isinstance(error, ResponseError) else 0.0)
        if not self.away:
            self.away = True
            told = {"address": str(self._address), "reason": type(error).__name__}
            _log.warning("redis is away; going on without it", extra=told)

    def refused(self, reason: str) -> None:
        """It answered that the question is wrong."""
        self.answered()
        if reason not in self._refused and len(self._refused) < _TOLD:
            self._refused.add(reason)
            told = {"address": str(self._address), "reason": reason}
            _log.error("redis refuses what it was asked; going on without the answer", extra=told)

    def answered(self) -> None:
        """It answered."""
        if self.away and self._clock() >= self._uncalm_until:
            self.away = False
            _log.warning("redis is back", extra={"address": str(self._address)})


class Link:
    """Asks one Redis.

    Args:
        address: where it is.
        health: what is known of it.
        patience: seconds until a question has failed.
    """

    def __init__(self, address: Address, health: Health, patience: float = PATIENCE) -> None:
        self._client, self._health = address.client(patience), health

    async def ask(self, question: Callable[[Redis], Awaitable[T]]) -> T:
        """What the question gives.

        Raises:
            Away: no answer, or none that this version understands.
            Refused: the question is wrong, or something that is not ours lies where ours should.
        """
        if self._health.resting:
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
    """Does this refusal tell of Redis, not of the question?"""
    return isinstance(error, _STATES) or _PASSING.search(_reason(error)) is not None


def _reason(error: ResponseError) -> str:
    """What Redis answered, without what it was asked: that may be anything."""
    return str(error).rpartition("caused error: ")[2].partition(", with args")[0].strip("(',)")
