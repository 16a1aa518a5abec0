"""The one writer of a store: a thread that commits many pieces of work in one durable transaction.

Work queues up while a transaction is being made durable, and all of it goes into the next one, so the cost
of reaching the disk is shared.  Each piece stands in a savepoint of its own: it is done wholly or not at all,
and a conflict spoils nobody else's.  When the disk itself refuses, the whole group is undone and tried again
one by one, so that whatever still fits is stored, and the rest is told that nothing of it was.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any, Generic, TypeVar

from eventsourcing.persistence import PersistenceError
from eventsourcing.sqlite import SQLiteCursor as Cursor

from api.store.seam import Conflict, StoreError, Unavailable
from api.store.sqlite import Datastore

GROUP = 256  # pieces of work in one transaction at most

T = TypeVar("T")


class Job(Generic[T]):
    """A piece of work, the promise of its result, and what is to be done once it is durable."""

    def __init__(self, work: Callable[[Cursor], T], after: Callable[[T], None] | None) -> None:
        self.work, self.after = work, after
        self.future: Future[T] = Future()
        self.result: T | None = None
        self.error: Exception | None = None

    def settle(self) -> None:
        """Keep the promise."""
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            result: Any = self.result
            self.future.set_result(result)


class Writer:
    """The writing thread of one datastore."""

    def __init__(self, datastore: Datastore) -> None:
        self._datastore = datastore
        self._queue: SimpleQueue[Job[Any] | None] = SimpleQueue()
        self._lock, self._closed = Lock(), False
        self._thread = Thread(target=self._serve, name="store-writer", daemon=True)
        self._thread.start()

    def run(self, work: Callable[[Cursor], T], after: Callable[[T], None] | None = None) -> Future[T]:
        """Hand over work; the future gives its result once that is durable.

        `after` is then called with the result, in the writer's thread; it must not block or raise.  Work
        whose future was cancelled before it began is not begun.  The future raises `Conflict` where a
        constraint refuses, `Unavailable` where the disk does, and whatever the work itself raises; nothing of
        the work is then stored.
        """
        job = Job(work, after)
        with self._lock:
            if self._closed:
                job.future.set_exception(StoreError("the store is closed"))
            else:
                self._queue.put(job)
        return job.future

    def close(self) -> None:
        """Finish what was handed over, then end the thread."""
        with self._lock:
            if not self._closed:
                self._closed = True
                self._queue.put(None)
        self._thread.join()

    def _serve(self) -> None:
        open_for_work = True
        while open_for_work:
            group = [self._queue.get()]
            while len(group) < GROUP and group[-1] is not None:
                try:
                    group.append(self._queue.get_nowait())
                except Empty:
                    break
            open_for_work = group[-1] is not None
            self._do([job for job in group if job and job.future.set_running_or_notify_cancel()])

    def _do(self, group: list[Job[Any]]) -> None:
        if not group:
            return
        if not self._committed(group) and len(group) > 1:
            for job in group:
                self._committed([job])
        for job in group:
            job.settle()
        for job in group:
            if job.after is not None and job.error is None:
                job.after(job.result)

    def _committed(self, group: list[Job[Any]]) -> bool:
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


def _attempt(job: Job[Any], cursor: Cursor) -> None:
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
