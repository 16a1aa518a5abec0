"""Workers that share a file of read models: one of them leads, and no reader of another one notices."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from domain.games import GAMES
from projections import read, runner, sharing
from projections.leading import Lead, Taken, leader, ring
from projections.read import Asked, MatchFilter
from projections.reader import Reader
from projections.sharing import SharedRunner, file_of
from tests.projections.support import FakeSource, Hall, Item, caught_up, dumped
from tests.projections.test_logs import Away

LOG = Hall(list(GAMES.values()), 4, seed=31).play(300)
STORE = b"one store"
LONG = 30.0  # seconds, for what is soon

Worker = Callable[[FakeSource], SharedRunner]


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[Worker]:
    """Begins a worker that follows a log; all of them share a folder."""
    running: list[SharedRunner] = []

    def begun(log: FakeSource) -> SharedRunner:
        running.append(SharedRunner({"": log}, tmp_path, STORE))
        running[-1].start()
        return running[-1]

    yield begun
    for one in running:
        one.stop()


def add(log: FakeSource, items: list[Item]) -> None:
    for item in items:
        log.add([item.record], uploaded=item.uploaded)


def test_of_two_workers_one_takes_everything_in_and_both_know(worker: Worker, tmp_path: Path) -> None:
    log = FakeSource(LOG[:100])
    one, other = worker(log), worker(log)
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
    worker(log)
    follower = worker(log)
    for end in (1, 2, 50):
        add(log, LOG[log.last() : end])
        assert follower.wait({"": end}, LONG)


def test_a_reader_who_misses_a_leader_makes_his_worker_lead(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sharing, "IDLE", 3_600)  # nobody looks by himself
    log = FakeSource(LOG[:100])
    one, other, third = worker(log), worker(log), worker(log)
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
    alone = worker(log)
    assert not alone.leads
    lead.give_up()
    while not alone.leads:
        alone._stopping.wait(0.01)
    assert alone.wait({"": len(LOG)}, LONG)


def test_a_leader_that_cannot_read_the_log_lets_another_one_lead(worker: Worker) -> None:
    cut, log = Away(LOG[:100]), FakeSource(LOG[:100])
    one, other = worker(cut), worker(log)
    assert other.wait({"": 100}, LONG)
    cut.away = True
    add(log, LOG[100:])
    assert one.wait({"": 100}, LONG)
    while not one.away:
        ring(one.path)
    assert other.wait({"": len(LOG)}, LONG)
    assert (one.leads, other.leads) == (False, True)
    assert one.wait({"": len(LOG)}, LONG), "the file holds what it cannot read itself"


def test_what_stops_a_leader_is_told_by_all(worker: Worker) -> None:
    log = FakeSource(LOG[1:])  # the first move of a match is missing
    one, other = worker(log), worker(log)
    while not all(status.failure for status in one.status()):
        one.wait({"": 1}, 0.01)
    told, known = one.status(), other.status()
    assert {status.failure.match for status in known if status.failure} == {LOG[0].record.match}
    assert [status.name for status in known] == [status.name for status in told]
    assert [status.position for status in known] == [0] * len(known)


def test_before_the_file_is_made_everything_is_behind(worker: Worker, tmp_path: Path) -> None:
    lead = Lead(tmp_path / file_of(STORE))  # somebody is about to make it
    follower = worker(FakeSource(LOG))
    assert [(status.position, status.behind) for status in follower.status()] == [(0, len(LOG))] * 4
    assert not follower.wait({"": 0}, 0)
    lead.give_up()
    assert follower.wait({"": len(LOG)}, LONG)


def test_workers_of_other_stores_keep_another_file() -> None:
    assert file_of(b"one") != file_of(b"other")
    assert file_of(b"one") == file_of(b"one")


def test_files_of_older_versions_are_deleted_when_nobody_keeps_them(worker: Worker, tmp_path: Path) -> None:
    begun, _, _ = file_of(STORE).rpartition("-")
    older, kept, other = (tmp_path / f"{name}.db" for name in (f"{begun}-1", f"{begun}-2", "read-models-x-1"))
    for path in (older, kept, other):
        caught_up(LOG[:10], path)
    lead = Lead(kept)
    worker(FakeSource(LOG))
    assert [path.exists() for path in (older, kept, other)] == [False, True, True]
    lead.give_up()


def test_the_lock_tells_who_leads_and_keeps_others_out(tmp_path: Path) -> None:
    path = tmp_path / "file"
    assert not ring(path)
    lead = Lead(path)
    assert leader(path) == os.getpid()
    with pytest.raises(Taken):
        Lead(path)
    assert not lead.heard(0)
    assert ring(path)
    assert ring(path)
    assert lead.heard(LONG)
    assert not lead.heard(0)
    lead.give_up()
    assert not ring(path)


def test_a_full_disk_leaves_no_lead_that_nobody_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*given: object) -> int:
        raise OSError(errno.ENOSPC, "no room")

    with monkeypatch.context() as disk:
        disk.setattr(os, "pwrite", full)
        Lead(tmp_path / "file").give_up()
    Lead(tmp_path / "file").give_up()


def test_a_bell_that_nobody_answers_can_be_rung_for_ever(tmp_path: Path) -> None:
    lead = Lead(tmp_path / "file")
    assert all(ring(tmp_path / "file") for _ in range(70_000))  # more than a pipe holds
    lead.give_up()


def test_a_reader_sees_the_file_that_took_the_place_of_another(tmp_path: Path) -> None:
    path = tmp_path / "read.db"
    caught_up(LOG[:40], path)
    caught_up(LOG, tmp_path / "new.db")
    reader = Reader(path)
    before = reader.generations()
    (tmp_path / "new.db").replace(path)
    assert [one.position for one in reader.generations()] == [len(LOG)] * len(before)
    with reader as rows:
        assert len(read.matches(rows, MatchFilter(), Asked()).rows) == 4
    path.unlink()
    assert [one.position for one in reader.generations()] == [len(LOG)] * len(before)
    reader.close()
