"""The read models catching up with a log: in SQLite in moves/s of the processor (300,000 is the aim), and in
PostgreSQL, whose server has processes of its own, in moves/s of the clock (50,000 is the aim).

Each projection alone, then all of them, which share the reading.  The floor is the fastest possible
projector: bare sqlite3, or psycopg, that reads the same rows, counts the moves of each match, and writes the
counts with each batch of as many records.

Turn summaries are not stored as rows: they are folded from a match at each reading.  Their floor is what each
reading does anyway: to put them in words.
"""

from __future__ import annotations

import gc
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
from _bench import QUICK, played, rate, say
from _filled import fill
from _group import DURABLE

from api.http.read_models import database_of
from api.store import sqlite_schema
from api.store.postgres import PostgresStore
from api.store.sql import SqlStore
from api.store.sqlite import SqliteStore
from domain.games import GAMES
from domain.match import Match
from projections.backend import Home
from projections.model import Projection
from projections.postgres import TABLES, VIEWS
from projections.runner import BATCH, PROJECTIONS, Runner
from projections.sentences import tell
from projections.summary import Turn
from projections.turns import turns

sys.path.insert(0, str(Path(__file__).parents[2]))  # the servers of the tests are not installed

from tests.services import own_postgres

MOVES = 100 if QUICK else 100_000
ROUNDS = 1 if QUICK else 3  # the shortest of so many counts


def main() -> None:
    """Print one line for each projection, one for all of them together, and one for turn summaries."""
    with (
        tempfile.TemporaryDirectory() as scratch,
        closing(SqliteStore.open(Path(scratch) / "store")) as store,
    ):
        moves = fill(store, MOVES, seeds=1 if QUICK else 6)
        gc.collect()
        gc.freeze()
        floor = _shortest(partial(bare, store.folder / sqlite_schema.FILE, Path(scratch) / "bare.db"))
        for some in [*((one,) for one in PROJECTIONS), PROJECTIONS]:
            ours = _shortest(partial(_caught_up, store, some))
            what = some[0].name if len(some) == 1 else "all of them"
            say(
                f"read models catching up, {what}",
                f"{rate(moves / ours)} moves/s (aim: 300,000), {ours / moves * 1e6:.1f} µs/move,"
                f" of {rate(moves)} moves; floor: bare sqlite3 {rate(moves / floor)} moves/s;"
                f" ratio {ours / floor:.1f}",
            )
    _in_postgres()
    matches = [played(game, 0)[0] for game in GAMES.values()]
    ours, floor = _shortest(lambda: [_turns(match) for match in matches]), _shortest(_Words(matches).tell)
    moves = sum(match.move for match in matches)
    say(
        "turn summaries put together, a match of each game",
        f"{ours / moves * 1e6:.1f} µs/move; floor: to tell them in words {floor / moves * 1e6:.1f} µs/move;"
        f" ratio {ours / floor:.1f}",
    )


def _in_postgres() -> None:
    """The line of all of them in PostgreSQL."""
    with (
        own_postgres(*DURABLE) as server,
        server.database() as url,
        tempfile.TemporaryDirectory() as scratch,
        closing(PostgresStore.open(url, keys=Path(scratch) / "keys")) as store,
        psycopg.connect(url, autocommit=True) as connection,
    ):
        moves = fill(store, MOVES, seeds=1 if QUICK else 6)

        def ours() -> None:
            connection.execute(f"DROP SCHEMA IF EXISTS {TABLES}, {VIEWS} CASCADE".encode())
            _run(store, database_of(store.addresses[0]), PROJECTIONS)

        taken = _shortest(ours, time.perf_counter)
        floor = _shortest(lambda: bare_postgres(connection), time.perf_counter)
    say(
        "read models catching up, all of them, in PostgreSQL",
        f"{rate(moves / taken)} moves/s (aim: 50,000), {taken / moves * 1e6:.1f} µs/move,"
        f" of {rate(moves)} moves; floor: bare psycopg {rate(moves / floor)} moves/s;"
        f" ratio {taken / floor:.1f}",
    )


def _shortest(task: Callable[[], object], clock: Callable[[], float] = time.process_time) -> float:
    times = []
    for _ in range(ROUNDS):
        began = clock()
        task()
        times.append(clock() - began)
    return min(times)


def _caught_up(store: SqliteStore, projections: Sequence[Projection]) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        _run(store, Path(scratch) / "readmodels.db", projections)


def _run(store: SqlStore, home: Home | Path, projections: Sequence[Projection]) -> None:
    runner = Runner(store, home, projections=projections)
    runner.catch_up()
    assert not [status for status in runner.status() if status.behind or status.building is not None]
    runner.stop()


def _turns(match: Match) -> tuple[Turn, ...]:
    return turns(match, match.move)


class _Words:
    """Puts turn summaries in words that were folded before."""

    def __init__(self, matches: Sequence[Match]) -> None:
        self._found = [(match, _turns(match)) for match in matches]

    def tell(self) -> None:
        """Put all of them in words."""
        for match, found in self._found:
            words = match.game.words("en", match.opened.options, match.opened.edition)
            for turn in found:
                tell(match.game, words, turn)


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


def bare_postgres(connection: psycopg.Connection[Any]) -> None:
    """The floor in PostgreSQL."""
    connection.execute(b"DROP SCHEMA IF EXISTS bare CASCADE")
    connection.execute(b"CREATE SCHEMA bare")
    connection.execute(b"CREATE TABLE bare.counts (match text PRIMARY KEY, moves integer)")
    position = 0
    query = b"SELECT id, originator_id, state FROM glasnost.stored_events WHERE id > %s ORDER BY id LIMIT %s"
    add = (
        b"INSERT INTO bare.counts VALUES (%s, %s)"
        b" ON CONFLICT (match) DO UPDATE SET moves = counts.moves + excluded.moves"
    )
    while found := connection.execute(query, (position, BATCH), binary=True).fetchall():
        position = found[-1][0]
        with connection.transaction():
            connection.cursor().executemany(add, list(Counter(match for _, match, _ in found).items()))


if __name__ == "__main__":
    main()
