"""Both stores behind the seam: what is submitted, what is refused, and what is read back."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from msgspec.structs import replace

from api.store import interface
from api.store.interface import Append, Conflict, Exists, Stored, StoreError, Unavailable
from api.store.keys import create_keys
from api.store.open import open_store
from api.store.sql import NAME, SqlStore
from api.store.sqlite import SqliteStore
from domain.game import Game
from domain.games import GAMES
from domain.log import SEATS_SETTLED, Damaged
from domain.signed_notes import Signed, SigningKey
from tests.api.store.appends import appends, remembered, store_all, store_each, stored
from tests.api.store.locations import Place
from tests.briefs import brief
from tests.matches import Sitting, finished
from tests.replay.files import STRANGER, note_of
from tests.wild import wild


@pytest.fixture
def sitting(toy_game: Game) -> Sitting:
    return finished(toy_game)


def test_it_is_a_store(store: SqlStore) -> None:
    seen: interface.Store = store
    assert seen.last() == 0


def test_a_match_is_read_back_as_it_was_played(store: SqlStore, sitting: Sitting) -> None:
    store_all(store, sitting)
    match = store.match(sitting.id)
    assert match is not None
    assert [record.stored for record in match.records] == [r.stored for r in sitting.match.records]
    assert match.roots == sitting.match.roots
    assert match.positions == sitting.match.positions
    assert match.result == sitting.match.result


@pytest.mark.parametrize("name", sorted(GAMES))
def test_the_games_of_the_house_are_read_back(store: SqlStore, name: str) -> None:
    sitting = finished(GAMES[name])
    store_all(store, sitting)
    match = store.match(sitting.id)
    assert match is not None
    assert (match.roots, match.result) == (sitting.match.roots, sitting.match.result)


def test_a_running_match_goes_on_after_the_store_was_closed(place: Place, toy_game: Game) -> None:
    sitting = Sitting(toy_game).seat_all().play_on(2)
    store = place.open()
    store.submit(Append(sitting.match.records, secret=sitting.secret.bytes)).result()
    store.close()
    store = place.open()
    match = store.match(sitting.id)
    assert match is not None
    assert match.live == sitting.match.live
    sitting.random_answer()
    store.submit(Append(sitting.match.records[match.move :])).result()
    assert stored(store, sitting.id) == [record.stored for record in sitting.match.records]
    store.close()


def test_what_comes_with_the_records_is_durable_with_them(store: SqlStore, sitting: Sitting) -> None:
    store_all(store, sitting)
    for append in appends(sitting):
        if append.remembered:
            assert store.remembered(append.remembered.scope, append.remembered.key) == append.remembered
    assert store.secret(sitting.id) == sitting.secret.bytes
    assert store.note(sitting.id) == "the last checkpoint"
    assert store.signer(sitting.id) is None


def test_several_matches_are_looked_into_at_once(store: SqlStore, toy_game: Game) -> None:
    played = [finished(toy_game, seed) for seed in (1, 2, 3)]
    for sitting in played:
        store_all(store, sitting)
    first, second, third = played
    found = store.since_each({first.id: 3, second.id: 0, third.id: third.match.move, "nowhere": 0})
    assert {match: [record.stored for record in records] for match, records in found.items()} == {
        first.id: stored(store, first.id)[3:],
        second.id: stored(store, second.id),
        third.id: [],
        "nowhere": [],
    }


def test_what_is_not_there_is_none(store: SqlStore) -> None:
    assert store.match("nowhere") is None
    assert store.secret("nowhere") is None
    assert store.note("nowhere") is None
    assert store.signer("nowhere") is None
    assert store.remembered("nobody", "nothing") is None
    assert list(store.matches()) == []
    assert store.after(0, 10) == []


def test_positions_number_the_moves_of_all_matches_without_gap(store: SqlStore, toy_game: Game) -> None:
    first, second = finished(toy_game, 1), finished(toy_game, 2)
    assert store_all(store, first)[-1] == first.match.move
    store_all(store, second)
    moves = first.match.move + second.match.move
    found = store.after(0, 1000)
    assert [one.position for one in found] == list(range(1, moves + 1))
    assert [one.record.stored for one in found] == [
        record.stored for sitting in (first, second) for record in sitting.match.records
    ]
    assert store.last() == moves
    assert [one.position for one in store.after(3, 2)] == [4, 5]
    assert store.after(moves, 10) == []
    assert list(store.matches()) == ["m1", "m2"]


@pytest.mark.parametrize("limit", [1, 7, 60, 1000])
def test_in_brief_a_log_leaves_out_the_plays_in_between(store: SqlStore, swap_game: Game, limit: int) -> None:
    for number, game in enumerate(GAMES.values()):
        played = wild(game, number, 60)
        whole = Append(played.match.records, note="a note", signer="club.example+00000000")
        store.submit(whole if number == 1 else Append(played.match.records, played.secret.bytes)).result()
    for position in range(0, store.last() + 1, 5):
        found = store.brief(position, limit)
        assert _told(found) == _told(brief(store.after(position, limit)))
    told = [one.record for one in store.brief(0, 1000)]
    assert any(record.kind == SEATS_SETTLED for record in told)


def test_in_brief_a_gap_in_the_positions_is_no_end(store: SqlStore, toy_game: Game) -> None:
    store_all(store, finished(toy_game, 1))
    assert [one.position for one in store.brief(-500, 20)] == [
        one.position for one in brief(store.after(0, 20))
    ]


def _told(found: Sequence[Stored]) -> list[tuple[int, bytes, bool]]:
    return [(one.position, one.record.stored, one.uploaded) for one in found]


def test_a_failed_append_leaves_no_hole_in_the_order(store: SqlStore, sitting: Sitting) -> None:
    first, second, *_ = appends(sitting)
    store.submit(first).result()
    assert isinstance(store.submit(first).exception(), Exists)
    assert store.submit(second).result() == 2


@pytest.mark.parametrize("number", [0, 1, 3, 4])
def test_records_that_do_not_follow_the_stored_ones_conflict(
    store: SqlStore, sitting: Sitting, number: int
) -> None:
    commands = appends(sitting)
    store_each(store, commands[:2])
    refusal = store.submit(commands[number]).exception()
    assert type(refusal) is (Exists if number == 0 else Conflict)
    assert store.last() == 2


def test_an_append_with_a_gap_inside_is_refused_wholly(store: SqlStore, sitting: Sitting) -> None:
    records = sitting.match.records
    gap = Append([records[0], records[1], records[8]], secret=sitting.secret.bytes, note="a note")
    assert isinstance(store.submit(gap).exception(), Conflict)
    assert (store.last(), store.secret(sitting.id), store.note(sitting.id)) == (0, None, None)


def test_a_match_that_does_not_begin_is_refused(store: SqlStore, sitting: Sitting) -> None:
    assert isinstance(store.submit(Append(sitting.match.records[1:2])).exception(), Conflict)


def test_an_append_of_two_matches_is_a_mistake(store: SqlStore, toy_game: Game) -> None:
    records = [Sitting(toy_game, seed).match.records[0] for seed in (1, 2)]
    with pytest.raises(ValueError, match="one match"):
        store.submit(Append(records))


def test_a_key_that_was_answered_meanwhile_conflicts(store: SqlStore, sitting: Sitting) -> None:
    first, second, third, *_ = appends(sitting)
    kept = remembered(sitting.id, 1)
    store.submit(first).result()
    store.submit(replace(second, remembered=kept)).result()
    assert isinstance(store.submit(replace(third, remembered=kept)).exception(), Conflict)
    assert store.last() == 2


def test_an_uploaded_match_is_marked_and_has_no_secret(store: SqlStore, toy_game: Game) -> None:
    own, foreign = finished(toy_game, 1), finished(toy_game, 2)
    store_all(store, own)
    store.submit(Append(foreign.match.records, note="their note", signer="club.example+00000000")).result()
    assert store.signer(foreign.id) == "club.example+00000000"
    assert (store.note(foreign.id), store.secret(foreign.id)) == ("their note", None)
    marks = {(one.record.match, one.uploaded) for one in store.after(0, 1000)}
    assert marks == {("m1", False), ("m2", True)}


def test_what_an_uploaded_match_claims_is_checked_when_it_is_read(store: SqlStore, toy_game: Game) -> None:
    """By whose name it was stored proves nothing: this store's own keys do, also those that retired."""
    key, label = store.keys.signing, store.keys.present.label
    store.keys.rotate(1)
    notes: dict[int, str | SigningKey] = {1: "", 2: "nonsense", 3: key, 4: STRANGER}
    for seed, note in notes.items():
        match = finished(toy_game, seed).match
        told = note if isinstance(note, str) else note_of(match.records, note)
        store.submit(Append(match.records, note=told, signer=label)).result()
    claimed = {(one.record.match, one.claimed) for one in store.after(0, 1000)}
    assert claimed == {("m1", True), ("m2", True), ("m3", False), ("m4", True)}
    assert {(one.record.match, one.claimed) for one in store.brief(0, 1000)} == claimed
    for name, is_claimed in claimed:
        found, glimpse = store.match(name), store.partial_match(name, 3)
        assert found is not None
        assert glimpse is not None
        assert (found.claimed, glimpse.claimed) == (is_claimed, is_claimed)
    assert store.proof("m3") == Signed((label,))
    assert store.proof("m4") == Signed((), (STRANGER.verifying.label,))


def test_one_conflict_in_a_group_of_a_hundred_spoils_no_other(
    store: SqlStore, place: Place, toy_game: Game
) -> None:
    opening = [Append(Sitting(toy_game, seed).match.records, secret=bytes(32)) for seed in range(100)]
    store.submit(opening[50]).result()
    with place.queueing(store):
        done = [store.submit(append) for append in opening]
    failed = {place: type(future.exception()) for place, future in enumerate(done) if future.exception()}
    assert failed == {50: Exists}
    assert sorted(store.matches()) == sorted(f"m{seed}" for seed in range(100))
    assert store.last() == 100


def test_a_group_may_hold_several_appends_of_one_match(
    store: SqlStore, place: Place, sitting: Sitting
) -> None:
    commands = appends(sitting)
    with place.queueing(store):
        done = [store.submit(append) for append in (*commands, commands[3])]
    assert [future.result() for future in done[:-1]] == [append.records[-1].move for append in commands]
    assert isinstance(done[-1].exception(), Conflict)
    assert stored(store, sitting.id) == [record.stored for record in sitting.match.records]


def test_clients_racing_for_one_move_have_one_winner(store: SqlStore, sitting: Sitting) -> None:
    first, second, *_ = appends(sitting)
    store.submit(first).result()
    with ThreadPoolExecutor(16) as clients:
        done = list(clients.map(lambda _: store.submit(second).exception(), range(64)))
    assert done.count(None) == 1
    assert sum(isinstance(refusal, Conflict) for refusal in done) == 63
    assert store.last() == 2


def test_callbacks_get_each_commit_once_and_in_order(store: SqlStore, sitting: Sitting) -> None:
    told: list[tuple[str, int]] = []
    store.watch(lambda match, position: told.append((match, position)))
    positions = store_all(store, sitting)
    store.close()
    assert [position for _, position in told] == sorted({position for _, position in told})
    assert {(sitting.id, position) for position in positions} <= set(told)


def test_callbacks_do_not_get_earlier_commits(store: SqlStore, sitting: Sitting) -> None:
    told: list[int] = []
    first, second, *_ = appends(sitting)
    store.submit(first).result()
    store.watch(lambda match, position: told.append(position))
    store.submit(second).result()
    store.close()
    assert told == [2]


def test_the_store_outlives_a_watcher_that_fails(
    store: SqlStore, sitting: Sitting, caplog: pytest.LogCaptureFixture
) -> None:
    told: list[int] = []

    def fail(match: str, position: int) -> None:
        raise RuntimeError("the card is the ace of spades")

    store.watch(fail)
    store.watch(lambda match, position: told.append(position))
    positions = store_all(store, sitting)
    store.close()
    assert set(positions) <= set(told)
    assert "RuntimeError" in caplog.text
    assert "spades" not in caplog.text


def test_a_reader_reads_while_another_writes(store: SqlStore, place: Place, sitting: Sitting) -> None:
    first, second, *_ = appends(sitting)
    store.submit(first).result()
    reader = place.open(write=False)
    assert len(stored(reader, sitting.id)) == 1
    store.submit(second).result()
    assert len(stored(reader, sitting.id)) == 2
    reader.close()


def test_a_reader_needs_no_keys_and_writes_nothing(place: Place, folder: Path, sitting: Sitting) -> None:
    store = place.open()
    store_all(store, sitting)
    store.close()
    store.key_folder.rename(folder.with_name("elsewhere"))
    reader = open_store(place.location, write=False)
    assert len(stored(reader, sitting.id)) == sitting.match.move
    with pytest.raises(StoreError, match="reading only"):
        reader.submit(Append(sitting.match.records[:1]))
    with pytest.raises(StoreError, match="reading only"):
        reader.people.add("Ann", "player")
    with pytest.raises(StoreError, match="GLASNOST_KEYS"):
        reader.secret(sitting.id)
    reader.close()


def test_a_store_that_is_not_there_cannot_be_read(place: Place) -> None:
    with pytest.raises(StoreError, match="there is no store"):
        place.open(write=False)


def test_a_damaged_move_is_named(store: SqlStore, sitting: Sitting) -> None:
    first, second, *_ = appends(sitting)
    store.submit(first).result()
    record = second.records[0]
    record.stored = record.stored.replace(record.leaf, record.leaf[:-1])
    store.submit(second).result()
    with pytest.raises(Damaged, match="match m1, move 2"):
        store.match(sitting.id)
    with pytest.raises(Damaged, match="match m1, move 2"):
        [delivered.record.entry for delivered in store.after(0, 10)]


def test_a_match_of_an_unknown_game_is_named(
    store: SqlStore, sitting: Sitting, monkeypatch: pytest.MonkeyPatch
) -> None:
    store_all(store, sitting)
    monkeypatch.delitem(GAMES, "toy")
    with pytest.raises(Damaged, match=r"match m1, move 1: unknown game 'toy'; this version knows: "):
        store.match(sitting.id)


def test_the_keys_of_a_store_must_be_there(place: Place, folder: Path) -> None:
    store = place.open()
    store.close()
    store.key_folder.rename(folder.with_name("elsewhere"))
    with pytest.raises(StoreError, match="GLASNOST_KEYS"):
        place.open()
    assert not store.key_folder.exists()
    place.open(keys=folder.with_name("elsewhere")).close()


def test_the_keys_of_another_store_are_refused(place: Place, folder: Path) -> None:
    place.open().close()
    create_keys(folder.with_name("other"), NAME)
    with pytest.raises(StoreError, match="are those of another store"):
        place.open(keys=folder.with_name("other"))
    place.open().close()


def test_the_environment_names_the_key_folder_and_the_server(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GLASNOST_KEYS", str(tmp_path / "safe"))
    monkeypatch.setenv("GLASNOST_NAME", "games.example")
    store = open_store(place.location)
    assert store.keys.present.name == "games.example"
    assert {path.name for path in (tmp_path / "safe").iterdir()} == {"ring.json", "wrap.key"}
    store.close()


def test_a_new_store_is_not_bound_to_keys_that_are_refused(place: Place, folder: Path) -> None:
    create_keys(folder.with_name("other"), "other.example")
    with pytest.raises(StoreError, match=r"signs as other.example"):
        place.open(keys=folder.with_name("other"))
    place.open().close()


def test_a_store_without_room_is_opened_though_it_cannot_be_noted_which_key_signs(
    place: Place, sitting: Sitting, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = place.open()
    store_all(store, sitting)
    store.close()
    place.force("DELETE FROM meta WHERE name = 'signing_key'")  # as an older version left it

    def refused(*given: object) -> None:
        raise Unavailable("the disk is full")

    with monkeypatch.context() as full:
        full.setattr(type(store), "write", refused)
        store = place.open()
        assert list(store.matches()) == [sitting.id]
        store.close()
    store = place.open()
    assert store.rows("SELECT value FROM meta WHERE name = 'signing_key'") == [(store.keys.present.label,)]
    store.close()


def test_keys_inside_the_store_are_refused(folder: Path) -> None:
    with pytest.raises(StoreError, match="must lie outside the store"):
        SqliteStore.open(folder, keys=folder / "keys")
    assert not folder.exists()


def test_a_folder_that_cannot_hold_a_store_is_refused(folder: Path) -> None:
    folder.write_text("a file")
    with pytest.raises(StoreError, match="cannot hold a store"):
        SqliteStore.open(folder)


def test_the_secret_is_nowhere_in_the_store(store: SqlStore, place: Place, toy_game: Game) -> None:
    sitting = Sitting(toy_game).seat_all().play_on(3)
    store.submit(Append(sitting.match.records, secret=sitting.secret.bytes)).result()
    content = place.content()
    assert sitting.match.records[0].stored in content
    assert sitting.secret.bytes not in content
    assert sitting.secret.bytes.hex().encode() not in content
    assert store.secret(sitting.id) == sitting.secret.bytes


def test_a_wrapped_secret_that_was_swapped_does_not_open(
    store: SqlStore, place: Place, toy_game: Game
) -> None:
    for seed in (1, 2):
        sitting = Sitting(toy_game, seed)
        store.submit(Append(sitting.match.records, secret=sitting.secret.bytes)).result()
    swap = "UPDATE vault SET wrapped = (SELECT wrapped FROM vault WHERE match = 'm1') WHERE match = 'm2'"
    place.force(swap)
    with pytest.raises(StoreError, match="the secret of match m2 does not open"):
        store.secret("m2")
