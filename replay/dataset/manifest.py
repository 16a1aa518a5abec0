"""What a data set says of itself: `manifest.json`, `schema.json` and `DICTIONARY.md`.

The manifest names every part; a file that it does not name is no part of the data set.  The name of a part
follows from its table, its pool, the positions of the log that it covers and its content, and is checked when
a manifest is read: so no manifest leads to a file outside of the folder.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType

from domain.log import canonical
from replay.tables.registry import UNPOOLED
from replay.tables.schema import Column, Table

FORMAT, VERSION = "glasnost data set", 1
MANIFEST, SCHEMA, DICTIONARY = "manifest.json", "schema.json", "DICTIONARY.md"
MOST_BYTES = 256 * 1024 * 1024  # of a manifest
MOST_SCHEMA = 16 * 1024 * 1024  # bytes of a schema
POOL = re.compile(r"[a-z][a-z0-9_]{0,39}")
_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_MOST_SHOWN = 40  # characters of a value that the dictionary shows


class BadDataSet(ValueError):
    """A folder is no data set that this program reads, or it is damaged; the text says where and why."""


class Settings(Struct, frozen=True):
    """How a data set is made.

    running: it holds the matches that run, as a spectator sees them; else those that are over.
    coarse_times: times are cut to the day, and think times are left out.
    without: tables that are left out; `decisions` can be.
    """

    running: bool = False
    coarse_times: bool = False
    without: tuple[str, ...] = ()


class Part(Struct, frozen=True):
    """A part: the rows of one table and pool (None: of all) whose matches closed at these positions."""

    path: str
    table: str
    pool: str | None
    first: int
    last: int
    rows: int
    bytes: int
    sha256: str


class LeftOut(Struct, frozen=True):
    """A match that is in no table because its log cannot be made into rows, and why."""

    match: str
    why: str


class Slice(Struct, frozen=True):
    """The matches that closed at the positions `first` to `to`; at most to `last`.

    hidden: a hash over the matches that are left out because they were withdrawn; "" if there is none.
    ratings_changed: the position of the last record that changed ratings of matches that were over; left out
    if there is none.
    """

    first: int
    last: int
    to: int
    matches: int = 0
    hidden: str = ""
    left_out: tuple[LeftOut, ...] = ()
    ratings_changed: int | UnsetType = UNSET


class Manifest(Struct, frozen=True, forbid_unknown_fields=True):
    """`manifest.json`.

    log: a hash of the first record, by which a data set is known to belong to a store; "" if there was none.
    to: the position in the log up to which it was built.
    cut: how many positions one slice covers.
    product, writer: the versions of this program and of the library that wrote the parts.
    rules: the rules version of each game, by which the options in `decisions` were computed.
    schema: the SHA-256 of `schema.json`.
    forgotten: a hash over the ids that stand for forgotten players; "" if there is none.
    """

    format: str
    version: int
    log: str
    to: int
    cut: int
    product: str
    writer: str
    rules: dict[str, str]
    schema: str
    settings: Settings
    forgotten: str = ""
    slices: tuple[Slice, ...] = ()
    parts: tuple[Part, ...] = ()

    @property
    def matches(self) -> int:
        """How many matches the data set holds."""
        return sum(one.matches for one in self.slices)

    @property
    def data(self) -> bytes:
        """The canonical bytes: what `manifest.json` holds."""
        return canonical(self) + b"\n"

    @property
    def snapshot(self) -> str:
        """The id of this state of the data set: "sha256:" and the SHA-256 of the canonical bytes."""
        return f"sha256:{hashlib.sha256(self.data).hexdigest()}"


def folder_of(table: str, game: str | None) -> str:
    """Return the folder of a table in a data set: `ts_rolls` is in `twilight_struggle/rolls`."""
    return f"core/{table}" if game is None else f"{game}/{table.partition('_')[2]}"


def path_of(folder: str, pool: str | None, first: int, last: int, sha256: str) -> str:
    """Return the path of a part, from the folder of its table (see `folder_of`)."""
    name = folder.rpartition("/")[2]
    within = folder if pool is None else f"{folder}/pool={pool}"
    return f"{within}/{name}-{first:010}-{last:010}-{sha256[:12]}.parquet"


def in_order(parts: Iterable[Part]) -> tuple[Part, ...]:
    """Return parts in the order in which a manifest names them."""
    return tuple(sorted(parts, key=lambda part: (part.path.rpartition("/")[0], part.first, part.path)))


# ── reading and writing ──


def read(folder: Path, name: str = MANIFEST) -> Manifest | None:
    """Read and check the manifest of a data set; None if there is none.

    Raises:
        BadDataSet: it is no manifest that this program reads, or a part's path does not follow from it.
        OSError: it cannot be read.
    """
    path = folder / name
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        return None
    return parsed(data, str(path))


def parsed(data: bytes, where: str) -> Manifest:
    """Check the bytes of a manifest; `where` names it in an error.  Raises BadDataSet: see `read`."""
    if len(data) > MOST_BYTES:
        raise BadDataSet(f"{where}: longer than the {MOST_BYTES >> 20} MiB that a manifest may have")
    try:
        head = msgspec.json.decode(data, type=_Head)
        if head.format != FORMAT:
            raise BadDataSet(f"{where}: not the manifest of a data set")
        if head.version != VERSION:
            raise BadDataSet(
                f"{where}: of format version {head.version}; this program reads version {VERSION}, so"
                " build into another folder, or use the version of the program that wrote it"
            )
        manifest = msgspec.json.decode(data, type=Manifest)
    except (msgspec.DecodeError, RecursionError) as error:
        raise BadDataSet(f"{where}: not the manifest of a data set: {error}") from error
    for part in manifest.parts:
        _check(part, where)
    return manifest


class _Head(Struct):
    format: str
    version: int


def _check(part: Part, where: str) -> None:
    """Check that the path of a part follows from what else is said of it."""
    folders = (f"core/{part.table}", *_folders(part.table))
    fits = (
        _NAME.fullmatch(part.table)
        and _SHA256.fullmatch(part.sha256)
        and (part.pool is None or POOL.fullmatch(part.pool))
        and min(part.first, part.last, part.rows, part.bytes) >= 0
        and any(
            part.path == path_of(folder, part.pool, part.first, part.last, part.sha256) for folder in folders
        )
    )
    if not fits:
        raise BadDataSet(f"{where}: the part {part.path[:120]!r} has a name that no part of a data set has")


def _folders(table: str) -> list[str]:
    """The folders of a table of any game."""
    from domain.games import GAMES

    return [folder_of(table, game) for game in GAMES]


def write(folder: Path, name: str, data: bytes) -> None:
    """Write a file durably, as a whole or not at all.

    Raises:
        OSError: it cannot be written; what was there before is unchanged.
    """
    fresh = folder / f"{name}.part"
    try:
        with fresh.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(folder / name)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
    sync(folder)


def sync(folder: Path) -> None:
    """Make the names in a folder durable."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


# ── the schema and the dictionary ──


class TableOf(Struct, frozen=True):
    """A table as `schema.json` describes it.

    pooled: its parts lie in a folder for each pool, `pool=<pool>`, and SQL shows that as a column `pool`.
    """

    name: str
    game: str | None
    folder: str
    meaning: str
    pooled: bool
    order: tuple[str, ...]
    columns: tuple[Column, ...]


class Schema(Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """`schema.json`: every table with its columns, their types as DuckDB names them, and what they mean."""

    format: str
    version: int
    tables: tuple[TableOf, ...]

    @cached_property
    def data(self) -> bytes:
        """The canonical bytes: what `schema.json` holds."""
        return canonical(self) + b"\n"


def schema_of(tables: Iterable[Table]) -> Schema:
    """Return the schema of these tables."""
    return Schema(
        FORMAT,
        VERSION,
        tuple(
            TableOf(
                table.name,
                table.game,
                folder_of(table.name, table.game),
                table.meaning,
                table.name not in UNPOOLED,
                table.order,
                table.columns,
            )
            for table in tables
        ),
    )


def read_schema(folder: Path, manifest: Manifest) -> Schema:
    """Read the schema of a data set, and check it against the manifest.

    Raises:
        BadDataSet: it is missing, or another one than the manifest names.
        OSError: it cannot be read.
    """
    path = folder / SCHEMA
    try:
        with path.open("rb") as file:
            data = file.read(MOST_SCHEMA + 1)
    except FileNotFoundError as error:
        raise BadDataSet(f"{path}: missing; `glasnost data build` writes it again") from error
    return parsed_schema(data, manifest, str(path))


def parsed_schema(data: bytes, manifest: Manifest, where: str) -> Schema:
    """Check the bytes of a schema; `where` names it in an error.

    The names in it become SQL, so only names that tables and columns have are let through.

    Raises:
        BadDataSet: it is another one than the manifest names, or none.
    """
    if hashlib.sha256(data).hexdigest() != manifest.schema:
        raise BadDataSet(f"{where}: not the schema that {MANIFEST} names; `glasnost data build` mends it")
    try:
        schema = msgspec.json.decode(data, type=Schema)
    except (msgspec.DecodeError, RecursionError) as error:
        raise BadDataSet(f"{where}: not a schema: {error}") from error
    for table in schema.tables:
        names = [table.name, *(column.name for column in table.columns)]
        wrong = [name for name in names if not _NAME.fullmatch(name)]
        if wrong:
            raise BadDataSet(f"{where}: {wrong[0][:80]!r} is no name that a table or column has")
    return schema


class Seen(Struct, frozen=True):
    """What was seen in a column: the least and the greatest value, how many nulls, and an example."""

    least: Any = None
    greatest: Any = None
    nulls: int = 0
    example: Any = None


def dictionary(schema: Schema, rows: Mapping[str, int], seen: Mapping[tuple[str, str], Seen]) -> str:
    """Return `DICTIONARY.md`: every table and column, what it means, and what was seen in it.

    Args:
        rows: the number of rows of each table.
        seen: by table and column; a column that is missing is described without values.
    """
    lines = ["# Data dictionary", "", *_INTRODUCTION]
    for table in schema.tables:
        game = f", a table of `{table.game}`" if table.game else ""
        lines += ["", f"## `{table.name}`{game}", "", f"{table.meaning} {rows.get(table.name, 0)} rows"]
        lines[-1] += f" in `{table.folder}`." + (
            f" Sorted by {', '.join(table.order)}." if table.order else ""
        )
        lines += [
            "",
            "| column | type | meaning | unit | range seen | nulls | example |",
            "|---|---|---|---|---|---|---|",
        ]
        for column in table.columns:
            values = seen.get((table.name, column.name))
            lines.append(_without_values(column) if values is None else _line(column, values))
    return "\n".join(lines) + "\n"


_INTRODUCTION = (
    "Every table but `changes` and `components` lies in a folder for each pool, `pool=<pool>`; SQL shows it",
    "as a column `pool`. A pool says which matches may be counted together: `live`, between different people",
    "on this server; `bots`, with a bot in a seat; `solo`, of one player in both seats; else the origin of",
    "the match. Times are UTC. A player is a random id. A match that came as a file may name people instead:",
    "then the rows have an alias that is used in that match alone. No name is in a data set, unless somebody",
    "wrote one into the reason of a ruling. A player who was forgotten has another id in all rows, but the",
    "match file that `file_sha256` belongs to keeps the id that its proof needs, and the names that came",
    "with it. Imported matches have `unverified` true; what was hidden in them is null, `?` or missing.",
)


@lru_cache(maxsize=8_192)  # a build describes all columns without values each time
def _without_values(column: Column) -> str:
    return _line(column, Seen())


def _line(column: Column, values: Seen) -> str:
    cells = [f"`{column.name}`", column.type, column.meaning, column.unit, *_shown(values)]
    return f"| {' | '.join(map(_cell, cells))} |"


def _shown(values: Seen) -> list[str]:
    if values.example is None:
        return ["", str(values.nulls or ""), ""]
    span = "" if values.least is None else f"{_short(values.least)} to {_short(values.greatest)}"
    return [span, str(values.nulls), _short(values.example)]


def _short(value: Any) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return text if len(text) <= _MOST_SHOWN else f"{text[: _MOST_SHOWN - 3]}..."


@lru_cache(maxsize=8_192)  # most cells are the same in the dictionary of each data set
def _cell(text: str) -> str:
    """Text that stays within a cell of a Markdown table, and is no markup."""
    from replay.sanitize import one_line

    return re.sub(r"([\\|<>\[\]*_~])", r"\\\1", one_line(text)) if not text.startswith("`") else text


def names(schema: Schema) -> Sequence[str]:
    """Return the names of all tables."""
    return [table.name for table in schema.tables]
