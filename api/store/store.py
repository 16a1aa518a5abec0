"""The embedded store: one folder, one SQLite file, one writing process (see `api.store.seam`).

    <folder>/glasnost.db     log, vault, people, answered requests, checkpoints of finished matches, uploads
    <folder>/lock            which process writes the store
    <folder>.keys/           the keys, which never enter the store (GLASNOST_KEYS names another place)

Every append goes through the one writer; everything else reads, on connections that cannot change anything.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import TypeVar

from eventsourcing.persistence import PersistenceError

from api.store import people, schema
from api.store.appending import Appending, Games
from api.store.base import HEARTBEAT, NAME, READ_ONLY, SqlStore
from api.store.keys import KeyRing, create_keys
from api.store.lock import Lock
from api.store.mapper import Matches
from api.store.people import SqlPeople, Writing
from api.store.seam import Act, Append, Figures, People, StoreError, Told
from api.store.sqlite import Datastore, Factory, Recorder
from api.store.writer import Writer

T = TypeVar("T")
_log = logging.getLogger("glasnost.store")


class SqliteStore(SqlStore):
    """A store in a folder; open it with `SqliteStore.open` and close it."""

    def __init__(self, folder: Path, keys: Path, name: str, lock: Lock | None) -> None:
        self.folder = folder
        self._lock, self._watchers = lock, list[Told]()
        matches = Matches(_environment(folder / schema.FILE, write=lock is not None))
        recorder, factory = matches.recorder, matches.factory
        assert isinstance(recorder, Recorder)
        assert isinstance(factory, Factory)
        self._recorder, self._datastore, self._games = recorder, factory.datastore, Games()
        super().__init__(matches, self._datastore, keys, name)
        self._writer = Writer(self._datastore) if lock else None
        self._people = SqlitePeople(self._datastore, self.write if lock else None, keys)
        self.people: People = self._people

    @classmethod
    def open(
        cls, folder: Path, *, keys: Path | None = None, write: bool = True, name: str | None = None
    ) -> SqliteStore:
        """Open the store in `folder`, or make one there; with `write` false it is only read, beside whoever
        writes it, and needs no keys.

        `keys` is the key folder (else GLASNOST_KEYS, else `<folder>.keys`), `name` the server's name (else
        GLASNOST_NAME, else "glasnost.local").

        Raises:
            StoreError: another process writes it; its keys are missing, those of another store or inside the
                store; it is of a newer schema, or damaged.  The text says the way out.
        """
        folder = folder.absolute()
        keys = keys or key_folder(folder)
        name = name or os.environ.get("GLASNOST_NAME") or NAME
        if Path(os.path.realpath(keys)).is_relative_to(os.path.realpath(folder)):
            raise StoreError(f"the keys must lie outside the store: {keys} is inside {folder}")
        if not write:
            schema.must_be_current(folder / schema.FILE)
            return cls(folder, keys, name, lock=None)
        return cls._open_for_writing(folder, keys, name)

    @classmethod
    def _open_for_writing(cls, folder: Path, keys: Path, name: str) -> SqliteStore:
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = Lock(folder, time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime()))
        except OSError as error:
            raise StoreError(f"{folder} cannot hold a store: {error.strerror}") from error
        with ExitStack() as opened:
            opened.callback(lock.release)
            if schema.is_new(folder / schema.FILE):
                create_keys(keys, name)
                KeyRing.open(keys, name)  # where they are refused, no store is made
            store = cls(folder, keys, name, lock)
            opened.callback(store._let_go)
            store._bind_keys()
            with suppress(StoreError, sqlite3.Error, PersistenceError):  # the disk is full: another time
                store._people.leave_no_traces()
            opened.pop_all()
            return store

    @property
    def home(self) -> Path:
        """The store's folder."""
        return self.folder

    def announce(self, address: str) -> None:
        """See `SqlStore.announce`."""
        if self._lock is not None:
            self._lock.announce(address)

    # ── writing ──

    def _hand_over(self, append: Append, wrapped: bytes | None) -> Future[int]:
        match = append.records[0].match
        work = Appending(append, wrapped, self._recorder, self._matches.mapper, self._games)
        return self._writing.run(work, partial(self._tell, match))

    def write(self, work: Callable[[people.Cursor], T]) -> T:
        """See `SqlStore.write`."""
        return self._writing.run(work).result()

    def watch(self, told: Told) -> None:
        """See `Store.watch`."""
        self._watchers.append(told)

    @property
    def _writing(self) -> Writer:
        if self._writer is None:
            raise StoreError(READ_ONLY)
        return self._writer

    def _tell(self, match: str, position: int) -> None:
        for told in self._watchers:
            try:
                told(match, position)
            except Exception as error:  # the writer outlives its watchers
                _log.error("a watcher of the store failed: %s", type(error).__name__)

    @property
    def figures(self) -> list[Figures]:
        """See `Store.figures`."""
        return [self._writer] if self._writer else []

    def probe(self) -> None:
        """See `Store.probe`."""
        self._enter(HEARTBEAT, str(time.time_ns()))
        self._people.leave_no_traces()

    def size(self) -> int:
        """See `Store.size`; the write-ahead log counts, too."""
        path = self.folder / schema.FILE
        files = (path, path.with_name(f"{path.name}-wal"))
        return sum(file.stat().st_size for file in files if file.exists())

    def close(self) -> None:
        """See `Store.close`."""
        self._let_go()
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _let_go(self) -> None:
        if self._writer is not None:
            self._writer.close()
        self._matches.close()


class SqlitePeople(SqlPeople):
    """The people of an SQLite store.

    Args:
        datastore: where they are kept.
        writing: does work in a transaction; None where the store is only read.
        keys: where letters of appointment lie.
    """

    def __init__(self, datastore: Datastore, writing: Writing | None, keys: Path) -> None:
        super().__init__(datastore, writing, keys)
        self._datastore = datastore

    def forget(self, player: str, act: Act) -> bool:
        """See `People.forget`; the name's bytes leave the store's files."""
        forgotten = super().forget(player, act)
        self.leave_no_traces()
        return forgotten

    def rename(self, player: str, name: str, act: Act) -> bool:
        """See `People.rename`; the bytes of the old name leave the store's files."""
        renamed = super().rename(player, name, act)
        self.leave_no_traces()
        return renamed

    def leave_no_traces(self) -> None:
        """Let the bytes of old names leave the store's files, where some may still be there."""
        if self._datastore.rows(f"SELECT 1 FROM meta {people.TRACES}"):
            columns = ("id", "name", "role", "folded")
            self._datastore.write_afresh("people", columns, f"UPDATE meta SET value = '' {people.TRACES}")
        self._datastore.checkpoint_if_due()


def key_folder(folder: Path) -> Path:
    """Where the keys of the store in `folder` lie, unless the caller says otherwise."""
    folder = folder.absolute()
    return Path(os.environ.get("GLASNOST_KEYS") or folder.with_name(f"{folder.name}.keys"))


def _environment(path: Path, *, write: bool) -> dict[str, str]:
    return {
        "PERSISTENCE_MODULE": "api.store.sqlite",
        "MAPPER_TOPIC": "api.store.mapper:RecordMapper",
        "TRANSCODER_TOPIC": "api.store.mapper:NullTranscoder",
        "SQLITE_DBNAME": str(path),
        "SQLITE_WRITE": "y" if write else "n",
        "ORIGINATOR_ID_TYPE": "text",
        "CREATE_TABLE": "n",
    }
