"""How far the read models have come: what their tables say at one moment, and what that means for a reader.

A *generation* is one set of a projection's tables: one is served, and another one may be built beside it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from msgspec import Struct


class Progress(Struct, frozen=True):
    """How far the log was taken in: the position of the last record, and a hash of that record."""

    position: int = 0
    mark: str = ""


class Failure(Struct, frozen=True):
    """A record that a fold failed on.

    `error` names the kind of error and the line of code, never its text, which could name a hidden card.
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


class Generation(Struct, frozen=True):
    """One set of a projection's tables.

    `stamp` says which version filled it; `progress`, how far the log was taken in; `failure`, what stopped it
    there, if anything did; `served`, whether readers see it; `tables`, the names of its tables, without the
    number of the generation.
    """

    name: str
    generation: int
    stamp: str
    served: bool
    tables: tuple[str, ...]
    progress: Progress = Progress()
    failure: Failure | None = None

    @property
    def is_stopped(self) -> bool:
        """Did it fail on the next record?"""
        return self.failure is not None and self.failure.position == self.position + 1

    @property
    def position(self) -> int:
        """The position of the last record that was taken in; 0 at the beginning."""
        return self.progress.position


class Status(Struct, frozen=True):
    """How far a projection has come: `behind` records wait; `building` is the position of a rebuild.

    While nothing is served yet, all fields describe the generation that is being built.  While the log cannot
    be read, the number of waiting records is not known.
    """

    name: str
    position: int
    behind: int
    building: int | None
    failure: Failure | None


def status(name: str, generations: Iterable[Generation], last: int | None) -> Status:
    """Return how far a projection has come; `last`: the position of the last record of the log, if known.

    A failure of a generation of another version is left out: that generation is no longer filled.
    """
    of = [found for found in generations if found.name == name]
    building = next((found for found in of if not found.served), None)
    nothing = Generation(name, 0, "", False, ())  # its tables do not exist yet
    shown = next((found for found in of if found.served), building or nothing)
    filled = [found for found in of if found.stamp == (building or shown).stamp]
    failures = [found.failure for found in filled if found.failure]
    return Status(
        name,
        shown.position,
        max((last or 0) - shown.position, 0),
        building.position if building else None,
        next(iter(failures), None),
    )


def has_reached(generations: Collection[Generation], position: int) -> bool:
    """Do readers see the record at this position, in every read model?"""
    served = [found for found in generations if found.served]
    every = {found.name for found in served} == {found.name for found in generations}
    return bool(served) and every and all(found.position >= position for found in served)
