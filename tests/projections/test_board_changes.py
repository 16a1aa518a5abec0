"""What has changed on the scoreboards since somebody looked."""

from __future__ import annotations

from pathlib import Path

from domain.game import Game
from projections import read
from projections.board_changes import board_changes
from projections.runner import Runner
from tests.projections.support import FakeSource
from tests.projections.test_boards import won_by

LIVE, SEEDED = ("toy", "first", "live"), ("toy", "first", "seeded")


def test_only_boards_whose_totals_have_changed_are_told(toy_game: Game, tmp_path: Path) -> None:
    log, path = FakeSource(), tmp_path / "read.db"
    runner = Runner({"": log}, path)
    log.add(won_by(toy_game, 1, "ann", "bob", "left").match.records)
    log.add(won_by(toy_game, 2, "ann", "bob", "left", "seeded").match.records)
    runner.catch_up()
    with read.connect(path) as connection:
        first = board_changes(connection, {})
        assert first is not None
        assert set(first.totals) == set(first.standings) == {LIVE, SEEDED}
        assert first.places[""][0] == log.last()
        log.add(won_by(toy_game, 3, "cid", "bob", "left", "seeded").match.records)
        runner.catch_up()
        second = board_changes(connection, first.totals)
        assert second is not None
        assert set(second.totals) == {SEEDED}
        assert {row.player for row in second.standings[SEEDED]} == {"ann", "bob", "cid"}
        assert second.places[""][0] == log.last()
    connection.close()
    runner.stop()


def test_boards_of_another_version_are_not_told(toy_game: Game, tmp_path: Path) -> None:
    path = tmp_path / "read.db"
    runner = Runner({"": FakeSource()}, path)
    runner.catch_up()
    runner.stop()
    with read.connect(path) as connection:
        assert board_changes(connection, {}) is not None
        connection.execute("PRAGMA query_only = 0")
        connection.execute("UPDATE projections SET stamp = 'older' WHERE name = 'boards'")
        assert board_changes(connection, {}) is None
    connection.close()
