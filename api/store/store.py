"""The embedded store: one folder, one SQLite file, one writing process (see `api.store.seam`).

    <folder>/glasnost.db     log, vault, people, answered requests, checkpoints of finished matches, uploads
    <folder>/lock            which process writes the store
    <folder>.keys/           the keys, which never enter the store (GLASNOST_KEYS names another place)

Every append goes through the one writer; everything else reads, on connections that cannot change anything.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from eventsourcing.application import AggregateNotFoundError
from eventsourcing.sqlite import SQLiteCursor as Cursor

from api.store import schema
from api.store.keys import KeyRing, create_keys, wrap_key
from api.store.lock import Lock
from api.store.mapper import Envelope, Loaded, Matches, projected
from api.store.people import SqlitePeople
from api.store.seam import Append, Conflict, Exists, People, Remembered, Stored, StoreError
from api.store.sqlite import Factory, Recorder
from api.store.vault import Vault
from api.store.writer import Writer
from domain.log import Opened
from domain.match import Match

NAME = "glasnost.local"  # the server's name, under which it signs
Told = Callable[[str, int], None]

_log = logging.getLogger(__name__)


class SqliteStore:
    """A store in a folder; open it with `SqliteStore.open` and close it."""

    def __init__(self, folder: Path, keys: Path, name: str, lock: Lock | None) -> None:
        self.folder, self.key_folder, self.name = folder, keys, name
        self._lock, self._watchers = lock, list[Told]()
        self._matches = Matches(_environment(folder / schema.FILE, write=lock is not None))
        recorder, factory = self._matches.recorder, self._matches.factory
        assert isinstance(recorder, Recorder)
        assert isinstance(factory, Factory)
        self._recorder, self._datastore = recorder, factory.datastore
        self._writer = Writer(self._datastore) if lock else None
        self.people: People = SqlitePeople(self._datastore, self._writer, keys)

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
        if keys.absolute().is_relative_to(folder):
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
            store = cls(folder, keys, name, lock)
            opened.callback(store._let_go)
            store._bind_keys()
            opened.pop_all()
            return store

    # ── keys ──

    @cached_property
    def keys(self) -> KeyRing:
        """The ring of keys that sign checkpoints.

        Rotate it through a store that is open for writing, so that no other process goes on with the old key.
        """
        return KeyRing.open(self.key_folder, self.name)

    @cached_property
    def _vault(self) -> Vault:
        return Vault(wrap_key(self.key_folder))

    def _bind_keys(self) -> None:
        """See that the keys are there, and are this store's own: the first ones it is opened with."""
        vault, ring = self._vault, self.keys
        bound = self._one("SELECT value FROM meta WHERE name = 'wrap_key'")
        if bound is None:
            self._writing.run(partial(_bind, fingerprint=vault.fingerprint)).result()
        elif bound[0] != vault.fingerprint:
            raise StoreError(
                f"the keys in {self.key_folder} are those of another store (they sign as"
                f" {ring.present.label}): name this store's own key folder with GLASNOST_KEYS"
            )

    # ── writing ──

    def submit(self, append: Append) -> Future[int]:
        """See `Store.submit`."""
        match = append.records[0].match
        if any(record.match != match for record in append.records):
            raise ValueError("an append holds records of one match")
        wrapped = None if append.secret is None else self._vault.wrap(match, append.secret)
        return self._writing.run(partial(self._append, append, wrapped), partial(self._tell, match))

    def watch(self, told: Told) -> None:
        """See `Store.watch`."""
        self._watchers.append(told)

    def announce(self, address: str) -> None:
        """Tell processes that come later under which HTTP address this store is served."""
        if self._lock is not None:
            self._lock.announce(address)

    @property
    def _writing(self) -> Writer:
        if self._writer is None:
            raise StoreError("this store is open for reading only")
        return self._writer

    def _append(self, append: Append, wrapped: bytes | None, cursor: Cursor) -> int:
        """Store one append, in the writer's thread; gives the position of its last record."""
        match, mapper = append.records[0].match, self._matches.mapper
        game = _game(append, cursor)
        events = [mapper.to_stored_event(Envelope(record, game)) for record in append.records]
        positions = self._recorder._insert_events(cursor, events)
        if wrapped is not None:
            cursor.execute("INSERT INTO vault (match, wrapped) VALUES (?, ?)", (match, wrapped))
        if append.signer is not None:
            cursor.execute("INSERT INTO uploads (match, signer) VALUES (?, ?)", (match, append.signer))
        if append.note:
            cursor.execute("INSERT INTO notes (match, note) VALUES (?, ?)", (match, append.note))
        if (kept := append.remembered) is not None:
            row = (kept.scope, kept.key, kept.body, kept.status, kept.answer)
            cursor.execute(
                "INSERT INTO requests (scope, key, body, status, answer) VALUES (?, ?, ?, ?, ?)", row
            )
        return positions[-1]

    def _tell(self, match: str, position: int) -> None:
        for told in self._watchers:
            try:
                told(match, position)
            except Exception as error:  # the writer outlives its watchers
                _log.error("a watcher of the store failed: %s", type(error).__name__)

    # ── reading ──

    def match(self, match: str) -> Match | None:
        """See `Store.match`.

        Raises:
            Damaged: its log is not what was once written.
        """
        try:
            loaded: Loaded = self._matches.repository.get(match, projector_func=projected)
        except AggregateNotFoundError:
            return None
        return loaded.match

    def secret(self, match: str) -> bytes | None:
        """See `Store.secret`."""
        row = self._one("SELECT wrapped FROM vault WHERE match = ?", match)
        return self._vault.unwrap(match, row[0]) if row else None

    def remembered(self, scope: str, key: str) -> Remembered | None:
        """See `Store.remembered`."""
        columns = "scope, key, body, status, answer"
        row = self._one(f"SELECT {columns} FROM requests WHERE scope = ? AND key = ?", scope, key)
        return Remembered(*row) if row else None

    def note(self, match: str) -> str | None:
        """See `Store.note`."""
        row = self._one("SELECT note FROM notes WHERE match = ?", match)
        return row[0] if row else None

    def signer(self, match: str) -> str | None:
        """See `Store.signer`."""
        row = self._one("SELECT signer FROM uploads WHERE match = ?", match)
        return row[0] if row else None

    def matches(self) -> Iterator[str]:
        """See `Store.matches`."""
        first = "SELECT originator_id FROM stored_events WHERE originator_version = 1 ORDER BY id"
        return (row[0] for row in self._datastore.rows(first))

    def after(self, position: int, limit: int) -> list[Stored]:
        """See `Store.after`."""
        rows = self._recorder.select_notifications(position, limit, inclusive_of_start=False)
        uploaded = self._uploaded(position, rows[-1].id) if rows else set()
        found: list[Stored] = []
        for row in rows:
            envelope = self._matches.mapper.to_domain_event(row)
            assert isinstance(envelope, Envelope)
            found.append(Stored(row.id, envelope.record, row.originator_id in uploaded))
        return found

    def _uploaded(self, after: int, upto: int) -> set[str]:
        """The uploaded ones among the matches whose moves have these positions."""
        moves = "SELECT originator_id FROM stored_events WHERE id > ? AND id <= ?"
        uploads = f"SELECT match FROM uploads WHERE match IN ({moves})"
        return {row[0] for row in self._datastore.rows(uploads, (after, upto))}

    def last(self) -> int:
        """See `Store.last`."""
        last: int | None = self._one("SELECT max(id) FROM stored_events")[0]
        return last or 0

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

    def _one(self, statement: str, *values: Any) -> Any:
        return next(iter(self._datastore.rows(statement, values)), None)


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


def _game(append: Append, cursor: Cursor) -> str:
    """The name of the match's game.

    Raises:
        Exists, Conflict: the records do not follow the stored ones.
    """
    first = append.records[0]
    cursor.execute(
        "SELECT originator_version, topic FROM stored_events WHERE originator_id = ?"
        " ORDER BY originator_version DESC LIMIT 1",
        (first.match,),
    )
    last, game = cursor.fetchone() or (0, "")
    if last and isinstance(first.entry, Opened):
        raise Exists(f"a match {first.match} is already stored")
    if first.move != last + 1:
        raise Conflict(f"move {first.move} does not follow move {last} of match {first.match}")
    return game or str(first.entry.game)


def _bind(cursor: Cursor, fingerprint: str) -> None:
    cursor.execute("INSERT INTO meta (name, value) VALUES ('wrap_key', ?)", (fingerprint,))
