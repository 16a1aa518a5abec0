"""What a store remembers of uploads beside the log: quotas that hold for all workers, and withdrawals."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from api.store import postgres_schema, sqlite_schema
from api.store.backup import copy, differences
from api.store.interface import Quota, Spent, StoreError, Withdrawal
from api.store.sql import SqlStore
from api.store.sqlite import SqliteStore
from tests.api.store.locations import Place
from tests.api.store.older import DATABASE_TO_SCHEMA_3, TO_SCHEMA_2

MOST = Quota(3, 1_000)
GONE = Withdrawal("m1", 1_790_000_000_000_000, "p1", "an advertisement")


def rows(store: SqlStore) -> list[tuple[object, ...]]:
    return [
        tuple(row) for row in store.rows("SELECT visitor, day, number, bytes FROM upload_quota ORDER BY 1")
    ]


def test_files_and_bytes_are_counted_for_each_visitor_and_day(store: SqlStore) -> None:
    for _ in range(3):
        store.uploads.take(["player a", "address b"], 7, 100, MOST)
    assert rows(store) == [("address b", 7, 3, 300), ("player a", 7, 3, 300)]
    for visitors in (["player a"], ["player c", "address b"]):
        with pytest.raises(Spent):
            store.uploads.take(visitors, 7, 1, MOST)
    assert rows(store) == [("address b", 7, 3, 300), ("player a", 7, 3, 300)]  # the other one paid nothing
    store.uploads.take(["player a"], 8, 100, MOST)
    assert rows(store) == [("player a", 8, 1, 100)]


def test_bytes_end_before_files_do(store: SqlStore) -> None:
    store.uploads.take(["player a"], 7, 600, MOST)
    for size in (401, 10**12):
        with pytest.raises(Spent):
            store.uploads.take(["player a"], 7, size, MOST)
    store.uploads.take(["player a"], 7, 400, MOST)


def test_the_quota_holds_over_a_restart(place: Place) -> None:
    for _ in range(3):
        with closing(place.open()) as store:
            store.uploads.take(["player a"], 7, 1, MOST)
    with closing(place.open()) as store, pytest.raises(Spent):
        store.uploads.take(["player a"], 7, 1, MOST)


def test_the_first_withdrawal_stays(store: SqlStore) -> None:
    assert store.uploads.withdraw(GONE) == GONE
    assert store.uploads.withdraw(Withdrawal("m1", 1, "p2", "another reason")) == GONE
    assert store.uploads.withdrawal("m1") == GONE
    assert store.uploads.withdrawal("m2") is None
    assert store.uploads.withdrawn() == {"m1"}


def test_a_store_that_is_only_read_withdraws_nothing(place: Place) -> None:
    place.open().close()
    with closing(place.open(write=False)) as store, pytest.raises(StoreError, match="reading only"):
        store.uploads.withdraw(GONE)


def test_both_go_along_when_a_store_is_copied(store: SqlStore, tmp_path: Path) -> None:
    store.uploads.take(["player a"], 7, 100, MOST)
    store.uploads.withdraw(GONE)
    with closing(SqliteStore.open(tmp_path / "copy")) as target:
        copy([store], target, lambda rows: None)
        assert list(differences([store], target, lambda rows: None)) == []
        assert target.uploads.withdrawn() == {"m1"}
        assert rows(target) == rows(store)


def test_an_older_file_learns_of_them(folder: Path) -> None:
    SqliteStore.open(folder).close()
    with closing(sqlite3.connect(folder / sqlite_schema.FILE, isolation_level=None)) as connection:
        for statement in TO_SCHEMA_2:
            connection.execute(statement)
    with closing(SqliteStore.open(folder)) as store:
        store.uploads.withdraw(GONE)
        assert store.uploads.withdrawn() == {"m1"}
    assert (folder / f"{sqlite_schema.FILE}.schema-2").exists()


def test_an_older_database_learns_of_them(database: str) -> None:
    with psycopg.connect(database) as connection:
        postgres_schema.settle(connection)
        connection.execute("SET search_path TO glasnost")
        for statement in DATABASE_TO_SCHEMA_3:
            connection.execute(statement.encode())
        postgres_schema.settle(connection)
        assert postgres_schema.version_of(connection) == postgres_schema.CURRENT.version
        assert connection.execute(b"SELECT count(*) FROM glasnost.withdrawals").fetchone() == (0,)
