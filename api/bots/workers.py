"""The pool of processes in which bots search, as the server sees it.

A search runs neither on the event loop nor under a match's lock.  A process that dies, or does not answer in
time, is ended and started again for the next task; the caller gets None and lets the policy answer.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping
from contextlib import suppress

import msgspec

from api.bots.action import Action
from api.bots.worker import LENGTH, MOST_BYTES, Task, Thought, framed
from api.histogram import SECONDS, Histogram
from domain.agents.observation import Observation
from domain.kernel import Picks

PATIENCE_SECONDS = 10.0  # for one task, its time in the queue aside
MOST_WAITING = 1_000  # tasks; a match has at most one
PASSED = ("PATH", "LANG", "LC_ALL", "PYTHONPATH")  # what a process sees of the server's environment
_COMMAND = (sys.executable, "-m", "api.bots.worker")
_log = logging.getLogger("glasnost.bots")


class Worker:
    """One process; it is started with its first task."""

    def __init__(self) -> None:
        self.process: Process | None = None
        self.closed = False

    async def ask(self, task: Task, environment: Mapping[str, str]) -> Thought:
        """The answer to a task.

        Raises:
            OSError, EOFError, msgspec.DecodeError: the process is broken, or was closed while it started.
        """
        if self.process is None or self.process.returncode is not None:
            self.process = await asyncio.create_subprocess_exec(
                *_COMMAND, stdin=PIPE, stdout=PIPE, env=dict(environment)
            )
        if self.closed:
            raise EOFError
        source, target = self.process.stdout, self.process.stdin
        assert source is not None
        assert target is not None
        target.write(framed(msgspec.json.encode(task)))
        await target.drain()
        (length,) = LENGTH.unpack(await source.readexactly(LENGTH.size))
        if length > MOST_BYTES:
            raise EOFError
        return msgspec.json.decode(await source.readexactly(length), type=Thought)

    async def end(self) -> None:
        """End the process; a later task starts another one."""
        process, self.process = self.process, None
        if process is None:
            return
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


class BotWorkers:
    """A number of processes, and the tasks that wait for them.

    Args:
        count: how many processes; 0: there are none, and `search` must not be called.
        environment: what a process may see of it is passed on.
        patience: seconds that a task may take.

    `seconds` counts how long answers took, by game and level; `waiting` is the number of tasks in the queue.
    """

    def __init__(
        self,
        count: int,
        environment: Mapping[str, str] | None = None,
        patience: float = PATIENCE_SECONDS,
    ) -> None:
        given = os.environ if environment is None else environment
        self._environment = {name: given[name] for name in PASSED if name in given}
        self.count, self._patience = count, patience
        self._workers = [Worker() for _ in range(count)]
        self._free: asyncio.LifoQueue[Worker] | None = None
        self.waiting, self._stopped = 0, False
        self.seconds: dict[tuple[str, str], Histogram] = {}

    @property
    def processes(self) -> list[int]:
        """The ids of the processes that run."""
        found = [worker.process for worker in self._workers]
        return [process.pid for process in found if process and process.returncode is None]

    async def search(
        self, level: str, observation: Observation, action: Action | None = None
    ) -> Picks | None:
        """The answer of a level; None if no process can give it: too many wait, or one has died.

        Args:
            action: the action to which the answer belongs; None: it is one by itself.
        """
        if self._stopped or self.waiting >= MOST_WAITING:
            return None
        free = self._idle()
        self.waiting += 1
        try:
            worker = await free.get()
        finally:
            self.waiting -= 1
        try:
            return (
                None if self._stopped else await self._answer(worker, level, observation, action or Action())
            )
        finally:
            free.put_nowait(worker)

    def _idle(self) -> asyncio.LifoQueue[Worker]:
        if self._free is None:  # it belongs to the event loop that asks first
            self._free = asyncio.LifoQueue()
            for worker in self._workers:
                self._free.put_nowait(worker)
        return self._free

    async def _answer(
        self, worker: Worker, level: str, observation: Observation, action: Action
    ) -> Picks | None:
        began, game = time.monotonic(), observation.game
        task = Task(level, secrets.randbits(63), observation, action.allows(level, game))
        try:
            thought = await asyncio.wait_for(worker.ask(task, self._environment), self._patience)
            self.seconds.setdefault((game, level), Histogram(SECONDS)).add(time.monotonic() - began)
            action.spend(thought.seconds)
            return thought.picks
        except (OSError, EOFError, TimeoutError, msgspec.DecodeError) as error:
            fields = {"game": game, "level": level, "reason": type(error).__name__}
            _log.warning("a bot process did not answer", extra=fields)
            await worker.end()
            return None
        except asyncio.CancelledError:
            await worker.end()  # what it would say next answers no task
            raise

    async def stop(self) -> None:
        """End all processes, and search no more."""
        self._stopped = True
        for worker in self._workers:
            worker.closed = True
            await worker.end()
        if self._free is not None:
            # A task that was starting a process has ended it by then; those that wait for one get None.
            for worker in [await self._free.get() for _ in self._workers]:
                self._free.put_nowait(worker)
