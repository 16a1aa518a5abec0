"""Snapshots: the same state gives the same bytes, the signature holds offline, and differences are exact."""

from __future__ import annotations

import errno
import os
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

import replay.dataset as glasnost
from api.store.interface import Act, Append, Withdrawal
from domain.games import GAMES
from domain.kernel import Result
from domain.log import Damaged
from domain.signed_notes import Checkpoint, Note
from replay.dataset import snapshot
from replay.dataset.manifest import BadDataSet
from replay.dataset.snapshot import check, differences, make
from tests.matches import Sitting, finished
from tests.replay.dataset.conftest import Club
from tests.replay.dataset.stores import built, opened, plain, put
from tests.replay.files import KEY, PINNED, STRANGER

SMALL = GAMES["thirteen_minutes"]


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data set of one match; no test changes it."""
    home = tmp_path_factory.mktemp("few")
    with opened(home / "games") as store:
        put(store, finished(SMALL, 1, name="m1"))
        built(store, home / "club")
    return home / "club"


@pytest.fixture(scope="module")
def shot(club: Club, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A snapshot of the data set of the small store; no test changes it."""
    folder = tmp_path_factory.mktemp("shot") / "one"
    assert make(club.folder, folder, KEY).copied == 0
    return folder


def files(folder: Path) -> dict[str, bytes]:
    """Every file of a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def test_a_snapshot_is_signed_complete_and_the_same_twice(
    club: Club, few: Path, shot: Path, tmp_path: Path
) -> None:
    one, two = make(few, tmp_path / "one", KEY), make(few, tmp_path / "two", KEY)
    assert files(tmp_path / "one") == files(tmp_path / "two")
    assert (one.copied, two.copied) == (0, 0)
    for part in club.manifest.parts:
        assert (shot / part.path).samefile(club.folder / part.path)
    found = check(shot, PINNED)
    assert (found.wrong, found.signed and found.signed.by) == ([], (KEY.verifying.label,))
    unknown = check(shot, [STRANGER.verifying])
    assert (unknown.wrong, unknown.signed and unknown.signed.by) == ([], ())
    cited = (shot / "CITE").read_text("utf-8")
    assert club.manifest.snapshot in cited
    assert "No licence was stated" in (shot / "LICENCE").read_text("utf-8")
    make(few, tmp_path / "three", KEY, "Do what you like.\n")
    assert (tmp_path / "three" / "LICENCE").read_text("utf-8") == "Do what you like.\n"


@pytest.mark.parametrize("which", ["few", pytest.param("club", marks=pytest.mark.long)])
def test_one_flipped_byte_is_named(few: Path, club: Club, tmp_path: Path, which: str) -> None:
    """AN8, for every kind of file: each in turn has one bit changed, and is then put back."""
    manifest = make(few if which == "few" else club.folder, tmp_path / "one", KEY).manifest
    wanted = {part.table: part.path for part in manifest.parts}
    assert len(wanted) > 10
    names = [*wanted.values(), "schema.json", "DICTIONARY.md", "LICENCE", "CITE", "signature.txt"]
    for name in names:
        path = tmp_path / "one" / name
        data = path.read_bytes()
        path.unlink()  # the file itself is shared with the data set
        path.write_bytes(
            data[: len(data) // 2] + bytes([data[len(data) // 2] ^ 1]) + data[len(data) // 2 + 1 :]
        )
        found = check(tmp_path / "one", PINNED)
        assert len(found.wrong) in (1, 2), found.wrong
        assert all(name in line for line in found.wrong), found.wrong
        path.write_bytes(data)
    assert check(tmp_path / "one", PINNED).wrong == []
    (tmp_path / "one" / names[0]).unlink()
    assert check(tmp_path / "one", PINNED).wrong == [f"{names[0]}: missing"]


def test_another_manifest_is_not_what_was_signed(few: Path, tmp_path: Path) -> None:
    make(few, tmp_path / "one", KEY)
    path = tmp_path / "one" / "manifest.json"
    path.write_bytes(path.read_bytes().replace(b'"matches":', b'"matches": '))
    wrong = check(tmp_path / "one", PINNED).wrong
    assert [line.partition(":")[0] for line in wrong] == ["manifest.json"]


def test_a_snapshot_cannot_be_taken_for_a_checkpoint(few: Path, tmp_path: Path) -> None:
    make(few, tmp_path / "one", KEY)
    text = Note.parse((tmp_path / "one" / "signature.txt").read_text("utf-8")).text
    with pytest.raises(Damaged):
        Checkpoint.parse(text)


def test_the_dictionary_shows_what_was_seen(club: Club, shot: Path) -> None:
    lines = (shot / "DICTIONARY.md").read_text("utf-8").splitlines()
    place = lines.index("## `matches`")
    rows = {line.split("`")[1]: line.split(" | ") for line in lines[place:] if line.startswith("| `")}
    sql = "SELECT min(moves), max(moves), count(*) FILTER (winner IS NULL) FROM read_parquet($parts)"
    parts = [str(club.folder / part.path) for part in club.manifest.parts if part.table == "matches"]
    (least, greatest, none) = duckdb.execute(sql, {"parts": parts}).fetchall()[0]
    of_matches = [line for line in lines[place : place + 40] if line.startswith(("| `moves`", "| `winner`"))]
    assert any(f"{least} to {greatest}" in line for line in of_matches)
    assert any(f"| {none} |" in line for line in of_matches if line.startswith("| `winner`"))
    assert rows


def test_a_snapshot_never_replaces_anything(few: Path, tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "mine").write_text("x")
    with pytest.raises(BadDataSet, match="exists already"):
        make(few, tmp_path / "one", KEY)
    with pytest.raises(BadDataSet, match="no data set"):
        make(tmp_path / "one", tmp_path / "two", KEY)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one"]


@pytest.mark.parametrize("code", [errno.EXDEV, errno.ENOSPC])
def test_parts_that_cannot_be_linked_are_copied_and_a_full_disk_leaves_nothing(
    few: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    def link(*_: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "link", link)
    if code == errno.EXDEV:
        made = make(few, tmp_path / "one", KEY)
        assert made.copied == len(made.manifest.parts)
        assert check(tmp_path / "one", PINNED).wrong == []
        return
    with pytest.raises(OSError, match=os.strerror(code)):
        make(few, tmp_path / "one", KEY)
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_part_is_in_no_snapshot(few: Path, tmp_path: Path) -> None:
    manifest = glasnost.open(shutil.copytree(few, tmp_path / "club")).manifest
    (tmp_path / "club" / manifest.parts[0].path).write_bytes(b"PAR1")
    with pytest.raises(BadDataSet, match="damaged or missing; delete it"):
        make(tmp_path / "club", tmp_path / "one", KEY)
    assert not (tmp_path / "one").exists()
    assert not list(tmp_path.glob(".one*"))


def test_a_forgotten_player_is_in_no_byte_of_the_next_snapshot_and_all_counts_stay(tmp_path: Path) -> None:
    """AN27: neither in a value, nor in statistics or the dictionary; tables have as many rows as before."""
    with opened(tmp_path / "games") as store:
        ann, _ = store.people.add("Ann Example", "player")
        for seed in range(2):
            sitting = Sitting(SMALL, seed, name=f"m-ann-{seed}")
            for seat, player in zip(SMALL.seats, (ann.id, "p-other"), strict=True):
                match = sitting.match
                sitting.accept(match.sit(sitting.context, seat, player, salt=None, bot="", source=None))
            put(store, sitting.play_on())
        built(store, tmp_path / "club")
        make(tmp_path / "club", tmp_path / "one", KEY)
        store.people.forget(ann.id, Act("p-admin", 1_790_000_000_000_000))
        built(store, tmp_path / "club")
        make(tmp_path / "club", tmp_path / "two", KEY)
    before, after = glasnost.open(tmp_path / "one"), glasnost.open(tmp_path / "two")
    stored = b"".join(files(tmp_path / "one").values())
    assert ann.id.encode() in stored  # in the statistics of a part, which are not compressed
    content = b"".join(files(tmp_path / "two").values()) + plain(after.folder, after.manifest.parts)
    sizes = [Counter[str](), Counter[str]()]
    for data, size in zip((before, after), sizes, strict=True):
        for part in data.manifest.parts:
            size[part.table] += part.rows
    assert sizes[0] == sizes[1] - Counter(changes=1)
    assert ann.id.encode() not in content
    assert b"Ann Example" not in content
    ((name,),) = after.sql("SELECT player FROM changes").fetchall()
    for player, data in ((ann.id, before), (name, after)):
        answer = data.query("tm_player_record", player=player)
        assert [row[2] for row in answer] == [2]
        assert list(answer) == list(before.query("tm_player_record", player=ann.id))


def test_differences_name_exactly_what_happened_between_two_snapshots(tmp_path: Path) -> None:
    """AN5: a ruling, an upload that is withdrawn, a player who is forgotten, and a match that is new."""
    with opened(tmp_path / "games") as store:
        ann, _ = store.people.add("Ann", "player")
        with_ann = Sitting(SMALL, 3, name="m-ann")
        for seat, player in zip(SMALL.seats, (ann.id, "p-other"), strict=True):
            accept, match = with_ann.accept, with_ann.match
            accept(match.sit(with_ann.context, seat, player, salt=None, bot="", source=None))
        put(store, with_ann.play_on())
        note = KEY.sign("not a checkpoint\n")
        came = finished(SMALL, 5, name="m-came")
        store.submit(Append(came.match.records, note=note, signer=KEY.verifying.label)).result()
        runs = Sitting(SMALL, 1, name="m-ruled", bots=True).seat_all().play_on(4)
        put(store, runs)
        put(store, finished(SMALL, 2, name="m-as-it-was"))
        built(store, tmp_path / "club")
        make(tmp_path / "club", tmp_path / "one", KEY)
        nothing = differences(tmp_path / "one", tmp_path / "club")
        assert nothing == snapshot.Differences([], [], {}, [], [])

        draft = runs.match.rule(runs.context, "p-organizer", "no show", result=Result("us", "agreed"))
        store.submit(Append(draft.records)).result()
        store.uploads.withdraw(Withdrawal("m-came", 1_790_000_000_000_000, "p-admin", "asked for"))
        store.people.forget(ann.id, Act("p-admin", 1_790_000_000_000_000))
        put(store, finished(SMALL, 40, name="m-new"))
        built(store, tmp_path / "club")
        make(tmp_path / "club", tmp_path / "two", KEY)
    found = differences(tmp_path / "one", tmp_path / "two")
    assert (found.added, found.removed) == (["m-new", "m-ruled"], ["m-came"])
    assert {match: sorted(how) for match, how in found.changed.items()} == {"m-ann": ["ratings", "seats"]}
    assert [line.split()[2] for line in found.changes] == ["forgotten", "withdrawn"]
    assert found.tables == []
    back = differences(tmp_path / "two", tmp_path / "one")
    assert (back.added, back.removed, back.changes) == (found.removed, found.added, [])
    assert ann.id not in "".join(map(str, files(tmp_path / "two").values()))


def test_differences_name_the_columns_of_a_match_that_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(tmp_path / "games") as store:
        put(store, finished(SMALL, 1, name="m1"))
        built(store, tmp_path / "one")
        monkeypatch.setitem(SMALL.__dict__, "rules", "another")
        put(store, finished(SMALL, 2, name="m2"))
        built(store, tmp_path / "two", coarse_times=True)
    found = differences(tmp_path / "one", tmp_path / "two")
    assert found.added == ["m2"]
    assert {"decisions", "moves"} < set(found.changed["m1"])
    times = [line.partition(":")[0] for line in found.changed["m1"] if line.startswith("matches.")]
    assert times == ["matches.opened_at", "matches.closed_at"]


Spoil = Callable[[Path], object]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda folder: (folder / "manifest.json").unlink(),
        lambda folder: (folder / "schema.json").write_text("{}"),
        lambda folder: next(folder.rglob("matches-*.parquet")).write_bytes(b"PAR1"),
    ],
)
def test_a_spoilt_data_set_is_not_compared(few: Path, club: Club, tmp_path: Path, spoil: Spoil) -> None:
    spoil(shutil.copytree(few, tmp_path / "one"))
    with pytest.raises(BadDataSet):
        differences(tmp_path / "one", club.folder)
