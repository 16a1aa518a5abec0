"""Compaction: the parts of several slices become one part, which is faster to read.

The slices of the log are taken in groups of `SLICES`.  When all slices of a group are complete, the parts of
each table and pool become one part over the positions of the group; so which parts there are follows from the
store alone, and not from when it was built.  If a slice changes later, its group is split into the parts of
its slices again, which have the same bytes as before; the slice is built anew, and the group merged again.

No step removes a part that the manifest still names: the parts of the next state are written first.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from replay.dataset.manifest import Manifest, Part, in_order
from replay.dataset.parts import PartWriter
from replay.tables.schema import Table

if TYPE_CHECKING:
    import pyarrow as pa

SLICES = 16  # of a group; over 100,000 matches 334 parts of a table become 34
ROWS = 122_880  # of a row group of a merged part: DuckDB reads them as a whole, each in a thread
_STEP = 8_192  # rows of all parts together that are put into order at once


class Group(Struct, frozen=True):
    """The positions of the log that the slices of one group cover."""

    first: int
    last: int

    def holds(self, part: Part) -> bool:
        """Does the part belong to a slice of this group, or to the whole group?"""
        return part.pool is not None and self.first <= part.first and part.last <= self.last

    def is_merged(self, part: Part) -> bool:
        """Is the part one of the whole group?"""
        return part.pool is not None and (part.first, part.last) == (self.first, self.last)


def groups(upto: int, length: int) -> Iterator[Group]:
    """Iterate over the groups that hold the positions 1 to `upto`, each of `length` positions."""
    return (Group(first, first + length - 1) for first in range(1, upto + 1, length))


def merge(root: Path, tables: Mapping[str, Table], manifest: Manifest, group: Group) -> Manifest:
    """Merge the parts of the slices of a group; return the manifest that names the merged ones.

    Args:
        tables: the tables by their names.

    Raises:
        OSError: a part cannot be read or written; what the manifest names is unchanged.
    """

    def made(table: Table, pool: str | None, parts: Sequence[Part]) -> Iterator[Part]:
        fresh = PartWriter(root, table, pool, group.first, group.last, rows=ROWS, is_sorted=True)
        yield written(fresh, _merged(root, table, parts))

    return _replaced(root, tables, manifest, group, made)


def split(
    root: Path,
    tables: Mapping[str, Table],
    manifest: Manifest,
    group: Group,
    slices: Mapping[tuple[int, int], frozenset[str]],
) -> Manifest:
    """Split the merged parts of a group into parts of its slices; return the manifest that names these.

    Args:
        slices: the matches of each slice of the group, by its first and last position.

    Raises:
        OSError: see `merge`.
    """

    def made(table: Table, pool: str | None, parts: Sequence[Part]) -> Iterator[Part]:
        for (first, last), matches in slices.items():
            batches = _of_matches(root, parts, matches)
            if (batch := next(batches, None)) is not None:
                fresh = PartWriter(root, table, pool, first, last, is_sorted=True)
                fresh.add(batch)
                yield written(fresh, batches)

    return _replaced(root, tables, manifest, group, made)


Made = Callable[[Table, str | None, Sequence[Part]], Iterator[Part]]


def _replaced(
    root: Path, tables: Mapping[str, Table], manifest: Manifest, group: Group, made: Made
) -> Manifest:
    """The manifest with what is made of the parts of each table and pool of a group, instead of them."""
    old = [part for part in manifest.parts if group.holds(part)]
    found: dict[tuple[str, str | None], list[Part]] = {}
    for part in old:
        found.setdefault((part.table, part.pool), []).append(part)
    new = [part for (table, pool), parts in found.items() for part in made(tables[table], pool, parts)]
    for part in old:
        with suppress(OSError):  # those who read the state before may do so for some time from now on
            os.utime(root / part.path)
    rest = [part for part in manifest.parts if not group.holds(part)]
    return replace(manifest, parts=in_order((*rest, *new)))


def written(fresh: PartWriter, batches: Iterable[pa.RecordBatch]) -> Part:
    """Write these rows as a part; return it.  Raises OSError: they cannot be read or written."""
    try:
        for batch in batches:
            fresh.add(batch)
        return fresh.complete()
    except BaseException:
        fresh.abandon()
        raise


# ── merging ──


def _merged(root: Path, table: Table, parts: Sequence[Part]) -> Iterator[pa.RecordBatch]:
    """The rows of parts, in the order of their table; equal ones in the order of the parts."""
    from pyarrow.parquet import ParquetFile

    with ExitStack() as stack:
        files = [stack.enter_context(ParquetFile(root / part.path)) for part in parts]
        if table.order:
            yield from _sorted(table.order, files)
        else:
            for file in files:
                yield from file.iter_batches(_STEP)


def _sorted(order: Sequence[str], files: Sequence[pa.parquet.ParquetFile]) -> Iterator[pa.RecordBatch]:
    """The rows of files that are sorted, in one order, without holding them all.

    Only the columns of the order are read of all files together; they say how many of the next rows come from
    which file.
    """
    import pyarrow as pa
    from pyarrow import compute

    keys = [(name, "ascending") for name in order]
    whole = pa.concat_tables(file.read(columns=list(order)) for file in files)
    of_file = pa.chunked_array(
        [pa.repeat(pa.scalar(at, pa.int32()), file.metadata.num_rows) for at, file in enumerate(files)]
    )
    owners = of_file.take(compute.sort_indices(whole, sort_keys=keys))
    readers = [_Rows(file.iter_batches(_STEP)) for file in files]
    for start in range(0, len(owners), _STEP):
        counts = compute.value_counts(owners.slice(start, _STEP).combine_chunks()).to_pylist()
        counts.sort(key=lambda found: found["values"])
        some = pa.concat_tables(readers[one["values"]].take(one["counts"]) for one in counts)
        yield from some.take(compute.sort_indices(some, sort_keys=keys)).combine_chunks().to_batches()


class _Rows:
    """The rows of a file, of which the next ones can be taken."""

    def __init__(self, batches: Iterator[pa.RecordBatch]) -> None:
        self._batches = batches
        self._waiting: list[pa.RecordBatch] = []

    def take(self, count: int) -> pa.Table:
        """Return the next rows; the file has so many."""
        import pyarrow as pa

        found = list[pa.RecordBatch]()
        while count:
            batch = self._waiting.pop() if self._waiting else next(self._batches)
            found.append(batch.slice(0, count))
            if batch.num_rows > count:
                self._waiting.append(batch.slice(count))
            count -= found[-1].num_rows
        return pa.Table.from_batches(found)


def _of_matches(root: Path, parts: Iterable[Part], matches: frozenset[str]) -> Iterator[pa.RecordBatch]:
    """The rows of these matches, in their order."""
    import pyarrow as pa
    from pyarrow import compute
    from pyarrow.parquet import ParquetFile

    names = pa.array(sorted(matches), pa.string())
    for part in parts:
        with ParquetFile(root / part.path) as file:
            for batch in file.iter_batches(_STEP):
                chosen = batch.filter(compute.is_in(batch["match"], value_set=names))
                if chosen.num_rows:
                    yield chosen
