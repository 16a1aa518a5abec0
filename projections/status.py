"""How far the read models are: what their tables say of it at one moment, and what that means for a reader.

A *generation* is one set of a projection's tables: one is served, and another one may be built beside it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from msgspec import Struct


class Progress(Struct, frozen=True):
    """How far a log was taken in: the position of its last record, a hash of that, and the time then.

    The time is that of the last record that told one (see `projections.sources`), in microseconds UTC.
    """

    position: int = 0
    mark: str = ""
    time: int = 0


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
    log: str = ""

    def __str__(self) -> str:
        of = f" of log {self.log}" if self.log else ""
        where = f"position {self.position}{of} (match {self.match}, move {self.move})"
        return f"projection {self.projection} stopped before {where}: {self.error}; trying again"


class Generation(Struct, frozen=True):
    """One set of a projection's tables.

    `stamp` tells the version that filled it; `places`: how far each log was taken in; `failures`: what
    stopped it there, where something did; `served`: readers see this one; `tables`: the names of its tables,
    without the generation.
    """

    name: str
    generation: int
    stamp: str
    served: bool
    tables: tuple[str, ...]
    places: Mapping[str, Progress]
    failures: Mapping[str, Failure] = {}

    def at(self, log: str) -> Progress:
        """How far a log was taken in."""
        return self.places.get(log, Progress())

    def stopped(self, log: str) -> bool:
        """Is the next record of a log one that it failed on?"""
        failure = self.failures.get(log)
        return failure is not None and failure.position == self.at(log).position + 1

    @property
    def position(self) -> int:
        """How many records are in it."""
        return sum(place.position for place in self.places.values())


class Status(Struct, frozen=True):
    """How far a projection has come: `behind` records wait; `building` is the position of a rebuild.

    While nothing is served yet, all of it tells of what is being built.  Positions are sums over all logs; of
    a log that cannot be read, nobody knows what waits there.
    """

    name: str
    position: int
    behind: int
    building: int | None
    failure: Failure | None


def status(name: str, generations: Iterable[Generation], lasts: Mapping[str, int]) -> Status:
    """How far a projection has come; `lasts`: the position of the last record of each log.

    What stopped a generation of another version is not told: nobody fills that one any more.
    """
    of = [found for found in generations if found.name == name]
    building = next((found for found in of if not found.served), None)
    nothing = Generation(name, 0, "", False, (), {})  # its tables are only being made
    shown = next((found for found in of if found.served), building or nothing)
    filled = [found for found in of if found.stamp == (building or shown).stamp]
    failures = [failure for found in filled for failure in found.failures.values()]
    return Status(
        name,
        shown.position,
        sum(max(last - shown.at(log).position, 0) for log, last in lasts.items()),
        building.position if building else None,
        next(iter(failures), None),
    )


def has_reached(generations: Collection[Generation], wanted: Mapping[str, int]) -> bool:
    """Do readers see the record at this position of each log, in every read model?"""
    served = [found for found in generations if found.served]
    every = {found.name for found in served} == {found.name for found in generations}
    there = all(found.at(log).position >= position for found in served for log, position in wanted.items())
    return bool(served) and every and there
