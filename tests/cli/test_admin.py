"""`glasnost admin-token`, `keys`, `backup`, `restore` and `export`: what is done to a store."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import psycopg
import pyarrow.parquet as parquet
import pytest

from api.store.sqlite import SqliteStore
from domain.signed_notes import VerifyingKey
from replay import matchfile
from replay.verify import verify
from tests.api.store.older import DATABASE_TO_SCHEMA_1, TO_SCHEMA_1
from tests.cli.program import Program


@pytest.fixture
def empty(glasnost: Program) -> Path:
    """A store without a match."""
    SqliteStore.open(Path("s")).close()
    return Path("s")


@pytest.fixture
def store(glasnost: Program) -> Path:
    """A store with one finished match of each game."""
    for game in ("thirteen_minutes", "cia_vs_kgb"):
        glasnost("play", game, "--seed", "1", "--store", "s").ok()
    return Path("s")


@pytest.mark.parametrize("command", [["admin-token"], ["keys"], ["keys", "--rotate"]])
def test_a_store_whose_name_is_mistyped_is_refused_and_not_made(
    glasnost: Program, command: list[str]
) -> None:
    glasnost(*command, "--store", "mistyped").refused(2, "there is no store", "mistyped")
    assert not list(Path().iterdir())


def test_an_admin_token_is_printed_once_and_works(glasnost: Program, empty: Path) -> None:
    done = glasnost("admin-token", "--store", "s", "--name", "Ada")
    assert done.code == 0
    token = done.out.strip()
    with_store = SqliteStore.open(Path("s"))
    try:
        person = with_store.people.by_token(token)
    finally:
        with_store.close()
    assert person is not None
    assert (person.name, person.role) == ("Ada", "admin")
    assert token not in done.err
    assert glasnost("admin-token", "--store", "s", "--json").json["role"] == "admin"


def test_while_a_server_runs_the_token_works_there(glasnost: Program, empty: Path) -> None:
    held = SqliteStore.open(Path("s"))
    try:
        token = glasnost("admin-token", "--store", "s").out.strip()
        person = held.people.by_token(token)
    finally:
        held.close()
    assert person is not None
    assert person.role == "admin"


def test_no_token_is_made_that_the_server_would_not_know(glasnost: Program, empty: Path) -> None:
    SqliteStore.open(Path("other")).close()
    held = SqliteStore.open(Path("s"), keys=Path("s.keys").rename("elsewhere"))
    try:
        glasnost("admin-token", "--store", "s").refused(2, "s.keys", "name it with GLASNOST_KEYS")
        Path("other.keys").rename("s.keys")
        glasnost("admin-token", "--store", "s").refused(2, "those of another store", "GLASNOST_KEYS")
    finally:
        held.close()
    assert not Path("s.keys/appointments").exists()


@pytest.mark.parametrize("name", ["", "a\nb", "x" * 65])
def test_an_administrator_needs_a_name(glasnost: Program, name: str) -> None:
    glasnost("admin-token", "--store", "s", "--name", name).refused(2, "--name")


def test_keys_are_a_trust_file_and_rotate(glasnost: Program, store: Path) -> None:
    first = glasnost("keys", "--store", store).ok().out
    glasnost("export", "--all", "--store", store, "--out", "out").ok()
    files = sorted(Path("out").iterdir())
    both = glasnost("keys", "--store", store, "--rotate").ok().out
    assert both.splitlines()[1:] == first.splitlines()
    assert VerifyingKey.parse(both.splitlines()[0]).text not in first
    Path("trust").write_text(both)
    assert "not checked" not in glasnost("verify", *files, "--trust", "trust").ok().out
    shown = glasnost("keys", "--store", store, "--json").json
    assert [shown["present"], *shown["retired"]] == both.splitlines()
    assert len(shown["rotations"]) == 1


def test_a_backup_restores_to_the_same_matches(glasnost: Program, store: Path) -> None:
    shown = glasnost("backup", "--store", store, "b", "--json").json
    assert shown["matches"] == 2
    assert glasnost("restore", "--store", "again", "b", "--json").json["moves"] == shown["moves"]
    said = glasnost("verify", "--store", store).ok().out
    assert "not checked" in glasnost("verify", "--store", "again").ok().out
    shutil.copytree("s.keys", "again.keys")
    assert glasnost("verify", "--store", "again").ok().out == said


def test_a_file_name_that_is_not_text_is_printed_with_marks(glasnost: Program, store: Path) -> None:
    assert glasnost("backup", "--store", store, "b\udcff", "--json").json["file"] == "b\ufffd"
    assert glasnost("restore", "--store", "r\udcff", "b\udcff", "--json").json["store"] == "r\ufffd"
    files = glasnost("export", "--all", "--store", store, "--out", "o\udcff", "--json").json["files"]
    assert all(name.startswith("o\ufffd/") for name in files)
    assert glasnost("migrate", "--from", store, "--to", "n\udcff", "--json").json["ok"]


def test_a_backup_is_made_while_the_store_is_in_use(glasnost: Program, store: Path) -> None:
    held = SqliteStore.open(store)
    try:
        glasnost("backup", "--store", store, "--out", "b").ok()
    finally:
        held.close()
    assert Path("b").exists()


def test_a_backup_without_a_name_gets_one(glasnost: Program, store: Path) -> None:
    glasnost("backup", "--store", store).ok()
    assert [path.suffix for path in Path().iterdir() if path.name.startswith("s-")] == [".backup"]


def test_what_cannot_be_backed_up_or_restored_is_refused(glasnost: Program, store: Path) -> None:
    glasnost("backup", "--store", "none", "b").refused(2, "none")
    glasnost("backup", "--store", store, "b", "--out", "c").refused(2, "once")
    glasnost("backup", "--store", store, "b").ok()
    glasnost("backup", "--store", store, "b").refused(2, "exists")
    glasnost("backup", "--store", store, "nowhere/b").refused(2, "nowhere")
    glasnost("restore", "--store", store, "b").refused(2, "not empty")
    glasnost("restore", "--store", "new", "none").refused(2, "none")
    Path("text").write_text("no backup")
    glasnost("restore", "--store", "new", "text").refused(2, "text")
    assert not Path("new").exists()


@pytest.mark.parametrize("name", ["", ".", "/"])
def test_a_backup_has_a_name(glasnost: Program, store: Path, name: str) -> None:
    glasnost("backup", "--store", store, name).refused(2, "is a directory: name the file")


def of_an_older_version(store: Path) -> None:
    """Make it what the version before this one left behind."""
    with sqlite3.connect(store / "glasnost.db") as database:
        for statement in TO_SCHEMA_1:
            database.execute(statement)
    database.close()


@pytest.mark.parametrize("command", [["admin-token"], ["keys", "--rotate"], ["backup"]])
def test_what_is_done_to_a_store_is_done_to_one_of_an_older_version(
    glasnost: Program, store: Path, command: list[str]
) -> None:
    of_an_older_version(store)
    assert glasnost(*command, "--store", store).code == 0


def test_a_match_is_exported_as_its_file(glasnost: Program, store: Path) -> None:
    names = [line.partition("[")[2][:-1] for line in glasnost("verify", "--store", store).out.splitlines()]
    done = glasnost("export", names[0], "--store", store, "--out", "out").ok()
    path = Path("out") / f"{names[0]}.glasnost"
    assert done.out == f"{path}: {matchfile.read(path).manifest.moves} moves\n"
    assert verify(path).ok
    glasnost("export", names[0], "--store", store, "--out", "again").ok()
    assert path.read_bytes() == (Path("again") / path.name).read_bytes()


def test_tables_are_exported_as_ndjson_and_parquet(glasnost: Program, store: Path) -> None:
    lines = glasnost("export", "--all", "--store", store, "--format", "ndjson", "--out", "n", "--json").json
    table = glasnost("export", "--all", "--store", store, "--format", "parquet", "--out", "p", "--json").json
    assert (lines["matches"], table["matches"]) == (2, 2)
    for name in ("moves", "facts", "draws", "options"):
        rows = lines["files"][f"n/{name}.ndjson"]
        assert rows == table["files"][f"p/{name}.parquet"] > 0
        assert parquet.read_table(f"p/{name}.parquet").num_rows == rows
        written = [json.loads(line) for line in Path(f"n/{name}.ndjson").read_text("utf-8").splitlines()]
        assert len(written) == rows


def test_a_running_match_is_exported_without_its_private_parts(glasnost: Program) -> None:
    import asyncio

    from api.gate import Gate

    async def opened(store: SqliteStore) -> str:
        gate = Gate(store, store.keys, lambda: 1, "0")
        match = (await gate.open("p1", "cia_vs_kgb", None, {})).cached.match.id
        await gate.sit(match, "cia", "p1")
        await gate.sit(match, "kgb", "p2")
        await gate.close()
        return match

    held = SqliteStore.open(Path("s"))
    try:
        match = asyncio.run(opened(held))
        glasnost("export", match, "--store", "s").ok()
    finally:
        held.close()
    assert "private.ndjson" not in matchfile.read(Path(f"{match}.glasnost")).parts
    assert "running" in glasnost("verify", f"{match}.glasnost").ok().out
    glasnost("replay", f"{match}.glasnost", "--view", "cia").refused(2, "private parts are not in this log")
    assert glasnost("replay", f"{match}.glasnost", "--json").json["viewer"] == "spectator"


def test_a_harmful_match_id_does_not_name_the_file() -> None:
    from api.cli.export import _file_name

    assert _file_name("m7ct2-a_b") == "m7ct2-a_b"
    for name in ("../../etc/passwd", "", ".", "a/b", "-rf", "x" * 200, "a\nb"):
        assert _file_name(name).startswith("match-")


def test_what_cannot_be_exported_is_refused(glasnost: Program, store: Path) -> None:
    glasnost("export", "nonsense", "--store", store).refused(2, "no match 'nonsense'")
    glasnost("export", "--all", "--store", "none").refused(2, "none")
    glasnost("export", "--all", "--store", store, "--format", "csv").refused(2, "csv", "parquet")
    Path("file").write_text("")
    glasnost("export", "--all", "--store", store, "--out", "file").refused(2, "file")
    glasnost("export", "--all", "--store", store, "--out", "file/below").refused(2, "file/below")


def test_a_store_of_a_newer_version_is_refused(glasnost: Program, store: Path) -> None:
    with sqlite3.connect(store / "glasnost.db") as database:
        database.execute("PRAGMA user_version = 9999")
    database.close()
    for command in (("verify",), ("export", "--all"), ("admin-token",), ("play", "cia_vs_kgb"), ("backup",)):
        glasnost(*command, "--store", store).refused(2, "9999", "later one")


def test_a_shared_store_of_an_older_version_is_migrated_by_whatever_writes(
    glasnost: Program, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GLASNOST_KEYS", "k")
    glasnost("play", "thirteen_minutes", "--seed", "1", "--store", database).ok()
    for command in (
        ["admin-token", "--store", database],
        ["keys", "--rotate", "--store", database],
        ["migrate", "--from", database, "--to", "n", "--to-keys", "k"],
    ):
        with psycopg.connect(database) as connection:
            connection.execute(b"SET search_path = glasnost")
            for statement in DATABASE_TO_SCHEMA_1:
                connection.execute(statement.encode())
        assert glasnost(*command).code == 0, command
