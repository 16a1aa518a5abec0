"""A store goes back to a point in time, by the lines that ops/README.md shows, with a real server."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from api.store.postgres import PostgresStore
from domain.game import Game
from replay.verify import verify_records
from tests.api.store.appends import appends, store_each, stored
from tests.docs.documents import read
from tests.matches import finished
from tests.services import OwnPostgres, own_postgres
from tests.waiting import soon

KEPT, LOST = 4, 4  # moves before the moment, and after it


def lines(first: str) -> list[str]:
    """The block of the document that begins so."""
    (block,) = [block for block in read("ops/README.md").blocks if block.text.startswith(first)]
    return block.text.splitlines()


def shown(first: str) -> list[str]:
    """The lines of PostgreSQL's configuration that the document shows, as the server is given them."""
    return [re.sub(r" = '?(.*?)'?$", r"=\1", line) for line in lines(first)]


def base_backup(programs: Path, folder: Path) -> list[str]:
    """The command that the document shows, with this folder in the place of its own."""
    (line,) = lines("pg_basebackup ")
    program, *options = line.split()
    return [str(programs / program), *(str(folder) if word == "base" else word for word in options)]


def ask(url: str, statement: str) -> str:
    """The one word that a statement gives."""
    with psycopg.connect(url, autocommit=True) as connection:
        row = connection.execute(statement.encode()).fetchone()
        assert row is not None
        return str(row[0])


@contextmanager
def restored(server: OwnPostgres, base: Path, moment: str) -> Iterator[OwnPostgres]:
    """A server over the base backup and the archive, as it was at this moment."""
    user = server.user
    subprocess.run(["cp", "-r", str(server.folder / "archive"), str(base)], user=user, check=True, cwd="/")
    subprocess.run(["touch", str(base / "data" / "recovery.signal")], user=user, check=True, cwd="/")
    given = [line for line in shown("restore_command") if not line.startswith("recovery_target_time")]
    again = OwnPostgres(server.programs, base, [*given, f"recovery_target_time={moment}"])
    try:
        soon(lambda: ask(again.url, "SELECT pg_is_in_recovery()") == "False")
        yield again
    finally:
        again.end()


def test_a_store_is_restored_to_a_moment_proved_and_goes_on(tmp_path: Path, toy_game: Game) -> None:
    commands, keys = appends(finished(toy_game)), tmp_path / "keys"
    with (
        own_postgres(*shown("wal_level")) as server,
        tempfile.TemporaryDirectory(prefix="glasnost-tests-", ignore_cleanup_errors=True) as name,
    ):
        base = Path(name)
        if server.user:
            shutil.chown(base, server.user)
        store = PostgresStore.open(server.url, keys=keys)
        command = [*base_backup(server.programs, base / "data"), "-d", server.url, "--no-sync"]
        subprocess.run(command, user=server.user, check=True, cwd="/", stderr=subprocess.DEVNULL)
        store_each(store, commands[:KEPT])
        moment = ask(server.url, "SELECT clock_timestamp()")
        store_each(store, commands[KEPT : KEPT + LOST])
        store.close()
        last = ask(server.url, "SELECT pg_walfile_name(pg_switch_wal())")
        archived = "SELECT coalesce(last_archived_wal, '') FROM pg_stat_archiver"
        soon(lambda: ask(server.url, archived) >= last)
        with restored(server, base, moment) as again:
            store = PostgresStore.open(again.url, keys=keys)
            match = store.match("m1")
            assert match is not None
            assert match.move == KEPT
            assert verify_records(match.records, secret=store.secret("m1")).ok
            signed_before = store.keys.present
            store.keys.rotate(now=1)
            store.close()
            store = PostgresStore.open(again.url, keys=keys)
            assert (store.keys.retired, store.keys.present == signed_before) == ((signed_before,), False)
            store.submit(commands[KEPT]).result()
            assert len(stored(store, "m1")) == KEPT + 1
            store.close()
