"""A clock that is set back while matches are played, and one that is wrong from the start."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from tests.api.store.locations import Folder, Place
from tests.faults.clock import turn
from tests.faults.load import Crowd
from tests.faults.proofs import Proof, proved
from tests.faults.workers import Workers, working

HOUR = 3_600  # seconds
SAMPLE, FULL = 1, 10  # times that the clock is set back
BETWEEN = 40  # moves


def times(place: Place) -> list[tuple[str, int]]:
    """The matches and times of all moves, in the order in which they became durable; microseconds UTC."""
    store = place.open(write=False)
    found = [(one.record.match, one.record.entry.at or 0) for one in store.after(0, 1_000_000)]
    store.close()
    return found


def set_back(place: Place, folder: Path, often: int) -> Proof:
    """Set the clock of one worker back by an hour, so often; another one, where there is one, is right."""
    file = folder / "clock"
    turn(file, HOUR // 2)
    workers = Workers(place, 1 if isinstance(place, Folder) else 2)
    workers.first[0] = f"from tests.faults import clock\nclock.follow({str(file)!r})\n"
    with working(workers):
        crowd = Crowd(workers.doors, seed=5)
        for number in range(1, often + 1):
            crowd.play_on(BETWEEN)
            turn(file, HOUR // 2 - number * HOUR)
            later = Crowd(workers.doors[:1], seed=300 + number, pairs=1)
            later.play_on(1)
            crowd.pairs += later.pairs
        crowd.play_on(BETWEEN)
        return proved(workers, crowd, folder)


def jumps(moves: list[tuple[str, int]]) -> tuple[bool, bool]:
    """Did the clock jump back between two moves of the store, and between two of the same match?"""
    latest: dict[str, int] = {}
    within = False
    for match, at in moves:
        within = within or at < latest.get(match, at)
        latest[match] = at
    return any(after < before - HOUR * 500_000 for (_, before), (_, after) in pairwise(moves)), within


def test_the_time_of_a_match_never_runs_backwards(place: Place, tmp_path: Path) -> None:
    assert set_back(place, tmp_path, SAMPLE).acknowledged > BETWEEN
    assert jumps(times(place)) == (True, False)


@pytest.mark.long
def test_a_clock_that_is_set_back_ten_times(
    place: Place, tmp_path: Path, often: Callable[[int, int], int]
) -> None:
    print(f"set back {often(SAMPLE, FULL)} times: {set_back(place, tmp_path, often(SAMPLE, FULL))}")
    assert jumps(times(place)) == (True, False)
