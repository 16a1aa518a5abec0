"""A queue for one thread, which commits all waiting work as one group, to share the cost of a commit."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from time import perf_counter
from typing import Any, Generic, TypeVar

from api.histogram import SECONDS, SIZES, Histogram
from api.store.interface import StoreError

GROUP = 256  # pieces of work in one transaction at most

T = TypeVar("T")
W = TypeVar("W")


class Job(Generic[W]):
    """A piece of work, the future of its result, and what is to be called once it is durable."""

    def __init__(self, work: W, after: Callable[[Any], None] | None) -> None:
        self.work, self.after = work, after
        self.begun = perf_counter()
        self.future: Future[Any] = Future()
        self.result: Any = None
        self.error: Exception | None = None

    def settle(self) -> None:
        """Set the result or the error of the future."""
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.result)


class Queue(ABC, Generic[W]):
    """A thread that does submitted work, in groups of all that waits.

    `seconds` counts how long work waited until it was durable, each piece as long as the first of its group;
    `sizes` counts how many pieces the groups had.
    """

    def __init__(self) -> None:
        self.seconds, self.sizes = Histogram(SECONDS), Histogram(SIZES)
        self._queue: SimpleQueue[Job[W] | None] = SimpleQueue()
        self._lock, self._closed = Lock(), False
        self._thread = Thread(target=self._serve, name="store-writer", daemon=True)
        self._thread.start()

    @abstractmethod
    def _carry_out(self, group: list[Job[W]]) -> None:
        """Do the work of a group; afterwards each job has its result, which is durable, or its error."""

    def run(self, work: W, after: Callable[[T], None] | None = None) -> Future[T]:
        """Submit work; the future gives its result once that is durable.

        `after` is then called with the result, in the thread; it must not block or raise.  Work whose future
        was cancelled before it began is not begun.
        """
        job = Job(work, after)
        with self._lock:
            if self._closed:
                job.future.set_exception(StoreError("the store is closed"))
            else:
                self._queue.put(job)
        return job.future

    @property
    def waiting(self) -> int:
        """The number of pieces of work that wait for the thread."""
        return self._queue.qsize()

    def close(self) -> None:
        """Finish the submitted work, then end the thread."""
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

    def _do(self, group: list[Job[W]]) -> None:
        if not group:
            return
        self._carry_out(group)
        self.seconds.add(perf_counter() - group[0].begun, len(group))
        self.sizes.add(len(group))
        for job in group:
            job.settle()
        for job in group:
            if job.after is not None and job.error is None:
                job.after(job.result)
