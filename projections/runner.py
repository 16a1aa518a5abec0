"""The runner: keeps every read model up to date with the log, taking in each record exactly once.

One pass reads a batch of records for all generations at the same position, folds it into each, and commits
rows and position in one transaction.  So a kill at any moment leaves whole batches, and a record that is
delivered again is ignored.  A fold that fails stops its own projection just before that record: the failure
is reported, the record is tried again with every pass, and no other projection waits for it.

Readers see a projection only once it has taken in the whole log: before that, its lists would look complete
and not be.  A file that is deleted while the runner runs is built anew.

Of the workers of a shared store one writes the read models (see `postgres`); the runners of the others try
every second to become that one, and wait for it on behalf of their readers.  Other work that follows the
order of all records and must be done by one worker alone (notifications, results of tournaments) belongs
beside `Runner.catch_up`, in `Runner._run`, where this process is known to be that worker.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec.structs import replace

from projections.backend import Backend, Home
from projections.batch import BatchWriter, error_summary
from projections.boards import BOARDS
from projections.file import File
from projections.generations import Generations, Overtaken, fits, stamped
from projections.history import HISTORY
from projections.log_source import LogSource
from projections.matches import MATCHES
from projections.model import Delivered, Projection, Source
from projections.status import Failure, Generation, Progress, Status, has_reached, status
from projections.tournaments import TOURNAMENTS

PROJECTIONS = (MATCHES, HISTORY, BOARDS, TOURNAMENTS)
BATCH = 1_000  # records in one transaction
FAR = 32_000  # records in one transaction if so many wait: most of them are plays in between
IDLE = 1.0  # seconds after which a sleeping runner reads the log unasked, and tries a failing record again
LOOK = 0.005  # seconds between two readings of another process's positions while a reader waits
AGAIN = 20  # readings after which the writing process is notified again: it may be another one by then
PAUSE = 0.5  # seconds to wait for more records, unless a reader waits: a larger batch costs less per record


class Runner:
    """Keeps the read models at `home` (a path: in this file), unless another process does.

    `source` is the log.  `report` is called with one line for everything that an operator should know.
    `withdrawn` returns the matches that are no longer shown; when its answer changes, everything is built
    anew without them, beside what is served.  `catch_up` runs in the caller's thread; `start` and `stop` run
    the runner in a thread of its own, which the log wakes.
    """

    def __init__(
        self,
        source: Source,
        home: Home | Path,
        *,
        projections: Sequence[Projection] = PROJECTIONS,
        batch: int = BATCH,
        report: Callable[[str], None] = lambda line: None,
        withdrawn: Callable[[], frozenset[str]] = frozenset,
    ) -> None:
        self._withdrawn = withdrawn
        self._home = _home(home, report)
        self._batch, self._report, self._reported = batch, report, ""
        self._log = LogSource(source, report)
        self._projections = {projection.name: projection for projection in projections}
        self._unseen = False  # the log could not be read when the generations were compared with it
        self._wanted: set[str] = set()
        self._state: list[Generation] = []
        self._moved = threading.Condition()
        self._woken, self._stopping = threading.Event(), threading.Event()
        self._hurried = threading.Event()  # a reader waits
        self._thread: threading.Thread | None = None
        self._tables: Backend | None = None
        self._open()

    @property
    def moves(self) -> bool:
        """Does this process write the read models?"""
        return self._tables is not None

    def _open(self) -> None:
        """Open the read models, unless another process moves them."""
        self._close()
        tables = self._home.open()
        if tables is None:
            return
        self._catalogue, self._tables = Generations(tables), tables
        self._taker = BatchWriter(tables, self._catalogue)
        try:
            self._prepare()
        except BaseException:
            self._close()
            raise

    def _close(self) -> None:
        """Stop writing the read models; a thread that waits for them now waits for another process."""
        if self._tables is not None:
            self._tables.close()
        with self._moved:
            self._tables = None
            self._moved.notify_all()

    def _prepare(self) -> None:
        with self._there.transaction():
            for name in self._catalogue.prepare(self._projections.values(), self._log):
                self._report(
                    f"projection {name}: of another version or log, so it is built anew from the log"
                )
        self._unseen = self._log.is_unread
        self._note()

    # ── reading ──

    def status(self) -> list[Status]:
        """Return how far each projection has come."""
        last, found = self.last(), self._found()
        return [status(name, found, last) for name in self._projections]

    def _found(self) -> list[Generation]:
        """All generations with their positions."""
        found = [] if self.moves else self._home.generations()
        with self._moved:
            return found or self._state

    def last(self) -> int | None:
        """Return the position of the last record, or None if the log cannot be read."""
        return self._log.glance()

    def wait(self, wanted: int, seconds: float) -> bool:
        """Wait until readers see the record at this position in every read model.

        Returns False if that takes more than `seconds`, or if the runner stops first.
        """
        until, looks = time.monotonic() + seconds, 0
        while True:
            left = max(until - time.monotonic(), 0.0)
            reached = self._wait_here(wanted, left) if self.moves else has_reached(self._found(), wanted)
            if reached or self._stopping.is_set() or not left:
                return reached
            if not self.moves:
                if looks % AGAIN == 0:
                    self._home.call()
                looks += 1
                self._stopping.wait(min(LOOK, left))

    def _wait_here(self, wanted: int, seconds: float) -> bool:
        """The same, for as long as this process writes the read models."""
        with self._moved:
            if not has_reached(self._state, wanted):
                self._hurried.set()
            self._moved.wait_for(
                lambda: self._stopping.is_set() or not self.moves or has_reached(self._state, wanted), seconds
            )
            return has_reached(self._state, wanted)

    def hurry(self) -> None:
        """Read the log at once, because a reader waits."""
        self._woken.set()
        self._hurried.set()

    # ── running ──

    def start(self) -> None:
        """Run in a thread of its own until `stop`."""
        self._log.watch(self._woken.set)
        thread = threading.Thread(target=self._run, name="projections", daemon=True)
        thread.start()
        self._thread = thread

    def stop(self) -> None:
        """Finish the current batch and close the read models, so that another process may write them."""
        self._stopping.set()
        self.hurry()
        with self._moved:
            self._moved.notify_all()
        if self._thread:
            self._thread.join()
        self._close()
        self._home.close()

    def rebuild(self, name: str) -> None:
        """Build a projection anew beside the one that is served, and then replace that one.

        Raises:
            KeyError: there is no projection with this name.
        """
        self._wanted.add(self._projections[name].name)
        self._woken.set()

    def catch_up(self) -> None:
        """Take in every record that is in the log now, up to a record that a fold fails on."""
        last = self._log.last()  # not records that come meanwhile: under load there are always more
        while self.advance() and self._can_go_on(last or 0):
            if self._stopping.is_set():
                return

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._woken.clear()
            try:
                if not self.moves or self._home.is_lost():
                    self._open()
                if self.moves:
                    self.catch_up()
                self._reported = ""
            except Exception as error:  # the disk, the database: report it once, and try again
                if self._reported != (said := f"projections: {error_summary(error)}; trying again"):
                    self._report(said)
                self._reported = said
            if self.moves:
                self._woken.wait(IDLE)
                self._hurried.wait(PAUSE)
            else:
                self._stopping.wait(IDLE)
            self._hurried.clear()

    def advance(self) -> bool:
        """Take one batch into every generation that is behind; return whether any generation moved."""
        self._leave_out()
        self._begin_wanted()
        last = self._log.last()
        if last is None:
            return False
        if self._unseen:
            self._prepare()
        moved = [self._advance(group, last) for group in self._behind(last)]
        return any([*moved, self._serve_complete(last)])

    def _behind(self, last: int) -> list[list[Generation]]:
        """The generations that lack records, grouped by position."""
        groups: dict[int, list[Generation]] = {}
        for found in self._state:
            if self._fits(found) and found.position < last:
                groups.setdefault(found.position, []).append(found)
        return list(groups.values())

    def _can_go_on(self, last: int) -> bool:
        """Is any generation behind and not stopped?  A stopped one tries again in the next pass."""
        return any(not found.is_stopped for group in self._behind(last) for found in group)

    def _fits(self, found: Generation) -> bool:
        return fits(found, self._projections[found.name])

    def _serve_complete(self, last: int) -> bool:
        """Serve the new generations that are complete."""
        complete = [
            found
            for found in self._state
            if not found.served and self._fits(found) and found.position >= last
        ]
        for found in complete:
            with self._there.transaction():
                self._catalogue.serve(self._projections[found.name], found.generation)
        if complete:
            self._note()
        return bool(complete)

    def _leave_out(self) -> None:
        """Ask which matches are withdrawn by now, and build anew what still shows one."""
        withdrawn = self._taker.withdrawn = self._withdrawn()
        for name, projection in self._projections.items():
            wanted = stamped(projection, withdrawn)
            if not any(found.name == name and found.stamp == wanted for found in self._state):
                self._wanted.add(name)

    def _begin_wanted(self) -> None:
        while self._wanted:
            name = self._wanted.pop()
            with self._there.transaction():
                self._catalogue.begin(self._projections[name], self._taker.withdrawn)
            self._note()

    def _advance(self, group: list[Generation], last: int) -> bool:
        """Take one batch into generations at the same position."""
        position = group[0].position
        size = FAR if last - position >= FAR else self._batch
        for failing in (found.failure for found in group if found.failure):
            size = max(min(size, failing.position - 1 - position), 1)  # up to that record, then it alone
        records = self._log.brief(position, size)
        if records is None:
            return False
        try:
            with self._there.transaction():
                moved = [self._take(found, records) for found in group]
        except Overtaken:
            moved = [True]
        self._note()
        return any(moved)

    def _take(self, found: Generation, records: Sequence[Delivered]) -> bool:
        """Take a batch into one generation; return whether it moved, or failed at a new place."""
        progress, failure = self._taker.taken(self._projections[found.name], found, records)
        known = found.failure
        self._remember(found, progress, failure)
        return progress is not None or bool(failure and (not known or known.position != failure.position))

    def _remember(self, found: Generation, progress: Progress | None, failure: Failure | None) -> None:
        """Store the failure of a generation, or delete one that it has passed; report a new failure."""
        before = found.failure
        if failure is not None:
            if before and before.position == failure.position:
                failure = replace(failure, attempts=before.attempts + 1)
            else:
                self._report(str(failure))
            self._catalogue.fail(found, failure)
        elif before is not None and progress is not None and progress.position >= before.position:
            self._catalogue.mend(found)

    def _note(self) -> None:
        """Remember the positions of the generations, for `status` and `wait`."""
        found = [one for one in self._catalogue.generations() if one.name in self._projections]
        with self._moved:
            self._state = found
            self._moved.notify_all()

    @property
    def _there(self) -> Backend:
        assert self._tables is not None, "another process moves the read models"
        return self._tables


def _home(home: Home | Path, report: Callable[[str], None]) -> Home:
    return File(home, report) if isinstance(home, Path) else home
