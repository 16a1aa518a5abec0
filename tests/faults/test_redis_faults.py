"""A Redis that is killed, stalled or emptied under load: no request waits for it or depends on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from api.bus import VARIABLE
from tests.api.http.served import Client
from tests.api.store.locations import Database
from tests.faults.load import GAMES, Crowd
from tests.faults.proofs import Proof, proved
from tests.faults.workers import Workers, working
from tests.services import OwnRedis, own_redis
from tests.waiting import soon

SAMPLE, FULL = 1, 10  # times that each thing happens
WORKERS = 2
BETWEEN = 20  # moves between two of them, and during each, at least


@contextmanager
def killed(redis: OwnRedis) -> Iterator[None]:
    """It is gone, and then there again, empty."""
    redis.kill()
    yield
    redis.start()


@contextmanager
def stalled(redis: OwnRedis) -> Iterator[None]:
    """Redis accepts connections and answers none."""
    with redis.stalled():
        yield


@contextmanager
def emptied(redis: OwnRedis) -> Iterator[None]:
    """It has forgotten everything."""
    redis.empty()
    yield


def suffered(place: Database, folder: Path, times: int) -> Proof:
    """Let Redis fail in every way, so often; who begins meanwhile is shown everything meanwhile."""
    with own_redis() as redis:
        workers = Workers(place, WORKERS, environment={VARIABLE: redis.url})
        with working(workers):
            crowd = Crowd(workers.doors, seed=16, pairs=4)
            for number in range(times):
                for fault in (killed, stalled, emptied):
                    crowd.play_on(BETWEEN)
                    with fault(redis):
                        meanwhile = Crowd(workers.doors, seed=200 + number, pairs=2)
                        meanwhile.play_on(BETWEEN)
                        meanwhile.stop()
                    crowd.pairs += meanwhile.pairs
            crowd.play_on(BETWEEN)
            assert crowd.away == 0
            crowd.stop()
            for game in GAMES:
                soon(_agree, workers, game)
            return proved(workers, crowd, folder)


def _agree(workers: Workers, game: str) -> bool:
    """Do all workers show the same scoreboard?"""
    return len({_scoreboard(port, game) for _, port in workers.doors}) == 1


def _scoreboard(port: int, game: str) -> bytes:
    client = Client(port)
    answer = client.get(f"/v1/scoreboards/{game}")
    client.close()
    assert answer.status == 200, answer
    return answer.body


def test_a_redis_that_is_killed_stalled_and_emptied(shared: Database, tmp_path: Path) -> None:
    assert suffered(shared, tmp_path, SAMPLE).acknowledged > 4 * BETWEEN


@pytest.mark.long
def test_a_redis_that_is_killed_stalled_and_emptied_ten_times(
    shared: Database, tmp_path: Path, often: Callable[[int, int], int]
) -> None:
    times = often(SAMPLE, FULL)
    print(f"Redis killed, stalled, emptied {times} times each: {suffered(shared, tmp_path, times)}")
