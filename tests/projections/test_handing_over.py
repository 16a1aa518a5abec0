"""How the lead over shared read models goes from one worker to another, and who waits meanwhile."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from domain.games import GAMES
from projections import runner, sharing
from projections.file import BESIDE
from projections.leading import Lead
from projections.runner import Runner
from projections.sharing import SharedRunner
from tests.projections.support import (
    LONG,
    STORE,
    FakeSource,
    Hall,
    Item,
    Worker,
    add,
    caught_up,
    dumped,
    open_below,
)
from tests.projections.test_logs import Away
from tests.waiting import soon

LOG = Hall(list(GAMES.values()), 4, seed=31).play(300)


def test_a_leader_that_cannot_read_the_log_lets_another_one_lead(worker: Worker) -> None:
    cut, log = Away(LOG[:100]), FakeSource(LOG[:100])
    one, other = worker({"": cut}), worker({"": log})
    assert other.wait({"": 100}, LONG)
    cut.away = True
    add(log, LOG[100:])
    assert one.wait({"": 100}, LONG)
    assert one.away == [""]
    assert other.wait({"": len(LOG)}, LONG)
    assert (one.leads, other.leads) == (False, True)
    assert one.wait({"": len(LOG)}, LONG), "the file holds what it cannot read itself"


def test_whoever_sees_what_a_leader_took_in_sees_who_leads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, found, start = SharedRunner({"": FakeSource(LOG[:100])}, tmp_path, STORE), [], Runner.start

    def started(self: Runner) -> None:
        start(self)
        found.append((self.wait({"": 100}, LONG), one.leads))

    monkeypatch.setattr(Runner, "start", started)
    one.start()
    one.stop()
    assert found == [(True, True)]


class Unreadable(Away):
    """A log that cannot be read."""

    away = True


def test_a_log_that_nobody_can_read_changes_no_lead(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "PAUSE", 3_600)  # the leader takes in what he is told to
    home = FakeSource()
    one, other = (worker({"home": home, "east": Unreadable()}) for _ in range(2))
    assert one.away == other.away == ["east"]
    for end in range(1, 20):
        add(home, LOG[home.last() : end])
        assert other.wait({"home": end}, LONG)
        assert (one.leads, other.leads) == (True, False)


class Hanging(Away):
    """A log that cannot be read, and the second time does not even say so before it is `released`."""

    def __init__(self, items: list[Item]) -> None:
        super().__init__(items)
        self.released, self.hangs, self._asked = threading.Event(), threading.Event(), False

    def _must_be_there(self) -> None:
        if self.away and self._asked:
            self.hangs.set()
            self.released.wait()
        self._asked = self.away
        super()._must_be_there()


def test_whoever_rings_leads_at_once_where_the_leader_hangs_on_the_log(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut, log = Hanging(LOG[:100]), FakeSource(LOG[:100])
    one, other = worker({"": cut}), worker({"": log})
    assert one.wait({"": 100}, LONG)
    monkeypatch.setattr(sharing, "IDLE", 3_600)  # nobody looks by himself
    cut.away = True
    assert one._lead
    one._lead[1].hurry()  # nobody rings before it hangs: he would take the lead before
    assert cut.hangs.wait(LONG)
    add(log, LOG[100:])
    try:
        assert other.wait({"": len(LOG)}, LONG)
        assert (one.leads, other.leads) == (False, True)
    finally:
        cut.released.set()


def test_whoever_waits_is_let_go_when_his_worker_stops(worker: Worker) -> None:
    log = FakeSource(LOG[:100])
    one, other = worker({"": log}), worker({"": log})
    assert (one.leads, other.leads) == (True, False)
    waiting = [
        threading.Thread(target=each.wait, args=({"": 101}, 3_600), daemon=True) for each in (one, other)
    ]
    for thread in waiting:
        thread.start()
    for each in (one, other):
        each.stop()
    for thread in waiting:
        thread.join(LONG)
    assert not [thread for thread in waiting if thread.is_alive()]


def test_whoever_waits_at_a_leader_waits_on_where_another_one_takes_the_lead(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut, log = Away(LOG[:100]), FakeSource(LOG[:100])
    one, other = worker({"": cut}), worker({"": log})
    assert one.wait({"": 100}, LONG)
    found: list[bool] = []
    waiting = threading.Thread(target=lambda: found.append(one.wait({"": len(LOG)}, LONG)), daemon=True)
    waiting.start()
    cut.away = True
    assert one.away == [""]
    add(log, LOG[100:])
    assert other.wait({"": len(LOG)}, LONG)
    waiting.join(LONG)
    assert found == [True]


def test_a_worker_that_cannot_begin_leaves_nothing_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as limited:
        limited.setattr(threading.Thread, "start", refused)
        with pytest.raises(RuntimeError):
            SharedRunner({"": FakeSource()}, tmp_path, STORE).start()
    assert open_below(tmp_path) == 0
    begun = SharedRunner({"": FakeSource()}, tmp_path, STORE)
    begun.start()
    assert begun.leads
    begun.stop()


def test_a_deleted_folder_is_filled_anew(
    worker: Worker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The locks are gone, too, so another worker leads before the leader notices."""
    log, noticed, holds = FakeSource(LOG[:100]), threading.Event(), Lead.holds
    one, other = worker({"": log}), worker({"": log})
    assert other.wait({"": 100}, LONG)
    monkeypatch.setattr(Lead, "holds", lambda self: holds(self) or not noticed.is_set())
    for ending in (*BESIDE, "", ".users", ".bell", ".lock"):  # the lock last: then all of it is made anew
        one.path.with_name(one.path.name + ending).unlink()
    other._called.set()  # as if one of its readers missed the leader
    soon(lambda: other.leads)
    assert one.leads
    noticed.set()
    soon(lambda: not one.leads)
    add(log, LOG[100:])
    assert other.wait({"": len(LOG)}, LONG)
    assert one.wait({"": len(LOG)}, LONG)
    caught_up(LOG, tmp_path / "fresh.db")
    assert dumped(one.path) == dumped(tmp_path / "fresh.db")
