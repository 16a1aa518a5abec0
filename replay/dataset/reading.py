"""Reads a data set: SQL over its tables, and matches as objects.

Everything that is read is frozen, and rows come one after the other.  Only the files that the manifest names
are read, whatever else lies in the folder.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from domain import kernel
from domain.kernel import Chance, Prompt, Seat, Table
from domain.match import Match
from replay import matchfile, positions
from replay.dataset import manifest as manifests
from replay.dataset import remote
from replay.dataset.asking import Answer, Hits, game_of
from replay.dataset.manifest import BadDataSet, Manifest, Part, Schema, TableOf
from replay.dataset.queries import query as saved_query
from replay.dataset.search import parse
from replay.dataset.wrong_query import Parameters, WrongQuery, of_duckdb
from replay.tables import registry

if TYPE_CHECKING:
    import duckdb

_AT_ONCE = 1_000  # rows that are fetched together
_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")  # the ids by which `glasnost export` names files
_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "parquet_metadata_cache": "true",  # a part never changes: its name holds its hash
    "python_enable_replacements": "false",  # else the name of a table may be a variable of this module
}
_NO_TABLE = re.compile(r'Table with name "?(\w+)"? does not exist')
_MISSING = (
    "reading a data set needs the extra `analysis`, which is not installed:"
    " `GLASNOST_EXTRAS=analysis ./ops/run` installs it"
)


class RowOf(Struct, frozen=True):
    """A row of a table; its fields are the columns that `DICTIONARY.md` describes, and `pool`."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...


def open(
    place: str | Path,
    *,
    files: str | Path | None = None,
    snapshot: str | None = None,
    cache: str | Path | None = None,
) -> DataSet:
    """Open the data set in a folder, or the one that a server offers.

    Args:
        place: a folder, or the address of a server.  Of a server only the parts of those tables are fetched
            that are asked for; they are checked against the manifest, and kept.
        files: a folder with match files, as `glasnost export` writes them; only `OneMatch.at` needs it.
        snapshot: the id that the data set must have ("sha256:..."); any other one is refused.
        cache: the folder in which fetched parts are kept; by default one among the user's caches.

    Raises:
        BadDataSet: there is no data set that this program reads, or it is another one than `snapshot`.
        OSError: it cannot be read or fetched.
    """
    found = _opened(place, Path(files) if files else None, Path(cache) if cache else None)
    if snapshot is not None and found.snapshot != snapshot:
        raise BadDataSet(f"{place}: the data set {found.snapshot}, not {snapshot[:80]}")
    return found


def _opened(place: str | Path, files: Path | None, cache: Path | None) -> DataSet:
    if remote.is_address(str(place)):
        server = remote.Server(str(place), cache)
        return DataSet(server.cache, *server.manifest(), files, server.part, str(place))
    path = Path(place)
    manifest = manifests.read(path)
    if manifest is None:
        raise BadDataSet(f"{path}: no data set; `glasnost data build {path}` builds one")
    return DataSet(path, manifest, manifests.read_schema(path, manifest), files)


class DataSet:
    """A data set, as it was when it was opened; `open` makes it."""

    def __init__(
        self,
        folder: Path,
        manifest: Manifest,
        schema: Schema,
        files: Path | None = None,
        part: Callable[[Part], Path] | None = None,
        place: str = "",
    ) -> None:
        self.folder, self.manifest, self.schema, self.files = folder, manifest, schema, files
        self.place = place or str(folder)
        self._tables = {table.name: table for table in schema.tables}
        self._part = part
        self._viewed = set[str]()
        self._kinds: dict[str, Any] = {}  # the classes of rows, by table
        self.models: dict[tuple[str, str, str], Any] = {}  # what `replay.dataset.model` has fitted

    def __repr__(self) -> str:
        return f"<data set {self.place} of {len(self.matches)} matches, {self.snapshot}>"

    @property
    def snapshot(self) -> str:
        """The id of this state of the data set; the same id means the same bytes."""
        return self.manifest.snapshot

    @property
    def matches(self) -> Matches:
        """All matches: `len` counts them, and iterating gives a row for each."""
        return Matches(self)

    @property
    def tables(self) -> Sequence[str]:
        """The names of the tables."""
        return tuple(self._tables)

    @property
    def connection(self) -> duckdb.DuckDBPyConnection:
        """A DuckDB connection of its own in which each table is a view.

        Of a server's data set only the tables that `sql` and `rows` have been asked for are there.

        Raises:
            ImportError: the extra `analysis` is not installed; the text says how to install it.
        """
        for table in () if self._part else self._tables:
            self._make_view(table)
        return self._connection

    @cached_property
    def _connection(self) -> duckdb.DuckDBPyConnection:
        """The same with the views that were needed until now."""
        try:
            import duckdb
        except ImportError as error:
            raise ImportError(_MISSING) from error
        return duckdb.connect(config=_CONFIG)

    def apart(self) -> DataSet:
        """Return the same data set with a connection of its own, for another thread.

        Raises:
            ImportError: see `connection`.
        """
        found = DataSet(self.folder, self.manifest, self.schema, self.files, self._part, self.place)
        vars(found)["_connection"] = self.connection.cursor()
        found._viewed = self._viewed
        return found

    def sql(self, query: str, parameters: Parameters = None) -> duckdb.DuckDBPyRelation:
        """Prepare SQL over the tables; return a DuckDB relation, which runs it (`fetchall`, `pl`, `df`).

        Args:
            parameters: values for `$name` (a mapping) or `?` (a sequence) in the query.

        Raises:
            WrongQuery: the query is wrong, or gives no rows; the text shows the column.
            BadDataSet, OSError: a part cannot be fetched.
            ImportError: see `connection`.
        """
        connection = self._connection
        import duckdb

        while True:
            try:
                found = connection.sql(query, params=parameters)
            except duckdb.Error as error:
                if self._view_named_in(str(error)):
                    continue
                raise (of_duckdb(connection, query, parameters) or error) from error
            if found is None:
                raise WrongQuery(query, "this statement gives no rows; begin with SELECT", 0)
            return found

    def fetch(self, query: str, parameters: Parameters = None) -> list[tuple[Any, ...]]:
        """Run SQL that gives rows, and return them: it is planned once, and a relation of it twice.

        Args:
            parameters: see `sql`.

        Raises:
            WrongQuery, BadDataSet, OSError, ImportError: see `sql`.
        """
        connection = self._connection
        import duckdb

        while True:
            try:
                return connection.execute(query, parameters).fetchall()
            except duckdb.Error as error:
                if not self._view_named_in(str(error)):
                    return self.sql(query, parameters).fetchall()  # which says what is wrong

    def query(self, name: str, **parameters: str | int | bool) -> Answer:
        """Ask a saved query; `glasnost query` lists them.

        Args:
            parameters: those that the query has, such as `pool="live"`, `min_n=30`.

        Raises:
            domain.kernel.Refused: there is no such query, or it has no such parameter or value.
            BadDataSet, OSError, ImportError: see `sql`.
        """
        return Answer(self, saved_query(name), parameters)

    def find(self, search: str, game: str | None = None, **parameters: str | int | bool) -> Hits:
        """Find the positions that a search describes: `d.find("ussr controls iran and defcon = 2")`.

        Args:
            game: the game whose positions are searched; None: the only one that understands the search.
            parameters: `pool`, `first=True`, `limit`, and others of `replay.dataset.search.PARAMETERS`.

        Raises:
            domain.kernel.Refused: invalid; the text names the column where the search goes wrong.
            BadDataSet: the data set is of matches that run, which has no positions; see also `sql`.
            OSError, ImportError: see `sql`.
        """
        self._must_hold("positions")
        return Hits(self, parse(game or game_of(search, self.tables), search), parameters)

    def _view_named_in(self, error: str) -> bool:
        """Make the view of the table that an error misses; return whether there is one.

        Raises:
            BadDataSet: the data set is of matches that run, and has no such table.
        """
        found = _NO_TABLE.search(error)
        table = found[1].lower() if found else ""
        if table not in self._tables and table in {one.name for one in registry.tables()}:
            self._must_hold(f"table {table}")
        if table not in self._tables or table in self._viewed:
            return False
        self._make_view(table)
        return True

    def _must_hold(self, what: str) -> None:
        """Raises BadDataSet: the data set is of matches that run, so it has only the tables of all games."""
        if self.manifest.settings.running:
            raise BadDataSet(f"{self.place}: a data set of matches that run has no {what}")

    def _make_view(self, table: str) -> None:
        """Make a table a view, if it is none yet.

        Raises:
            KeyError: there is no such table.
            BadDataSet: its parts are not what the manifest says.
        """
        described = self._tables[table]
        if table not in self._viewed:
            sql = _view(self._part or self._own_part, self.manifest, described)
            try:
                self._connection.execute(f'CREATE VIEW "{table}" AS {sql}')
            except Exception as error:  # DuckDB's, whose module may be missing here
                raise BadDataSet(f"{self.place}: the table {table} cannot be read: {error}") from error
            self._viewed.add(table)

    def _own_part(self, part: Part) -> Path:
        return self.folder / part.path

    def rows(self, table: str, match: str | None = None) -> Iterator[RowOf]:
        """Iterate over the rows of a table, in any order; or over those of one match, in that of its moves.

        Raises:
            KeyError: there is no such table.
            ImportError: see `connection`.
        """
        described = self._tables[table]
        self._make_view(table)
        where = ""
        if match is not None:
            order = (one.name for one in described.columns if one.name in ("move", "place"))
            where = f" WHERE match = $match ORDER BY {', '.join(('match', *order))}"
        values = {} if match is None else {"match": match}
        cursor = self._connection.cursor()
        kind = self._kind_of(described)
        found = cursor.execute(f'SELECT {_columns(described)} FROM "{table}"{where}', values)
        while some := found.fetchmany(_AT_ONCE):
            yield from (kind(*row) for row in some)

    def match(self, match: str) -> OneMatch:
        """Return one match.

        Raises:
            KeyError: the data set does not have it.
            ImportError: see `connection`.
        """
        for row in self.rows("matches", match):
            return OneMatch(self, row)
        raise KeyError(f"no match {match!r} in {self.folder}")

    def _kind_of(self, table: TableOf) -> Any:
        """The class of the rows of a table."""
        if table.name not in self._kinds:
            fields = [(column.name, Any) for column in table.columns] + [("pool", Any)] * table.pooled
            self._kinds[table.name] = msgspec.defstruct(table.name, fields, bases=(RowOf,), frozen=True)
        return self._kinds[table.name]


class Matches:
    """The matches of a data set."""

    def __init__(self, data: DataSet) -> None:
        self._data = data

    def __len__(self) -> int:
        return self._data.manifest.matches

    def __iter__(self) -> Iterator[RowOf]:
        return self._data.rows("matches")


class Position(Struct, frozen=True):
    """A position of a match, from the table of positions of its game; each column is an attribute.

    seats: the two seats of the game, in its order.
    """

    values: Mapping[str, Any]
    seats: tuple[Seat, Seat]

    def __getattr__(self, name: str) -> Any:
        try:
            return self.values[name]
        except KeyError:
            raise AttributeError(f"a position has no column {name!r}") from None

    @property
    def influence(self) -> dict[Seat, dict[str, int]]:
        """The influence of each side in each country, by side and country."""
        return {
            seat: {country: self.values[f"{seat}_{country}"] for country in self._countries}
            for seat in self.seats
        }

    def controls(self, seat: Seat, country: str) -> bool:
        """Does this side control the country?

        Raises:
            AttributeError: the game has no such country.
        """
        return bool(getattr(self, f"ctl_{country}") == self.seats.index(seat) + 1)

    @property
    def _countries(self) -> list[str]:
        return [name.removeprefix("ctl_") for name in self.values if name.startswith("ctl_")]


class OneMatch:
    """A match of a data set; `row` is its row of `matches`."""

    def __init__(self, data: DataSet, row: RowOf) -> None:
        self.row, self.data = row, data

    @property
    def id(self) -> str:
        """The id of the match."""
        return str(self.row.match)

    def rows(self, table: str) -> Iterator[RowOf]:
        """Iterate over the rows of a table that belong to this match, in the order of its moves.

        Raises:
            KeyError: there is no such table.
        """
        return self.data.rows(table, self.id)

    def positions(self) -> Iterator[Position]:
        """Iterate over the positions of the match, in order.

        Raises:
            BadDataSet: the data set is of matches that run.
            LookupError: the game has no table of positions.
        """
        self.data._must_hold("positions")
        names = [
            table.name
            for table in self.data.schema.tables
            if table.game == self.row.game and table.name.endswith("_positions")
        ]
        if not names:
            raise LookupError(f"{self.row.game} has no table of positions")
        seats = (self.row.seat_a, self.row.seat_b)
        found = [msgspec.structs.asdict(row) for row in self.rows(names[0])]
        return (Position(values, seats) for values in sorted(found, key=lambda values: values["move"]))

    def at(self, move: int) -> Moment:
        """Return the match after a move, from its match file.

        Raises:
            BadDataSet: the folder of match files is not known, or the file is not the one of the data set.
            replay.positions.NoView: there is no such move.
        """
        positions.position(self.replayed, move)
        return Moment(self.replayed, move)

    def view(self, viewer: Seat | None, move: int) -> Table:
        """Return the table after a move as a viewer saw it: a seat, None (a spectator) or "all".

        Raises:
            BadDataSet, replay.positions.NoView: see `at`; there is no such viewer.
        """
        return self.at(move).view(viewer)

    def chances(self) -> Iterator[RowOf]:
        """Iterate over every outcome of every option that had odds, by today's rules, from the match file.

        These are the rows of `ts_chances`, which no data set holds: columns are match, move (that of the
        answer), seat, ask, option, picked, outcome (JSON), ways, of and rules.

        Raises:
            BadDataSet: see `at`.
            LookupError: the game has no such table.
        """
        from replay.tables.twilight_struggle import CHANCES, chances

        if self.row.game != CHANCES.game:
            raise LookupError(f"{self.row.game} has no table of chances")
        fields = [(column.name, Any) for column in CHANCES.columns]
        kind: Any = msgspec.defstruct(CHANCES.name, fields, bases=(RowOf,), frozen=True)
        return (kind(*row) for row in chances(self.replayed))

    @cached_property
    def replayed(self) -> Match:
        """The match itself, folded from its file, which is checked against `file_sha256`.

        Raises:
            BadDataSet: see `at`.
        """
        files = self.data.files
        if files is None:
            raise BadDataSet("no folder of match files is known: name one with `open(folder, files=...)`")
        if not _SAFE.fullmatch(self.id):
            raise BadDataSet(f"the id {self.id[:60]!r} cannot be the name of a file")
        path = files / f"{self.id}.glasnost"
        try:
            data = path.read_bytes()
        except OSError as error:
            raise BadDataSet(
                f"{path}: {error.strerror}; `glasnost export {self.id} --out {files}` writes it"
            ) from error
        if hashlib.sha256(data).hexdigest() != self.row.file_sha256:
            raise BadDataSet(f"{path}: not the match file from which the data set was made")
        return matchfile.read(data).match()


class Moment(Struct, frozen=True):
    """A match after one move."""

    match: Match
    move: int

    def prompt(self, seat: Seat) -> Prompt | None:
        """Return what the seat is asked, with its options by today's rules; None if it is not asked."""
        return kernel.prompt(self.match.table_with_agenda(self.move), seat)

    def chances(self, option: str) -> tuple[Chance, ...]:
        """Return every outcome of an option that is offered now, by today's rules; () if it has no odds.

        Raises:
            LookupError: no seat is offered the option.
        """
        table = self.match.table_with_agenda(self.move)
        for seat in kernel.asked(table):
            question = kernel.prompt(table, seat)
            if question and option in question.options:
                detail = kernel.detailed(table, question).details.get(option)
                return detail.chances if detail else ()
        raise LookupError(f"no seat is offered {option[:60]!r} after move {self.move}")

    def view(self, viewer: Seat | None) -> Table:
        """Return the table as a viewer saw it: a seat, None (a spectator) or "all".

        Raises:
            replay.positions.NoView: there is no such viewer.
        """
        return positions.table_at(self.match, self.move, viewer)


def view(folder: Path, manifest: Manifest, table: TableOf) -> str:
    """Return the SQL of a table of a data set in a folder, over the parts that the manifest names."""
    return _view(lambda part: folder / part.path, manifest, table)


def _view(path_of: Callable[[Part], Path], manifest: Manifest, table: TableOf) -> str:
    pools: dict[str | None, list[str]] = {}
    for part in manifest.parts:
        if part.table == table.name:
            pools.setdefault(part.pool, []).append(_quoted(str(path_of(part).absolute())))
    columns = ", ".join(f'"{column.name}"' for column in table.columns)
    if not pools:
        empty = [f'NULL::{column.type} AS "{column.name}"' for column in table.columns]
        empty += ["NULL::VARCHAR AS pool"] * table.pooled
        return f"SELECT {', '.join(empty)} WHERE false"
    return " UNION ALL ".join(
        f"SELECT {columns}{f', {_quoted(pool)} AS pool' if pool is not None else ''}"
        f" FROM read_parquet([{', '.join(paths)}], hive_partitioning = false)"
        for pool, paths in pools.items()
    )


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _columns(table: TableOf) -> str:
    return ", ".join([f'"{column.name}"' for column in table.columns] + ["pool"] * table.pooled)
