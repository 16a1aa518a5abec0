"""A persistence module for `eventsourcing` (PERSISTENCE_MODULE=api.store.postgres_recorder): PostgreSQL.

It differs from the library's own module where that one falls short:

*   the log is the table of `api.store.postgres_schema`; `api.store.postgres_writer` appends whole groups in
    one call each, and nothing else does: with what the library calls database functions, followers of the
    log miss moves;
*   a question is one prepared statement on a connection that waits in a stack, with no transaction around it;
    where the server was restarted meanwhile, it is asked once more.

The library's `subscribe` is not used here: followers are told by `api.store.postgres_connection`.
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

URL = "POSTGRES_URL"  # where the library's environment says how to reach the database
READERS = 16  # connections for questions at most
EACH = (
    # A JSON object costs a fifth of two arrays (measured); OFFSET keeps it from being joined in another way
    # than by looking up match after match.
    "SELECT later.* FROM json_each_text(?::json) AS asked (match, move) CROSS JOIN LATERAL ("
    f"SELECT {MOVE} FROM stored_events WHERE originator_id = match AND originator_version > move::integer"
    " ORDER BY originator_version OFFSET 0) later"
)

T = TypeVar("T")


class Datastore(library.PostgresDatastore):
    """One database: connections for questions, and the bells that ring after a commit of whatever process."""

    def __init__(self, url: str) -> None:
        # The library's pool is never opened: it takes longer than the question.
        super().__init__("", "", "", "", "", schema=SCHEMA, originator_id_type="text")
        self.address = Address(url)
        self.listener = Listener(lambda: self.address.connect("glasnost listener"))
        self._idle: list[Connection] = []
        self._free, self._closed = BoundedSemaphore(READERS), False

    def register_type_adapters(self) -> None:
        """None: no composite type is used."""

    def rows(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        """The rows of one statement, all of one moment.

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
            InDoubt: it went away in the middle.
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
        """Do work on a connection that is alive; it is begun once more where that was lost.

        Raises:
            Unavailable: the database does not do it.
        """
        try:
            return self._asked(work)
        except psycopg.Error as error:
            raise self.address.away(error) from error

    def _asked(self, ask: Callable[[Connection], T]) -> T:
        """The answer; asked once more where the connection is lost."""
        with self.get_connection() as connection:
            try:
                return ask(connection)
            except psycopg.OperationalError:
                if not connection.closed:
                    raise
        with self.get_connection() as connection:
            return ask(connection)

    def _connection(self) -> Connection:
        """A connection that waits, and is alive, else a new one.

        Raises:
            Unavailable: none can be had.
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
        """A connection, for as long as the context lasts."""
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
    """Carries out statements whose values are marked by `?`."""

    def __init__(self, connection: Connection) -> None:
        self._cursor = connection.cursor()

    def execute(self, statement: str, values: Sequence[Any] = (), /) -> None:
        """Carry out a statement."""
        self._cursor.execute(marked(statement), values)

    def fetchone(self) -> Any:
        """The next row; None where there is no more."""
        return self._cursor.fetchone()


@lru_cache(maxsize=500)
def marked(statement: str) -> bytes:
    """The statement as psycopg wants it."""
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
        """Not this way."""
        raise NotSupportedError("moves are appended by the store's writer")

    def max_notification_id(self) -> int | None:
        """The position of the last move; None where there is none."""
        last: int | None = self._rows("SELECT max(id) FROM stored_events", ())[0][0]
        return last


class Factory(library.PostgresFactory):
    """What the library constructs from the environment: POSTGRES_URL is the database."""

    datastore: Datastore

    def __init__(self, env: Environment | EnvType | None) -> None:
        super().__init__(env)
        self.datastore = Datastore(self.env.get(URL) or "")

    def application_recorder(self) -> Recorder:
        """The recorder of the log."""
        return Recorder(self.datastore)


def environment(url: str) -> dict[str, str]:
    """What the library's application is told, so that it keeps its events in this database."""
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
