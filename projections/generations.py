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
    """Another process has advanced this read model: nothing was written."""


def stamp(projection: Projection) -> str:
    """The version of the projection and a hash of the shape of its tables: equal stamps fit the same code."""
    statements = "\n".join(text for kind in projection.kinds for text in shape(kind).create(0))
    return f"{projection.version}-{hashlib.sha256(statements.encode()).hexdigest()[:12]}"


def stamped(projection: Projection, withdrawn: Collection[str]) -> str:
    """The stamp of tables without the matches that were withdrawn."""
    if not withdrawn:
        return stamp(projection)
    return f"{stamp(projection)}-{hashlib.sha256(' '.join(sorted(withdrawn)).encode()).hexdigest()[:12]}"


def fits(found: Generation, projection: Projection) -> bool:
    """Can this version of the code fill these tables, whichever matches they leave out?"""
    return found.stamp.rsplit("-", max(found.stamp.count("-") - 1, 0))[0] == stamp(projection)


def mark(record: Record) -> str:
    """A hash that tells a record from the one at the same position of another store's log."""
    return hashlib.sha256(record.leaf).hexdigest()[:16]


class Generations:
    """The generations of the read models; every change needs an open transaction."""

    def __init__(self, tables: Backend) -> None:
        self._tables = tables

    def prepare(self, projections: Collection[Projection], log: LogSource) -> list[str]:
        """Make sure that every projection has a generation that its code can fill.

        Generations of another log (a store restored from a backup) are deleted, and so are those of a
        projection that no longer exists; a served generation of another version stays until a new one
        replaces it.  Returns the names of the projections to be built anew.
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
        """Return the generations of a projection or, without a name, all generations."""
        return [found for found in generations(self._tables) if name in (None, found.name)]

    def begin(self, projection: Projection, withdrawn: Collection[str] = ()) -> None:
        """Begin a new generation without these matches, not served yet; delete an unfinished one."""
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
        """Serve this generation to readers, and delete the one that was served before.

        Does nothing if it is served already or no longer exists: another process was faster.
        """
        known = self.generations(projection.name)
        if not any(found.generation == generation and not found.served for found in known):
            return
        for other in known:
            if other.served:
                self.drop(other)
        for kind in projection.kinds:
            if not kind.internal:
                table = shape(kind).name(generation)
                self._tables.execute(f"CREATE VIEW {self._tables.views}{kind.table} AS SELECT * FROM {table}")
        self._tables.execute(
            "UPDATE generations SET served = 1 WHERE name = ? AND generation = ?",
            (projection.name, generation),
        )

    def move(self, found: Generation, progress: Progress) -> None:
        """Advance a generation.

        Raises:
            Overtaken: its position is not the one that was read.
        """
        moved = self._tables.execute(
            "UPDATE generations SET position = ?, mark = ?"
            " WHERE name = ? AND generation = ? AND position = ?",
            (progress.position, progress.mark, found.name, found.generation, found.position),
        )
        if moved.rowcount != 1:
            raise Overtaken(f"{found.name} is no longer at position {found.position}")

    def fail(self, found: Generation, failure: Failure) -> None:
        """Store the failure that stops a generation."""
        self.mend(found)
        kept = (failure.position, failure.match, failure.move, failure.error, failure.attempts)
        values = (found.name, found.generation, *kept)
        self._tables.execute("INSERT INTO failures VALUES (?, ?, ?, ?, ?, ?, ?)", values)

    def mend(self, found: Generation) -> None:
        """Delete the failure of a generation."""
        self._tables.execute(
            "DELETE FROM failures WHERE name = ? AND generation = ?", (found.name, found.generation)
        )

    def drop(self, found: Generation) -> None:
        """Delete a generation, and the views if it is the one that is served."""
        for table in found.tables:
            if found.served:
                self._tables.execute(f"DROP VIEW IF EXISTS {self._tables.views}{table}")
            self._tables.execute(f"DROP TABLE IF EXISTS {table}_{found.generation}")
        for table in _OF_GENERATION:
            self._tables.execute(
                f"DELETE FROM {table} WHERE name = ? AND generation = ?", (found.name, found.generation)
            )


def generations(tables: Backend | Reading) -> list[Generation]:
    """Return all generations with their positions, all of one moment."""
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

    Also true while the log cannot be read.
    """
    if not progress.position:
        return True
    found = log.after(progress.position - 1, 1)
    return found is None or any(
        delivered.position == progress.position and mark(delivered.record) == progress.mark
        for delivered in found
    )
