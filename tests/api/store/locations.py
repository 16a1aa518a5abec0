"""Where a store may be made, of either kind: what the tests of both need of it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from threading import Event
from typing import Protocol

import psycopg

from api.store.interface import Act
from api.store.open import Place as Where
from api.store.open import open_one
from api.store.postgres_schema import ORDER
from api.store.sql import SqlStore
from api.store.sqlite import SqliteStore

ROOT = Path(__file__).parents[3]
ACT = Act("", 1_790_000_000_000_000)  # what the owner of the store does


class Place(Protocol):
    """A place for one store."""

    keys: Path

    @property
    def location(self) -> Where:
        """What opens it."""

    def open(self, *, write: bool = True, keys: Path | None = None) -> SqlStore:
        """The store, which is made where there is none."""

    def content(self) -> bytes:
        """Everything that is stored, as it can be read with the store and without its keys; a shared store
        without its heartbeats, which follow the time.
        """

    def force(self, statement: str) -> None:
        """Change something behind the store's back."""

    def queueing(self, store: SqlStore) -> AbstractContextManager[None]:
        """What is submitted to the store during the context queues up, and is stored after it."""


HEARTBEATS = ("uptime", "heartbeat")  # their names in the table `meta`


class Folder:
    """A place for an embedded store."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.keys = folder, folder.with_name(f"{folder.name}.keys")

    @property
    def location(self) -> Path:
        """See `Place`."""
        return self.folder

    def open(self, *, write: bool = True, keys: Path | None = None) -> SqlStore:
        """See `Place`."""
        return open_one(self.folder, write=write, keys=keys)

    def content(self) -> bytes:
        """See `Place`."""
        return b"".join(path.read_bytes() for path in sorted(self.folder.iterdir()))

    @contextmanager
    def queueing(self, store: SqlStore) -> Iterator[None]:
        """See `Place`: the writer's thread waits."""
        assert isinstance(store, SqliteStore)
        release = Event()
        store._writing.run(lambda cursor: release.wait())
        try:
            yield
        finally:
            release.set()

    def force(self, statement: str) -> None:
        """See `Place`: in another process, for this one must not open the file a second time."""
        program = "import sqlite3, sys\nwith sqlite3.connect(sys.argv[1]) as c:\n    c.execute(sys.argv[2])"
        file = str(self.folder / "glasnost.db")
        subprocess.run([sys.executable, "-c", program, file, statement], check=True)


class Database:
    """A place for a shared store."""

    def __init__(self, url: str, keys: Path) -> None:
        self.url, self.keys = url, keys

    @property
    def location(self) -> str:
        """See `Place`."""
        return self.url

    def open(self, *, write: bool = True, keys: Path | None = None) -> SqlStore:
        """See `Place`."""
        return open_one(self.url, write=write, keys=keys or self.keys)

    def content(self) -> bytes:
        """See `Place`."""
        beside = [
            "meta",
            "vault",
            "requests",
            "notes",
            "uploads",
            "upload_quota",
            "withdrawals",
            "people",
            "tokens",
            "sessions",
            "links",
            "subscriptions",
            "outbox",
            "mail_quota",
            "followers",
            "audit_log",
            "reservations",
            "log_leaves",
            "log_tiles",
            "log_openings",
            "log_checkpoints",
        ]
        tables = [*beside, "stored_events"]
        with psycopg.connect(self.url) as connection:
            rows = [
                row
                for table in tables
                for row in connection.execute(f"SELECT * FROM glasnost.{table}".encode())
                if table != "meta" or row[0] not in HEARTBEATS
            ]
        return b"\n".join(
            value if isinstance(value, bytes) else str(value).encode() for row in rows for value in row
        )

    @contextmanager
    def queueing(self, store: SqlStore) -> Iterator[None]:
        """See `Place`: another connection holds the order lock."""
        with psycopg.connect(self.url) as connection:
            connection.execute("SELECT pg_advisory_lock(%s, %s)", ORDER)
            yield

    def force(self, statement: str) -> None:
        """See `Place`."""
        with psycopg.connect(self.url) as connection:
            connection.execute(b"SET search_path = glasnost")
            connection.execute(statement.encode())
