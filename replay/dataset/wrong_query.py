"""What is wrong about a query, and at which column: the errors of DuckDB and of the search language."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

Parameters = Mapping[str, object] | Sequence[object] | None
_MOST_SHOWN = 100  # characters of the line that is shown


class WrongQuery(ValueError):
    """A query cannot be answered.

    query: its text.  why: what is wrong, as a sentence.
    at: the place of the character where it goes wrong, from 0; None: no place can be named.
    """

    def __init__(self, query: str, why: str, at: int | None = None) -> None:
        self.query, self.why = query, why
        self.at = None if at is None else max(0, min(at, len(query)))
        super().__init__("\n".join(self.lines))

    @property
    def line(self) -> int:
        """The line where it goes wrong, from 1."""
        return self.query.count("\n", 0, self.at or 0) + 1

    @property
    def column(self) -> int:
        """The column in that line, from 1."""
        return (self.at or 0) - (self.query.rfind("\n", 0, self.at or 0) + 1) + 1

    @property
    def lines(self) -> list[str]:
        """The sentence, and if a place is known the line of the query with a mark under that place."""
        if self.at is None:
            return self.why.splitlines() or ["wrong"]
        first, *others = self.why.splitlines() or ["wrong"]
        return [f"line {self.line}, column {self.column}: {first}", *others, *marked(self.query, self.at)]


def marked(text: str, at: int) -> list[str]:
    """Return the line of a text in which a place is, and a mark under the place."""
    begin = text.rfind("\n", 0, at) + 1
    column = at - begin
    start = max(0, column - _MOST_SHOWN // 2)
    shown = text[begin:].partition("\n")[0][start : start + _MOST_SHOWN].replace("\t", " ")
    return [f"  {shown}", f"  {' ' * (column - start)}^"]


def of_duckdb(connection: duckdb.DuckDBPyConnection, query: str, parameters: Parameters) -> WrongQuery | None:
    """Return what DuckDB finds wrong about a query that it could not prepare; None: it prepares it now."""
    import duckdb

    cursor = connection.cursor()
    cursor.execute("SET errors_as_json = true")
    try:
        cursor.execute(query, parameters)
    except duckdb.Error as error:
        return of_error(query, error)
    return None


def of_error(query: str, error: duckdb.Error) -> WrongQuery:
    """Return what an error of DuckDB says, in its words; its place is known if it came as JSON."""
    text = str(error)
    try:
        said = json.loads(text[text.index("{") :])
        why, place = str(said["exception_message"]), said.get("position")
    except (ValueError, LookupError, TypeError):
        return WrongQuery(query, text.partition("\n\nLINE ")[0])  # the lines are those of a view
    # DuckDB counts bytes.
    at = None if place is None else len(query.encode()[: int(place)].decode(errors="ignore"))
    return WrongQuery(query, why, at)
