from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from domain.games import GAMES
from projections import read
from projections.boards import StandingRow
from projections.file import FileReading, connect
from projections.matches import MatchRow
from projections.read import Asked, HistoryFilter, MatchFilter, Page
from projections.runner import PROJECTIONS
from tests.projections.support import Hall, caught_up

EVERYTHING = Asked(200)
COUNT = 60


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Read models of sixty matches, some of them still running."""
    path = tmp_path_factory.mktemp("read") / "read.db"
    caught_up(Hall(list(GAMES.values()), COUNT, seed=3).play(5_000), path)
    return path


@pytest.fixture
def reader(path: Path) -> Iterator[FileReading]:
    connection = connect(path)
    yield connection
    connection.close()


class Explained(FileReading):
    """Read models that keep how each question to them was answered."""

    plans: list[tuple[str, list[str]]]

    def execute(self, statement: str, values: Sequence[Any] = (), /) -> sqlite3.Cursor:
        """Ask, and ask how."""
        plan = self.connection.execute(f"EXPLAIN QUERY PLAN {statement}", values)
        self.plans.append((statement, [row[3] for row in plan]))
        return super().execute(statement, values)


def everything(reader: FileReading) -> tuple[MatchRow, ...]:
    return read.matches(reader, MatchFilter(), EVERYTHING).rows


# ── match list ──


def test_the_list_begins_with_the_latest_match(reader: FileReading) -> None:
    opened = [row.opened for row in everything(reader)]
    assert len(opened) == COUNT
    assert opened == sorted(opened, reverse=True)


@pytest.mark.parametrize(
    "which",
    [
        MatchFilter(),
        MatchFilter(game="cia_vs_kgb"),
        MatchFilter(game="cia_vs_kgb", edition="standard"),
        MatchFilter(status="over"),
        MatchFilter(origin="live"),
    ],
)
def test_the_latest_of_a_filter_are_found_without_reading_the_others(path: Path, which: MatchFilter) -> None:
    with closing(connect(path).connection) as connection:
        reader = Explained(connection)
        reader.plans = []
        read.matches(reader, which, Asked(10))
    (plan,) = [plan for statement, plan in reader.plans if " ORDER BY " in statement]
    assert all("USING INDEX" in step or "USING COVERING INDEX" in step for step in plan)
    assert not any("TEMP B-TREE" in step for step in plan)


@pytest.mark.parametrize("game", list(GAMES))
@pytest.mark.parametrize("status", read.STATUSES)
@pytest.mark.parametrize("origin", [None, "live", "bots", "uploaded", "imported"])
def test_filters_choose_what_they_say(
    reader: FileReading, game: str, status: str, origin: str | None
) -> None:
    found = read.matches(reader, MatchFilter(game=game, status=status, origin=origin), EVERYTHING).rows
    assert found == tuple(
        row
        for row in everything(reader)
        if row.game == game and row.status == status and origin in (None, row.origin)
    )


@pytest.mark.parametrize(
    ("which", "count"),
    [
        (MatchFilter(edition="first"), 0),
        (MatchFilter(game="chess"), 0),
        (MatchFilter(player="nobody"), 0),
        (MatchFilter(origin="imported"), 0),
    ],
)
def test_filters_without_a_match_find_nothing(reader: FileReading, which: MatchFilter, count: int) -> None:
    assert len(read.matches(reader, which, EVERYTHING).rows) == count


def test_both_kinds_of_status_and_origin_occur(reader: FileReading) -> None:
    assert {row.status for row in everything(reader)} >= {"running", "over"}
    assert {row.origin for row in everything(reader)} == {"live", "bots", "uploaded"}


def test_the_filter_by_player_finds_every_seat(reader: FileReading) -> None:
    found = read.matches(reader, MatchFilter(player="ann"), EVERYTHING).rows
    assert found == tuple(row for row in everything(reader) if "ann" in row.seats.values())
    assert {seat for row in found for seat, player in row.seats.items() if player == "ann"} > {"us"}


def test_the_filter_by_date_includes_since_and_excludes_until(reader: FileReading) -> None:
    times = sorted(row.opened_at for row in everything(reader) if row.opened_at is not None)
    one, other = times[0], times[-1] + 1
    assert len(read.matches(reader, MatchFilter(since=one, until=other), EVERYTHING).rows) == COUNT
    assert read.matches(reader, MatchFilter(until=one), EVERYTHING).rows == ()
    assert read.matches(reader, MatchFilter(since=other), EVERYTHING).rows == ()


@pytest.mark.parametrize("limit", [1, 3, COUNT - 1, COUNT, COUNT + 1])
def test_pages_follow_one_another_without_gap_or_repeat(reader: FileReading, limit: int) -> None:
    rows: list[MatchRow] = []
    page: Page[MatchRow] = read.matches(reader, MatchFilter(), Asked(limit))
    while page.next:
        assert len(page.rows) == limit
        rows += page.rows
        page = read.matches(reader, MatchFilter(), Asked(limit, page.next))
    assert (*rows, *page.rows) == everything(reader)


def test_one_match_by_its_id(reader: FileReading) -> None:
    row = everything(reader)[4]
    assert read.match(reader, row.match) == row
    assert read.match(reader, "nothing") is None


# ── player history ──


@pytest.mark.parametrize("outcome", read.OUTCOMES)
def test_the_history_can_be_asked_by_outcome(reader: FileReading, outcome: str) -> None:
    found = read.history(reader, "ann", HistoryFilter(outcome=outcome), EVERYTHING).rows
    assert found == tuple(
        played
        for played in read.history(reader, "ann", HistoryFilter(), EVERYTHING).rows
        if played.seating.outcome == outcome
    )


def test_the_history_agrees_with_the_match_list(reader: FileReading) -> None:
    listed = {row.match: row for row in read.matches(reader, MatchFilter(player="bob"), EVERYTHING).rows}
    history = read.history(reader, "bob", HistoryFilter(), EVERYTHING).rows
    assert [played.seating.match for played in history] == list(listed)
    for played in history:
        row = listed[played.seating.match]
        assert row.seats[played.seating.seat] == "bob"
        assert (played.seating.outcome == "running") == (row.status != "over")
        won = row.result is not None and row.result.winner == played.seating.seat
        assert (played.seating.outcome == "won") == won


def test_the_history_tells_what_a_rated_match_did(reader: FileReading) -> None:
    history = read.history(reader, "ann", HistoryFilter(), EVERYTHING).rows
    rated = [played for played in history if played.rating]
    assert rated
    for played in rated:
        assert played.rating is not None
        assert (played.rating.match, played.rating.player) == (played.seating.match, "ann")
        assert played.seating.origin == "live"


def test_the_history_comes_in_pages(reader: FileReading) -> None:
    whole = read.history(reader, "ann", HistoryFilter(), EVERYTHING).rows
    first = read.history(reader, "ann", HistoryFilter(), Asked(2))
    rest = read.history(reader, "ann", HistoryFilter(), Asked(200, first.next))
    assert first.next is not None
    assert first.rows + rest.rows == whole


def test_a_player_without_a_match_has_no_history(reader: FileReading) -> None:
    assert read.history(reader, "nobody", HistoryFilter(), EVERYTHING) == Page((), None)


# ── scoreboards ──


def test_the_standings_agree_with_the_histories(reader: FileReading) -> None:
    compared = 0
    for game in GAMES:
        for row in read.standings(reader, game, GAMES[game].editions[0], EVERYTHING).rows:
            which = HistoryFilter(game=game, origin="live")
            history = read.history(reader, row.player, which, EVERYTHING).rows
            rated = [played for played in history if played.rating]
            assert row.played == len(rated)
            assert row.won == sum(played.seating.outcome == "won" for played in rated)
            assert row.drawn == sum(played.seating.outcome == "drawn" for played in rated)
            latest = max(rated, key=lambda played: played.rating.closed if played.rating else 0)
            assert latest.rating is not None
            assert row.rating == latest.rating.after
            compared += 1
    assert compared


def test_the_board_of_people_holds_no_bot(reader: FileReading) -> None:
    for game in GAMES:
        assert "eve" not in {
            row.player for row in read.standings(reader, game, GAMES[game].editions[0], EVERYTHING).rows
        }
    assert "eve" in {
        row.player
        for game in GAMES
        for row in read.standings(reader, game, GAMES[game].editions[0], EVERYTHING, pool="bots").rows
    }


def test_standings_are_sorted_by_rating_and_come_in_pages(reader: FileReading) -> None:
    game = "thirteen_minutes"
    whole = read.standings(reader, game, GAMES[game].editions[0], EVERYTHING).rows
    assert [row.rating for row in whole] == sorted((row.rating for row in whole), reverse=True)
    rows: list[StandingRow] = []
    after: str | None = None
    while True:
        page = read.standings(reader, game, GAMES[game].editions[0], Asked(1, after))
        rows += page.rows
        after = page.next
        if after is None:
            break
    assert tuple(rows) == whole
    assert len(whole) > 1


def test_totals_are_of_people_unless_another_pool_is_asked(reader: FileReading) -> None:
    assert {row.pool for row in read.totals(reader)} == {"live"}
    assert {row.pool for row in read.totals(reader, pool=None)} >= {"live", "bots", "uploaded"}
    over = [row for row in everything(reader) if row.status == "over"]
    counted = sum(row.played + row.void for row in read.totals(reader, pool=None))
    assert counted == len(over)


def test_a_player_has_a_standing_on_every_board_that_knows_him(reader: FileReading) -> None:
    found = read.standings_of(reader, "ann")
    assert {row.player for row in found} == {"ann"}
    assert len({(row.game, row.edition, row.pool) for row in found}) == len(found) > 1


# ── refusals ──


@pytest.mark.parametrize("limit", [0, -1, 201])
def test_a_page_has_bounds(reader: FileReading, limit: int) -> None:
    with pytest.raises(match="1 to 200"):
        read.matches(reader, MatchFilter(), Asked(limit))


@pytest.mark.parametrize("after", ["", "x", "é", "WzEsMl0", "W10", "WyJhIl0", "WzEuNV0", "bnVsbA", "\ud800"])
def test_a_cursor_that_is_none_is_refused(reader: FileReading, after: str) -> None:
    with pytest.raises(match="next"):
        read.matches(reader, MatchFilter(), Asked(10, after))


def test_a_cursor_of_another_list_is_refused(reader: FileReading) -> None:
    cursor = read.matches(reader, MatchFilter(), Asked(1)).next
    with pytest.raises(match="next"):
        read.standings(reader, "cia_vs_kgb", "standard", Asked(1, cursor))


def test_an_unknown_status_is_refused_with_what_there_is(reader: FileReading) -> None:
    with pytest.raises(match="open, waiting, running, over"):
        read.matches(reader, MatchFilter(status="paused"), EVERYTHING)


def test_an_unknown_outcome_is_refused_with_what_there_is(reader: FileReading) -> None:
    with pytest.raises(match="won, lost, drawn"):
        read.history(reader, "ann", HistoryFilter(outcome="best"), EVERYTHING)


@pytest.mark.parametrize("which", [MatchFilter(since=2**63), MatchFilter(player="\ud800")])
def test_values_that_no_database_can_hold_are_refused(reader: FileReading, which: MatchFilter) -> None:
    with pytest.raises(match="64 bits"):
        read.matches(reader, which, EVERYTHING)


def test_a_reader_cannot_write(reader: FileReading) -> None:
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        reader.execute("DELETE FROM matches_1")


def test_what_folds_remember_has_no_view(reader: FileReading) -> None:
    views = {name for (name,) in reader.execute("SELECT name FROM sqlite_master WHERE type = 'view'")}
    kinds = [kind for projection in PROJECTIONS for kind in projection.kinds]
    assert views == {kind.table for kind in kinds if not kind.internal}
    assert {kind.table for kind in kinds if kind.internal} == {
        "board_matches",
        "board_results",
        "history_matches",
        "match_exchanges",
        "pairing_memory",
        "tournament_memory",
    }
