"""kill -9 of workers under load."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.api.store.locations import Folder, Place
from tests.faults.load import Crowd
from tests.faults.proofs import Proof, proved
from tests.faults.workers import Workers, working

SAMPLE, FULL = 2, 200  # kills
WORKERS = 2  # on a shared store
BETWEEN = 20  # moves between two kills, at least


def killed(place: Place, folder: Path, kills: int) -> Proof:
    """Kill a worker so often while all of them are busy."""
    workers, source = Workers(place, 1 if isinstance(place, Folder) else WORKERS), random.Random(1)
    with working(workers):
        crowd = Crowd(workers.doors, seed=1)
        for number in range(1, kills + 1):
            crowd.play_on(BETWEEN)
            time.sleep(source.uniform(0, 0.05))  # at no particular moment
            doomed = source.randrange(len(workers.doors))
            workers.kill(doomed)
            workers.start(doomed)
            if number % 20 == 0:
                print(f"{number} kills, {crowd.moves} moves", flush=True)
        crowd.play_on(BETWEEN)
        return proved(workers, crowd, folder)


def test_two_kills_under_load(place: Place, tmp_path: Path) -> None:
    assert killed(place, tmp_path, SAMPLE).acknowledged > SAMPLE * BETWEEN


@pytest.mark.long
def test_two_hundred_kills_under_load(place: Place, tmp_path: Path, often: Callable[[int, int], int]) -> None:
    kills = often(SAMPLE, FULL)
    print(f"{kills} kills: {killed(place, tmp_path, kills)}")
