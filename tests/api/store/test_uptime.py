"""The heartbeat of a store: gaps become stops, and stay known."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from api.store.interface import Stop, StoreError
from api.store.sql import SqlStore
from api.store.uptime import GAP, MOST, Kept, beaten
from tests.api.store.locations import Place

NOW = 1_790_000_000_000_000


def test_a_gap_between_two_heartbeats_is_a_stop(store: SqlStore) -> None:
    first = Stop(0, NOW)  # what was before the first one is not known
    assert store.uptime.beat(NOW) == (first,)
    assert store.uptime.beat(NOW + GAP) == (first,)
    stop = Stop(NOW + GAP, NOW + 3 * GAP)
    assert store.uptime.beat(NOW + 3 * GAP) == (first, stop)
    assert store.uptime.beat(NOW + 4 * GAP) == (first, stop)


def test_stops_are_known_after_a_restart(place: Place) -> None:
    for number in range(3):
        store = place.open()
        assert len(store.uptime.beat(NOW + number * 2 * GAP)) == number + 1
        store.close()


def test_a_process_whose_time_is_behind_makes_no_stop(store: SqlStore) -> None:
    store.uptime.beat(NOW)
    for ahead in (0, -5 * GAP, GAP // 2, -5 * GAP, GAP):
        assert len(store.uptime.beat(NOW + ahead)) == 1


def test_heartbeats_of_several_processes_make_one_stop(store: SqlStore) -> None:
    store.uptime.beat(NOW)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(store.uptime.beat, [NOW + 10 * GAP + number for number in range(12)]))
    assert {len(stops) for stops in found} == {2}
    assert len(set(found)) == 1


def test_a_store_that_is_only_read_takes_no_heartbeat(place: Place) -> None:
    place.open().close()
    store = place.open(write=False)
    with pytest.raises(StoreError):
        store.uptime.beat(NOW)
    store.close()


def test_so_many_stops_are_kept() -> None:
    kept = Kept()
    for number in range(1, MOST + 10):
        kept = beaten(kept, number * 2 * GAP)
    assert len(kept.stops) == MOST
    assert kept.stops[-1].end == kept.at
