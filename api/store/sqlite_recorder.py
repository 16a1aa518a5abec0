"""A persistence module for `eventsourcing` (PERSISTENCE_MODULE=api.store.sqlite_recorder): SQLite, WAL, FULL.

It differs from the library's own module in this:

*   one connection writes, under a lock, and all others only read: SQLite before 3.51.3 may corrupt a file
when
    two connections write or checkpoint at once, and two writers would only wait for each other;
*   the log is the table of `api.store.sqlite_schema`: contiguous versions, stable positions, never updated;
*   each connection keeps its prepared statements (the library's keep one), and a look-up is one statement.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import Any

from eventsourcing import sqlite as library
from eventsourcing.persistence import NotSupportedError, StoredEvent
from eventsourcing.utils import Environment, EnvType, strtobool

from api.store.events import MOVE, Reading, StoredMove
from api.store.interface import StoreError
from api.store.sqlite_schema import connect_for_reading, connect_for_writing

WRITE = "SQLITE_WRITE"  # "n": the file is only read

_INSERT = f"INSERT INTO stored_events ({MOVE}, kind) VALUES (?, ?, ?, ?, ?)"


class ReadingConnection(library.SQLiteConnection):
    """A connection that only reads."""

    def rows(self, statement: str, values: Sequence[Any]) -> list[Any]:
        """The rows of one statement, all of one moment."""
        return self._sqlite_conn.execute(statement, values).fetchall()


class WritingConnection(library.SQLiteConnection):
    """The one connection that writes."""

    def commit(self) -> None:
        """Commit; if that fails, roll back, so that no transaction stays open."""
        try:
            super().commit()
        except sqlite3.Error:
            self.rollback()
            raise


class Datastore(library.SQLiteDatastore):
    """One file: the writing connection and the reading ones.

    Idle reading connections wait in a stack, as many as there were readers at once: a look-up by key takes 5
    us; with the library's pool and a transaction it takes 30 us.
    """

    def __init__(self, path: Path, *, write: bool) -> None:
        self._path, self._alone, self._closed = path, Lock(), False
        self._to_empty = False  # whether the write-ahead log is still to be emptied
        self._idle: list[ReadingConnection] = []
        self._writing: WritingConnection | None = None
        super().__init__(str(path), originator_id_type="text")
        if write:
            self._writing = WritingConnection(connect_for_writing(path), max_age=None)
            self._file = _file(path)

    def rows(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        """The rows of one statement, all of one moment.

        Raises:
            StoreError: the file cannot be read.
        """
        try:
            with self._reading() as connection:
                return connection.rows(statement, values)
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise StoreError(
                f"{self._path} cannot be read: {error}; check the disk, or restore a backup"
            ) from error

    @contextmanager
    def get_connection(self, *, commit: bool) -> Iterator[library.SQLiteConnection]:
        """Lend a reading connection, or the writing one, for as long as the context lasts."""
        if not commit:
            with self._reading() as connection:
                yield connection
            return
        with self._alone:
            if self._writing is None:
                raise NotSupportedError("this store is not open for writing")
            yield self._writing

    @contextmanager
    def _reading(self) -> Iterator[ReadingConnection]:
        try:
            connection = self._idle.pop()
        except IndexError:
            self._must_be_there()
            connection = ReadingConnection(connect_for_reading(self._path), max_age=None)
        try:
            yield connection
        finally:
            if self._closed:
                connection.close()
            else:
                self._idle.append(connection)

    @contextmanager
    def transaction(self, *, commit: bool) -> Iterator[library.SQLiteCursor]:
        """Do everything in the context in one transaction."""
        if commit:
            self._must_be_there()
        with (
            self.get_connection(commit=commit) as connection,
            connection.transaction(commit=commit) as cursor,
        ):
            yield cursor

    @contextmanager
    def statement(self) -> Iterator[library.SQLiteCursor]:
        """Run one statement that writes as its own transaction: it is durable when it is done, or undone."""
        self._must_be_there()
        with self._alone:
            if self._writing is None:
                raise NotSupportedError("this store is not open for writing")
            try:
                yield self._writing.cursor()
            except BaseException:
                self._writing.rollback()
                raise

    def _must_be_there(self) -> None:
        """Check that the file is still there: SQLite goes on with a deleted one, so commits would be lost."""
        if self._writing is not None and _file(self._path) != self._file:
            raise sqlite3.OperationalError(f"{self._path} was deleted or replaced while it is served")

    def checkpoint(self) -> None:
        """Move everything into the file itself and empty the write-ahead log, as soon as it has no reader."""
        with self.get_connection(commit=True) as connection:
            cursor = connection.cursor()
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._to_empty = bool(cursor.fetchone()[0])

    def checkpoint_if_due(self) -> None:
        """Do the same, if a reader prevented it the last time."""
        if self._to_empty:
            self.checkpoint()

    def write_afresh(self, table: str, columns: Sequence[str], beside: str) -> None:
        """Write a whole table anew, and execute the statement `beside` with it.

        No bytes of changed or deleted rows stay in the file: `secure_delete` alone leaves copies of them
        where a page was split or joined before (of 1 name in 200).  All pages are emptied at once, which
        SQLite does only while it does not check foreign keys.
        """
        names, marks = ", ".join(columns), ", ".join("?" * len(columns))
        with self.get_connection(commit=True) as connection:
            connection.cursor().execute("PRAGMA foreign_keys = OFF")
            try:
                with connection.transaction(commit=True) as cursor:
                    cursor.execute(f"SELECT {names} FROM {table} ORDER BY 1")
                    rows = cursor.fetchall()
                    cursor.execute(f"DELETE FROM {table}")
                    for row in rows:
                        cursor.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", tuple(row))
                    cursor.execute(beside)
            finally:
                connection.cursor().execute("PRAGMA foreign_keys = ON")
        self.checkpoint()

    def close(self) -> None:
        """Close all connections, the writing one last, because it removes the write-ahead log."""
        self._closed = True
        while self._idle:
            self._idle.pop().close()
        if self._writing is not None:
            with self._alone:
                self._writing.close()
                self._writing = None


def _file(path: Path) -> tuple[int, int] | None:
    """Return device and inode of the file that is there now; None if there is none."""
    with suppress(FileNotFoundError):
        found = path.stat()
        return found.st_dev, found.st_ino
    return None


class Recorder(Reading, library.SQLiteApplicationRecorder):
    """The log of all matches, in the one order in which moves became durable."""

    datastore: Datastore

    def construct_create_table_statements(self) -> list[str]:
        """Return none: `api.store.sqlite_schema` makes and migrates the tables when the file is opened."""
        return []

    def _insert_events(
        self, c: library.SQLiteCursor, stored_events: Sequence[StoredEvent], **_: Any
    ) -> Sequence[int]:
        positions: list[int] = []
        for event in stored_events:
            assert isinstance(event, StoredMove), "the mapper of this store makes them"
            c.execute(_INSERT, event.row)
            positions.append(c.lastrowid)
        return positions

    def _rows(self, statement: str, values: Sequence[Any]) -> list[Any]:
        return self.datastore.rows(statement, values)


class Factory(library.SQLiteFactory):
    """What the library constructs from the environment: SQLITE_DBNAME is the file, SQLITE_WRITE y or n."""

    application_recorder_class = Recorder
    datastore: Datastore

    def __init__(self, env: Environment | EnvType | None) -> None:
        super().__init__(env)
        path = Path(self.env.get("SQLITE_DBNAME") or "")
        self.datastore = Datastore(path, write=strtobool(self.env.get(WRITE) or "y"))
