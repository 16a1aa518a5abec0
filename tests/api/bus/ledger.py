"""A log in memory, and workers that tell one another of it through Redis."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from api.bus import Address, Bus
from api.store.interface import OnCommit, Stored, Unavailable
from domain.log import Record
from tests.waiting import PATIENCE

KEY = bytes(range(32))
AWAY_AND_BACK = ["redis is away; going on without it", "redis is back"]  # what the log says, once each


class Ledger:
    """A log of matches without moves; see `api.store.interface.Log`.

    `asked`: how often somebody asked for news.  `away`: it does not answer.  `mute`: it tells no news.
    """

    def __init__(self) -> None:
        self.matches: list[str] = []
        self.asked, self.away, self.mute = 0, False, False

    def commit(self, match: str, moves: int = 1) -> tuple[str, int, int]:
        """So many moves in one commit: the match, and its first and last position."""
        first = len(self.matches) + 1
        self.matches += [match] * moves
        return match, first, len(self.matches)

    def news(self, position: int, limit: int) -> list[tuple[str, int]]:
        """See `Log.news`."""
        self.asked += 1
        if self.away:
            raise Unavailable("the log is away")
        if self.mute:
            return []
        return [(match, position + n) for n, match in enumerate(self.matches[position : position + limit], 1)]

    def last(self) -> int:
        """See `Log.last`."""
        if self.away:
            raise Unavailable("the log is away")
        return len(self.matches)

    def after(self, position: int, limit: int) -> list[Stored]:
        """Not asked for here."""
        raise AssertionError

    def brief(self, position: int, limit: int) -> list[Stored]:
        """Not asked for here."""
        raise AssertionError

    def since_each(self, moves: Mapping[str, int]) -> Mapping[str, list[Record]]:
        """Not asked for here."""
        raise AssertionError

    def watch(self, told: OnCommit) -> None:
        """Do nothing: this log reports no commit by itself."""


class Worker:
    """One worker: it commits, and hears of what all commit."""

    def __init__(self, url: str, log: Ledger) -> None:
        self.bus, self.log = Bus(Address(url), KEY, log), log
        self.heard: list[tuple[str, int]] = []
        self.bus.watch(lambda match, position: self.heard.append((match, position)))

    @property
    def consumer(self) -> Any:
        """Its consumer."""
        return self.bus._consumer

    @property
    def publisher(self) -> Any:
        """Its publisher."""
        return self.bus._publisher

    def commit(self, match: str, moves: int = 1) -> None:
        """Commit and announce."""
        self.bus.announce(*self.log.commit(match, moves))

    async def caught_up(self) -> None:
        """Wait until it has heard of everything; then see that nothing is missing and nothing came twice."""
        await until(lambda: self.consumer.position >= self.log.last())
        positions = [position for _, position in self.heard]
        assert positions == sorted(set(positions))
        told = {position: match for match, position in self.heard}
        assert all(self.log.matches[position - 1] == match for position, match in told.items())
        last_of_each = {match: position for position, match in enumerate(self.log.matches, 1)}
        latest = dict(self.heard)
        assert latest == {match: last for match, last in last_of_each.items() if match in latest}


async def until(done: Callable[[], bool]) -> None:
    """Wait for it."""
    async with asyncio.timeout(PATIENCE):
        while not done():
            await asyncio.sleep(0.005)


@asynccontextmanager
async def workers(url: str, log: Ledger, count: int = 2) -> AsyncIterator[list[Worker]]:
    """So many workers over one log."""
    found = [Worker(url, log) for _ in range(count)]
    for worker in found:
        worker.bus.start()
    try:
        yield found
    finally:
        for worker in found:
            await worker.bus.close()
