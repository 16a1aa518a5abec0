"""One worker's bus: its tasks, and the parts of Redis that belong to its store."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
import time
from collections.abc import Awaitable, Callable, Mapping

from api.bus.allowances import Allowance, Limit
from api.bus.announcing import Announcer
from api.bus.hearing import BLOCK, Hearer
from api.bus.link import PATIENCE, Address, Health, Link
from api.bus.vouchers import Vouchers
from api.store.seam import Log, Told

_AGAIN = 1.0  # seconds until a task that failed begins anew

Work = Callable[[], Awaitable[None]]
_log = logging.getLogger("glasnost.bus")


class Bus:
    """What this worker shares with the others of its store.  Nothing here ever fails for want of Redis.

    The keys in Redis begin with a name made of the store's key, so that several stores may share one Redis.
    It stands in braces, which keeps them together in a cluster.

    Args:
        address: where Redis is.
        key: 32 bytes that only the workers of the store know.
        logs: the logs of the store by name; each has a stream of its own.
        log_of: the name of the log in which a match is.
        clock: seconds that never run backwards.
    """

    def __init__(
        self,
        address: Address,
        key: bytes,
        logs: Mapping[str, Log],
        log_of: Callable[[str], str] = lambda match: "",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name = f"{{glasnost:{hmac.digest(key, b'name', hashlib.sha256).hex()[:16]}}}"
        self.health = Health(address, clock)
        self._clock, self._log_of = clock, log_of
        self.link = Link(address, self.health)
        self._hearing = Link(address, self.health, BLOCK + PATIENCE)
        streams = {name: f"{self.name}:commits{f':{name}' if name else ''}" for name in logs}
        own = hmac.digest(key, b"glasnost redis announcements", hashlib.sha256)
        self._announcers = {name: Announcer(self.link, stream, own) for name, stream in streams.items()}
        self._hearers = {
            name: Hearer(self._hearing, stream, own, logs[name], clock) for name, stream in streams.items()
        }
        self.tickets = Vouchers(
            self.link, f"{self.name}:ticket", hmac.digest(key, b"glasnost redis tickets", hashlib.sha256)
        )
        self._is_followed = False
        self._work: list[Work] = [announcer.run for announcer in self._announcers.values()]
        self._tasks: list[asyncio.Task[None]] = []

    # ── what the feed tells of itself ──

    @property
    def heard_at(self) -> float | None:
        """When Redis answered the slowest hearer last, on the clock; None where nobody listens."""
        return min(hearer.heard_at for hearer in self._hearers.values()) if self._is_followed else None

    @property
    def positions(self) -> dict[str, int]:
        """Up to which position of each log everything was heard of."""
        return {name: hearer.position for name, hearer in self._hearers.items()}

    @property
    def waiting(self) -> int:
        """Announcements of this worker that Redis has not taken yet."""
        return sum(announcer.waiting for announcer in self._announcers.values())

    # ── the feed ──

    def announce(self, match: str, first: int, last: int) -> None:
        """See `api.gate.following.Feed`."""
        self._announcers[self._log_of(match)].announce(match, first, last)

    def watch(self, told: Told) -> None:
        """See `api.gate.following.Feed`."""
        self._is_followed = True
        for hearer in self._hearers.values():
            hearer.watch(told)
            self.run(hearer.run)

    def passed(self, match: str, position: int) -> None:
        """See `api.gate.following.Feed`."""
        self._hearers[self._log_of(match)].passed(position)

    # ── the rest ──

    def share(self, name: str, limit: Limit) -> None:
        """Settle a limit with the other workers; before `start`."""
        self.run(Allowance(self.link, f"{self.name}:limit:{name}", limit, self._clock).run)

    def run(self, work: Work) -> None:
        """Let a task run from `start` to `close`; one that fails begins anew."""
        self._work.append(work)

    def start(self) -> None:
        """Begin, on the loop that runs."""
        self._tasks = [asyncio.create_task(_kept_up(work)) for work in self._work]

    async def close(self) -> None:
        """Stop, and hang up."""
        waiting = set(self._tasks)
        while waiting:  # the client may swallow a cancellation that comes together with an answer
            for task in waiting:
                task.cancel()
            _, waiting = await asyncio.wait(waiting, timeout=0.05)
        await self.link.close()
        await self._hearing.close()


async def _kept_up(work: Work) -> None:
    while True:
        try:
            await work()
            return
        except Exception:
            _log.error("a task of the bus failed", exc_info=True)
        await asyncio.sleep(_AGAIN)
