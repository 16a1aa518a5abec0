"""Stores and match files as the version of November 2026 left them: they verify, and their matches go on.

`tests/stored/store_of_schema_3.tar.gz` holds a directory with its keys and a match file of each game,
`database_of_schema_4.sql.gz` the same store in PostgreSQL.  Ann and Boris play two matches of each game
there; Boris has given up one of them.
"""

from __future__ import annotations

import gzip
import sqlite3
import tarfile
import time
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from replay.transparency.watch import Memory, Watcher
from tests.api.http.served import Client
from tests.cli.program import Program
from tests.contract.program import serving
from tests.waiting import soon

STORED = Path(__file__).parents[1] / "stored"
ANN, BORIS = "jmNg9jw4bDBOgtPsVloYVfy7Cl8nzAFyt5zIQmEBwCs", "FzVZc29IqPsASblTP8aRhxZAjUyELBMJTpOcRA4EaXU"
GAMES = ["cia_vs_kgb", "imperial_struggle", "thirteen_minutes", "twilight_struggle"]


@pytest.fixture
def before(tmp_path: Path) -> Path:
    """A folder with what that version left."""
    with tarfile.open(STORED / "store_of_schema_3.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path


@pytest.fixture
def old_database(database: str) -> str:
    """A database as that version left it."""
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(gzip.decompress((STORED / "database_of_schema_4.sql.gz").read_bytes()))
    return database


def goes_on(folder: Path, store: str) -> None:
    """Each match that runs takes an answer, a match that is over shows its end; the log gets all of them."""
    with (
        serving(folder, store, GLASNOST_KEYS=str(folder / "store.keys")) as port,
        closing(Client(port, ANN)) as ann,
        closing(Client(port, BORIS)) as boris,
    ):
        for status, number in (("running", 4), ("over", 4), ("open", 1)):
            matches = ann.get(f"/v1/matches?status={status}").json["matches"]
            assert len(matches) == number, matches
            for match in matches:
                path = f"/v1/matches/{match['match']}"
                if status == "over":
                    assert ann.get(f"{path}/file").status == 200
                if status == "running":
                    asked = [player for player in (ann, boris) if player.get(f"{path}/prompt").status == 200]
                    question = asked[0].get(f"{path}/prompt").json
                    picks = [option["pick"] for option in question["options"]][: max(question["least"], 1)]
                    answer = asked[0].post(f"{path}/moves", {"expect": question["move"], "picks": picks})
                    assert (answer.status, answer.json["move"] > question["move"]) == (201, True), answer
        soon(lambda: ann.get("/log/checkpoint").body.split(b"\n")[1:2] == [b"13"])
        log_holds_the_past(port)


def log_holds_the_past(port: int) -> None:
    """The server's log has nine openings and four ends, and a new watcher finds nothing wrong."""
    watcher = Watcher(f"http://127.0.0.1:{port}", "", Memory(), lambda: time.time_ns() // 1_000)
    watcher.trust([watcher.offered()])
    seen = watcher.look()
    assert (seen.size, seen.matches, seen.wrong) == (13, 9, ())
    assert sum(count for _, count, _ in seen.unclosed) == 5


def test_match_files_of_before_verify(glasnost: Program, before: Path) -> None:
    for game in GAMES:
        assert "over: " in glasnost("verify", before / f"{game}.glasnost").ok().out


def test_what_only_reads_an_older_store_says_how_to_migrate_it(glasnost: Program, before: Path) -> None:
    assert "serve the store once to migrate it" in glasnost("verify", "--store", "store").err


def test_a_directory_of_before_verifies_and_goes_on(glasnost: Program, before: Path) -> None:
    goes_on(before, "store")
    assert glasnost("verify", "--store", "store").ok().out.count("ok: ") == 9


def test_the_copy_beside_a_migrated_store_is_the_store_of_before(glasnost: Program, before: Path) -> None:
    """docs/operations.md, going back one version: the copy is put in the place of the database."""
    database, copy = before / "store" / "glasnost.db", before / "store" / "glasnost.db.schema-3"
    was = dump(database)
    assert glasnost("admin-token", "--store", "store").code == 0
    assert dump(database) != was
    assert dump(copy) == was
    for file in database.parent.glob("glasnost.db-*"):
        file.unlink()
    copy.replace(database)
    assert "serve the store once to migrate it" in glasnost("verify", "--store", "store").err
    assert glasnost("admin-token", "--store", "store").code == 0
    assert dump(copy) == was, "the next upgrade makes the same copy again"


def dump(database: Path) -> str:
    """All that a database holds, with its schema."""
    with closing(sqlite3.connect(database)) as connection:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        return "\n".join([str(version), *connection.iterdump()])


def test_a_database_of_before_verifies_and_goes_on(
    glasnost: Program, before: Path, old_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GLASNOST_KEYS", str(before / "store.keys"))
    goes_on(before, old_database)
    assert glasnost("verify", "--store", old_database).ok().out.count("ok: ") == 9
