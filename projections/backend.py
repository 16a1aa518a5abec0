"""What keeps the tables of the read models: a file of SQLite (`file`), or a PostgreSQL database (`postgres`).

Statements are the same for both, and mark their values by `?`.  What differs is here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from projections.model import Key
    from projections.standing import Generation
    from projections.tables import Shape

SQLITE = {str: "TEXT", bytes: "BLOB", int: "INTEGER", float: "REAL", bool: "INTEGER"}
"""The types of columns in SQLite, by those of fields."""


class NoTable(LookupError):
    """What is asked for is not there, or has other columns: the read models are being built."""


class Found(Protocol):
    """What a statement gave: rows, and how many it changed."""

    @property
    def rowcount(self) -> int:
        """How many rows were changed."""

    def fetchone(self) -> Any:
        """The next row; None where there is no more."""

    def fetchall(self) -> list[Any]:
        """All rows."""

    def __iter__(self) -> Iterator[Any]:
        """Row after row."""


class Backend(Protocol):
    """The tables, open for the one process that writes them."""

    types: Mapping[type, str]  # the types of columns, by those of fields
    views: str  # what stands before the name of a view
    broken: type[Exception]  # what no row is to blame for: the disk is full, the connection is lost

    def execute(self, statement: str, values: Sequence[Any] = (), /) -> Found:
        """Carry out a statement."""

    def executemany(self, statement: str, values: Sequence[Sequence[Any]], /) -> object:
        """Carry out a statement for each of these values."""

    def put(self, kept: Shape[Any], generation: int, rows: Sequence[Sequence[Any]]) -> None:
        """Write rows, in the place of those with the same keys."""

    def fetch(self, kept: Shape[Any], generation: int, firsts: Collection[Key]) -> Sequence[Any] | None:
        """All rows whose keys begin with one of these; None: it is as quick to ask for each."""

    def transaction(self) -> AbstractContextManager[None]:
        """All or nothing of what is done within."""

    def close(self) -> None:
        """Let go of them."""


class Reading(Protocol):
    """The generations that readers see, and where all of them stand."""

    views: str
    listed: str  # a question for the texts in a value that is an array in JSON

    def execute(self, statement: str, values: Sequence[Any] = (), /) -> Found:
        """Ask.

        Raises:
            NoTable.
            OverflowError, UnicodeEncodeError: no database holds such a value.
        """


class Home(Protocol):
    """Where the read models of a store are."""

    def open(self) -> Backend | None:
        """Open them for writing; None: another process moves them."""

    def is_lost(self) -> bool:
        """Are they not those any more that were opened?"""

    def generations(self) -> list[Generation]:
        """Where they stand, for a process that does not move them."""

    def call(self) -> None:
        """Ask whichever process moves them not to wait."""

    def reader(self) -> AbstractContextManager[Reading]:
        """Asks them, for one thread at a time."""

    def close(self) -> None:
        """Let go of what readers need."""
