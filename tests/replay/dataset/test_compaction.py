"""Compaction: the parts of complete groups of slices are merged, and their rows stay as they are."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pyarrow.parquet as pq
import pytest
from msgspec import Struct

from api.seeded import note_by
from api.store.interface import Act, Append, Withdrawal
from api.store.sqlite import SqliteStore
from domain.games import GAMES
from replay.dataset import compaction
from replay.dataset import manifest as manifests
from replay.dataset.build import Built, is_sound
from replay.dataset.manifest import Manifest, Part
from replay.tables import registry
from tests.matches import Sitting, finished
from tests.replay.dataset import stores
from tests.replay.dataset.stores import content, opened, plain, put

SMALL = GAMES["thirteen_minutes"]
CUT = 90
LENGTH = 2 * CUT  # positions of a group
APART = 1_000  # slices of a group that is never complete here
_TABLES = tuple(registry.tables())
_FEW = "matches seats facts draws ratings components changes tm_positions"  # one with an order among them
TABLES = (
    _TABLES if os.environ.get("GLASNOST_FULL") else tuple(one for one in _TABLES if one.name in _FEW.split())
)
"""The tables of the data sets of this module: a sample, for compaction treats all alike."""


class Home(Struct, frozen=True):
    """A store with matches in several groups, and its data set, merged and not merged."""

    folder: Path
    merged: Manifest
    apart: Manifest


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A store in which `ann` plays in one of the first matches and one was uploaded; no test changes it."""
    folder = tmp_path_factory.mktemp("home")
    with opened(folder / "games") as store:
        ann, _ = store.people.add("Ann Example", "player")
        put(store, finished(SMALL, 1, name="a1"))
        sitting = Sitting(SMALL, 3, name="m-ann")
        for seat, player in zip(SMALL.seats, (ann.id, "p-other"), strict=True):
            sitting.accept(sitting.match.sit(sitting.context, seat, player, salt=None, bot="", source=None))
        put(store, sitting.play_on())
        came = finished(SMALL, 7, name="m-gone").match
        with opened(folder / "elsewhere") as other:
            note = note_by(other.keys.signing, came)
        store.submit(Append(came.records, note=note, signer="elsewhere+00000000")).result()
        for seed in range(6):
            put(store, finished(SMALL, seed, name=f"b{seed}"))
        made = [built(store, folder / "merged"), built(store, folder / "apart", slices=APART)]
    return Home(folder, *(one.manifest for one in made))


@pytest.fixture
def store(home: Home, tmp_path: Path) -> Iterator[SqliteStore]:
    """A copy of that store; its data sets are copied, too: `merged` and `apart`."""
    shutil.copytree(home.folder, tmp_path, dirs_exist_ok=True)
    with opened(tmp_path / "games") as store:
        yield store


@pytest.fixture(scope="module", autouse=True)
def tables() -> Iterator[None]:
    """Data sets have these tables."""
    with patch.object(registry, "tables", lambda **choice: iter(TABLES)):
        yield


def built(store: SqliteStore, folder: Path, slices: int = 2) -> Built:
    """Build in small slices."""
    return stores.built(store, folder, cut=CUT, slices=slices)


def built_when_behind(store: SqliteStore, folder: Path) -> Built:
    """The same, by a builder that finds that something has changed, and then that nothing has."""
    with stores.building(store, folder, cut=CUT) as builder:
        assert builder.is_behind()
        made = builder.build()
        assert not builder.is_behind()
    return made


def merged(manifest: Manifest) -> list[Part]:
    """The parts of whole groups."""
    return [part for part in manifest.parts if part.pool and part.last - part.first + 1 == LENGTH]


def rows(folder: Path, manifest: Manifest, table: str) -> list[str]:
    """The rows of a table as text, part by part."""
    parts = [part for part in manifest.parts if part.table == table]
    read = (pq.read_table(folder / part.path, partitioning=None).to_pylist() for part in parts)
    return [str(row) for some in read for row in some]


def same_as_fresh(store: SqliteStore, folder: Path, fresh: dict[str, bytes]) -> None:
    """Has a data set the bytes of one that is built from nothing now?"""
    found = built(store, folder).manifest
    assert merged(found)
    assert content(folder, found) == fresh


def withdraw(store: SqliteStore) -> None:
    """Withdraw the match that was uploaded."""
    store.uploads.withdraw(Withdrawal("m-gone", 1_790_000_000_000_000, "p-admin", "asked for"))


@pytest.fixture(scope="module")
def without_it(home: Home, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What is built from nothing, once that match is withdrawn."""
    folder = tmp_path_factory.mktemp("without")
    shutil.copytree(home.folder, folder, dirs_exist_ok=True)
    with opened(folder / "games") as store:
        withdraw(store)
        return content(folder / "fresh", built(store, folder / "fresh").manifest)


def test_complete_groups_are_merged_and_hold_the_rows_of_their_slices_in_the_order_of_the_table(
    store: SqliteStore, tmp_path: Path, home: Home
) -> None:
    one, two = home.merged, home.apart
    assert {part.last - part.first + 1 for part in two.parts if part.pool} == {CUT}
    whole = store.last() // LENGTH
    assert whole >= 2
    firsts = {part.first for part in one.parts if part.pool}
    assert {part.first for part in merged(one)} == {1 + LENGTH * at for at in range(whole)}
    assert firsts == {part.first for part in merged(one)} | {
        part.first for part in two.parts if part.pool and part.first > whole * LENGTH
    }
    for table in TABLES:
        found, expected = (
            rows(tmp_path / "merged", one, table.name),
            rows(tmp_path / "apart", two, table.name),
        )
        assert sorted(found) == sorted(expected), table.name
        if not table.order:
            assert found == expected, table.name
    for part in merged(one):
        if order := next(table.order for table in TABLES if table.name == part.table):
            read = pq.read_table(tmp_path / "merged" / part.path, partitioning=None).select(order).to_pylist()
            keys = [tuple(row[name] for name in order) for row in read]
            assert len({*keys}) > 1
            assert keys == sorted(keys)


@pytest.mark.parametrize("step", [7, pytest.param(8_192, marks=pytest.mark.long)])
def test_a_data_set_that_was_built_without_compaction_is_merged_and_no_match_is_built_again(
    store: SqliteStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int, home: Home
) -> None:
    """It is read as before, too; and rows are taken across the ends of batches and row groups."""
    monkeypatch.setattr(compaction, "_STEP", step)
    made = built(store, tmp_path / "apart")
    assert made.matches == 0
    assert content(tmp_path / "apart", made.manifest) == content(home.folder / "merged", home.merged)


def test_a_withdrawn_match_leaves_a_merged_group_and_no_other_part_changes(
    store: SqliteStore, tmp_path: Path, home: Home, without_it: dict[str, bytes]
) -> None:
    """AN5: and it is one change."""
    before, folder = home.merged, tmp_path / "merged"
    assert b"m-gone" in plain(folder, before.parts)
    withdraw(store)
    made = built_when_behind(store, folder)
    assert 0 < made.matches < 5  # only the slice of the match was built again, not its group
    after = made.manifest
    gone = {part for part in before.parts if part.pool} - {*after.parts}
    assert {part.pool for part in gone} == {"uploaded"}
    assert {part for part in after.parts if part.pool} <= {*before.parts}  # no other was in this pool
    (change,) = rows(folder, after, "changes")
    assert "'match': 'm-gone'" in change
    assert "'what': 'withdrawn'" in change
    assert b"m-gone" not in plain(folder, (part for part in after.parts if part.table != "changes"))
    same_as_fresh(store, tmp_path / "merged", without_it)


def test_a_forgotten_player_is_in_no_merged_part(store: SqliteStore, tmp_path: Path, home: Home) -> None:
    """AN5: and has another id in every row."""
    before = home.merged
    ann = next(row.split("'player': '")[1].split("'")[0] for row in _seats(tmp_path / "merged", before))
    store.people.forget(ann, Act("p-admin", 1_790_000_000_000_000, "asked for"))
    after = built_when_behind(store, tmp_path / "merged").manifest
    changed = {part for part in after.parts if part.pool} - {*before.parts}
    assert {(part.table, part.first) for part in changed} == {("seats", 1), ("ratings", 1)}
    assert changed <= {*merged(after)}
    assert not [
        part for part in after.parts if ann.encode() in (tmp_path / "merged" / part.path).read_bytes()
    ]
    everything = plain(tmp_path / "merged", after.parts)
    assert ann.encode() not in everything
    assert b"Ann Example" not in everything
    (change,) = rows(tmp_path / "merged", after, "changes")
    name = change.split("'player': '")[1].split("'")[0]
    renamed = [row.replace(ann, name) for row in rows(tmp_path / "merged", before, "seats")]
    assert rows(tmp_path / "merged", after, "seats") == renamed
    fresh = built(store, tmp_path / "fresh").manifest
    same_as_fresh(store, tmp_path / "merged", content(tmp_path / "fresh", fresh))


def _seats(folder: Path, manifest: Manifest) -> list[str]:
    first = SMALL.seats[0]
    return [row for row in rows(folder, manifest, "seats") if "'m-ann'" in row and f"'{first}'" in row]


@pytest.mark.parametrize("step", [29, pytest.param(5, marks=pytest.mark.long)])
def test_a_full_disk_while_a_group_is_split_and_merged_leaves_a_sound_data_set(
    store: SqliteStore,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    step: int,
    without_it: dict[str, bytes],
) -> None:
    withdraw(store)
    fsync, failed = os.fsync, 0
    while True:
        left = iter(range(failed * step))

        def failing(handle: int, left: Iterator[int] = left) -> None:
            if next(left, None) is None:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            fsync(handle)

        with monkeypatch.context() as patched:
            patched.setattr(os, "fsync", failing)
            try:
                built(store, tmp_path / "merged")
                break
            except OSError:
                failed += 1
        now = manifests.read(tmp_path / "merged")
        assert now is not None
        assert [part for part in now.parts if not is_sound(tmp_path / "merged", part)] == []
        assert not list((tmp_path / "merged").rglob("*part"))
    assert failed > 1
    same_as_fresh(store, tmp_path / "merged", without_it)


def damage(path: Path) -> None:
    """Change one byte in the middle of a file."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def test_no_damaged_part_is_merged_or_split(
    store: SqliteStore, tmp_path: Path, home: Home, without_it: dict[str, bytes]
) -> None:
    damage(tmp_path / "apart" / next(part.path for part in home.apart.parts if part.table == "facts"))
    made = built(store, tmp_path / "apart").manifest
    assert content(tmp_path / "apart", made) == content(home.folder / "merged", home.merged)
    damage(tmp_path / "merged" / next(part.path for part in home.merged.parts if part.table == "draws"))
    withdraw(store)
    same_as_fresh(store, tmp_path / "merged", without_it)


def test_a_merged_part_that_is_missing_is_made_again(store: SqliteStore, tmp_path: Path, home: Home) -> None:
    (tmp_path / "merged" / merged(home.merged)[0].path).unlink()
    built(store, tmp_path / "merged")
    assert content(tmp_path / "merged", home.merged) == content(home.folder / "merged", home.merged)


def test_parts_that_were_replaced_stay_for_those_who_read_them_and_go_later(
    store: SqliteStore, tmp_path: Path, home: Home
) -> None:
    old = [tmp_path / "apart" / part.path for part in home.apart.parts if part.pool and part.first == 1]
    for path in old:
        os.utime(path, (0, 0))
    built(store, tmp_path / "apart")
    assert old
    assert all(path.exists() for path in old)
    for path in old:
        os.utime(path, (0, 0))
    built(store, tmp_path / "apart")
    assert not any(path.exists() for path in old)
