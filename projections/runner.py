"""The runner: keeps every read model in step with the log, each record exactly once.

One pass takes a batch of records for all generations that stand at the same position, folds it into each,
and commits rows and positions in one transaction.  So a kill at any moment leaves whole batches, and a record
that is delivered again is not looked at.  A fold that fails stops its own projection just before that record:
it is reported, tried again with every pass, and holds up nobody else.
"""

from __future__ import annotations

import sqlite3
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from projections.boards import BOARDS
from projections.catalogue import Catalogue, Generation, Overtaken, mark, stamp
from projections.history import HISTORY
from projections.matches import MATCHES
from projections.model import Delivered, Projection, Source
from projections.tables import Batch
from projections.turns import TURNS

PROJECTIONS = (MATCHES, HISTORY, BOARDS, TURNS)
BATCH = 1_000  # records a transaction: more gains nothing, and a reader of the log waits for nothing longer
IDLE = 1.0  # seconds after which a sleeping runner looks by itself, and tries a failing record again


class Failure(Struct, frozen=True):
    """A record that a fold failed on.

    `error` names the kind of error and the line of code, never its text: that could name a hidden card.
    """

    projection: str
    position: int
    match: str
    move: int
    error: str
    attempts: int = 1

    def __str__(self) -> str:
        where = f"position {self.position} (match {self.match}, move {self.move})"
        return f"projection {self.projection} stopped before {where}: {self.error}; trying again"


class Status(Struct, frozen=True):
    """How far a projection has come: `behind` records wait; `building` is the position of a rebuild."""

    name: str
    position: int
    behind: int
    building: int | None
    failure: Failure | None


Taken = tuple[Delivered | None, Failure | None]  # the last record taken in, and what stopped the next one


class Runner:
    """Keeps the read models in the file at `path`.

    `report` is called with one line for whatever an operator should know.  `catch_up` runs it in the caller's
    thread; `start` and `stop` run it in a thread of its own, woken by the source.
    """

    def __init__(
        self,
        source: Source,
        path: Path,
        *,
        projections: Sequence[Projection] = PROJECTIONS,
        batch: int = BATCH,
        report: Callable[[str], None] = lambda line: None,
    ) -> None:
        self._source, self._batch, self._report = source, batch, report
        self._projections = {projection.name: projection for projection in projections}
        self._failures: dict[tuple[str, int], Failure] = {}
        self._wanted: set[str] = set()
        self._state: list[Generation] = []
        self._moved = threading.Condition()
        self._woken, self._stopping = threading.Event(), threading.Event()
        self._thread: threading.Thread | None = None
        self._connection = _opened(path, report)
        self._catalogue = Catalogue(self._connection)
        try:
            self._prepare()
        except BaseException:
            self._connection.close()
            raise

    def _prepare(self) -> None:
        with self._transaction():
            for name in self._catalogue.prepare(self._projections.values(), self._source):
                self._report(
                    f"projection {name}: of another version or log, so it is built anew from the log"
                )
        self._note()

    # ── reading ──

    def status(self) -> list[Status]:
        """How far each projection has come."""
        last = self._source.last()
        with self._moved:
            return [self._status_of(name, last) for name in self._projections]

    def _status_of(self, name: str, last: int) -> Status:
        served = next(found for found in self._state if found.name == name and found.served)
        building = next((found for found in self._state if found.name == name and not found.served), None)
        failures = [self._failures.get((one.name, one.generation)) for one in (building, served) if one]
        return Status(
            name,
            served.position,
            max(last - served.position, 0),
            building.position if building else None,
            next((failure for failure in failures if failure), None),
        )

    def wait(self, position: int, seconds: float) -> bool:
        """Wait until every served read model holds the record at `position`; False: not in that time."""
        with self._moved:
            return self._moved.wait_for(lambda: self._reached(position), seconds)

    def _reached(self, position: int) -> bool:
        return all(found.position >= position for found in self._state if found.served)

    # ── running ──

    def start(self) -> None:
        """Run in a thread of its own until `stop`."""
        self._source.watch(lambda match, position: self._woken.set())
        self._thread = threading.Thread(target=self._run, name="projections", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Finish the batch at hand and let go of the file."""
        self._stopping.set()
        self._woken.set()
        if self._thread:
            self._thread.join()
        self._connection.close()

    def rebuild(self, name: str) -> None:
        """Build a projection anew beside the one that is served, which it then replaces.

        Raises:
            KeyError: there is no projection of this name.
        """
        self._wanted.add(self._projections[name].name)
        self._woken.set()

    def catch_up(self) -> None:
        """Take in every record there is, save where a fold fails."""
        while self.advance():
            if self._stopping.is_set():
                return

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._woken.clear()
            try:
                self.catch_up()
            except Exception as error:  # the log or the disk fails: say so, and go on when it is mended
                self._report(f"projections: {_told(error)}; trying again")
            self._woken.wait(IDLE)

    def advance(self) -> bool:
        """One batch for every generation that is behind; whether anything moved."""
        self._begin_wanted()
        last = self._source.last()
        groups: dict[int, list[Generation]] = {}
        for found in self._state:
            fits = found.stamp == stamp(self._projections[found.name])
            if fits and (found.position < last or not found.served):
                groups.setdefault(found.position, []).append(found)
        moved = [self._advance(group) for group in groups.values()]
        return any(moved)

    def _begin_wanted(self) -> None:
        while self._wanted:
            name = self._wanted.pop()
            with self._transaction():
                self._catalogue.begin(self._projections[name])
            self._note()

    def _advance(self, group: list[Generation]) -> bool:
        """One batch for generations at the same position; a failing one takes a single record."""
        failing = any((found.name, found.generation) in self._failures for found in group)
        limit = 1 if failing else self._batch
        records = self._source.after(group[0].position, limit)
        try:
            with self._transaction():
                moved = [self._take(found, records, limit) for found in group]
        except Overtaken:
            moved = [True]
        self._note()
        return any(moved)

    def _take(self, found: Generation, records: Sequence[Delivered], limit: int) -> bool:
        """Take a batch into one generation; at the end of the log a new generation is served."""
        last, failure = self._taken(found, records)
        self._remember(found, failure)
        if failure is None and len(records) < limit and not found.served:
            self._catalogue.serve(self._projections[found.name], found.generation)
            return True
        return last is not None

    def _taken(self, found: Generation, records: Sequence[Delivered]) -> Taken:
        batch = Batch(self._connection, found.generation)
        last, failure = _folded(self._projections[found.name], batch, found.position, records)
        if last is None:
            return None, failure
        unwritten = self._write(found, batch, records[0], last)
        if unwritten is None:
            return last, failure
        return self._one_by_one(found, records) if len(records) > 1 else (None, unwritten)

    def _one_by_one(self, found: Generation, records: Sequence[Delivered]) -> Taken:
        """Take what can be written of a batch that cannot: this finds the record to blame."""
        last: Delivered | None = None
        for delivered in records:
            taken, failure = self._taken(found, [delivered])
            if taken:
                last, found = taken, replace(found, position=taken.position)
            if failure:
                return last, failure
        return last, None

    def _write(self, found: Generation, batch: Batch, first: Delivered, last: Delivered) -> Failure | None:
        """Write a batch and its position: both or, with the failure that prevented it, neither."""
        self._connection.execute("SAVEPOINT batch")
        try:
            batch.write()
        except sqlite3.OperationalError:  # the disk: it fails for everybody
            raise
        except Exception as error:  # rows that cannot be kept must not stop the others
            self._connection.execute("ROLLBACK TO batch")
            return _failure(found.name, first, error)
        self._catalogue.move(found, last.position, mark(last.record))
        self._connection.execute("RELEASE batch")
        return None

    def _remember(self, found: Generation, failure: Failure | None) -> None:
        """Keep the failure of a generation, or that there is none; report it when it is a new one."""
        key = (found.name, found.generation)
        before = self._failures.pop(key, None)
        if failure is None:
            return
        if before and before.position == failure.position:
            failure = replace(failure, attempts=before.attempts + 1)
        else:
            self._report(str(failure))
        self._failures[key] = failure

    def _note(self) -> None:
        """Remember where the generations stand, for `status` and `wait`."""
        found = [one for name in self._projections for one in self._catalogue.generations(name)]
        with self._moved:
            self._state = found
            self._moved.notify_all()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise


def _folded(projection: Projection, batch: Batch, position: int, records: Sequence[Delivered]) -> Taken:
    """Fold records into a batch, as far as the fold does not fail."""
    last: Delivered | None = None
    for delivered in records:
        if delivered.position <= position:
            continue
        try:
            changes = list(projection.fold(batch, delivered))
        except Exception as error:  # whatever it is, it must not stop the others
            return last, _failure(projection.name, delivered, error)
        batch.apply(changes)
        last, position = delivered, delivered.position
    return last, None


def _failure(projection: str, delivered: Delivered, error: Exception) -> Failure:
    record = delivered.record
    return Failure(projection, delivered.position, record.match, record.move, _told(error))


def _told(error: Exception) -> str:
    """The kind of an error and where it was raised; not its text, which could name a hidden card."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" at {'/'.join(Path(frames[-1].filename).parts[-2:])}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{where}"


def _opened(path: Path, report: Callable[[str], None]) -> sqlite3.Connection:
    """The one writing connection to the file; a file that is no database is put aside."""
    try:
        return _connected(path)
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError:
        aside = path.with_name(f"{path.name}.damaged")
        path.replace(aside)
        for rest in ("-wal", "-shm"):
            path.with_name(path.name + rest).unlink(missing_ok=True)
        report(f"{path.name} is damaged; it is kept as {aside.name} and built anew")
        return _connected(path)


def _connected(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=30)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
    except sqlite3.DatabaseError:
        connection.close()
        raise
    return connection
