"""Workers of a machine share their read models: whoever leads is killed under load, another one goes on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from projections.leading import leader
from tests.api.http.served import Client
from tests.api.store.places import Database
from tests.faults.load import Crowd
from tests.faults.proofs import Proof, proved
from tests.faults.workers import Workers, working
from tests.waiting import soon

WORKERS = 2
BETWEEN = 20  # moves between two kills, at least
SAMPLE, FULL = 2, 20  # kills


def leads(workers: Workers, number: int) -> bool:
    """Does this worker lead?"""
    (models,) = workers.models
    return leader(models) == workers.process(number).pid


def lists(workers: Workers, number: int, known: set[str]) -> bool:
    """Does this worker list all these matches?"""
    host, port = workers.doors[number]
    client = Client(port, host=host)
    found = json.loads(client.get("/v1/matches?limit=200").body)
    client.close()
    return known <= {match["match"] for match in found.get("matches", ())}  # none: they are being built


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
            soon(lists, workers, survivor, set(crowd.acknowledged))
            soon(leads, workers, survivor)
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
