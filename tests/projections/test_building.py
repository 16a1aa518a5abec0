"""What is built from nothing is refused until it holds everything: half of a list looks like a whole one."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from domain.games import GAMES
from domain.kernel import Refused
from projections import read
from projections.file import connect
from projections.matches import MATCHES
from projections.read import Asked, MatchFilter
from projections.runner import PROJECTIONS, Runner
from projections.status import Status
from tests.projections.support import LONG, FakeSource, Hall, add, caught_up, dumped
from tests.projections.test_log_source import Away

LOG = Hall(list(GAMES.values()), 4, seed=31).play(300)


def listed(path: Path) -> int:
    """How many matches are listed."""
    connection = connect(path)
    try:
        return len(read.matches(connection, MatchFilter(), Asked(200)).rows)
    finally:
        connection.close()


def test_a_list_is_refused_until_it_holds_everything(tmp_path: Path) -> None:
    log, path = FakeSource(LOG[:-1]), tmp_path / "read.db"
    runner = Runner(log, path, batch=50)
    for taken in range(50, len(LOG), 50):
        with pytest.raises(Refused, match="matches is being built"):
            listed(path)
        assert not runner.wait(0, 0)
        runner.advance()
        assert runner.status()[0] == Status("matches", taken, len(LOG) - 1 - taken, taken, None)
    add(log, LOG[-1:])  # what comes meanwhile must not put it off
    runner.advance()
    assert listed(path) == 4
    assert runner.wait(len(LOG) - 1, 0)
    assert runner.status()[0].building is None
    runner.stop()


def test_an_empty_store_has_an_empty_list(tmp_path: Path) -> None:
    runner = Runner(FakeSource(), tmp_path / "read.db")
    runner.start()
    assert runner.wait(0, LONG)
    assert listed(tmp_path / "read.db") == 0
    runner.stop()


def test_what_was_complete_once_is_served_while_it_catches_up(tmp_path: Path) -> None:
    caught_up(LOG[:100], tmp_path / "read.db")
    runner = Runner(FakeSource(LOG), tmp_path / "read.db", batch=50)
    assert listed(tmp_path / "read.db") == 4
    runner.advance()
    assert runner.status()[0] == Status("matches", 150, len(LOG) - 150, None, None)
    runner.stop()


def test_a_store_of_which_nothing_can_be_read_has_no_empty_list(tmp_path: Path) -> None:
    log = Away(LOG)
    log.away = True
    runner = Runner(log, tmp_path / "read.db")
    runner.catch_up()
    with pytest.raises(Refused):
        listed(tmp_path / "read.db")
    assert not runner.wait(0, 0)
    runner.stop()


def test_one_that_was_overtaken_does_not_throw_away_what_the_other_one_serves(tmp_path: Path) -> None:
    one = Runner(FakeSource(LOG), tmp_path / "read.db", projections=(MATCHES,))
    other = Runner(FakeSource(LOG), tmp_path / "read.db", projections=(MATCHES,))
    one.catch_up()
    other._serve_complete(0)  # it knows of nothing that is served
    assert listed(tmp_path / "read.db") == 4
    one.stop()
    other.stop()


def test_a_reader_makes_no_file(tmp_path: Path) -> None:
    with pytest.raises(sqlite3.OperationalError, match="unable to open"):
        connect(tmp_path / "read.db")
    assert not (tmp_path / "read.db").exists()
    odd = tmp_path / "100% of #1?.db"
    caught_up(LOG, odd)
    assert listed(odd) == 4
    assert len(dumped(odd)) >= len(PROJECTIONS)
