"""The read models of an embedded store: an SQLite file, which one process writes and reads.

Only the owner of the file may read it: it holds what no player may know of a running match.  SQLite gives the
files that it keeps beside it the same mode.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import Any

from projections.backend import SQLITE, NoTable, Shape
from projections.model import Key
from projections.status import Generation

BESIDE = ("-wal", "-shm")  # the endings of the files that SQLite keeps beside a file
_OLD = "SELECT 1 FROM sqlite_master WHERE name = 'projections'"  # a version that stored other tables


class FileTables:
    """See `Backend`; `node` tells the file from others that are, or were, at the same path."""

    types: Mapping[type, str] = SQLITE
    views = ""
    broken: type[Exception] = sqlite3.OperationalError

    def __init__(self, connection: sqlite3.Connection, node: int | None = None) -> None:
        self.connection, self.node = connection, node
        self.execute, self.executemany = connection.execute, connection.executemany
        self.close = connection.close

    def put(self, kept: Shape[Any], generation: int, rows: Sequence[Sequence[Any]]) -> None:
        """See `Backend.put`."""
        marks = ", ".join("?" * len(kept.columns))
        self.executemany(
            f"INSERT OR REPLACE INTO {kept.name(generation)} ({kept.names}) VALUES ({marks})", rows
        )

    def fetch(self, kept: Shape[Any], generation: int, firsts: Collection[Key]) -> None:
        """See `Backend.fetch`: in a file, asking for each is as quick."""

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """See `Backend.transaction`."""
        self.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.execute("COMMIT")
        except BaseException:
            if self.connection.in_transaction:
                self.execute("ROLLBACK")
            raise


class FileReading:
    """See `Reading`."""

    views = ""
    listed = "SELECT value FROM json_each(?)"

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.close = connection.close

    def execute(self, statement: str, values: Sequence[Any] = (), /) -> sqlite3.Cursor:
        """See `Reading.execute`."""
        try:
            return self.connection.execute(statement, values)
        except sqlite3.OperationalError as error:
            if "no such" not in str(error):
                raise
            raise NoTable(str(error)) from error


class File:
    """See `Home`.

    Args:
        path: the file.
        report: is called with one line if the file is damaged, or was deleted or replaced.
    """

    def __init__(self, path: Path, report: Callable[[str], None] = lambda line: None) -> None:
        self.path, self._report = path, report
        self._opened: FileTables | None = None
        self._alone = Lock()
        self._reading: FileReading | None = None
        self._read: int | None = None  # the node of the file that it reads

    def open(self) -> FileTables:
        """See `Home.open`; a file that is not a database is put aside."""
        if self._opened is not None:
            self._report(f"{self.path.name} was deleted, or replaced: what is missing is built anew")
            self._opened.node = 0  # matches no file until another one is open
        try:
            self._opened = _connected(self.path)
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError:
            aside = self.path.with_name(f"{self.path.name}.damaged")
            self.path.replace(aside)
            self._report(f"{self.path.name} is damaged; it is kept as {aside.name} and built anew")
            self._opened = _connected(self.path)
        return self._opened

    def is_lost(self) -> bool:
        """See `Home.is_lost`."""
        return self._opened is None or node_of(self.path) != self._opened.node

    def generations(self) -> list[Generation]:
        """See `Home.generations`: this process alone moves them."""
        return []

    def call(self) -> None:
        """See `Home.call`: this process alone moves them."""

    @contextmanager
    def reader(self) -> Iterator[FileReading]:
        """See `Home.reader`.

        Raises:
            NoTable: there is no file yet.
        """
        with self._alone:
            yield self._current()

    def close(self) -> None:
        """See `Home.close`."""
        with self._alone:
            self._let_go()

    def _current(self) -> FileReading:
        node = node_of(
            self.path
        )  # read before the file is opened, so that a file put there in between is noticed the next time
        if node is not None and node != self._read:
            self._let_go()
            self._reading, self._read = connect(self.path), node
        if self._reading is None:
            raise NoTable("there is no file of read models")
        return self._reading

    def _let_go(self) -> None:
        if self._reading:
            self._reading.close()
        self._reading = self._read = None


def connect(path: Path) -> FileReading:
    """A connection for reading only; threads may share it, one question at a time.

    Raises:
        sqlite3.OperationalError: there is no such file; it is not created.
    """
    there = f"{path.absolute().as_uri()}?mode=rw"
    connection = sqlite3.connect(there, uri=True, isolation_level=None, check_same_thread=False, timeout=30)
    connection.execute("PRAGMA query_only = 1")
    return FileReading(connection)


def node_of(path: Path) -> int | None:
    """Return a number that tells the file at this path from others there, or None if there is no file."""
    with suppress(OSError):
        return path.stat().st_ino
    return None


def _connected(path: Path) -> FileTables:
    _made(path)
    node = node_of(
        path
    )  # read before the file is opened, so that a file put there in between counts as another one
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=30)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA secure_delete = ON")  # older versions stored hidden parts of matches here
        is_old = connection.execute(_OLD).fetchone() is not None
    except sqlite3.DatabaseError:
        connection.close()
        raise
    if not is_old:
        return FileTables(connection, node)
    connection.close()
    path.unlink()
    return _connected(path)


def _made(path: Path) -> None:
    """Create the file if there is none, and take the rights of other users from one that exists.

    An existing file is not opened for that: closing it would drop the locks that SQLite has on it.
    """
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)  # no other process opens it before it is complete
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        for ending in BESIDE:  # of one that was deleted; some may read that one still
            path.with_name(path.name + ending).unlink(missing_ok=True)
    except FileExistsError:
        for ending in ("", *BESIDE):
            with suppress(OSError):
                path.with_name(path.name + ending).chmod(0o600)
    finally:
        os.close(folder)
