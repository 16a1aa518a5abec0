"""Which generation of each projection is served, which is being built, and how far each has come.

The position of a generation moves in the transaction that writes its rows.  A new generation is filled
unseen, beside the one that is served where there is one, and takes its place in one transaction.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection

from domain.log import Record
from projections.backend import Backend, Reading, shape
from projections.log_source import LogSource
from projections.model import Projection
from projections.status import Failure, Generation, Progress

_CREATE = """
CREATE TABLE IF NOT EXISTS generations (
    name TEXT NOT NULL,
    generation BIGINT NOT NULL,
    stamp TEXT NOT NULL,
    served BIGINT NOT NULL,
    tables TEXT NOT NULL,
    position BIGINT NOT NULL,
    mark TEXT NOT NULL,
    PRIMARY KEY (name, generation)
)"""
_CREATE_FAILURES = """
CREATE TABLE IF NOT EXISTS failures (
    name TEXT NOT NULL,
    generation BIGINT NOT NULL,
    position BIGINT NOT NULL,
    match TEXT NOT NULL,
    move BIGINT NOT NULL,
    error TEXT NOT NULL,
    attempts BIGINT NOT NULL,
    PRIMARY KEY (name, generation)
)"""
_GENERATIONS = (
    "SELECT name, generation, stamp, served, tables, position, mark FROM generations"
    " ORDER BY name, generation"
)
_FAILURES = "SELECT name, generation, position, match, move, error, attempts FROM failures"
_OF_GENERATION = ("generations", "failures")  # the tables that say something of one


class Overtaken(Exception):
    """Another process has moved this read model on: nothing was written."""


def stamp(projection: Projection) -> str:
    """What decides whether tables fit the code: the projection's version and the shape of its tables."""
    statements = "\n".join(text for kind in projection.kinds for text in shape(kind).create(0))
    return f"{projection.version}-{hashlib.sha256(statements.encode()).hexdigest()[:12]}"


def stamped(projection: Projection, withdrawn: Collection[str]) -> str:
    """The stamp of tables without the matches that were withdrawn."""
    if not withdrawn:
        return stamp(projection)
    return f"{stamp(projection)}-{hashlib.sha256(' '.join(sorted(withdrawn)).encode()).hexdigest()[:12]}"


def fits(found: Generation, projection: Projection) -> bool:
    """Can the code at hand fill these tables, whichever matches they leave out?"""
    return found.stamp.rsplit("-", max(found.stamp.count("-") - 1, 0))[0] == stamp(projection)


def mark(record: Record) -> str:
    """What tells a record from that of another store's log at the same position."""
    return hashlib.sha256(record.leaf).hexdigest()[:16]


class Generations:
    """The generations of the read models; every change needs an open transaction."""

    def __init__(self, tables: Backend) -> None:
        self._tables = tables

    def prepare(self, projections: Collection[Projection], log: LogSource) -> list[str]:
        """Make sure that every projection has a generation that its code can fill.

        Generations of another log (a store restored from a backup) are thrown away, and those of a projection
        that is no more; a served generation of another version stays until a new one takes its place.  Gives
        the names of those to be built anew.
        """
        for create in (_CREATE, _CREATE_FAILURES):
            self._tables.execute(create)
        anew, known = [], {projection.name for projection in projections}
        for found in self.generations():
            if found.name not in known:
                self.drop(found)
        for projection in projections:
            before = self.generations(projection.name)
            for found in before:
                outdated = not found.served and not fits(found, projection)
                if outdated or not _follows(log, found.progress):
                    self.drop(found)
            if not any(fits(found, projection) for found in self.generations(projection.name)):
                self.begin(projection)
                if before:
                    anew.append(projection.name)
        return anew

    def generations(self, name: str | None = None) -> list[Generation]:
        """The generations of a projection; without a name, of all of them."""
        return [found for found in generations(self._tables) if name in (None, found.name)]

    def begin(self, projection: Projection, withdrawn: Collection[str] = ()) -> None:
        """Begin a new generation without these matches, which nobody sees yet; an unfinished one is thrown
        away."""
        others = self.generations(projection.name)
        for other in others:
            if not other.served:
                self.drop(other)
        generation = max([other.generation for other in others], default=0) + 1
        for kind in projection.kinds:
            for statement in shape(kind).create(generation, self._tables.types):
                self._tables.execute(statement)
        tables = " ".join(kind.table for kind in projection.kinds)
        self._tables.execute(
            "INSERT INTO generations VALUES (?, ?, ?, 0, ?, 0, '')",
            (projection.name, generation, stamped(projection, withdrawn), tables),
        )

    def serve(self, projection: Projection, generation: int) -> None:
        """Let readers see this generation, and throw away the one they saw before.

        Nothing is done where they see it already, or it is gone: another process was faster.
        """
        known = self.generations(projection.name)
        if not any(found.generation == generation and not found.served for found in known):
            return
        for other in known:
            if other.served:
                self.drop(other)
        for kind in projection.kinds:
            if not kind.private:
                table = shape(kind).name(generation)
                self._tables.execute(f"CREATE VIEW {self._tables.views}{kind.table} AS SELECT * FROM {table}")
        self._tables.execute(
            "UPDATE generations SET served = 1 WHERE name = ? AND generation = ?",
            (projection.name, generation),
        )

    def move(self, found: Generation, progress: Progress) -> None:
        """Move a generation on.

        Raises:
            Overtaken: it is not where it was found.
        """
        moved = self._tables.execute(
            "UPDATE generations SET position = ?, mark = ?"
            " WHERE name = ? AND generation = ? AND position = ?",
            (progress.position, progress.mark, found.name, found.generation, found.position),
        )
        if moved.rowcount != 1:
            raise Overtaken(f"{found.name} is no longer at position {found.position}")

    def fail(self, found: Generation, failure: Failure) -> None:
        """Keep what stops a generation."""
        self.mend(found)
        kept = (failure.position, failure.match, failure.move, failure.error, failure.attempts)
        values = (found.name, found.generation, *kept)
        self._tables.execute("INSERT INTO failures VALUES (?, ?, ?, ?, ?, ?, ?)", values)

    def mend(self, found: Generation) -> None:
        """Nothing stops a generation any more."""
        self._tables.execute(
            "DELETE FROM failures WHERE name = ? AND generation = ?", (found.name, found.generation)
        )

    def drop(self, found: Generation) -> None:
        """Throw a generation away, and the views of the one that is served."""
        for table in found.tables:
            if found.served:
                self._tables.execute(f"DROP VIEW IF EXISTS {self._tables.views}{table}")
            self._tables.execute(f"DROP TABLE IF EXISTS {table}_{found.generation}")
        for table in _OF_GENERATION:
            self._tables.execute(
                f"DELETE FROM {table} WHERE name = ? AND generation = ?", (found.name, found.generation)
            )


def generations(tables: Backend | Reading) -> list[Generation]:
    """All generations, and how far each is at one moment."""
    failures = {
        (name, generation): Failure(name, *rest) for name, generation, *rest in tables.execute(_FAILURES)
    }
    return [
        Generation(
            name,
            number,
            stamped,
            bool(served),
            tuple(names.split()),
            Progress(position, mark),
            failures.get((name, number)),
        )
        for name, number, stamped, served, names, position, mark in tables.execute(_GENERATIONS)
    ]


def _follows(log: LogSource, progress: Progress) -> bool:
    """Is the last record that was taken in the one that the log holds at that position?

    While the log cannot be read it is believed.
    """
    if not progress.position:
        return True
    found = log.after(progress.position - 1, 1)
    return found is None or any(
        delivered.position == progress.position and mark(delivered.record) == progress.mark
        for delivered in found
    )
