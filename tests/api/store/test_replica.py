"""Reading from a replica: it spares the database, and no reader sees an older state."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from api.http.read_models import ReadModels, open_read_models
from api.store import postgres_schema
from api.store.interface import Append, Lag, StoreError, Unavailable
from api.store.open import REPLICA, open_store
from api.store.postgres import PostgresStore
from domain.game import Game
from domain.signed_notes import Signed
from projections import read
from projections.read import Asked, MatchFilter
from projections.status import has_reached
from tests.api.store.appends import appends, store_each, stored
from tests.matches import finished
from tests.replay.files import note_of
from tests.services import OwnPostgres, own_postgres
from tests.waiting import PATIENCE, soon

Servers = tuple[OwnPostgres, OwnPostgres]


@pytest.fixture(scope="module")
def servers() -> Iterator[Servers]:
    """A server and its replica."""
    with own_postgres() as first, first.replica() as second:
        yield first, second


@pytest.fixture
def store(servers: Servers, tmp_path: Path) -> Iterator[PostgresStore]:
    """A store that reads from the replica."""
    with servers[0].database() as url:
        store = PostgresStore.open(url, keys=tmp_path / "keys")
        name = url.rpartition("/")[2]
        wait_for(servers, name)
        store.read_from(servers[1].url_of(name))
        yield store
        store.close()


def wait_for(servers: Servers, database: str) -> None:
    """Until the replica holds what the first server holds, that database included."""
    with psycopg.connect(servers[0].url) as first, psycopg.connect(servers[1].url) as second:
        here = first.execute("SELECT pg_current_wal_lsn()").fetchone()
        assert here is not None
        reached = "SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn"
        while second.execute(reached, here).fetchone() != (True,):
            second.rollback()
    psycopg.connect(servers[1].url_of(database)).close()


def pause(servers: Servers, how: str) -> None:
    """The replica stands still, or goes on."""
    with psycopg.connect(servers[1].url) as connection:
        connection.execute(f"SELECT pg_wal_replay_{how}()".encode())


@contextmanager
def standing_still(servers: Servers) -> Iterator[None]:
    """The replica holds everything that is stored, and takes nothing more in."""
    wait_for(servers, "postgres")
    pause(servers, "pause")
    try:
        yield
    finally:
        pause(servers, "resume")


def test_what_the_replica_lacks_is_read_from_the_database(
    servers: Servers, store: PostgresStore, toy_game: Game
) -> None:
    commands = appends(finished(toy_game))
    store_each(store, commands[:4])
    with standing_still(servers):
        store_each(store, commands[4:8])
        store.submit(appends(finished(toy_game, 2))[0]).result()
        assert store._replica is not None
        assert (len(stored(store._replica, "m1")), store._replica.match("m2")) == (4, None)
        assert (len(stored(store, "m1")), len(stored(store, "m2"))) == (8, 1)
        assert [found.position for found in store.after(0, 100)] == list(range(1, 10))
        assert [found.position for found in store.after(2, 4)] == [3, 4, 5, 6]
        assert store.last() == 9
    match = store.match("m1")
    assert match is not None
    assert match.live == finished_after(toy_game, 8)


def test_an_earlier_move_is_read_from_the_replica_where_it_holds_the_way_to_it(
    servers: Servers, store: PostgresStore, toy_game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands, match = appends(finished(toy_game)), finished(toy_game).match
    store_each(store, commands[:6])
    asked = list[str]()
    of_itself = store._reading._rows

    def overheard(statement: str, values: Sequence[Any]) -> list[Any]:
        asked.append(statement)
        return of_itself(statement, values)

    monkeypatch.setattr(store._reading, "_rows", overheard)

    def questions_to_the_database() -> int:
        asked.clear()
        glimpse = store.partial_match("m1", 5)
        assert glimpse is not None
        assert glimpse.table_at(5, "left") == match.table_at(5, "left")
        return len(asked)

    with standing_still(servers):
        assert questions_to_the_database() == 1
        store_each(store, commands[6:7])
        assert questions_to_the_database() == 2


def finished_after(game: Game, move: int) -> object:
    """The table of the same match as it was after this move."""
    return finished(game).match.table_with_agenda(move)


def test_the_lag_of_a_replica_is_known(servers: Servers, store: PostgresStore, toy_game: Game) -> None:
    commands = appends(finished(toy_game))
    store_each(store, commands[:4])
    wait_for(servers, "postgres")
    assert store.lag() == Lag(0, 0.0)
    with standing_still(servers):
        store_each(store, commands[4:6])
        lag, lately = store.lag(), store.lately("m1", 2)
        assert lag is not None
        assert lag.moves == 2
        assert lag.seconds is not None
        assert lag.seconds > 0
        assert lately is not None
        assert [record.move for record in lately.records] == [3, 4]
        assert lately.seconds is not None
        assert lately.seconds >= lag.seconds


def test_what_an_uploaded_match_claims_is_checked_at_the_replica_too(
    servers: Servers, store: PostgresStore, toy_game: Game
) -> None:
    match = finished(toy_game, 5).match
    note = note_of(match.records, store.keys.signing)
    store.submit(Append(match.records, note=note, signer=store.keys.present.label)).result()
    with standing_still(servers):
        assert {one.claimed for one in store.brief(0, 1000)} == {False}
        found = store.match(match.id)
        assert found is not None
        assert found.proof == Signed((store.keys.present.label,))


def test_a_replica_takes_no_moves(store: PostgresStore) -> None:
    assert store._replica is not None
    with pytest.raises(StoreError, match="takes no moves, only questions: it is a replica"):
        store._replica.probe()


def test_a_replica_that_is_away_is_done_without(
    servers: Servers, store: PostgresStore, toy_game: Game
) -> None:
    store.submit(appends(finished(toy_game))[0]).result()
    servers[1].kill()
    try:
        assert len(stored(store, "m1")) == 1
        assert len(store.after(0, 10)) == 1
        with pytest.raises(Unavailable):
            store.lag()
    finally:
        servers[1].start()


def test_a_replica_that_does_not_hold_the_tables_yet_is_waited_for(
    servers: Servers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with servers[0].database() as url:
        name = url.rpartition("/")[2]
        wait_for(servers, name)
        monkeypatch.setenv(REPLICA, servers[1].url_of(name))
        with ThreadPoolExecutor(1) as threads:
            with standing_still(servers):
                monkeypatch.setattr(postgres_schema, "LATE", 0.0)
                with pytest.raises(StoreError, match="there is no store"):
                    open_store(url, keys=tmp_path / "keys")
                monkeypatch.setattr(postgres_schema, "LATE", 60.0)
                opening = threads.submit(open_store, url, keys=tmp_path / "keys")
                with pytest.raises(TimeoutError):
                    opening.result(0.3)
            store = opening.result()
        assert store.lag() is not None
        store.close()


def test_another_stores_database_is_no_replica(
    servers: Servers, store: PostgresStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with servers[0].database() as other, servers[0].database() as url:
        PostgresStore.open(other, keys=tmp_path / "other").close()
        monkeypatch.setenv(REPLICA, other)
        with pytest.raises(StoreError, match="no replica of this store"):
            open_store(url, keys=tmp_path / "keys")
        monkeypatch.setenv(REPLICA, servers[1].url_of("nowhere"))
        with pytest.raises(StoreError, match='"nowhere" does not exist'):
            open_store(url, keys=tmp_path / "keys")


def listed(models: ReadModels) -> list[str]:
    """The matches of the list."""
    return [row.match for row in asyncio.run(models.ask(read.matches, MatchFilter(), Asked())).rows]


def test_lists_are_read_at_the_replica_as_far_as_it_has_come_and_while_the_database_is_away(
    servers: Servers, store: PostgresStore, tmp_path: Path, toy_game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object) -> Any:
        raise Unavailable("away")

    def nowhere() -> AbstractContextManager[Any]:
        raise Unavailable("away")

    store_each(store, appends(finished(toy_game, 1)))
    with closing(open_read_models(store)) as models:
        replica = models._replica
        assert replica is not None
        assert models.runner.wait(store.last(), PATIENCE)
        soon(lambda: has_reached(replica.generations(), store.last()))
        with standing_still(servers):
            with monkeypatch.context() as spared:
                spared.setattr(models.home, "reader", nowhere)
                assert listed(models) == ["m1"], "the replica holds everything"
            store_each(store, appends(finished(toy_game, 2)))
            assert listed(models) == ["m2", "m1"], "the replica lacks the second"
            with monkeypatch.context() as alone:
                alone.setattr(models.home, "reader", nowhere)
                with pytest.raises(Unavailable):
                    listed(models)
                alone.setattr(store, "last", away)
                assert listed(models) == ["m1"]
