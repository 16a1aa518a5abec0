"""What a projection is: kinds of rows, and a pure fold from one delivered record to the rows it changes.

A fold reads its own rows through `Rows` and returns `Change`s; it writes nothing, keeps nothing between two
records, and never sees the changes of the current record.  So what it must remember of a match is a row too,
and no fold reads the earlier records of a match again.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, ClassVar, Protocol, TypeVar

from msgspec import Struct

from domain.events import Opened
from domain.imported import IMPORTED, UPLOADED
from domain.log import TOURNAMENT, Record
from domain.match_base import BOTS as BOTS
from domain.match_base import LIVE as LIVE

Key = str | int


class Delivered(Protocol):
    """A stored record as the store hands it out."""

    @property
    def position(self) -> int:
        """Its place in the store's order."""

    @property
    def record(self) -> Record:
        """The record itself."""

    @property
    def uploaded(self) -> bool:
        """Does the record belong to an uploaded match?"""

    @property
    def claimed(self) -> bool:
        """Is it unproven that the players of this uploaded match are those of this server?"""


class Source(Protocol):
    """What a runner needs of a store."""

    def after(self, position: int, limit: int) -> Sequence[Delivered]:
        """Return up to `limit` records after `position`, in the store's order, without gaps."""

    def brief(self, position: int, limit: int) -> Sequence[Delivered]:
        """Return the same, without each play that a later record of its match among these follows.

        A play that settles who plays which seat is never left out.
        """

    def last(self) -> int:
        """Return the position of the last record; 0 if there is none."""

    def watch(self, callback: Callable[[str, int], None]) -> None:
        """Call `callback(match, position)` after each commit; it must not block."""


class Row(Struct, frozen=True, kw_only=True):
    """One row of a read model.

    Fields of text, bytes, numbers and truth values are columns as they stand; anything else is a column of
    JSON.  A field of type `Any` is read back as `Raw`: only the fold knows its type, and decodes it if it
    must.
    """

    table: ClassVar[str]
    key: ClassVar[tuple[str, ...]]  # the fields that identify the row
    indexes: ClassVar[tuple[tuple[str, ...], ...]] = ()
    internal: ClassVar[bool] = False  # memory of the fold: no reader ever sees it


class Gone(Struct, frozen=True):
    """Delete the row of this kind and key, or all rows whose key begins with it."""

    kind: type[Row]
    key: tuple[Key, ...]


Change = Row | Gone
R = TypeVar("R", bound=Row)


class Rows(Protocol):
    """The rows as they are before the current record."""

    def get(self, kind: type[R], *key: Key) -> R | None:
        """Return the row with this whole key, or None."""

    def under(self, kind: type[R], *key: Key) -> list[R]:
        """Return the rows whose key begins with `key`, in the order of their keys."""


class Projection(Struct, frozen=True):
    """A read model.  `version` rises whenever `fold` would make other rows of the same log.

    `of_matches`, `of_tournaments`: is it about moves of matches, about entries of tournaments?
    `fold` gets every record except plays in between (see `Source.brief`), so a play may only change what the
    next record of its match changes, too: how far the match has come.
    """

    name: str
    version: int
    kinds: tuple[type[Row], ...]
    fold: Callable[[Rows, Delivered], Iterable[Change]]
    of_matches: bool = True
    of_tournaments: bool = False

    def takes(self, record: Record) -> bool:
        """Is a record one of those that this read model is about: moves of matches, or tournament entries?"""
        return self.of_tournaments if record.topic == TOURNAMENT else self.of_matches


def key_of(row: Row) -> tuple[Key, ...]:
    """What identifies a row."""
    return _keys(type(row))(row)


@lru_cache
def _keys(kind: type[Row]) -> Callable[[Row], tuple[Key, ...]]:
    keys: Callable[[Row], Any] = operator.attrgetter(
        *kind.key
    )  # with one name, `attrgetter` returns no tuple
    return keys if len(kind.key) > 1 else lambda row: (keys(row),)


def origin_of(delivered: Delivered, opened: Opened) -> str:
    """Return where a match comes from; see `Outline.origin`."""
    return UPLOADED if delivered.uploaded and opened.origin != IMPORTED else opened.origin


def claimed_by(delivered: Delivered, opened: Opened) -> bool:
    """May the players be others than the match says?  Then it counts for none of them, and on no board.

    An imported match always is: no key proves that its players are those of this server.
    """
    return delivered.claimed or (delivered.uploaded and opened.origin == IMPORTED)


def expect(row: R | None, record: Record) -> R:
    """Return the row that an earlier record of the match must have made.

    Raises:
        LookupError: the row is missing, so the store did not deliver the match from its first move.
    """
    if row is None:
        raise LookupError(f"move {record.move} of {record.match} came before the first one")
    return row
