"""Read models in PostgreSQL: the same rows and answers as in a file, moved by one process, read by all."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import msgspec
import psycopg
import pytest

from domain.game import Game
from domain.games import GAMES
from domain.log import PLAYED
from projections import read, runner
from projections.backend import Batch, Reading, shape
from projections.file import File
from projections.generations import Overtaken
from projections.matches import MATCHES, MatchRow
from projections.model import Change, Delivered, Gone, Projection, Rows
from projections.postgres import NAME, VIEWS, Database, Tables
from projections.read import Asked, HistoryFilter, MatchFilter
from projections.runner import PROJECTIONS, Runner
from tests.projections.support import (
    LONG,
    WITH_CHAIN,
    FakeSource,
    Hall,
    add,
    caught_up,
    database_of,
    dumped,
    seated,
    write_log,
)
from tests.projections.test_tables import Thing
from tests.waiting import soon

ROOT = Path(__file__).parents[2]
LOG = Hall(list(GAMES.values()), 12, seed=7).play()
BAD = next(item.position for item in LOG[119:] if item.record.kind != PLAYED)
ALL = Asked(200)


@contextmanager
def running(home: Database, log: FakeSource, **more: Any) -> Iterator[Runner]:
    """A worker that follows this log."""
    one = Runner(log, home, **more)
    one.start()
    try:
        yield one
    finally:
        one.stop()


# ── the same as in a file ──


@pytest.mark.parametrize(
    ("batch", "records"),
    [(1, len(LOG) // 4), (7, len(LOG)), (100, len(LOG)), pytest.param(1, len(LOG), marks=pytest.mark.long)],
)
def test_batches_of_any_size_give_the_rows_of_a_file(
    database: str, tmp_path: Path, batch: int, records: int
) -> None:
    caught_up(LOG[:records], database_of(database), projections=WITH_CHAIN, batch=batch)
    caught_up(LOG[:records], tmp_path / "read.db", projections=WITH_CHAIN)
    assert dumped(database, WITH_CHAIN) == dumped(tmp_path / "read.db", WITH_CHAIN)


def test_a_restart_goes_on_where_it_stopped(database: str, tmp_path: Path) -> None:
    for end in (1, 40, 41, 200, len(LOG)):  # `report` would tell of a rebuild
        caught_up(LOG[:end], database_of(database), batch=9, report=pytest.fail)
    caught_up(LOG, tmp_path / "read.db")
    assert dumped(database) == dumped(tmp_path / "read.db")


def pages(question: Callable[..., Any], *given: Any, limit: int, **named: Any) -> Iterator[Any]:
    """Page after page of a list."""
    after: str | None = None
    while True:
        page = question(*given, Asked(limit, after), **named)
        yield page
        if (after := page.next) is None:
            return


def everything(tables: Reading) -> Iterator[Any]:
    """What every list answers, in pages of several sizes, with every filter."""
    some = {row.match for row in read.matches(tables, MatchFilter(status="over"), ALL).rows[:3]}
    which = [
        MatchFilter(),
        MatchFilter(hidden=frozenset(some)),
        MatchFilter(player="ann", status="over"),
        MatchFilter(player="a\0"),
        MatchFilter(game="cia_vs_kgb", origin="live"),
        MatchFilter(since=0, until=2**62),
    ]
    for one in which:
        for limit in (1, 3, 200):
            yield from pages(read.matches, tables, one, limit=limit)
    for player in ("ann", "bob", "eve", "nobody"):
        for filter in (HistoryFilter(), HistoryFilter(outcome="won"), HistoryFilter(hidden=frozenset(some))):
            yield from pages(read.history, tables, player, filter, limit=2)
        yield read.standings_of(tables, player)
    yield read.totals(tables, pool=None)
    for game in GAMES.values():
        for pool in ("live", "bots"):
            for limit in (1, 2, 200):
                yield from pages(read.standings, tables, game.name, game.editions[0], limit=limit, pool=pool)


def test_every_answer_has_the_bytes_of_that_of_a_file(database: str, tmp_path: Path) -> None:
    home, file = database_of(database), File(tmp_path / "read.db")
    caught_up(LOG, home)
    caught_up(LOG, file)
    with home.reader() as ours, file.reader() as theirs:
        answers = [[msgspec.json.encode(one) for one in everything(each)] for each in (ours, theirs)]
        for which in (MatchFilter(since=2**63), MatchFilter(player="\ud800")):
            for tables in (ours, theirs):
                with pytest.raises(match="64 bits"):
                    read.matches(tables, which, ALL)
    home.close()
    file.close()
    assert answers[0] == answers[1]
    assert len(answers[0]) > 100


def test_rows_of_each_kind_are_written_found_and_deleted_as_in_a_file(database: str) -> None:
    tables = database_of(database).open()
    assert tables is not None
    for statement in shape(Thing).create(3, tables.types):
        tables.execute(statement)
    name, parts = 'a \\ and a "', {"b": 2, "a": 1}
    whole = Thing(group="a", number=1, name=name, share=0.1, good=True, parts=parts, opaque=[1])
    batch = Batch(tables, 3)
    batch.apply([whole, *(Thing(group="b", number=number) for number in (1, 2, 3))])
    batch.write()
    found = Batch(tables, 3).get(Thing, "a", 1)
    assert found is not None
    assert found.opaque == msgspec.Raw(b"[1]")
    assert msgspec.structs.replace(found, opaque=[1]) == whole
    batch.apply([Gone(Thing, ("a",)), Gone(Thing, ("b", 2)), Thing(group="b", number=3, name="new")])
    batch.write()
    left = Batch(tables, 3).under(Thing)
    assert [(row.group, row.number, row.name) for row in left] == [("b", 1, None), ("b", 3, "new")]
    tables.close()


def _fails(rows: Rows, delivered: Delivered) -> list[Change]:
    if delivered.position == BAD:
        raise LookupError
    return list(MATCHES.fold(rows, delivered))


def _cannot_be_written(rows: Rows, delivered: Delivered) -> list[Change]:
    changes = list(MATCHES.fold(rows, delivered))
    if delivered.position == BAD:
        return [msgspec.structs.replace(one, opened=2**70) for one in changes if isinstance(one, MatchRow)]
    return changes


@pytest.mark.parametrize("fold", [_fails, _cannot_be_written])
@pytest.mark.parametrize("batch", [7, 1_000])
def test_a_record_that_fails_stops_its_own_projection_alone(
    database: str, tmp_path: Path, fold: Callable[[Rows, Delivered], list[Change]], batch: int
) -> None:
    fragile = msgspec.structs.replace(MATCHES, fold=fold)
    some: tuple[Projection, ...] = (fragile, *PROJECTIONS[1:])
    one = Runner(FakeSource(LOG), database_of(database), projections=some, batch=batch)
    one.catch_up()
    assert [status.position for status in one.status()] == [BAD - 1, *[len(LOG)] * (len(PROJECTIONS) - 1)]
    failure = one.status()[0].failure
    assert failure is not None
    assert failure.position == BAD
    one.stop()
    caught_up(LOG, database_of(database))
    caught_up(LOG, tmp_path / "read.db")
    assert dumped(database) == dumped(tmp_path / "read.db")


def test_matches_that_are_looked_up_together_are_found(database: str, toy_game: Game, tmp_path: Path) -> None:
    sittings = [seated(toy_game, number, ("ann", "bob")) for number in range(20)]
    log = FakeSource()
    for sitting in sittings:
        log.add(sitting.match.records[:2])
    one = Runner(log, database_of(database))
    one.catch_up()
    for sitting in sittings:
        log.add(sitting.match.records[2:])
    one.catch_up()
    assert not [status for status in one.status() if status.failure or status.behind]
    one.stop()
    caught_up(log.items, tmp_path / "read.db")
    assert dumped(database) == dumped(tmp_path / "read.db")


# ── a rebuild ──


def test_the_old_rows_are_read_until_the_new_ones_are_complete(database: str, tmp_path: Path) -> None:
    home, log = database_of(database), FakeSource(LOG[:-40])
    one = Runner(log, home, batch=60)
    one.catch_up()
    with home.reader() as tables:
        known = read.matches(tables, MatchFilter(), ALL)
    one.rebuild("matches")
    built: list[int | None] = []
    for item in LOG[-40:]:
        log.add([item.record], uploaded=item.uploaded)
        one.advance()
        with home.reader() as tables:
            assert len(read.matches(tables, MatchFilter(), ALL).rows) == len(known.rows)
        built.append(one.status()[0].building)
    assert built[:2] == [60, 120]
    assert built[-1] is None
    one.stop()
    caught_up(LOG, tmp_path / "read.db")
    assert dumped(database) == dumped(tmp_path / "read.db")


def test_readers_notice_nothing_of_rebuilds(database: str) -> None:
    home = database_of(database)
    with running(database_of(database), FakeSource(LOG), batch=40) as one:
        assert one.wait(len(LOG), LONG)
        with home.reader() as tables:
            expected = read.matches(tables, MatchFilter(player="ann"), ALL)
        for _ in range(4):
            one.rebuild("matches")
            soon(lambda: one.status()[0].building is not None or not one._wanted)
            while one.status()[0].building is not None:
                with home.reader() as tables:
                    assert read.matches(tables, MatchFilter(player="ann"), ALL) == expected
    home.close()


def test_an_analyst_who_was_let_in_once_reads_what_is_built_later(database: str) -> None:
    role = f"analyst_{random.Random(database).randrange(10**9)}"
    with psycopg.connect(database, autocommit=True) as owner:
        caught_up(LOG[:100], database_of(database))
        owner.execute(f"CREATE ROLE {role}".encode())
        try:
            owner.execute(f"GRANT USAGE ON SCHEMA {VIEWS} TO {role}".encode())
            owner.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA {VIEWS} TO {role}".encode())
            owner.execute(
                f"ALTER DEFAULT PRIVILEGES IN SCHEMA {VIEWS} GRANT SELECT ON TABLES TO {role}".encode()
            )
            one = Runner(FakeSource(LOG), database_of(database))
            one.rebuild("matches")
            one.catch_up()
            one.stop()
            owner.execute(f"SET ROLE {role}".encode())
            assert owner.execute(b"SELECT count(*) FROM glasnost_lists.matches").fetchone() == (12,)
            for hidden in ("glasnost_models.matches_2", "glasnost_models.projections"):
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    owner.execute(f"SELECT count(*) FROM {hidden}".encode())
            owner.execute(b"RESET ROLE")
        finally:
            owner.execute(b"RESET ROLE")
            owner.execute(f"DROP OWNED BY {role}".encode())
            owner.execute(f"DROP ROLE {role}".encode())


# ── one process moves them, all read ──


def test_of_two_workers_one_moves_them_and_both_know(database: str, tmp_path: Path) -> None:
    log = FakeSource(LOG[:100])
    with running(database_of(database), log) as one, running(database_of(database), log) as other:
        assert (one.moves, other.moves) == (True, False)
        add(log, LOG[100:])
        assert other.wait(len(LOG), LONG)
        assert not other.wait(len(LOG) + 1, 0)
        assert other.status() == one.status()
        assert [status.behind for status in other.status()] == [0] * len(PROJECTIONS)
        caught_up(LOG, tmp_path / "read.db")
        assert dumped(database) == dumped(tmp_path / "read.db")


def test_one_that_stops_lets_another_one_go_on(database: str) -> None:
    log = FakeSource(LOG[:100])
    with running(database_of(database), log) as one, running(database_of(database), log) as other:
        assert other.wait(100, LONG)
        one.stop()
        add(log, LOG[100:])
        assert other.wait(len(LOG), LONG)
        assert other.moves


def test_one_that_is_killed_lets_another_one_go_on(database: str, tmp_path: Path) -> None:
    write_log(LOG[:100], tmp_path / "log")
    program = [sys.executable, "-m", "tests.projections.moving", str(tmp_path / "log"), database]
    with subprocess.Popen(program, cwd=ROOT, stdout=subprocess.PIPE) as moving, ExitStack() as undone:
        undone.callback(moving.kill)
        assert moving.stdout is not None
        assert moving.stdout.readline() == b"moves them\n"
        with running(database_of(database), FakeSource(LOG)) as other:
            assert not other.moves
            assert not other.wait(101, 0)
            moving.send_signal(signal.SIGKILL)
            assert other.wait(len(LOG), LONG)
            assert other.moves
    caught_up(LOG, tmp_path / "read.db")
    assert dumped(database) == dumped(tmp_path / "read.db")


def test_one_that_lost_its_connection_goes_on_with_a_new_one(database: str, tmp_path: Path) -> None:
    log, lines = FakeSource(LOG[:100]), list[str]()
    with running(database_of(database), log, report=lines.append) as one:
        assert one.wait(100, LONG)
        with psycopg.connect(database, autocommit=True) as owner:
            ours = b"FROM pg_stat_activity WHERE application_name = 'glasnost'"
            owner.execute(b"SELECT pg_terminate_backend(pid) " + ours)
        add(log, LOG[100:])
        assert one.wait(len(LOG), LONG)
        assert one.moves
    caught_up(LOG, tmp_path / "read.db")
    assert dumped(database) == dumped(tmp_path / "read.db")
    assert all("trying again" in line for line in lines)


def test_a_late_write_of_one_that_lost_the_lock_fails_on_the_position(database: str) -> None:
    late = Runner(FakeSource(LOG), database_of(database), batch=50)
    late.advance()
    with psycopg.connect(database, autocommit=True) as owner:
        late._there.execute("SELECT pg_advisory_unlock_all()")
        other = Runner(FakeSource(LOG), database_of(database), batch=70)
        assert other.moves
        other.advance()
        before = owner.execute(b"SELECT sum(position) FROM glasnost_models.generations").fetchone()
        found = late._state[0]
        with pytest.raises(Overtaken), late._there.transaction():
            late._catalogue.move(found, msgspec.structs.replace(found.progress, position=100))
        assert owner.execute(b"SELECT sum(position) FROM glasnost_models.generations").fetchone() == before
    late.stop()
    other.catch_up()
    assert [status.behind for status in other.status()] == [0] * len(PROJECTIONS)
    other.stop()


def test_a_reader_of_another_worker_calls_the_one_that_moves_them(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "PAUSE", 3_600)
    log, called = FakeSource(), list[int]()
    with running(database_of(database), log) as one, running(database_of(database), log) as other:

        def call() -> None:
            called.append(1)
            one.hurry()

        monkeypatch.setattr(other._home, "call", call)
        for end in (1, 2, 50):
            add(log, LOG[log.last() : end])
            assert other.wait(end, LONG)
    assert called


def test_the_connection_that_moves_them_names_its_process(database: str) -> None:
    names: list[str] = []

    def connect(name: str, settings: str) -> Any:
        names.append(name)
        return address(name, settings)

    home = database_of(database)
    address = home._connect
    vars(home)["_connect"] = connect
    tables = home.open()
    assert isinstance(tables, Tables)
    assert names[0].startswith(f"{NAME} ")
    tables.close()
