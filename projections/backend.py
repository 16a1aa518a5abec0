"""Where read models are stored: tables and batches of changes, for SQLite and PostgreSQL alike.

Both use the same statements, with `?` as the mark of a value.  What differs between them is declared here.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Generic, Protocol

import msgspec

from projections.model import Change, Gone, Key, R, Row, key_of

if TYPE_CHECKING:
    from projections.model import Key
    from projections.status import Generation

SQLITE = {str: "TEXT", bytes: "BLOB", int: "INTEGER", float: "REAL", bool: "INTEGER"}
"""The types of columns in SQLite, by those of fields."""


class NoTable(LookupError):
    """A table does not exist or has other columns: the read models are being built."""


class Found(Protocol):
    """The result of a statement: its rows, and how many rows it changed."""

    @property
    def rowcount(self) -> int:
        """How many rows were changed."""

    def fetchone(self) -> Any:
        """Return the next row, or None after the last one."""

    def fetchall(self) -> list[Any]:
        """All rows."""

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the rows."""


class Backend(Protocol):
    """The tables, open for the one process that writes them."""

    types: Mapping[type, str]  # the types of columns, by those of fields
    views: str  # the prefix of the name of a view
    broken: type[Exception]  # errors that no row causes: the disk is full, the connection is lost

    def execute(self, statement: str, values: Sequence[Any] = (), /) -> Found:
        """Carry out a statement."""

    def executemany(self, statement: str, values: Sequence[Sequence[Any]], /) -> object:
        """Carry out a statement for each of these values."""

    def put(self, kept: Shape[Any], generation: int, rows: Sequence[Sequence[Any]]) -> None:
        """Write rows; each replaces the row with the same key."""

    def fetch(self, kept: Shape[Any], generation: int, firsts: Collection[Key]) -> Sequence[Any] | None:
        """Return all rows whose keys begin with one of these, or None if asking for each is as quick."""

    def transaction(self) -> AbstractContextManager[None]:
        """Commit everything that is done within, or nothing of it."""

    def close(self) -> None:
        """Close the tables."""


class Reading(Protocol):
    """The generations that readers see, and where all of them stand."""

    views: str
    listed: str  # a query that gives the texts of a value, which is a JSON array

    def execute(self, statement: str, values: Sequence[Any] = (), /) -> Found:
        """Run a query.

        Raises:
            NoTable: the read models are being built.
            OverflowError, UnicodeEncodeError: no database can hold such a value.
        """


class Home(Protocol):
    """Where the read models of a store are."""

    def open(self) -> Backend | None:
        """Open the tables for writing; return None if another process writes them."""

    def is_lost(self) -> bool:
        """Have the tables been replaced, or the connection lost, since they were opened?"""

    def generations(self) -> list[Generation]:
        """Return all generations with their positions, for a process that does not write the tables."""

    def call(self) -> None:
        """Ask the process that writes the tables not to wait for more records."""

    def reader(self) -> AbstractContextManager[Reading]:
        """Open the tables for reading, for one thread at a time."""

    def close(self) -> None:
        """Close the connections for reading."""


# Rows in tables: one table for each kind of row and generation, and a batch of changes before it is written.
#
# The table of kind `matches` in generation 3 is `matches_3`; the view `matches` shows the generation that is
# served, so that a reader needs to know neither the number nor that there are several.


class Column:
    """One field of a row as a column."""

    def __init__(self, name: str, kind: Any) -> None:
        self.name = name
        plain, null = _plain(kind)
        self.plain, self.rest = plain or str, "" if null else " NOT NULL"
        self.encode: Callable[[Any], Any] | None = None if plain else _encoder(kind)
        self.decode: Callable[[Any], Any] | None = _decoder(kind, plain)


def _plain(kind: Any) -> tuple[Any, bool]:
    """The plain type of a field (None: it is stored as JSON), and whether the column may be null."""
    is_union = typing.get_origin(kind) in (typing.Union, types.UnionType)
    members = set(typing.get_args(kind)) if is_union else {kind}
    rest = members - {types.NoneType}
    only = next(iter(rest)) if len(rest) == 1 else None
    return (only, len(members) > 1) if only in SQLITE else (None, False)


def _decoder(kind: Any, plain: Any) -> Callable[[Any], Any] | None:
    if plain:
        return bool if plain is bool else None
    return msgspec.Raw if kind is Any else msgspec.json.Decoder(kind).decode


def _encoder(kind: Any) -> Callable[[Any], str]:
    """Encode so that the same values give the same bytes; a value that is read as `Raw` keeps its order."""
    encode = msgspec.json.Encoder(order=None if kind is Any else "sorted").encode

    def encoded(value: Any) -> str:
        return encode(value).decode()

    return encoded


class Shape(Generic[R]):
    """How the rows of one kind are stored: table, columns, indexes."""

    def __init__(self, kind: type[R]) -> None:
        self.kind = kind
        self.columns = [Column(field.name, field.type) for field in msgspec.structs.fields(kind)]
        self.names = ", ".join(f'"{column.name}"' for column in self.columns)

    def create(self, generation: int, types: Mapping[type, str] = SQLITE) -> list[str]:
        """The statements that create the table of a generation."""
        table = self.name(generation)
        columns = ", ".join(f'"{column.name}" {types[column.plain]}{column.rest}' for column in self.columns)
        return [
            f"CREATE TABLE {table} ({columns}, PRIMARY KEY ({_quoted(self.kind.key)}))",
            *(
                f"CREATE INDEX {table}_{number} ON {table} ({_quoted(index)})"
                for number, index in enumerate(self.kind.indexes)
            ),
        ]

    def name(self, generation: int) -> str:
        """The table of a generation."""
        return f"{self.kind.table}_{generation}"

    def values(self, row: R) -> list[Any]:
        """A row as its columns hold it."""
        return [
            column.encode(value) if column.encode else value
            for column, value in zip(self.columns, _values(row), strict=True)
        ]

    def row(self, values: Iterable[Any]) -> R:
        """The row whose columns hold these values.

        Raises:
            msgspec.ValidationError: another version wrote these values.
        """
        fields = {
            column.name: column.decode(value) if column.decode else value
            for column, value in zip(self.columns, values, strict=True)
        }
        return self.kind(**fields)


def _values(row: Row) -> list[Any]:
    return [getattr(row, name) for name in row.__struct_fields__]


@lru_cache
def shape(kind: type[R]) -> Shape[R]:
    """The shape of a kind of rows; building one is slow."""
    return Shape(kind)


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def _where(names: Iterable[str]) -> str:
    return " AND ".join(f'"{name}" = ?' for name in names) or "TRUE"


class Batch:
    """The rows of one generation with the changes of a batch; `write` writes the changes to the tables."""

    def __init__(self, tables: Backend, generation: int) -> None:
        self._tables, self._generation = tables, generation
        self._fetched: dict[type[Row], dict[Key, list[Any]]] = {}  # rows as they are stored, by their match
        # By kind, then by the first part of the key: a batch may hold rows of many matches.
        self._changed: dict[type[Row], dict[Key, dict[tuple[Key, ...], Row]]] = {}
        self._gone: dict[type[Row], set[tuple[Key, ...]]] = {}

    def fetch(self, kinds: Iterable[type[Row]], matches: Iterable[str]) -> None:
        """Read the rows of these matches with one query for each kind, where that is quicker."""
        for kind in kinds:
            if kind.key[0] != "match":
                continue
            rows: dict[Key, list[Any]] = {match: [] for match in matches}
            found = self._tables.fetch(shape(kind), self._generation, rows.keys()) if rows else None
            if found is None:
                return
            at = kind.__struct_fields__.index("match")
            for values in found:
                rows[values[at]].append(values)
            self._fetched[kind] = rows

    def get(self, kind: type[R], *key: Key) -> R | None:
        """See `Rows.get`."""
        changed = self._of(kind, key)
        if key in changed:
            row: R = changed[key]
            return row
        return None if self._is_gone(kind, key) else next(iter(self._stored(kind, key)), None)

    def under(self, kind: type[R], *key: Key) -> list[R]:
        """See `Rows.under`."""
        stored = [] if self._is_gone(kind, key) else self._stored(kind, key)
        changed = {whole: row for whole, row in self._of(kind, key).items() if whole[: len(key)] == key}
        return self._merged(kind, stored, changed)

    def _of(self, kind: type[R], key: tuple[Key, ...]) -> dict[tuple[Key, ...], Any]:
        """The changed rows whose keys begin as this one does."""
        by_first = self._changed.get(kind, {})
        if key:
            return by_first.get(key[0], {})
        return {whole: row for rows in by_first.values() for whole, row in rows.items()}

    def _merged(self, kind: type[R], stored: Iterable[R], changed: dict[tuple[Key, ...], Any]) -> list[R]:
        """Stored rows without the deleted ones, and changed rows, in the order of their keys."""
        found = {key_of(row): row for row in stored}
        if kind in self._gone:
            found = {whole: row for whole, row in found.items() if not self._is_gone(kind, whole)}
        found |= changed
        return [found[whole] for whole in sorted(found)]

    def _is_gone(self, kind: type[R], key: tuple[Key, ...]) -> bool:
        gone = self._gone.get(kind)
        return gone is not None and any(key[:length] in gone for length in range(1, len(key) + 1))

    def _stored(self, kind: type[R], key: tuple[Key, ...]) -> list[R]:
        kept = shape(kind)
        if key and key[0] in (fetched := self._fetched.get(kind, {})):
            known = [kept.row(values) for values in fetched[key[0]]]
            return [row for row in known if key_of(row)[: len(key)] == key]
        where = _where(kind.key[: len(key)])
        query = f"SELECT {kept.names} FROM {kept.name(self._generation)} WHERE {where}"
        return [kept.row(values) for values in self._tables.execute(query, key)]

    def apply(self, changes: Iterable[Change]) -> None:
        """Apply the changes of one record."""
        for change in changes:
            if isinstance(change, Gone):
                self._go(change.kind, change.key)
            else:
                key = key_of(change)
                self._changed.setdefault(type(change), {}).setdefault(key[0], {})[key] = change

    def _go(self, kind: type[Row], key: tuple[Key, ...]) -> None:
        self._gone.setdefault(kind, set()).add(key)
        rows = self._changed.get(kind, {}).get(key[0], {})
        for whole in [whole for whole in rows if whole[: len(key)] == key]:
            del rows[whole]

    def write(self) -> None:
        """Write every changed row, within the transaction that is open."""
        for kind, gone in self._gone.items():
            table = shape(kind).name(self._generation)
            for length in {len(key) for key in gone}:
                delete = f"DELETE FROM {table} WHERE {_where(kind.key[:length])}"
                self._tables.executemany(delete, [key for key in gone if len(key) == length])
        for kind, changed in self._changed.items():
            kept = shape(kind)
            values = [kept.values(row) for rows in changed.values() for row in rows.values()]
            if values:
                self._tables.put(kept, self._generation, values)
        self._changed.clear()
        self._gone.clear()
        self._fetched.clear()
