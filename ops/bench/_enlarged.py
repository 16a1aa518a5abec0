"""A data set with many matches, made of a few: for searches and saved queries.

Each match is copied under other names; in the positions of Twilight Struggle one cell in 24 of DEFCON and of
the control of Iran is another one in the copies.  The parts are as a build makes them: one for each slice, in
the order of the table; `compact` merges them as a build does.
"""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterator
from pathlib import Path

from msgspec.structs import replace

import replay.dataset as glasnost
from replay.dataset import compaction
from replay.dataset import manifest as manifests
from replay.dataset.manifest import MANIFEST, SCHEMA, Part, Slice
from replay.dataset.parts import PartWriter, arrow_schema
from replay.tables import registry

GAME, POOL = "twilight_struggle", "live"
POSITIONS = ("ts_positions", "matches", "seats")
_COPY = """
    SELECT p.* EXCLUDE (pool) REPLACE (p.match || '-' || c.range AS match)
    FROM {table} p JOIN chosen USING (match), range({first}, {last}) c ORDER BY {order}"""
_COPIES = {
    "ts_positions": """
        SELECT p.* EXCLUDE (pool) REPLACE (p.match || '-' || c.range AS match,
          CASE WHEN hash(p.match, c.range, p.move) % 24 = 0 THEN hash(c.range, p.move) % 3 ELSE ctl_iran END
            ::UTINYINT AS ctl_iran,
          CASE WHEN hash(p.move, c.range, p.match) % 24 = 0 THEN 2 + hash(c.range) % 4 ELSE defcon END
            ::UTINYINT AS defcon)
        FROM ts_positions p JOIN chosen USING (match), range({first}, {last}) c ORDER BY {order}""",
    "ratings": """
        SELECT match || '-' || c.range AS match, s.seat, s.player, m.game, m.edition, m.closed_at AS "at",
          1500 + (hash(c.range) % 100)::INTEGER AS "before",
          1500 + (hash(-c.range) % 100)::INTEGER AS "after"
        FROM seats s JOIN matches m USING (match) JOIN chosen USING (match), range({first}, {last}) c
        ORDER BY {order}""",
}


def enlarge(
    source: Path,
    target: Path,
    matches: int,
    in_slice: int,
    games: Collection[str] = (GAME,),
    names: Collection[str] = POSITIONS,
) -> int:
    """Make a data set of at least so many matches in a new folder; return how many there are.

    Args:
        source: a data set with matches of these games, of each as many.
        in_slice: how many matches a slice holds.
        names: the tables that are copied.
    """
    target.mkdir()
    data = glasnost.open(source)
    listed = ", ".join(f"'{game}'" for game in games)
    chosen = data.connection.execute(f"SELECT match FROM matches WHERE game IN ({listed})").fetchall()
    data.connection.execute("CREATE TABLE chosen AS SELECT unnest($1) AS match", [[one for (one,) in chosen]])
    few = len(chosen)
    step = max(1, in_slice // few)
    parts, slices, count = list[Part](), list[Slice](), 0
    while count < matches:
        copies = range(count // few, count // few + step)
        position = len(slices) + 1  # the log of this store has one position for each slice
        parts += _parts(data, target, names, position, copies)
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


def _parts(
    data: glasnost.DataSet, target: Path, names: Collection[str], position: int, copies: range
) -> Iterator[Part]:
    for table in (one for one in registry.tables() if one.name in names):
        key = [column.name for column in table.columns if column.name in ("match", "move")]
        order = ", ".join((*table.order, *key))
        sql = _COPIES.get(table.name, _COPY)
        sql = sql.format(table=table.name, order=order, first=copies.start, last=copies.stop)
        found = data.connection.sql(sql).to_arrow_table()
        if found.num_rows:
            fresh = PartWriter(target, table, POOL, position, position, is_sorted=True)
            for batch in found.cast(arrow_schema(table)).to_batches():
                fresh.add(batch)
            yield fresh.complete()
