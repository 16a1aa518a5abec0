"""The embedded store: one folder, one SQLite file, one writing process (see `api.store.interface`).

    <folder>/glasnost.db     log, vault, people, answered requests, checkpoints of finished matches, uploads
    <folder>/lock            which process writes the store
    <folder>.keys/           the keys, which never enter the store (GLASNOST_KEYS names another place)

Every append goes through the one writer; everything else only reads, on read-only connections.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager, suppress
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, TypeVar

from eventsourcing.persistence import PersistenceError
from eventsourcing.sqlite import SQLiteCursor as Cursor
from msgspec import Struct

from api.store import accounts, sqlite_schema
from api.store.accounts import Writing
from api.store.events import MOVE, Matches, stored_moves
from api.store.file_locks import Lock
from api.store.group_commit import Job, Queue
from api.store.interface import (
    Act,
    Append,
    Conflict,
    Exists,
    Figures,
    OnCommit,
    People,
    StoreError,
    Unavailable,
)
from api.store.keys import KeyRing, create_keys
from api.store.sessions import SqlSessions
from api.store.sql import HEARTBEAT, NAME, READ_ONLY, SqlStore
from api.store.sqlite_recorder import Datastore, Factory, Recorder
from domain.refusals import Sentence

# The one writer of an SQLite store: a thread that commits many pieces of work in one durable transaction.
#
# Work queues up while a transaction is being made durable, and all of it goes into the next one, so the cost
# of reaching the disk is shared.  Each piece has its own savepoint: it is done as a whole or not at all, and
# a conflict does not affect the other pieces.  If the disk refuses, the whole group is undone and tried again
# one by one, so that what still fits is stored, and the other callers get an error that says that nothing
# was.
#
# Pieces that only add moves are done together, in one statement: with each statement the thread releases the
# interpreter lock several times, and gets it back only after the event loop.  If a group has no other pieces,
# the statement is its own transaction.  If it is refused, the pieces are done one by one, each in its
# savepoint.

T = TypeVar("T")
Work = Callable[[Cursor], Any]
_MOST = 32  # most rows of one statement; each number of rows is another statement, which is kept prepared
_MOVES = f"INSERT INTO stored_events ({MOVE}, kind) VALUES "
_REQUESTS = "INSERT INTO requests (scope, key, body, status, answer) VALUES "


class Rows(Struct):
    """The rows of a piece of work that only adds moves, and the request that they answer."""

    moves: list[tuple[Any, ...]]
    requests: list[tuple[Any, ...]]


class Adding(ABC):
    """Work that only adds moves, or may do so."""

    @abstractmethod
    def rows(self) -> Rows | None:
        """Return the rows that it adds; None if it does more than that, or must read first."""

    @abstractmethod
    def __call__(self, cursor: Cursor) -> int:
        """Do the work by itself; return the position of the last move."""


class Writer(Queue[Work]):
    """The writing thread of one SQLite datastore.

    The future of some work raises `Conflict` if a constraint refuses, `Unavailable` if the disk does, and any
    error of the work itself; nothing of the work is then stored.
    """

    def __init__(self, datastore: Datastore) -> None:
        self._datastore = datastore
        super().__init__()

    def _carry_out(self, group: list[Job[Work]]) -> None:
        if not self._committed(group) and len(group) > 1:
            for job in group:
                self._committed([job])

    def _committed(self, group: list[Job[Work]]) -> bool:
        """Do a group in one transaction; return False if the disk refused it: all its jobs have failed."""
        jobs = [(job, _rows(job.work)) for job in group]
        try:
            if not self._added_at_once(jobs):
                with self._datastore.transaction(commit=True) as cursor:
                    _attempt_all(jobs, cursor)
        except (sqlite3.Error, PersistenceError) as error:
            for job in group:
                job.error = _unavailable(error)
            return False
        return True

    def _added_at_once(self, jobs: list[tuple[Job[Work], Rows | None]]) -> bool:
        """Do jobs that a single statement can do, as its own transaction; return whether it could."""
        together = [(job, rows) for job, rows in jobs if rows is not None and not rows.requests]
        moves = [row for _, rows in together for row in rows.moves]
        if len(together) < len(jobs) or len(moves) > _MOST:
            return False
        try:
            with self._datastore.statement() as cursor:
                last = _add(_MOVES, moves, cursor)
        except Exception as error:  # they are done one by one then, which shows whose row it is
            if _is_trouble(error):
                raise
            return False
        _number(together, last)
        return True


def _rows(work: Work) -> Rows | None:
    """The rows of work that only adds moves; None if the work is to be done by itself."""
    try:
        return work.rows() if isinstance(work, Adding) else None
    except Exception:  # done by itself it fails as well, and its caller gets the error
        return None


def _attempt_all(jobs: list[tuple[Job[Work], Rows | None]], cursor: Cursor) -> None:
    """Do the jobs in order; do those together that only add moves."""
    together: list[tuple[Job[Work], Rows]] = []
    for job, rows in jobs:
        if rows is not None:
            together.append((job, rows))
            continue
        _attempt_together(together, cursor)
        together = []
        _attempt(job, cursor)
    _attempt_together(together, cursor)


def _attempt_together(jobs: list[tuple[Job[Work], Rows]], cursor: Cursor) -> None:
    """Add the rows of all jobs; if one is refused, do each job by itself."""
    moves = [row for _, rows in jobs for row in rows.moves]
    requests = [row for _, rows in jobs for row in rows.requests]
    try:
        with _undone(cursor, several=len(moves) > _MOST or bool(requests)):
            last = _add(_MOVES, moves, cursor)
            _add(_REQUESTS, requests, cursor)
    except Exception as error:
        if _is_trouble(error):
            raise
        for job, _ in jobs:
            _attempt(job, cursor)
        return
    _number(jobs, last)


def _number(jobs: list[tuple[Job[Work], Rows]], last: int) -> None:
    """Give each job the position of its last move; that of the last job is known."""
    for job, rows in reversed(jobs):
        job.result, job.error = last, None
        last -= len(rows.moves)


@contextmanager
def _undone(cursor: Cursor, *, several: bool) -> Iterator[None]:
    """Undo what was done in the context if it fails; a single statement undoes itself."""
    if several:
        cursor.execute("SAVEPOINT jobs")
    try:
        yield
    except Exception:
        if several:
            cursor.execute("ROLLBACK TO jobs")
            cursor.execute("RELEASE jobs")
        raise
    if several:
        cursor.execute("RELEASE jobs")


def _add(into: str, rows: list[tuple[Any, ...]], cursor: Cursor) -> int:
    """Add rows; return the id of the last one.  Only one connection writes, so the ids are consecutive."""
    for first in range(0, len(rows), _MOST):
        some = rows[first : first + _MOST]
        cursor.execute(_statement(into, len(some), len(some[0])), [value for row in some for value in row])
    return int(cursor.lastrowid or 0)


@lru_cache
def _statement(into: str, rows: int, columns: int) -> str:
    row = f"({', '.join('?' * columns)})"
    return into + ", ".join([row] * rows)


def _attempt(job: Job[Work], cursor: Cursor) -> None:
    """Do one job within the transaction, as a whole or not at all; a disk error ends the transaction."""
    job.result = job.error = None
    cursor.execute("SAVEPOINT job")
    try:
        job.result = job.work(cursor)
    except sqlite3.IntegrityError as error:
        job.error = Conflict(f"not stored: {error}")
    except Exception as error:  # an error of one job goes to its caller alone
        if _is_trouble(error):
            raise
        job.error = error
    if job.error is not None:
        cursor.execute("ROLLBACK TO job")
    cursor.execute("RELEASE job")


def _is_trouble(error: Exception) -> bool:
    """Is it an error of the disk or the file, which concerns all jobs?"""
    own = isinstance(error, sqlite3.IntegrityError)
    return isinstance(error, (sqlite3.Error, PersistenceError)) and not own


def _unavailable(error: Exception) -> Unavailable:
    return Unavailable(Sentence("nothing-stored", {"error": str(error)}))


# ── How an append is stored in SQLite, in the writer's thread: by itself, or together with others ──
#
# By itself it first reads the match's last move, and can say what is wrong.  Most appends only add moves of a
# match whose game is known: these are rows of one statement for a whole group, and the log's own triggers
# check that they follow (`api.store.sqlite_schema`).


_KNOWN = 50_000  # matches whose game is remembered


class Games:
    """Remembers the game of each match that something was appended to."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def of(self, match: str) -> str | None:
        """Return the match's game; None if it must be looked up."""
        return self._known.get(match)

    def note(self, match: str, game: str) -> None:
        """Remember it."""
        if len(self._known) >= _KNOWN:
            self._known.clear()
        self._known[match] = game


class Appending(Adding):
    """One append.

    Args:
        wrapped: the match's wrapped secret, if the append brings one.
    """

    def __init__(self, append: Append, wrapped: bytes | None, recorder: Recorder, games: Games) -> None:
        self._append, self._wrapped = append, wrapped
        self._recorder, self._games = recorder, games
        self._match = append.records[0].match

    def rows(self) -> Rows | None:
        """See `Adding.rows`."""
        append, game = self._append, self._games.of(self._match)
        judged_by = append.reservations is not None
        beside = self._wrapped is not None or append.signer is not None or append.note
        if judged_by or beside or game is None or append.records[0].move == 1:
            return None
        records = append.records
        rows = [(record.match, record.move, game, record.stored, record.kind) for record in records]
        return Rows(rows, self._requests())

    def __call__(self, cursor: Cursor) -> int:
        """See `Adding`.

        Raises:
            Exists, Conflict: the records do not follow the stored ones.
        """
        append, match = self._append, self._match
        game = _game(append, cursor)
        if append.reservations is not None:
            accounts.must_be_at(cursor, match, append.reservations)
        positions = self._recorder._insert_events(cursor, stored_moves(append.records, game))
        if self._wrapped is not None:
            cursor.execute("INSERT INTO vault (match, wrapped) VALUES (?, ?)", (match, self._wrapped))
        if append.signer is not None:
            cursor.execute("INSERT INTO uploads (match, signer) VALUES (?, ?)", (match, append.signer))
        if append.note:
            cursor.execute("INSERT INTO notes (match, note) VALUES (?, ?)", (match, append.note))
        if append.reserved is not None:
            accounts.insert_reservations(cursor, match, append.reserved)
        for row in self._requests():
            cursor.execute(
                "INSERT INTO requests (scope, key, body, status, answer) VALUES (?, ?, ?, ?, ?)", row
            )
        self._games.note(match, game)
        return positions[-1]

    def _requests(self) -> list[tuple[Any, ...]]:
        kept = self._append.remembered
        return [(kept.scope, kept.key, kept.body, kept.status, kept.answer)] if kept else []


def _game(append: Append, cursor: Cursor) -> str:
    """The topic of the records: the name of the match's game.

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
    if last and first.move == 1:
        raise Exists(f"a match {first.match} is already stored")
    if first.move != last + 1:
        raise Conflict(f"move {first.move} does not follow move {last} of match {first.match}")
    return game or first.topic


# ── The embedded store: one folder, one SQLite file, one writing process (see `api.store.interface`) ──


_log = logging.getLogger("glasnost.store")


class SqliteStore(SqlStore):
    """A store in a folder; open it with `SqliteStore.open` and close it."""

    def __init__(self, folder: Path, keys: Path, name: str, lock: Lock | None) -> None:
        self.folder = folder
        self._lock, self._callbacks = lock, list[OnCommit]()
        matches = Matches(_environment(folder / sqlite_schema.FILE, write=lock is not None))
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
        """Open the store in `folder`, or make one there.

        If `write` is false, the store is only read, beside its writer, and needs no keys.

        `keys` is the key folder (else GLASNOST_KEYS, else `<folder>.keys`), `name` the server's name (else
        GLASNOST_NAME, else "glasnost.local").

        Raises:
            StoreError: another process writes it; its keys are missing, those of another store or inside the
                store; it has a newer schema, or is damaged.  The text says what to do.
        """
        folder = folder.absolute()
        keys = keys or key_folder(folder)
        name = name or os.environ.get("GLASNOST_NAME") or NAME
        if Path(os.path.realpath(keys)).is_relative_to(os.path.realpath(folder)):
            raise StoreError(f"the keys must lie outside the store: {keys} is inside {folder}")
        if not write:
            sqlite_schema.must_be_current(folder / sqlite_schema.FILE)
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
            if sqlite_schema.is_new(folder / sqlite_schema.FILE):
                create_keys(keys, name)
                KeyRing.open(keys, name)  # if the keys are refused, no store is made
            store = cls(folder, keys, name, lock)
            opened.callback(store._let_go)
            store._bind_keys()
            with suppress(StoreError, sqlite3.Error, PersistenceError):  # a full disk: done at another start
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
        work, writing = Appending(append, wrapped, self._recorder, self._games), self._writing
        self.log_guard.check()
        return writing.run(work, partial(self._tell, match))

    def write(self, work: Callable[[accounts.Cursor], T]) -> T:
        """See `SqlStore.write`."""
        result: T = self._writing.run(work).result()
        return result

    def watch(self, callback: OnCommit) -> None:
        """See `Store.watch`."""
        self._callbacks.append(callback)

    @property
    def _writing(self) -> Writer:
        if self._writer is None:
            raise StoreError(READ_ONLY)
        return self._writer

    def _tell(self, match: str, position: int) -> None:
        for callback in self._callbacks:
            try:
                callback(match, position)
            except Exception as error:  # an error of a callback must not end the writer
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
        """See `Store.size`; includes the write-ahead log."""
        path = self.folder / sqlite_schema.FILE
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


class SqlitePeople(SqlSessions):
    """The people of an SQLite store.

    Args:
        datastore: the file of the store.
        writing: does work in a transaction; None if the store is only read.
        keys: the folder with the invitations of administrators.
    """

    def __init__(self, datastore: Datastore, writing: Writing | None, keys: Path) -> None:
        super().__init__(datastore, writing, keys)
        self._datastore = datastore

    def forget(self, player: str, act: Act) -> bool:
        """See `People.forget`; the bytes of the name are removed from the store's files."""
        forgotten = super().forget(player, act)
        self.leave_no_traces()
        return forgotten

    def rename(self, player: str, name: str, act: Act) -> bool:
        """See `People.rename`; the bytes of the old name are removed from the store's files."""
        renamed = super().rename(player, name, act)
        self.leave_no_traces()
        return renamed

    def leave_no_traces(self) -> None:
        """Remove the bytes of old names from the store's files, if some may still be there."""
        if self._datastore.rows(f"SELECT 1 FROM meta {accounts.TRACES}"):
            columns = ("id", "name", "role", "folded")
            self._datastore.write_afresh("people", columns, f"UPDATE meta SET value = '' {accounts.TRACES}")
        self._datastore.checkpoint_if_due()


def key_folder(folder: Path) -> Path:
    """Return the default key folder of the store in `folder`."""
    folder = folder.absolute()
    return Path(os.environ.get("GLASNOST_KEYS") or folder.with_name(f"{folder.name}.keys"))


def _environment(path: Path, *, write: bool) -> dict[str, str]:
    return {
        "PERSISTENCE_MODULE": "api.store.sqlite_recorder",
        "MAPPER_TOPIC": "api.store.events:RecordMapper",
        "TRANSCODER_TOPIC": "api.store.events:NullTranscoder",
        "SQLITE_DBNAME": str(path),
        "SQLITE_WRITE": "y" if write else "n",
        "ORIGINATOR_ID_TYPE": "text",
        "CREATE_TABLE": "n",
    }
