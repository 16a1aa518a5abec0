"""Two workers on one PostgreSQL and one Redis, over HTTP: what they share, and what they do without Redis."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from api.bus import VARIABLE
from api.store.postgres import PostgresStore
from tests.api.http.playing import played, two_workers
from tests.api.http.processes import Process
from tests.api.http.served import Client, Served
from tests.api.http.streaming import Event, Listener
from tests.services import OwnRedis
from tests.waiting import soon

GAME = "cia_vs_kgb"
NEWCOMERS = 3  # new players in a minute from one address


@pytest.fixture
def workers(database: str, redis: OwnRedis, tmp_path: Path) -> Iterator[list[Served]]:
    """Two servers to which the database itself tells nothing: what they hear, they hear through Redis."""

    def open() -> PostgresStore:
        store = PostgresStore.open(database, keys=tmp_path / "keys")
        vars(store)["watch"] = lambda told: None
        return store

    with two_workers(tmp_path, open, redis=redis.url, players_per_minute=NEWCOMERS) as found:
        yield found


def play(match: str, players: list[Client], moves: int, source: random.Random) -> None:
    """So many moves, each of them accepted."""
    for _ in range(moves):
        played(match, players, source)


@pytest.mark.hurried
def test_who_follows_at_one_worker_sees_every_move_of_the_other_whatever_befalls_redis(
    workers: list[Served], redis: OwnRedis
) -> None:
    match, players = workers[0].table(GAME)
    listener = Listener(workers[1].port, f"/v1/matches/{match}/moves")
    events, source = listener.take(3), random.Random(1)

    def go_on() -> None:
        play(match, players, 3, source)
        events.extend(listener.take(3))

    go_on()
    redis.kill()
    go_on()  # no worker waits for Redis, and the store is read
    redis.start()
    go_on()
    with redis.stalled():
        go_on()
    go_on()
    redis.empty()
    go_on()
    listener.close()
    assert [event.id for event in events] == list(range(1, len(events) + 1))
    told = players[0].get(f"/v1/matches/{match}/moves?view=spectator").json["moves"]
    assert [event.data for event in events] == told[: len(events)]


@pytest.mark.hurried
def test_while_redis_is_stalled_commands_are_carried_out(workers: list[Served], redis: OwnRedis) -> None:
    match, players = workers[0].table(GAME)
    with redis.stalled():
        play(match, players, 30, random.Random(2))
        assert players[0].get("/v1/matches").status == 200
        assert players[0].get(f"/v1/scoreboards/{GAME}").status == 200
        ticket = players[0].post("/v1/streams/tickets", {"match": match})
        assert ticket.status == 201
        assert players[0].get(f"/v1/matches/{match}").json["move"] == 33


def test_a_ticket_opens_a_stream_at_the_other_worker_as_the_same_seat(
    workers: list[Served], redis: OwnRedis
) -> None:
    match, players = workers[0].table(GAME)
    ticket = players[0].post("/v1/streams/tickets", {"match": match}).json["ticket"]
    path = f"/v1/matches/{match}/moves?ticket={ticket}"
    streams = [Listener(worker.port, path) for worker in workers]
    seen: list[list[Event]] = [stream.take(3) for stream in streams]
    assert seen[0] == seen[1]
    for stream in streams:
        stream.close()
    redis.kill()
    own = Listener(workers[0].port, path)
    assert own.take(3) == seen[0]
    own.close()
    late = players[0].post("/v1/streams/tickets", {"match": match}).json["ticket"]
    refused = (
        workers[1]
        .client()
        .send("GET", f"/v1/matches/{match}/moves?ticket={late}", None, {"accept": "text/event-stream"})
    )
    assert "ask for a new one" in refused.problem(401, "unauthorized")["detail"]


def test_a_visitor_who_uses_two_workers_gets_one_allowance(workers: list[Served]) -> None:
    clients = [worker.client() for worker in workers]
    granted = [clients[0].post("/v1/players", {"name": "Ann"}).status for _ in range(NEWCOMERS + 1)]
    assert granted == [201] * NEWCOMERS + [429]
    there = workers[1].services
    assert there is not None
    limit = there.new_players
    soon(lambda: any(free > time.monotonic() - limit.each / 2 for free in list(limit._free_at.values())))
    assert clients[1].post("/v1/players", {"name": "Ann"}).status == 429


def test_without_redis_each_worker_limits_by_itself(workers: list[Served], redis: OwnRedis) -> None:
    redis.kill()
    for worker in workers:
        client = worker.client()
        granted = [client.post("/v1/players", {"name": "Ann"}).status for _ in range(NEWCOMERS + 1)]
        assert granted == [201] * NEWCOMERS + [429]


def test_real_workers_outlive_a_redis_that_is_killed_and_one_that_never_was(
    database: str, redis: OwnRedis, tmp_path: Path
) -> None:
    told = {VARIABLE: redis.url.replace("redis://", "redis://:hush@"), "GLASNOST_LOG_LEVEL": "warning"}
    redis.kill()  # the workers begin without it
    running = [Process(database, keys=tmp_path / "keys", environment=told) for _ in range(2)]
    try:
        first = Client(running[0].port)
        first.token = first.post("/v1/players", {"name": "Ann"}).json["token"]
        match = first.post("/v1/matches", {"game": "thirteen_minutes"}).json["match"]
        for seat in ("us", "ussr"):
            assert first.post(f"/v1/matches/{match}/seats/{seat}").status == 201
        listener = Listener(running[1].port, f"/v1/matches/{match}/moves")
        events, source = listener.take(3), random.Random(3)
        changes: list[Callable[[], None]] = [redis.start, redis.empty, redis.kill, redis.start]
        for change in (None, *changes):
            if change is not None:
                change()
            play(match, [first], 4, source)
            events += listener.take(4)
        assert [event.id for event in events] == list(range(1, len(events) + 1))
        listener.close()
        first.close()
        ended = [one.stop() for one in running]
    finally:
        for one in running:
            one.close()
    for code, said in ended:
        assert code == 0
        assert "redis is away; going on without it" in said
        assert "hush" not in said
        assert "Traceback" not in said


def test_a_setting_that_is_no_redis_stops_the_start(tmp_path: Path) -> None:
    from api.http.server import serve
    from api.settings import BadSetting

    with pytest.raises(BadSetting, match="GLASNOST_REDIS is no address"):
        serve(tmp_path / "store", port=0, environment={VARIABLE: "http://user:hush@localhost"})
    assert not (tmp_path / "store").exists()
