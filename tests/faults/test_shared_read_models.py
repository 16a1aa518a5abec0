"""Workers of a machine share their read models: whoever leads is killed under load, another one goes on."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from projections.leading import leader
from tests.api.http.served import Client
from tests.api.store.places import Database
from tests.faults.load import Crowd
from tests.faults.proofs import Proof, proved
from tests.faults.watching import PATIENCE
from tests.faults.workers import Workers, working

WORKERS = 2
BETWEEN = 20  # moves between two kills, at least
SAMPLE, FULL = 2, 20  # kills


def leads(workers: Workers, number: int) -> bool:
    """Does this worker lead?"""
    (models,) = workers.models
    return leader(models) == workers.process(number).pid


def listed(workers: Workers, number: int) -> set[str]:
    """The matches that a worker lists."""
    host, port = workers.doors[number]
    client = Client(port, host=host)
    found = json.loads(client.get("/v1/matches?limit=200").body)
    client.close()
    return {match["match"] for match in found["matches"]}


def leaders_killed(place: Database, folder: Path, kills: int) -> Proof:
    """Kill whoever leads so often; the others list what was played meanwhile, and one of them leads."""
    workers = Workers(place, folder, WORKERS)
    with working(workers):
        crowd = Crowd(workers.doors, seed=21)
        for _ in range(kills):
            crowd.play_on(BETWEEN)
            doomed, survivor = sorted(range(WORKERS), key=lambda number: not leads(workers, number))
            workers.kill(doomed)
            crowd.play_on(BETWEEN)
            assert set(crowd.acknowledged) <= listed(workers, survivor)
            end = time.monotonic() + PATIENCE
            while not leads(workers, survivor):
                assert time.monotonic() < end, "nobody leads"
                crowd.play_on(1)
            workers.start(doomed)
        crowd.play_on(BETWEEN)
        return proved(workers, crowd, folder)


def test_whoever_leads_is_killed_twice(shared: Database, tmp_path: Path) -> None:
    assert leaders_killed(shared, tmp_path, SAMPLE).acknowledged > SAMPLE * BETWEEN


@pytest.mark.long
def test_whoever_leads_is_killed_twenty_times(
    shared: Database, tmp_path: Path, often: Callable[[int, int], int]
) -> None:
    kills = often(SAMPLE, FULL)
    print(f"{kills} kills: {leaders_killed(shared, tmp_path, kills)}")
