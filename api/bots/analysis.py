"""Analyses of matches that are over, for the server: made one at a time, each in a process of its own, and
kept while there is room.

A client asks for an analysis and asks again until it is there.  What is kept can be thrown away: the same
match, agent and budget give the same analysis again.  The number of those that wait, what one player may have
waiting, the time of one and the bytes of all are bounded.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping
from contextlib import suppress

import msgspec
from cachetools import LRUCache, TTLCache
from msgspec import Struct

from api.bots.analysis_worker import MOST_BYTES, Analysis, Progress, Task
from api.bots.worker import LENGTH, framed
from api.bots.workers import PASSED
from domain.agents import AGENTS
from domain.kernel import Refused
from domain.match import Match
from replay.analysis import must_be_analysable

PLAYOUTS = 64  # for one answer
KEPT_BYTES = 16 * 1024 * 1024  # of all analyses in memory
WAITING = 8  # matches in the queue, that which is analysed included
FAR_SECONDS, PATIENCE_SECONDS = 60.0, 900.0  # between two messages of a process, and for one match
TRIES = 2  # processes that may die over a match
FAILED_SECONDS = 600.0  # until a match over which they died is tried again
SOON = {"retry-after": "2"}
_COMMAND = (sys.executable, "-m", "api.bots.analysis_worker")
_Key = tuple[bytes, str, int]
_log = logging.getLogger("glasnost.bots")


class Job(Struct):
    """An analysis that is wanted: by whom, and how far it is."""

    task: Task
    player: str
    done: int = 0
    of: int = 0


class Analyses:
    """The analyses of this process.

    Args:
        offered: are there processes for bots here?
        environment: what the process may see of it is passed on.
    """

    def __init__(self, offered: bool, environment: Mapping[str, str] | None = None) -> None:
        given = os.environ if environment is None else environment
        self._environment = {name: given[name] for name in PASSED if name in given}
        self.offered = offered
        self._kept: LRUCache[_Key, bytes] = LRUCache(KEPT_BYTES, getsizeof=len)
        self._failed: TTLCache[_Key, bool] = TTLCache(1_000, FAILED_SECONDS)
        self._jobs: dict[_Key, Job] = {}
        self._working: asyncio.Task[None] | None = None
        self.process: Process | None = None

    def of(self, match: Match) -> Analysis | None:
        """The analysis of a match, if it is kept.

        Raises:
            Refused: see `replay.analysis.must_be_analysable`.
        """
        must_be_analysable(match)
        kept = self._kept.get(_key(match))
        return msgspec.json.decode(kept, type=Analysis) if kept is not None else None

    def ask(self, match: Match, player: str) -> Progress:
        """Have a match analysed that is not kept, and say how far it is: 0 of 0 while it waits.

        Raises:
            Refused: not-offered; there are no processes here.  not-found; this match cannot be analysed.
                limit; too many wait, or another one of this player does.
        """
        self.must_be_offered()
        key = _key(match)
        job = self._jobs.get(key)
        if job is None:
            self._must_have_room(key, player)
            stored = tuple(record.stored for record in match.records)
            task = Task(match.game.name, match.id, stored, PLAYOUTS, key[0].hex())
            job = self._jobs[key] = Job(task, player)
            if self._working is None or self._working.done():
                self._working = asyncio.create_task(self._work())
        return Progress(job.done, job.of)

    def must_be_offered(self) -> None:
        """Check that there are processes here.  Raises Refused: not-offered."""
        if not self.offered:
            raise Refused("not-offered", "analysis-without-process")

    def _must_have_room(self, key: _Key, player: str) -> None:
        if key in self._failed:
            raise Refused("not-found", "analysis-failed")
        if any(job.player == player for job in self._jobs.values()):
            raise Refused("limit", "analysis-of-yours-waits", headers=SOON)
        if len(self._jobs) >= WAITING:
            raise Refused("limit", "analyses-wait", {"most": WAITING}, SOON)

    async def _work(self) -> None:
        while self._jobs and self.offered:
            key, job = next(iter(self._jobs.items()))
            try:
                await self._one(key, job)
            finally:
                del self._jobs[key]

    async def _one(self, key: _Key, job: Job) -> None:
        for _ in range(TRIES):
            if not self.offered:
                return
            try:
                async with asyncio.timeout(PATIENCE_SECONDS):
                    content = await self._made(job)
                if len(content) <= KEPT_BYTES:
                    self._kept[key] = content
                return
            except (OSError, EOFError, TimeoutError, msgspec.DecodeError) as error:
                fields = {"match": job.task.match, "reason": type(error).__name__}
                _log.warning("an analysis broke off", extra=fields)
            finally:
                await self._end()
        self._failed[key] = True

    async def _made(self, job: Job) -> bytes:
        """The analysis, as a new process writes it.

        Raises:
            OSError, EOFError, TimeoutError, msgspec.DecodeError: the process is broken.
        """
        job.done = 0
        self.process = await asyncio.create_subprocess_exec(
            *_COMMAND, stdin=PIPE, stdout=PIPE, env=self._environment
        )
        if not self.offered:  # the server stopped while the process started
            raise EOFError
        source, target = self.process.stdout, self.process.stdin
        assert source is not None
        assert target is not None
        target.write(framed(msgspec.json.encode(job.task)))
        await target.drain()
        while True:
            async with asyncio.timeout(FAR_SECONDS):
                (length,) = LENGTH.unpack(await source.readexactly(LENGTH.size))
                if length > MOST_BYTES:
                    raise EOFError
                content = await source.readexactly(length)
            message = await asyncio.to_thread(msgspec.json.decode, content, type=Progress | Analysis)
            if isinstance(message, Analysis):
                return content
            job.done, job.of = message.done, message.of

    async def _end(self) -> None:
        process, self.process = self.process, None
        if process is None:
            return
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()

    async def stop(self) -> None:
        """End the process, and analyse no more."""
        self.offered = False
        await self._end()
        if self._working is not None:
            await self._working  # a task that was starting a process ends it


def _key(match: Match) -> _Key:
    return match.root_at(match.move), AGENTS[match.game.name].judging_version, PLAYOUTS
