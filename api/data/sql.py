"""SQL of callers: places, time limits and penalties; the database that is asked; the warm parent.

A query runs in a child of the parent (`api.data.sql_parent`); here is only its text, which is in no log.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import msgspec
from cachetools import LRUCache
from msgspec import Struct

from api.data import sql_child
from api.data.answers import sql_hash
from api.data.sql_child import MOST_BYTES, Outcome, Task
from api.data.sql_parent import HEAD, Request
from domain.kernel import Refused
from domain.refusals import QUOTED
from replay.dataset import DataSet
from replay.dataset.reading import view

_REMEMBERED = 10_000  # callers whose stopped queries are known
_GRACE_SECONDS = 10.0  # for the guard, beyond the time of a query; then the parent is started again
_MOST_ANSWER = 6 * MOST_BYTES
_PARENT = (sys.executable, "-m", "api.data.sql_parent")
_COPY = re.compile(r"[0-9a-f]{16}\.duckdb(\.part)?(\.wal)?")
_log = logging.getLogger("glasnost.sql")


class SqlLimits(Struct, frozen=True):
    """What SQL may take.

    seconds: after so long a query is killed.
    at_once, waiting: queries that run, and that wait for a place; one more is refused.
    stopped, within, locked: a caller with so many killed queries in so many seconds is refused for so many.
    rebuild: so many seconds at least lie between two builds of the database.
    """

    seconds: float = 5.0
    at_once: int = 2
    waiting: int = 8
    stopped: int = 3
    within: float = 60.0
    locked: float = 600.0
    rebuild: float = 60.0


class Answered(Struct, frozen=True):
    """The answer of a query: what is known of it, the rows in their form, and how long it took."""

    snapshot: str
    outcome: Outcome
    body: bytes
    ms: int


class Sql:
    """Runs the queries of callers over copies of the data set.

    Args:
        work: a folder for these copies, and for nothing else.
        clock: seconds that never run backwards.
    """

    def __init__(
        self, work: Path, limits: SqlLimits | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.limits = limits or SqlLimits()
        self.database = Database(work, self.limits.rebuild, clock)
        self._parent = Parent()
        self._places = asyncio.Semaphore(self.limits.at_once)
        self._waiting = 0
        self._penalties = Penalties(self.limits, clock)

    @property
    def free(self) -> int:
        """How many places are free."""
        return self._places._value

    def close(self) -> None:
        """End the parent, and with it all queries."""
        self._parent.close()
        self.database.close()

    async def ask(self, caller: str, data: DataSet, task: Task, snapshot: str | None = None) -> Answered:
        """Run a query; `task.database` is filled in.

        Args:
            snapshot: the query is only for this one.

        Raises:
            Refused: limit (too many wait, or the caller is locked out), sql (it is refused or was stopped),
                not-found (the snapshot is another one), data-away.
        """
        self._penalties.check(caller)
        async with self._place():
            path, has = await self.database.of(data)
            if snapshot not in (None, has):
                raise Refused("not-found", "no-such-snapshot", {"snapshot": has})
            began = time.perf_counter()
            try:
                outcome, body = await self._parent.run(
                    Request(msgspec.structs.replace(task, database=str(path)), self.limits.seconds)
                )
            finally:
                ms = round((time.perf_counter() - began) * 1000)
                _log.info("sql", extra={"sql_sha256": sql_hash(task.sql), "ms": ms})
        if outcome is None:
            self._penalties.add(caller)
            raise Refused("sql", "sql-stopped", {"seconds": f"{self.limits.seconds:g}"})
        _must_be_answered(outcome)
        return Answered(has, outcome, body, ms)

    @asynccontextmanager
    async def _place(self) -> AsyncIterator[None]:
        if self._waiting >= self.limits.waiting:
            raise Refused("limit", "sql-busy", {"most": self.limits.waiting}, {"retry-after": "5"})
        self._waiting += 1
        try:
            await self._places.acquire()
        finally:
            self._waiting -= 1
        try:
            yield
        finally:
            self._places.release()


def _must_be_answered(outcome: Outcome) -> None:
    """Raises Refused: sql."""
    if outcome.why == sql_child.TOO_LONG:
        raise Refused("sql", "sql-too-long", {"most": sql_child.MOST_CHARACTERS})
    if outcome.why == sql_child.NOT_SELECT:
        raise Refused("sql", "sql-not-select")
    if outcome.why == sql_child.MEMORY:
        raise Refused("sql", "sql-memory")
    if outcome.why:
        raise Refused("sql", QUOTED, {"said": outcome.said})


class Penalties:
    """Who is refused for a while, because several of their queries had to be killed."""

    def __init__(self, limits: SqlLimits, clock: Callable[[], float]) -> None:
        self._limits, self._clock = limits, clock
        self._stopped: LRUCache[str, tuple[float, ...]] = LRUCache(_REMEMBERED)
        self._locked: LRUCache[str, float] = LRUCache(_REMEMBERED)

    def check(self, caller: str) -> None:
        """Raises Refused: limit, with the seconds that are left."""
        left = self._locked.get(caller, 0.0) - self._clock()
        if left > 0:
            wait = int(left) + 1
            raise Refused("limit", "sql-locked", {"wait": wait}, {"retry-after": str(wait)})

    def add(self, caller: str) -> None:
        """Note that a query of this caller was killed."""
        now = self._clock()
        recent = [at for at in self._stopped.get(caller, ()) if at > now - self._limits.within]
        self._stopped[caller] = (*recent, now)
        if len(recent) + 1 >= self._limits.stopped:
            self._locked[caller] = now + self._limits.locked
            del self._stopped[caller]


class Database:
    """The copy of the data set that queries read: one file, built from the manifest, again after a change.

    A query that has begun keeps the copy with which it began; the one before the latest stays until then.
    """

    def __init__(self, work: Path, pause: float, clock: Callable[[], float]) -> None:
        self._work, self._pause, self._clock = work, pause, clock
        self._latest: tuple[Path, str] | None = None
        self._before: Path | None = None
        self._built_at = 0.0
        self._building: asyncio.Task[None] | None = None

    async def of(self, data: DataSet) -> tuple[Path, str]:
        """The file, and the snapshot that it holds: that of `data`, or for a minute the one before.

        Raises:
            Refused: data-away (the first copy is being made).
        """
        latest = self._latest
        changed = latest is None or latest[1] != data.snapshot
        if changed and self._building is None and (latest is None or self._may_build()):
            self._building = asyncio.create_task(self._build(data))
        if latest is None and self._building is not None:
            with suppress(TimeoutError):
                await asyncio.wait_for(asyncio.shield(self._building), _GRACE_SECONDS)
            latest = self._latest
        if latest is None:
            raise Refused("data-away", "data-being-copied", {}, {"retry-after": "5"})
        return latest

    def _may_build(self) -> bool:
        return self._clock() - self._built_at >= self._pause

    async def _build(self, data: DataSet) -> None:
        try:
            path = await asyncio.to_thread(copied, data, self._work)
            if self._before is not None:
                self._before.unlink(missing_ok=True)
            self._before = self._latest[0] if self._latest else None
            self._latest = path, data.snapshot
        except Exception:  # the data set was replaced meanwhile: the next query tries again
            _log.warning("no copy of the data set", exc_info=True)
        finally:
            self._built_at, self._building = self._clock(), None

    def close(self) -> None:
        """Delete the files."""
        for path in self._work.iterdir():
            if _COPY.fullmatch(path.name):
                path.unlink(missing_ok=True)


def copied(data: DataSet, work: Path) -> Path:
    """Copy a data set into a new DuckDB file in `work`, whose name says nothing; return its path.

    Raises:
        OSError, duckdb.Error: there is no room, or a part is gone.
    """
    import duckdb

    path = work / f"{secrets.token_hex(8)}.duckdb"
    fresh = path.with_name(f"{path.name}.part")
    settings = ("threads = 2", "memory_limit = '512MB'", "autoinstall_known_extensions = false")
    try:
        with duckdb.connect(str(fresh)) as database:
            for setting in settings:
                database.execute(f"SET {setting}")
            for table in data.schema.tables:
                sql = view(data.folder, data.manifest, table)
                database.execute(f'CREATE TABLE "{table.name}" AS {sql}')
        fresh.rename(path)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
    return path


class Parent:
    """The warm parent: started with the first query, and again if it has ended."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._orders: socket.socket | None = None
        self._sending = asyncio.Lock()

    async def run(self, request: Request) -> tuple[Outcome | None, bytes]:
        """Run one query to its end; None: it was killed.  Afterwards nothing of it is left."""
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        reader, writer = await asyncio.open_unix_connection(sock=ours, limit=MOST_BYTES)
        try:
            try:
                async with self._sending:
                    await asyncio.to_thread(self._send, request, theirs)
            finally:
                theirs.close()
            read = _answer(reader)
            return await asyncio.wait_for(read, request.seconds + _GRACE_SECONDS)
        except (TimeoutError, OSError):
            self.close()
            return None, b""
        finally:
            writer.close()

    def _send(self, request: Request, connection: socket.socket) -> None:
        """Give the parent a query with the connection over which it is answered."""
        body = msgspec.json.encode(request)
        for last in (False, True):  # it may have ended since the query before
            orders = self._started()
            try:
                socket.send_fds(orders, [HEAD.pack(len(body))], [connection.fileno()])
                orders.sendall(body)
            except OSError:
                self.close()
                if last:
                    raise
            else:
                return

    def _started(self) -> socket.socket:
        if self._orders is not None and self._process is not None and self._process.poll() is None:
            return self._orders
        self.close()
        self._orders, theirs = socket.socketpair()
        environment = {"LC_ALL": "C.UTF-8", "OPENBLAS_NUM_THREADS": "1"}
        environment |= {name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ}
        with theirs:
            nothing = subprocess.DEVNULL
            self._process = subprocess.Popen(
                _PARENT, stdin=theirs.fileno(), stdout=nothing, stderr=nothing, env=environment
            )
        return self._orders

    def close(self) -> None:
        """End it."""
        if self._orders is not None:
            self._orders.close()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._orders = self._process = None


async def _answer(reader: asyncio.StreamReader) -> tuple[Outcome | None, bytes]:
    """Read to the end what a child sends; None if it is not whole."""
    answer = bytearray()
    while part := await reader.read(65_536):
        if len(answer) <= _MOST_ANSWER:
            answer += part
    head, _, body = bytes(answer).partition(b"\n")
    try:
        outcome = msgspec.json.decode(head, type=Outcome)
    except msgspec.DecodeError:
        return None, b""
    return (outcome, body) if outcome.size == len(body) else (None, b"")
