"""Building a data set: exactly once, whatever interrupts it, and nothing that nobody may see now."""

from __future__ import annotations

import errno
import json
import os
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from msgspec.structs import replace

from api.cli.common import keep_in
from api.seeded import note_by
from api.store.interface import Append, Conflict
from api.store.postgres import PostgresStore
from api.store.sqlite import SqliteStore
from domain.games import GAMES
from domain.kernel import Refused, Result
from domain.match import Match
from replay.dataset import manifest as manifests
from replay.dataset.build import Builder, Busy, alone, is_sound
from replay.dataset.manifest import BadDataSet, Manifest, Part
from replay.importers.twilight_struggle.report import imported
from replay.tables import core
from tests.cli.program import run_code
from tests.matches import PRODUCT, Sitting, finished, resigned
from tests.replay.dataset.conftest import Club
from tests.replay.dataset.stores import (
    IMPORTED,
    LARGE,
    RUNNING,
    building,
    built,
    content,
    opened,
    plain,
    put,
    with_rulings,
)
from tests.replay.importers.short_games import WHOLE

SMALL, AGENTS = GAMES["thirteen_minutes"], GAMES["cia_vs_kgb"]
SHORT = 100  # positions of a slice of few small matches


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    """An empty embedded store."""
    with opened(tmp_path / "games") as store:
        yield store


def texts(folder: Path, manifest: Manifest) -> str:
    """Every value of every part as text."""
    return plain(folder, manifest.parts).decode("latin-1")


def values(folder: Path, manifest: Manifest, table: str, column: str) -> list[Any]:
    """One column of a table."""
    return [
        value
        for part in manifest.parts
        if part.table == table
        for value in pq.read_table(folder / part.path, partitioning=None)[column].to_pylist()
    ]


def with_parts(manifest: Manifest, wanted: Callable[[Part], bool]) -> Manifest:
    """The manifest with some of its parts."""
    return replace(manifest, parts=tuple(part for part in manifest.parts if wanted(part)))


def parts(manifest: Manifest) -> set[Part]:
    """The parts of the matches: those of a pool."""
    return {part for part in manifest.parts if part.pool is not None}


# ── exactly once ──


def test_a_build_in_many_steps_equals_one_from_nothing(store: SqliteStore, tmp_path: Path) -> None:
    cut = 50  # each match ends in another slice, and two of them are merged
    for sitting in (finished(SMALL, 0, name="m0"), finished(SMALL, 1, name="m1"), with_rulings(SMALL, "m2")):
        put(store, sitting)
        built(store, tmp_path / "steps", cut=cut)
    made = built(store, tmp_path / "once", cut=cut)
    assert any(part.last - part.first + 1 == 2 * cut for part in parts(made.manifest))
    assert len({part.first for part in parts(made.manifest)}) > 1
    assert content(tmp_path / "steps", made.manifest) == content(tmp_path / "once", made.manifest)
    assert built(store, tmp_path / "once", cut=cut).matches == 0
    assert content(tmp_path / "steps", made.manifest) == content(tmp_path / "once", made.manifest)


def test_each_match_is_there_once_in_the_order_in_which_they_closed(club: Club) -> None:
    matches = values(club.folder, club.manifest, "matches", "match")
    assert Counter(matches) == Counter(match.id for match in club.matches)
    for pool in ("live", "bots"):
        here = [match.id for match in club.matches if match.pool == pool]
        only = replace(club.manifest, parts=tuple(one for one in club.manifest.parts if one.pool == pool))
        assert values(club.folder, only, "matches", "match") == here


_KILLED = """
import os, random, shutil, signal, sys, time
from pathlib import Path
import pyarrow.compute, pyarrow.parquet  # the first build imports nothing, as those that are killed
from tests.replay.dataset.stores import built, content
from api.store.sqlite import SqliteStore

home, kills, cut = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[4])
store = SqliteStore.open(home / "games", write=False)
whole = content(home / "whole", built(store, home / "whole", cut=cut).manifest)
began = time.monotonic()  # the first build has imported and computed what the next ones have
assert content(home / "again", built(store, home / "again", cut=cut).manifest) == whole
lasts = time.monotonic() - began
store.close()
random.seed(int(sys.argv[3]))
killed = finished = 0
while killed < kills:
    delay = random.uniform(0.001, lasts)
    if (child := os.fork()) == 0:
        signal.setitimer(signal.ITIMER_REAL, delay)
        built(SqliteStore.open(home / "games", write=False), home / "cut", cut=cut)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    assert os.WIFSIGNALED(status) or os.waitstatus_to_exitcode(status) == 0, status
    killed += os.WIFSIGNALED(status)
    if not os.WIFSIGNALED(status):
        finished += 1
        shutil.rmtree(home / "cut")
store = SqliteStore.open(home / "games", write=False)
made = built(store, home / "cut", cut=cut)
assert any(part.last - part.first + 1 == 2 * cut for part in made.manifest.parts)  # merged
assert content(home / "cut", made.manifest) == whole
left = [path for path in (home / "cut").rglob("*part") if path.is_file()]
assert not left, left
print(killed)
"""


def _killed(home: Path, kills: int, matches: int, cut: int) -> None:
    with opened(home / "games") as store:
        for seed in range(matches):
            put(store, finished(SMALL, seed, name=f"m{seed}", bots=seed % 2 == 0))
    done = run_code(_KILLED, home, kills, 17, cut)
    assert (done.code, done.out) == (0, f"{kills}\n"), done.err


def test_a_build_that_is_killed_five_times_ends_with_the_same_bytes(tmp_path: Path) -> None:
    _killed(tmp_path, 5, 2, 40)


@pytest.mark.long
def test_a_build_that_is_killed_50_times_ends_with_the_same_bytes(tmp_path: Path) -> None:
    _killed(tmp_path, 50, 24, 80)


def _close_while_following(store: SqliteStore, folder: Path, matches: int) -> Manifest:
    """Close matches in one thread while another one builds after each look; return the last manifest."""
    put(store, Sitting(GAMES["twilight_struggle"], 9, name=RUNNING).seat_all().play_on(40))
    done = threading.Event()

    def close() -> None:
        for seed in range(matches):
            put(store, finished(SMALL, seed, name=f"m{seed:03}"))
        done.set()

    closing = threading.Thread(target=close)
    closing.start()
    with building(store, folder) as builder:
        builds = 0
        while not done.is_set() or builder.is_behind():
            builder.build()
            builds += 1
        manifest = builder.build().manifest
    closing.join()
    assert builds > 1
    return manifest


@pytest.mark.parametrize("matches", [4, pytest.param(100, marks=pytest.mark.long)])
def test_matches_that_close_during_a_build_are_each_there_once(
    store: SqliteStore, tmp_path: Path, matches: int
) -> None:
    manifest = _close_while_following(store, tmp_path / "club", matches)
    assert values(tmp_path / "club", manifest, "matches", "match") == [f"m{n:03}" for n in range(matches)]
    assert RUNNING not in texts(tmp_path / "club", manifest)
    fresh = built(store, tmp_path / "fresh").manifest
    assert content(tmp_path / "club", fresh) == content(tmp_path / "fresh", fresh)


def test_a_postgresql_store_gives_the_same_tables(database: str, tmp_path: Path, club: Club) -> None:
    from contextlib import closing

    with closing(PostgresStore.open(database, keys=tmp_path / "keys", name="games.example")) as writer:
        put(writer, finished(SMALL, 1, name=f"{SMALL.name}-live"))
        begun = Sitting(AGENTS, 3, name=f"{AGENTS.name}-seeded", origin="seeded").seat_all()
        put(writer, resigned(begun, 30))
        built(writer, tmp_path / "writer")
    with closing(PostgresStore.open(database, keys=tmp_path / "keys", write=False)) as reader:
        manifest = built(reader, tmp_path / "reader").manifest
    assert content(tmp_path / "writer", manifest) == content(tmp_path / "reader", manifest)
    for table, column in (
        ("facts", "fields"),
        ("draws", "pick"),
        ("decisions", "options"),
        ("moves", "think_ms"),
    ):
        ours = Counter(map(str, values(tmp_path / "reader", manifest, table, column)))
        theirs = Counter(map(str, values(club.folder, club.manifest, table, column)))
        assert ours.total() > 20
        assert ours <= theirs, table


# ── what changes late ──


def upload(store: SqliteStore, sitting: Sitting) -> Match:
    """Store a match as an upload does, with a signer that is not known here."""
    match = sitting.match
    with opened(store.folder.with_name("elsewhere")) as other:
        note = note_by(other.keys.signing, match)
    store.submit(Append(match.records, note=note, signer="elsewhere+00000000")).result()
    return match


def test_a_ruling_after_a_build_replaces_the_parts_of_one_slice_and_pool(
    store: SqliteStore, tmp_path: Path
) -> None:
    ruled = Sitting(SMALL, 1, name="m-ruled", bots=True).seat_all().play_on(4)
    put(store, ruled)
    for seed in range(3):
        put(store, finished(SMALL, seed, name=f"m{seed:02}"))
    before = built(store, tmp_path / "club", cut=SHORT).manifest
    draft = ruled.match.rule(ruled.context, "p-organizer", "no show", result=Result("us", "agreed"))
    store.submit(Append(draft.records)).result()
    after = built(store, tmp_path / "club", cut=SHORT).manifest
    assert parts(before) <= parts(after)
    new = parts(after) - parts(before)
    assert {(part.pool, part.first) for part in new} == {("bots", after.slices[-1].first)}
    only = with_parts(after, lambda part: part in new)
    assert values(tmp_path / "club", only, "matches", "match") == ["m-ruled"]
    assert values(tmp_path / "club", only, "matches", "by") == ["ruling"]
    assert values(tmp_path / "club", only, "matches", "winner") == ["us"]


def test_a_match_that_is_over_takes_no_ruling_so_no_row_of_it_changes(
    store: SqliteStore, tmp_path: Path
) -> None:
    """AN5: what comes late is a withdrawal or a forgotten player (`test_compaction.py`), or another rating
    (`test_late_ratings.py`)."""
    over = finished(SMALL, 1, name="m-over")
    put(store, over)
    before = built(store, tmp_path / "club").manifest
    first = SMALL.seats[0]
    for ruling in ({"void": True}, {"back_to": 5}, {"result": Result(first, "agreed")}):
        with pytest.raises(Refused) as refused:
            over.match.rule(over.context, "p-organizer", "too late", **ruling)
        assert refused.value.kind == "over"
    forged = Sitting(SMALL, 1, name="m-over").seat_all().play_on(over.match.move // 2)
    draft = forged.match.rule(forged.context, "p-organizer", "too late", void=True)
    with pytest.raises(Conflict):  # the log goes on after its last move, or not at all
        store.submit(Append(draft.records)).result()
    assert built(store, tmp_path / "club").manifest == before


def test_a_match_that_is_rated_keeps_its_ratings_when_others_are_rated_later(
    store: SqliteStore, tmp_path: Path
) -> None:
    """AN5: a rating follows from the matches before it in the log, as they were ruled."""
    put(store, finished(SMALL, 1, name="m-first"))
    before = built(store, tmp_path / "club").manifest
    rated = {(player, was) for player, was in zip(*_rated(tmp_path / "club", before), strict=True)}
    assert len(rated) == 2
    put(store, finished(SMALL, 2, name="m-second"))
    after = built(store, tmp_path / "club").manifest
    players, points = _rated(tmp_path / "club", after)
    assert len(players) == 4
    assert rated == set(zip(players[:2], points[:2], strict=True))


def _rated(folder: Path, manifest: Manifest) -> tuple[list[Any], list[Any]]:
    return values(folder, manifest, "ratings", "player"), values(folder, manifest, "ratings", "after")


def test_other_rules_give_other_decisions_and_leave_what_was_recorded(
    store: SqliteStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """AN7, for the core: the build of another version stands beside the old one until it is complete."""
    from domain import kernel

    for seed in range(2):
        put(store, finished(SMALL, seed, name=f"m{seed}"))
    before = built(store, tmp_path / "club", cut=SHORT).manifest
    monkeypatch.setitem(SMALL.__dict__, "rules", "another")
    prompt = kernel.prompt
    monkeypatch.setattr("replay.audit.kernel.prompt", lambda table, seat: _without_first(prompt(table, seat)))
    said: list[str] = []
    with building(store, tmp_path / "club", said, SHORT) as builder:
        monkeypatch.setattr(Builder, "_finished", _interrupted)
        with pytest.raises(KeyboardInterrupt):
            builder.build()
        assert manifests.read(tmp_path / "club") == before
        monkeypatch.undo()
        monkeypatch.setitem(SMALL.__dict__, "rules", "another")
        monkeypatch.setattr(
            "replay.audit.kernel.prompt", lambda table, seat: _without_first(prompt(table, seat))
        )
        after = builder.build()
    assert after.matches == 0  # all slices were there, beside the old ones
    assert "built anew" in said[0]
    changed = {part.table for part in parts(after.manifest) - parts(before)}
    assert changed == {"decisions"}
    assert set(values(tmp_path / "club", after.manifest, "decisions", "rules")) == {"another"}


def _without_first(prompt: Any) -> Any:
    return replace(prompt, options=prompt.options[1:])


def _interrupted(*_: Any) -> Manifest:
    raise KeyboardInterrupt


# ── what nobody may see ──


def test_an_imported_match_shows_no_hidden_part_and_is_marked(club: Club) -> None:
    came = club.matches[-1]
    assert came.imported
    only = with_parts(club.manifest, lambda part: part.pool == "imported")
    assert values(club.folder, only, "matches", "match") == [came.id]
    assert values(club.folder, only, "matches", "unverified") == [True]
    assert values(club.folder, only, "matches", "proof") == ["unproven"]
    tables = {part.table for part in only.parts}
    assert "decisions" not in tables
    assert all(values(club.folder, only, "draws", "open"))
    shown = [json.loads(fields) for fields in values(club.folder, only, "facts", "fields")]
    dealt = [fields for fields in shown if "?" in json.dumps(fields)]
    assert dealt
    known = [str(fact) for record in came.records for fact in record.facts_for(None)]
    assert known != [str(fact) for record in came.records for fact in record.facts]  # a deal drives the rules


def test_names_in_files_from_elsewhere_are_in_no_part(store: SqliteStore, tmp_path: Path) -> None:
    """And the ids that servers make stay, as do the aliases of an import."""
    own, named = "p" + "a2" * 8, "Ivan Petrov, ivan@example.org"
    sitting = Sitting(SMALL, 4, name="m-named")
    for seat, player in zip(SMALL.seats, (named, own), strict=True):
        sitting.accept(sitting.match.sit(sitting.context, seat, player, salt=None, bot="", source=None))
    sitting.play_on(4)
    sitting.accept(sitting.match.rule(sitting.context, "Olga Judge", "agreed", result=Result(None, "agreed")))
    upload(store, sitting)
    keep_in(store, imported(WHOLE.encode(), PRODUCT, names=True).match, IMPORTED)
    manifest = built(store, tmp_path / "club").manifest
    everything = texts(tmp_path / "club", manifest)
    assert not [one for one in ("Ivan", "example.org", "Olga", "Grace", "Ada") if one in everything]
    players = values(tmp_path / "club", manifest, "seats", "player")
    assert own in players
    assert len(set(players)) == 4
    assert all(re.fullmatch("import:[0-9a-f]{12}:Player-[A-Z]", one) for one in {*players} - {own})
    assert values(tmp_path / "club", manifest, "rulings", "by")[0].endswith("Player-B")


def test_of_a_running_match_no_data_set_shows_more_than_a_spectator_sees(
    store: SqliteStore, tmp_path: Path
) -> None:
    runs = Sitting(GAMES["twilight_struggle"], 9, name=RUNNING).seat_all().play_on(3)
    put(store, runs)
    put(store, finished(SMALL, 1, name="m-over"))
    over = built(store, tmp_path / "over").manifest
    assert RUNNING not in texts(tmp_path / "over", over)
    running = built(store, tmp_path / "running", running=True).manifest
    assert set(values(tmp_path / "running", running, "matches", "match")) == {RUNNING}
    shown = [json.loads(fields) for fields in values(tmp_path / "running", running, "facts", "fields")]
    expected = [fact for record in runs.match.records for fact in record.facts_for(None)]
    assert len(shown) == len(expected)
    hands = {
        card
        for record in runs.match.records
        for part in record.parts.values()
        for _, fact in part.facts
        for card in getattr(fact, "cards", ())
    }
    hands -= {card for card in hands if f"'{card}'" in str(expected)}
    assert hands
    everything = texts(tmp_path / "running", with_parts(running, lambda part: part.pool is not None))
    assert not [card for card in hands if card in everything]
    assert {part.table for part in running.parts}.isdisjoint({"decisions", "ratings", "changes"})


def test_a_private_match_is_in_no_data_set(store: SqliteStore, tmp_path: Path) -> None:
    put(store, finished(SMALL, 1, name="m-private", private=True))
    put(store, Sitting(SMALL, 2, name="m-runs", private=True).seat_all())
    put(store, finished(SMALL, 3, name="m-public"))
    for running in (False, True):
        manifest = built(store, tmp_path / f"club-{running}", running=running).manifest
        assert manifest.matches == (not running)
        everything = texts(tmp_path / f"club-{running}", manifest) + manifest.data.decode()
        assert not [name for name in ("m-private", "m-runs") if name in everything]


def test_coarse_times_name_the_day_and_no_think_time(store: SqliteStore, tmp_path: Path) -> None:
    put(store, finished(SMALL, 1, name="m1"))
    manifest = built(store, tmp_path / "club", coarse_times=True).manifest
    times = values(tmp_path / "club", manifest, "moves", "at")
    assert times
    assert {(at.hour, at.minute, at.second, at.microsecond) for at in times} == {(0, 0, 0, 0)}
    assert set(values(tmp_path / "club", manifest, "moves", "think_ms")) == {None}


# ── adversaries ──


def test_what_an_uploaded_log_holds_never_stops_a_build(
    store: SqliteStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hostile = '../../etc/x"; DROP TABLE matches; --\u202e|'
    put(store, finished(SMALL, 1, name="m1"))
    upload(store, finished(SMALL, 2, name=hostile))
    bad = with_rulings(SMALL, "m-bad")
    put(store, bad)
    put(store, finished(SMALL, 3, name="m3"))
    rows = core.rows

    def failing(match: Match, beside: Any, **more: Any) -> Any:
        found = rows(match, beside, **more)
        if match.id == "m-bad":  # a score that no column can hold
            found["matches"] = [
                tuple(2**70 if type(value) is int else value for value in found["matches"][0])
            ]
        return found

    monkeypatch.setattr(core, "rows", failing)
    said: list[str] = []
    manifest = built(store, tmp_path / "club", said).manifest
    assert values(tmp_path / "club", manifest, "matches", "match") == ["m1", "m3", hostile]
    (one,) = (left_out for slice in manifest.slices for left_out in slice.left_out)
    assert one.match == "m-bad"
    assert said == [f"match 'm-bad' is left out: {one.why}"]
    assert {path.name for path in tmp_path.iterdir()} >= {"club", "club.state", "games"}
    inside = {path.parts[len(tmp_path.parts)] for path in (tmp_path / "club").rglob("*")}
    assert inside == {"club"}


@pytest.mark.parametrize(
    ("code", "step"), [(errno.ENOSPC, 37), pytest.param(errno.EIO, 7, marks=pytest.mark.long)]
)
def test_a_full_disk_leaves_the_data_set_as_it_was(
    store: SqliteStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, step: int
) -> None:
    put(store, finished(SMALL, 1, name="m1"))
    before = content(tmp_path / "club", built(store, tmp_path / "club").manifest)
    for seed in range(2, 4):
        put(store, finished(SMALL, seed, name=f"m{seed}"))
    fsync = os.fsync
    failed = 0
    while failed < 500:
        left = iter(range(failed))

        def failing(handle: int, left: Iterator[int] = left) -> None:
            if next(left, None) is None:
                raise OSError(code, os.strerror(code))
            fsync(handle)

        with monkeypatch.context() as patched:
            patched.setattr(os, "fsync", failing)
            try:
                built(store, tmp_path / "club")
                break
            except OSError:
                failed += step
        now = manifests.read(tmp_path / "club")
        assert now is not None
        assert [part for part in now.parts if not is_sound(tmp_path / "club", part)] == []
        assert not list((tmp_path / "club").rglob("*part"))
        if now.to == manifests.parsed(before["manifest.json"], "").to:
            assert content(tmp_path / "club", now) == before
    assert failed > 20
    fresh = built(store, tmp_path / "fresh").manifest
    assert content(tmp_path / "club", fresh) == content(tmp_path / "fresh", fresh)


def tampered(change: Callable[[dict[str, Any]], None]) -> Callable[[Path], None]:
    """Change the manifest of a folder."""

    def work(folder: Path) -> None:
        manifest = json.loads((folder / "manifest.json").read_bytes())
        change(manifest)
        (folder / "manifest.json").write_text(json.dumps(manifest))

    return work


def _part(**more: Any) -> Callable[[Path], None]:
    return tampered(lambda manifest: manifest["parts"][0].update(more))


def _bytes(data: bytes) -> Callable[[Path], None]:
    def work(folder: Path) -> None:
        (folder / "manifest.json").write_bytes(data)

    return work


TAMPERED: dict[str, tuple[Callable[[Path], None], str]] = {
    "a path that leads out": (_part(path="../../games/glasnost.db"), "no part of a data set has"),
    "an absolute path": (_part(path="/etc/passwd"), "no part of a data set has"),
    "a pool with dots": (_part(pool="../x"), "no part of a data set has"),
    "a table with a slash": (_part(table="a/b"), "no part of a data set has"),
    "another hash": (_part(sha256="0" * 64), "no part of a data set has"),
    "a negative number": (_part(rows=-1), "no part of a data set has"),
    "another version": (
        tampered(lambda manifest: manifest.update(version=2)),
        "this program reads version 1",
    ),
    "another format": (tampered(lambda manifest: manifest.update(format="x")), "not the manifest"),
    "an unknown field": (tampered(lambda manifest: manifest.update(x=1)), "not the manifest"),
    "no JSON": (_bytes(b"\xff{"), "not the manifest"),
    "nested deeply": (_bytes(b"[" * 100_000), "not the manifest"),
    "another store": (tampered(lambda manifest: manifest.update(log="0" * 64)), "another store"),
    "a later position": (tampered(lambda manifest: manifest.update(to=10**9)), "an older copy"),
    "other options": (
        tampered(lambda manifest: manifest["settings"].update(coarse_times=True)),
        "--coarse-times",
    ),
}


@pytest.mark.parametrize("name", list(TAMPERED))
def test_a_manifest_that_was_changed_is_refused_with_the_reason(
    club: Club, tmp_path: Path, name: str
) -> None:
    change, words = TAMPERED[name]
    (tmp_path / "club").mkdir()
    (tmp_path / "club" / "manifest.json").write_bytes(club.manifest.data)
    change(tmp_path / "club")
    store = SqliteStore.open(club.store, write=False)
    try:
        with pytest.raises(BadDataSet, match=words):
            built(store, tmp_path / "club", cut=LARGE)
    finally:
        store.close()
    assert [path.name for path in (tmp_path / "club").iterdir()] == ["manifest.json"]


def test_a_folder_with_other_things_is_left_alone(store: SqliteStore, tmp_path: Path) -> None:
    put(store, finished(SMALL, 1, name="m1"))
    (tmp_path / "club").mkdir()
    (tmp_path / "club" / "letter.txt").write_text("mine")
    with pytest.raises(BadDataSet, match="not empty"):
        built(store, tmp_path / "club")
    assert [path.name for path in (tmp_path / "club").iterdir()] == ["letter.txt"]


def test_a_part_that_is_missing_or_damaged_is_made_again(store: SqliteStore, tmp_path: Path) -> None:
    for seed in range(3):
        put(store, finished(SMALL, seed, name=f"m{seed}"))
    manifest = built(store, tmp_path / "club", cut=SHORT).manifest
    whole = content(tmp_path / "club", manifest)
    first = next(part for part in manifest.parts if part.table == "facts" and part.first == 1)
    last = next(part for part in manifest.parts if part.table == "facts" and part.last > manifest.to)
    (tmp_path / "club" / first.path).unlink()
    data = bytearray((tmp_path / "club" / last.path).read_bytes())
    data[len(data) // 2] ^= 1
    (tmp_path / "club" / last.path).write_bytes(data)
    built(store, tmp_path / "club", cut=SHORT)
    assert content(tmp_path / "club", manifest) == whole


def test_only_one_process_builds_a_data_set(tmp_path: Path) -> None:
    state = tmp_path / "club.state"
    with alone(state), pytest.raises(Busy, match=f"process {os.getpid()} builds this"), alone(state):
        pass
    with alone(state):
        pass


def test_an_empty_store_gives_an_empty_data_set_that_grows(store: SqliteStore, tmp_path: Path) -> None:
    made = built(store, tmp_path / "club")
    assert (made.manifest.matches, made.manifest.to, made.manifest.log) == (0, 0, "")
    put(store, finished(SMALL, 1, name="m1"))
    assert built(store, tmp_path / "club").manifest.matches == 1
    fresh = built(store, tmp_path / "fresh").manifest
    assert content(tmp_path / "club", fresh) == content(tmp_path / "fresh", fresh)


def test_without_decisions_only_these_are_missing(store: SqliteStore, tmp_path: Path) -> None:
    put(store, finished(SMALL, 1, name="m1"))
    whole = built(store, tmp_path / "whole").manifest
    manifest = built(store, tmp_path / "club", without=("decisions",)).manifest
    assert {part.table for part in whole.parts} - {part.table for part in manifest.parts} == {"decisions"}
    assert {part for part in parts(whole) if part.table != "decisions"} == parts(manifest)
