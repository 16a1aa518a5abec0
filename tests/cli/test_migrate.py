"""`glasnost migrate`, and the other commands on a store in PostgreSQL."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from api.store.accounts import appoint
from api.store.backup import Difference, differences
from api.store.postgres import PostgresStore
from api.store.sqlite import SqliteStore
from tests.api.store.older import TO_SCHEMA_1
from tests.cli.program import ROOT, Program, process
from tests.waiting import PATIENCE, soon


@pytest.fixture
def store(glasnost: Program) -> Path:
    """An embedded store with two matches."""
    for seed in ("1", "2"):
        glasnost("play", "thirteen_minutes", "--seed", seed, "--store", "s").ok()
    return Path("s")


def test_a_store_goes_into_a_database_and_back(glasnost: Program, store: Path, database: str) -> None:
    there = glasnost("migrate", "--from", store, "--to", database, "--to-keys", "k", "--json").json
    assert (there["ok"], there["matches"], there["wrong"]) == (True, 2, [])
    back = glasnost("migrate", "--from", database, "--from-keys", "k", "--to", "sqlite:again")
    assert back.ok().out.startswith(f"migrated: 2 matches, {there['moves']} moves; every match verifies")
    Path("trust").write_text(glasnost("keys", "--store", store).ok().out)
    verifying = ("verify", "--trust", "trust", "--store")
    shown = {glasnost(*verifying, place).ok().out for place in (store, database, "again")}
    assert len(shown) == 1
    signers = {glasnost("keys", "--store", place).ok().out for place in (store, "again")}
    assert len(signers) == 1


def test_the_target_of_a_migration_is_empty(glasnost: Program, store: Path, database: str) -> None:
    glasnost("play", "thirteen_minutes", "--seed", "3", "--store", "full").ok()
    glasnost("migrate", "--from", store, "--to", "full").refused(2, "not empty", "name a new one")
    glasnost("migrate", "--from", store, "--to", store).refused(2, "the same store")
    glasnost("migrate", "--from", database, "--to", "new").refused(2, "GLASNOST_KEYS")
    glasnost("migrate", "--from", "nothing", "--to", "redis://h").refused(
        2, "no store that this version knows"
    )


def test_a_source_that_is_not_there_is_refused_and_not_made(glasnost: Program) -> None:
    glasnost("migrate", "--from", "mistyped", "--to", "new").refused(2, "there is no store", "mistyped")
    assert not any(Path(name).exists() for name in ("mistyped", "mistyped.keys", "new", "new.keys"))


def test_a_database_without_a_store_is_refused_and_none_is_made(
    glasnost: Program, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GLASNOST_KEYS", "k")
    for command in (["migrate", "--from", database, "--to", "new"], ["admin-token", "--store", database]):
        glasnost(*command).refused(2, "there is no store in this database")
    with psycopg.connect(database) as connection:
        assert connection.execute("SELECT to_regclass('glasnost.meta')").fetchone() == (None,)
    assert not any(Path(name).exists() for name in ("k", "new", "new.keys"))


def test_a_store_in_use_is_not_migrated(glasnost: Program, store: Path, database: str) -> None:
    held = SqliteStore.open(store)
    try:
        glasnost("migrate", "--from", store, "--to", database).refused(2, "has held the store")
    finally:
        held.close()


def test_an_interrupted_migration_leaves_nothing_and_says_so(
    glasnost: Program, store: Path, database: str
) -> None:
    slow = (
        "import signal, sys, time\n"
        "import api.store.backup as copying\n"
        "from api.cli.main import run\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a background job ignores it
        "def pages(store, table, real=copying._pages):\n"
        "    for page in real(store, table):\n"
        "        yield page\n"
        "        print('copied', flush=True)\n"
        "        time.sleep(600)\n"
        "copying._pages = pages\n"
        "sys.exit(run(['migrate', '--from', sys.argv[1], '--to', sys.argv[2], '--to-keys', 'k']))\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", slow, str(store), database],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "copied\n"
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "nothing was written to the target: the command can be run again" in said
    glasnost("migrate", "--from", store, "--to", database, "--to-keys", "k").ok()


def test_the_commands_work_on_a_database(
    glasnost: Program, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GLASNOST_KEYS", "k")
    shown = glasnost("play", "thirteen_minutes", "--seed", "1", "--store", database, "--json").json
    again = glasnost("play", "thirteen_minutes", "--seed", "1", "--store", database).ok()
    assert "had this match already" in again.out
    assert shown["match"] in glasnost("verify", "--store", database).ok().out
    assert glasnost("keys", "--store", database).ok().out.startswith("glasnost.local+")
    glasnost("export", shown["match"], "--store", database).ok()
    assert Path(f"{shown['match']}.glasnost").exists()
    assert glasnost("admin-token", "--store", database, "--json").json["role"] == "admin"
    glasnost("backup", "--store", database, "b").refused(2, "pg_basebackup", "migrate")
    glasnost("restore", "--store", database, "b").refused(2, "pg_basebackup")


def test_a_password_is_never_printed(
    glasnost: Program, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GLASNOST_KEYS", "k")
    wrong = database.replace(f":{conninfo_to_dict(database)['password']}@", ":open-sesame@")
    for command in (["verify"], ["keys", "--rotate"], ["admin-token"], ["export", "--all"]):
        told = glasnost(*command, "--store", wrong).refused(2, "password authentication failed")
        assert "open-sesame" not in told.err + told.out


def is_ready(address: str) -> bool:
    """Does the server at this address say so?"""
    try:
        with urllib.request.urlopen(f"{address}/readyz") as answer:
            return bool(answer.status == 200)
    except urllib.error.HTTPError as error:
        error.close()
        return False


def test_the_environment_chooses_the_store_that_is_served(glasnost: Program, database: str) -> None:
    keys = str(Path("k").absolute())
    command = ("serve", "--port", "0", "--empty")
    with process(*command, GLASNOST_STORE=database, GLASNOST_KEYS=keys) as served:
        assert served.stdout is not None
        line = served.stdout.readline()
        assert line.startswith("listening on http://127.0.0.1:")
        soon(is_ready, line.split()[-1])
        served.send_signal(signal.SIGINT)
        out, err = served.communicate(timeout=PATIENCE)
    assert (served.returncode, out, err) == (0, "", "")


def test_a_server_without_its_database_says_so_and_shows_no_password(
    glasnost: Program, database: str
) -> None:
    wrong = database.replace(f":{conninfo_to_dict(database)['password']}@", ":open-sesame@")
    with process("serve", "--port", "0", GLASNOST_STORE=wrong, GLASNOST_KEYS="k") as served:
        out, err = served.communicate(timeout=PATIENCE)
    assert (served.returncode, out, err.count("\n")) == (2, "", 1)
    assert "password authentication failed" in err
    assert "open-sesame" not in err


def test_an_unused_invitation_is_valid_in_the_new_store(
    glasnost: Program, store: Path, database: str
) -> None:
    held = SqliteStore.open(store)
    try:
        token = glasnost("admin-token", "--store", store, "--json").json["token"]
    finally:
        held.close()
    moved = glasnost("migrate", "--from", store, "--to", database, "--to-keys", "k")
    assert moved.ok().out.endswith("invitations of administrators that were copied: 1\n")
    there = PostgresStore.open(database, keys=Path("k"))
    try:
        person = there.people.by_token(token)
        assert person is not None
        assert (person.role, list((Path("k") / "appointments").iterdir())) == ("admin", [])
    finally:
        there.close()
    again = glasnost("migrate", "--from", database, "--from-keys", "k", "--to", "again", "--json").json
    assert (again["ok"], again["letters"]) == (True, 0)


def test_a_failed_migration_copies_no_invitation(glasnost: Program, store: Path) -> None:
    glasnost("play", "thirteen_minutes", "--seed", "3", "--store", "full").ok()
    appoint(store.with_name("s.keys"), "Ada")
    glasnost("migrate", "--from", store, "--to", "full").refused(2, "not empty")
    assert not Path("full.keys/appointments").exists()


def spoil(store: Path, *statements: str) -> None:
    """Change something behind the store's back."""
    with sqlite3.connect(store / "glasnost.db") as database:
        for statement in ("DROP TRIGGER stored_events_last", *statements):
            database.execute(statement)
    database.close()


@pytest.mark.parametrize(
    ("lost", "reason"),
    [
        ("id = 1", "moves of match seed-487b2eca2a817798d588a37d are missing"),
        ("originator_id = 'seed-487b2eca2a817798d588a37d'", "the last one is number"),
        ("originator_id <> 'seed-487b2eca2a817798d588a37d'", "all moves of match"),
    ],
)
def test_a_store_that_lacks_moves_is_found_out_and_not_copied(
    glasnost: Program, store: Path, lost: str, reason: str
) -> None:
    spoil(store, f"DELETE FROM stored_events WHERE {lost}")
    glasnost("migrate", "--from", store, "--to", "new").refused(1, "--from is damaged", reason, "backup")
    assert not Path("new").exists()
    assert not Path("new.keys").exists()
    told = glasnost("verify", "--store", store)
    assert told.code == 1
    assert told.out.startswith("wrong: log: ")
    assert reason in told.out.splitlines()[0]


def test_a_secret_that_does_not_open_is_found_where_the_keys_are_at_hand(
    glasnost: Program, store: Path
) -> None:
    with sqlite3.connect(store / "glasnost.db") as database:
        database.execute("UPDATE vault SET wrapped = zeroblob(60) WHERE match LIKE 'seed-48%'")
    database.close()
    told = glasnost("verify", "--store", store)
    assert told.code == 1
    assert "wrong: chance: the secret of match seed-487b2eca2a817798d588a37d does not open" in told.out
    assert told.out.count("ok: ") == 1
    store.with_name("s.keys").rename("elsewhere")
    assert glasnost("verify", "--store", store).ok().out.count("ok: ") == 2


def test_what_is_written_to_the_source_meanwhile_is_found_out(
    glasnost: Program, store: Path, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    glasnost("migrate", "--from", store, "--to", database, "--to-keys", "k").ok()

    def compared(*given: Any) -> Iterator[Difference]:
        yield from differences(*given)
        with closing(PostgresStore.open(database, keys=Path("k"))) as worker:
            worker.people.add("Ann", "player")

    monkeypatch.setattr("api.store.backup.differences", compared)
    told = glasnost("migrate", "--from", database, "--from-keys", "k", "--to", "again")
    told.refused(1, "--from was written to meanwhile: stop the server")


def test_no_key_is_laid_into_the_new_store(glasnost: Program, store: Path) -> None:
    glasnost("migrate", "--from", store, "--to", "new", "--to-keys", "new/keys").refused(
        2, "outside the store"
    )
    assert not Path("new").exists()


def test_a_store_of_an_older_version_is_migrated_first(glasnost: Program, store: Path) -> None:
    with sqlite3.connect(store / "glasnost.db") as database:
        for statement in TO_SCHEMA_1:
            database.execute(statement)
    database.close()
    assert glasnost("migrate", "--from", store, "--to", "new").ok().out.startswith("migrated: 2 matches")


def test_a_killed_migration_leaves_an_empty_target(glasnost: Program, store: Path, database: str) -> None:
    killed = (
        "import os, signal, sys\n"
        "import api.store.backup as copying\n"
        "from api.cli.main import run\n"
        "def insert(*given, real=copying._insert):\n"
        "    real(*given)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "copying._insert = insert\n"
        "run(['migrate', '--from', sys.argv[1], '--to', sys.argv[2], '--to-keys', sys.argv[3]])\n"
    )
    for target, keys in ((database, "k"), ("new", "new.keys")):
        ended = subprocess.run(
            [sys.executable, "-c", killed, str(store), target, keys],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
        )
        assert ended.returncode == -signal.SIGKILL, ended
        glasnost("migrate", "--from", store, "--to", target, "--to-keys", keys).ok()
