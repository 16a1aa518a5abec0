"""A PostgreSQL that is killed, or restarted as its owner does it, under load."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.api.store.locations import Database
from tests.faults.load import Crowd
from tests.faults.proofs import Proof, proved
from tests.faults.workers import Workers, working
from tests.services import own_postgres

SAMPLE, FULL = 2, 10  # restarts
WORKERS = 2
BETWEEN = 20  # moves between two of them, at least


def restarted(folder: Path, times: int) -> Proof:
    """End the database so often, in turn by kill -9 and in good order; the workers live on."""
    with own_postgres() as server:
        workers = Workers(Database(server.url_of("postgres"), folder / "keys"), WORKERS)
        with working(workers):
            crowd = Crowd(workers.doors, seed=2)
            for number in range(times):
                crowd.play_on(BETWEEN)
                (server.end if number % 2 else server.kill)()
                crowd.be_refused()
                server.start()
            crowd.play_on(BETWEEN)
            return proved(workers, crowd, folder)


def test_a_database_that_is_killed_and_one_that_is_restarted(tmp_path: Path) -> None:
    assert restarted(tmp_path, SAMPLE).acknowledged > SAMPLE * BETWEEN


@pytest.mark.long
def test_ten_restarts_of_the_database(tmp_path: Path, often: Callable[[int, int], int]) -> None:
    times = often(SAMPLE, FULL)
    print(f"{times} restarts of PostgreSQL: {restarted(tmp_path, times)}")
