"""A data set with many matches of Twilight Struggle, made of the positions of a few: for searches.

Each match is copied under other names; in the copies one cell in 24 of DEFCON and of the control of Iran is
another one.  The parts are as a build makes them: one for each slice, sorted by turn.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace

import replay.dataset as glasnost
from replay.dataset.manifest import MANIFEST, SCHEMA, Part, Slice, folder_of, path_of

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
    parts, count = list[Part](), 0
    while count < matches:
        copies = range(count // few, count // few + step)
        parts += _parts(data, target, len(parts) + 1, copies)
        count += step * few
    found = replace(data.manifest, parts=tuple(parts), slices=(Slice(1, len(parts), len(parts), count),))
    shutil.copyfile(source / SCHEMA, target / SCHEMA)
    (target / MANIFEST).write_bytes(found.data)
    return count


def _parts(data: glasnost.DataSet, target: Path, first: int, copies: range) -> Iterator[Part]:
    for table, sql in _COPIES.items():
        fresh = target / "fresh.parquet"
        chosen = sql.format(first=copies.start, last=copies.stop)
        data.sql(f"SELECT 1 FROM {table} LIMIT 0")  # the tables are views from now on
        data.connection.execute(
            f"COPY ({chosen}) TO '{fresh}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 32768)"
        )
        ((rows,),) = data.connection.execute(f"SELECT count(*) FROM read_parquet('{fresh}')").fetchall()
        sha256 = hashlib.sha256(fresh.read_bytes()).hexdigest()
        size = fresh.stat().st_size
        folder = folder_of(table, GAME if table.startswith("ts_") else None)
        path = target / path_of(folder, POOL, first, first, sha256)
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh.rename(path)
        yield Part(path.relative_to(target).as_posix(), table, POOL, first, first, rows, size, sha256)
