"""The read models catching up with a log in SQLite, in moves/s of the processor: 300,000 is the aim.

Each projection alone, then all of them, which share the reading.  The floor is the quickest projector there
can be: bare sqlite3 that reads the same rows, counts the moves of each match, and writes the counts with each
batch of as many records.
"""

from __future__ import annotations

import gc
import sqlite3
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

from _bench import QUICK, rate, say
from _filled import fill

from api.store import schema
from api.store.store import SqliteStore
from projections.model import Projection
from projections.runner import BATCH, PROJECTIONS, Runner

MOVES = 100 if QUICK else 100_000
ROUNDS = 1 if QUICK else 3  # the shortest of so many counts


def main() -> None:
    """One line for each projection, and one for all of them together."""
    with (
        tempfile.TemporaryDirectory() as scratch,
        closing(SqliteStore.open(Path(scratch) / "store")) as store,
    ):
        moves = fill(store, MOVES, seeds=1 if QUICK else 6)
        gc.collect()
        gc.freeze()
        floor = _shortest(partial(bare, store.folder / schema.FILE, Path(scratch) / "bare.db"))
        for some in [*((one,) for one in PROJECTIONS), PROJECTIONS]:
            ours = _shortest(partial(_caught_up, store, some))
            what = some[0].name if len(some) == 1 else "all of them"
            say(
                f"read models catching up, {what}",
                f"{rate(moves / ours)} moves/s (aim: 300,000), {ours / moves * 1e6:.1f} µs/move,"
                f" of {rate(moves)} moves; floor: bare sqlite3 {rate(moves / floor)} moves/s;"
                f" ratio {ours / floor:.1f}",
            )


def _shortest(task: Callable[[], object]) -> float:
    times = []
    for _ in range(ROUNDS):
        began = time.process_time()
        task()
        times.append(time.process_time() - began)
    return min(times)


def _caught_up(store: SqliteStore, projections: Sequence[Projection]) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        runner = Runner(store, Path(scratch) / "readmodels.db", projections=projections)
        runner.catch_up()
        runner.stop()


def bare(log: Path, file: Path) -> None:
    """The floor."""
    file.unlink(missing_ok=True)
    with (
        closing(sqlite3.connect(log)) as rows,
        closing(sqlite3.connect(file, isolation_level=None)) as counts,
    ):
        counts.execute("PRAGMA journal_mode = WAL")
        counts.execute("PRAGMA synchronous = NORMAL")
        counts.execute("CREATE TABLE counts (match TEXT PRIMARY KEY, moves INTEGER)")
        counts.execute("CREATE TABLE place (position INTEGER)")
        position = 0
        query = "SELECT id, originator_id, state FROM stored_events WHERE id > ? ORDER BY id LIMIT ?"
        while found := rows.execute(query, (position, BATCH)).fetchall():
            position = found[-1][0]
            some = Counter(match for _, match, _ in found)
            counts.execute("BEGIN")
            add = "INSERT INTO counts VALUES (?, ?) ON CONFLICT DO UPDATE SET moves = moves + excluded.moves"
            counts.executemany(add, some.items())
            counts.execute("UPDATE place SET position = ?", (position,))
            counts.execute("COMMIT")


if __name__ == "__main__":
    main()
