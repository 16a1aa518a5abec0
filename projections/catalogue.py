"""Which generation of each projection is served, which is being built, and how far each has come.

A *generation* is one set of a projection's tables.  Its position moves in the transaction that writes its
rows.  A new generation is filled beside the one that is served, and takes its place in one transaction.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable

from msgspec import Struct

from domain.log import Record
from projections.model import Projection, Source
from projections.tables import shape

_CREATE = """
CREATE TABLE IF NOT EXISTS projections (
    name TEXT NOT NULL,
    generation INTEGER NOT NULL,
    stamp TEXT NOT NULL,
    position INTEGER NOT NULL,
    mark TEXT NOT NULL,
    served INTEGER NOT NULL,
    tables TEXT NOT NULL,
    PRIMARY KEY (name, generation)
)"""


class Generation(Struct, frozen=True):
    """One set of a projection's tables.

    `stamp` tells the version that filled it; `position` is that of the last record in it, `mark` a hash of
    that record; `served`: readers see this one; `tables`: the names of its tables, without the generation.
    """

    name: str
    generation: int
    stamp: str
    position: int
    mark: str
    served: bool
    tables: tuple[str, ...]


class Overtaken(Exception):
    """Another process has moved this read model on: nothing was written."""


def stamp(projection: Projection) -> str:
    """What decides whether tables fit the code: the projection's version and the shape of its tables."""
    statements = "\n".join(text for kind in projection.kinds for text in shape(kind).create(0))
    return f"{projection.version}-{hashlib.sha256(statements.encode()).hexdigest()[:12]}"


def mark(record: Record) -> str:
    """What tells a record from that of another log at the same position."""
    return hashlib.sha256(record.leaf).hexdigest()[:16]


class Catalogue:
    """The generations in one file of read models; every change needs an open transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def prepare(self, projections: Iterable[Projection], source: Source) -> list[str]:
        """Make sure that every projection has a generation that its code can fill.

        Generations of another log (a store restored from a backup) are thrown away; a served generation
        of another version stays until a new one takes its place.  Gives the names of those to be built anew.
        """
        self._connection.execute(_CREATE)
        anew = []
        for projection in projections:
            before = self.generations(projection.name)
            for found in before:
                outdated = not found.served and found.stamp != stamp(projection)
                if outdated or not _follows(source, found):
                    self.drop(found)
            if not any(found.stamp == stamp(projection) for found in self.generations(projection.name)):
                self.begin(projection)
                if before:
                    anew.append(projection.name)
        return anew

    def generations(self, name: str) -> list[Generation]:
        """The generations of a projection."""
        query = (
            "SELECT name, generation, stamp, position, mark, served, tables FROM projections "
            "WHERE name = ? ORDER BY generation"
        )
        rows = self._connection.execute(query, (name,))
        return [
            Generation(name, number, stamped, position, marked, bool(served), tuple(tables.split()))
            for name, number, stamped, position, marked, served, tables in rows
        ]

    def begin(self, projection: Projection) -> None:
        """Begin a new generation, served at once if it is the only one; an unfinished one is thrown away."""
        others = self.generations(projection.name)
        for other in others:
            if not other.served:
                self.drop(other)
        generation = max([other.generation for other in others], default=0) + 1
        for kind in projection.kinds:
            for statement in shape(kind).create(generation):
                self._connection.execute(statement)
        tables = " ".join(kind.table for kind in projection.kinds)
        self._connection.execute(
            "INSERT INTO projections VALUES (?, ?, ?, 0, '', 0, ?)",
            (projection.name, generation, stamp(projection), tables),
        )
        if not any(other.served for other in others):
            self.serve(projection, generation)

    def serve(self, projection: Projection, generation: int) -> None:
        """Let readers see this generation, and throw away the one they saw before."""
        for other in self.generations(projection.name):
            if other.served:
                self.drop(other)
        for kind in projection.kinds:
            if not kind.private:
                table = shape(kind).name(generation)
                self._connection.execute(f"CREATE VIEW {kind.table} AS SELECT * FROM {table}")
        self._connection.execute(
            "UPDATE projections SET served = 1 WHERE name = ? AND generation = ?",
            (projection.name, generation),
        )

    def move(self, found: Generation, position: int, marked: str) -> None:
        """Move a generation's position on.

        Raises:
            Overtaken: it is not where it was found.
        """
        moved = self._connection.execute(
            "UPDATE projections SET position = ?, mark = ? "
            "WHERE name = ? AND generation = ? AND position = ?",
            (position, marked, found.name, found.generation, found.position),
        )
        if moved.rowcount != 1:
            raise Overtaken(f"{found.name} is no longer at position {found.position}")

    def drop(self, found: Generation) -> None:
        """Throw a generation away, and the views of the one that is served."""
        for table in found.tables:
            if found.served:
                self._connection.execute(f"DROP VIEW IF EXISTS {table}")
            self._connection.execute(f"DROP TABLE IF EXISTS {table}_{found.generation}")
        self._connection.execute(
            "DELETE FROM projections WHERE name = ? AND generation = ?", (found.name, found.generation)
        )


def _follows(source: Source, found: Generation) -> bool:
    """Is the last record in this generation the one that the log holds at that place?"""
    return not found.position or any(
        delivered.position == found.position and mark(delivered.record) == found.mark
        for delivered in source.after(found.position - 1, 1)
    )
