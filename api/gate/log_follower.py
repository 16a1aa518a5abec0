"""Runs the writer of the transparency log beside the read models: after commits, at most twice a second."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from contextlib import suppress

from api.store.interface import InDoubt, StoreError, Unavailable
from api.store.log_guard import Behind
from api.store.log_writer import FAR, LogWriter
from api.store.sql import SqlStore
from domain.log import Damaged

IDLE = 5.0  # seconds after which the writer looks unasked
PAUSE = 0.5  # seconds between two looks
_log = logging.getLogger("glasnost.log")


class LogFollower:
    """Keeps the log up to date, and signs it.

    Args:
        writer: of the log.
        store: whose commits wake it.
        leads: is this the process that writes the log?
    """

    def __init__(self, writer: LogWriter, store: SqlStore, leads: Callable[[], bool]) -> None:
        self._writer, self._store, self._leads = writer, store, leads
        self._woken, self._stopping, self._wakes = asyncio.Event(), asyncio.Event(), False
        self._said, self._turns = "", threading.Lock()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Run on this event loop until `stop`."""
        loop = asyncio.get_running_loop()

        def wake(match: str, position: int) -> None:
            if not self._wakes and not loop.is_closed():  # once for all commits until the next look
                self._wakes = True
                loop.call_soon_threadsafe(self._woken.set)

        with suppress(StoreError):
            self._store.log_guard.check()  # now: a replica of a database that fails later signs what it shows
        self._store.watch(wake)
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """Stop after the step that runs; what is missing is done after the next start."""
        self._stopping.set()
        self._woken.set()
        if self._task is not None:
            await self._task

    def remark(self) -> str:
        """Return what an operator should know of the log, also where another process writes it; "": nothing.

        Raises:
            StoreError: the store is away.
        """
        if self._store.log_guard.is_behind:
            return (
                "it lacks leaves that were signed, so nothing is signed until they are made again,"
                " or an operator says why they are lost (glasnost log restored)"
            )
        if self._said:
            return f"it is not signed: {self._said}"
        behind = self._store.last() - self._writer.position()
        return f"it is {behind} records behind the store" if behind > FAR else ""

    async def _run(self) -> None:
        while not self._stopping.is_set():
            self._woken.clear()
            self._wakes = False
            if self._leads():
                await asyncio.to_thread(self.turn)
            await _at_most(self._woken, IDLE)
            await _at_most(self._stopping, PAUSE)

    def turn(self) -> None:
        """Take in what is there, and sign it; an error is reported once, and all is tried again later."""
        with self._turns:
            self._turn()

    def _turn(self) -> None:
        try:
            while not self._stopping.is_set() and self._writer.step():
                pass
            if not self._stopping.is_set():
                self._writer.publish()
            self._said = ""
        except (Unavailable, InDoubt):
            pass  # the store says so itself; the next turn goes on from what is stored
        except (StoreError, Damaged) as error:
            self._report(str(error) if isinstance(error, Behind) else type(error).__name__, str(error))
        except Exception as error:  # no error may stop the server
            _log.error("error in the writer of the log", exc_info=True)
            self._said = type(error).__name__

    def _report(self, said: str, error: str) -> None:
        if said != self._said:
            _log.error("the log is not signed", extra={"reason": said, "error": error})
        self._said = said


async def _at_most(event: asyncio.Event, seconds: float) -> None:
    """Wait for an event, so long at most."""
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        pass
