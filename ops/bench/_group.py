"""The store of the floors: a thread that commits all waiting rows in one transaction."""

from __future__ import annotations

import asyncio
import itertools
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from queue import Empty, SimpleQueue

import psycopg

ROW = b"x" * 600  # about the size of a stored move
ANSWER = b"y" * 350  # about the size of a stored answer

DURABLE = ("fsync=on", "synchronous_commit=on", "shared_buffers=128MB")  # settings of the tests' PostgreSQL
BARE = """
CREATE SCHEMA bare;
CREATE TABLE bare.moves (id bigserial PRIMARY KEY, match text, state bytea);
CREATE TABLE bare.requests (key text PRIMARY KEY, answer bytea);
CREATE FUNCTION bare.append(keys text[], states bytea[], answers bytea[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(1);
    INSERT INTO bare.moves (match, state) SELECT * FROM unnest(keys, states);
    INSERT INTO bare.requests SELECT * FROM unnest(keys, answers);
    NOTIFY bare;
END $$
"""

Commit = Callable[[int], None]  # makes so many rows durable


class Writer:
    """The writing thread.

    Args:
        connected: is called in the thread; connects, and returns the function that commits.
    """

    def __init__(self, connected: Callable[[], Commit]) -> None:
        self._queue: SimpleQueue[asyncio.Future[None]] = SimpleQueue()
        threading.Thread(target=self._serve, args=(connected,), daemon=True).start()

    async def stored(self) -> None:
        """Store one row."""
        done = asyncio.get_running_loop().create_future()
        self._queue.put(done)
        await done

    def _serve(self, connected: Callable[[], Commit]) -> None:
        commit = connected()
        while True:
            group = [self._queue.get()]
            try:
                while True:
                    group.append(self._queue.get_nowait())
            except Empty:
                commit(len(group))
            group[0].get_loop().call_soon_threadsafe(_settle, group)


def _settle(group: list[asyncio.Future[None]]) -> None:
    for done in group:
        done.set_result(None)


def sqlite(file: Path) -> Callable[[], Commit]:
    """Into an SQLite file: WAL, FULL."""

    def connected() -> Commit:
        database = sqlite3.connect(file, isolation_level=None)
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = FULL")
        database.execute("CREATE TABLE moves (id INTEGER PRIMARY KEY, state BLOB)")

        def commit(rows: int) -> None:
            database.execute("BEGIN IMMEDIATE")
            database.executemany("INSERT INTO moves (state) VALUES (?)", [(ROW,)] * rows)
            database.execute("COMMIT")

        return commit

    return connected


def postgres(url: str, worker: str) -> Callable[[], Commit]:
    """Into a PostgreSQL database that holds `BARE`: as an append must, it locks, inserts and notifies."""

    def connected() -> Commit:
        connection, numbers = psycopg.connect(url, autocommit=True), itertools.count()
        connection.execute(b"SET plan_cache_mode = force_generic_plan")

        def commit(rows: int) -> None:
            keys = [f"{worker} {number}" for number in itertools.islice(numbers, rows)]
            given = (keys, [ROW] * rows, [ANSWER] * rows)
            connection.execute(b"SELECT bare.append(%b::text[], %b::bytea[], %b::bytea[])", given)

        return commit

    return connected
