"""The file of the read models: its rights, and what happens if it is deleted or replaced."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from domain.games import GAMES
from projections import read
from projections.backend import NoTable
from projections.file import BESIDE, File, connect
from projections.generations import Generations, generations
from projections.read import Asked, MatchFilter
from projections.runner import Runner
from tests.projections.support import LONG, FakeSource, Hall, add, caught_up, dumped
from tests.waiting import soon

LOG = Hall(list(GAMES.values()), 4, seed=31).play(300)


@pytest.fixture
def generous() -> Iterator[None]:
    """What this process makes, everybody may read."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def positions(file: File) -> set[int]:
    """Where the generations stand, as a reader sees it."""
    try:
        with file.reader() as tables:
            return {one.position for one in generations(tables)}
    except NoTable:
        return set()


def modes(path: Path) -> dict[str, int]:
    """The mode of the file, and of what is beside it."""
    return {
        ending: stat.S_IMODE(path.with_name(path.name + ending).stat().st_mode) for ending in ("", *BESIDE)
    }


@pytest.mark.usefixtures("generous")
def test_other_users_may_not_read_the_file(tmp_path: Path) -> None:
    runner = Runner(FakeSource(LOG), tmp_path / "read.db")
    runner.catch_up()
    assert modes(tmp_path / "read.db") == {"": 0o600, "-wal": 0o600, "-shm": 0o600}
    runner.stop()


@pytest.mark.usefixtures("generous")
def test_a_file_that_an_older_version_left_open_to_all_is_closed(tmp_path: Path) -> None:
    first = Runner(FakeSource(LOG), tmp_path / "read.db")
    for ending in ("", *BESIDE):
        (tmp_path / f"read.db{ending}").chmod(0o644)
    second = Runner(FakeSource(LOG), tmp_path / "read.db")
    assert modes(tmp_path / "read.db") == {"": 0o600, "-wal": 0o600, "-shm": 0o600}
    first.stop()
    second.stop()


@pytest.mark.parametrize("endings", [("",), (*BESIDE, "")])
def test_a_file_that_is_deleted_is_built_anew(tmp_path: Path, endings: tuple[str, ...]) -> None:
    path, lines, log = tmp_path / "read.db", list[str](), FakeSource(LOG[:200])
    runner, reader = Runner(log, path, report=lines.append), File(path)
    runner.start()
    assert runner.wait(200, LONG)
    assert positions(reader) == {200}
    for ending in endings:
        (tmp_path / f"read.db{ending}").unlink()
    runner.hurry()
    soon(path.exists)
    add(log, LOG[200:])
    assert runner.wait(len(LOG), LONG)
    assert positions(reader) == {len(LOG)}
    runner.stop()
    reader.close()
    caught_up(LOG, tmp_path / "fresh.db")
    assert dumped(path) == dumped(tmp_path / "fresh.db")
    assert lines == ["read.db was deleted, or replaced: what is missing is built anew"]


def test_a_new_file_that_has_no_room_at_first_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, lines, room = tmp_path / "read.db", list[str](), [False]
    runner, prepare = Runner(FakeSource(LOG), path, report=lines.append), Generations.prepare

    def refused(*given: Any) -> Any:
        if not room[0]:
            raise sqlite3.OperationalError("database or disk is full")
        return prepare(*given)

    runner.catch_up()
    monkeypatch.setattr(Generations, "prepare", refused)
    path.unlink()
    runner.start()
    soon(lambda: any("OperationalError" in line for line in lines))
    room[0] = True
    reader = File(path)
    soon(lambda: positions(reader) == {len(LOG)})
    reader.close()
    runner.stop()


def test_who_still_reads_a_deleted_file_shares_nothing_with_those_of_the_new_one(tmp_path: Path) -> None:
    path, index = tmp_path / "read.db", tmp_path / "read.db-shm"
    older = Runner(FakeSource(LOG), path)
    before = index.stat().st_ino
    path.unlink()
    newer = Runner(FakeSource(LOG), path)
    assert index.stat().st_ino != before
    newer.stop()
    older.stop()


def test_a_reader_sees_the_file_that_took_the_place_of_another(tmp_path: Path) -> None:
    path = tmp_path / "read.db"
    caught_up(LOG[:40], path)
    caught_up(LOG, tmp_path / "new.db")
    reader = File(path)
    assert positions(reader) == {40}
    (tmp_path / "new.db").replace(path)
    assert positions(reader) == {len(LOG)}
    with reader.reader() as rows:
        assert len(read.matches(rows, MatchFilter(), Asked()).rows) == 4
    path.unlink()
    assert positions(reader) == {len(LOG)}
    reader.close()


def test_a_reader_who_comes_first_waits_for_the_file(tmp_path: Path) -> None:
    reader = File(tmp_path / "read.db")
    with pytest.raises(NoTable), reader.reader():
        pass
    assert list(tmp_path.iterdir()) == []
    caught_up(LOG, tmp_path / "read.db")
    assert positions(reader) == {len(LOG)}
    reader.close()


def test_a_reader_who_opens_what_is_replaced_meanwhile_finds_what_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, connected = tmp_path / "read.db", connect
    caught_up(LOG[:40], path)
    caught_up(LOG, tmp_path / "new.db")

    def replaced(where: Path) -> object:
        connection = connected(where)
        if (tmp_path / "new.db").exists():
            (tmp_path / "new.db").replace(path)
        return connection

    monkeypatch.setattr("projections.file.connect", replaced)
    reader = File(path)
    positions(reader)
    assert positions(reader) == {len(LOG)}
    reader.close()
