"""`glasnost sql`, `query` and `find`: questions about a data set, answered on the user's own machine."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
import msgspec

from api.cli import output
from api.cli.common import CannotBeDone
from api.settings import ANALYSIS, missing
from replay.sanitize import counted

if TYPE_CHECKING:
    import duckdb

    from replay.dataset import Answer, DataSet, Hits
    from replay.dataset.queries import Parameter, Query, Statement

MOST_SQL = 1 << 20  # characters on standard input
_PLACE = "DIR_OR_URL"
_NOT_COUNTED = ("void", "no_result", "unproven")
_MARKS = 20  # that are printed

F = TypeVar("F", bound=Callable[..., Any])


def data_option(function: F) -> F:
    """`--data DIR_OR_URL`."""
    return click.option(
        "--data",
        "place",
        metavar=_PLACE,
        default=".",
        show_default="this folder",
        envvar="GLASNOST_DATA",
        show_envvar=True,
        help="The data set: its folder, or the address of a server that offers one.",
    )(function)


def output_options(function: F) -> F:
    """`--format KIND`, `--json` and `--out FILE`; the function takes `kind` and `out`."""
    function = click.option(
        "--out", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path), help="Write to this file."
    )(function)
    function = click.option("--json", "kind", flag_value="json", help="The same as --format json.")(function)
    return click.option(
        "--format",
        "kind",
        type=click.Choice(output.KINDS),
        default="table",
        show_default=True,
        help="How the rows are printed; a table shows the first 200.",
    )(function)


# ── glasnost sql ──


@click.command()
@click.argument("query", metavar="[QUERY]", required=False)
@data_option
@click.option("--tables", is_flag=True, help="List the tables instead.")
@click.option("--columns", "table", metavar="TABLE", help="List the columns of a table instead.")
@output_options
def sql(query: str | None, place: str, tables: bool, table: str | None, kind: str, out: Path | None) -> None:
    """Ask a data set in SQL, as DuckDB has it; "-" reads the QUERY from standard input.

    Every table but `changes` and `components` has the columns `match` and `pool`; most have `move`, so that
    each row leads to a position of a match.

    \b
    Example:
      glasnost sql --tables --data club
      glasnost sql --columns ts_rolls --data club
      glasnost sql "SELECT pool, reason, count(*) AS n FROM matches GROUP BY ALL ORDER BY n DESC" --data club
      glasnost sql "SELECT * FROM ts_rolls WHERE kind = 'coup'" --data club --format csv --out coups.csv
      glasnost query coups --sql --data club | glasnost sql - --data https://games.example
    """
    if [query is not None, tables, table is not None].count(True) != 1:
        raise click.UsageError("write a QUERY, or say --tables or --columns TABLE")
    options = output.Options(kind, out)
    options.check()
    with opened(place) as data:
        text = _read(query) if query is not None else _columns(data, table) if table else _tables(data)
        _print(data.sql(text), options, data, text)


def _tables(data: DataSet) -> str:
    """SQL with a row for each table."""
    rows = dict.fromkeys(data.tables, 0)
    for part in data.manifest.parts:
        rows[part.table] += part.rows
    found = [(table.name, rows[table.name], table.meaning) for table in data.schema.tables]
    return _values(found, '"table", "rows", meaning')


def _columns(data: DataSet, name: str) -> str:
    """SQL with a row for each column of a table.  Raises CannotBeDone: there is no such table."""
    for table in data.schema.tables:
        if table.name == name:
            found = [(one.name, one.type, one.meaning, one.unit) for one in table.columns]
            return _values(found, '"column", type, meaning, unit')
    raise CannotBeDone(f"there is no table {name[:60]!r}; there are: {', '.join(data.tables)}")


def _values(rows: Iterable[tuple[str | int, ...]], names: str) -> str:
    from replay.dataset.queries import literal

    values = ", ".join(f"({', '.join(map(literal, row))})" for row in rows)
    return f"SELECT * FROM (VALUES {values}) AS t({names})"


def _read(query: str) -> str:
    if query != "-":
        return query
    text = sys.stdin.read(MOST_SQL + 1)
    if len(text) > MOST_SQL:
        raise CannotBeDone(f"standard input: more than {MOST_SQL} characters of SQL")
    return text


# ── glasnost query ──


class _Queries(click.Group):
    """A command for each saved query, with the parameters of the query as its options."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all saved queries."""
        from replay.dataset.queries import queries

        return list(queries())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of a saved query."""
        from replay.dataset.queries import queries

        found = queries().get(cmd_name)
        return None if found is None else _command(found)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that `args` begin with; an unknown one is an error that says how to list all."""
        from replay.dataset.queries import queries

        if args[0] not in queries() and not args[0].startswith("-"):
            similar = get_close_matches(args[0][:60], queries(), n=5)
            said = f"; similar: {', '.join(similar)}" if similar else ""
            raise click.UsageError(f"there is no saved query {args[0][:60]!r}{said}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the queries by game, each with the question that it answers."""
        from domain.games import GAMES
        from replay.dataset.queries import queries

        for game, about in GAMES.items():
            with formatter.section(about.texts["en"].name(game)):
                own = [(one.name, one.en) for one in queries().values() if one.game == game]
                formatter.write_dl(own)


@click.command(cls=_Queries)
def query() -> None:
    """Ask one of the saved queries.  Each has the options that `glasnost query NAME --help` shows.

    A rate has its number of cases `n` and its interval of 95 %, `lo` to `hi`; rows with fewer than 30 cases
    are grey.  Pools are never mixed, unless you say --pool '*'.

    \b
    Example:
      glasnost query headlines --data club --min-n 30
      glasnost query headlines --data club --matches --row seat=us --row card=nato
      glasnost query coups --data club --pool bots,seeded --format csv
      glasnost query coups --data club --sql
    """


def _command(asked: Query) -> click.Command:
    """The command of a saved query."""

    def run(
        place: str,
        kind: str,
        out: Path | None,
        matches: bool,
        row: tuple[str, ...],
        sql: bool,
        **words: Any,
    ) -> None:
        options = output.Options(kind, out)
        options.check()
        if row and not matches:
            raise click.UsageError("--row goes with --matches")
        arguments = _arguments(words)
        with _refusals(asked.name):
            statement = asked.behind(arguments | _keys(row)) if matches else asked.statement(arguments)
            excluded, rules = asked.excluded(arguments), asked.rules(arguments)
        if sql:
            click.echo(statement.as_it_stands)
            return
        with opened(place) as data:
            about = _sample(data, excluded, rules) if kind == "json" else {}
            marks = data.query(asked.name, **arguments) if kind in ("json", "table") and not matches else None
            if kind == "json" and marks:
                about |= {"comparisons": marks.comparisons, "marks": msgspec.to_builtins(marks.marks)}
            _print(data.sql(statement.sql, statement.values), options, data, statement.sql, about)
            if kind == "table":
                _say_sample(data, excluded)
                if marks and marks.comparisons:
                    _say_marks(marks)

    columns = ", ".join(asked.columns)
    keys = ", ".join(("in_pool", *asked.keys))
    example = f"glasnost query {asked.name} --data club --pool bots"
    help = f"{asked.en}\n\nColumns: {columns}.\n\n\b\nExample:\n  {example}"
    made: list[click.Parameter] = [_option(name, about) for name, about in asked.parameters.items()]
    command = click.Command(asked.name, params=made, callback=run, help=help, short_help=asked.en)
    for decorate in (
        click.option("--matches", is_flag=True, help="Print the matches and moves behind the rows instead."),
        click.option(
            "--row",
            metavar="KEY=VALUE",
            multiple=True,
            help=f"With --matches: only those behind the row with this key; repeatable. Keys: {keys}.",
        ),
        click.option("--sql", is_flag=True, help="Print the SQL instead."),
        data_option,
        output_options,
    ):
        command = decorate(command)
    return command


def _option(name: str, about: Parameter) -> click.Option:
    """The option of a parameter, whose values the query itself judges."""
    flag = about.kind == "flag"
    metavar = {"whole": "N", "pools": "POOLS", "time": "TIME"}.get(about.kind, "TEXT")
    text = about.en.removeprefix("1: ") if flag else about.en
    default = "" if about.default is None or flag else f"  [default: {about.default}]"
    return click.Option(
        [f"--{name.replace('_', '-')}", name],
        is_flag=flag,
        metavar=None if flag else metavar,
        required=about.required,
        help=f"{text[0].upper()}{text[1:]}.{default}",
    )


def _arguments(words: Mapping[str, Any]) -> dict[str, str]:
    """The parameters that the user names, as text."""
    return {
        name: "1" if value is True else str(value)
        for name, value in words.items()
        if value is not None and value is not False
    }


def _keys(row: tuple[str, ...]) -> dict[str, str]:
    found = dict[str, str]()
    for word in row:
        name, equals, value = word.partition("=")
        if not equals:
            raise click.UsageError(f"--row {word[:60]}: write it as KEY=VALUE")
        found[name] = value
    return found


def _sample(data: DataSet, excluded: Statement, rules: Statement) -> dict[str, object]:
    """On what the rows rest, as JSON has it: see `Sample` of the answers over HTTP."""
    pools = [
        {"pool": pool, "matches": n, "counted": n - sum(out), **dict(zip(_NOT_COUNTED, out, strict=True))}
        for pool, n, *out in data.sql(excluded.sql, excluded.values).fetchall()
    ]
    seen = [version for (version,) in data.sql(rules.sql, rules.values).fetchall()]
    return {"pools": pools, "selection_unknown": excluded.selection_unknown, "rules_seen": seen}


def _say_marks(answer: Answer) -> None:
    """Say on standard error how many rates were compared, and which of them differ from the rest."""
    rows = "; ".join(f"row {one.row + 1} {one.rate} (p = {one.p:.2g})" for one in answer.marks[:_MARKS])
    more = len(answer.marks) - _MARKS
    found = rows + (f"; and {more} more" if more > 0 else "") if rows else "none"
    rates = counted(answer.comparisons, "rate", "rates")
    click.echo(f"{rates} compared; differing from the rest at 5 %, adjusted by Holm: {found}", err=True)


def _say_sample(data: DataSet, excluded: Statement) -> None:
    """Say on standard error what the rows rest on: matches, and how many do not count, and why."""
    pools = data.sql(excluded.sql, excluded.values).fetchall()
    for pool, matches, *counts in pools:
        why = ("void", "without a result", "not proved")
        out = ", ".join(f"{n} {word}" for n, word in zip(counts, why, strict=True) if n)
        click.echo(
            f"pool {pool}: {counted(matches, 'match', 'matches')}{f'; not counted: {out}' if out else ''}",
            err=True,
        )
    if not pools:
        click.echo(f"no match in these pools; {_pools(data)}", err=True)
    if excluded.selection_unknown:
        click.echo("imported or uploaded matches: how they were chosen is not known", err=True)


def _pools(data: DataSet) -> str:
    there = data.sql("SELECT DISTINCT pool FROM matches ORDER BY pool").fetchall()
    return f"pools of this data set: {', '.join(str(pool) for (pool,) in there) or 'none'}"


# ── glasnost find ──


def _search_options(function: F) -> F:
    """The parameters of a search as options."""
    from replay.dataset.search import PARAMETERS

    for name, about in reversed(PARAMETERS.items()):
        option = _option(name, about)
        function = click.option(
            *option.opts,
            name,
            is_flag=option.is_flag,
            metavar=option.metavar,
            help=option.help,
        )(function)
    return function


@click.command()
@click.argument("search", metavar="SEARCH")
@click.option("--game", metavar="GAME", help="The game, if several understand the search.")
@_search_options
@click.option("--sql", "show_sql", is_flag=True, help="Print the SQL instead.")
@data_option
@output_options
def find(
    search: str,
    game: str | None,
    show_sql: bool,
    place: str,
    kind: str,
    out: Path | None,
    **words: str | bool | None,
) -> None:
    """Find positions in a small language, and how often the first seat won the matches that had one.

    \b
    Tests, which `and`, `or`, `not` and brackets join:
      ussr controls iran          us in italy >= 2           us holds china
      defcon = 2                  turn < 4                   vp between -5 and 5
      space us >= 4               hand us > 3                kind = turn_end
      battlegrounds ussr middle_east >= 4
      effect nato                 headline: duck_and_cover   played by ussr: de_stalinization
    Every column of the positions of a game is a test: `glasnost sql --columns ts_positions` lists them
    (`is_positions`, `cvk_positions`, `tm_positions`).

    \b
    Example:
      glasnost find "ussr controls iran and defcon = 2 and turn < 4" --data club --pool bots
      glasnost find "kind = turn_end and turn = 3 and vp <= -10" --first --data club --format csv
      glasnost find "br controls ohio_forks and turn > 2" --data https://games.example
    """
    from domain.kernel import Refused
    from replay.dataset.asking import place_of
    from replay.dataset.wrong_query import marked

    options = output.Options(kind, out)
    options.check()
    with opened(place) as data:
        try:
            hits = data.find(search, game, **_arguments(words))
        except Refused as error:
            at = place_of(error)
            lines = [str(error), *(marked(search, at - 1) if at else ())]
            raise CannotBeDone("\n".join(lines)) from error
        if show_sql:
            click.echo(hits.statement.as_it_stands)
            return
        about = _sample(data, hits.counts, hits.rules) if kind == "json" else {}
        _print(hits.relation, options, data, hits.sql, about)
        if kind == "table":
            _say_summary(data, hits)


def _say_summary(data: DataSet, hits: Hits) -> None:
    """Say on standard error how many matches were found, and how often the first seat won them."""
    from domain.games import GAMES

    seat = GAMES[hits.search.game].seats[0]
    rows = hits.summary.fetchall()
    for pool, matches, positions, n, won, low, high in rows:
        rate = f"; {seat} won {won:.0%} of {n} ({low:.0%} to {high:.0%})" if n else ""
        where = f"{counted(positions, 'position', 'positions')} in {counted(matches, 'match', 'matches')}"
        click.echo(f"pool {pool}: {where}{rate}", err=True)
    if not rows:
        click.echo(f"no such position in the pool {hits.pools}; {_pools(data)}", err=True)


# ── what all three need ──


@contextmanager
def opened(place: str) -> Iterator[DataSet]:
    """Open a data set, and turn what goes wrong with it or with a query into CannotBeDone."""
    if lack := missing(ANALYSIS, "asking a data set"):
        raise CannotBeDone(lack)
    import duckdb

    import replay.dataset as glasnost
    from replay.dataset.wrong_query import of_error

    try:
        yield glasnost.open(place)
    except (glasnost.BadDataSet, glasnost.WrongQuery) as error:
        raise CannotBeDone(str(error)) from error
    except duckdb.Error as error:
        raise CannotBeDone(str(of_error("", error))) from error
    except BrokenPipeError:  # the reader of the output has closed it
        raise
    except OSError as error:
        raise CannotBeDone(f"{error.filename or place}: {error.strerror or error}") from error


@contextmanager
def _refusals(name: str) -> Iterator[None]:
    """Turn a refusal of a saved query into CannotBeDone."""
    from domain.kernel import Refused

    try:
        yield
    except Refused as error:
        raise CannotBeDone(f"query {name}: {error}") from error


def _print(
    relation: duckdb.DuckDBPyRelation,
    options: output.Options,
    data: DataSet,
    text: str,
    about: Mapping[str, object] | None = None,
) -> None:
    head = {"snapshot": data.snapshot, "sql_sha256": hashlib.sha256(text.encode()).hexdigest()}
    count = output.write(relation, options, {**head, **(about or {})})
    if options.out is not None:
        click.echo(f"{options.out}: {counted(count, 'row', 'rows')}")
