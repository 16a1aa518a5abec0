"""The store's file: its tables, and files of other schemas and other programs."""

from __future__ import annotations

import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from api.store.interface import StoreError
from api.store.sqlite import SqliteStore
from api.store.sqlite_schema import (
    APPLICATION,
    FILE,
    SCHEMA,
    Schema,
    connect_for_reading,
    connect_for_writing,
    is_new,
    must_be_current,
    must_be_known,
)

OLD = (  # a synthetic schema 0: people had no roles
    "CREATE TABLE people (id TEXT PRIMARY KEY, name TEXT) STRICT",
    "INSERT INTO people VALUES ('p1', 'Ann'), ('p2', 'Boris')",
    f"PRAGMA application_id = {APPLICATION}",
)
NEXT = Schema(1, (), {0: ("ALTER TABLE people ADD COLUMN role TEXT NOT NULL DEFAULT 'player'",)})
BROKEN = Schema(1, (), {0: ("ALTER TABLE people ADD COLUMN role TEXT", "ALTER TABLE nobody RENAME TO x")})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / FILE


@pytest.fixture
def old(file: Path) -> Path:
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        for statement in OLD:
            connection.execute(statement)
    return file


def people(file: Path) -> list[tuple[str, ...]]:
    with closing(connect_for_reading(file)) as connection:
        return connection.execute("SELECT * FROM people").fetchall()


def test_a_new_file_is_durable_and_private(file: Path) -> None:
    assert is_new(file)
    with closing(connect_for_writing(file)) as connection:
        asked = ("journal_mode", "synchronous", "user_version", "secure_delete")
        assert [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in asked] == [
            "wal",
            2,
            SCHEMA.version,
            1,
        ]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert not is_new(file)
    must_be_current(file)


def test_a_reading_connection_can_change_nothing(file: Path) -> None:
    connect_for_writing(file).close()
    with closing(connect_for_reading(file)) as connection, pytest.raises(sqlite3.OperationalError):
        connection.execute("DELETE FROM people")


def test_a_file_on_a_read_only_file_system_is_read_without_files_beside_it(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect_for_writing(file).close()
    monkeypatch.setattr("api.store.sqlite_schema._is_read_only", lambda folder: True)
    with closing(connect_for_reading(file)) as connection:
        assert connection.execute("SELECT count(*) FROM stored_events").fetchone() == (0,)
        assert list(file.parent.iterdir()) == [file]
    file.with_name(f"{FILE}-wal").touch()
    file.write_bytes(b"no database")
    with pytest.raises(StoreError, match="copy its whole folder to where it can be written"):
        must_be_known(file)


def test_a_newer_schema_is_refused_and_left_alone(file: Path) -> None:
    with closing(connect_for_writing(file)) as connection:
        connection.execute(f"PRAGMA user_version = {SCHEMA.version + 1}")
    before = file.read_bytes()
    with pytest.raises(
        StoreError,
        match=f"schema {SCHEMA.version + 1}, this version of Glasnost knows up to {SCHEMA.version}",
    ):
        connect_for_writing(file)
    with pytest.raises(StoreError, match=f"schema {SCHEMA.version + 1}"):
        must_be_current(file)
    with pytest.raises(StoreError, match=f"schema {SCHEMA.version + 1}"):
        SqliteStore.open(file.parent)
    assert file.read_bytes() == before


def test_an_older_schema_is_migrated_after_a_copy(old: Path) -> None:
    with closing(connect_for_writing(old, NEXT)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
    assert people(old) == [("p1", "Ann", "player"), ("p2", "Boris", "player")]
    copy = old.with_name(f"{FILE}.schema-0")
    assert people(copy) == [("p1", "Ann"), ("p2", "Boris")]
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600


def test_an_earlier_copy_is_never_overwritten(old: Path) -> None:
    earlier = old.with_name(f"{FILE}.schema-0")
    earlier.write_bytes(b"earlier")
    connect_for_writing(old, NEXT).close()
    assert earlier.read_bytes() == b"earlier"
    assert people(old.with_name(f"{FILE}.schema-0-1")) == [("p1", "Ann"), ("p2", "Boris")]


def test_a_failed_migration_changes_nothing_and_names_the_copy(old: Path) -> None:
    with pytest.raises(StoreError, match=f"{FILE}.schema-0 is a copy"):
        connect_for_writing(old, BROKEN)
    assert people(old) == [("p1", "Ann"), ("p2", "Boris")]
    connect_for_writing(old, NEXT).close()
    assert people(old)[0] == ("p1", "Ann", "player")


def test_a_schema_from_which_no_way_leads_is_refused(old: Path) -> None:
    with pytest.raises(StoreError, match="no way leads from it"):
        connect_for_writing(old)


def test_reading_migrates_nothing(old: Path) -> None:
    with pytest.raises(StoreError, match="serve the store once to migrate it"):
        must_be_current(old, NEXT)
    assert people(old) == [("p1", "Ann"), ("p2", "Boris")]


@pytest.mark.parametrize("open_it", [connect_for_writing, must_be_current, is_new])
def test_a_file_that_is_no_database_is_refused(file: Path, open_it: Callable[[Path], object]) -> None:
    file.write_bytes(b"dear diary " * 100)
    with pytest.raises(StoreError, match="cannot be read as a store"):
        open_it(file)
    assert file.read_bytes() == b"dear diary " * 100


@pytest.mark.parametrize("open_it", [connect_for_writing, connect_for_reading, is_new])
def test_a_folder_in_the_place_of_the_file_is_refused(file: Path, open_it: Callable[[Path], object]) -> None:
    file.mkdir()
    with pytest.raises(StoreError, match="cannot be"):
        open_it(file)


def test_a_database_of_another_program_is_refused_and_left_alone(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE recipes (name TEXT)")
    before = file.read_bytes()
    with pytest.raises(StoreError, match="another program"):
        connect_for_writing(file)
    assert file.read_bytes() == before


def test_a_store_that_is_not_there_is_said_to_be_missing(file: Path) -> None:
    with pytest.raises(StoreError, match="there is no store"):
        must_be_current(file)
    with pytest.raises(StoreError, match="there is no store"):
        SqliteStore.open(file.parent / "nowhere", write=False)
    assert list(file.parent.iterdir()) == []


@pytest.mark.parametrize("version", [3, 5, 1, 2])
def test_the_table_itself_refuses_a_gap_and_a_repeat(file: Path, version: int) -> None:
    columns = "(originator_id, originator_version, topic, state, kind)"
    insert = f"INSERT INTO stored_events {columns} VALUES ('m', ?, 't', x'', 'played')"
    with closing(connect_for_writing(file)) as connection:
        for stored in (1, 2, 3):
            connection.execute(insert, (stored,))
        with pytest.raises(sqlite3.IntegrityError):
            connection.execute(insert, (version,))
        with pytest.raises(sqlite3.IntegrityError):
            connection.execute(insert.replace("INSERT", "INSERT OR REPLACE"), (version,))


@pytest.mark.parametrize("statement", ["UPDATE stored_events SET state = x'00'", "DELETE FROM stored_events"])
def test_a_stored_move_is_never_changed_nor_deleted(file: Path, statement: str) -> None:
    with closing(connect_for_writing(file)) as connection:
        connection.execute("INSERT INTO stored_events VALUES (1, 'm', 1, 't', x'01', 'played')")
        with pytest.raises(sqlite3.IntegrityError, match="never"):
            connection.execute(statement)
