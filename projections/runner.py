"""The runner: keeps every read model in step with the log, each record exactly once.

One pass takes of each log a batch of records for all generations that stand at the same position, folds it
into each, and commits rows and position in one transaction.  So a kill at any moment leaves whole batches,
and a record that is delivered again is not looked at.  A fold that fails stops its own projection, in that
log, just before that record: it is reported, tried again with every pass, and holds up nobody else.

Readers see a projection as soon as it holds everything there is, and not before: of a log that is only half
taken in they would get lists that look complete.  A file that is deleted while it runs is built anew.

Of the workers of a shared store one moves the read models (see `postgres`); the runners of the others look
every second whether they may, and wait for it on behalf of their readers.  What else follows the order of all
records and must be done by one worker alone (notifications, results of tournaments) belongs beside
`Runner.catch_up`, in `Runner._run`, where this process is known to be the one.

A divided store is several logs, and nothing says in which order their batches are taken.  So a fold must give
the same rows whatever the order is in which records of different matches come.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from projections.backend import Backend, Home
from projections.batch import BatchWriter, told_of
from projections.boards import BOARDS
from projections.file import File
from projections.generations import Generations, Overtaken, fits, stamped
from projections.history import HISTORY
from projections.matches import MATCHES
from projections.model import Delivered, Projection, Source
from projections.sources import LogSources
from projections.status import Failure, Generation, Progress, Status, has_reached, status

PROJECTIONS = (MATCHES, HISTORY, BOARDS)
BATCH = 1_000  # records a transaction
FAR = 32_000  # the same where at least so many wait: more of them are plays in between
IDLE = 1.0  # seconds after which a sleeping runner looks by itself, and tries a failing record again
LOOK = 0.005  # seconds between two looks at what another process moves while a reader waits
AGAIN = 20  # looks after which that process is called once more: another one may move them by then
PAUSE = 0.5  # seconds for which it lets more come, unless a reader waits: more at once cost less each


class Runner:
    """Keeps the read models at `home` (a path: in this file), unless another process does.

    `source` is a log, or several by their names, or their ends.  `report` is called with one line for
    whatever an operator should know.  `withdrawn` gives the matches that are to be told of no more; where it
    gives others than before, everything is built anew without them, beside what is served.  `catch_up` runs
    it in the caller's thread; `start` and `stop` run it in a thread of its own, woken by the logs.
    """

    def __init__(
        self,
        source: Source | Mapping[str, Source] | LogSources,
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
        self._tails = source if isinstance(source, LogSources) else tails_of(source, report)
        self._projections = {projection.name: projection for projection in projections}
        self._unseen: set[str] = set()  # logs that could not be read when it was looked what they hold
        self._wanted: set[str] = set()
        self._state: list[Generation] = []
        self._moved = threading.Condition()
        self._woken, self._stopping = threading.Event(), threading.Event()
        self._hurried = threading.Event()  # somebody waits
        self._thread: threading.Thread | None = None
        self._tables: Backend | None = None
        self._open()

    @property
    def moves(self) -> bool:
        """Is it this process that moves the read models?"""
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
        """Move the read models no more: whoever waited for that waits for another process from now on."""
        if self._tables is not None:
            self._tables.close()
        with self._moved:
            self._tables = None
            self._moved.notify_all()

    def _prepare(self) -> None:
        with self._there.transaction():
            for name in self._catalogue.prepare(self._projections.values(), self._tails):
                self._report(
                    f"projection {name}: of another version or log, so it is built anew from the log"
                )
        self._unseen = {name for name, tail in self._tails.items() if tail.is_unread}
        self._note()

    # ── reading ──

    def status(self) -> list[Status]:
        """How far each projection has come."""
        lasts, found = self.lasts(), self._found()
        return [status(name, found, lasts) for name in self._projections]

    def _found(self) -> list[Generation]:
        """Where all generations stand."""
        found = [] if self.moves else self._home.generations()
        with self._moved:
            return found or self._state

    def lasts(self) -> dict[str, int]:
        """The position of the last record of each log that can be read."""
        return self._tails.glances()

    @property
    def away(self) -> list[str]:
        """The logs that cannot be read."""
        return self._tails.away

    def wait(self, positions: int | Mapping[str, int], seconds: float) -> bool:
        """Wait until readers see the record at the position of each log (a number: of the one log there is)
        in every read model; False: not in that time, or not before it stopped."""
        wanted = positions if isinstance(positions, Mapping) else {"": positions}
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

    def _wait_here(self, wanted: Mapping[str, int], seconds: float) -> bool:
        """The same, as long as it is this process that moves them."""
        with self._moved:
            if not has_reached(self._state, wanted):
                self._hurried.set()
            self._moved.wait_for(
                lambda: self._stopping.is_set() or not self.moves or has_reached(self._state, wanted), seconds
            )
            return has_reached(self._state, wanted)

    def hurry(self) -> None:
        """Look at once whether there is something to take in: somebody waits."""
        self._woken.set()
        self._hurried.set()

    # ── running ──

    def start(self) -> None:
        """Run in a thread of its own until `stop`."""
        self._tails.watch(self._woken)
        thread = threading.Thread(target=self._run, name="projections", daemon=True)
        thread.start()
        self._thread = thread

    def stop(self) -> None:
        """Finish the batch at hand and let go of the read models: another process may move them."""
        self._stopping.set()
        self.hurry()
        with self._moved:
            self._moved.notify_all()
        if self._thread:
            self._thread.join()
        self._close()
        self._home.close()

    def rebuild(self, name: str) -> None:
        """Build a projection anew beside the one that is served, which it then replaces.

        Raises:
            KeyError: there is no projection of this name.
        """
        self._wanted.add(self._projections[name].name)
        self._woken.set()

    def catch_up(self) -> None:
        """Take in every record there is by now, save where a fold fails."""
        lasts = self._tails.lasts()  # not what comes meanwhile: under load there is always some more
        while self.advance() and self._can_go_on(lasts):
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
            except Exception as error:  # the disk, the database: say so once, and go on when it is mended
                if self._reported != (said := f"projections: {told_of(error)}; trying again"):
                    self._report(said)
                self._reported = said
            if self.moves:
                self._woken.wait(IDLE)
                self._hurried.wait(PAUSE)
            else:
                self._stopping.wait(IDLE)
            self._hurried.clear()

    def advance(self) -> bool:
        """One batch of each log for every generation that is behind; whether anything moved."""
        self._leave_out()
        self._begin_wanted()
        lasts = self._tails.lasts()
        if self._unseen & lasts.keys():
            self._prepare()
        groups = [(log, group) for log, last in lasts.items() for group in self._behind(log, last)]
        moved = [self._advance(log, group, lasts[log]) for log, group in groups]
        return any([*moved, self._serve_complete(lasts)])

    def _behind(self, log: str, last: int) -> list[list[Generation]]:
        """The generations that lack records of a log, those together that stand at the same position."""
        groups: dict[int, list[Generation]] = {}
        for found in self._state:
            position = found.at(log).position
            if self._fits(found) and position < last:
                groups.setdefault(position, []).append(found)
        return list(groups.values())

    def _can_go_on(self, lasts: Mapping[str, int]) -> bool:
        """Does any generation lack records up to these positions?  One that a record stopped tries that one
        again in the next round."""
        groups = ((log, group) for log, last in lasts.items() for group in self._behind(log, last))
        return any(not found.stopped(log) for log, group in groups for found in group)

    def _fits(self, found: Generation) -> bool:
        return fits(found, self._projections[found.name])

    def _serve_complete(self, lasts: Mapping[str, int]) -> bool:
        """Let readers see the new generations that hold everything."""
        complete = [
            found
            for found in self._state
            if not found.served and self._fits(found) and self._is_complete(found, lasts)
        ]
        for found in complete:
            with self._there.transaction():
                self._catalogue.serve(self._projections[found.name], found.generation)
        if complete:
            self._note()
        return bool(complete)

    def _is_complete(self, found: Generation, lasts: Mapping[str, int]) -> bool:
        """Does it hold every record of every log?  Where nothing else is served: of each that can be read."""
        other = any(one.served for one in self._state if one.name == found.name)
        logs = self._tails.keys() if other else lasts.keys()
        return bool(logs) and all(log in lasts and found.at(log).position >= lasts[log] for log in logs)

    def _leave_out(self) -> None:
        """See which matches were withdrawn by now, and build anew what still tells of one."""
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

    def _advance(self, log: str, group: list[Generation], last: int) -> bool:
        """One batch for generations at the same position of a log."""
        position = group[0].at(log).position
        size = FAR if last - position >= FAR else self._batch
        for failing in (found.failures[log] for found in group if log in found.failures):
            size = max(min(size, failing.position - 1 - position), 1)  # up to that record, then it alone
        records = self._tails[log].brief(position, size)
        if records is None:
            return False
        try:
            with self._there.transaction():
                moved = [self._take(found, log, records) for found in group]
        except Overtaken:
            moved = [True]
        self._note()
        return any(moved)

    def _take(self, found: Generation, log: str, records: Sequence[Delivered]) -> bool:
        """Take a batch into one generation; whether that, or to know where it fails, was any progress."""
        place, failure = self._taker.taken(self._projections[found.name], found, self._tails[log], records)
        known = found.failures.get(log)
        self._remember(found, log, place, failure)
        return place is not None or bool(failure and (not known or known.position != failure.position))

    def _remember(self, found: Generation, log: str, place: Progress | None, failure: Failure | None) -> None:
        """Keep the failure of a generation in a log, or that it is behind it; report a new one."""
        before = found.failures.get(log)
        if failure is not None:
            if before and before.position == failure.position:
                failure = replace(failure, attempts=before.attempts + 1)
            else:
                self._report(str(failure))
            self._catalogue.fail(found, failure)
        elif before is not None and place is not None and place.position >= before.position:
            self._catalogue.mend(found, log)

    def _note(self) -> None:
        """Remember where the generations stand, for `status` and `wait`."""
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


def tails_of(source: Source | Mapping[str, Source], report: Callable[[str], None]) -> LogSources:
    """The ends of a log, or of several; `report` is called with one line for each that cannot be read."""

    def told(log: str, error: Exception) -> None:
        which = f"log {log}" if log else "the log"
        report(f"{which} cannot be read ({type(error).__name__}): trying again until it can")

    return LogSources(source, told)
