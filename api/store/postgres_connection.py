"""Connections to a PostgreSQL database, and the listener for commits of other processes.

Readers take connections from a stack of idle ones (`api.store.postgres_recorder.Datastore`), which is ours
and not psycopg_pool's.  Measured: a look-up takes 53 to 93 µs.  Our stack takes 10 to 11 µs of that,
including a check that the connection lives (`hung_up`); psycopg_pool takes 5 µs without such a check, and
with its `check` one more round trip.  We keep ours because a dead connection (PostgreSQL was restarted) does
not fail a look-up: the query is sent once more at once, on another connection.
"""

from __future__ import annotations

import logging
import os
import selectors
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from socket import SHUT_RDWR, socket
from threading import Event, Lock, Thread
from typing import Any
from weakref import WeakSet

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from api.store.events import NEWS, Rows
from api.store.interface import OnCommit, StoreError, Unavailable
from api.store.postgres_schema import MOVES_CHANNEL, SCHEMA
from domain.refusals import Sentence

_AGAIN_SECONDS = 60.0  # before the same error is logged again
_SETTINGS = (
    f"SET search_path = {SCHEMA}; SET default_transaction_isolation = 'read committed';"
    " SET jit = off;"  # queries are short, and to compile one takes longer than to run many
    " SET client_min_messages = warning; SET statement_timeout = 0; SET lock_timeout = 0;"
    # The server, too, notices a worker that vanished, and does not keep its sessions for hours.
    " SET tcp_keepalives_idle = 30; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3;"
    " SET tcp_user_timeout = 30000"
)
_DEFAULTS: dict[
    str, str | int
] = {  # defaults for what the URL does not say, with which a vanished server is noticed
    "connect_timeout": 5,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
    "client_encoding": "UTF8",
}

_NOT_UNDERSTOOD = (
    "the store's location cannot be understood: it is postgresql://USER@HOST:PORT/DATABASE, where other"
    " characters than letters and digits have the form %40; the password may come from PGPASSWORD, ~/.pgpass"
)
_HINT = "see that the server runs, that this is the right one, and whom it lets in"
DOUBTFUL = (
    "the connection to the database was lost, and it is not known whether this was stored: look at the"
    " match, or send the same again with its Idempotency-Key or expect"
)
AWAY = Sentence("database-away")

Connection = psycopg.Connection[Any]
_log = logging.getLogger("glasnost.store")


class Unreachable(Unavailable):
    """The database cannot be reached; the text names it, so it is for the operator and not for clients."""


class Address:
    """The address of a database, with the password if it has one; `str` gives it without the password.

    Args:
        url: postgresql://USER:PASSWORD@HOST:PORT/DATABASE, or anything else that libpq understands.

    Raises:
        StoreError: libpq does not understand it.
    """

    def __init__(self, url: str) -> None:
        try:
            self._parts = conninfo_to_dict(url)
        except psycopg.Error:  # its text may hold the password
            raise StoreError(_NOT_UNDERSTOOD) from None
        host, port = str(self._parts.get("host") or ""), str(self._parts.get("port") or "1")
        if "@" in host or not port.replace(",", "").isdecimal():  # the password has such a character
            raise StoreError(_NOT_UNDERSTOOD)
        self._complaint, self._complained = "", 0.0
        self.is_over = False  # set by `hang_up`
        self._open, self._changing = WeakSet[Connection](), Lock()

    def __str__(self) -> str:
        user, host = self._parts.get("user"), self._parts.get("host") or "localhost"
        port, name = self._parts.get("port"), self._parts.get("dbname")
        where = f"{f'{user}@' if user else ''}{host}{f':{port}' if port else ''}"
        return f"postgresql://{where}/{name or ''}"

    def connect(self, name: str = "glasnost", settings: str = "") -> Connection:
        """Open a connection that commits each statement.

        Raises:
            Unreachable: the server does not answer or refuses us, or `hang_up` was called; the text says why.
        """
        given = make_conninfo("", **{**_DEFAULTS, **self._parts, "application_name": name})
        if self.is_over:
            raise Unreachable(f"the connections to the database {self} were ended")
        try:
            connection: Connection = psycopg.connect(given, autocommit=True)
            self._note(connection)
            connection.execute(f"{_SETTINGS}; {settings}".encode())
        except psycopg.Error as error:
            raise Unreachable(f"the database {self} cannot be reached: {self.said(error)}; {_HINT}") from None
        connection.prepare_threshold = 0
        return connection

    def hang_up(self) -> None:
        """End every connection, also one that waits for an answer, and open no more."""
        with self._changing:
            self.is_over = True
            for connection in self._open:
                with suppress(psycopg.Error, OSError), socket(fileno=os.dup(connection.fileno())) as line:
                    line.shutdown(SHUT_RDWR)

    def _note(self, connection: Connection) -> None:
        with self._changing:
            self._open.add(connection)
        if self.is_over:
            connection.close()

    def away(self, error: Exception) -> Unavailable:
        """Log an error of the database, and return the one for the client, which says less."""
        said, now = str(error) if isinstance(error, Unreachable) else self.said(error), time.monotonic()
        if said != self._complaint or now - self._complained > _AGAIN_SECONDS:  # all queries fail alike
            self._complaint, self._complained = said, now
            _log.warning("%s", said if isinstance(error, Unreachable) else f"the database {self}: {said}")
        return Unavailable(AWAY)

    def said(self, error: Exception) -> str:
        """Return the text of an error, in one line and without the password."""
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        said = next((line for line in lines if "FATAL" in line), lines[0] if lines else type(error).__name__)
        password = str(self._parts.get("password") or "")
        return said.replace(password, "***") if password else said


def hung_up(connection: Connection) -> bool:
    """Has the server ended an idle connection?  If there is something to read on it, it has."""
    with selectors.DefaultSelector() as selector:
        selector.register(connection, selectors.EVENT_READ)
        return bool(selector.select(0))


# ── The commits of all processes ──
#
# The listener has its own connection, on which PostgreSQL announces commits.  It only sets events: what was
# committed is read from the log, so nothing is missed while the connection is lost, and nothing is reported
# twice.  It also passes on what is announced on other channels: the ids of changed people; after a lost
# connection any person may have been changed.  The commit listener reads the log and calls back.  It also
# reads the log from time to time unasked; if it finds a commit that was not announced, the connection is
# dead, and is replaced.

TOGETHER = 0.02  # seconds after an announcement for which more commits are collected and reported together
LOOK = 1.0  # seconds after which the commit listener reads the log unasked
FIRST_WAIT, LONGEST_WAIT = 0.05, 2.0  # seconds between two attempts to connect
CHANGES = "glasnost_people"  # the channel on which each change of a person is announced
_AT_ONCE = 1_000  # moves that one query reads


class Listener:
    """Sets events when something may have been committed; its thread starts with the first event.

    Args:
        connect: opens a connection.
    """

    def __init__(self, connect: Callable[[], psycopg.Connection[Any]]) -> None:
        self._connect = connect
        self._wakeups: set[Event] = set()
        self._heard: dict[str, list[Callable[[str], None]]] = {}
        self._lock = Lock()
        self._thread: Thread | None = None
        self._stopping, self._must_renew = Event(), Event()
        self._woken, self._waker = os.pipe()

    def add(self, wakeup: Event) -> None:
        """Set this event, too, from now on."""
        with self._lock:
            self._wakeups.add(wakeup)
            self._begin()

    def hear(self, channel: str, callback: Callable[[str], None]) -> None:
        """Call back with what is announced on this channel; with "" if something may have been missed."""
        with self._lock:
            is_missed = channel not in self._heard and self._thread is not None
            self._heard.setdefault(channel, []).append(callback)
            self._begin()
        if is_missed:
            self.renew()

    def _begin(self) -> None:
        if self._thread is None and not self._stopping.is_set():
            self._thread = Thread(target=self._run, name="store-listener", daemon=True)
            self._thread.start()

    def remove(self, wakeup: Event) -> None:
        """Do not set this event any more."""
        with self._lock:
            self._wakeups.discard(wakeup)

    def renew(self) -> None:
        """Listen on a new connection, because the current one missed an announcement."""
        self._must_renew.set()
        os.write(self._waker, b".")

    def close(self) -> None:
        """Stop listening."""
        if self._stopping.is_set():
            return
        self._stopping.set()
        os.write(self._waker, b".")
        if self._thread is not None:
            self._thread.join()
        os.close(self._woken)
        os.close(self._waker)

    def _run(self) -> None:
        wait = FIRST_WAIT
        while not self._stopping.is_set():
            self._must_renew.clear()
            try:
                with self._connect() as connection:
                    for channel in (MOVES_CHANNEL, *self._heard):
                        connection.execute(f"LISTEN {channel}".encode())
                    wait = FIRST_WAIT
                    self._wake_all()  # for commits before we listened
                    for channel in self._heard:
                        self._tell(channel, "")
                    self._listen(connection)
            except (psycopg.Error, StoreError) as error:
                _log.info("the store is not heard of: %s; trying again", type(error).__name__)
            self._stopping.wait(0 if self._must_renew.is_set() else wait)
            wait = min(wait * 2, LONGEST_WAIT)

    def _listen(self, connection: psycopg.Connection[Any]) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(connection, selectors.EVENT_READ)
            selector.register(self._woken, selectors.EVENT_READ)
            while not self._stopping.is_set() and not self._must_renew.is_set():
                for key, _ in selector.select():
                    if key.fileobj == self._woken:
                        os.read(self._woken, 64)
                    elif notes := list(connection.notifies(timeout=0)):
                        for note in notes:
                            self._tell(note.channel, note.payload)
                        self._wake_all()
                        self._stopping.wait(TOGETHER)

    def _wake_all(self) -> None:
        with self._lock:
            for wakeup in self._wakeups:
                wakeup.set()

    def _tell(self, channel: str, what: str) -> None:
        for callback in self._heard.get(channel, ()):
            callback(what)


class CommitListener:
    """Calls back for every move after a position, in the order of the log, from its own thread.

    Args:
        rows: reads the log.
        listener: sets an event when there may be something new.
        seen: the position of the last move that is not reported.
    """

    def __init__(self, rows: Rows, listener: Listener, seen: int) -> None:
        self._rows, self._listener, self._seen = rows, listener, seen
        self._callbacks: list[OnCommit] = []
        self._wakeup, self._stopping = Event(), False
        listener.add(self._wakeup)
        self._thread = Thread(target=self._run, name="store-teller", daemon=True)
        self._thread.start()

    def add(self, callback: OnCommit) -> None:
        """Call this callback, too, from now on."""
        self._callbacks.append(callback)

    def close(self) -> None:
        """Report what is committed by now, then end."""
        self._stopping = True
        self._wakeup.set()
        self._thread.join()
        self._listener.remove(self._wakeup)

    def _run(self) -> None:
        last = False
        while not last:
            was_woken = self._wakeup.wait(LOOK)
            self._wakeup.clear()
            last = self._stopping  # read before the log is, so that everything committed by then is reported
            if self._deliver() and not was_woken:
                self._listener.renew()

    def _deliver(self) -> bool:
        """Read and report what is new; return whether there was anything."""
        found = False
        while True:
            try:
                moves = self._rows.rows(NEWS, (self._seen, _AT_ONCE))
            except StoreError as error:  # the log is read again later
                _log.info("the store cannot be followed: %s; trying again", type(error).__name__)
                return found
            for match, position in moves:
                self._seen = position
                _tell(self._callbacks, match, position)
            found = found or bool(moves)
            if len(moves) < _AT_ONCE:
                return found


def _tell(callbacks: Sequence[OnCommit], match: str, position: int) -> None:
    for callback in callbacks:
        try:
            callback(match, position)
        except Exception as error:  # an error of a callback must not end the thread
            _log.error("a watcher of the store failed: %s", type(error).__name__)
