"""Rows of SQL as the commands of an analyst print them: a table, CSV, NDJSON, JSON or Parquet.

Rows are read some at a time, so all formats but the table take any number of them.
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TextIO

import click
from msgspec import Struct

from api.cli.common import CannotBeDone
from replay.arrow import in_parquet, rows_of, schema_in_parquet, without_type_in_parquet

if TYPE_CHECKING:
    import duckdb
    from rich.text import Text

KINDS = ("table", "csv", "ndjson", "json", "parquet")
MOST_SHOWN = 200  # rows of a table
FEW = 30  # cases; a row that rests on fewer is shown in grey
_WIDE = 24  # columns; rows with more are shown one below the other
_AT_ONCE = 2_000  # rows


class Options(Struct, frozen=True):
    """How the rows are printed: the format, and the file (None: standard output)."""

    kind: str = "table"
    out: Path | None = None

    def check(self) -> None:
        """Refuse what cannot be done before anything is asked.  Raises CannotBeDone."""
        if self.kind == "parquet" and self.out is None:
            raise CannotBeDone("--format parquet: name the file with --out FILE")


def write(relation: duckdb.DuckDBPyRelation, options: Options, about: Mapping[str, object]) -> int:
    """Run a query and print its rows; return how many there were.

    Args:
        about: what JSON says beside the columns and rows.

    Raises:
        CannotBeDone: the file cannot be written.
        duckdb.Error: the query fails while it runs.
    """
    if options.kind == "parquet":
        return _parquet(relation, options.out or Path())
    with _opened(options.out) as file:
        if options.kind == "csv":
            return _csv(relation, file)
        if options.kind == "ndjson":
            return _ndjson(relation, file)
        if options.kind == "json":
            return _json(relation, file, about)
        return _table(relation, file)


@contextmanager
def _opened(out: Path | None) -> Iterator[TextIO]:
    """Standard output, or a file that gets its name when everything is in it."""
    if out is None:
        yield sys.stdout
        return
    with _renamed(out) as fresh, fresh.open("w", encoding="utf-8", newline="") as file:
        yield file


@contextmanager
def _renamed(out: Path) -> Iterator[Path]:
    """A file beside `out` that takes its name in the end.  Raises CannotBeDone: it cannot be written."""
    fresh = out.with_name(f".{out.name}.part")
    try:
        yield fresh
        fresh.replace(out)
    except OSError as error:
        raise CannotBeDone(f"{out}: cannot be written: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)


def _rows(relation: duckdb.DuckDBPyRelation) -> Iterator[tuple[object, ...]]:
    import duckdb

    with duckdb.connect() as scratch:
        for batch in relation.to_arrow_reader(_AT_ONCE):
            yield from rows_of(batch, scratch)


def _parquet(relation: duckdb.DuckDBPyRelation, out: Path) -> int:
    import duckdb
    from pyarrow.parquet import ParquetWriter

    count = 0
    reader = relation.to_arrow_reader(_AT_ONCE)
    as_text = without_type_in_parquet(reader.schema)
    schema = schema_in_parquet(reader.schema, as_text)
    with (
        duckdb.connect() as scratch,
        _renamed(out) as fresh,
        ParquetWriter(fresh, schema, compression="zstd") as writer,
    ):
        for batch in reader:
            rows = rows_of(batch, scratch) if as_text else []
            writer.write_batch(in_parquet(batch, rows, schema, lambda value: str(_cell(value)), as_text))
            count += batch.num_rows
    return count


def _csv(relation: duckdb.DuckDBPyRelation, file: IO[str]) -> int:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(relation.columns)
    count = 0
    for row in _rows(relation):
        writer.writerow([_cell(value) for value in row])
        count += 1
    return count


def _cell(value: object) -> object:
    """A value in CSV: a list as JSON, a missing value as nothing."""
    found = plain(value)
    if isinstance(found, bool | list | dict):
        return json.dumps(found, ensure_ascii=False)
    return found


def _ndjson(relation: duckdb.DuckDBPyRelation, file: IO[str]) -> int:
    count = 0
    for row in _rows(relation):
        file.write(_encoded(dict(zip(relation.columns, map(plain, row), strict=True))) + "\n")
        count += 1
    return count


def _json(relation: duckdb.DuckDBPyRelation, file: IO[str], about: Mapping[str, object]) -> int:
    columns = [
        {"name": name, "type": str(kind)} for name, kind in zip(relation.columns, relation.types, strict=True)
    ]
    head = _encoded({**about, "columns": columns})
    file.write(f'{head[:-1]},"rows":[')
    count = 0
    for row in _rows(relation):
        file.write("," * bool(count) + _encoded([plain(value) for value in row]))
        count += 1
    file.write("]}\n")
    return count


def _encoded(value: object) -> str:
    import msgspec

    return msgspec.json.encode(value, enc_hook=str).decode()


def plain(value: object) -> object:
    """Return a value of DuckDB as JSON has it: sums are numbers, times are text."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, timedelta):
        return str(value)
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, dict):
        return {str(name): plain(one) for name, one in value.items()}
    return value


# ── the table ──


def _table(relation: duckdb.DuckDBPyRelation, file: IO[str]) -> int:
    """Show the first rows; say on standard error how many more there are."""
    rows = relation.limit(MOST_SHOWN + 1).fetchall()
    names = relation.columns
    if len(names) > _WIDE:
        _records(names, rows[:MOST_SHOWN], file)
    else:
        _grid(names, rows[:MOST_SHOWN], file)
    if len(rows) > MOST_SHOWN:
        click.echo(
            f"the first {MOST_SHOWN} rows; --format csv, ndjson, json or parquet gives all of them", err=True
        )
    return min(len(rows), MOST_SHOWN)


def _records(names: Sequence[str], rows: Sequence[tuple[object, ...]], file: IO[str]) -> None:
    from replay.sanitize import one_line

    width = max(map(len, names))
    for number, row in enumerate(rows, 1):
        file.write(f"row {number}\n")
        for name, value in zip(names, row, strict=True):
            file.write(f"  {one_line(name):<{width}}  {_shown(value)}\n")


def _grid(names: Sequence[str], rows: Sequence[tuple[object, ...]], file: IO[str]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    console = Console(file=file, highlight=False)
    if not console.is_terminal:
        console = Console(file=file, highlight=False, width=4_000)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for at, name in enumerate(names):
        numbers = all(isinstance(row[at], int | float | Decimal | None) for row in rows)
        table.add_column(_text(name), justify="right" if numbers else "left", overflow="fold")
    few = names.index("n") if "n" in names else None
    for row in rows:
        count = None if few is None else plain(row[few])
        is_thin = isinstance(count, int) and count < FEW
        table.add_row(*(_text(_shown(value)) for value in row), style="dim" if is_thin else None)
    with console.capture() as captured:
        console.print(table)
    lines = [line.rstrip() for line in captured.get().split("\n")]
    file.write("\n".join(lines).strip("\n") + "\n")


def _text(text: str) -> Text:
    """Text that is no markup and moves no cursor."""
    from rich.text import Text

    from replay.sanitize import one_line

    return Text(one_line(text))


def _shown(value: Any) -> str:
    from replay.sanitize import one_line

    found = plain(value)
    if found is None:
        return ""
    if isinstance(found, float):
        return f"{found:.3f}" if abs(found) < 1_000 else f"{found:,.1f}"
    if isinstance(found, list):
        return one_line(", ".join(map(_shown, found)))
    return one_line(_encoded(found) if isinstance(found, dict | bool) else str(found))
