"""Ratings that changed after their match was over: a tournament ruled otherwise on it or on an earlier one.

They are in the parts of `seats` and `ratings` alone.  So these parts are written again from their own rows,
and no match is read again.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import UNSET
from msgspec.structs import replace

from domain.match_base import LIVE
from replay.dataset.compaction import ROWS as MERGED_ROWS
from replay.dataset.compaction import written
from replay.dataset.manifest import Manifest, Part, in_order
from replay.dataset.parts import ROWS, PartWriter
from replay.tables.schema import Table

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

_COLUMNS = {"seats": ("rating_before", "rating_after"), "ratings": ("before", "after")}

Ratings = Mapping[str, Mapping[str, tuple[int, int]]]
"""By match and by the player's id in the rows: the rating before the match, and after it."""


def outdated(manifest: Manifest, changed: Mapping[int, int]) -> set[int]:
    """Return the slices, by their first positions, that hold a rating which has changed since.

    Args:
        changed: the position of the last record that changed a rating of each slice.
    """
    return {one.first for one in manifest.slices if one.ratings_changed != changed.get(one.first, UNSET)}


def parts_of(manifest: Manifest, slices: Collection[int]) -> list[Part]:
    """Return the parts that hold the ratings of these slices."""
    return [
        part
        for part in manifest.parts
        if part.table in _COLUMNS
        and part.pool == LIVE
        and any(part.first <= one <= part.last for one in slices)
    ]


def rewritten(root: Path, table: Table, part: Part, cut: int, ratings: Ratings) -> Part:
    """Write a part again with other ratings; return the new one.

    Args:
        cut: how many positions one slice covers.

    Raises:
        OSError: a part cannot be read or written; the old one is unchanged.
    """
    rows = ROWS if part.last - part.first < cut else MERGED_ROWS
    fresh = PartWriter(root, table, part.pool, part.first, part.last, rows=rows, is_sorted=True)
    made = written(fresh, _batches(root / part.path, _COLUMNS[part.table], ratings))
    with suppress(OSError):  # those who read the state before may do so for some time from now on
        os.utime(root / part.path)
    return made


def _batches(path: Path, columns: tuple[str, str], ratings: Ratings) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

    with ParquetFile(path) as file:
        for batch in file.iter_batches(ROWS):
            values = [batch[name].to_pylist() for name in columns]
            keys = zip(batch["match"].to_pylist(), batch["player"].to_pylist(), strict=True)
            for row, (match, player) in enumerate(keys):
                if player in (known := ratings.get(match, {})):
                    values[0][row], values[1][row] = known[player]
            arrays = dict(zip(batch.schema.names, batch.columns, strict=True))
            for name, column in zip(columns, values, strict=True):
                arrays[name] = pa.array(column, batch.schema.field(name).type)
            yield pa.RecordBatch.from_arrays(list(arrays.values()), schema=batch.schema)


def with_ratings(
    manifest: Manifest, fresh: Mapping[str, Part], changed: Mapping[int, int], slices: Collection[int]
) -> Manifest:
    """Return the manifest with parts that were written again.

    Args:
        fresh: the new parts by the paths of those that they replace.
        slices: those whose ratings are now as `changed` says (see `outdated`).
    """
    return replace(
        manifest,
        parts=in_order(fresh.get(part.path, part) for part in manifest.parts),
        slices=tuple(
            replace(one, ratings_changed=changed.get(one.first, UNSET)) if one.first in slices else one
            for one in manifest.slices
        ),
    )
