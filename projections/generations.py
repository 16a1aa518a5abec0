"""Which generation of each projection is served, which is being built, and how far each has come.

The place of a generation in a log moves in the transaction that writes its rows.  A new generation is filled
unseen, beside the one that is served where there is one, and takes its place in one transaction.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping

from domain.log import Record
from projections.backend import Backend, Reading, shape
from projections.model import Projection
from projections.sources import LogSource
from projections.status import Failure, Generation, Progress

_CREATE = """
CREATE TABLE IF NOT EXISTS projections (
    name TEXT NOT NULL,
    generation BIGINT NOT NULL,
    stamp TEXT NOT NULL,
    served BIGINT NOT NULL,
    tables TEXT NOT NULL,
    PRIMARY KEY (name, generation)
)"""
_CREATE_PLACES = """
CREATE TABLE IF NOT EXISTS places (
    name TEXT NOT NULL,
    generation BIGINT NOT NULL,
    log TEXT NOT NULL,
    position BIGINT NOT NULL,
    mark TEXT NOT NULL,
    time BIGINT NOT NULL,
    PRIMARY KEY (name, generation, log)
)"""
_CREATE_FAILURES = """
CREATE TABLE IF NOT EXISTS failures (
    name TEXT NOT NULL,
    generation BIGINT NOT NULL,
    log TEXT NOT NULL,
    position BIGINT NOT NULL,
    match TEXT NOT NULL,
    move BIGINT NOT NULL,
    error TEXT NOT NULL,
    attempts BIGINT NOT NULL,
    PRIMARY KEY (name, generation, log)
)"""
_GENERATIONS = (
    "SELECT name, generation, stamp, served, tables, log, position, mark, time"
    " FROM projections LEFT JOIN places USING (name, generation) ORDER BY name, generation"
)
_FAILURES = "SELECT name, generation, log, position, match, move, error, attempts FROM failures"
_OF_GENERATION = ("projections", "places", "failures")  # the tables that say something of one
_BEGIN = "INSERT INTO places VALUES (?, ?, ?, 0, '', 0) ON CONFLICT DO NOTHING"
_IS_THERE = "SELECT 1 FROM projections WHERE name = ? AND generation = ?"


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
    """What tells a record from that of another log at the same position."""
    return hashlib.sha256(record.leaf).hexdigest()[:16]


class Generations:
    """The generations of the read models; every change needs an open transaction."""

    def __init__(self, tables: Backend) -> None:
        self._tables = tables

    def prepare(self, projections: Collection[Projection], tails: Mapping[str, LogSource]) -> list[str]:
        """Make sure that every projection has a generation that its code can fill.

        `tails`: all logs that there are.  Generations of another log (a store restored from a backup) are
        thrown away, and those of a projection that is no more; a served generation of another version stays
        until a new one takes its place.  Gives the names of those to be built anew.
        """
        for create in (_CREATE, _CREATE_PLACES, _CREATE_FAILURES):
            self._tables.execute(create)
        anew, known = [], {projection.name for projection in projections}
        for found in self.generations():
            if found.name not in known:
                self.drop(found)
        for projection in projections:
            before = self.generations(projection.name)
            for found in before:
                outdated = not found.served and not fits(found, projection)
                if outdated or not all(_follows(tails, log, place) for log, place in found.places.items()):
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
            "INSERT INTO projections (name, generation, stamp, served, tables) VALUES (?, ?, ?, 0, ?)",
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
            "UPDATE projections SET served = 1 WHERE name = ? AND generation = ?",
            (projection.name, generation),
        )

    def move(self, found: Generation, log: str, place: Progress) -> None:
        """Move a generation on in a log.

        Raises:
            Overtaken: it is not where it was found.
        """
        before = found.at(log).position
        which = (found.name, found.generation, log)
        if not before and self._tables.execute(_IS_THERE, which[:2]).fetchone():
            self._tables.execute(_BEGIN, which)
        moved = self._tables.execute(
            "UPDATE places SET position = ?, mark = ?, time = ? "
            "WHERE name = ? AND generation = ? AND log = ? AND position = ?",
            (place.position, place.mark, place.time, *which, before),
        )
        if moved.rowcount != 1:
            raise Overtaken(f"{found.name} is no longer at position {before}")

    def fail(self, found: Generation, failure: Failure) -> None:
        """Keep what stops a generation in a log."""
        self.mend(found, failure.log)
        values = (found.name, found.generation, *_kept(failure))
        self._tables.execute("INSERT INTO failures VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)

    def mend(self, found: Generation, log: str) -> None:
        """Nothing stops a generation in a log any more."""
        self._tables.execute(
            "DELETE FROM failures WHERE name = ? AND generation = ? AND log = ?",
            (found.name, found.generation, log),
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
    failures: dict[tuple[str, int], dict[str, Failure]] = {}
    for of, number, log, position, match, move, error, attempts in tables.execute(_FAILURES):
        failed = Failure(of, position, match, move, error, attempts, log)
        failures.setdefault((of, number), {})[log] = failed
    found: dict[tuple[str, int], Generation] = {}
    places: dict[tuple[str, int], dict[str, Progress]] = {}
    for of, number, stamped, served, names, log, *place in tables.execute(_GENERATIONS):
        known = places.setdefault((of, number), {})
        if log is not None:
            known[log] = Progress(*place)
        found[of, number] = Generation(
            of, number, stamped, bool(served), tuple(names.split()), known, failures.get((of, number), {})
        )
    return list(found.values())


def _kept(failure: Failure) -> tuple[str | int, ...]:
    return (
        failure.log,
        failure.position,
        failure.match,
        failure.move,
        failure.error,
        failure.attempts,
    )


def _follows(tails: Mapping[str, LogSource], log: str, place: Progress) -> bool:
    """Is the last record that was taken in the one that the log holds at that place?

    Of a log that cannot be read now it is believed until it can.
    """
    if log not in tails:
        return False
    found = tails[log].after(place.position - 1, 1)
    return found is None or any(
        delivered.position == place.position and mark(delivered.record) == place.mark for delivered in found
    )
