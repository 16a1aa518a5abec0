"""A worker that is cut off from the database, while another one is not."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.api.store.locations import Database
from tests.api.store.proxy import Line, line_to
from tests.faults.load import Crowd
from tests.faults.proofs import Proof, proved
from tests.faults.workers import Workers, working

SAMPLE, FULL = 1, 10  # times that each thing happens
DARK_SAMPLE, DARK_FULL = 0.5, 40.0  # seconds without a word; a client gives up after 30
BETWEEN = 20  # moves between two of them, at least


def muted(cut: Line, crowd: Crowd, seconds: float) -> None:
    """What the worker says arrives and is done, and it hears nothing of it."""
    cut.muted.set()
    assert cut.swallowed.wait(60)
    time.sleep(seconds)


def dark(cut: Line, crowd: Crowd, seconds: float) -> None:
    """Nothing arrives in either direction, and no error is sent."""
    cut.dark.set()
    assert cut.swallowed.wait(60)
    time.sleep(seconds)


def barred(cut: Line, crowd: Crowd, seconds: float) -> None:
    """The line is cut, and for a while no connection is accepted."""
    cut.barred.set()
    cut.cut()
    crowd.be_refused(10)
    cut.barred.clear()


def cut_off(place: Database, folder: Path, times: int, seconds: float) -> Proof:
    """Cut one of two workers off in every way, so often; who plays at the other one does not notice."""
    workers = Workers(place, 2)
    with line_to(place.url) as (cut, workers.locations[0]), working(workers):
        crowd, elsewhere = Crowd(workers.doors, seed=3, pairs=4), Crowd(workers.doors[1:], 4, pairs=2)
        for number in range(times):
            for trouble in (muted, dark, barred):
                crowd.play_on(BETWEEN)
                trouble(cut, crowd, seconds if number == 0 else DARK_SAMPLE)
                elsewhere.play_on(BETWEEN)
                cut.cut()
                assert elsewhere.away == 0
        crowd.play_on(BETWEEN)
        crowd.pairs += elsewhere.pairs
        return proved(workers, crowd, folder)


def test_a_worker_that_is_cut_off_loses_nothing(shared: Database, tmp_path: Path) -> None:
    assert cut_off(shared, tmp_path, SAMPLE, DARK_SAMPLE).acknowledged > 2 * BETWEEN


@pytest.mark.long
def test_a_worker_that_is_cut_off_ten_times(
    shared: Database, tmp_path: Path, often: Callable[[int, int], int]
) -> None:
    times = often(SAMPLE, FULL)
    seconds = DARK_FULL if times == FULL else DARK_SAMPLE
    print(f"cut off {3 * times} times: {cut_off(shared, tmp_path, times, seconds)}")
