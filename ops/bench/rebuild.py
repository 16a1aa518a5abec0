"""All read models built anew while the same worker serves: the times of moves meanwhile, and afterwards.

The worker starts on a store of many moves (1,000,000, or as many as are named) without read models, so it
builds them from nothing while clients play.  The floor is the same clients on the same worker afterwards.
"""

from __future__ import annotations

import sqlite3
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from _bench import QUICK, percentiles, rate, ratios, say
from _filled import fill
from _load import GAME, Load, Server, Table, load, server

from api.http.readmodels import FILE
from api.store.store import SqliteStore

MOVES = 100 if QUICK else int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
CLIENTS = 2 if QUICK else 4


def main() -> None:
    """One line."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "store"
        with closing(SqliteStore.open(folder)) as store:
            moves = fill(store, MOVES, seeds=1 if QUICK else 6)
        with server("-m", "api.cli.main", "serve", "--store", str(folder), "--port", "0") as worker:
            began = time.perf_counter()
            meanwhile = [_loaded(worker)]
            while (built := _built(folder / FILE)) < moves:
                meanwhile.append(_loaded(worker))
            took = time.perf_counter() - began
            afterwards = _loaded(worker)
    during, after = [moment for one in meanwhile for moment in one.times], afterwards.times
    say(
        f"moves over HTTP while all read models are built anew, {GAME}, {CLIENTS} clients",
        f"{percentiles(during)}; {rate(moves)} moves taken in in {took:.0f} s, {rate(built / took)} moves/s;"
        f" floor: when they are built {percentiles(after)}; ratio {ratios(during, after)}",
    )


def _loaded(worker: Server) -> Load:
    return load(Table, [worker], CLIENTS)


def _built(file: Path) -> int:
    """Up to which position every read model has come."""
    query = "SELECT min(coalesce(position, 0)) FROM projections LEFT JOIN places USING (name, generation)"
    with closing(sqlite3.connect(file)) as connection:
        return int(connection.execute(query).fetchone()[0])


if __name__ == "__main__":
    main()
