"""The parts of a data set: Parquet files that follow from their rows, byte for byte.

A row group ends after `ROWS` rows of the part, wherever the rows came from; so a part that is continued has
the same bytes as one that is written at once.
"""

from __future__ import annotations

import hashlib
import os
from array import array
from collections.abc import Collection, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from replay.dataset.manifest import Part, folder_of, path_of, sync
from replay.tables.schema import Row, Table

if TYPE_CHECKING:
    import pyarrow as pa

ROWS = 32_768  # rows of a row group
_DAY = 86_400_000_000  # microseconds
_CODES = {
    "UTINYINT": "B",
    "TINYINT": "b",
    "SMALLINT": "h",
    "INTEGER": "i",
    "BIGINT": "q",
    "TIMESTAMP": "q",
}  # how the module `array` names the integers that Arrow stores for a type
_PLAIN = ("TIMESTAMP", "BIGINT")  # types whose values rarely repeat: differences are stored


def writer() -> str:
    """Return the name and version of the library that writes the parts: another one writes other bytes."""
    import pyarrow

    return f"pyarrow {pyarrow.__version__}"


@lru_cache(maxsize=128)  # there are fewer tables
def arrow_schema(table: Table) -> pa.Schema:
    """Return the columns of a table as Arrow has them."""
    import pyarrow as pa

    kinds = {
        "VARCHAR": pa.string(),
        "BOOLEAN": pa.bool_(),
        "UTINYINT": pa.uint8(),
        "TINYINT": pa.int8(),
        "SMALLINT": pa.int16(),
        "INTEGER": pa.int32(),
        "BIGINT": pa.int64(),
        "DOUBLE": pa.float64(),
        "TIMESTAMP": pa.timestamp("us"),
        "VARCHAR[]": pa.list_(pa.string()),
    }
    return pa.schema([(column.name, kinds[column.type]) for column in table.columns])


def batch_of(table: Table, rows: Sequence[Row], *, coarse_times: bool = False) -> pa.RecordBatch:
    """Return rows of a table as Arrow keeps them.

    Args:
        coarse_times: cut times to the day, and leave out times in ms.

    Raises:
        ValueError: a row has another number of columns, or a value that its column cannot hold.
    """
    import pyarrow as pa

    columns: list[Sequence[Any]] = list(zip(*rows, strict=True)) if rows else [()] * len(table.columns)
    if len(columns) != len(table.columns):
        raise ValueError(f"{table.name}: a row has {len(columns)} columns, not {len(table.columns)}")
    if coarse_times:
        columns = [
            _coarse(column.type, column.unit, values)
            for column, values in zip(table.columns, columns, strict=True)
        ]
    schema = arrow_schema(table)
    try:
        arrays = [
            _array(values, column.type, kind)
            for values, column, kind in zip(columns, table.columns, schema.types, strict=True)
        ]
    except (pa.ArrowException, OverflowError, TypeError, UnicodeError) as error:
        raise ValueError(f"{table.name}: {error}") from error
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _array(values: Sequence[Any], type: str, kind: pa.DataType) -> pa.Array:
    """The values of a column; whole numbers without a gap take a third of the time of the others."""
    import pyarrow as pa

    if type in _CODES:
        with suppress(TypeError):  # a value is missing
            numbers = pa.py_buffer(array(_CODES[type], values))
            return pa.Array.from_buffers(kind, len(values), [None, numbers])
    return pa.array(values, kind)


def _coarse(type: str, unit: str, values: Sequence[Any]) -> Sequence[Any]:
    if type == "TIMESTAMP":
        return [None if value is None else value - value % _DAY for value in values]
    return [None] * len(values) if unit == "ms" else values


class PartWriter:
    """Writes one part; its file gets its name when it is complete.

    Args:
        root: the folder of the data set.
        pool: None if the table has no pools.
        first, last: the positions that it covers.
        rows: how many rows a row group has.
        is_sorted: the rows come in the order of the table.
    """

    def __init__(
        self,
        root: Path,
        table: Table,
        pool: str | None,
        first: int,
        last: int,
        *,
        rows: int = ROWS,
        is_sorted: bool = False,
    ) -> None:
        self._root, self._table, self._pool = root, table, pool
        self._first, self._last, self._most = first, last, rows
        self._order = () if is_sorted else table.order
        self._folder = folder_of(table.name, table.game)
        complete = root / path_of(self._folder, pool, first, last, "")
        self._unfinished = complete.with_name(f".{complete.stem}part")
        self._waiting: list[pa.RecordBatch] = []
        self._count = 0
        self._writer: Any = None
        self._rows = 0

    def continue_from(self, part: Part) -> None:
        """Begin with the rows of an earlier part of the same slice.

        Raises:
            OSError: it cannot be read.
        """
        from pyarrow.parquet import ParquetFile

        with ParquetFile(self._root / part.path) as file:
            for batch in file.iter_batches(ROWS):
                self.add(batch)

    def add(self, batch: pa.RecordBatch) -> None:
        """Append rows.  Raises OSError: they cannot be written."""
        if batch.num_rows:
            self._waiting.append(batch)
            self._count += batch.num_rows
        if self._count >= self._most and not self._order:
            self._flush(whole=False)

    def complete(self) -> Part:
        """Write the rest and give the file its name; return the part.

        Raises:
            OSError: it cannot be written.
        """
        self._flush(whole=True)
        self._writer.close()
        self._writer = None
        with self._unfinished.open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
            size = os.fstat(file.fileno()).st_size
            os.fsync(file.fileno())
        path = path_of(self._folder, self._pool, self._first, self._last, sha256)
        self._unfinished.replace(self._root / path)
        sync(self._unfinished.parent)
        return Part(path, self._table.name, self._pool, self._first, self._last, self._rows, size, sha256)

    def abandon(self) -> None:
        """Delete what was written."""
        if self._writer is not None:
            with suppress(Exception):
                self._writer.close()
        self._unfinished.unlink(missing_ok=True)

    def _flush(self, *, whole: bool) -> None:
        """Write the full row groups that wait; if `whole`, everything."""
        import pyarrow as pa
        from pyarrow import compute

        waiting = pa.Table.from_batches(self._waiting, arrow_schema(self._table)).combine_chunks()
        if self._order:
            keys = [(name, "ascending") for name in self._order]
            waiting = waiting.take(compute.sort_indices(waiting, sort_keys=keys))
        start = 0
        most = self._most
        while waiting.num_rows - start >= most or (whole and start < waiting.num_rows):
            self._open().write_table(waiting.slice(start, most).combine_chunks(), row_group_size=most)
            start += most
        if whole:
            self._open()
        self._rows += min(start, waiting.num_rows)
        rest = waiting.slice(start)
        self._waiting, self._count = rest.to_batches(), rest.num_rows

    def _open(self) -> Any:
        if self._writer is None:
            from pyarrow.parquet import ParquetWriter

            _make(self._unfinished.parent, self._root)
            plain = [column.name for column in self._table.columns if column.type in _PLAIN]
            self._writer = ParquetWriter(
                self._unfinished,
                arrow_schema(self._table),
                compression="zstd",
                compression_level=9,
                use_dictionary=[column.name for column in self._table.columns if column.name not in plain],
                column_encoding=dict.fromkeys(plain, "DELTA_BINARY_PACKED"),
            )
        return self._writer


def _make(folder: Path, root: Path) -> None:
    """Make a folder below `root`, and the folders above it, durably."""
    if not folder.is_dir():
        if folder != root:
            _make(folder.parent, root)
        folder.mkdir(exist_ok=True)
        sync(folder.parent)


def write_part(root: Path, table: Table, rows: Sequence[Row], *, coarse_times: bool) -> Part | None:
    """Write a table that has no pools as one part; return None if it has no rows.  Raises OSError."""
    if not rows:
        return None
    made = PartWriter(root, table, None, 0, 0)
    try:
        made.add(batch_of(table, rows, coarse_times=coarse_times))
        return made.complete()
    except BaseException:
        made.abandon()
        raise


def matches_of(root: Path, part: Part, column: str, ids: Collection[str]) -> set[str]:
    """Return the matches of the rows in which a column has one of these ids.  Raises OSError."""
    from pyarrow.parquet import ParquetFile

    with ParquetFile(root / part.path) as file:
        return {
            match
            for batch in file.iter_batches(ROWS, columns=["match", column])
            for match, found in zip(*(batch[name].to_pylist() for name in ("match", column)), strict=True)
            if found in ids
        }
