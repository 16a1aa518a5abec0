"""Backup and restore: one file, made while the store is served, and checked before it is trusted."""

from __future__ import annotations

import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from threading import Event, Thread

import pytest

from api.store.backup import Content, backup, check, restore
from api.store.interface import Append, StoreError
from api.store.sqlite import SqliteStore
from api.store.sqlite_schema import FILE
from domain.game import Game
from tests.api.store.appends import appends, remembered, store_all, stored
from tests.api.store.older import TO_SCHEMA_1
from tests.matches import Sitting, finished

TABLES = (
    "sqlite_master",
    "stored_events",
    "vault",
    "requests",
    "notes",
    "uploads",
    "upload_quota",
    "withdrawals",
    "people",
    "tokens",
    "sessions",
    "links",
    "subscriptions",
    "outbox",
)


@pytest.fixture
def store(embedded: SqliteStore) -> SqliteStore:
    """This is about the embedded store alone."""
    return embedded


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "copy.glasnost-backup"


@pytest.fixture
def sitting(store: SqliteStore, toy_game: Game) -> Sitting:
    """A finished match, stored."""
    sitting = finished(toy_game)
    store_all(store, sitting)
    return sitting


def with_keys_of(store: SqliteStore, folder: Path) -> SqliteStore:
    return SqliteStore.open(folder, keys=store.key_folder)


def spoilt(file: Path, *statements: str) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        for statement in ("DROP TRIGGER stored_events_last", "DELETE FROM meta", *statements):
            connection.execute(statement)


def test_a_restored_store_holds_what_the_served_one_did(
    store: SqliteStore, sitting: Sitting, target: Path, tmp_path: Path
) -> None:
    person, token = store.people.add("Ann", "organizer")
    assert backup(store.folder, target) == Content(1, sitting.match.move)
    assert restore(target, tmp_path / "new") == Content(1, sitting.match.move)
    restored = with_keys_of(store, tmp_path / "new")
    assert stored(restored, sitting.id) == [record.stored for record in sitting.match.records]
    assert restored.people.by_token(token) == person
    assert restored.note(sitting.id) == store.note(sitting.id)
    assert restored.remembered(f"token {sitting.id}", "key-4") == remembered(sitting.id, 4)
    restored.close()


def test_a_running_match_goes_on_after_a_restore(
    store: SqliteStore, toy_game: Game, target: Path, tmp_path: Path
) -> None:
    sitting = Sitting(toy_game).seat_all().play_on(2)
    store.submit(Append(sitting.match.records, secret=sitting.secret.bytes)).result()
    backup(store.folder, target)
    restore(target, tmp_path / "new")
    restored = with_keys_of(store, tmp_path / "new")
    assert restored.secret(sitting.id) == sitting.secret.bytes
    sitting.random_answer()
    restored.submit(Append(sitting.match.records[restored.last() :])).result()
    restored.close()


def test_a_restored_store_needs_its_own_keys(
    store: SqliteStore, sitting: Sitting, target: Path, tmp_path: Path
) -> None:
    backup(store.folder, target)
    restore(target, tmp_path / "new")
    with pytest.raises(StoreError, match="GLASNOST_KEYS"):
        SqliteStore.open(tmp_path / "new")


def test_no_secret_and_no_key_is_in_a_backup(store: SqliteStore, toy_game: Game, target: Path) -> None:
    sitting = Sitting(toy_game).seat_all().play_on(2)
    store.submit(Append(sitting.match.records, secret=sitting.secret.bytes)).result()
    backup(store.folder, target)
    content = target.read_bytes()
    for path in store.key_folder.iterdir():
        for word in path.read_text().split('"'):
            assert len(word) < 40 or word.strip().encode() not in content
    assert sitting.secret.bytes not in content
    assert sitting.secret.bytes.hex().encode() not in content


def test_a_copy_for_others_has_no_vault_at_all(store: SqliteStore, sitting: Sitting, target: Path) -> None:
    wrapped = store._datastore.rows("SELECT wrapped FROM vault")[0][0]
    backup(store.folder, target, with_vault=False)
    assert wrapped not in target.read_bytes()
    with closing(sqlite3.connect(target)) as connection:
        assert connection.execute("SELECT count(*) FROM vault").fetchone() == (0,)


def test_a_backup_is_private_and_one_file(store: SqliteStore, sitting: Sitting, target: Path) -> None:
    before = set(target.parent.iterdir())
    backup(store.folder, target)
    assert set(target.parent.iterdir()) - before == {target}
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


def test_a_backup_never_takes_another_files_place(store: SqliteStore, target: Path) -> None:
    target.write_text("precious")
    with pytest.raises(StoreError, match="exists already"):
        backup(store.folder, target)
    assert target.read_text() == "precious"


def test_a_backup_that_cannot_be_written_leaves_nothing(store: SqliteStore, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be written"):
        backup(store.folder, tmp_path / "nowhere" / "file")
    with pytest.raises(StoreError, match="there is no store"):
        backup(tmp_path / "nowhere", tmp_path / "file")
    assert not (tmp_path / "nowhere").exists()
    assert not (tmp_path / "file").exists()


def test_backups_under_load_restore_to_whole_matches(
    store: SqliteStore, toy_game: Game, tmp_path: Path
) -> None:
    done = Event()

    def load() -> None:
        seed = 0
        while not done.is_set():
            store_all(store, finished(toy_game, seed := seed + 1))

    loading = Thread(target=load)
    loading.start()
    targets = [tmp_path / f"backup-{number}" for number in range(5)]
    for target in targets:
        enough = store.last() + 50
        while store.last() < enough:
            store.people.names(["p"])
        backup(store.folder, target)
    done.set()
    loading.join()
    for target in targets:
        restored_folder = target.with_name(f"{target.name}-restored")
        content = restore(target, restored_folder)
        restored = with_keys_of(store, restored_folder)
        assert len(list(restored.matches())) == content.matches
        for match in restored.matches():
            sitting = finished(toy_game, int(match[1:]))
            found = stored(restored, match)
            assert found == [record.stored for record in sitting.match.records[: len(found)]]
            assert len(found) in [append.records[-1].move for append in appends(sitting)]
        restored.close()


def test_backup_and_restore_report_their_progress(
    store: SqliteStore, sitting: Sitting, target: Path, tmp_path: Path
) -> None:
    told: list[int] = []
    backup(store.folder, target, advance=told.append)
    rows = sum(told)
    restore(target, tmp_path / "new", advance=told.append)
    assert rows > 2 * sitting.match.move
    assert sum(told) - rows >= rows // 2  # the digest's own row is there only when it is checked


def test_a_store_of_an_older_version_is_backed_up_before_it_is_migrated(
    store: SqliteStore, sitting: Sitting, target: Path, tmp_path: Path
) -> None:
    store.close()
    with closing(sqlite3.connect(store.folder / FILE, isolation_level=None)) as connection:
        for statement in TO_SCHEMA_1:
            connection.execute(statement)
    assert backup(store.folder, target) == Content(1, sitting.match.move)
    restore(target, tmp_path / "new")
    restored = with_keys_of(store, tmp_path / "new")
    assert restored.match(sitting.id) is not None
    restored.close()


def test_restoring_refuses_a_folder_that_holds_something(
    store: SqliteStore, sitting: Sitting, target: Path, tmp_path: Path
) -> None:
    backup(store.folder, target)
    before = (store.folder / FILE).read_bytes()
    with pytest.raises(StoreError, match="is not empty"):
        restore(target, store.folder)
    assert (store.folder / FILE).read_bytes() == before
    (tmp_path / "empty").mkdir()
    restore(target, tmp_path / "empty")


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-4096])


def change_a_move(file: Path) -> None:
    file.write_bytes(file.read_bytes().replace(b'"product":"0.1.0"', b'"product":"0.2.0"'))


def forget_a_move(file: Path) -> None:
    spoilt(file, "DELETE FROM stored_events WHERE originator_version = 3")


def forget_the_first_match(file: Path) -> None:
    spoilt(file, "DELETE FROM stored_events WHERE originator_id = 'm1'")


def forget_the_last_match(file: Path) -> None:
    spoilt(file, "DELETE FROM stored_events WHERE originator_id = 'm2'")


def come_from_the_future(file: Path) -> None:
    spoilt(file, "PRAGMA user_version = 10")


def be_another_file(file: Path) -> None:
    file.write_text("dear diary")


def be_empty(file: Path) -> None:
    file.write_bytes(b"")


def be_gone(file: Path) -> None:
    file.unlink()


@pytest.mark.parametrize(
    ("harm", "reason"),
    [
        (cut, "damaged"),
        (change_a_move, "does not hold what was backed up"),
        (forget_a_move, "moves of match m1 are missing"),
        (forget_the_first_match, "the last one is number"),
        (forget_the_last_match, "all moves of match m2 are missing"),
        (come_from_the_future, "schema 10"),
        (be_another_file, "cannot be read as a store"),
        (be_empty, "is empty"),
        (be_gone, "there is no backup"),
    ],
)
def test_a_damaged_backup_is_refused_and_nothing_is_restored(
    store: SqliteStore,
    toy_game: Game,
    target: Path,
    tmp_path: Path,
    harm: Callable[[Path], None],
    reason: str,
) -> None:
    for seed in (1, 2):
        store_all(store, finished(toy_game, seed))
    backup(store.folder, target)
    assert check(target).matches == 2
    harm(target)
    with pytest.raises(StoreError, match=reason):
        restore(target, tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_a_flipped_bit_is_refused_or_changes_nothing(
    store: SqliteStore, sitting: Sitting, target: Path, tmp_path: Path
) -> None:
    backup(store.folder, target)
    whole, held = target.read_bytes(), rows(target)
    harmed = tmp_path / "harmed"
    refused = 0
    for place in range(0, len(whole), 331):
        harmed.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        try:
            check(harmed)
        except StoreError:
            refused += 1
        else:
            assert rows(harmed) == held, place  # the bit was of no meaning: free space
    assert refused > 20


def rows(file: Path) -> list[object]:
    with closing(sqlite3.connect(file)) as connection:
        return [list(connection.execute(f"SELECT * FROM {table}")) for table in TABLES]
