"""The open data set: it follows the folder, and runs statements of ours within limits.

A statement runs in a thread, on a cursor of its own.  When its time is over, it is interrupted.  What the
folder holds is looked at before each answer, so an answer is never older than the last build; a statement
that has begun ends on the data set with which it began.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct

import replay.dataset as glasnost
from domain.kernel import Refused
from replay.dataset import BadDataSet, DataSet
from replay.dataset.manifest import MANIFEST
from replay.dataset.queries import Statement

if TYPE_CHECKING:
    import duckdb

T = TypeVar("T")

MOST_ROWS = 10_000  # of an answer
RETRY = {"retry-after": "1"}
_AGAIN = 0.2  # seconds until the next statement of the same work is interrupted, too


class Limits(Struct, frozen=True):
    """What answering may take.

    at_once, waiting: statements that run, and that wait for their turn; one more is refused.
    seconds: after so long a statement is interrupted.
    memory: of all statements together, as DuckDB writes it.
    """

    at_once: int = 2
    waiting: int = 32
    seconds: float = 20.0
    memory: str = "512MB"


class Rows(Struct, frozen=True):
    """Names and types of columns, and rows; `truncated` if there were more than `MOST_ROWS`."""

    columns: tuple[tuple[str, str], ...]
    rows: list[tuple[Any, ...]]
    truncated: bool

    def named(self) -> list[dict[str, object]]:
        """Each row by the names of its columns."""
        names = [name for name, _ in self.columns]
        return [dict(zip(names, row, strict=True)) for row in self.rows]


class Reader:
    """A data set in a folder, which may be built on meanwhile.

    Raises:
        BadDataSet: there is no data set that this program reads.
        OSError: it cannot be read.
    """

    def __init__(self, folder: Path, limits: Limits | None = None) -> None:
        self.folder, self.limits = folder, limits or Limits()
        self._seen = self._stamp()
        self._data = self._opened()
        self._threads = ThreadPoolExecutor(self.limits.at_once, "query")
        self._slots = asyncio.Semaphore(self.limits.at_once)
        self._waiting = 0
        self._opening = asyncio.Lock()

    async def data(self) -> DataSet:
        """Return the data set as it is now; if the new one cannot be read, the one before."""
        async with self._opening:
            stamp = self._stamp()
            if stamp != self._seen:
                try:
                    self._data = await asyncio.to_thread(self._opened)
                    self._seen = stamp
                except (BadDataSet, OSError):  # it is being replaced
                    return self._data
            return self._data

    async def call(self, data: DataSet, work: Callable[[DataSet], T]) -> T:
        """Run `work` in a thread, with the data set on a connection of its own; it is interrupted in time.

        Raises:
            Refused: limit (too many wait), data-away (it took too long, or the data set is being replaced).
        """
        import duckdb

        loop = asyncio.get_running_loop()
        async with self._slot():
            apart = data.apart()
            stop = _Stop(loop, apart.connection, self.limits.seconds)
            try:
                return await loop.run_in_executor(self._threads, work, apart)
            except duckdb.InterruptException:
                values = {"seconds": int(self.limits.seconds)}
                raise Refused("data-away", "data-too-slow", values, RETRY) from None
            except duckdb.OutOfMemoryException:
                raise Refused("data-away", "data-too-large", {}, RETRY) from None
            except duckdb.IOException:  # a part that a newer build has removed
                raise Refused("data-away", "data-replaced", {}, RETRY) from None
            finally:
                stop.cancel()
                apart.connection.close()

    def close(self) -> None:
        """Let the threads end."""
        self._threads.shutdown(wait=False)

    @asynccontextmanager
    async def _slot(self) -> AsyncIterator[None]:
        """One of the places for work that runs.  Raises Refused: limit."""
        if self._waiting >= self.limits.waiting:
            raise Refused("limit", "data-busy", {"most": self.limits.waiting}, RETRY)
        self._waiting += 1
        try:
            await self._slots.acquire()
        finally:
            self._waiting -= 1
        try:
            yield
        finally:
            self._slots.release()

    def _stamp(self) -> tuple[int, ...]:
        """What changes when the manifest is replaced; () if there is none now."""
        try:
            found = os.stat(self.folder / MANIFEST)
        except OSError:
            return ()
        return found.st_mtime_ns, found.st_ino, found.st_size

    def _opened(self) -> DataSet:
        """Open the data set.  Raises BadDataSet, OSError."""
        data = glasnost.open(self.folder)
        for setting in (f"memory_limit = '{self.limits.memory}'", "threads = 2", "temp_directory = ''"):
            data.connection.execute(f"SET {setting}")
        return data


class _Stop:
    """Interrupts what runs on a connection after so many seconds, and what begins on it afterwards."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, connection: duckdb.DuckDBPyConnection, seconds: float
    ) -> None:
        self._loop, self._connection = loop, connection
        self._timer = loop.call_later(seconds, self._interrupt)

    def cancel(self) -> None:
        """Interrupt no more."""
        self._timer.cancel()

    def _interrupt(self) -> None:
        self._connection.interrupt()
        self._timer = self._loop.call_later(_AGAIN, self._interrupt)


def rows_of(data: DataSet, statement: Statement, most: int = MOST_ROWS) -> Rows:
    """Run a statement of ours; at most so many rows.  Raises duckdb.Error."""
    found = data.connection.execute(statement.sql, statement.values)
    columns = tuple((name, str(kind)) for name, kind, *_ in found.description or ())
    rows = found.fetchmany(most + 1)
    return Rows(columns, rows[:most], len(rows) > most)
