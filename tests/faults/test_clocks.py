"""Clocks of servers that are killed, and of a PostgreSQL that is away: no time-out is lost or doubled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from domain.clocks import SECOND
from replay.verify import verify
from tests.api.http.served import Client
from tests.api.store.locations import Database, Folder, Place
from tests.faults.clock import turn
from tests.faults.workers import Workers, working
from tests.services import own_postgres
from tests.waiting import soon

AWAY = 3_600  # seconds for which no move can be stored, by the clock of the workers
KILLS, FULL = 1, 20
GAME, SEATS = "thirteen_minutes", ("us", "ussr")


def dialed(place: Place, file: Path) -> Workers:
    """One worker, whose clock a file sets."""
    turn(file, 0)
    workers = Workers(place)
    workers.first[0] = f"from tests.faults import clock\nclock.follow({str(file)!r})\n"
    return workers


def begun(workers: Workers, main: int) -> str:
    """A match with so many seconds for each player, in which both are asked."""
    port = workers.doors[0][1]
    visitor = Client(port)
    people = [visitor.post("/v1/players", {"name": name}).json for name in ("Ann", "Ben")]
    players = [Client(port, one["token"], one["player"]) for one in people]
    body = {"game": GAME, "clock": {"mode": "bank", "main": main}}
    match = str(players[0].post("/v1/matches", body).json["match"])
    for seat, player in zip(SEATS, players, strict=True):
        assert player.post(f"/v1/matches/{match}/seats/{seat}", {}).status == 201
    for client in (visitor, *players):
        client.close()
    return match


def moves(workers: Workers, match: str) -> list[Any]:
    """All moves of a match; none while the server cannot say."""
    client = Client(workers.doors[0][1])
    try:
        answer = client.get(f"/v1/matches/{match}/moves")
        return list(answer.json["moves"]) if answer.status == 200 else []
    finally:
        client.close()


def has(workers: Workers, match: str, kind: str) -> bool:
    """Is there a move of this kind?"""
    return any(move["kind"] == kind for move in moves(workers, match))


def must_have_ended_once(workers: Workers, match: str, main: int) -> None:
    """There is one time-out, with its end; the stop is noted in full, and cost no player any time."""
    told = moves(workers, match)
    kinds = [move["kind"] for move in told]
    assert kinds[-3:] == ["timed_out", "secret_opened", "closed"]
    assert [kinds.count(kind) for kind in ("timed_out", "closed")] == [1, 1]
    stopped = sum(move["to"] - move["from"] for move in told if move["kind"] == "clock_stopped")
    assert stopped >= AWAY * SECOND
    began, out = (next(move for move in told if move.get(name)) for name in ("asked", "left"))
    assert out["at"] - began["at"] - stopped >= main * SECOND
    client = Client(workers.doors[0][1])
    assert verify(client.get(f"/v1/matches/{match}/file").body).ok
    client.close()


def killed(place: Place, file: Path, main: int, kills: int) -> None:
    """Kill the worker and let an hour pass; then kill it, so often, before the time is up."""
    workers = dialed(place, file)
    with working(workers):
        match = begun(workers, main)
        workers.kill(0)
        turn(file, AWAY)
        workers.start(0)
        soon(lambda: has(workers, match, "clock_stopped"))
        for _ in range(kills):
            workers.kill(0)
            workers.start(0)
        turn(file, AWAY + main)  # the rest of the time is over at once
        soon(lambda: has(workers, match, "closed"))
        must_have_ended_once(workers, match, main)


def test_a_server_killed_between_a_heartbeat_and_a_time_out(embedded: Folder, tmp_path: Path) -> None:
    killed(embedded, tmp_path / "dial", 3, KILLS)


@pytest.mark.long
def test_a_server_killed_twenty_times_around_a_time_out(place: Place, tmp_path: Path) -> None:
    killed(place, tmp_path / "dial", 20, FULL)


def test_a_database_that_is_away_burns_no_time(tmp_path: Path) -> None:
    with own_postgres() as database:
        place = Database(database.url_of("postgres"), tmp_path / "keys")
        workers = dialed(place, tmp_path / "dial")
        with working(workers):
            match = begun(workers, 3)
            database.end()
            turn(tmp_path / "dial", AWAY)
            database.start()
            soon(lambda: has(workers, match, "clock_stopped"))
            turn(tmp_path / "dial", AWAY + 3)
            soon(lambda: has(workers, match, "closed"))
            must_have_ended_once(workers, match, 3)
