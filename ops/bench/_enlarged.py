"""A data set with many matches of Twilight Struggle, made of the positions of a few: for searches.

Each match is copied under other names; in the copies one cell in 24 of DEFCON and of the control of Iran is
another one.  The parts are as a build makes them: one for each slice, sorted by turn; `compact` merges them
as a build does.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace

import replay.dataset as glasnost
from replay.dataset import compaction
from replay.dataset import manifest as manifests
from replay.dataset.manifest import MANIFEST, SCHEMA, Part, Slice
from replay.dataset.parts import PartWriter, arrow_schema
from replay.tables import registry

GAME, POOL = "twilight_struggle", "live"
_COPIES = {
    "ts_positions": """
        SELECT p.* EXCLUDE (pool) REPLACE (p.match || '-' || c.range AS match,
          CASE WHEN hash(p.match, c.range, p.move) % 24 = 0 THEN hash(c.range, p.move) % 3 ELSE ctl_iran END
            ::UTINYINT AS ctl_iran,
          CASE WHEN hash(p.move, c.range, p.match) % 24 = 0 THEN 2 + hash(c.range) % 4 ELSE defcon END
            ::UTINYINT AS defcon)
        FROM ts_positions p, range({first}, {last}) c ORDER BY turn, match, move""",
    "matches": """
        SELECT p.* EXCLUDE (pool) REPLACE (p.match || '-' || c.range AS match)
        FROM matches p, range({first}, {last}) c WHERE game = 'twilight_struggle'""",
    "seats": """
        SELECT p.* EXCLUDE (pool) REPLACE (p.match || '-' || c.range AS match)
        FROM seats p JOIN matches m USING (match), range({first}, {last}) c
        WHERE m.game = 'twilight_struggle'""",
}


def enlarge(source: Path, target: Path, matches: int, in_slice: int) -> int:
    """Make a data set of at least so many matches in a new folder; return how many there are.

    Args:
        source: a data set with matches of Twilight Struggle.
        in_slice: how many matches a slice holds.
    """
    target.mkdir()
    data = glasnost.open(source)
    ((few,),) = data.sql(f"SELECT count(*) FROM matches WHERE game = '{GAME}'").fetchall()
    step = max(1, in_slice // few)
    parts, slices, count = list[Part](), list[Slice](), 0
    while count < matches:
        copies = range(count // few, count // few + step)
        position = len(slices) + 1  # the log of this store has one position for each slice
        parts += _parts(data, target, position, copies)
        slices.append(Slice(position, position, position, step * few))
        count += step * few
    found = replace(data.manifest, cut=1, to=len(slices), parts=tuple(parts), slices=tuple(slices))
    shutil.copyfile(source / SCHEMA, target / SCHEMA)
    (target / MANIFEST).write_bytes(found.data)
    return count


def compact(folder: Path) -> int:
    """Merge the parts of the complete groups of slices; return how many parts of positions there are now."""
    manifest = manifests.read(folder)
    assert manifest is not None
    tables = {table.name: table for table in registry.tables()}
    for group in compaction.groups(manifest.to, compaction.SLICES):
        if group.last <= manifest.to:
            manifest = compaction.merge(folder, tables, manifest, group)
    (folder / MANIFEST).write_bytes(manifest.data)
    return sum(part.table == "ts_positions" for part in manifest.parts)


def _parts(data: glasnost.DataSet, target: Path, position: int, copies: range) -> Iterator[Part]:
    tables = {table.name: table for table in registry.tables()}
    for name, sql in _COPIES.items():
        data.sql(f"SELECT 1 FROM {name} LIMIT 0")  # the tables are views from now on
        found = data.connection.sql(sql.format(first=copies.start, last=copies.stop)).to_arrow_table()
        fresh = PartWriter(target, tables[name], POOL, position, position)
        for batch in found.cast(arrow_schema(tables[name])).to_batches():
            fresh.add(batch)
        yield fresh.complete()
