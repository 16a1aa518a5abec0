"""The locks and the bell beside a file that processes share."""

from __future__ import annotations

import errno
import fcntl
import os
from pathlib import Path

import pytest

from projections.leading import Lead, SoleUse, Taken, Use, leader, ring
from tests.projections.support import LONG, open_below


def test_the_lock_tells_who_leads_and_keeps_others_out(tmp_path: Path) -> None:
    path = tmp_path / "file"
    assert not ring(path)
    lead = Lead(path)
    assert leader(path) == os.getpid()
    with pytest.raises(Taken):
        Lead(path)
    lead.give_up()
    assert not ring(path)


def test_the_bell_tells_of_which_logs_something_is_missed(tmp_path: Path) -> None:
    lead = Lead(tmp_path / "file")
    assert lead.heard(0) == set()
    assert ring(tmp_path / "file", ["east", "west"])
    assert ring(tmp_path / "file", ["", "east"])
    assert lead.heard(LONG) == {"", "east", "west"}
    assert ring(tmp_path / "file"), "somebody leads"
    assert lead.heard(0) == set()
    lead.give_up()


def test_a_lock_that_was_deleted_holds_nobody_back(tmp_path: Path) -> None:
    lead = Lead(tmp_path / "file")
    assert lead.holds()
    (tmp_path / "file.lock").unlink()
    other = Lead(tmp_path / "file")
    assert (lead.holds(), other.holds()) == (False, True)
    lead.give_up()
    other.give_up()


def test_a_full_disk_leaves_no_lead_that_nobody_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*given: object) -> int:
        raise OSError(errno.ENOSPC, "no room")

    with monkeypatch.context() as disk:
        disk.setattr(os, "pwrite", full)
        Lead(tmp_path / "file").give_up()
    Lead(tmp_path / "file").give_up()


def test_a_bell_that_nobody_answers_can_be_rung_for_ever(tmp_path: Path) -> None:
    lead = Lead(tmp_path / "file")
    assert all(ring(tmp_path / "file", [""]) for _ in range(70_000))  # more than a pipe holds
    assert lead.heard(0) == {""}
    assert lead.heard(0) == set()
    lead.give_up()


def test_what_lies_in_the_place_of_the_bell_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file.bell").write_text("no bell")
    with pytest.raises(OSError, match=r"file\.bell is there and is no named pipe \(delete it\)"):
        Lead(tmp_path / "file")
    assert not ring(tmp_path / "file", ["east"])
    assert (tmp_path / "file.bell").read_text() == "no bell"
    assert open_below(tmp_path) == 0
    (tmp_path / "file.bell").unlink()
    Lead(tmp_path / "file").give_up()


def test_a_bell_that_cannot_be_rung_leaves_nothing_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = os.open

    def refused(path: Path, how: int, mode: int = 0o777) -> int:
        if how & os.O_WRONLY:
            raise OSError(errno.EMFILE, "too many open files")
        return opened(path, how, mode)

    with monkeypatch.context() as limited:
        limited.setattr(os, "open", refused)
        with pytest.raises(OSError, match="too many"):
            Lead(tmp_path / "file")
    assert open_below(tmp_path) == 0
    Lead(tmp_path / "file").give_up()


def test_a_file_is_used_by_many_or_by_one_alone(tmp_path: Path) -> None:
    users = [Use(tmp_path / "file"), Use(tmp_path / "file")]
    for user in users:
        with pytest.raises(Taken):
            SoleUse(tmp_path / "file")
        user.give_up()
    alone = SoleUse(tmp_path / "file")
    with (tmp_path / "file.users").open() as other, pytest.raises(BlockingIOError):
        fcntl.flock(other, fcntl.LOCK_SH | fcntl.LOCK_NB)
    alone.give_up()
    Use(tmp_path / "file").give_up()
