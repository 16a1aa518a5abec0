"""Saved queries and position searches of a data set, as Python has them: `d.query(...)`, `d.find(...)`.

Nothing is run before its rows are asked for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from domain.kernel import Refused
from replay.dataset.queries import Bound, Query, Statement, bind, excluded_of, rules_of
from replay.dataset.rates import RateMark, marks_of
from replay.dataset.search import PARAMETERS, VOCABULARIES, Search, parse

if TYPE_CHECKING:
    import duckdb


class Source(Protocol):
    """What runs SQL with the values of its parameters: a data set."""

    def sql(self, query: str, parameters: Bound) -> duckdb.DuckDBPyRelation:
        """Prepare SQL."""

    def fetch(self, query: str, parameters: Bound) -> list[tuple[Any, ...]]:
        """Return the rows."""


Arguments = Mapping[str, str | int | bool]


def as_text(arguments: Arguments) -> dict[str, str]:
    """Return parameters as a query takes them: True is "1", and numbers are as they are written."""
    return {
        name: str(int(value)) if isinstance(value, bool | int) else value for name, value in arguments.items()
    }


class _Asked:
    """A statement over a data set; iterating gives its rows as tuples."""

    def __init__(self, source: Source, statement: Statement) -> None:
        self._source, self.statement = source, statement

    def __iter__(self) -> Iterator[tuple[object, ...]]:
        return iter(self._source.fetch(self.statement.sql, self.statement.values))

    @property
    def sql(self) -> str:
        """The SQL; the values of its parameters are in `statement.values`."""
        return self.statement.sql

    @property
    def relation(self) -> duckdb.DuckDBPyRelation:
        """The answer as a DuckDB relation.  Raises BadDataSet, OSError, ImportError: see `DataSet.sql`."""
        return self._ask(self.statement)

    def _ask(self, statement: Statement) -> duckdb.DuckDBPyRelation:
        return self._source.sql(statement.sql, statement.values)


class Answer(_Asked):
    """The answer to a saved query."""

    def __init__(self, source: Source, query: Query, arguments: Arguments) -> None:
        self.query, self._arguments = query, as_text(arguments)
        super().__init__(source, query.statement(self._arguments))

    def matches(self, **row: object) -> duckdb.DuckDBPyRelation:
        """Return pool, match and move of what was counted in one row of the answer, or in all of them.

        Args:
            row: the keys of the row, such as `seat="us", card="nato"`; None for a missing value; `in_pool`
                is its pool.

        Raises:
            domain.kernel.Refused: the query has no such key.
        """
        keys = {name: "" if value is None else str(value) for name, value in row.items()}
        return self._ask(self.query.behind(self._arguments | keys))

    @cached_property
    def _rows(self) -> list[dict[str, object]]:
        relation = self.relation
        return [dict(zip(relation.columns, row, strict=True)) for row in relation.fetchall()]

    @property
    def comparisons(self) -> int:
        """How many rates stand in the answer: with many of them, some look special by chance."""
        return len(self._rows) * len(self.query.rates)

    @cached_property
    def marks(self) -> tuple[RateMark, ...]:
        """The rates that differ from the others of their pool at 5 %, adjusted for all of them (Holm)."""
        return marks_of(self.query, self._rows)

    @cached_property
    def rules(self) -> list[str]:
        """The versions of the rules that decided moves of the matches that count."""
        return [version for (version,) in self._ask(self.query.rules(self._arguments)).fetchall()]

    @cached_property
    def excluded(self) -> list[tuple[str, int, int, int, int]]:
        """For each pool: how many matches there are, and how many are void, without result, unproven."""
        excluded = self.query.excluded(self._arguments)
        found = self._source.fetch(excluded.sql, excluded.values)
        return [(pool, *map(int, counts)) for pool, *counts in found]


class Hits(_Asked):
    """The positions that a search found."""

    def __init__(self, source: Source, search: Search, arguments: Arguments) -> None:
        self.search, self._arguments = search, as_text(arguments)
        super().__init__(source, search.hits(self._arguments))

    @property
    def pools(self) -> str:
        """The pools that are searched, with commas between them; "*": all."""
        return str(self.statement.values["pool"])

    @property
    def counts(self) -> Statement:
        """The SQL of how many matches each pool has, and how many do not count, by the reason."""
        return excluded_of(self._chosen)

    @property
    def rules(self) -> Statement:
        """The SQL of the versions of the rules that decided moves of the matches that count."""
        return rules_of(self._chosen)

    @property
    def _chosen(self) -> Bound:
        return bind(self.search.game, self._arguments, PARAMETERS)

    @property
    def summary(self) -> duckdb.DuckDBPyRelation:
        """For each pool: matches, positions, and how often the first seat won (`won_a`, `lo` to `hi`)."""
        return self._ask(self.search.summary(self._arguments))

    @property
    def by_time(self) -> duckdb.DuckDBPyRelation:
        """The same for each pool and turn (13 Minutes: play), which is `time`."""
        return self._ask(self.search.by_time(self._arguments))


def game_of(search: str, tables: Collection[str]) -> str:
    """Return the game to which a search belongs: the only one of a data set that understands it.

    Args:
        tables: the tables of the data set.

    Raises:
        Refused: invalid; no game understands it (the text is of the game that understands most), or several.
    """
    games = [game for game, names in VOCABULARIES.items() if f"{names.prefix}positions" in tables]
    fitting, wrong = list[str](), list[Refused]()
    for game in games:
        try:
            fitting.append(parse(game, search).game)
        except Refused as refused:
            wrong.append(refused)
    if len(fitting) == 1:
        return fitting[0]
    if wrong and not fitting:
        raise max(wrong, key=place_of)
    raise Refused("invalid", "search-of-several", {"games": fitting or games})


def place_of(refused: Refused) -> int:
    """The column where a search goes wrong, from 1; 0 if the refusal names none."""
    column = refused.values.get("column", 0)
    return column if isinstance(column, int) else 0
