"""The one writer of an SQLite store: a thread that commits many pieces of work in one durable transaction.

Work queues up while a transaction is being made durable, and all of it goes into the next one, so the cost
of reaching the disk is shared.  Each piece stands in a savepoint of its own: it is done wholly or not at all,
and a conflict spoils nobody else's.  When the disk itself refuses, the whole group is undone and tried again
one by one, so that whatever still fits is stored, and the rest is told that nothing of it was.

Pieces that only add moves are done together, in one statement: with each statement the thread lets go of the
interpreter several times, and gets it back only when the loop has had its turn.  Where a group is nothing
else, the statement is its own transaction.  Where it is refused, they are done one by one, each in its
savepoint.
"""

from __future__ import annotations

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, TypeVar

from eventsourcing.persistence import PersistenceError
from eventsourcing.sqlite import SQLiteCursor as Cursor
from msgspec import Struct

from api.store.queueing import Job, Queue
from api.store.seam import Conflict, Unavailable
from api.store.sqlite import Datastore

T = TypeVar("T")
Work = Callable[[Cursor], Any]
_MOST = 32  # rows of one statement: each number of them is a statement of its own, which is kept prepared
_MOVES = "INSERT INTO stored_events (originator_id, originator_version, topic, state) VALUES "
_REQUESTS = "INSERT INTO requests (scope, key, body, status, answer) VALUES "


class Rows(Struct):
    """What a piece of work adds where it only adds moves, and the request that they answer."""

    moves: list[tuple[Any, ...]]
    requests: list[tuple[Any, ...]]


class Adding(ABC):
    """Work that may only add moves."""

    @abstractmethod
    def rows(self) -> Rows | None:
        """What it adds; None where it does more than that, or where it must look first."""

    @abstractmethod
    def __call__(self, cursor: Cursor) -> int:
        """Do it by itself; gives the position of the last move."""


class Writer(Queue[Work]):
    """The writing thread of one SQLite datastore."""

    def __init__(self, datastore: Datastore) -> None:
        self._datastore = datastore
        super().__init__()

    def run(self, work: Callable[[Cursor], T], after: Callable[[T], None] | None = None) -> Future[T]:
        """Hand over work; the future gives its result once that is durable.

        `after` is then called with the result, in the writer's thread; it must not block or raise.  Work
        whose future was cancelled before it began is not begun.  The future raises `Conflict` where a
        constraint refuses, `Unavailable` where the disk does, and whatever the work itself raises; nothing of
        the work is then stored.
        """
        return self._hand_over(work, after)

    def _carry_out(self, group: list[Job[Work]]) -> None:
        if not self._committed(group) and len(group) > 1:
            for job in group:
                self._committed([job])

    def _committed(self, group: list[Job[Work]]) -> bool:
        """Do a group in one transaction; whether the disk took it.  If not, every job of it has failed."""
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
        """Do jobs that a single statement can do: that is a transaction of its own; whether it could."""
        together = [(job, rows) for job, rows in jobs if rows is not None and not rows.requests]
        moves = [row for _, rows in together for row in rows.moves]
        if len(together) < len(jobs) or len(moves) > _MOST:
            return False
        try:
            with self._datastore.statement() as cursor:
                last = _add(_MOVES, moves, cursor)
        except Exception as error:  # whose row it is they find out one by one
            if _is_trouble(error):
                raise
            return False
        _number(together, last)
        return True


def _rows(work: Work) -> Rows | None:
    """What the work only adds; None where it is to be done by itself."""
    try:
        return work.rows() if isinstance(work, Adding) else None
    except Exception:  # by itself it fails as well, and its owner is told
        return None


def _attempt_all(jobs: list[tuple[Job[Work], Rows | None]], cursor: Cursor) -> None:
    """Do the jobs in order, those together that only add moves."""
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
    """Add the rows of all jobs; where one of them is refused, let each try by itself."""
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
    """What is done in the context is undone where it fails; one statement undoes itself."""
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
    """Add rows; gives the id of the last one.  One connection writes, so the ids follow one another."""
    for first in range(0, len(rows), _MOST):
        some = rows[first : first + _MOST]
        cursor.execute(_statement(into, len(some), len(some[0])), [value for row in some for value in row])
    return int(cursor.lastrowid or 0)


@lru_cache
def _statement(into: str, rows: int, columns: int) -> str:
    row = f"({', '.join('?' * columns)})"
    return into + ", ".join([row] * rows)


def _attempt(job: Job[Work], cursor: Cursor) -> None:
    """Do one job within the transaction, wholly or not at all; trouble of the disk ends the transaction."""
    job.result = job.error = None
    cursor.execute("SAVEPOINT job")
    try:
        job.result = job.work(cursor)
    except sqlite3.IntegrityError as error:
        job.error = Conflict(f"not stored: {error}")
    except Exception as error:  # whatever is wrong with one job is told to its owner, not to the others
        if _is_trouble(error):
            raise
        job.error = error
    if job.error is not None:
        cursor.execute("ROLLBACK TO job")
    cursor.execute("RELEASE job")


def _is_trouble(error: Exception) -> bool:
    """Is it the disk's or the file's, and so everybody's?"""
    own = isinstance(error, sqlite3.IntegrityError)
    return isinstance(error, (sqlite3.Error, PersistenceError)) and not own


def _unavailable(error: Exception) -> Unavailable:
    return Unavailable(f"nothing was stored: {error}; make room on the disk, or see to it, and try again")
