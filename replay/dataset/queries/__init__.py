"""The saved queries: questions about all matches, by name, with their SQL, parameters and sentences.

Each game has a TOML file, and `every_game.toml` has the queries of all games.  `rows` of a query selects one
row for each thing that is counted, always with match, move and pool; `answer` says what is computed of the
rows of each key, beside their number `n`.  So the matches behind a row of an answer are the rows with the
same key, and there are exactly `n`.

Every query reads the matches of `m`: those of one game that ended with a result, of the pools that the
caller names.  Pools are keys, unless the caller asks for `*`.  A rate has its Wilson interval, `lo` to `hi`;
a mean of `means` has that of a normal distribution.
"""

from __future__ import annotations

import importlib
import importlib.resources
import importlib.util
import re
import tomllib
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any, Literal

from msgspec import Struct, convert

from domain.games import GAMES
from domain.kernel import Refused

Kind = Literal["text", "whole", "time", "pools", "flag"]
Bound = dict[str, str | int | bool | list[str] | datetime | None]

PREFIXES = {
    "thirteen_minutes": "tm_",
    "cia_vs_kgb": "cvk_",
    "twilight_struggle": "",
    "imperial_struggle": "is_",
}
"""How the names of the queries of a game begin."""
DECISIONS = "decisions"  # a table that a data set may be built without

Z = 1.959963984540054  # of the normal distribution, for an interval of 95 %
LEAST_OF_MEAN = 30  # cases: the mean of fewer is not distributed normally enough for an interval
MOST_TEXT = 200  # characters of the value of a parameter
MOST_WHOLE = 1_000_000
ALL_POOLS = "*"
UNSELECTED = ("imported", "uploaded")  # pools whose selection of matches is unknown
_POOL = re.compile(r"[a-z][a-z0-9_]{0,39}")


class Parameter(Struct, frozen=True):
    """A parameter of a query: what it is, in two languages, and its value if the caller gives none.

    `required`: there is no such value.  `columns`: the parameter chooses a column: a table and the beginning
    of the names of its columns, such as "is_positions.at_"; its values are the rest of these names, and in
    the SQL {name} stands for the column.
    """

    en: str
    ru: str
    kind: Kind = "text"
    default: str | int | bool | None = None
    required: bool = False
    columns: str = ""

    @property
    def choices(self) -> tuple[str, ...]:
        """The legal values of a parameter that chooses a column; () of another one."""
        table, _, prefix = self.columns.partition(".")
        names = (name for name in columns_of(table) if name.startswith(prefix)) if table else ()
        return tuple(name.removeprefix(prefix) for name in names)


COMMON = {
    "pool": Parameter(
        "the pool, several with commas between them, or * for all together",
        "пул, несколько через запятую или * для всех вместе",
        "pools",
        "live",
    ),
    "edition": Parameter("only matches of this edition", "только партии этого издания"),
    "tournament": Parameter("only matches of this tournament", "только партии этого турнира"),
    "since": Parameter(
        "only matches that closed at this time (UTC) or later",
        "только партии, закрытые в это время (UTC) или позже",
        "time",
    ),
    "unproven": Parameter(
        "1: also matches that are not proved", "1: также партии без доказательства", "flag", False
    ),
    "min_n": Parameter("leave out rows with fewer cases", "без строк, в которых случаев меньше", "whole", 1),
}
"""The parameters of every query."""

_MATCHES = """\
m AS (
  SELECT * REPLACE (CASE WHEN $pool = '*' THEN '*' ELSE pool END AS pool)
  FROM matches
  WHERE game = $game
    AND ($pool = '*' OR list_contains($pools, pool))
    AND ($edition IS NULL OR edition = $edition)
    AND ($tournament IS NULL OR tournament = $tournament)
    AND ($since IS NULL OR closed_at >= $since){counted}
)"""
_COUNTED = """
    AND reason IS NOT NULL
    AND (proof = 'ok' OR $unproven)"""

_EXCLUDED = """
SELECT pool,
  count(*) AS matches,
  count(*) FILTER (WHERE reason IS NULL AND "by" = 'ruling') AS void,
  count(*) FILTER (WHERE reason IS NULL AND "by" <> 'ruling') AS no_result,
  count(*) FILTER (WHERE reason IS NOT NULL AND proof <> 'ok' AND NOT $unproven) AS unproven
FROM m GROUP BY pool ORDER BY pool"""


class Query(Struct, frozen=True):
    """A saved query; see the head of this module.

    `answer` maps a column to the SQL that computes it; `rates` maps a rate to the column that holds its n;
    `means` maps a mean to the column of `rows` whose mean it is.
    """

    name: str
    game: str
    en: str
    ru: str
    rows: str
    keys: tuple[str, ...] = ()
    answer: dict[str, str] = {}
    rates: dict[str, str] = {}
    means: dict[str, str] = {}
    order: str = "n DESC"
    own: dict[str, Parameter] = {}

    @property
    def parameters(self) -> dict[str, Parameter]:
        """Those of this query, then those of all."""
        return {**self.own, **COMMON}

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of its answer."""
        bounds = [f"{rate}_{end}" for rate in self.rates for end in ("lo", "hi")]
        if len(self.rates) == 1:
            bounds = ["lo", "hi"]
        return ("pool", *self.keys, "n", *self.answer, *self._ends_of_means, *bounds)

    @property
    def _ends_of_means(self) -> dict[str, str]:
        """The SQL of the ends of the interval of each mean, by their columns."""
        found = dict[str, str]()
        for mean, column in self.means.items():
            found[f"{mean}_lo"], found[f"{mean}_hi"] = normal(column)
        return found

    @property
    def needs_decisions(self) -> bool:
        """Does it read the table of decisions, which a data set may not have?"""
        return f"FROM {DECISIONS}" in self.rows

    @property
    def sql(self) -> str:
        """Its SQL: $name stands for the value of a parameter, and {name} for the column that one chooses."""
        return f"WITH {matches_of()},\nr AS (\n{self.rows.strip()}\n)\n{self._select()}"

    def is_share(self, rate: str) -> bool:
        """Is this rate the share of a row in a whole, so that those of all rows together are 1?"""
        return " OVER " in self.answer[rate]

    def statement(self, arguments: Mapping[str, str]) -> Statement:
        """The SQL of the answer, with the values of its parameters.

        Args:
            arguments: the parameters that the caller gives, as text.

        Raises:
            Refused: invalid; a parameter is unknown or missing, or its value is none.
        """
        bound = bind(self.game, arguments, self.parameters)
        return statement_of(self._with_rows(bound) + self._select(), bound)

    def behind(self, arguments: Mapping[str, str]) -> Statement:
        """The SQL of the matches and moves behind the rows of an answer, with the values of its parameters.

        Args:
            arguments: the parameters that the caller gives, and the keys of the row ("" for a missing value);
                keys that are not given may have any value.

        Raises:
            Refused: invalid; see `statement`.
        """
        keys = {key: Parameter("", "") for key in (*self.keys, "in_pool")}
        named = {key: value for key, value in arguments.items() if key in keys}
        rest = {key: value for key, value in arguments.items() if key not in keys}
        bound = bind(self.game, rest, self.parameters)
        where = []
        for key, value in named.items():
            column = "pool" if key == "in_pool" else key
            where.append(f'CAST("{column}" AS VARCHAR) IS NOT DISTINCT FROM $row_{key}')
            bound[f"row_{key}"] = _text(key, value) or None
        chosen = " AND ".join(where) or "true"
        select = f"SELECT pool, match, move FROM r WHERE {chosen} ORDER BY pool, match, move"
        return statement_of(self._with_rows(bound) + select, bound)

    def excluded(self, arguments: Mapping[str, str]) -> Statement:
        """The SQL of how many matches of each pool there are, and how many do not count, by the reason.

        Raises:
            Refused: invalid; see `statement`.
        """
        return excluded_of(bind(self.game, arguments, self.parameters))

    def rules(self, arguments: Mapping[str, str]) -> Statement:
        """The SQL of the versions of the rules that decided moves of the matches that count.

        Raises:
            Refused: invalid; see `statement`.
        """
        return rules_of(bind(self.game, arguments, self.parameters))

    def _with_rows(self, bound: Bound) -> str:
        rows = self.rows.strip()
        for name, parameter in self.own.items():
            if parameter.columns:
                column = parameter.columns.partition(".")[2] + str(bound[name])  # one of its choices
                rows = rows.replace(f"{{{name}}}", f'"{column}"')
        return f"WITH {matches_of()},\nr AS (\n{rows}\n)\n"

    def _select(self) -> str:
        keys = "".join(f'"{key}", ' for key in ("pool", *self.keys))
        computed = {**self.answer, **self._ends_of_means}
        answer = "".join(f',\n    {sql} AS "{name}"' for name, sql in computed.items())
        inner = f"  SELECT {keys}count(*) AS n{answer}\n  FROM r GROUP BY {keys.rstrip(', ')}"
        bounds = ""
        for rate, n in self.rates.items():
            prefix = "" if len(self.rates) == 1 else f"{rate}_"
            low, high = wilson(f'"{rate}"', f'"{n}"')
            bounds += f',\n  {low} AS "{prefix}lo",\n  {high} AS "{prefix}hi"'
        order = ", ".join(filter(None, (self.order, keys.rstrip(", "))))
        return f"SELECT *{bounds}\nFROM (\n{inner}\n)\nWHERE n >= $min_n\nORDER BY {order}"


class Statement(Struct, frozen=True):
    """SQL with the values of its parameters; text of a caller is never part of the SQL."""

    sql: str
    values: Bound

    @property
    def as_it_stands(self) -> str:
        """The SQL with the values in place of its parameters, so that it can be run as it stands."""
        return re.sub(r"\$([a-z_0-9]+)", lambda found: literal(self.values[found[1]]), self.sql)

    @property
    def selection_unknown(self) -> bool:
        """May the answer rest on matches whose selection is unknown?"""
        return self.values["pool"] == ALL_POOLS or bool({*UNSELECTED} & {*_list(self.values["pools"])})


def bind(game: str, arguments: Mapping[str, str], known: Mapping[str, Parameter]) -> Bound:
    """The values of all parameters, by the text that the caller gives for some of them.

    Raises:
        Refused: invalid; a parameter is unknown or missing, or its value is not legal.
    """
    for name in arguments:
        if name not in known:
            raise Refused("invalid", "query-parameter", {"parameter": _cut(name), "known": list(known)})
    bound: Bound = {"game": game}
    for name, parameter in known.items():
        value = arguments.get(name)
        if value is None and parameter.required:
            raise Refused("invalid", "query-parameter-missing", {"parameter": name})
        bound[name] = parameter.default if value is None else _value(name, parameter, value)
    pools = str(bound["pool"])
    return bound | {"pools": [] if pools == ALL_POOLS else pools.split(",")}


def matches_of(*, counted: bool = True) -> str:
    """The SQL of `m`: the matches that the common parameters choose; `counted`: only those that count."""
    return _MATCHES.format(counted=_COUNTED if counted else "")


def excluded_of(bound: Bound) -> Statement:
    """The SQL of how many matches of each pool there are, and how many do not count, by the reason."""
    return statement_of(f"WITH {matches_of(counted=False)}{_EXCLUDED}", bound)


def rules_of(bound: Bound) -> Statement:
    """The SQL of the versions of the rules that decided moves of the matches that count."""
    sql = "SELECT DISTINCT r.rules FROM rules_versions r JOIN m USING (match) ORDER BY r.rules"
    return statement_of(f"WITH {matches_of()} {sql}", bound)


def pools_of(game: str) -> Statement:
    """The SQL of how many matches of a game each pool has, whatever else is asked for."""
    sql = "SELECT pool, count(*) AS matches FROM matches WHERE game = $game GROUP BY pool ORDER BY pool"
    return Statement(sql, {"game": game})


def statement_of(sql: str, bound: Bound) -> Statement:
    """SQL with those values that it uses."""
    used = set(re.findall(r"\$([a-z_0-9]+)", sql))
    return Statement(sql, {name: value for name, value in bound.items() if name in used})


def literal(value: object) -> str:
    """Return a value as SQL."""
    if value is None:
        return "NULL"
    if isinstance(value, bool | int):
        return str(value).lower()
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]::VARCHAR[]"
    quoted = str(value).replace("'", "''")
    return f"TIMESTAMP '{quoted}'" if isinstance(value, datetime) else f"'{quoted}'"


def wilson(rate: str, n: str) -> tuple[str, str]:
    """The SQL of the two ends of the Wilson interval of 95 % of a rate over `n` cases, within 0 and 1.

    Numerator and denominator are multiplied by `n`: the database takes most of its time for a small data set
    to find the function of each operator, so there are few.
    """
    centre = f"{rate} * {n} + {Z * Z / 2}e0"
    half = f"{Z}e0 * sqrt(greatest({rate} * (1 - {rate}), 0) * {n} + {Z * Z / 4}e0)"
    low, high = (f"({centre} {sign} {half}) / ({n} + {Z * Z}e0)" for sign in "-+")
    return (
        f"CASE WHEN {rate} <= 0 THEN 0.0 WHEN {rate} <= 1 THEN greatest(0.0, {low}) END",
        f"CASE WHEN {rate} >= 1 THEN 1.0 WHEN {rate} >= 0 THEN least(1.0, {high}) END",
    )


def normal(column: str) -> tuple[str, str]:
    """The SQL of the two ends of the interval of 95 % of the mean of a column, by the normal distribution.

    They are missing with fewer than `LEAST_OF_MEAN` values.
    """
    half = f"{Z}e0 * stddev_samp({column}) / sqrt(count({column}))"
    low, high = (
        f"CASE WHEN count({column}) >= {LEAST_OF_MEAN} THEN avg({column}) {sign} {half} END" for sign in "-+"
    )
    return low, high


@cache
def columns_of(table: str) -> tuple[str, ...]:
    """The names of the columns of a table of a game.

    Raises:
        LookupError: there is no such table.
    """
    for game in GAMES:
        if importlib.util.find_spec(f"replay.tables.{game}") is None:
            continue
        for described in importlib.import_module(f"replay.tables.{game}").TABLES:
            if described.name == table:
                return tuple(column.name for column in described.columns)
    raise LookupError(f"there is no table {table}")


@cache
def queries() -> dict[str, Query]:
    """Every saved query, by name."""
    folder = importlib.resources.files(__name__)
    shared = tomllib.loads((folder / "every_game.toml").read_text("utf-8"))
    found = dict[str, Query]()
    for game in GAMES:
        file = folder / f"{game}.toml"
        data: dict[str, Any] = tomllib.loads(file.read_text("utf-8")) if file.is_file() else {}
        data |= {PREFIXES[game] + name: fields for name, fields in shared.items()}
        for name, fields in data.items():
            found[name] = convert({"name": name, "game": game, **fields}, Query)
    return found


def query(name: str) -> Query:
    """The saved query of this name.

    Raises:
        Refused: not-found; there is none.
    """
    found = queries().get(name)
    if found is None:
        raise Refused("not-found", "no-such-query", {"query": _cut(name), "known": list(queries())})
    return found


def _value(name: str, parameter: Parameter, value: str) -> Any:
    text = _text(name, value)
    if parameter.columns and text not in parameter.choices:
        raise _unfit(name, text, ", ".join(parameter.choices))
    if parameter.kind == "whole":
        if not re.fullmatch(r"-?[0-9]{1,7}", text) or abs(int(text)) > MOST_WHOLE:
            raise _unfit(name, text, f"-{MOST_WHOLE}…{MOST_WHOLE}")
        return int(text)
    if parameter.kind == "flag":
        if text not in ("0", "1"):
            raise _unfit(name, text, "0, 1")
        return text == "1"
    if parameter.kind == "pools":
        if text != ALL_POOLS and not all(map(_POOL.fullmatch, text.split(","))):
            raise _unfit(name, text, "live, bots, live,bots, *")
        return text
    return _moment(name, text) if parameter.kind == "time" else text


def _moment(name: str, text: str) -> datetime:
    """A day or a time, in UTC if it says nothing else; a data set keeps times without a zone."""
    try:
        moment = datetime.fromisoformat(text)
        zoned = moment if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        raise _unfit(name, text, "2026-01-31, 2026-01-31T18:30:00Z") from None
    return zoned.replace(tzinfo=None)


def _text(name: str, value: str) -> str:
    if len(value) > MOST_TEXT or not value.isprintable():
        raise _unfit(name, value, f"≤ {MOST_TEXT}")
    return value


def _unfit(name: str, value: str, legal: str) -> Refused:
    return Refused("invalid", "query-value", {"parameter": name, "value": _cut(value), "legal": legal})


def _cut(text: str) -> str:
    return repr(text if len(text) <= 40 else f"{text[:40]}…")


def _list(value: object) -> list[str]:
    return value if isinstance(value, list) else []
