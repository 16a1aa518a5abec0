"""A ruling of a tournament after a build: the next build gives what a build from nothing gives."""

from __future__ import annotations

import asyncio
import shutil
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pyarrow.parquet as pq
import pytest
from msgspec import UNSET, Struct
from openskill.models import PlackettLuce

from api.gate.tournament_previews import previewed
from api.store.data_source import DataSource
from api.store.sqlite import SqliteStore
from domain.games import GAMES
from domain.tournaments import commands as c
from domain.tournaments.events import Result
from domain.tournaments.state import Tournament
from domain.tournaments.terms import Terms
from projections.boards import BOARDS
from projections.ratings import RatingRow
from replay.dataset import compaction, late_ratings, parts
from replay.dataset import manifest as manifests
from replay.dataset.build import Built
from replay.dataset.manifest import Manifest
from replay.dataset.snapshot import differences
from replay.tables import registry
from tests.api.gate.tournaments import DIRECTOR, Cup
from tests.cli.program import run_code
from tests.matches import Sitting, finished, resigned
from tests.projections.support import Item, folded
from tests.replay.dataset import stores
from tests.replay.dataset.stores import content, opened, plain, put

SMALL = GAMES["thirteen_minutes"]
CUT = 40  # positions of a slice: the tournament fills several, and each two are merged
TERMS = Terms(game=SMALL.name, format="swiss", rounds=3)
MODEL = PlackettLuce()
FEW = ("matches", "seats", "ratings", "components", "changes")
TABLES = tuple(table for table in registry.tables() if table.name in FEW)
"""The tables of the data sets of this module: with all it would take much longer."""


@pytest.fixture(scope="module", autouse=True)
def tables() -> Iterator[None]:
    """Data sets have these tables."""
    with patch.object(registry, "tables", lambda **choice: iter(TABLES)):
        yield


class Home(Struct, frozen=True):
    """A store with a tournament of two rounds, and its data set, merged as far as it goes."""

    folder: Path
    cup: str
    manifest: Manifest


@pytest.fixture(scope="module")
def home(tables: None, tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Eight entrants with two matches each, and then a row of players of whom each has met the next one.

    Less and less of another rating of `q1` reaches them: the last ones keep theirs.  No test changes it.
    """
    folder = tmp_path_factory.mktemp("home")

    async def work(store: SqliteStore) -> str:
        cup = await Cup(store, TERMS).announced(8)
        for _ in range(2):
            await cup.paired()
            await cup.results()
            await cup.closed()
        return cup.id

    with opened(folder / "games") as store:
        put(store, finished(SMALL, 2, name="bots", bots=True))
        cup = asyncio.run(work(store))
        for number, players in enumerate(pairwise(["q1", "r1", "r2", "r3", "r4", "r5"])):
            sitting = Sitting(SMALL, 3, name=f"then{number}")
            for seat, player in zip(SMALL.seats, players, strict=True):
                sitting.accept(
                    sitting.match.sit(sitting.context, seat, player, salt=None, bot="", source=None)
                )
            put(store, resigned(sitting, 3))
        put(store, finished(SMALL, 1, name="later"))
        return Home(folder, cup, built(store, folder / "club").manifest)


@pytest.fixture
def store(home: Home, tmp_path: Path) -> Iterator[SqliteStore]:
    """A copy of that store, and of its data set: `club`."""
    shutil.copytree(home.folder, tmp_path, dirs_exist_ok=True)
    with opened(tmp_path / "games") as store:
        yield store


class Ruled(Struct, frozen=True):
    """A copy of that store in which boards are ruled on, with the data set from before and a fresh one."""

    folder: Path
    match: str
    fresh: dict[str, bytes]


@pytest.fixture(scope="module")
def after(home: Home, tmp_path_factory: pytest.TempPathFactory) -> Ruled:
    """Ruled on the match and on one of a later round.  No test changes it."""
    folder = tmp_path_factory.mktemp("ruled") / "home"
    shutil.copytree(home.folder, folder)
    with opened(folder / "games") as store:
        match = ruled(store, home, (1, 1, "--"), (2, 3, "½")).rounds[0].boards[0].match
        fresh = built(store, folder.with_name("fresh"))
    return Ruled(folder, match, content(folder.with_name("fresh"), fresh.manifest))


def built(store: SqliteStore, folder: Path) -> Built:
    """Build in small slices."""
    return stores.built(store, folder, cut=CUT, slices=2)


def ruled(store: SqliteStore, home: Home, *rulings: tuple[int, int, Result]) -> Tournament:
    """Rule on boards of closed rounds; return the tournament."""

    async def work() -> Tournament:
        cup = Cup(store, TERMS)
        cup.id = home.cup
        for round_number, board, result in rulings:
            entry = (await cup.log()).entry
            command = c.Rule(round=round_number, board=board, result=result, reason="other", text="as it was")
            seen = await previewed(cup.tournaments, cup.id, command, DIRECTOR, entry)
            await cup.tournaments.rule(cup.id, command, DIRECTOR, entry, preview=seen.sha256)
        return await cup.state()

    return asyncio.run(work())


def rows(folder: Path, manifest: Manifest, table: str) -> list[dict[str, Any]]:
    """The rows of a table."""
    held = [part for part in manifest.parts if part.table == table]
    return [row for part in held for row in pq.read_table(folder / part.path, partitioning=None).to_pylist()]


def same_as_fresh(store: SqliteStore, folder: Path) -> Manifest:
    """Check that a data set that is up to date has the bytes of one that is built from nothing."""
    fresh = built(store, folder.with_name("fresh")).manifest
    found = manifests.read(folder)
    assert found is not None
    assert content(folder, found) == content(folder.with_name("fresh"), fresh)
    return found


def computed(store: SqliteStore, tournament: Tournament) -> dict[tuple[str, str], tuple[int, int]]:
    """The ratings of all matches by openskill, from the results in the order of the log, as ruled."""
    boards = {board.match: board for one in tournament.rounds for board in one.boards}
    skills: dict[str, Any] = {}
    found: dict[tuple[str, str], tuple[int, int]] = {}
    for _, name in store.closings(0, store.last()):
        match = store.match(name)
        assert match is not None
        if match.pool != "live":
            continue
        assert match.result is not None
        players = [seated.player for seated in match.players.values() if seated]
        winner, result = match.result.winner, "its own"
        if (board := boards.get(name)) is not None:
            result = board.result
            names = {"1-0": board.w, "+-": board.w, "0-1": board.b, "-+": board.b}
            assert board.outcome is not None
            seats = {entrant: seat for seat, entrant in board.outcome.sides.items()}
            winner = seats.get(names.get(result, ""))
        ranks = [1.0 if winner in (None, seat) else 2.0 for seat in match.players]
        before = [skills.get(player) or MODEL.rating() for player in players]
        after = [team[0] for team in MODEL.rate([[one] for one in before], ranks=ranks)]
        after = before if result in ("--", "0-0") else after
        for player, was, now in zip(players, before, after, strict=True):
            skills[player] = now
            shown = [round(one.ordinal(alpha=24.0, target=1500.0)) for one in (was, now)]
            found[name, player] = (shown[0], shown[1])
    return found


def check_ratings(store: SqliteStore, tournament: Tournament, folder: Path, manifest: Manifest) -> None:
    """Compare both tables with what the results come to, and with the read model."""
    expected = computed(store, tournament)
    table = rows(folder, manifest, "ratings")
    assert {(row["match"], row["player"]): (row["before"], row["after"]) for row in table} == expected
    seats = [row for row in rows(folder, manifest, "seats") if row["rating_after"] is not None]
    assert {
        (row["match"], row["player"]): (row["rating_before"], row["rating_after"]) for row in seats
    } == expected
    items = [Item(one.position, one.record) for one in store.after(0, 10_000)]
    model = folded(BOARDS, items).all(RatingRow)
    assert {(row.match, row.player): (row.before, row.after) for row in model} == expected


RULINGS: list[Any] = [
    pytest.param(((1, 1, "--"),), marks=pytest.mark.long),
    ((2, 3, "½"),),
    ((1, 1, "½"), (1, 4, "--"), (2, 2, "0-0")),
]


@pytest.mark.parametrize("rulings", RULINGS)
def test_a_ruling_after_a_build_changes_the_ratings_that_follow_and_is_a_change_of_each_match(
    store: SqliteStore,
    home: Home,
    tmp_path: Path,
    rulings: tuple[tuple[int, int, Result], ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """AN5; and no match is read for it."""
    folder = tmp_path / "club"
    assert any(part.last - part.first + 1 == 2 * CUT for part in home.manifest.parts if part.table == "seats")
    tournament = ruled(store, home, *rulings)
    with monkeypatch.context() as patched, stores.building(store, folder, cut=CUT) as builder:
        patched.delattr(DataSource, "match")
        assert builder.is_behind()
        made = builder.build()
        assert not builder.is_behind()
        assert builder.build().parts == 0
    check_ratings(store, tournament, folder, made.manifest)
    same_as_fresh(store, folder)

    old = {(row["match"], row["player"]): row for row in rows(home.folder / "club", home.manifest, "ratings")}
    new = {(row["match"], row["player"]): row for row in rows(folder, made.manifest, "ratings")}
    changed = {match for match, player in new if new[match, player] != old[match, player]}
    assert 0 < len(changed) < 13
    found = rows(folder, made.manifest, "changes")
    assert Counter((row["what"], row["match"]) for row in found) == {
        ("rated_again", one): 1 for one in changed
    }
    assert all(row["at"] is not None for row in found)
    between = differences(home.folder / "club", folder)
    assert between.changed == {match: ["ratings", "seats"] for match in sorted(changed)}
    assert (between.added, between.removed, len(between.changes)) == ([], [], len(changed))


def test_only_the_parts_that_hold_ratings_are_replaced(
    store: SqliteStore, home: Home, tmp_path: Path
) -> None:
    before = stores.built(store, tmp_path / "whole").manifest
    ruled(store, home, (1, 1, "--"))
    made = stores.built(store, tmp_path / "whole")
    new = {part for part in made.manifest.parts if part.pool} - {*before.parts}
    assert sorted((part.table, part.pool) for part in new) == [("ratings", "live"), ("seats", "live")]
    assert (made.matches, made.parts) == (0, 3)  # and `changes`


def test_a_ruling_that_is_corrected_leaves_the_ratings_as_they_were_and_one_change(
    store: SqliteStore, home: Home, tmp_path: Path
) -> None:
    folder, first = tmp_path / "club", rows(tmp_path / "club", home.manifest, "ratings")
    before = ruled(store, home).rounds[0].boards[0].result
    ruled(store, home, (1, 1, "--"))
    once = rows(folder, built(store, folder).manifest, "changes")
    ruled(store, home, (1, 1, before))  # type: ignore[arg-type]
    made = built(store, folder).manifest
    assert rows(folder, made, "ratings") == first
    assert [row["match"] for row in rows(folder, made, "changes")] == [row["match"] for row in once]
    same_as_fresh(store, folder)


def test_a_data_set_without_rulings_keeps_its_manifest_as_it_was_before_there_were_any(home: Home) -> None:
    """The identifiers of older snapshots are hashes of their manifests."""
    assert b"ratings_changed" not in home.manifest.data
    assert {one.ratings_changed for one in home.manifest.slices} == {UNSET}
    assert manifests.parsed(home.manifest.data, "here").data == home.manifest.data


def test_a_ruling_that_comes_during_a_build_is_in_the_next_one(
    store: SqliteStore, home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, asked = tmp_path / "club", DataSource.ratings_changed
    put(store, finished(SMALL, 5, name="new"))

    def then_ruled(source: DataSource, cut: int) -> Any:
        found = asked(source, cut)
        monkeypatch.setattr(DataSource, "ratings_changed", asked)
        ruled(store, home, (1, 2, "--"))
        return found

    monkeypatch.setattr(DataSource, "ratings_changed", then_ruled)
    with stores.building(store, folder, cut=CUT) as builder:
        assert rows(folder, builder.build().manifest, "changes") == []
        assert builder.is_behind()
        assert rows(folder, builder.build().manifest, "changes")
    same_as_fresh(store, folder)


@pytest.mark.parametrize("forgotten_first", [True, False])
def test_a_player_who_was_forgotten_keeps_the_other_id(
    store: SqliteStore, home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forgotten_first: bool
) -> None:
    folder, board = tmp_path / "club", ruled(store, home).rounds[0].boards[0]
    match = store.match(board.match)
    assert match is not None
    player = next(seated.player for seated in match.players.values() if seated)
    monkeypatch.setattr(DataSource, "forgotten", lambda _: {player: "f0123456789abcdef"})
    if forgotten_first:
        built(store, folder)
    ruled(store, home, (1, 1, "--"))
    made = built(store, folder)
    (row,) = [
        one
        for one in rows(folder, made.manifest, "ratings")
        if (one["match"], one["player"]) == (board.match, "f0123456789abcdef")
    ]
    assert row["before"] == row["after"]
    assert player not in {one["player"] for one in rows(folder, made.manifest, "ratings")}
    same_as_fresh(store, folder)


@pytest.mark.parametrize(
    ("of_slice", "of_merged"),
    [(64, 240), pytest.param(parts.ROWS, compaction.ROWS, marks=pytest.mark.long)],
)
@pytest.mark.parametrize("slices", [1, 2])
def test_a_part_of_several_row_groups_has_the_bytes_as_if_written_at_once(
    tmp_path: Path, of_slice: int, of_merged: int, slices: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = vars(late_ratings)
    assert (sizes["ROWS"], sizes["MERGED_ROWS"]) == (parts.ROWS, compaction.ROWS)
    monkeypatch.setitem(sizes, "ROWS", of_slice)
    monkeypatch.setitem(sizes, "MERGED_ROWS", of_merged)
    size = of_slice if slices == 1 else of_merged
    table = next(one for one in TABLES if one.name == "ratings")
    lines = [(f"m{n}", "us", f"p{n % 7}", "g", "e", n, n, n + 1) for n in range(size + 5)]
    writers = [
        parts.PartWriter(tmp_path / name, table, "live", 1, slices * CUT, rows=size, is_sorted=True)
        for name in ("old", "new")
    ]
    changed = [(*line[:6], -1, -2) if line[0] == f"m{size}" else line for line in lines]
    for writer, some in zip(writers, (lines, changed), strict=True):
        writer.add(parts.batch_of(table, some))
    old, new = (writer.complete() for writer in writers)
    of_match = {f"m{size}": {f"p{size % 7}": (-1, -2)}}
    assert late_ratings.rewritten(tmp_path / "old", table, old, CUT, of_match) == new
    assert old != new


@pytest.mark.parametrize("table", ["seats", "ratings"])
def test_a_damaged_part_is_not_written_again_with_other_ratings(
    after: Ruled, home: Home, tmp_path: Path, table: str
) -> None:
    shutil.copytree(after.folder, tmp_path, dirs_exist_ok=True)
    folder = tmp_path / "club"
    for part in home.manifest.parts:
        if part.table == table and after.match.encode() in plain(folder, [part]):
            path = folder / part.path
            data = path.read_bytes()
            path.write_bytes(data[:-9] + bytes([data[-9] ^ 1]) + data[-8:])
    with opened(tmp_path / "games") as store:
        made = built(store, folder)
    assert made.matches
    assert content(folder, made.manifest) == after.fresh


_KILLED = """
import os, shutil, sys
from pathlib import Path
from api.store.sqlite import SqliteStore
from replay.tables import registry
from tests.replay.dataset.stores import built, content

home, fresh, cut, step = *map(Path, sys.argv[1:3]), *map(int, sys.argv[3:5])
tables = tuple(table for table in registry.tables() if table.name in sys.argv[5:])
registry.tables = lambda **choice: iter(tables)
whole = {str(path.relative_to(fresh)): path.read_bytes() for path in fresh.rglob("*") if path.is_file()}
rename, renames = Path.replace, 0

def killed(path, target):
    global renames
    renames += 1
    if renames == at:
        os._exit(9)
    return rename(path, target)

at, killings, is_killed = 1, 0, True
while is_killed:
    for name in ("club", "club.state"):
        shutil.rmtree(home / f"cut{name[4:]}", ignore_errors=True)
        shutil.copytree(home / name, home / f"cut{name[4:]}")
    if (child := os.fork()) == 0:
        Path.replace = killed
        built(SqliteStore.open(home / "games", write=False), home / "cut", cut=cut)
        os._exit(0)
    is_killed = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    store = SqliteStore.open(home / "games", write=False)
    made = built(store, home / "cut", cut=cut)
    store.close()
    found = content(home / "cut", made.manifest)
    assert found == {name: whole[name] for name in found}, at
    killings += is_killed
    at += step
print(killings)
"""


@pytest.mark.parametrize(("step", "least"), [(3, 2), pytest.param(1, 6, marks=pytest.mark.long)])
def test_a_build_that_is_killed_before_any_of_its_renames_ends_with_the_same_bytes(
    after: Ruled, tmp_path: Path, step: int, least: int
) -> None:
    """AN3, after a ruling."""
    shutil.copytree(after.folder, tmp_path, dirs_exist_ok=True)
    done = run_code(_KILLED, tmp_path, after.folder.with_name("fresh"), CUT, step, *FEW)
    assert done.code == 0, done.err
    assert int(done.out) > least  # two parts or more, `changes`, and manifests in between
