"""What is asked of a data set: saved queries, the matches behind their rows, and positions.

Everything here runs in a thread and is plain: arguments as text in, structs out.  What an answer rests on is
in `Sample`: the pools with what counts, and what is left out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import Any
from urllib.parse import quote

from cachetools import LRUCache, cached
from msgspec import Struct, convert

from api.data.reader import MOST_ROWS, Rows, rows_of
from api.http.data_schemas import (
    DataColumn,
    ExplorerAnswer,
    HitSummary,
    OpeningMatches,
    OpeningTree,
    PoolCounts,
    PositionHit,
    PositionsAnswer,
    QueryAnswer,
    QueryMatches,
    QueryParameter,
    RowMatch,
    SavedQueries,
    SavedQuery,
    TimeSummary,
)
from domain.games import GAMES
from domain.kernel import Refused
from replay.dataset import DataSet
from replay.dataset.explorer import COUNTS, EVERY, LEAST, Opening, explore, matches_behind, openings
from replay.dataset.queries import (
    ALL_POOLS,
    COMMON,
    DECISIONS,
    Bound,
    Parameter,
    Query,
    Statement,
    bind,
    excluded_of,
    pools_of,
    queries,
    rules_of,
)
from replay.dataset.rates import marks_of
from replay.dataset.search import PARAMETERS, VOCABULARIES, parse

Answer = QueryAnswer | QueryMatches | PositionsAnswer | ExplorerAnswer | OpeningMatches

_SAMPLES = 500  # counts of pools that are kept

OPENINGS = {
    "bid": Parameter(
        "only matches with so much extra influence of the US (below 0: of the USSR)",
        "только партии с таким дополнительным влиянием США (меньше 0: у СССР)",
        "whole",
    ),
    "turn": Parameter("the turn in which the tree begins", "раунд, с которого начинается дерево", "whole", 1),
    **{name: COMMON[name] for name in ("pool", "edition")},
    "min_n": Parameter(
        f"without branches in which there are fewer matches; {LEAST} or more",
        f"без ветвей, в которых партий меньше; не меньше {LEAST}",
        "whole",
        LEAST,
    ),
}
"""The parameters of the explorer of openings, beside the game and the path."""
COUNT = {
    "count": Parameter(
        f"the count of the node whose matches are asked for: {', '.join(COUNTS)}",
        f"счётчик узла, партии которого нужны: {', '.join(COUNTS)}",
        "text",
        EVERY,
    )
}
"""The parameter for the matches of a node."""


class Prepared(Struct, frozen=True):
    """A request that was understood: all on which its answer depends but the data set, and what answers."""

    key: tuple[object, ...]
    answer: Callable[[DataSet], Answer]


def catalogue(data: DataSet) -> SavedQueries:
    """All saved queries."""
    found = tuple(
        SavedQuery(
            one.name,
            one.game,
            one.en,
            one.ru,
            _parameters(one.parameters),
            one.columns,
            one.keys,
            one.rates,
            one.means,
            one.sql,
        )
        for one in queries().values()
    )
    return SavedQueries(data.snapshot, found, _parameters(PARAMETERS))


def _parameters(known: Mapping[str, Parameter]) -> tuple[QueryParameter, ...]:
    return tuple(
        QueryParameter(
            name, one.kind, one.en, one.ru, one.required, _as_text(one.default), tuple(one.choices)
        )
        for name, one in known.items()
    )


def _as_text(default: str | int | bool | None) -> str | None:
    if default is None:
        return None
    return str(int(default)) if isinstance(default, bool) else str(default)


def asked(query: Query, arguments: Mapping[str, str]) -> Prepared:
    """A saved query with its arguments.

    Raises:
        Refused: invalid; a parameter is unknown or missing, or its value is not legal.  The answer raises
            not-found: the data set was built without a table that the query reads.
    """
    statement = query.statement(arguments)
    bound = bind(query.game, arguments, query.parameters)

    def answer(data: DataSet) -> QueryAnswer:
        _must_answer(data, query)
        rows = rows_of(data, statement)
        return QueryAnswer(
            **_sample(data, statement.sql, bound),
            query=query.name,
            columns=tuple(DataColumn(name, kind) for name, kind in rows.columns),
            rows=tuple(rows.rows),
            comparisons=len(rows.rows) * len(query.rates),
            marks=marks_of(query, list(rows.named())),
            truncated=rows.truncated,
        )

    return Prepared((query.name, statement.sql, *_sorted(statement.values)), answer)


def behind(query: Query, arguments: Mapping[str, str]) -> Prepared:
    """The matches and moves behind the rows of a saved query.

    Raises:
        Refused: invalid; see `asked`.
    """
    keys = {*query.keys, "in_pool"}
    statement = query.behind(arguments)
    rest = {name: value for name, value in arguments.items() if name not in keys}
    bound = bind(query.game, rest, query.parameters)

    def answer(data: DataSet) -> QueryMatches:
        _must_answer(data, query)
        rows = rows_of(data, statement)
        return QueryMatches(
            **_sample(data, statement.sql, bound),
            query=query.name,
            matches=tuple(
                RowMatch(pool, match, move, replay(match, move)) for pool, match, move in rows.rows
            ),
            truncated=rows.truncated,
        )

    return Prepared((query.name, statement.sql, *_sorted(statement.values)), answer)


def _must_answer(data: DataSet, query: Query) -> None:
    """Raises Refused: not-found; the query reads a table that the data set was built without."""
    if query.needs_decisions and DECISIONS not in data.tables:
        raise Refused("not-found", "no-decisions", {"query": query.name})


def searched(game: str | None, where: str, arguments: Mapping[str, str]) -> Prepared:
    """A search for positions of a game (None: the first that can be searched).

    Raises:
        Refused: invalid; the search or a parameter is wrong.  unknown-game.
    """
    search = parse(game or next(iter(VOCABULARIES)), where)
    hits, summary = search.hits(arguments), search.summary(arguments)
    bound = bind(search.game, arguments, PARAMETERS)

    def answer(data: DataSet) -> PositionsAnswer:
        found, rows = rows_of(data, summary), rows_of(data, hits)
        turns = rows_of(data, search.by_time(arguments))
        summaries = tuple(convert(row, HitSummary) for row in found.named())
        shown = tuple(_hit(search.game, row) for row in rows.named())
        every = bool(bound["first"])
        whole = sum(one.matches if every else one.positions for one in summaries)
        return PositionsAnswer(
            **_sample(data, hits.sql, bound),
            where=where,
            seats=tuple(GAMES[search.game].seats),
            summary=summaries,
            by_time=tuple(convert(row, TimeSummary) for row in turns.named()),
            hits=shown,
            truncated=len(shown) < whole,
        )

    return Prepared((where, hits.sql, *_sorted(hits.values)), answer)


def _hit(game: str, row: Mapping[str, Any]) -> PositionHit:
    first, second = GAMES[game].seats
    return PositionHit(
        row["pool"],
        row["match"],
        row["move"],
        row["kind"],
        {name: row[name] for name in VOCABULARIES[game].time},
        {first: row["player_a"], second: row["player_b"]},
        row["winner"],
        row["reason"],
        replay(row["match"], row["move"]),
    )


def explored(arguments: Mapping[str, str], *, matches: bool = False) -> Prepared:
    """A node of a tree of openings.

    Args:
        arguments: game, path (labels with / between them), and `OPENINGS`; with `matches` also `COUNT`.
        matches: the matches that the node counts, instead of its children.

    Raises:
        Refused: invalid; a parameter is unknown, or its value is not legal.
    """
    rest = dict(arguments)
    game, path = rest.pop("game", next(iter(openings()))), rest.pop("path", "")
    bound = bind(game, rest, {**OPENINGS, **(COUNT if matches else {})})
    labels = tuple(path.split("/")) if path else ()
    asked = {"game": game, "path": labels, "edition": bound["edition"] or ""}
    opening = convert({name: bound[name] for name in ("pool", "bid", "turn")} | asked, Opening)
    every = bound | {"tournament": None, "since": None, "unproven": False}

    def answer(data: DataSet) -> ExplorerAnswer:
        node = explore(data, opening, min_n=convert(bound["min_n"], int))
        known = openings()[game].trees
        trees = tuple(OpeningTree(name, one.en, one.ru, one.levels) for name, one in known.items())
        return ExplorerAnswer(
            **_sample(data, _steps(game, labels), every), path=labels, trees=trees, node=node
        )

    def behind(data: DataSet) -> OpeningMatches:
        found = matches_behind(data, opening, str(bound["count"]))
        return OpeningMatches(
            **_sample(data, _steps(game, labels), every),
            path=labels,
            matches=tuple(
                RowMatch(one.pool, one.match, one.move, replay(one.match, one.move))
                for one in found[:MOST_ROWS]
            ),
            truncated=len(found) > MOST_ROWS,
        )

    return Prepared((game, labels, *_sorted(bound)), behind if matches else answer)


def _steps(game: str, labels: Sequence[str]) -> str:
    """The SQL of the decisions of the tree that a path is in."""
    known = openings()[game].trees
    return known.get(labels[0] if labels else "", next(iter(known.values()))).steps


def replay(match: str, move: int | None) -> str:
    """The page of a match, at a move."""
    return f"/m/{quote(match, safe='')}" + ("" if move is None else f"?move={move}")


def _sample(data: DataSet, sql: str, bound: Bound) -> dict[str, Any]:
    """What an answer rests on; see `api.http.data_schemas.Sample`."""
    game = str(bound["game"])
    there: dict[str, int] = dict(_kept_rows(data, pools_of(game)).rows)
    mixed = bound["pool"] == ALL_POOLS
    wanted = list(there) if mixed else str(bound["pool"]).split(",")
    counted: dict[str, PoolCounts] = {}
    asked = bound | {"pool": ",".join(wanted), "pools": wanted}
    if wanted:
        left_out = _kept_rows(data, excluded_of(asked))
        counted = {str(row["pool"]): _counts(row) for row in left_out.named()}
    return {
        "snapshot": data.snapshot,
        "game": game,
        "rules": data.manifest.rules.get(game, ""),
        "rules_seen": tuple(version for (version,) in _kept_rows(data, rules_of(asked)).rows),
        "sql_sha256": sql_hash(sql),
        "arguments": {name: value for name, value in bound.items() if name not in ("game", "pools")},
        "pools": tuple(counted.get(pool, PoolCounts(pool, 0, 0, 0, 0, 0)) for pool in wanted),
        "mixed": mixed,
        "other_pools": {pool: n for pool, n in there.items() if pool not in wanted},
        "selection_unknown": Statement(sql, bound).selection_unknown,
    }


def _key_of(data: DataSet, statement: Statement) -> tuple[object, ...]:
    return (data.snapshot, statement.sql, *_sorted(statement.values))


@cached(LRUCache(_SAMPLES), key=_key_of, lock=Lock())
def _kept_rows(data: DataSet, statement: Statement) -> Rows:
    """The rows of a statement that many answers share: a snapshot never changes, so they stay true."""
    return rows_of(data, statement)


def _counts(row: Mapping[str, Any]) -> PoolCounts:
    out = {why: row[why] for why in ("void", "no_result", "unproven")}
    return PoolCounts(row["pool"], row["matches"], row["matches"] - sum(out.values()), **out)


def _sorted(values: Bound) -> list[tuple[str, str]]:
    return sorted((name, repr(value)) for name, value in values.items())


def sql_hash(sql: str) -> str:
    """The hash by which answers and the log name SQL."""
    return hashlib.sha256(sql.encode("utf-8", "surrogatepass")).hexdigest()


def table_of(answer: Answer) -> Rows:
    """An answer as a table, for CSV and NDJSON."""
    if isinstance(answer, QueryAnswer):
        return Rows(
            tuple((one.name, one.type) for one in answer.columns), list(answer.rows), answer.truncated
        )
    assert isinstance(answer, QueryMatches)
    columns = (("pool", "VARCHAR"), ("match", "VARCHAR"), ("move", "INTEGER"), ("replay", "VARCHAR"))
    rows = [(one.pool, one.match, one.move, one.replay) for one in answer.matches]
    return Rows(columns, rows, answer.truncated)
