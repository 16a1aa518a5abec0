"""Workers that share a file of read models: one of them leads, and no reader of another one notices."""

from __future__ import annotations

from pathlib import Path

import pytest

from domain.games import GAMES
from projections import runner, sharing
from projections.leading import Lead, Use
from projections.sharing import file_of
from tests.projections.support import LONG, STORE, FakeSource, Hall, Worker, add, caught_up, dumped
from tests.waiting import soon

LOG = Hall(list(GAMES.values()), 4, seed=31).play(300)


def test_of_two_workers_one_takes_everything_in_and_both_know(worker: Worker, tmp_path: Path) -> None:
    log = FakeSource(LOG[:100])
    one, other = worker({"": log}), worker({"": log})
    assert (one.leads, other.leads) == (True, False)
    add(log, LOG[100:])
    assert other.wait({"": len(LOG)}, LONG)
    assert not other.wait({"": len(LOG) + 1}, 0)
    assert other.status() == one.status()
    assert [status.behind for status in other.status()] == [0] * len(runner.PROJECTIONS)
    caught_up(LOG, tmp_path / "fresh.db")
    assert dumped(one.path) == dumped(tmp_path / "fresh.db")
    assert other.path == one.path


def test_a_reader_of_a_follower_does_not_wait_for_the_leaders_pause(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "PAUSE", 3_600)
    log = FakeSource()
    worker({"": log})
    follower = worker({"": log})
    for end in (1, 2, 50):
        add(log, LOG[log.last() : end])
        assert follower.wait({"": end}, LONG)


def test_a_reader_who_misses_a_leader_makes_his_worker_lead(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sharing, "IDLE", 3_600)  # nobody looks by himself
    log = FakeSource(LOG[:100])
    one, other, third = worker({"": log}), worker({"": log}), worker({"": log})
    one.stop()
    add(log, LOG[100:])
    assert other.wait({"": len(LOG)}, LONG)
    assert (other.leads, third.leads) == (True, False)
    assert third.wait({"": len(LOG)}, LONG)


def test_without_a_leader_somebody_leads_although_nobody_reads(
    worker: Worker, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sharing, "IDLE", 0.01)
    log = FakeSource(LOG)
    lead = Lead(tmp_path / file_of(STORE))
    alone = worker({"": log})
    assert not alone.leads
    lead.give_up()
    soon(lambda: alone.leads)
    assert alone.wait({"": len(LOG)}, LONG)


def test_what_stops_a_leader_is_told_by_all(worker: Worker) -> None:
    log = FakeSource(LOG[1:])  # the first move of a match is missing
    one, other = worker({"": log}), worker({"": log})
    while not all(status.failure for status in one.status()):
        one.wait({"": 1}, 0.01)
    told, known = one.status(), other.status()
    assert {status.failure.match for status in known if status.failure} == {LOG[0].record.match}
    assert [status.name for status in known] == [status.name for status in told]
    assert [status.position for status in known] == [0] * len(known)


def test_before_the_file_is_made_everything_is_behind(worker: Worker, tmp_path: Path) -> None:
    lead = Lead(tmp_path / file_of(STORE))  # somebody is about to make it
    follower = worker({"": FakeSource(LOG)})
    assert [(status.position, status.behind) for status in follower.status()] == [(0, len(LOG))] * 3
    assert not follower.wait({"": 0}, 0)
    lead.give_up()
    assert follower.wait({"": len(LOG)}, LONG)


def test_workers_of_other_stores_keep_another_file() -> None:
    assert file_of(b"one") != file_of(b"other")
    assert file_of(b"one") == file_of(b"one")


def test_files_of_older_versions_are_deleted_when_nobody_uses_them(worker: Worker, tmp_path: Path) -> None:
    begun, _, _ = file_of(STORE).rpartition("-")
    older, used, other = (tmp_path / f"{name}.db" for name in (f"{begun}-1", f"{begun}-2", "read-models-x-1"))
    for path in (older, used, other):
        caught_up(LOG[:10], path)
    users = [Use(used), Use(used)]
    users.pop().give_up()
    worker({"": FakeSource(LOG)})
    assert [path.exists() for path in (older, used, other)] == [False, True, True]
    users.pop().give_up()
    worker({"": FakeSource(LOG)})
    assert [path.exists() for path in (older, used, other)] == [False, False, True]


def test_a_file_that_nobody_leads_for_a_moment_stays_for_those_who_read_it(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The workers are upgraded one after the other, and it was the leader's turn first."""
    monkeypatch.setattr(sharing, "IDLE", 3_600)  # nobody looks by himself
    log = FakeSource(LOG[:100])
    with monkeypatch.context() as older:
        older.setattr(sharing, "_VERSION", "older")
        one, other = worker({"": log}), worker({"": log})
        assert other.wait({"": 100}, LONG)
    one.stop()
    assert worker({"": log}).path != other.path
    assert other.path.exists()
