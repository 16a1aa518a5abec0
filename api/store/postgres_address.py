"""How a PostgreSQL database is reached, and what is said of it when it is not."""

from __future__ import annotations

import logging
import os
import selectors
import time
from contextlib import suppress
from socket import SHUT_RDWR, socket
from threading import Lock
from typing import Any
from weakref import WeakSet

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from api.store.postgres_schema import SCHEMA
from api.store.seam import StoreError, Unavailable

_AGAIN_SECONDS = 60.0  # before the log is told the same trouble once more
_SETTINGS = (
    f"SET search_path = {SCHEMA}; SET default_transaction_isolation = 'read committed';"
    " SET jit = off;"  # questions are short, and compiling one takes longer than many of them
    " SET client_min_messages = warning; SET statement_timeout = 0; SET lock_timeout = 0;"
    # The server, too, notices a worker that is gone without a word, and does not keep its sessions for hours.
    " SET tcp_keepalives_idle = 30; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3;"
    " SET tcp_user_timeout = 30000"
)
_DEFAULTS: dict[
    str, str | int
] = {  # what the URL does not say: a server that is gone without a word is noticed
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
    "the database went away in the middle, and nobody can say whether this was stored: look at the match, or"
    " send the same again with its Idempotency-Key or expect"
)
AWAY = (
    "the database does not do its work just now; nothing is lost, and nothing was changed: try again in a"
    " moment"
)

Connection = psycopg.Connection[Any]
_log = logging.getLogger("glasnost.store")


class Unreachable(Unavailable):
    """No connection can be had; the text names the database, so it is for the owner, not for the public."""


class Address:
    """How a database is reached, which may hold a password; `str` gives what may be shown.

    Args:
        url: postgresql://USER:PASSWORD@HOST:PORT/DATABASE, or anything else that libpq understands.

    Raises:
        StoreError: it does not.
    """

    def __init__(self, url: str) -> None:
        try:
            self._parts = conninfo_to_dict(url)
        except psycopg.Error:  # its text may hold the password
            raise StoreError(_NOT_UNDERSTOOD) from None
        host, port = str(self._parts.get("host") or ""), str(self._parts.get("port") or "1")
        if "@" in host or not port.replace(",", "").isdecimal():  # of a password with such a character
            raise StoreError(_NOT_UNDERSTOOD)
        self._complaint, self._complained = "", 0.0
        self.is_over = False  # nobody asks it any more
        self._open, self._changing = WeakSet[Connection](), Lock()

    def __str__(self) -> str:
        user, host = self._parts.get("user"), self._parts.get("host") or "localhost"
        port, name = self._parts.get("port"), self._parts.get("dbname")
        where = f"{f'{user}@' if user else ''}{host}{f':{port}' if port else ''}"
        return f"postgresql://{where}/{name or ''}"

    def connect(self, name: str = "glasnost", settings: str = "") -> Connection:
        """A connection that commits each statement.

        Raises:
            Unreachable: the server does not answer, or lets us not in, or it was hung up on; the text says
                why.
        """
        given = make_conninfo("", **{**_DEFAULTS, **self._parts, "application_name": name})
        if self.is_over:
            raise Unreachable(f"the database {self} is not asked any more")
        try:
            connection: Connection = psycopg.connect(given, autocommit=True)
            self._note(connection)
            connection.execute(f"{_SETTINGS}; {settings}".encode())
        except psycopg.Error as error:
            raise Unreachable(f"the database {self} cannot be reached: {self.said(error)}; {_HINT}") from None
        connection.prepare_threshold = 0
        return connection

    def hang_up(self) -> None:
        """End every connection, whatever is waited for there, and open no more."""
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
        """What a client is told of the database's trouble; the log says more."""
        said, now = str(error) if isinstance(error, Unreachable) else self.said(error), time.monotonic()
        if said != self._complaint or now - self._complained > _AGAIN_SECONDS:  # every question fails alike
            self._complaint, self._complained = said, now
            told = said if isinstance(error, Unreachable) else f"the database {self}: {said}"
            _log.warning("%s", told)
        return Unavailable(AWAY)

    def said(self, error: Exception) -> str:
        """What an error says, in one line and without the password."""
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        said = next((line for line in lines if "FATAL" in line), lines[0] if lines else type(error).__name__)
        password = str(self._parts.get("password") or "")
        return said.replace(password, "***") if password else said


def hung_up(connection: Connection) -> bool:
    """Has the server ended a connection on which nothing is under way?  It has nothing else to say there."""
    with selectors.DefaultSelector() as selector:
        selector.register(connection, selectors.EVENT_READ)
        return bool(selector.select(0))
