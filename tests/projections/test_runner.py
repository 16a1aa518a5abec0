from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import ClassVar

import msgspec
import pytest

from domain.game import Game
from domain.games import GAMES
from domain.kernel import Refused
from domain.log import PLAYED
from projections import read
from projections.backend import shape
from projections.boards import BOARDS
from projections.file import connect
from projections.history import HISTORY
from projections.matches import MATCHES, MatchRow
from projections.model import Change, Delivered, Projection, Row, Rows
from projections.read import Asked, MatchFilter
from projections.runner import PROJECTIONS, Runner
from projections.status import Status
from tests.matches import finished
from tests.projections.support import (
    WITH_CHAIN,
    FakeSource,
    Hall,
    Item,
    MemoryRows,
    caught_up,
    dumped,
    folded,
    items,
    plain,
)

LOG = Hall(list(GAMES.values()), 12, seed=7).play()
Fold = Callable[[Rows, Delivered], Iterable[Change]]
BAD = next(item.position for item in LOG[119:] if item.record.kind != PLAYED)


def fresh(
    path: Path, log: Iterable[Item] = LOG, projections: Sequence[Projection] = PROJECTIONS
) -> dict[str, list[object]]:
    """What a fold of the whole log in one go gives."""
    caught_up(log, path / "fresh.db", projections=projections)
    return dumped(path / "fresh.db", projections)


def status_of(runner: Runner, name: str) -> Status:
    return next(status for status in runner.status() if status.name == name)


def generations(path: Path) -> dict[str, int]:
    connection = sqlite3.connect(path)
    found = dict(connection.execute("SELECT name, generation FROM generations WHERE served"))
    connection.close()
    return found


# ── exactly once ──


@pytest.mark.parametrize("batch", [1, 7, 100])
def test_batches_of_any_size_give_the_same_rows(tmp_path: Path, batch: int) -> None:
    caught_up(LOG, tmp_path / "read.db", projections=WITH_CHAIN, batch=batch)
    assert dumped(tmp_path / "read.db", WITH_CHAIN) == fresh(tmp_path, projections=WITH_CHAIN)


def test_records_delivered_again_change_nothing(tmp_path: Path) -> None:
    runner = Runner(FakeSource(LOG, again=5), tmp_path / "read.db", projections=WITH_CHAIN, batch=10)
    runner.catch_up()
    runner.catch_up()
    runner.stop()
    assert dumped(tmp_path / "read.db", WITH_CHAIN) == fresh(tmp_path, projections=WITH_CHAIN)


def test_a_restart_goes_on_where_it_stopped(tmp_path: Path) -> None:
    for end in (1, 40, 41, 200, len(LOG)):  # `report` would tell of a rebuild
        caught_up(LOG[:end], tmp_path / "read.db", projections=WITH_CHAIN, batch=9, report=pytest.fail)
    assert dumped(tmp_path / "read.db", WITH_CHAIN) == fresh(tmp_path, projections=WITH_CHAIN)


def test_two_runners_on_one_file_fold_each_record_once(tmp_path: Path) -> None:
    one = Runner(FakeSource(LOG), tmp_path / "read.db", projections=WITH_CHAIN, batch=10)
    other = Runner(FakeSource(LOG), tmp_path / "read.db", projections=WITH_CHAIN, batch=7)
    while any([one.advance(), other.advance()]):
        pass
    one.stop()
    other.stop()
    assert dumped(tmp_path / "read.db", WITH_CHAIN) == fresh(tmp_path, projections=WITH_CHAIN)


@pytest.mark.parametrize("projection", PROJECTIONS, ids=lambda projection: projection.name)
def test_the_file_holds_what_the_fold_gives_in_memory(tmp_path: Path, projection: Projection) -> None:
    caught_up(LOG, tmp_path / "read.db", batch=50)
    memory = folded(projection, LOG)
    for kind in projection.kinds:
        stored = dumped(tmp_path / "read.db", [projection])[f"{projection.name}.{kind.table}"]
        assert stored == sorted(tuple(shape(kind).values(row)) for row in memory.all(kind))


@pytest.mark.parametrize("seed", range(3))
def test_what_was_followed_move_by_move_equals_a_rebuild_from_nothing(tmp_path: Path, seed: int) -> None:
    source = FakeSource()
    runner = Runner(source, tmp_path / "read.db")
    log = Hall(list(GAMES.values()), 4, seed=20 + seed).play()
    for item in log:
        source.add([item.record], uploaded=item.uploaded)
        runner.catch_up()
    runner.stop()
    kinds = {item.record.entry.__class__.__name__ for item in log}
    assert {"Played", "TakenBack", "Ruled", "Closed"} <= kinds
    assert dumped(tmp_path / "read.db") == fresh(tmp_path, log)


# ── in the server ──


def test_the_thread_is_woken_by_a_commit(tmp_path: Path) -> None:
    source = FakeSource(LOG[:100])
    runner = Runner(source, tmp_path / "read.db", projections=WITH_CHAIN)
    runner.start()
    assert runner.wait(100, 30)
    for item in LOG[100:]:
        source.add([item.record], uploaded=item.uploaded)
    assert runner.wait(len(LOG), 30)
    assert not runner.wait(len(LOG) + 1, 0)
    runner.stop()
    assert dumped(tmp_path / "read.db", WITH_CHAIN) == fresh(tmp_path, projections=WITH_CHAIN)


def test_the_lag_can_be_read(tmp_path: Path) -> None:
    runner = Runner(FakeSource(LOG), tmp_path / "read.db", batch=10)
    assert status_of(runner, "boards") == Status("boards", 0, len(LOG), 0, None)
    runner.advance()
    assert status_of(runner, "boards") == Status("boards", 10, len(LOG) - 10, 10, None)
    runner.catch_up()
    assert {(status.behind, status.building) for status in runner.status()} == {(0, None)}
    runner.stop()


class Busy(FakeSource):
    """A store that has one more record at each reading."""

    _there = 100

    def last(self) -> int:
        """See `Source.last`."""
        self._there += 1
        return self._there


def test_a_round_ends_with_what_was_there_when_it_began(tmp_path: Path) -> None:
    runner = Runner(Busy(LOG), tmp_path / "read.db", batch=1)
    runner.catch_up()
    assert {status.position for status in runner.status()} == {101}
    runner.stop()


def test_a_record_that_fails_does_not_keep_a_round_going(tmp_path: Path) -> None:
    def fold(rows: Rows, delivered: Delivered) -> Iterable[Change]:
        raise LookupError

    broken = msgspec.structs.replace(MATCHES, fold=fold)
    runner = Runner(Busy(LOG), tmp_path / "read.db", projections=(broken, HISTORY), batch=1)
    runner.catch_up()
    assert [status.position for status in runner.status()] == [0, 101]
    runner.stop()


# ── rebuilding ──


def test_a_rebuild_serves_the_old_rows_until_the_new_ones_are_complete(tmp_path: Path) -> None:
    source = FakeSource(LOG[:-40])
    runner = Runner(source, tmp_path / "read.db", batch=60)
    runner.catch_up()
    reader = connect(tmp_path / "read.db")
    everything = len(read.matches(reader, MatchFilter(), Asked(200)).rows)
    runner.rebuild("matches")
    building: list[int | None] = []
    for item in LOG[-40:]:
        source.add([item.record], uploaded=item.uploaded)
        runner.advance()
        assert len(read.matches(reader, MatchFilter(), Asked(200)).rows) == everything
        assert status_of(runner, "matches").behind == 0
        building.append(status_of(runner, "matches").building)
    reader.close()
    runner.stop()
    progress = [position for position in building if position is not None]
    assert progress[:2] == [60, 120]
    assert building[-1] is None
    assert generations(tmp_path / "read.db") == {"matches": 2, "history": 1, "boards": 1, "tournaments": 1}
    assert dumped(tmp_path / "read.db") == fresh(tmp_path)


@pytest.mark.parametrize("projection", PROJECTIONS, ids=lambda projection: projection.name)
def test_a_rebuild_equals_what_was_live(tmp_path: Path, projection: Projection) -> None:
    runner = Runner(FakeSource(LOG), tmp_path / "read.db")
    runner.catch_up()
    live = dumped(tmp_path / "read.db")
    runner.rebuild(projection.name)
    runner.catch_up()
    runner.stop()
    assert generations(tmp_path / "read.db")[projection.name] == 2
    assert dumped(tmp_path / "read.db") == live


def test_a_rebuild_of_an_unknown_projection_is_refused(tmp_path: Path) -> None:
    runner = Runner(FakeSource(LOG), tmp_path / "read.db")
    with pytest.raises(KeyError):
        runner.rebuild("matchez")
    runner.stop()


def test_a_rebuild_leaves_no_old_tables_behind(tmp_path: Path) -> None:
    runner = Runner(FakeSource(LOG), tmp_path / "read.db", batch=50)
    runner.catch_up()
    for _ in range(2):  # the second throws the unfinished first one away
        runner.rebuild("history")
        runner.advance()
    runner.catch_up()
    runner.stop()
    connection = sqlite3.connect(tmp_path / "read.db")
    tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    connection.close()
    assert len(tables) == 2 + sum(len(projection.kinds) for projection in PROJECTIONS)


def test_a_projection_that_is_no_more_leaves_nothing_behind(tmp_path: Path) -> None:
    caught_up(LOG, tmp_path / "read.db", projections=WITH_CHAIN)
    caught_up(LOG, tmp_path / "read.db")
    connection = sqlite3.connect(tmp_path / "read.db")
    assert [*connection.execute("SELECT name FROM sqlite_master WHERE name LIKE 'chain%'")] == []
    assert [*connection.execute("SELECT * FROM generations WHERE name = 'chain'")] == []
    connection.close()
    assert dumped(tmp_path / "read.db") == fresh(tmp_path)


def test_an_unfinished_rebuild_goes_on_after_a_restart(tmp_path: Path) -> None:
    runner = Runner(FakeSource(LOG), tmp_path / "read.db", batch=50)
    runner.catch_up()
    runner.rebuild("boards")
    runner.advance()
    runner.stop()
    again = Runner(FakeSource(LOG), tmp_path / "read.db", batch=50)
    assert status_of(again, "boards").building == 50
    again.catch_up()
    again.stop()
    assert dumped(tmp_path / "read.db") == fresh(tmp_path)


def test_a_new_version_is_built_beside_the_old_one(tmp_path: Path) -> None:
    caught_up(LOG, tmp_path / "read.db")
    newer = msgspec.structs.replace(MATCHES, version=MATCHES.version + 1)
    runner = Runner(FakeSource(LOG), tmp_path / "read.db", projections=(newer,), batch=50)
    reader = connect(tmp_path / "read.db")
    runner.advance()
    assert status_of(runner, "matches").building == 50
    assert len(read.matches(reader, MatchFilter(), Asked(200)).rows) == 12
    runner.catch_up()
    assert status_of(runner, "matches").building is None
    assert len(read.matches(reader, MatchFilter(), Asked(200)).rows) == 12
    reader.close()
    runner.stop()
    assert generations(tmp_path / "read.db")["matches"] == 2


def test_a_new_version_that_fails_leaves_the_old_one_served(tmp_path: Path) -> None:
    caught_up(LOG, tmp_path / "read.db")
    newer = Projection("matches", MATCHES.version + 1, MATCHES.kinds, failing_fold)
    runner = Runner(FakeSource(LOG), tmp_path / "read.db", projections=(newer, HISTORY))
    runner.catch_up()
    failure = status_of(runner, "matches").failure
    assert failure is not None
    assert failure.position == 1
    reader = connect(tmp_path / "read.db")
    assert len(read.matches(reader, MatchFilter(), Asked(200)).rows) == 12
    reader.close()
    runner.stop()
    assert generations(tmp_path / "read.db")["matches"] == 1


def failing_fold(rows: Rows, delivered: Delivered) -> Iterable[Change]:
    raise NotImplementedError


def test_readers_notice_nothing_of_rebuilds(tmp_path: Path) -> None:
    runner = Runner(FakeSource(LOG), tmp_path / "read.db", batch=40)
    runner.start()
    assert runner.wait(len(LOG), 30)
    reader = connect(tmp_path / "read.db")
    expected = read.matches(reader, MatchFilter(player="ann"), Asked(200))
    for generation in range(2, 7):
        runner.rebuild("matches")
        while generations(tmp_path / "read.db")["matches"] < generation:
            assert read.matches(reader, MatchFilter(player="ann"), Asked(200)) == expected
    reader.close()
    runner.stop()


class OlderMatchRow(Row, frozen=True, kw_only=True):
    """A match list of an older version, with other columns."""

    table: ClassVar[str] = "matches"
    key: ClassVar[tuple[str, ...]] = ("match",)

    match: str


def older_fold(rows: Rows, delivered: Delivered) -> Iterable[Change]:
    yield OlderMatchRow(match=delivered.record.match)


def test_rows_of_an_older_shape_are_not_ready_rather_than_wrong(tmp_path: Path) -> None:
    older = Projection("matches", 1, (OlderMatchRow,), older_fold)
    caught_up(LOG, tmp_path / "read.db", projections=(older,))
    runner = Runner(FakeSource(LOG), tmp_path / "read.db", projections=(MATCHES,))
    reader = connect(tmp_path / "read.db")
    with pytest.raises(Refused, match="matches"):
        read.matches(reader, MatchFilter(), Asked())
    runner.catch_up()
    assert read.matches(reader, MatchFilter(), Asked()).rows
    reader.close()
    runner.stop()


def test_the_read_models_of_another_log_are_built_anew(tmp_path: Path) -> None:
    other = Hall(list(GAMES.values()), 3, seed=99).play(150)
    caught_up(LOG, tmp_path / "read.db")
    lines: list[str] = []
    caught_up(other, tmp_path / "read.db", report=lines.append)
    assert dumped(tmp_path / "read.db") == fresh(tmp_path, other)
    assert len(lines) == len(PROJECTIONS)


def test_a_log_that_went_another_way_after_a_restored_backup_is_noticed(tmp_path: Path) -> None:
    games = list(GAMES.values())
    longer = [*items(finished(games[0], 1).match.records), *LOG]
    log = [Item(position, item.record) for position, item in enumerate(longer, 1)]
    caught_up(log[: len(LOG)], tmp_path / "read.db")
    caught_up(LOG, tmp_path / "read.db")
    assert dumped(tmp_path / "read.db") == fresh(tmp_path)


def test_a_damaged_file_is_put_aside_and_built_anew(tmp_path: Path) -> None:
    (tmp_path / "read.db").write_bytes(b"no database at all" * 1_000)
    lines: list[str] = []
    caught_up(LOG, tmp_path / "read.db", report=lines.append)
    assert dumped(tmp_path / "read.db") == fresh(tmp_path)
    assert (tmp_path / "read.db.damaged").read_bytes().startswith(b"no database")
    assert lines == ["read.db is damaged; it is kept as read.db.damaged and built anew"]


# ── what fails ──


class Fragile:
    """History, save that its fold fails on the record at `position` until it is mended."""

    def __init__(self, position: int) -> None:
        self.position, self.mended = position, False
        self.projection = msgspec.structs.replace(HISTORY, fold=self.fold)

    def fold(self, rows: Rows, delivered: Delivered) -> Iterable[Change]:
        if delivered.position == self.position and not self.mended:
            raise LookupError("the hidden card is un-1")
        return HISTORY.fold(rows, delivered)


def test_a_failing_record_stops_only_its_own_projection_and_is_tried_again(tmp_path: Path) -> None:
    fragile, lines = Fragile(BAD), list[str]()
    runner = Runner(
        FakeSource(LOG),
        tmp_path / "read.db",
        projections=(MATCHES, fragile.projection, BOARDS),
        batch=50,
        report=lines.append,
    )
    runner.catch_up()
    runner.catch_up()
    assert [status.position for status in runner.status()] == [len(LOG), BAD - 1, len(LOG)]
    failure = status_of(runner, "history").failure
    assert failure is not None
    assert (failure.position, failure.match) == (BAD, LOG[BAD - 1].record.match)
    assert failure.attempts > 1
    assert len(lines) == 1
    assert f"position {BAD}" in lines[0]
    fragile.mended = True
    runner.catch_up()
    assert status_of(runner, "history") == Status("history", len(LOG), 0, None, None)
    runner.stop()
    expected = fresh(tmp_path)
    assert dumped(tmp_path / "read.db", [HISTORY])["history.seatings"] == expected["history.seatings"]


def test_a_failure_is_known_after_a_restart_until_it_is_mended(tmp_path: Path) -> None:
    fragile, lines = Fragile(BAD), list[str]()
    for _ in range(2):
        runner = Runner(
            FakeSource(LOG), tmp_path / "read.db", projections=(fragile.projection,), report=lines.append
        )
        told = status_of(runner, "history").failure
        runner.catch_up()
        runner.stop()
    assert told is not None
    assert told.position == BAD
    assert len(lines) == 1
    fragile.mended = True
    caught_up(LOG, tmp_path / "read.db", projections=(fragile.projection,))


def test_what_is_reported_of_a_failure_names_no_card(tmp_path: Path) -> None:
    fragile, lines = Fragile(3), list[str]()
    runner = Runner(
        FakeSource(LOG), tmp_path / "read.db", projections=(fragile.projection,), report=lines.append
    )
    runner.catch_up()
    failure = status_of(runner, "history").failure
    runner.stop()
    assert failure is not None
    assert failure.error.startswith("LookupError at projections/test_runner.py:")
    assert "un-1" not in lines[0]


class TallRow(Row, frozen=True, kw_only=True):
    """A row that may not fit its column."""

    table: ClassVar[str] = "tall"
    key: ClassVar[tuple[str, ...]] = ("position",)

    position: int
    height: int


def tall_fold(rows: Rows, delivered: Delivered) -> Iterable[Change]:
    yield TallRow(position=delivered.position, height=2**70 if delivered.position == BAD else 1)


def test_rows_that_cannot_be_written_stop_only_their_own_projection(tmp_path: Path) -> None:
    tall = Projection("tall", 1, (TallRow,), tall_fold)
    runner = Runner(FakeSource(LOG), tmp_path / "read.db", projections=(tall, MATCHES), batch=50)
    runner.catch_up()
    assert [status.position for status in runner.status()] == [BAD - 1, len(LOG)]
    failure = status_of(runner, "tall").failure
    runner.stop()
    assert failure is not None
    assert failure.position == BAD
    assert failure.error.startswith("OverflowError")


def _fails(rows: Rows, delivered: Delivered) -> Iterable[Change]:
    if delivered.position == BAD:
        raise LookupError
    return MATCHES.fold(rows, delivered)


def _cannot_be_written(rows: Rows, delivered: Delivered) -> Iterable[Change]:
    changes = list(MATCHES.fold(rows, delivered))
    if delivered.position == BAD:
        return [msgspec.structs.replace(one, opened=2**70) for one in changes if isinstance(one, MatchRow)]
    return changes


@pytest.mark.parametrize("fold", [_fails, _cannot_be_written])
@pytest.mark.parametrize("batch", [7, 1_000])
def test_before_a_record_that_fails_every_row_is_what_the_records_before_make(
    tmp_path: Path, fold: Fold, batch: int
) -> None:
    fragile = msgspec.structs.replace(MATCHES, fold=fold)
    runner = Runner(FakeSource(LOG), tmp_path / "read.db", projections=(fragile,), batch=batch)
    runner.catch_up()
    assert [status.position for status in runner.status()] == [BAD - 1]
    kept = shape(MatchRow)
    stored = runner._there.execute(f"SELECT {kept.names} FROM {kept.name(1)}").fetchall()
    runner.stop()
    expected = folded(MATCHES, LOG[: BAD - 1]).all(MatchRow)
    assert sorted((kept.row(values) for values in stored), key=lambda row: row.match) == expected


def test_a_full_disk_stops_all_projections_and_loses_nothing(tmp_path: Path) -> None:
    crowd = Hall(list(GAMES.values()), 200, seed=3).play(1_000)
    runner = Runner(FakeSource(crowd), tmp_path / "read.db", batch=50)
    runner.advance()
    (pages,) = runner._there.execute("PRAGMA page_count").fetchone()
    runner._there.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(sqlite3.OperationalError, match="full"):
        runner.catch_up()
    runner._there.execute("PRAGMA max_page_count = 1000000")
    runner.catch_up()
    runner.stop()
    assert dumped(tmp_path / "read.db") == fresh(tmp_path, crowd)


def test_the_thread_survives_a_log_that_cannot_be_read(tmp_path: Path) -> None:
    source = Unreadable(LOG)
    lines: list[str] = []
    runner = Runner(source, tmp_path / "read.db", report=lines.append)
    runner.start()
    assert runner.wait(len(LOG), 30)
    runner.stop()
    assert lines
    assert lines[0].startswith("the log cannot be read (OSError)")


class Unreadable(FakeSource):
    """A log whose first reading fails."""

    def after(self, position: int, limit: int) -> Sequence[Item]:
        if not self._again:
            self._again = 1
            raise OSError("the disk is gone for a moment")
        return super().after(position, limit)


def test_a_match_without_its_first_move_is_a_failure(toy_game: Game) -> None:
    record = finished(toy_game).match.records[1]
    with pytest.raises(LookupError, match="move 2 of m1 came before the first one"):
        list(MATCHES.fold(MemoryRows(), Item(1, record)))


def test_rows_in_the_file_read_back_as_they_were(tmp_path: Path) -> None:
    caught_up(LOG, tmp_path / "read.db")
    connection = sqlite3.connect(tmp_path / "read.db")
    for projection in PROJECTIONS:
        memory = folded(projection, LOG)
        for kind in projection.kinds:
            kept = shape(kind)
            stored = connection.execute(f"SELECT {kept.names} FROM {kept.name(1)}").fetchall()
            rows = sorted((plain(kept.row(values)) for values in stored), key=repr)
            assert rows == sorted((plain(row) for row in memory.all(kind)), key=repr)
    connection.close()
