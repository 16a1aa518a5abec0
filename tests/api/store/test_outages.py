"""A database that goes away and comes back: nothing acknowledged is lost, and everybody hears of all."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial
from itertools import count
from pathlib import Path
from queue import Queue
from threading import Event, Thread

import psycopg
import pytest

from api.store import postgres_connection, postgres_writer
from api.store.interface import Append, Conflict, Exists, InDoubt, Unavailable
from api.store.postgres import PostgresStore
from domain.game import Game
from tests import services
from tests.api.store.appends import appends, stored
from tests.api.store.locations import Database
from tests.matches import Sitting, finished
from tests.waiting import PATIENCE

CLIENTS = 4


class Client:
    """Plays one match after the other, repeats what is refused, and notes what is acknowledged."""

    def __init__(self, store: PostgresStore, game: Game, seeds: Iterator[int]) -> None:
        self._store, self._game, self._seeds = store, game, seeds
        self.done, self.refused, self.stop = Queue[tuple[str, int]](), Event(), Event()
        self.wrong: list[BaseException] = []
        self._thread = Thread(target=self._play)
        self._thread.start()

    def join(self) -> list[tuple[str, int]]:
        """What was acknowledged: matches and moves."""
        self.stop.set()
        self._thread.join()
        return list(self.done.queue)

    def _play(self) -> None:
        for seed in self._seeds:
            for append in appends(finished(self._game, seed)):
                if self.stop.is_set():
                    return
                self._store_it(append)
                self.done.put((append.records[0].match, append.records[-1].move))

    def _store_it(self, append: Append) -> None:
        doubtful = False
        while (refusal := self._store.submit(append).exception()) is not None:
            if isinstance(refusal, (Conflict, Exists)):
                if not doubtful:  # then it was said that nothing was stored
                    self.wrong.append(refusal)
                return
            if not isinstance(refusal, (Unavailable, InDoubt)):
                self.wrong.append(refusal)
            doubtful = doubtful or isinstance(refusal, InDoubt)
            self.refused.set()


def test_a_server_killed_under_load_loses_nothing_acknowledged(
    tmp_path: Path, toy_game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_writer, "DOUBT", 0.2)
    told: list[tuple[str, int]] = []
    with services.own_postgres() as server:
        store = PostgresStore.open(server.url_of("postgres"), keys=tmp_path / "keys")
        store.watch(lambda match, position: told.append((match, position)))
        clients = [Client(store, toy_game, itertools.count(first, CLIENTS)) for first in range(CLIENTS)]
        for _ in range(3):
            wait_for_more(clients)
            server.kill()
            for client in clients:
                client.refused.clear()
                client.refused.wait()
            server.start()
        wait_for_more(clients)
        acknowledged = [one for client in clients for one in client.join()]
        assert [client.wrong for client in clients] == [[]] * CLIENTS
        kept = {match: len(stored(store, match)) for match in store.matches()}
        assert all(kept[match] >= move for match, move in acknowledged)
        log = [(found.record.match, found.position) for found in store.after(0, 1_000_000)]
        store.close()
    assert [position for _, position in log] == list(range(1, len(log) + 1))
    assert told == log


def wait_for_more(clients: list[Client]) -> None:
    """Until each has stored something more."""
    before = [client.done.qsize() for client in clients]
    while any(client.done.qsize() < size + 5 for client, size in zip(clients, before, strict=True)):
        clients[0].stop.wait(0.01)


# ── listening ──


@pytest.fixture
def place(database: str, tmp_path: Path) -> Database:
    """An empty database, and a folder for the keys."""
    return Database(database, tmp_path / "keys")


@pytest.fixture
def workers(place: Database) -> Iterator[tuple[PostgresStore, PostgresStore]]:
    """Two processes' worth of stores."""
    one, other = (PostgresStore.open(place.url, keys=place.keys) for _ in range(2))
    yield one, other
    one.close()
    other.close()


def opening(game: Game, seed: int) -> Append:
    return Append(Sitting(game, seed).match.records, secret=bytes(32))


def put(told: Queue[tuple[str, int]], match: str, position: int) -> None:
    told.put((match, position))


def test_a_listener_whose_connection_was_ended_listens_again(
    place: Database, workers: tuple[PostgresStore, PostgresStore], toy_game: Game
) -> None:
    told: Queue[tuple[str, int]] = Queue()
    workers[0].watch(partial(put, told))
    for seed in range(1, 6):
        place.force(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE application_name = 'glasnost listener' AND datname = current_database()"
        )
        workers[1].submit(opening(toy_game, seed)).result()
        assert told.get(timeout=PATIENCE) == (f"m{seed}", seed)
    assert told.empty()


def test_a_listener_that_hears_nothing_is_replaced(
    place: Database,
    workers: tuple[PostgresStore, PostgresStore],
    toy_game: Game,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: Queue[tuple[str, int]] = Queue()
    monkeypatch.setattr(postgres_connection, "MOVES_CHANNEL", "somewhere_else")
    monkeypatch.setattr(postgres_connection, "LOOK", 0.02)
    workers[0].watch(partial(put, told))
    while not (heard := listeners(place)):
        pass
    monkeypatch.setattr(postgres_connection, "MOVES_CHANNEL", "glasnost_moves")
    seeds = count(1)

    def is_told_of_another() -> None:
        seed = next(seeds)
        workers[1].submit(opening(toy_game, seed)).result()
        assert told.get(timeout=PATIENCE) == (f"m{seed}", seed)

    is_told_of_another()
    while listeners(place) & heard or not listeners(place):
        is_told_of_another()  # once more: the first reading may have been that of its start
    monkeypatch.setattr(postgres_connection, "LOOK", 3600.0)
    for _ in range(2):
        is_told_of_another()


def listeners(place: Database) -> set[int]:
    """The processes of the server with a connection that listens."""
    with psycopg.connect(place.url) as connection:
        rows = connection.execute(
            "SELECT pid FROM pg_stat_activity WHERE application_name = 'glasnost listener'"
            " AND datname = current_database() AND query LIKE 'LISTEN%'"
        )
        return {row[0] for row in rows}
