"""The probe of a store: it writes as an append does, leaves one small row, and says why it could not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from api.store import postgres
from api.store.interface import Append, Outdated, StoreError, Unavailable
from api.store.postgres import PostgresStore
from api.store.postgres_schema import CURRENT, ORDER
from api.store.sql import SqlStore
from domain.game import Game
from tests.api.store.appends import appends, store_all, store_each, stored
from tests.matches import finished


def notes(store: SqlStore) -> dict[str, str]:
    """What stands in `meta`."""
    return dict(store.rows("SELECT name, value FROM meta"))


def test_a_probe_leaves_one_row_however_often(store: SqlStore) -> None:
    before = notes(store)
    beats = []
    for _ in range(3):
        store.probe()
        beats.append(notes(store)["heartbeat"])
    assert {name: value for name, value in notes(store).items() if name != "heartbeat"} == before
    assert len(set(beats)) == 3
    assert store.last() == 0


def test_a_store_says_how_large_it_is(store: SqlStore, toy_game: Game) -> None:
    before = store.size()
    store_all(store, finished(toy_game))
    assert store.size() >= before > 10_000
    assert (store.lag(), store.lately("m1", 0)) == (None, None)


def test_what_the_writer_did_is_counted(store: SqlStore, toy_game: Game) -> None:
    commands = appends(finished(toy_game))
    store_each(store, commands)
    (figures,) = store.figures
    assert figures.seconds.count >= len(commands)
    assert figures.sizes.sum == figures.seconds.count
    assert figures.waiting == 0


@pytest.fixture
def shared(database: str, tmp_path: Path) -> Iterator[PostgresStore]:
    """A store in PostgreSQL."""
    store = PostgresStore.open(database, keys=tmp_path / "keys")
    yield store
    store.close()


def set_version(database: str, version: int) -> None:
    """As if another version of the program had migrated the store."""
    with psycopg.connect(database) as connection:
        connection.execute("UPDATE glasnost.meta SET value = %s WHERE name = 'schema'", (str(version),))


@pytest.fixture
def next_append(shared: PostgresStore, database: str, toy_game: Game) -> Append:
    """What is to follow in a store that a newer version has taken over after the first append."""
    first, second, *_ = appends(finished(toy_game))
    shared.submit(first).result()
    set_version(database, CURRENT.version + 1)
    return second


def test_a_process_that_notices_a_newer_schema_writes_nothing_more(
    shared: PostgresStore, database: str, next_append: Append
) -> None:
    told = f"has schema {CURRENT.version + 1}.*use the version that wrote it"
    with pytest.raises(Outdated, match=told):
        shared.probe()
    with pytest.raises(Outdated, match=told):
        shared.submit(next_append).result()
    with pytest.raises(Outdated, match=told):
        shared.people.add("Ann", "player")
    assert len(stored(shared, "m1")) == 1
    set_version(database, CURRENT.version)
    shared.probe()
    shared.submit(next_append).result()


def test_a_process_that_connects_anew_looks_at_the_schema(
    shared: PostgresStore, database: str, next_append: Append
) -> None:
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity"
            " WHERE application_name LIKE 'glasnost writer%' AND datname = current_database()"
        )
    with pytest.raises(Outdated):
        shared.submit(next_append).result()
    assert len(stored(shared, "m1")) == 1


def test_a_database_that_only_takes_questions_is_noticed(shared: PostgresStore, database: str) -> None:
    shared.probe()
    name = database.rpartition("/")[2]
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on".encode())
        end = "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = %s AND pid <> %s"
        connection.execute(end, (name, connection.info.backend_pid))
    with pytest.raises(StoreError, match="takes no moves, only questions: it was set so"):
        shared.probe()
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("SET default_transaction_read_only = off")
        connection.execute(f"ALTER DATABASE {name} RESET default_transaction_read_only".encode())


def test_a_process_that_holds_up_all_appends_is_noticed(
    shared: PostgresStore, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with psycopg.connect(database) as connection, monkeypatch.context() as hurried:
        hurried.setattr(postgres, "PATIENCE", 50)
        connection.execute("SELECT pg_advisory_xact_lock(%s, %s)", ORDER)
        with pytest.raises(Unavailable, match="too long"):
            shared.probe()
    shared.probe()


def test_a_process_that_dies_over_its_probe_holds_up_no_other(shared: PostgresStore, database: str) -> None:
    shared.probe()
    with psycopg.connect(database) as connection:
        connection.execute("UPDATE glasnost.meta SET value = 'mine' WHERE name = 'heartbeat'")
        shared.probe()
        connection.rollback()
