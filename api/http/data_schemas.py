"""What the routes for data sets answer: the data process makes it, and the server's document describes it."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, Struct

from replay.dataset.explorer import Node
from replay.dataset.rates import RateMark


class DataColumn(Struct, frozen=True):
    """A column of an answer: its name, and its type as DuckDB calls it."""

    name: str
    type: str


class QueryParameter(Struct, frozen=True):
    """A parameter of a saved query, with a sentence in two languages.

    kind: text, whole (a whole number), time (a day or a time, UTC), flag (0 or 1) or pools (names with commas
        between them, or * for all together).
    default: the value if it is left out; null if there is none.
    choices: the legal values, if there are only some.
    """

    name: str
    kind: str
    en: str
    ru: str
    required: bool
    default: str | None
    choices: tuple[str, ...]


class SavedQuery(Struct, frozen=True):
    """A saved query.

    en, ru: the question that it answers.
    keys: the columns that say what a row is about, beside `pool`.  With `matches=1` each is a parameter, and
        so is `in_pool`: the matches behind one row.
    rates: the columns that are rates, each with the column that says over how many cases.
    means: the columns that are means with an interval, each with what it is the mean of.  The interval is
        from column_lo to column_hi, and null with fewer than 30 cases.
    sql: its SQL.  $name stands for the value of a parameter, {name} for the column that one chooses, $game
        for the game and $pools for the list of the pools.
    """

    name: str
    game: str
    en: str
    ru: str
    parameters: tuple[QueryParameter, ...]
    columns: tuple[str, ...]
    keys: tuple[str, ...]
    rates: dict[str, str]
    means: dict[str, str]
    sql: str


class SavedQueries(Struct, frozen=True):
    """All saved queries, and the parameters of the search for positions."""

    snapshot: str
    queries: tuple[SavedQuery, ...]
    positions: tuple[QueryParameter, ...]


class PoolCounts(Struct, frozen=True):
    """The matches of a pool that the parameters choose: how many there are, how many count, and why not all.

    void: ended by a ruling without a result.  no_result: the record has none.  unproven: not proved, so they
    count only with `unproven=1`.
    """

    pool: str
    matches: int
    counted: int
    void: int
    no_result: int
    unproven: int


class Sample(Struct, frozen=True):
    """On what an answer rests.

    rules: the version of the rules by which the data set was built.
    rules_seen: the versions that decided moves of the matches that count.
    sql_sha256: the hash of the SQL.  The same snapshot, SQL and arguments give the same answer.
    arguments: the values of all parameters.
    pools: the pools that were asked for, with what counts; `mixed` if `pool=*` counts them as one.
    other_pools: the matches of the game in other pools, which are not in this answer.
    selection_unknown: some of the matches were chosen by people elsewhere, so rates say little.
    """

    snapshot: str
    game: str
    rules: str
    rules_seen: tuple[str, ...]
    sql_sha256: str
    arguments: dict[str, Any]
    pools: tuple[PoolCounts, ...]
    mixed: bool
    other_pools: dict[str, int]
    selection_unknown: bool


class QueryAnswer(Sample, frozen=True):
    """The answer of a saved query: rows with as many values as there are columns.

    comparisons: how many rates stand in the answer: with many of them, some look special by chance.
    marks: the rates that differ from the rest at 5 %, after an adjustment for all comparisons.
    truncated: there are more rows than an answer may have.
    """

    query: str
    columns: tuple[DataColumn, ...]
    rows: tuple[tuple[Any, ...], ...]
    comparisons: int
    marks: tuple[RateMark, ...]
    truncated: bool


class RowMatch(Struct, frozen=True):
    """A match and move behind a row of an answer; `replay` is the page that shows it."""

    pool: str
    match: str
    move: int | None
    replay: str


class QueryMatches(Sample, frozen=True):
    """The matches and moves behind the rows of an answer, or behind the row with the keys that were given."""

    query: str
    matches: tuple[RowMatch, ...]
    truncated: bool


class PositionHit(Struct, frozen=True):
    """A position that was found.

    time: when in the game it was: turn and round, or what the game calls them; a phase and a war are words.
    players: the player of each seat.
    winner, reason: how the match ended.
    replay: the page that shows the position; a branch can be opened from there.
    """

    pool: str
    match: str
    move: int
    kind: str
    time: dict[str, int | str | None]
    players: dict[str, str | None]
    winner: str | None
    reason: str | None
    replay: str


class HitSummary(Struct, frozen=True):
    """All that was found in a pool, also beyond the limit.

    n: the matches that a seat won; won_a: the rate at which the first of `seats` won them, between lo and hi.
    """

    pool: str
    matches: int
    positions: int
    n: int
    won_a: float | None
    lo: float | None
    hi: float | None


class TimeSummary(HitSummary, frozen=True):
    """What was found in a pool in one turn (13 Minutes: after one play), which is `time`."""

    time: int


class PositionsAnswer(Sample, frozen=True):
    """The answer of a search for positions; `by_time` has the turns in which something was found."""

    where: str
    seats: tuple[str, ...]
    summary: tuple[HitSummary, ...]
    by_time: tuple[TimeSummary, ...]
    hits: tuple[PositionHit, ...]
    truncated: bool


class OpeningTree(Struct, frozen=True):
    """A tree of openings of a game: its name, what it shows, and what its levels decide; the last repeats."""

    name: str
    en: str
    ru: str
    levels: tuple[str, ...]


class ExplorerAnswer(Sample, frozen=True):
    """A node of a tree of openings, with its children.

    path: the labels from the root to the node, beginning with the name of the tree if that was given.
    trees: the trees of the game; the first is shown if the path names none.
    """

    path: tuple[str, ...]
    trees: tuple[OpeningTree, ...]
    node: Node


class OpeningMatches(Sample, frozen=True):
    """The matches that a node of a tree of openings counts, each at the move with which it came there.

    Those of `n_ahead` are at the move that ended turn 3.
    """

    path: tuple[str, ...]
    matches: tuple[RowMatch, ...]
    truncated: bool


class SqlRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """A query in SQL.

    params: values for `?` (a list) or `$name` (an object) in the query.
    limit: at most so many rows.
    snapshot: answer only if the data set is at this one.
    """

    sql: str
    params: list[bool | int | float | str | None] | dict[str, bool | int | float | str | None] = []
    limit: Annotated[int, Meta(ge=1, le=10_000)] = 10_000
    snapshot: str | None = None


class SqlAnswer(Struct, frozen=True):
    """The rows of a query; `truncated` if there are more.

    ms: how long it took.
    """

    snapshot: str
    columns: tuple[DataColumn, ...]
    rows: tuple[tuple[Any, ...], ...]
    truncated: bool
    ms: int
    sql_sha256: str
