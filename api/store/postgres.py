"""The shared store: one PostgreSQL database, written by any number of processes (see `api.store.interface`).

Everything but the keys is in the database (`api.store.postgres_schema`): all processes share one key folder,
which GLASNOST_KEYS names and the first process fills.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, closing, suppress
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

import psycopg

from api.store import postgres_schema
from api.store.accounts import Cursor
from api.store.events import Matches, stored_moves
from api.store.interface import (
    Append,
    Conflict,
    Figures,
    Lag,
    Lately,
    OnCommit,
    Outdated,
    People,
    Stored,
    StoreError,
    Unavailable,
)
from api.store.keys import KeyRing, Vault, create_keys, wrap_key
from api.store.postgres_connection import CHANGES, Address, CommitListener, Connection
from api.store.postgres_recorder import Factory, environment
from api.store.postgres_writer import Entry, PostgresWriter
from api.store.sessions import SqlSessions
from api.store.sql import HEARTBEAT, NAME, READ_ONLY, WRAP_KEY, SqlStore
from domain.log import Record
from domain.match import Match

# ── Whether moves can be stored in a database now, and how old a replica's knowledge may be ──
#
# The probe takes the order lock, as each append does, and writes one row of `meta` durably.  It does not wait
# for another process that writes this row: several processes share it, and one of them may be about to die.

PATIENCE = 2_000  # milliseconds for each statement

AGE = "SELECT extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())::float8"

_IMPATIENT = "SELECT set_config('statement_timeout', %s, true), set_config('synchronous_commit', 'on', true)"
_READ_ONLY = "SELECT pg_is_in_recovery(), current_setting('transaction_read_only') = 'on'"
_ORDER = "SELECT pg_advisory_xact_lock(%s, %s)"
_BEAT = (
    "UPDATE meta SET value = %s WHERE name = (SELECT name FROM meta WHERE name = %s FOR UPDATE SKIP LOCKED)"
)
_FIRST = "INSERT INTO meta (name, value) VALUES (%s, %s) ON CONFLICT DO NOTHING"
_DURABLE = "SELECT pg_current_xact_id()"  # a commit with a transaction id waits for the disk


def probe(connection: Connection) -> None:
    """See `Store.probe`.

    Raises:
        StoreError: the database is read-only, its schema is newer, or it takes too long.
    """
    try:
        with connection.transaction():
            connection.execute(_IMPATIENT, (str(PATIENCE),))
            _must_take_moves(connection)
            connection.execute(_ORDER, postgres_schema.ORDER)
        with connection.transaction():  # a second one: no append waits while this one reaches the disk
            connection.execute(_IMPATIENT, (str(PATIENCE),))
            _beat(connection)
    except psycopg.errors.QueryCanceled as error:
        raise Unavailable("the database took too long over something small") from error


def _must_take_moves(connection: Connection) -> None:
    recovering, read_only = connection.execute(_READ_ONLY).fetchone() or (False, False)
    if recovering or read_only:
        why = "it is a replica" if recovering else "it was set so"
        raise StoreError(f"the database takes no moves, only questions: {why}")
    postgres_schema.must_be_current(connection)


def _beat(connection: Connection) -> None:
    now = str(time.time_ns())
    if connection.execute(_BEAT, (now, HEARTBEAT)).rowcount:
        return
    if connection.execute("SELECT FROM meta WHERE name = %s", (HEARTBEAT,)).rowcount:
        connection.execute(_DURABLE)
    else:
        connection.execute(_FIRST, (HEARTBEAT, now))


# The shared store: one PostgreSQL database, written by any number of processes (see `api.store.interface`).

T = TypeVar("T")
RIGHTS = "its user must own the database, or be granted CREATE on it"


class PostgresStore(SqlStore):
    """A store in a database; open it with `PostgresStore.open` and close it."""

    shared = True

    def __init__(self, url: str, keys: Path | None, name: str, *, write: bool) -> None:
        matches = Matches(environment(url))
        assert isinstance(matches.factory, Factory)
        self._datastore = matches.factory.datastore
        super().__init__(matches, self._datastore, keys, name)
        self._writer = PostgresWriter(self._datastore.address) if write else None
        self._outdated: Outdated | None = None  # set by the latest probe
        self._watching, self._listeners = Lock(), list[CommitListener]()
        self._replica: PostgresStore | None = None
        self.people: People = _People(self, self._datastore, self.write if write else None, keys)

    @classmethod
    def open(
        cls, url: str, *, keys: Path | None = None, write: bool = True, name: str | None = None
    ) -> PostgresStore:
        """Open the store in the database, or make one there.

        If `write` is false, the store is only read, and needs no keys.

        `keys` is the key folder (else GLASNOST_KEYS), `name` the server's name (else GLASNOST_NAME, else
        "glasnost.local").

        Raises:
            StoreError: the database cannot be reached, has a newer schema or is not a store; the keys are
                missing or those of another store.  The text says what to do.
        """
        named = os.environ.get("GLASNOST_KEYS")
        keys = keys or (Path(named) if named else None)
        name = name or os.environ.get("GLASNOST_NAME") or NAME
        if write and keys is None:
            raise StoreError(
                "GLASNOST_KEYS must name the folder of the keys, outside the database: all processes that"
                " serve it share one, and the first of them makes the keys"
            )
        address = Address(url)
        try:
            with closing(address.connect()) as connection, connection.transaction():
                if keys is not None and write:
                    _settle(connection, keys, name)
                else:
                    postgres_schema.must_be_current(connection)
        except psycopg.Error as error:
            said = f"the store in {address} cannot be opened: {address.said(error)}"
            raise StoreError(f"{said}; {RIGHTS}") from error
        return cls._opened(url, keys, name, write=write)

    @classmethod
    def _opened(cls, url: str, keys: Path | None, name: str, *, write: bool) -> PostgresStore:
        with ExitStack() as opened:
            store = cls(url, keys, name, write=write)
            opened.callback(store.close)
            if write:
                store._bind_keys()
            opened.pop_all()
            return store

    def read_from(self, url: str) -> None:
        """Read matches and the log from a replica of this database from now on, to spare the database itself.

        What the replica does not have yet is read from the database, so no reader sees an older state.  If
        the tables were made a moment ago, this waits until the replica has them.

        Raises:
            StoreError: the replica cannot be reached, does not follow, or belongs to another store.
        """
        with closing(Address(url).connect()) as connection:
            postgres_schema.must_become_current(connection)
        replica = type(self)(url, self._keys, self.name, write=False)
        if replica._meta(WRAP_KEY) != self._meta(WRAP_KEY):
            replica.close()
            raise StoreError(f"{Address(url)} is no replica of this store")
        self._replica = replica

    @property
    def addresses(self) -> list[Address]:
        """The addresses of the database and, if it has one, of its replica."""
        return [one._datastore.address for one in (self, self._replica) if one is not None]

    def hear(self, channel: str, callback: Callable[[str], None]) -> None:
        """Call back with what any process announces on a channel, and with "" if something may be missed."""
        self._datastore.listener.hear(channel, callback)

    def match(self, match: str) -> Match | None:
        """See `Store.match`."""
        found = self._at_replica(lambda replica: replica.match(match))
        if found is None:
            return super().match(match)
        found.proof = self.proof(match)
        with suppress(Unavailable):  # the readers are shown how old it may be
            for record in self.since(match, found.move):
                found.accept(record)
        return found

    def _moves(self, match: str, ranges: Sequence[range]) -> list[Record]:
        """See `SqlStore._moves`; from the replica, if it has all of them."""
        found = self._at_replica(lambda replica: replica._moves(match, ranges)) or []
        return found if len(found) == sum(map(len, ranges)) else super()._moves(match, ranges)

    def lately(self, match: str, move: int) -> Lately | None:
        """See `Store.lately`."""
        if self._replica is None:
            return None
        seconds = self._replica_age(self._replica)  # read before the records, which can only be newer
        return Lately(self._replica.since(match, move), seconds)

    def after(self, position: int, limit: int) -> list[Stored]:
        """See `Store.after`."""
        found = self._at_replica(lambda replica: replica.after(position, limit)) or []
        if len(found) < limit:
            found += super().after(found[-1].position if found else position, limit - len(found))
        return found

    def brief(self, position: int, limit: int) -> list[Stored]:
        """See `Store.brief`."""
        found = self._at_replica(lambda replica: replica.brief(position, limit))
        return found or super().brief(position, limit)

    def _kept(self, statement: str, match: str) -> Any:
        """See `SqlStore._kept`; from the replica, if the database cannot be reached."""
        try:
            return super()._kept(statement, match)
        except Unavailable:
            if self._replica is None:
                raise
            return self._replica._kept(statement, match)

    def _at_replica(self, ask: Callable[[PostgresStore], T]) -> T | None:
        """The replica's answer; None if there is no replica, or it cannot be reached."""
        try:
            return ask(self._replica) if self._replica else None
        except StoreError:
            return None

    def announce(self, address: str) -> None:
        """Do nothing: other processes may open the database, too."""

    def _hand_over(self, append: Append, wrapped: bytes | None) -> Future[int]:
        if self._writer is None:
            raise StoreError(READ_ONLY)
        self.log_guard.check()
        if self._outdated:
            return _refused(self._outdated)
        records = append.records
        if any(after.move != before.move + 1 for before, after in pairwise(records)):
            return _refused(Conflict(f"the moves of match {records[0].match} do not follow one another"))
        game = records[0].topic if records[0].move == 1 else ""
        return self._writer.run(Entry(append, stored_moves(records, game), wrapped))

    def write(self, work: Callable[[Cursor], T]) -> T:
        """See `SqlStore.write`."""
        if self._writer is None:
            raise StoreError(READ_ONLY)
        if self._outdated:
            raise Outdated(self._outdated.said)
        return self._datastore.write(work)

    def _wait_for_order(self, cursor: Cursor) -> None:
        cursor.execute("SELECT pg_advisory_xact_lock(?, ?)", postgres_schema.ORDER)

    @property
    def figures(self) -> list[Figures]:
        """See `Store.figures`."""
        return [self._writer] if self._writer else []

    def probe(self) -> None:
        """See `Store.probe`: once a newer version is found in the store, nothing more is written."""
        try:
            self._datastore.on_one(probe)
        except Outdated as error:
            self._outdated = error
            raise
        self._outdated = None

    def size(self) -> int:
        """See `Store.size`; the whole database."""
        return int(self._one("SELECT pg_database_size(current_database())")[0])

    def lag(self) -> Lag | None:
        """See `Store.lag`."""
        if self._replica is None:
            return None
        seconds, last = self._replica_age(self._replica), self.last()
        moves = max(last - self._replica.last(), 0)
        return Lag(moves, seconds if moves else 0.0)

    def _replica_age(self, replica: PostgresStore) -> float | None:
        age: float | None = replica._one(AGE)[0]
        return age

    def watch(self, callback: OnCommit) -> None:
        """See `Store.watch`."""
        with self._watching:
            if not self._listeners:
                self._listeners.append(CommitListener(self._datastore, self._datastore.listener, self.last()))
            self._listeners[0].add(callback)

    def hang_up(self) -> None:
        """See `SqlStore.hang_up`."""
        self._datastore.address.hang_up()
        if self._replica is not None:
            self._replica.hang_up()

    def close(self) -> None:
        """See `Store.close`."""
        if self._writer is not None:
            self._writer.close()
        while self._listeners:
            self._listeners.pop().close()
        self._matches.close()
        if self._replica is not None:
            self._replica.close()


class _People(SqlSessions):
    """The people of a store; if the database is away, names are read from the replica, but not tokens."""

    def __init__(self, store: PostgresStore, *args: Any) -> None:
        super().__init__(*args)
        self._store = store

    def watch(self, callback: Callable[[str], None]) -> None:
        """See `People.watch`."""
        super().watch(callback)
        self._store.hear(CHANGES, callback)

    def _announce(self, cursor: Cursor, player: str) -> None:
        cursor.execute("SELECT pg_notify(?, ?)", (CHANGES, player))

    def names(self, ids: Sequence[str]) -> dict[str, str | None]:
        """See `People.names`."""
        try:
            return super().names(ids)
        except Unavailable:
            if self._store._replica is None:
                raise
            return self._store._replica.people.names(ids)


def _settle(connection: Connection, keys: Path, name: str) -> None:
    """Make or migrate the tables; make keys if there are none, and bind a new store to its keys."""
    postgres_schema.settle(connection)
    connection.execute(f"SET LOCAL search_path = {postgres_schema.SCHEMA}".encode())
    if _fingerprint(connection) is None:
        create_keys(keys, name)
        KeyRing.open(keys, name)  # if the keys are refused, no store is made
        row = (WRAP_KEY, Vault(wrap_key(keys)).fingerprint)
        connection.execute("INSERT INTO meta (name, value) VALUES (%s, %s)", row)


def _fingerprint(connection: Connection) -> Any:
    return connection.execute("SELECT value FROM meta WHERE name = %s", (WRAP_KEY,)).fetchone()


def _refused(error: StoreError) -> Future[int]:
    future: Future[int] = Future()
    future.set_exception(error)
    return future
