"""The transparency log of a store: each leaf once, in the store's order, never changed, made again alike."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from api.store.interface import Append, InDoubt, StoreError, Unavailable
from api.store.log_guard import FILE, Behind, LogState, OwnLeaf, checkpoint_of
from api.store.log_writer import LogWriter
from api.store.sql import SqlStore
from api.store.transparency import NewLeaf, SignedSize
from domain.game import Game
from domain.log import Damaged, b64
from domain.match import Match
from domain.merkle import Tree
from domain.signed_notes import Checkpoint, Note
from domain.tournaments import commands as c
from domain.tournaments.terms import Terms
from replay.transparency import evidence, leaf
from replay.transparency.leaf import AnyLeaf
from replay.transparency.tiles import ENTRIES, Tile, entries
from tests.api.gate.tournaments import Cup
from tests.api.store.appends import appends, store_all
from tests.api.store.locations import Place
from tests.domain.tournaments.random_play import PEOPLE, carried_out, started
from tests.matches import Sitting, finished
from tests.replay.files import short_match

TERMS = Terms(game="toy", format="swiss", rounds=3)
NOW = 1_790_000_000_000_000


def writer(store: SqlStore) -> LogWriter:
    return LogWriter(store, store.keys, lambda: NOW)


def caught_up(store: SqlStore) -> list[AnyLeaf]:
    """The leaves after all records were taken in."""
    writer(store).catch_up()
    return [leaf.read(one) for one in leaves(store)]


def leaves(store: SqlStore) -> list[bytes]:
    return store.transparency.leaves(0, store.transparency.size())


def root_of(found: list[bytes]) -> bytes:
    tree = Tree()
    for one in found:
        tree.add(one)
    return tree.root


def kinds(found: list[AnyLeaf]) -> list[str]:
    return [str(one.__struct_config__.tag) for one in found]


def played(store: SqlStore, game: Game, seed: int = 1) -> Match:
    """A finished match in the store."""
    sitting = finished(game, seed)
    store_all(store, sitting)
    return sitting.match


def restored_to(store: SqlStore, state: LogState) -> None:
    (store.key_folder / FILE).write_bytes(json.dumps({"checkpoint": state.checkpoint, "own": []}).encode())


# ── the leaves ──


def test_each_opening_and_each_end_is_one_leaf_in_the_order_of_the_store(
    store: SqlStore, toy_game: Game
) -> None:
    one, other = finished(toy_game, 1), finished(toy_game, 2)
    first, second = appends(one), appends(other)
    for append in [first[0], second[0], *second[1:], *first[1:]]:
        store.submit(append).result()
    found = caught_up(store)
    assert kinds(found) == ["opened", "opened", "closed", "closed"]
    assert [one.match for one in found if not isinstance(one, leaf.RestoredLeaf)] == [  # type: ignore[union-attr]
        one.id if place in (0, 3) else other.id for place in range(4)
    ]
    assert leaves(store)[0::3] == evidence.match_leaves(one.match.records)
    assert leaves(store)[1:3] == evidence.match_leaves(other.match.records)


def test_a_second_look_adds_nothing(store: SqlStore, toy_game: Game) -> None:
    played(store, toy_game)
    before = caught_up(store)
    assert caught_up(store) == before
    ready = writer(store)
    ready.catch_up()
    played(store, toy_game, 2)
    ready.catch_up()
    assert kinds(caught_up(store)) == ["opened", "closed", "opened", "closed"]


@pytest.mark.parametrize("error", [Unavailable, InDoubt])
@pytest.mark.parametrize("is_stored", [False, True])
def test_what_a_lost_database_did_not_take_is_appended_by_the_next_step(
    store: SqlStore, toy_game: Game, monkeypatch: pytest.MonkeyPatch, error: type[StoreError], is_stored: bool
) -> None:
    log = writer(store)
    played(store, toy_game)
    append = store.transparency.append

    def fails(*given: Any) -> bool:
        if is_stored:
            append(*given)
        raise error("away")

    with monkeypatch.context() as patch:
        patch.setattr(store.transparency, "append", fails)
        with pytest.raises(error):
            log.step()
    played(store, toy_game, seed=2)
    log.catch_up()
    assert kinds(caught_up(store)).count("opened") == 2
    assert kinds(caught_up(store)).count("closed") == 2


def test_every_entry_of_a_tournament_is_a_leaf(store: SqlStore, toy_game: Game) -> None:
    async def work() -> None:
        cup = Cup(store)
        await cup.announced(2)
        await cup.paired()
        await cup.results()

    ready = writer(store)
    asyncio.run(work())
    ready.step()
    ready.catch_up()
    name = next(store.tournaments())
    log = store.tournament(name)
    assert log is not None
    found = [one for one in caught_up(store) if isinstance(one, leaf.TournamentLeaf)]
    assert [(one.size, one.root) for one in found] == [
        (number, b64(root)) for number, root in enumerate(log.roots, 1)
    ]
    assert [number for number, _ in store.transparency.of(name)] == [0, leaves(store).index(found[-1].bytes)]
    assert evidence.tournament_leaves(log.records) == [one.bytes for one in found]


def test_uploaded_and_imported_matches_are_no_leaves(store: SqlStore, toy_game: Game) -> None:
    match = short_match(toy_game)
    store.submit(Append(match.records, note="n", signer="somebody+00000000")).result()
    imported = Sitting(toy_game, 7, origin="imported", recorded=True)
    store.submit(Append(imported.match.records, imported.secret.bytes)).result()
    assert caught_up(store) == []


def test_the_tiles_and_bundles_are_those_of_the_leaves(store: SqlStore) -> None:
    log, before = store.transparency, None
    for first in range(0, 600, 150):
        some = [NewLeaf(f"m{number}", "closed", b"%d" % number) for number in range(first, first + 150)]
        assert log.append(before, before := first + 150, some)
    assert log.size() == 600
    for size in (1, 255, 256, 257, 600):
        assert log.root(size) == root_of([b"%d" % number for number in range(size)])
    assert [len(log.tile(level, number)) // 32 for level, number in ((0, 0), (0, 2), (1, 0), (2, 0))] == [
        256,
        88,
        2,
        0,
    ]
    assert entries(log.served(Tile(ENTRIES, 2, 88)) or b"") == [b"%d" % number for number in range(512, 600)]
    assert log.served(Tile(ENTRIES, 2, 89)) is None
    assert log.served(Tile(0, 2, 5)) == log.tile(0, 2)[: 5 * 32]
    assert log.served(Tile(0, 3, 1)) is log.served(Tile(0, 2)) is None


def test_of_two_that_append_at_once_one_does(store: SqlStore) -> None:
    log = store.transparency
    assert log.append(None, 5, [NewLeaf("m1", "opened", b"one")])
    assert not log.append(None, 5, [NewLeaf("m1", "opened", b"one")])
    assert log.append(5, 9, [NewLeaf("m1", "closed", b"two")])
    assert not log.append(5, 9, [NewLeaf("m1", "closed", b"two")])
    assert (log.position(), log.size()) == (9, 2)


def test_matches_without_an_end_are_counted_by_opener_and_age(store: SqlStore) -> None:
    log = store.transparency
    new = [NewLeaf(f"m{number}", "opened", b"%d" % number, f"p{number % 2}", number) for number in range(7)]
    log.append(None, 7, new)
    log.append(7, 9, [NewLeaf("m1", "closed", b"end"), NewLeaf("m0", "closed", b"end of m0")])
    found = log.openings(10)
    assert [(one.opener, one.count, one.oldest, one.newest) for one in found] == [
        ("p0", 3, 2, 6),
        ("p1", 2, 3, 5),
    ]
    assert len(log.openings(1)) == 1
    assert log.ages([3, 100]) == [1, 5]


# ── no program changes what is there ──


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE log_leaves SET topic = 'other'",
        "DELETE FROM log_leaves WHERE number = 1",
        "INSERT INTO log_leaves (number, topic, kind, leaf) VALUES (9, 'm', 'opened', 'x')",
        "UPDATE log_tiles SET hashes = 'x'",
        "UPDATE log_tiles SET level = 5",
        "DELETE FROM log_tiles",
    ],
)
def test_the_tables_refuse_every_change(
    place: Place, store: SqlStore, toy_game: Game, statement: str
) -> None:
    played(store, toy_game)
    before = caught_up(store), store.transparency.root(2)
    with pytest.raises(Exception, match=r"leaf|tile|log|CalledProcessError|non-zero"):
        place.force(statement)
    assert (caught_up(store), store.transparency.root(2)) == before


# ── made again ──


def emptied(place: Place) -> None:
    """The tables of the log, lost."""
    is_file = isinstance(place.location, Path)
    stop = (
        ("DROP TRIGGER log_leaves_last", "DROP TRIGGER log_tiles_last")
        if is_file
        else (
            "ALTER TABLE log_leaves DISABLE TRIGGER USER",
            "ALTER TABLE log_tiles DISABLE TRIGGER USER",
        )
    )
    for statement in (
        *stop,
        "DELETE FROM log_leaves",
        "DELETE FROM log_tiles",
        "DELETE FROM log_openings",
        "DELETE FROM log_checkpoints",
        "DELETE FROM followers WHERE name = 'transparency'",
    ):
        place.force(statement)


def test_a_lost_log_is_made_again_with_the_same_bytes(place: Place, toy_game: Game) -> None:
    store = place.open()
    played(store, toy_game, 1)
    writer(store).catch_up()
    store.keys.rotate(NOW)
    ready = writer(store)
    ready.catch_up()
    played(store, toy_game, 2)
    ready.catch_up()
    signed = ready.publish()
    before, size = leaves(store), store.transparency.size()
    assert kinds([leaf.read(one) for one in before]) == ["opened", "closed", "key", "opened", "closed"]
    store.close()
    emptied(place)
    store = place.open()
    assert store.transparency.size() == 0
    assert store.log_guard.is_behind  # until it is made again
    writer(store).catch_up()
    assert leaves(store) == before
    assert signed == Checkpoint("glasnost.local/log", size, store.transparency.root(size))
    store.log_guard._again = 0.0
    assert not store.log_guard.is_behind
    store.close()


# ── checkpoints ──


def test_a_checkpoint_is_signed_once_and_kept_beside_the_keys(store: SqlStore, toy_game: Game) -> None:
    played(store, toy_game)
    ready = writer(store)
    ready.catch_up()
    signed = ready.publish()
    assert signed is not None
    assert (signed.size, signed.root) == (2, root_of(leaves(store)))
    assert ready.publish() is None
    latest = store.transparency.latest()
    assert latest is not None
    assert Note.parse(latest.note).signed_by(store.keys.known) == store.keys.present
    state = store.log_guard.state
    assert state == LogState(latest.note)
    assert (store.key_folder / FILE).stat().st_mode & 0o777 == 0o600


def test_a_new_key_signs_the_log_anew_under_the_same_origin(store: SqlStore, toy_game: Game) -> None:
    played(store, toy_game)
    writer(store).catch_up()
    writer(store).publish()
    old = store.keys.present
    store.keys.rotate(NOW, "new.example")
    ready = writer(store)
    ready.catch_up()
    signed = ready.publish()
    assert signed is not None
    assert (signed.origin, signed.size) == ("glasnost.local/log", 3)
    latest = store.transparency.latest()
    assert latest is not None
    assert Note.parse(latest.note).signatures[0].name == "new.example"
    rotation = leaf.read(leaves(store)[-1])
    assert isinstance(rotation, leaf.KeyLeaf)
    assert (rotation.number, rotation.before, rotation.key) == (1, old.id, store.keys.present.id)
    assert rotation.at == NOW
    assert store.log_guard.state == LogState(latest.note, (OwnLeaf(2, rotation.bytes.decode()),))


def checked(checkpoint: Checkpoint, line: str) -> str | None:
    """A stand-in for the check of a signature: witnesses w1 and w2, for the size that the line names."""
    name, _, size = line.removeprefix("— ").partition(" ")
    return name if name in ("w1", "w2") and size == b64(b"%d" % checkpoint.size) else None


def line(name: str, size: int) -> str:
    return f"— {name} {b64(b'%d' % size)}"


def test_only_valid_cosignatures_of_known_witnesses_are_kept(store: SqlStore) -> None:
    log = store.transparency
    note = store.keys.signing.sign(Checkpoint("glasnost.local/log", 5, bytes(32)).text)
    log.publish(5, note)
    given = [line("w1", 5), line("w1", 6), line("w3", 5), "", "— w2\n", line("w2", 5) + "\nforged line"]
    assert log.cosign(5, given, checked) == ["w1"]
    assert log.cosign(6, [line("w1", 6)], checked) == []
    assert log.cosign(5, [line("w2", 5), line("w1", 5)], checked) == ["w1", "w2"]
    assert log.latest() == SignedSize(5, note, line("w1", 5) + "\n" + line("w2", 5) + "\n")


def test_the_best_cosigned_checkpoint_stays_until_a_later_one_is_as_good(store: SqlStore) -> None:
    log = store.transparency

    def publish(size: int) -> None:
        log.publish(size, store.keys.signing.sign(Checkpoint("glasnost.local/log", size, bytes(32)).text))

    def sizes() -> list[int]:
        return [row[0] for row in store.rows("SELECT size FROM log_checkpoints ORDER BY size")]

    publish(5)
    log.cosign(5, [line("w1", 5), line("w2", 5)], checked)
    publish(6)
    log.cosign(6, [line("w1", 6)], checked)
    publish(7)
    publish(8)
    assert sizes() == [5, 6, 8]
    best, one, newest = log.best(), log.cosigned(1), log.latest()
    assert best is not None
    assert one is not None
    assert newest is not None
    assert (best.size, one.size, newest.size) == (5, 6, 8)
    assert log.cosigned(3) is None
    log.cosign(8, [line("w2", 8), line("w1", 8)], checked)
    assert sizes() == [8]
    publish(8)  # the same note again
    assert log.cosigned(2) is not None


# ── the guard ──


def behind(store: SqlStore, more: int = 3) -> Checkpoint:
    """A store whose last signed checkpoint is over more leaves than it has."""
    found = Checkpoint("glasnost.local/log", store.transparency.size() + more, bytes(32))
    restored_to(store, LogState(store.keys.signing.sign(found.text)))
    return found


def test_a_store_behind_its_signed_log_signs_and_takes_nothing(place: Place, toy_game: Game) -> None:
    store = place.open()
    match = played(store, toy_game)
    ready = writer(store)
    ready.catch_up()
    ready.publish()
    signed = behind(store)
    store.close()

    store = place.open()
    gap = store.log_guard.gap()
    assert gap is not None
    assert (gap.size, gap.signed, gap.lost) == (2, signed.size, 3)
    with pytest.raises(Behind):
        _ = store.keys.signing
    with pytest.raises(StoreError):
        writer(store).publish()
    other = finished(toy_game, 2)
    with pytest.raises(Behind):
        store.submit(appends(other)[0])
    assert store.match(other.id) is None
    writer(store).catch_up()
    assert store.transparency.size() == 2
    found = store.match(match.id)
    assert found is not None
    assert found.roots == match.roots
    assert store.keys.present.text  # what is public stays readable
    store.close()


def test_a_store_with_another_log_of_the_same_length_is_held(place: Place, toy_game: Game) -> None:
    store = place.open()
    played(store, toy_game)
    writer(store).catch_up()
    writer(store).publish()
    behind(store, 0)
    store.close()
    store = place.open()
    assert store.log_guard.is_behind
    store.close()


def test_a_checkpoint_that_a_witness_shows_holds_the_server(store: SqlStore, toy_game: Game) -> None:
    played(store, toy_game)
    ready = writer(store)
    ready.catch_up()
    ready.publish()
    guard, key = store.log_guard, store.keys.signing
    known = store.transparency.latest()
    assert known is not None
    stranger = key.sign(Checkpoint("elsewhere.example/log", 9, bytes(32)).text)
    for note in (known.note, stranger, "no note", known.note.replace("2", "3", 1)):
        assert not guard.seen(note, store.keys)
    assert not guard.is_behind
    assert guard.seen(key.sign(Checkpoint("glasnost.local/log", 9, bytes(32)).text), store.keys)
    with pytest.raises(Behind):
        guard.check()


def test_a_damaged_file_beside_the_keys_is_named(store: SqlStore) -> None:
    (store.key_folder / FILE).write_bytes(b"{")
    (store.key_folder / FILE).chmod(0o600)
    with pytest.raises(StoreError, match="damaged"):
        _ = store.keys.signing


def test_the_last_checkpoint_is_a_note(store: SqlStore) -> None:
    with pytest.raises(Damaged):
        checkpoint_of("glasnost.local/log\n2\n")


def test_a_tournament_that_goes_on_after_a_restart_has_the_same_leaves(
    store: SqlStore, toy_game: Game
) -> None:
    log, secret = started(TERMS)
    store.submit(Append(log.records, secret=secret.bytes)).result()
    writer(store).catch_up()
    carried_out(log, secret, c.EnterTournament(), PEOPLE[0])
    carried_out(log, secret, c.EnterTournament(), PEOPLE[1])
    store.submit(Append(log.records[1:])).result()
    found = [one for one in caught_up(store) if isinstance(one, leaf.TournamentLeaf)]
    assert [one.root for one in found] == [b64(root) for root in log.roots]
    assert [one.entry for one in found] == ["announced", "entered", "entered"]
    assert {one.tournament for one in found} == {log.id}


def test_a_tournament_that_no_list_shows_is_not_named(store: SqlStore, toy_game: Game) -> None:
    log, secret = started(replace(TERMS, visibility="link"))
    store.submit(Append(log.records, secret=secret.bytes)).result()
    (found,) = [one for one in caught_up(store) if isinstance(one, leaf.TournamentLeaf)]
    assert (found.tournament, found.opening) == ("", b64(log.roots[0]))
    assert log.id.encode() not in leaves(store)[0]
    assert evidence.tournament_leaves(log.records) == leaves(store)


def test_an_operator_says_why_leaves_are_lost(place: Place, toy_game: Game) -> None:
    store = place.open()
    played(store, toy_game)
    writer(store).catch_up()
    writer(store).publish()
    signed = behind(store, 4)
    store.close()

    store = place.open()
    assert store.log_guard.is_behind
    said = writer(store).restored("the disk failed")
    assert (said.size, said.lost, said.signed, said.root) == (2, 4, signed.size, b64(signed.root))
    assert leaf.read(leaves(store)[2]) == said
    assert (said.at, said.reason) == (NOW, "the disk failed")
    store.submit(appends(finished(toy_game, 2))[0]).result()
    assert kinds(caught_up(store)) == ["opened", "closed", "restored", "opened"]
    store.close()

    store = place.open()
    assert not store.log_guard.is_behind
    assert store.log_guard.state is not None
    assert [own.number for own in store.log_guard.state.own] == [2]
    with pytest.raises(StoreError, match="nothing to say"):
        writer(store).restored("again")
    store.close()
