"""Read models over several logs, as a divided store has them: the same rows however these are read."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from domain.game import Game
from domain.games import GAMES
from domain.kernel import Result
from domain.log import Record, codec
from projections import read
from projections import sources as sources_module
from projections.boards import BOARDS, StandingRow
from projections.file import connect
from projections.matches import MATCHES
from projections.ratings import RatedMatch, RatingRow
from projections.read import Asked, HistoryFilter, MatchFilter
from projections.runner import PROJECTIONS, Runner
from projections.sources import FIRST_WAIT
from tests.matches import Sitting
from tests.projections.support import FakeSource, Hall, Item, caught_up, dumped, folded, seated

LOG = Hall(list(GAMES.values()), 14, seed=11).play()
NAMES = ("home", "east", "west")


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
            raise OSError("the shard is away")


def divided(log: Sequence[Item] = LOG) -> dict[str, Away]:
    """The matches of a log over three."""
    sources = {name: Away() for name in NAMES}
    for item in log:
        name = NAMES[sum(item.record.match.encode()) % len(NAMES)]
        sources[name].add([item.record], uploaded=item.uploaded)
    return sources


def rows_of(path: Path, sources: Mapping[str, FakeSource], **more: Any) -> dict[str, list[Any]]:
    """The rows after all there is was taken in."""
    runner = Runner(sources, path, **more)
    runner.catch_up()
    assert not [status for status in runner.status() if status.behind or status.failure]
    runner.stop()
    return dumped(path)


def followed(path: Path, seed: int) -> dict[str, list[Any]]:
    """The rows of a runner that saw the logs grow at random, each at its own pace."""
    chance, whole = random.Random(seed), divided()
    growing: dict[str, FakeSource] = {name: FakeSource() for name in NAMES}
    runner = Runner(growing, path, batch=chance.randint(1, 40))
    while lagging := [name for name in NAMES if len(growing[name].items) < len(whole[name].items)]:
        name = chance.choice(lagging)
        start = len(growing[name].items)
        for item in whole[name].items[start : start + chance.randint(1, 60)]:
            growing[name].add([item.record], uploaded=item.uploaded)
        runner.advance()
    runner.catch_up()
    runner.stop()
    return dumped(path)


@pytest.mark.parametrize("seed", range(3))
def test_the_order_in_which_logs_are_read_makes_no_difference(tmp_path: Path, seed: int) -> None:
    rebuilt = rows_of(tmp_path / "rebuilt.db", divided())
    assert all(source.items for source in divided().values())
    assert rebuilt["boards.ratings"]
    assert followed(tmp_path / "followed.db", seed) == rebuilt


def test_the_boards_are_those_of_a_store_that_is_not_divided(tmp_path: Path) -> None:
    """Where the matches close in the order of their times, as they do on one clock."""
    log = in_time()
    caught_up(log, tmp_path / "one.db")
    one, several = dumped(tmp_path / "one.db"), rows_of(tmp_path / "several.db", divided(log))
    assert several["boards.standings"] == one["boards.standings"]
    assert several["boards.totals"] == one["boards.totals"]
    assert len(one["boards.standings"]) > 2


def in_time() -> list[Item]:
    """The whole log in the order of its times."""
    items = sorted(LOG, key=lambda item: item.record.entry.at or 0)
    return [Item(position, item.record, item.uploaded) for position, item in enumerate(items, 1)]


def test_each_log_has_a_position_of_its_own(tmp_path: Path) -> None:
    sources = divided()
    rows_of(tmp_path / "read.db", sources)
    connection = sqlite3.connect(tmp_path / "read.db")
    found = connection.execute("SELECT name, log, position FROM places").fetchall()
    connection.close()
    assert sorted(found) == sorted(
        (projection.name, name, source.last())
        for projection in PROJECTIONS
        for name, source in sources.items()
    )


def test_who_waits_waits_for_every_log(tmp_path: Path) -> None:
    sources = divided()
    runner = Runner(sources, tmp_path / "read.db")
    runner.start()
    assert runner.wait(runner.lasts(), 30)
    assert runner.lasts() == {name: source.last() for name, source in sources.items()}
    assert not runner.wait({"east": sources["east"].last() + 1}, 0)
    sources["east"].add([Hall(list(GAMES.values()), 1, seed=98).play(1)[0].record])
    assert runner.wait(runner.lasts(), 30)
    runner.stop()


def test_a_log_that_is_added_is_taken_in_without_a_rebuild(tmp_path: Path) -> None:
    sources = divided()
    some = {name: sources[name] for name in ("home", "east")}
    rows_of(tmp_path / "read.db", some)
    assert rows_of(tmp_path / "read.db", sources, report=pytest.fail) == rows_of(
        tmp_path / "fresh.db", sources
    )


def test_a_store_that_is_divided_from_now_on_is_built_anew(tmp_path: Path) -> None:
    sources, told = divided(), list[str]()
    caught_up(sources["home"].items, tmp_path / "read.db")
    assert rows_of(tmp_path / "read.db", sources, report=told.append) == rows_of(
        tmp_path / "fresh.db", sources
    )
    assert len(told) == len(PROJECTIONS)


def test_a_shard_that_was_restored_from_a_backup_is_noticed(tmp_path: Path) -> None:
    sources = divided()
    rows_of(tmp_path / "read.db", sources)
    sources["east"].items = divided(LOG[: len(LOG) // 2])["east"].items
    told: list[str] = []
    runner = Runner(sources, tmp_path / "read.db", report=told.append)
    runner.catch_up()
    runner.stop()
    assert dumped(tmp_path / "read.db") == rows_of(tmp_path / "fresh.db", sources)
    assert told


# ── a log that is away ──


def test_a_log_that_is_away_holds_up_nobody_else(tmp_path: Path) -> None:
    sources, told = divided(), list[str]()
    runner = Runner(sources, tmp_path / "read.db", report=told.append)
    sources["east"].away = True
    runner.catch_up()
    assert [status.behind for status in runner.status()] == [0] * len(PROJECTIONS)
    assert (list(runner.lasts()), runner.away) == (["home", "west"], ["east"])
    assert runner.wait(runner.lasts(), 0)
    runner.catch_up()
    assert told == ["log east cannot be read (OSError): trying again until it can"]
    sources["east"].away = False
    back(runner)
    runner.catch_up()
    runner.stop()
    assert dumped(tmp_path / "read.db") == rows_of(tmp_path / "fresh.db", divided())


def test_a_record_that_cannot_be_read_holds_up_its_own_log_alone(tmp_path: Path) -> None:
    sources = divided()
    place = len(sources["east"].items) // 2
    found = sources["east"].items[place]
    record = found.record
    game = next(iter(GAMES.values()))
    damaged = Record(codec(game), record.match, record.move, b"{", record.audiences)
    sources["east"].items[place] = Item(found.position, damaged)
    runner = Runner(sources, tmp_path / "read.db", batch=7)
    runner.catch_up()
    for status in runner.status():
        assert status.failure is not None
        assert (status.failure.log, status.failure.position) == ("east", found.position)
        assert status.behind == len(sources["east"].items) - place
    runner.stop()


def back(runner: Runner) -> None:
    """Let it try everything again at once."""
    for tail in runner._tails.values():
        tail._until = 0.0


@pytest.mark.parametrize("left_alone", [FIRST_WAIT, 1e-9])
def test_a_log_that_is_away_at_the_start_is_looked_at_when_it_is_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, left_alone: float
) -> None:
    """It was restored from a backup meanwhile, so what was built from it must go.

    Other logs may take longer to say what they hold than this one is left alone.
    """
    monkeypatch.setattr(sources_module, "FIRST_WAIT", left_alone)
    rows_of(tmp_path / "read.db", divided())
    sources = divided()
    sources["east"].items = divided(LOG[: len(LOG) // 2])["east"].items
    sources["east"].away = True
    runner = Runner(sources, tmp_path / "read.db")
    runner.catch_up()
    sources["east"].away = False
    back(runner)
    runner.catch_up()
    runner.stop()
    assert dumped(tmp_path / "read.db") == rows_of(tmp_path / "fresh.db", sources)


def test_a_rebuild_is_served_when_it_holds_every_log(tmp_path: Path) -> None:
    sources = divided()
    runner = Runner(sources, tmp_path / "read.db")
    runner.catch_up()
    before = dumped(tmp_path / "read.db")
    sources["west"].away = True
    runner.rebuild("boards")
    runner.catch_up()
    assert next(status for status in runner.status() if status.name == "boards").building is not None
    assert dumped(tmp_path / "read.db") == before
    sources["west"].away = False
    back(runner)
    runner.catch_up()
    assert next(status for status in runner.status() if status.name == "boards").building is None
    runner.stop()
    assert dumped(tmp_path / "read.db") == before


def test_a_log_is_tried_again_ever_less_often_until_it_is_back(tmp_path: Path) -> None:
    sources = divided()
    runner = Runner(sources, tmp_path / "read.db")
    tail = runner._tails["east"]
    now = 100.0
    tail._clock = lambda: now
    sources["east"].away = True
    tried = []
    for _ in range(400):
        now += 0.125
        if not tail.is_away:
            tried.append(now)
            tail.last()
    waits = [after - before for before, after in pairwise(tried)]
    assert waits[:6] == [0.5, 1.0, 2.0, 4.0, 5.0, 5.0]
    sources["east"].away = False
    now += 5
    assert tail.last() == len(sources["east"].items)
    runner.stop()


# ── lists ──


def test_the_list_is_ordered_by_time_whichever_log_a_match_is_in(tmp_path: Path) -> None:
    rows_of(tmp_path / "read.db", divided())
    connection = connect(tmp_path / "read.db")
    pages = [read.matches(connection, MatchFilter(), Asked(3))]
    while pages[-1].next:
        pages.append(read.matches(connection, MatchFilter(), Asked(3, pages[-1].next)))
    found = [row for page in pages for row in page.rows]
    own = [row.opened_at for row in found if row.origin != "uploaded"]
    assert own == sorted(own, key=lambda at: at or 0, reverse=True)
    assert len({row.match for row in found}) == len(found) == 14
    seatings = read.history(connection, "ann", HistoryFilter(), Asked(200)).rows
    paged = [read.history(connection, "ann", HistoryFilter(), Asked(2))]
    while paged[-1].next:
        paged.append(read.history(connection, "ann", HistoryFilter(), Asked(2, paged[-1].next)))
    assert [row for page in paged for row in page.rows] == list(seatings)
    connection.close()


def test_an_upload_is_listed_when_it_came_whatever_time_it_claims(toy_game: Game, tmp_path: Path) -> None:
    first, foreign = Sitting(toy_game, 1).seat_all(), Sitting(toy_game, 2)
    source = FakeSource()
    source.add(first.match.records)
    source.add(foreign.match.records, uploaded=True)
    rows_of(tmp_path / "read.db", {"home": source, "east": FakeSource()})
    connection = connect(tmp_path / "read.db")
    rows = read.matches(connection, MatchFilter(), Asked()).rows
    connection.close()
    opened = {row.match: row.opened for row in rows}
    assert opened["m2"] == first.match.records[-1].entry.at


def test_a_file_of_the_time_of_one_log_is_built_anew(tmp_path: Path) -> None:
    caught_up(LOG[:100], tmp_path / "read.db", projections=(MATCHES,))
    connection = sqlite3.connect(tmp_path / "read.db", isolation_level=None)
    connection.execute("ALTER TABLE projections ADD COLUMN position INTEGER")
    connection.execute("ALTER TABLE projections ADD COLUMN mark TEXT")
    connection.execute("DROP TABLE places")
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
def test_ratings_depend_on_when_matches_closed_and_not_on_when_they_came(toy_game: Game, seed: int) -> None:
    items = rated_matches(toy_game, 25, seed)
    in_order = folded(BOARDS, sorted(items, key=lambda item: item.position))
    matches = sorted({item.record.match for item in items})
    random.Random(seed).shuffle(matches)
    shuffled = folded(BOARDS, sorted(items, key=lambda item: matches.index(item.record.match)))
    for kind in BOARDS.kinds:
        assert shuffled.all(kind) == in_order.all(kind)
    rows = sorted(in_order.all(RatingRow), key=lambda row: row.closed)
    for player in PLAYERS:
        own = [row for row in rows if row.player == player]
        assert all(before.after == after.before for before, after in pairwise(own))
        standing = in_order.get(StandingRow, "toy", "first", "live", player)
        assert standing is not None
        assert standing.rating == own[-1].after


def test_a_late_match_leaves_those_alone_whom_it_does_not_concern(toy_game: Game) -> None:
    def won(seed: int, left: str, right: str, at: int) -> list[Item]:
        sitting = seated(toy_game, seed, [left, right])
        result = Result("left", "adjudicated")
        sitting.accept(sitting.match.rule(sitting.context, "judge", "as agreed", result=result))
        return [Item(at, record) for record in sitting.match.records]

    early, other, late = won(1, "ann", "bob", 10), won(2, "cid", "dan", 20), won(3, "bob", "eve", 5)
    rows = folded(BOARDS, early + other)
    before = {row.player: row for row in rows.all(StandingRow)}
    *opening, closing = late
    folded(BOARDS, opening, rows)
    changes = list(BOARDS.fold(rows, closing))
    rerated = {change.match for change in changes if isinstance(change, RatedMatch)}
    assert rerated == {"m3", "m1"}
    rows.apply(changes)
    after = {row.player: row for row in rows.all(StandingRow)}
    assert (after["cid"], after["dan"]) == (before["cid"], before["dan"])
    assert after["ann"].rating != before["ann"].rating
