"""The bus: what the workers on one store share through Redis.  No worker ever waits for it.

Redis holds nothing that may not be lost.  Announcements of commits say where to read, never what was played;
without Redis, limits and tickets use what each worker knows.  So a Redis that is killed, stalled or emptied
does not delay any move, and a client that can write to it cannot make a viewer see a move that is not stored,
or another player's hand.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
import time
from collections.abc import Awaitable, Callable

from api.bus.commit_feed import BLOCK, Consumer, Publisher
from api.bus.redis_client import (
    PATIENCE,
    VARIABLE,
    Address,
    Health,
    Limit,
    RedisClient,
    SharedLimit,
    TicketStore,
)
from api.store.interface import Log, OnCommit

# ── One worker's bus: its tasks, and the parts of Redis that belong to its store ──

_AGAIN = 1.0  # seconds until a failed task starts again

Work = Callable[[], Awaitable[None]]
_log = logging.getLogger("glasnost.bus")


class Bus:
    """What this worker shares with the others of its store.  Nothing here fails if Redis is missing.

    The keys in Redis begin with a name that is derived from the store's key, so that several stores may share
    one Redis.  The name is in braces, which keeps the keys on one node of a cluster.

    Args:
        address: the address of Redis.
        key: 32 bytes that only the workers of the store know.
        log: the log of the store; its commits are one stream.
        clock: seconds that never run backwards.
    """

    def __init__(
        self,
        address: Address,
        key: bytes,
        log: Log,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name = f"{{glasnost:{hmac.digest(key, b'name', hashlib.sha256).hex()[:16]}}}"
        self.health = Health(address, clock)
        self._clock = clock
        self.client = RedisClient(address, self.health)
        self._reading = RedisClient(address, self.health, BLOCK + PATIENCE)
        stream = f"{self.name}:commits"
        own = hmac.digest(key, b"glasnost redis announcements", hashlib.sha256)
        self._publisher = Publisher(self.client, stream, own)
        self._consumer = Consumer(self._reading, stream, own, log, clock)
        self.tickets = TicketStore(
            self.client, f"{self.name}:ticket", hmac.digest(key, b"glasnost redis tickets", hashlib.sha256)
        )
        self._is_followed = False
        self._work: list[Work] = [self._publisher.run]
        self._tasks: list[asyncio.Task[None]] = []

    # ── the state of the feed ──

    @property
    def heard_at(self) -> float | None:
        """When Redis last answered the consumer, by the clock; None if there is no consumer."""
        return self._consumer.heard_at if self._is_followed else None

    @property
    def waiting(self) -> int:
        """The number of announcements of this worker that Redis has not taken yet."""
        return self._publisher.waiting

    # ── the feed ──

    def announce(self, match: str, first: int, last: int) -> None:
        """See `api.gate.cache_sync.Feed`."""
        self._publisher.announce(match, first, last)

    def watch(self, callback: OnCommit) -> None:
        """See `api.gate.cache_sync.Feed`."""
        self._is_followed = True
        self._consumer.watch(callback)
        self.run(self._consumer.run)

    def passed(self, match: str, position: int) -> None:
        """See `api.gate.cache_sync.Feed`."""
        self._consumer.passed(position)

    # ── the rest ──

    def share(self, name: str, limit: Limit) -> None:
        """Share a limit with the other workers; must be called before `start`."""
        self.run(SharedLimit(self.client, f"{self.name}:limit:{name}", limit, self._clock).run)

    def run(self, work: Work) -> None:
        """Run a task from `start` to `close`; if it fails, it is started again."""
        self._work.append(work)

    def start(self) -> None:
        """Start the tasks on the running event loop."""
        self._tasks = [asyncio.create_task(_kept_up(work)) for work in self._work]

    async def close(self) -> None:
        """Stop the tasks, and close the connections."""
        waiting = set(self._tasks)
        while waiting:  # the client may swallow a cancellation that comes together with an answer
            for task in waiting:
                task.cancel()
            _, waiting = await asyncio.wait(waiting, timeout=0.05)
        await self.client.close()
        await self._reading.close()


async def _kept_up(work: Work) -> None:
    while True:
        try:
            await work()
            return
        except Exception:
            _log.error("a task of the bus failed", exc_info=True)
        await asyncio.sleep(_AGAIN)


# ── The bus ──


__all__ = ["VARIABLE", "Address", "Bus"]
