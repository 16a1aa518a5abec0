"""A persistence module for `eventsourcing` (PERSISTENCE_MODULE=api.store.postgres_recorder): PostgreSQL.

It differs from the library's own module in this:

*   the log is the table of `api.store.postgres_schema`; only `api.store.postgres_writer` appends, each group
in
    one call: with the library's database functions, followers of the log miss moves;
*   a query is one prepared statement on a connection from a stack of idle ones, without a transaction; if the
    server was restarted meanwhile, the query is sent once more.

The library's `subscribe` is not used: `api.store.postgres_connection` reports commits to followers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from threading import BoundedSemaphore
from typing import Any, TypeVar

import msgspec
import psycopg
from eventsourcing import postgres as library
from eventsourcing.persistence import NotSupportedError, StoredEvent
from eventsourcing.utils import Environment, EnvType

from api.store.accounts import Cursor as Marked
from api.store.events import MOVE, Reading
from api.store.interface import InDoubt
from api.store.postgres_connection import DOUBTFUL, Address, Connection, Listener, Unreachable, hung_up
from api.store.postgres_schema import SCHEMA

URL = "POSTGRES_URL"  # the library's variable with the address of the database
READERS = 16  # most connections for queries
EACH = (
    # A JSON object costs a fifth of two arrays (measured); OFFSET keeps it from being joined in another way
    # than by looking up match after match.
    "SELECT later.* FROM json_each_text(?::json) AS asked (match, move) CROSS JOIN LATERAL ("
    f"SELECT {MOVE} FROM stored_events WHERE originator_id = match AND originator_version > move::integer"
    " ORDER BY originator_version OFFSET 0) later"
)

T = TypeVar("T")


class Datastore(library.PostgresDatastore):
    """One database: the connections for queries, and the listener for commits of all processes."""

    def __init__(self, url: str) -> None:
        # The library's pool is never opened: it takes longer than the query.
        super().__init__("", "", "", "", "", schema=SCHEMA, originator_id_type="text")
        self.address = Address(url)
        self.listener = Listener(lambda: self.address.connect("glasnost listener"))
        self._idle: list[Connection] = []
        self._free, self._closed = BoundedSemaphore(READERS), False

    def register_type_adapters(self) -> None:
        """Do nothing: no composite type is used."""

    def rows(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        """Return the rows of one statement, all of one moment.

        Raises:
            Unavailable: the database cannot be read.
        """
        if any(isinstance(value, str) and "\0" in value for value in values):
            return []  # no stored text holds one

        def ask(connection: Connection) -> list[Any]:
            return connection.execute(marked(statement), values, binary=True).fetchall()

        return self.on_one(ask)

    def write(self, work: Callable[[Marked], T]) -> T:
        """Do work in one durable transaction, wholly or not at all.

        Raises:
            Unavailable: the database cannot be written.
            InDoubt: the connection was lost, and it is not known whether the work was stored.
        """
        with self.get_connection() as connection:
            try:
                with connection.transaction():
                    connection.execute("SELECT set_config('synchronous_commit', 'on', true)")
                    return work(_Cursor(connection))
            except psycopg.Error as error:
                away = self.address.away(error)
                raise InDoubt(DOUBTFUL) if connection.closed else away from error

    def on_one(self, work: Callable[[Connection], T]) -> T:
        """Do work on a live connection; if the connection is lost, do the work once more on another one.

        Raises:
            Unavailable: the database cannot do the work.
        """
        try:
            return self._asked(work)
        except psycopg.Error as error:
            raise self.address.away(error) from error

    def _asked(self, ask: Callable[[Connection], T]) -> T:
        """Return the answer; ask once more if the connection is lost."""
        with self.get_connection() as connection:
            try:
                return ask(connection)
            except psycopg.OperationalError:
                if not connection.closed:
                    raise
        with self.get_connection() as connection:
            return ask(connection)

    def _connection(self) -> Connection:
        """Return an idle connection that is alive, else a new one.

        Raises:
            Unavailable: no connection can be opened.
        """
        try:
            while hung_up(connection := self._idle.pop()):
                connection.close()
            return connection
        except IndexError:
            pass
        try:
            return self.address.connect()
        except Unreachable as error:
            raise self.address.away(error) from error

    @contextmanager
    def get_connection(self) -> Iterator[Connection]:
        """Lend a connection for as long as the context lasts."""
        with self._free:
            connection = self._connection()
            try:
                yield connection
            finally:
                if self._closed:
                    connection.close()
                elif not connection.closed:
                    self._idle.append(connection)

    def close(self) -> None:
        """Close all connections."""
        self._closed = True
        self.listener.close()
        while self._idle:
            self._idle.pop().close()


class _Cursor:
    """Executes statements whose values are marked by `?`."""

    def __init__(self, connection: Connection) -> None:
        self._cursor = connection.cursor()

    def execute(self, statement: str, values: Sequence[Any] = (), /) -> None:
        """Execute a statement."""
        self._cursor.execute(marked(statement), values)

    def fetchone(self) -> Any:
        """Return the next row, or None after the last one."""
        return self._cursor.fetchone()


@lru_cache(maxsize=500)
def marked(statement: str) -> bytes:
    """Return the statement with psycopg's marks for values."""
    return statement.replace("%", "%%").replace("?", "%s").encode()


class Recorder(Reading, library.PostgresApplicationRecorder):
    """The log of all matches, in the one order in which moves became durable."""

    datastore: Datastore

    def _rows(self, statement: str, values: Sequence[Any]) -> list[Any]:
        return self.datastore.rows(statement, values)

    def select_each(self, moves: Mapping[str, int]) -> Sequence[StoredEvent]:
        """See `Reading.select_each`: one statement."""
        return [StoredEvent(*row) for row in self._rows(EACH, (msgspec.json.encode(moves).decode(),))]

    def insert_events(self, stored_events: Sequence[StoredEvent], **_: Any) -> Sequence[int] | None:
        """Raise NotSupportedError: the store's writer appends moves."""
        raise NotSupportedError("moves are appended by the store's writer")

    def max_notification_id(self) -> int | None:
        """Return the position of the last move; None if there is none."""
        last: int | None = self._rows("SELECT max(id) FROM stored_events", ())[0][0]
        return last


class Factory(library.PostgresFactory):
    """What the library constructs from the environment: POSTGRES_URL is the database."""

    datastore: Datastore

    def __init__(self, env: Environment | EnvType | None) -> None:
        super().__init__(env)
        self.datastore = Datastore(self.env.get(URL) or "")

    def application_recorder(self) -> Recorder:
        """Return the recorder of the log."""
        return Recorder(self.datastore)


def environment(url: str) -> dict[str, str]:
    """Return the variables with which the library's application stores its events in this database."""
    unused = dict.fromkeys(("POSTGRES_DBNAME", "POSTGRES_HOST", "POSTGRES_USER", "POSTGRES_PASSWORD"), "")
    return {
        **unused,
        "PERSISTENCE_MODULE": __name__,
        "MAPPER_TOPIC": "api.store.events:RecordMapper",
        "TRANSCODER_TOPIC": "api.store.events:NullTranscoder",
        "ORIGINATOR_ID_TYPE": "text",
        "CREATE_TABLE": "n",
        URL: url,
    }
