"""Durable moves over HTTP on one PostgreSQL, by one worker and by four; each match is played on one worker.

The server is the one of the tests, started for this and made durable.  The floor is the same load against as
many bare ASGI processes with a raw group commit in one call (`_bare`), as many prompts fetched.

Workers, database and clients share the cores of one machine, so the CPU time that all of them take for a move
says how many moves per second are possible with any number of workers.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psutil
import psycopg
from _bench import QUICK, rate, say
from _group import BARE, DURABLE
from _load import CLIENTS, GAME, HERE, Load, Server, Table, bare, load, server

sys.path.insert(0, str(Path(__file__).parents[2]))  # the servers of the tests are not installed

from tests.services import OwnPostgres, own_postgres

WORKERS = (2,) if QUICK else (1, 4)


@contextmanager
def ours(url: str, keys: Path, workers: int) -> Iterator[list[Server]]:
    """Start so many workers on one database, which share their read models."""
    command = ("-m", "api.cli.main", "serve", "--store", url, "--port", "0", "--empty")
    shared = {"GLASNOST_KEYS": str(keys)}
    with ExitStack() as running:
        yield [running.enter_context(server(*command, **shared)) for _ in range(workers)]


@contextmanager
def floor(url: str, workers: int) -> Iterator[list[Server]]:
    """Start so many bare servers."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(b"DROP SCHEMA IF EXISTS bare CASCADE")
        connection.execute(BARE.encode())
    script = str(HERE / "_bare.py")
    with ExitStack() as running:
        yield [running.enter_context(server(script, url, str(number))) for number in range(workers)]


def used(database: OwnPostgres) -> Callable[[], float]:
    """Return a function that returns the CPU seconds of a database server and its child processes."""
    first = psutil.Process(database.processes()[0])

    def seconds() -> float:
        return sum(sum(one.cpu_times()[:2]) for one in (first, *first.children()))

    return seconds


def main() -> None:
    """One line for each number of workers."""
    with own_postgres(*DURABLE) as database, tempfile.TemporaryDirectory() as scratch:
        for workers in WORKERS:
            with database.database() as url, database.database() as other:
                _measure(url, other, Path(scratch) / f"keys-{workers}", workers, used(database))


def _measure(url: str, other: str, keys: Path, workers: int, spent: Callable[[], float]) -> None:
    with ours(url, keys, workers) as servers:
        found = load(Table, servers, CLIENTS, spent)
    with floor(other, workers) as servers:
        least = load(bare(found.fetched), servers, CLIENTS, spent)
    say(
        f"durable moves over HTTP on PostgreSQL, {GAME}, {CLIENTS} clients, workers: {workers}",
        f"{_costs(found)}; floor: bare ASGI + raw call of all that came {_costs(least)};"
        f" ratio {least.per_second / found.per_second:.1f}",
    )


def _costs(found: Load) -> str:
    """The rate, and the CPU time of each move, as text."""
    whole = found.micros + found.beside + found.clients
    return (
        f"{rate(found.per_second)} moves/s, each {found.micros:.0f} µs of the workers' CPU,"
        f" {found.beside:.0f} of the database's and {found.clients:.0f} of the clients':"
        f" {rate((os.cpu_count() or 1) * 1e6 / whole)}/s fit into {os.cpu_count()} cores"
    )


if __name__ == "__main__":
    main()
