"""One worker of a store moves the read models: it is killed under load, and another one goes on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from projections.postgres import LOCK
from tests.api.http.served import Client
from tests.api.store.locations import Database
from tests.faults.load import Crowd
from tests.faults.proofs import Proof, proved
from tests.faults.workers import Workers, working
from tests.waiting import soon

_MOVES = (
    "SELECT application_name FROM pg_locks JOIN pg_stat_activity USING (pid)"
    " WHERE locktype = 'advisory' AND granted AND (classid, objid) = (%s, %s)"
)
WORKERS = 2
BETWEEN = 20  # moves between two kills, at least
SAMPLE, FULL = 2, 20  # kills


def moves(workers: Workers, number: int) -> bool:
    """Does this worker move the read models?"""
    with psycopg.connect(str(workers.models)) as connection:
        names = connection.execute(_MOVES, LOCK).fetchall()
    return [name.split()[-1] for (name,) in names] == [str(workers.process(number).pid)]


def lists(workers: Workers, number: int, known: set[str]) -> bool:
    """Does this worker list all these matches?"""
    host, port = workers.doors[number]
    client = Client(port, host=host)
    found = json.loads(client.get("/v1/matches?limit=200").body)
    client.close()
    return known <= {match["match"] for match in found.get("matches", ())}  # none: they are being built


def movers_killed(place: Database, folder: Path, kills: int) -> Proof:
    """Kill the one that moves them so often; another one goes on, and lists what was played."""
    workers = Workers(place, WORKERS)
    with working(workers):
        crowd = Crowd(workers.doors, seed=21)
        for _ in range(kills):
            crowd.play_on(BETWEEN)
            doomed, survivor = sorted(range(WORKERS), key=lambda number: not moves(workers, number))
            workers.kill(doomed)
            crowd.play_on(BETWEEN)
            soon(lists, workers, survivor, set(crowd.acknowledged))
            soon(moves, workers, survivor)
            workers.start(doomed)
        crowd.play_on(BETWEEN)
        return proved(workers, crowd, folder)


def test_the_worker_that_moves_them_is_killed_twice(shared: Database, tmp_path: Path) -> None:
    assert movers_killed(shared, tmp_path, SAMPLE).acknowledged > SAMPLE * BETWEEN


@pytest.mark.long
def test_the_worker_that_moves_them_is_killed_twenty_times(
    shared: Database, tmp_path: Path, often: Callable[[int, int], int]
) -> None:
    kills = often(SAMPLE, FULL)
    print(f"{kills} kills: {movers_killed(shared, tmp_path, kills)}")
