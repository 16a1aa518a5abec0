"""The one writer of an SQLite store: a thread that commits many pieces of work in one durable transaction.

Work queues up while a transaction is being made durable, and all of it goes into the next one, so the cost
of reaching the disk is shared.  Each piece stands in a savepoint of its own: it is done wholly or not at all,
and a conflict spoils nobody else's.  When the disk itself refuses, the whole group is undone and tried again
one by one, so that whatever still fits is stored, and the rest is told that nothing of it was.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from eventsourcing.persistence import PersistenceError
from eventsourcing.sqlite import SQLiteCursor as Cursor

from api.store.queueing import Job, Queue
from api.store.seam import Conflict, Unavailable
from api.store.sqlite import Datastore

T = TypeVar("T")
Work = Callable[[Cursor], Any]


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
        try:
            with self._datastore.transaction(commit=True) as cursor:
                for job in group:
                    _attempt(job, cursor)
        except (sqlite3.Error, PersistenceError) as error:
            for job in group:
                job.error = _unavailable(error)
            return False
        return True


def _attempt(job: Job[Work], cursor: Cursor) -> None:
    """Do one job within the transaction, wholly or not at all; trouble of the disk ends the transaction."""
    job.result = job.error = None
    cursor.execute("SAVEPOINT job")
    try:
        job.result = job.work(cursor)
    except sqlite3.IntegrityError as error:
        job.error = Conflict(f"not stored: {error}")
    except (sqlite3.Error, PersistenceError):
        raise
    except Exception as error:  # whatever is wrong with one job is told to its owner, not to the others
        job.error = error
    if job.error is not None:
        cursor.execute("ROLLBACK TO job")
    cursor.execute("RELEASE job")


def _unavailable(error: Exception) -> Unavailable:
    return Unavailable(f"nothing was stored: {error}; make room on the disk, or see to it, and try again")
