"""How a table of a data set is described: its columns, their types, and what they mean.

`schema.json` and `DICTIONARY.md` of a data set are made from these descriptions, so neither can be out of
date.  The module of a game gives two names: `TABLES`, its descriptions, and `rows(match)`, which returns the
rows of one match that is over, as `Rows`.
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

Type = Literal[
    "VARCHAR",
    "BOOLEAN",
    "UTINYINT",
    "TINYINT",
    "SMALLINT",
    "INTEGER",
    "BIGINT",
    "DOUBLE",
    "TIMESTAMP",
    "VARCHAR[]",
]
"""The types, as DuckDB names them.  TIMESTAMP is UTC, and an integer of microseconds in a row."""

Row = tuple[Any, ...]
"""One row, in the order of the table's columns; a missing value is None."""

Rows = dict[str, list[Row]]
"""The rows of one match for each table, by the name of the table."""


class Column(Struct, frozen=True):
    """A column: its name, its type, one sentence on what it holds, and the unit of a number that has one."""

    name: str
    type: Type
    meaning: str
    unit: str = ""


class Table(Struct, frozen=True, cache_hash=True):
    """A table: its name in SQL, its game (None: of all games), one sentence on what a row is, its columns.

    The name of a table of a game begins with the prefix of the game: `ts_`, `is_`, `cvk_` or `tm_`.  In the
    folder of a data set `ts_rolls` is `twilight_struggle/rolls`, and `moves` is `core/moves`.

    order: columns by which the rows of a part are sorted before they are written; rows that are equal in
        them stay in the order in which the matches closed.  () leaves all rows in that order.
    """

    name: str
    game: str | None
    meaning: str
    columns: tuple[Column, ...]
    order: tuple[str, ...] = ()
