"""Durable appends to PostgreSQL: one after the other, many at once, and from several processes.

The server is the one of the tests, started for this and made durable (fsync, synchronous_commit).  The floor
is a bare psycopg call that locks, inserts a move and an answered request, and notifies, as an append must.
"""

from __future__ import annotations

import itertools
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path

import psycopg
from _bench import QUICK, played, rate, say
from _group import ANSWER, BARE, DURABLE, ROW

from api.store.interface import Append, Remembered
from api.store.postgres import PostgresStore
from domain.games import GAMES

sys.path.insert(0, str(Path(__file__).parents[2]))  # the servers of the tests are not installed

from tests.services import own_postgres

AT_ONCE = 4 if QUICK else 64  # matches that are played at the same time
WORKERS = 2 if QUICK else 4
SECONDS = 0.2 if QUICK else 4.0


def bare(url: str, rows: int) -> float:
    """Rows per second of the floor, so many in a call."""
    numbers = itertools.count()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(b"DROP SCHEMA IF EXISTS bare CASCADE")
        connection.execute(BARE.encode())
        connection.execute(b"SET plan_cache_mode = force_generic_plan")
        began = time.perf_counter()
        done = 0
        while time.perf_counter() - began < SECONDS:
            keys = [f"key {number}" for number in itertools.islice(numbers, rows)]
            given = (keys, [ROW] * rows, [ANSWER] * rows)
            connection.execute(b"SELECT bare.append(%b::text[], %b::bytea[], %b::bytea[])", given)
            done += rows
        return done / (time.perf_counter() - began)


def commands(seeds: Iterator[int]) -> Iterator[Append]:
    """Yield the moves of matches without end, each with its answered request."""
    for seed in seeds:
        match, secret = played(GAMES["thirteen_minutes"], seed)
        for record in match.records:
            kept = Remembered(f"token/{match.id}", f"key {record.move}", b"h" * 32, 201, ANSWER)
            yield Append([record], secret=secret.bytes if record.move == 1 else None, remembered=kept)


def ours(store: PostgresStore, matches: list[Iterator[Append]]) -> float:
    """Return the appends per second if so many matches are played, each waiting only for its own appends."""
    ready = [[next(match) for _ in range(4 if QUICK else 3000 // len(matches))] for match in matches]
    began, done = time.perf_counter(), 0
    waiting: list[tuple[Future[int], Iterator[Append]]] = []
    for own in map(iter, ready):
        waiting.append((store.submit(next(own)), own))
    while waiting and time.perf_counter() - began < SECONDS:
        future, own = waiting.pop(0)
        future.result()
        done += 1
        if (append := next(own, None)) is not None:
            waiting.append((store.submit(append), own))
    elapsed = time.perf_counter() - began
    for future, _ in waiting:
        future.result()
    return done / elapsed


def seeds(worker: int, number: int) -> Iterator[int]:
    """Yield seeds that no other match has."""
    return itertools.count(worker * 1_000_000 + number * 1_000)


def worker(url: str, keys: str, number: int) -> None:
    """Run one of several processes: print that it is ready, wait for the start signal, print the rate."""
    store = PostgresStore.open(url, keys=Path(keys))
    matches = [commands(seeds(number, one)) for one in range(AT_ONCE // WORKERS)]
    print("ready", flush=True)
    sys.stdin.readline()
    print(ours(store, matches), flush=True)
    store.close()


def several(url: str, keys: Path) -> float:
    """Appends per second of several processes together."""
    command = [sys.executable, __file__, url, str(keys)]
    workers = [
        subprocess.Popen(
            [*command, str(number)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        for number in range(10, 10 + WORKERS)
    ]
    _each(workers, lambda one: one.stdout is not None and one.stdout.readline())
    _each(workers, lambda one: one.stdin is not None and one.stdin.write("go\n"))
    return sum(float(one.communicate()[0]) for one in workers)


def _each(workers: list[subprocess.Popen[str]], task: Callable[[subprocess.Popen[str]], object]) -> None:
    for one in workers:
        task(one)


def main() -> None:
    """Three lines."""
    with own_postgres(*DURABLE) as server, tempfile.TemporaryDirectory() as scratch, server.database() as url:
        keys = Path(scratch) / "keys"
        floors = {rows: bare(url, rows) for rows in (1, AT_ONCE)}
        store = PostgresStore.open(url, keys=keys)
        alone = ours(store, [commands(seeds(1, 0))])
        together = ours(store, [commands(seeds(2, number)) for number in range(AT_ONCE)])
        store.close()
        _say("one after the other", alone, floors[1], 1)
        _say(f"{AT_ONCE} matches at once", together, floors[AT_ONCE], AT_ONCE)
        _say(f"{AT_ONCE} matches in {WORKERS} processes", several(url, keys), floors[AT_ONCE], AT_ONCE)


def _say(what: str, found: float, floor: float, rows: int) -> None:
    say(
        f"durable appends to PostgreSQL, {what}",
        f"{rate(found)}/s; floor: bare psycopg call of {rows} {rate(floor)}/s; ratio {floor / found:.1f}",
    )


if __name__ == "__main__":
    if len(sys.argv) > 1:
        worker(sys.argv[1], sys.argv[2], int(sys.argv[3]))
    else:
        main()
