"""The shared store: what only PostgreSQL, and only several writers, can do wrong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from api.store.interface import Append, Conflict, Exists, StoreError
from api.store.postgres import PostgresStore
from api.store.postgres_connection import Address, Unreachable
from api.store.postgres_recorder import EACH
from api.store.postgres_schema import CURRENT, Schema, settle, version_of
from domain.game import Game
from tests import services
from tests.api.store.appends import appends, store_all, stored
from tests.api.store.locations import ROOT, Database
from tests.api.store.older import DATABASE_TO_SCHEMA_2
from tests.api.store.proxy import line_to, through
from tests.matches import Sitting, finished

MOVE = "INSERT INTO stored_events VALUES ({}, '{}', {}, 'toy', '', 'played')"
WAITING = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"


@pytest.fixture
def place(database: str, tmp_path: Path) -> Database:
    """An empty database, and a folder for the keys."""
    return Database(database, tmp_path / "keys")


def opened(place: Database) -> PostgresStore:
    return PostgresStore.open(place.url, keys=place.keys)


def opening(game: Game, seed: int) -> Append:
    return Append(Sitting(game, seed).match.records, secret=bytes(32))


def note(told: list[tuple[str, int]], match: str, position: int) -> None:
    told.append((match, position))


def configure(place: Database, setting: str) -> None:
    """What the owner of the database has set."""
    name = conninfo_to_dict(place.url)["dbname"]
    with psycopg.connect(place.url) as connection:
        connection.execute(f"ALTER DATABASE {name} SET {setting}".encode())


def one(connection: psycopg.Connection[tuple[int]], statement: str) -> int:
    row = connection.execute(statement.encode()).fetchone()
    assert row is not None
    return row[0]


# ── the log ──


def test_looking_into_several_matches_never_reads_the_whole_log(place: Database) -> None:
    """Also where the log was empty when the database thought about it, or has become long."""
    opened(place).close()
    many = "INSERT INTO stored_events SELECT n, 'm1', n, 'toy', 'x', 'played' FROM generate_series(1, 5000) n"
    look = f"EXPLAIN {EACH}".replace("?", """'{"m1": 4999, "m2": 3}'""")
    with Address(place.url).connect() as connection:
        for statement in ("SELECT", many, "ANALYZE stored_events"):
            connection.execute(statement.encode())
            plan = str(connection.execute(look.encode()).fetchall())
            assert "Index Scan" in plan
            assert "Seq Scan" not in plan
        assert connection.execute("SHOW jit").fetchone() == ("off",)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE stored_events SET topic = 'chess' WHERE originator_version = 2",
        "DELETE FROM stored_events WHERE id = 2",
        "DELETE FROM stored_events WHERE false",
        "TRUNCATE stored_events",
        MOVE.format(24, "m1", 23),  # a hole in the positions
        MOVE.format(23, "m1", 24),  # a hole in the match
        MOVE.format(23, "m1", 22),  # a move that is there
        MOVE.format(22, "m1", 23),  # a position that is there
        MOVE.format(0, "m2", 1),
        MOVE.format(23, "m2", 0),
    ],
)
def test_the_log_takes_only_what_follows_and_never_changes(
    place: Database, toy_game: Game, statement: str
) -> None:
    store = opened(place)
    store_all(store, finished(toy_game))
    before = place.content()
    with pytest.raises(psycopg.IntegrityError):
        place.force(statement)
    assert place.content() == before
    place.force(MOVE.format(23, "m1", 23))
    store.close()


def test_no_position_becomes_visible_after_a_later_one(place: Database, toy_game: Game) -> None:
    """A slow transaction and a fast one: who follows the log must not pass over the slow one's move."""
    store, reader = opened(place), opened(place)
    with psycopg.connect(place.url) as slow, psycopg.connect(place.url, autocommit=True) as watching:
        slow.execute(b"SET search_path = glasnost")
        state = opening(toy_game, 1).records[0].stored
        given = {
            "match": "m1",
            "first": 1,
            "game": "toy",
            "ats": [0],
            "sizes": [len(state)],
            "kinds": ["played"],
        }
        slow.execute("SELECT * FROM append(%s, %s)", (json.dumps([given]), state))
        fast = store.submit(opening(toy_game, 2))
        while not one(watching, WAITING):
            pass
        assert (fast.done(), reader.after(0, 10)) == (False, [])
        slow.commit()
        assert fast.result() == 2
    assert [(found.position, found.record.match) for found in reader.after(0, 10)] == [(1, "m1"), (2, "m2")]
    for each in (store, reader):
        each.close()


def test_a_transaction_that_is_undone_leaves_no_hole(place: Database, toy_game: Game) -> None:
    store = opened(place)
    with psycopg.connect(place.url) as undone:
        undone.execute(b"SET search_path = glasnost")
        undone.execute(MOVE.format(1, "m7", 1).encode())
        waiting = store.submit(opening(toy_game, 1))
        undone.rollback()
    assert waiting.result() == 1
    store.close()


def test_commits_are_durable_though_the_server_would_not_wait(place: Database, toy_game: Game) -> None:
    configure(place, "synchronous_commit = off")
    store = opened(place)
    shown = "SELECT current_setting('synchronous_commit')"
    connection = store._writer._session._connected() if store._writer else None
    assert connection is not None
    assert connection.execute(shown.encode()).fetchone() == ("on",)
    assert store._datastore.write(lambda cursor: (cursor.execute(shown), cursor.fetchone())[1]) == ("on",)
    store.close()


# ── several writers ──


def test_of_two_workers_with_the_same_move_one_wins_and_the_other_gets_a_conflict(
    place: Database, toy_game: Game
) -> None:
    workers, sitting = [opened(place), opened(place)], finished(toy_game)
    for append in appends(sitting):
        with place.queueing(workers[0]):
            done = [worker.submit(append) for worker in workers]
        refusals = [future.exception() for future in done]
        assert refusals.count(None) == 1
        refusal = next(filter(None, refusals))
        assert isinstance(refusal, Exists if append.records[0].move == 1 else Conflict)
    assert stored(workers[0], sitting.id) == [record.stored for record in sitting.match.records]
    for worker in workers:
        worker.close()


def test_of_two_processes_each_move_has_one_winner(place: Database, toy_game: Game) -> None:
    command = [sys.executable, "-m", "tests.api.store.racer", place.url]
    keys = {**os.environ, "GLASNOST_KEYS": str(place.keys)}
    racers = [
        subprocess.Popen(
            command, cwd=ROOT, env=keys, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    for racer in racers:
        assert racer.stdout is not None
        assert racer.stdout.readline() == "ready\n"
    wins = [ThreadPoolExecutor(1).submit(racer.communicate, "go\n") for racer in racers]
    won = [int(move) for future in wins for move in future.result()[0].split()]
    assert sorted(won) == [append.records[-1].move for append in appends(finished(toy_game))]
    assert [racer.returncode for racer in racers] == [0, 0]


def test_every_worker_hears_of_all_commits_once_and_in_order(place: Database, toy_game: Game) -> None:
    workers = [opened(place) for _ in range(3)]
    told: list[list[tuple[str, int]]] = [[], [], []]
    for worker, own in zip(workers, told, strict=True):
        worker.watch(partial(note, own))
    with ThreadPoolExecutor(3) as threads:
        list(threads.map(store_all, workers, [finished(toy_game, seed) for seed in (1, 2, 3)]))
    log = [(found.record.match, found.position) for found in workers[0].after(0, 1000)]
    for worker in workers:
        worker.close()
    assert told == [log, log, log]


def test_workers_that_start_together_make_one_store_with_one_set_of_keys(place: Database) -> None:
    with ThreadPoolExecutor(6) as threads:
        workers = list(threads.map(opened, [place] * 6))
    assert len({worker.keys.present.text for worker in workers}) == 1
    assert {worker.last() for worker in workers} == {0}
    for worker in workers:
        worker.close()


# ── a bad line ──


def test_an_append_whose_connection_breaks_is_stored_once(place: Database, toy_game: Game) -> None:
    """The session ends while the append waits for its turn: it was not stored, so it is sent again."""
    store = opened(place)
    end = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE application_name LIKE 'glasnost writer%' AND datname = current_database()"
    )
    with place.queueing(store):
        done = store.submit(opening(toy_game, 1))
        with psycopg.connect(place.url, autocommit=True) as other:
            while not one(other, WAITING):
                pass
            other.execute(end.encode())
    assert done.result() == 1
    assert store.submit(opening(toy_game, 2)).result() == 2
    store.close()


def test_an_append_whose_acknowledgement_is_lost_is_not_stored_twice(place: Database, toy_game: Game) -> None:
    with line_to(place.url) as (bad, url):
        store = PostgresStore.open(url, keys=place.keys)
        store.submit(opening(toy_game, 1)).result()
        bad.muted.set()
        done = [store.submit(append) for append in (opening(toy_game, 2), opening(toy_game, 3))]
        assert bad.swallowed.wait(60)
        bad.cut()
        assert sorted(future.result() for future in done) == [2, 3]
        assert [found.record.match for found in store.after(0, 10)] == ["m1", "m2", "m3"]
        store.close()


def test_questions_go_on_after_their_connections_were_lost(place: Database) -> None:
    store = opened(place)
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda _: store.last(), range(40)))
    place.force(
        "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    assert store.last() == 0
    person, token = store.people.add("Ann", "player")
    assert store.people.by_token(token) == person
    store.close()


def test_what_the_database_cannot_hold_is_refused_in_one_line(place: Database, toy_game: Game) -> None:
    store = opened(place)
    with pytest.raises(StoreError, match=r"\Athis cannot be stored: [^\n]*\Z"):
        store.submit(Append(Sitting(toy_game, name="m\0").match.records)).result()
    store_all(store, finished(toy_game))
    store.close()


# ── the schema ──

OLD = Schema(
    1, ("CREATE TABLE meta (name text PRIMARY KEY, value text NOT NULL)", "CREATE TABLE people (id text)")
)
NEXT = Schema(2, (), {1: ("ALTER TABLE people ADD COLUMN role text",)})
BROKEN = Schema(2, (), {1: ("ALTER TABLE people ADD COLUMN role text", "ALTER TABLE nobody RENAME TO x")})


def settled(url: str, schema: Schema) -> int | None:
    with psycopg.connect(url) as connection:
        settle(connection, schema)
        return version_of(connection)


def test_an_older_schema_is_migrated_once_by_the_first_process(database: str) -> None:
    assert settled(database, OLD) == 1
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(settled, [database] * 4, [NEXT] * 4)) == [2] * 4
    with psycopg.connect(database) as connection:
        assert connection.execute(b"SELECT id, role FROM glasnost.people").fetchall() == []


def test_a_store_of_schema_2_takes_moves_once_it_is_migrated(place: Database, toy_game: Game) -> None:
    """It called `append` with an array for each column."""
    opened(place).close()
    place.force("DROP FUNCTION append")
    place.force("CREATE FUNCTION append(matches text[], firsts integer[]) RETURNS void LANGUAGE sql AS ''")
    for statement in DATABASE_TO_SCHEMA_2:
        place.force(statement)
    store = opened(place)
    store_all(store, finished(toy_game))
    assert stored(store, "m1") == [record.stored for record in finished(toy_game).match.records]
    store.close()


def test_a_migration_that_fails_changes_nothing(database: str) -> None:
    settled(database, OLD)
    with pytest.raises(psycopg.ProgrammingError):
        settled(database, BROKEN)
    assert settled(database, NEXT) == 2


def test_a_newer_schema_is_refused(place: Database) -> None:
    opened(place).close()
    newer = CURRENT.version + 1
    place.force(f"UPDATE meta SET value = '{newer}' WHERE name = 'schema'")
    for write in (True, False):
        with pytest.raises(
            StoreError, match=f"schema {newer}.*knows up to {CURRENT.version}.*nothing was changed"
        ):
            place.open(write=write)


def test_an_older_schema_is_not_migrated_by_a_reader(place: Database) -> None:
    opened(place).close()
    place.force("UPDATE meta SET value = '0' WHERE name = 'schema'")
    with pytest.raises(StoreError, match="serve the store once"):
        place.open(write=False)
    with pytest.raises(StoreError, match="no way leads"):
        place.open()


def test_a_database_that_cannot_hold_every_name_is_refused(
    postgres: services.Postgres, tmp_path: Path
) -> None:
    with psycopg.connect(postgres.url, autocommit=True) as owner:
        owner.execute(b"CREATE DATABASE glasnost_test_ascii ENCODING 'SQL_ASCII' TEMPLATE template0")
    try:
        with pytest.raises(StoreError, match="ENCODING 'UTF8'"):
            PostgresStore.open(postgres.url_of("glasnost_test_ascii"), keys=tmp_path / "keys")
    finally:
        with psycopg.connect(postgres.url, autocommit=True) as owner:
            owner.execute(b"DROP DATABASE glasnost_test_ascii WITH (FORCE)")
    assert not (tmp_path / "keys").exists()


def test_the_schema_of_another_program_is_left_alone(place: Database) -> None:
    with psycopg.connect(place.url) as connection:
        connection.execute(b"CREATE SCHEMA glasnost; CREATE TABLE glasnost.meta (name text, value text)")
    with pytest.raises(StoreError, match="another program's"):
        opened(place)


# ── the texts of errors ──


def refusal(url: str, keys: Path) -> str:
    with pytest.raises(StoreError) as told:
        PostgresStore.open(url, keys=keys)
    text = str(told.value)
    assert "\n" not in text
    return text


def test_a_wrong_password_is_reported_without_showing_it(place: Database) -> None:
    parts = conninfo_to_dict(place.url)
    text = refusal(place.url.replace(f":{parts['password']}@", ":open-sesame@"), place.keys)
    assert "password authentication failed" in text
    assert "open-sesame" not in text
    assert f"{parts['user']}@{parts['host']}:{parts['port']}" in text


def test_a_server_and_a_database_that_are_not_there_are_named(place: Database) -> None:
    assert "Connection refused" in refusal(through(place.url, 1), place.keys)
    assert '"nowhere" does not exist' in refusal(place.url.rpartition("/")[0] + "/nowhere", place.keys)


def test_the_log_tells_the_same_trouble_once_and_names_the_database_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    address = Address("postgresql://me:secret@127.0.0.1:1/league")
    with pytest.raises(Unreachable) as refused:
        address.connect()
    for error in (refused.value, refused.value, psycopg.OperationalError("no room"), refused.value):
        address.away(error)
    told = [record.getMessage() for record in caplog.records if record.name == "glasnost.store"]
    assert len(told) == 3
    assert all(line.count("postgresql://me@127.0.0.1:1/league") == 1 for line in told)
    assert "no room" in told[1]
    assert "refused" in told[0]
    assert told[0] == told[2]
    assert "secret" not in "".join(told)


def test_a_database_that_refuses_tables_gives_an_error_that_says_what_to_do(place: Database) -> None:
    """As a replica, or for a user without rights."""
    configure(place, "default_transaction_read_only = on")
    text = refusal(place.url, place.keys)
    assert "read-only transaction" in text
    assert "granted CREATE" in text
    assert not place.keys.exists()


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:se%zzcret@h/d",
        "postgresql://me:secret@h:port:1/d",
        "postgresql://me:se@cret@h/d",
        "postgresql://me:se/cret@h/d",
        "postgresql://me:secret@h/d?nonsense=1",
    ],
)
def test_a_location_that_cannot_be_understood_is_not_shown(url: str, tmp_path: Path) -> None:
    text = refusal(url, tmp_path / "keys")
    assert "postgresql://USER@HOST:PORT/DATABASE" in text
    assert "cret" not in text


def test_the_key_folder_must_be_named(place: Database) -> None:
    with pytest.raises(StoreError, match="GLASNOST_KEYS must name"):
        PostgresStore.open(place.url)


def test_what_no_text_can_hold_is_refused_alone(place: Database, toy_game: Game) -> None:
    store = opened(place)
    odd = opening(toy_game, 1)
    done: list[Future[int]] = []
    with place.queueing(store):
        done.append(store.submit(opening(toy_game, 2)))
        done.append(store.submit(Append(odd.records, note="a \0 in a note")))
        done.append(store.submit(opening(toy_game, 3)))
    assert [type(future.exception()) for future in done] == [type(None), StoreError, type(None)]
    assert store.match("m\0") is None
    assert store.last() == 2
    store.close()
