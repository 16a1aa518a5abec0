"""The read models of a shared store: tables in its own PostgreSQL, moved by one of its workers, read by all.

The tables lie in the schema `glasnost_models`; readers see views of them in `glasnost_lists`.  The worker
whose connection holds an advisory lock moves them, and `pg_stat_activity` tells which that is.  The lock goes
with the connection, so nothing is written without it, and when that worker is killed another one gets it.
A reader of another worker that waits for a commit notifies the writing worker, and so waits no longer than a
reader of that worker does.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from threading import Lock
from typing import Any

import msgspec
import psycopg

from projections.backend import NoTable, Shape
from projections.generations import generations
from projections.model import Key
from projections.status import Generation

TABLES, VIEWS = "glasnost_models", "glasnost_lists"
LOCK = (0x474C5354, 3)  # its holder writes the read models; "GLST", as for the store's own locks
CALLS = "glasnost_readers"  # the channel on which a reader asks for what was committed
NAME = "glasnost read models"  # the name of the writing connection, followed by the id of its process

Connection = psycopg.Connection[Any]
Cursor = psycopg.Cursor[Any]
_NOT_THERE = (
    psycopg.errors.UndefinedTable,
    psycopg.errors.UndefinedColumn,
    psycopg.errors.InvalidSchemaName,
)
_WRITING = (
    f"SET search_path = {TABLES};"
    " SET synchronous_commit = off;"  # rows and positions are lost together, and taken in again
    " SET lock_timeout = '1s'"  # a long query of an analyst must not block readers behind ours
)
_READING = f"SET search_path = {TABLES}; SET default_transaction_read_only = on"
_FEW = 3  # so many matches, or fewer, are not fetched together: their rows are read one by one if needed
_FIRST, _LAST = -(2**63), 2**63 - 1  # numbers that a column can hold


class Tables:
    """See `Backend`."""

    types: Mapping[type, str] = {
        str: 'text COLLATE "C"',  # ordered as in SQLite
        bytes: "bytea",
        int: "bigint",
        float: "double precision",
        bool: "boolean",
    }
    views = f"{VIEWS}."
    broken: type[Exception] = psycopg.OperationalError

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.close = connection.close
        for schema in (TABLES, VIEWS):  # a role that may not create them may find them there
            if self.execute("SELECT to_regnamespace(?)", (schema,)).fetchone() == (None,):
                self.execute(f"CREATE SCHEMA {schema}")

    def execute(self, statement: str, values: Sequence[Any] = (), /) -> Cursor:
        """See `Backend.execute`."""
        return self.connection.execute(marked(statement), values, binary=True)

    def executemany(self, statement: str, values: Sequence[Sequence[Any]], /) -> None:
        """See `Backend.executemany`."""
        self.connection.cursor().executemany(marked(statement), values)

    def put(self, kept: Shape[Any], generation: int, rows: Sequence[Sequence[Any]]) -> None:
        """See `Backend.put`: all rows are one JSON array."""
        names = [column.name for column in kept.columns]
        given = msgspec.json.encode([dict(zip(names, row, strict=True)) for row in rows]).decode()
        self.connection.execute(_put(kept, generation), (given,))

    def fetch(self, kept: Shape[Any], generation: int, firsts: Collection[Key]) -> list[Any] | None:
        """See `Backend.fetch`."""
        if len(firsts) <= _FEW:
            return None
        query = f'SELECT {kept.names} FROM {kept.name(generation)} WHERE "{kept.kind.key[0]}" = ANY(?)'
        return self.execute(query, (list(firsts),)).fetchall()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """See `Backend.transaction`."""
        with self.connection.transaction():
            yield


class Rows:
    """See `Reading`."""

    views = f"{VIEWS}."
    listed = "SELECT json_array_elements_text(?::json)"

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def execute(self, statement: str, values: Sequence[Any] = (), /) -> Cursor:
        """See `Reading.execute`."""
        if any(isinstance(value, int) and not _FIRST <= value <= _LAST for value in values):
            raise OverflowError
        if any(isinstance(value, str) and "\0" in value for value in values):
            return self.connection.execute(b"SELECT WHERE false")  # no stored text holds one
        try:
            return self.connection.execute(marked(statement), values, binary=True)
        except _NOT_THERE as error:
            raise NoTable(str(error)) from error


class Database:
    """See `Home`.

    Args:
        connect: opens a connection with a name and after some settings; it reports errors itself.
        is_dead: returns whether the server ended a connection.
        away: turns an error of the database into the one that a reader gets.
    """

    def __init__(
        self,
        connect: Callable[[str, str], Connection],
        is_dead: Callable[[Connection], bool],
        away: Callable[[Exception], Exception],
    ) -> None:
        self._connect, self._is_dead, self._away = connect, is_dead, away
        self._writing: Connection | None = None
        self._alone = Lock()
        self._reading: Rows | None = None

    def open(self) -> Tables | None:
        """See `Home.open`; the connection that asks for the lock is kept until the lock is ours."""
        if self._writing is None or self._writing.closed:
            self._writing = self._connect(f"{NAME} {os.getpid()}", _WRITING)
        (held,) = self._writing.execute(b"SELECT pg_try_advisory_lock(%s, %s)", LOCK).fetchone() or (False,)
        return Tables(self._writing) if held else None

    def is_lost(self) -> bool:
        """See `Home.is_lost`: true after the connection is lost."""
        return self._writing is None or self._writing.closed

    def generations(self) -> list[Generation]:
        """See `Home.generations`; returns none if they cannot be read."""
        with suppress(Exception), self.reader() as rows:
            return generations(rows)
        return []

    def call(self) -> None:
        """See `Home.call`."""
        with suppress(Exception), self.reader() as rows:
            rows.execute("SELECT pg_notify(?, '')", (CALLS,))

    @contextmanager
    def reader(self) -> Iterator[Rows]:
        """See `Home.reader`; a connection that was lost meanwhile is replaced."""
        with self._alone:
            try:
                if self._reading is not None and self._is_lost(self._reading.connection):
                    self._let_go()
                self._reading = self._reading or Rows(self._connect("glasnost lists", _READING))
                yield self._reading
            except psycopg.Error as error:
                self._let_go()
                raise self._away(error) from error

    def close(self) -> None:
        """See `Home.close`."""
        if self._writing is not None:
            self._writing.close()
        with self._alone:
            self._let_go()

    def _is_lost(self, connection: Connection) -> bool:
        return connection.closed or self._is_dead(connection)

    def _let_go(self) -> None:
        if self._reading is not None:
            self._reading.connection.close()
        self._reading = None


@lru_cache(maxsize=500)
def marked(statement: str) -> bytes:
    """Return the statement with psycopg's marks for values."""
    return statement.replace("%", "%%").replace("?", "%s").encode()


@lru_cache(maxsize=100)
def _put(kept: Shape[Any], generation: int) -> bytes:
    keys, table = kept.kind.key, kept.name(generation)
    quoted = ", ".join(f'"{name}"' for name in keys)
    others = [column.name for column in kept.columns if column.name not in keys]
    rest = ", ".join(f'"{name}" = excluded."{name}"' for name in others)
    return (
        f"INSERT INTO {table} ({kept.names})"
        f" SELECT {kept.names} FROM json_populate_recordset(NULL::{table}, %s::json)"
        f" ON CONFLICT ({quoted}) DO {f'UPDATE SET {rest}' if rest else 'NOTHING'}"
    ).encode()
