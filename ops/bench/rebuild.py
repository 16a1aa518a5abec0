"""The times of moves while the same worker builds all read models anew, and afterwards.

The worker starts on a store of many moves (1,000,000, or as many as are named) without read models, so it
builds them from nothing while clients play: embedded, then on PostgreSQL.  The floor is the same clients on
the same worker afterwards.
"""

from __future__ import annotations

import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
from _bench import QUICK, percentiles, rate, ratios, say
from _filled import fill
from _group import DURABLE
from _load import GAME, Load, Server, Table, load, server

from api.http.read_models import FILE
from api.store.postgres import PostgresStore
from api.store.sqlite import SqliteStore
from projections.postgres import TABLES

sys.path.insert(0, str(Path(__file__).parents[2]))  # the servers of the tests are not installed

from tests.services import own_postgres

MOVES = 100 if QUICK else int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
CLIENTS = 2 if QUICK else 4


def main() -> None:
    """A line for each kind of store."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "store"
        with closing(SqliteStore.open(folder)) as store:
            moves = fill(store, MOVES, seeds=1 if QUICK else 6)
        _measure("an embedded store", str(folder), moves, lambda: _position(sqlite3.connect(folder / FILE)))
    with (
        tempfile.TemporaryDirectory() as scratch,
        own_postgres(*DURABLE) as database,
        database.database() as url,
    ):
        keys = Path(scratch) / "keys"
        with closing(PostgresStore.open(url, keys=keys)) as shared:
            moves = fill(shared, MOVES, seeds=1 if QUICK else 6)
        path = f"-c search_path={TABLES}"
        _measure("PostgreSQL", url, moves, lambda: _position(psycopg.connect(url, options=path)), keys)


def _measure(
    where: str, location: str, moves: int, built: Callable[[], int], keys: Path | None = None
) -> None:
    own = {"GLASNOST_KEYS": str(keys)} if keys else {}
    with server("-m", "api.cli.main", "serve", "--store", location, "--port", "0", **own) as worker:
        began = time.perf_counter()
        meanwhile = [_loaded(worker)]
        while (there := built()) < moves:
            meanwhile.append(_loaded(worker))
        took = time.perf_counter() - began
        afterwards = _loaded(worker)
    during, after = [moment for one in meanwhile for moment in one.times], afterwards.times
    say(
        f"moves over HTTP while all read models are built anew in {where}, {GAME}, {CLIENTS} clients",
        f"{percentiles(during)}; {rate(moves)} moves taken in in {took:.0f} s, {rate(there / took)} moves/s;"
        f" floor: when they are built {percentiles(after)}; ratio {ratios(during, after)}",
    )


def _loaded(worker: Server) -> Load:
    return load(Table, [worker], CLIENTS)


def _position(connection: Any) -> int:
    """Return the position that every read model has reached; close the connection."""
    query = "SELECT min(position) FROM generations"
    with closing(connection):
        return int(connection.execute(query).fetchone()[0])


if __name__ == "__main__":
    main()
