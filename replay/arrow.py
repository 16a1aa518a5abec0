"""Rows that DuckDB hands over as Arrow: their values in Python, and what Parquet has no type for.

Arrow itself cannot turn each value into one of Python: a date after the year 9999 or a nanosecond ends in an
error.  DuckDB can, so it reads its own rows again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

Row = tuple[Any, ...]


def rows_of(batch: pa.RecordBatch, scratch: duckdb.DuckDBPyConnection) -> list[Row]:
    """Return the rows as `fetchall` of DuckDB would have returned them.

    Args:
        scratch: a connection over which no other answer is being read.
    """
    import pyarrow as pa

    names = [f"c{at}" for at in range(batch.num_columns)]
    return scratch.from_arrow(pa.Table.from_batches([batch]).rename_columns(names)).fetchall()


def without_type_in_parquet(schema: pa.Schema) -> frozenset[int]:
    """Return the places of the columns whose values Parquet cannot hold: intervals, and unions of types."""
    import pyarrow as pa
    from pyarrow.parquet import write_table

    found = set[int]()
    for at, field in enumerate(schema):
        try:
            write_table(pa.schema([field]).empty_table(), pa.BufferOutputStream())
        except pa.ArrowNotImplementedError:
            found.add(at)
    return frozenset(found)


def schema_in_parquet(schema: pa.Schema, as_text: frozenset[int]) -> pa.Schema:
    """Return the schema with these columns as text."""
    import pyarrow as pa

    for at in as_text:
        schema = schema.set(at, pa.field(schema.field(at).name, pa.string()))
    return schema


def in_parquet(
    batch: pa.RecordBatch,
    rows: Sequence[Row],
    schema: pa.Schema,
    text: Callable[[object], str],
    as_text: frozenset[int],
) -> pa.RecordBatch:
    """Return the batch with these columns as text.

    Args:
        rows: the rows of the batch, see `rows_of`.
        schema: see `schema_in_parquet`.
        text: writes a value that is not missing.
    """
    import pyarrow as pa

    columns = list(batch.columns)
    for at in as_text:
        columns[at] = pa.array([None if row[at] is None else text(row[at]) for row in rows], pa.string())
    return pa.RecordBatch.from_arrays(columns, schema=schema)
