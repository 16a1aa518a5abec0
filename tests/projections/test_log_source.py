"""The log as the read models follow it: away for a while, restored to an earlier time, or damaged."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from domain.game import Game
from domain.games import GAMES
from domain.kernel import Result
from domain.log import Record, codec
from projections import log_source
from projections.boards import BOARDS, StandingRow
from projections.file import connect
from projections.log_source import FIRST_WAIT
from projections.matches import MATCHES
from projections.ratings import RatingRow
from projections.read import Asked, MatchFilter, matches
from projections.runner import PROJECTIONS, Runner
from tests.matches import Sitting
from tests.projections.support import FakeSource, Hall, Item, caught_up, dumped, folded, seated

LOG = Hall(list(GAMES.values()), 14, seed=11).play()


class Away(FakeSource):
    """A log that cannot be read as long as it is `away`."""

    away = False

    def after(self, position: int, limit: int) -> Sequence[Item]:
        """See `Source.after`."""
        self._must_be_there()
        return super().after(position, limit)

    def last(self) -> int:
        """See `Source.last`."""
        self._must_be_there()
        return super().last()

    def _must_be_there(self) -> None:
        if self.away:
            raise OSError("the disk is away")


def back(runner: Runner) -> None:
    """Let it try the log again at once."""
    runner._log._until = 0.0


def test_a_log_that_is_away_is_reported_once_and_taken_in_when_it_is_back(tmp_path: Path) -> None:
    log, told = Away(LOG[:100]), list[str]()
    runner = Runner(log, tmp_path / "read.db", report=told.append)
    runner.catch_up()
    log.away = True
    log.items += LOG[100:]
    for _ in range(2):
        runner.catch_up()
    assert [status.behind for status in runner.status()] == [0] * len(PROJECTIONS)
    assert (runner.last(), runner.wait(0, 0)) == (None, True)
    assert told == ["the log cannot be read (OSError): trying again until it can"]
    log.away = False
    back(runner)
    runner.catch_up()
    runner.stop()
    caught_up(LOG, tmp_path / "fresh.db")
    assert dumped(tmp_path / "read.db") == dumped(tmp_path / "fresh.db")


def test_a_record_that_cannot_be_read_stops_what_follows_and_is_named(tmp_path: Path) -> None:
    log = FakeSource(LOG)
    place = len(LOG) // 2
    found = LOG[place]
    record = found.record
    damaged = Record(codec(next(iter(GAMES.values()))), record.match, record.move, b"{", record.audiences)
    log.items[place] = Item(found.position, damaged)
    runner = Runner(log, tmp_path / "read.db", batch=7)
    runner.catch_up()
    *of_matches, of_tournaments = runner.status()
    for status in of_matches:
        assert status.failure is not None
        assert (status.failure.position, status.behind) == (found.position, len(LOG) - place)
    assert (of_tournaments.failure, of_tournaments.behind) == (None, 0)  # it reads no record of a match
    runner.stop()


@pytest.mark.parametrize("left_alone", [FIRST_WAIT, 1e-9])
def test_a_log_that_is_away_at_the_start_is_looked_at_when_it_is_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, left_alone: float
) -> None:
    """It was restored from a backup meanwhile, so what was built from it must go."""
    monkeypatch.setattr(log_source, "FIRST_WAIT", left_alone)
    caught_up(LOG, tmp_path / "read.db")
    log = Away(LOG[: len(LOG) // 2])
    log.away = True
    runner = Runner(log, tmp_path / "read.db")
    runner.catch_up()
    log.away = False
    back(runner)
    runner.catch_up()
    runner.stop()
    caught_up(LOG[: len(LOG) // 2], tmp_path / "fresh.db")
    assert dumped(tmp_path / "read.db") == dumped(tmp_path / "fresh.db")


def test_a_log_is_tried_again_ever_less_often_until_it_is_back(tmp_path: Path) -> None:
    log = Away(LOG)
    runner = Runner(log, tmp_path / "read.db")
    source = runner._log
    now = 100.0
    source._clock = lambda: now
    log.away = True
    tried = []
    for _ in range(400):
        now += 0.125
        if not source.is_away:
            tried.append(now)
            source.last()
    waits = [after - before for before, after in pairwise(tried)]
    assert waits[:6] == [0.5, 1.0, 2.0, 4.0, 5.0, 5.0]
    log.away = False
    now += 5
    assert source.last() == len(LOG)
    runner.stop()


def test_an_upload_is_listed_when_it_came_whatever_time_it_claims(toy_game: Game, tmp_path: Path) -> None:
    first, foreign = Sitting(toy_game, 1).seat_all(), Sitting(toy_game, 2)
    foreign.clock -= 10**12
    source = FakeSource()
    source.add(first.match.records)
    source.add(foreign.match.records, uploaded=True)
    caught_up(source.items, tmp_path / "read.db")
    connection = connect(tmp_path / "read.db")
    assert [row.match for row in matches(connection, MatchFilter(), Asked()).rows] == ["m2", "m1"]
    connection.close()


def test_a_file_with_the_tables_of_an_older_version_is_built_anew(tmp_path: Path) -> None:
    caught_up(LOG[:100], tmp_path / "read.db", projections=(MATCHES,))
    connection = sqlite3.connect(tmp_path / "read.db", isolation_level=None)
    connection.execute("ALTER TABLE generations RENAME TO projections")
    connection.execute("CREATE TABLE places (name TEXT, generation INTEGER, log TEXT, position INTEGER)")
    connection.close()
    caught_up(LOG, tmp_path / "read.db", projections=(MATCHES,))
    caught_up(LOG, tmp_path / "fresh.db", projections=(MATCHES,))
    assert dumped(tmp_path / "read.db", [MATCHES]) == dumped(tmp_path / "fresh.db", [MATCHES])


# ── ratings ──

PLAYERS = ("ann", "bob", "cid", "dan")


def rated_matches(game: Game, count: int, seed: int) -> list[Item]:
    """The records of matches between people, closed at different times; each match in a row."""
    chance, items = random.Random(seed), list[Item]()
    for number in range(count):
        left, right = chance.sample(PLAYERS, 2)
        sitting = seated(game, number, [left, right])
        sitting.clock += chance.randint(0, 1_000) * 60_000_000
        winner = chance.choice((None, "left", "right"))
        result = Result(winner, "adjudicated")
        sitting.accept(sitting.match.rule(sitting.context, "judge", "time is up", result=result))
        at = sitting.match.records[-1].entry.at or 0
        items += [Item(at, record) for record in sitting.match.records]
    return items


@pytest.mark.parametrize("seed", range(5))
def test_each_rating_goes_on_from_the_one_before(toy_game: Game, seed: int) -> None:
    in_order = folded(BOARDS, sorted(rated_matches(toy_game, 25, seed), key=lambda item: item.position))
    rows = sorted(in_order.all(RatingRow), key=lambda row: row.closed)
    for player in PLAYERS:
        own = [row for row in rows if row.player == player]
        assert all(before.after == after.before for before, after in pairwise(own))
        standing = in_order.get(StandingRow, "toy", "first", "live", player)
        assert standing is not None
        assert standing.rating == own[-1].after
