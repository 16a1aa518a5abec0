"""Reading the own write: a read with `at_least` has that move, even if only a replica is available."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from api.store.postgres import PostgresStore
from domain.game import Game
from tests.api.http.playing import on, picked
from tests.api.http.served import Served, served
from tests.api.http.test_commands import bid
from tests.api.http.test_operations import metrics
from tests.api.store.test_replica import pause, wait_for
from tests.services import OwnPostgres, own_postgres

LOOKS = ("", "/prompt", "/moves", "/turns", "/checkpoint", "/file")
LAG = "glasnost-replica-lag-ms"


def test_every_read_of_a_match_accepts_at_least(server: Served) -> None:
    match, players = server.table()
    address = bid(match, players)
    for look in LOOKS:
        held = players[0].get(f"{address}{look}?at_least=5")
        assert (held.status, LAG in held.headers) == (200, False), look
        refused = players[0].get(f"{address}{look}?at_least=6").problem(404, "unknown-move")
        assert refused["detail"] == "the latest move is 5"
        players[0].get(f"{address}{look}?at_least=0").problem(422, "invalid")
    lines = players[0].get(f"{address}/moves?at_least=6", accept="application/x-ndjson")
    lines.problem(404, "unknown-move")
    players[0].get(f"{address}/moves?at_least=6", accept="text/event-stream").problem(404, "unknown-move")
    server.client().get("/v1/matches/nowhere?at_least=1").problem(404, "unknown-match")


def test_turns_are_listed_at_once_while_the_read_models_are_stopped(server: Served) -> None:
    match, players = server.table()
    server.models.runner.stop()
    address = bid(match, players)
    told = players[0].get(f"{address}/turns").json
    assert (told["over"], told["turns"][-1]["turn"]["last"]) == (False, 5)


# ── with a replica ──


class League:
    """Two workers on one database, each with its replica to read from."""

    def __init__(self, database: OwnPostgres, replica: OwnPostgres, workers: list[Served]) -> None:
        self.database, self.replica, self.workers = database, replica, workers

    @property
    def servers(self) -> tuple[OwnPostgres, OwnPostgres]:
        """The two databases."""
        return self.database, self.replica

    def pause(self) -> None:
        """The replica holds everything, and takes nothing more in."""
        wait_for(self.servers, "postgres")
        pause(self.servers, "pause")

    def wait_for_what_is_paused(self) -> None:
        """Wait until the replica has received what it does not take in."""
        with psycopg.connect(self.database.url) as first, psycopg.connect(self.replica.url) as second:
            here = first.execute("SELECT pg_current_wal_lsn()").fetchone()
            assert here is not None
            while second.execute("SELECT pg_last_wal_receive_lsn() >= %s::pg_lsn", here).fetchone() != (
                True,
            ):
                second.rollback()


@pytest.fixture
def league(toy_in_words: Game, tmp_path: Path) -> Iterator[League]:
    """A database with a replica, and two workers."""
    with own_postgres() as database, database.replica() as replica:
        stores = [PostgresStore.open(database.url_of("postgres"), keys=tmp_path / "keys") for _ in range(2)]
        wait_for((database, replica), "postgres")
        for store in stores:
            store.read_from(replica.url_of("postgres"))
        (tmp_path / "b").mkdir()
        with (
            served(tmp_path, stores[0]) as one,
            served(tmp_path / "b", stores[1], at_least_seconds=1) as other,
        ):
            yield League(database, replica, [one, other])
        for store in stores:
            store.close()


def test_match_is_read_from_the_replica_with_its_age_if_the_database_fails(league: League) -> None:
    here, there = league.workers
    match, players = here.table(options={"rounds": 3})
    address = f"/v1/matches/{match}"
    ann, ben = (on(there, player) for player in players)
    assert [one.get("/v1/keys").status for one in (ann, ben)] == [200, 200]  # the worker knows their tokens
    league.pause()
    body = picked(random.Random(1), players[0].get(f"{address}/prompt").json)
    assert players[0].post(f"{address}/moves", body).json["move"] == 4
    remarks = there.client().get("/readyz").json["remarks"]
    told = metrics(there.client())
    assert (told["glasnost_replica_up"], told["glasnost_replica_behind_moves"]) == (1, 1)
    assert told["glasnost_replica_lag_seconds"] > 0
    assert remarks["replica"] == "moves that it lacks: 1"
    league.wait_for_what_is_paused()
    league.database.kill()
    for look in ("", "/prompt", "/moves", "/checkpoint", "/file", "?at_least=3", "/moves?after=3"):
        answer = ann.get(f"{address}{look}")
        assert answer.status == 200, answer
        assert int(answer.headers[LAG]) > 0, look
    assert ann.get(address).json["move"] == 3
    behind = ben.get(f"{address}?at_least=4")
    assert behind.problem(503, "behind")["detail"] == "the replica holds moves up to 3, not 4"
    assert behind.headers["retry-after"] == "1"
    ben.get(f"{address}?at=4").problem(503, "behind")
    ann.post(f"{address}/moves", body).problem(503, "unavailable")
    assert players[0].get(address).json["move"] == 4  # this worker stored it itself
    pause(league.servers, "resume")
    while (held := ben.get(f"{address}?at_least=4")).status != 200:
        held.problem(503, "behind")
    assert (held.json["move"], LAG in held.headers) == (4, True)
    league.database.start()
    current = ben.get(f"{address}?at_least=4")
    assert (current.status, LAG in current.headers) == (200, False)
    ben.get(f"{address}?at_least=5").problem(404, "unknown-move")
