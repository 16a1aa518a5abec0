"""Backups that are made while matches are played, restored, proved, and played on."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.api.store.locations import ROOT, Database, Folder, Place
from tests.faults.load import Crowd
from tests.faults.proofs import holds, proved
from tests.faults.workers import Workers, working
from tests.services import OwnPostgres, own_postgres

SAMPLE, FULL = 1, 10  # backups of each kind
BETWEEN = 20  # moves between two of them, and beside each, at least


def beside(crowd: Crowd, command: list[str], user: str | None = None) -> None:
    """Carry out a command while more moves are played."""
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, user=user, cwd="/") as running:
        crowd.play_on(BETWEEN)
        _, told = running.communicate()
    assert running.returncode == 0, told


def goes_on(place: Place, folder: Path) -> None:
    """Matches are played in this store as in any other; if leaves are lost, the operator says why first."""
    folder.mkdir()
    statement = glasnost("log", "restored", "--store", place.location, "--reason", "back to the backup")
    own = {**os.environ, "GLASNOST_KEYS": str(place.keys)}
    done = subprocess.run(statement, capture_output=True, text=True, env=own)
    assert done.returncode == 0 or "there is nothing to say" in done.stderr, done.stderr
    workers = Workers(place)
    with working(workers):
        crowd = Crowd(workers.doors, seed=11, pairs=2)
        crowd.play_on(BETWEEN)
        proved(workers, crowd, folder)


# ── the embedded store ──


def glasnost(*words: str | Path) -> list[str]:
    """A command of the program."""
    program = f"import sys\nsys.path.insert(0, {str(ROOT)!r})\nfrom api.cli.main import main\nmain()"
    return [sys.executable, "-c", program, *map(str, words)]


def backed_up(place: Folder, folder: Path, times: int) -> str:
    """Make so many backups under load, and restore each."""
    workers, known = Workers(place), []
    with working(workers):
        crowd = Crowd(workers.doors, seed=10)
        for number in range(times):
            crowd.play_on(BETWEEN)
            known.append(crowd.acknowledged)
            beside(crowd, glasnost("backup", "--store", place.folder, folder / f"{number}.backup"))
        proof = proved(workers, crowd, folder)
    for number in range(times):
        restored = Folder(folder / f"restored-{number}")
        command = glasnost("restore", folder / f"{number}.backup", "--store", restored.folder)
        subprocess.run(command, check=True, capture_output=True)
        shutil.copytree(place.keys, restored.keys)
        store = restored.open(write=False)
        holds(store, known[number])
        store.close()
    goes_on(restored, folder / "again")
    return f"{times} backups of an embedded store; {proof}"


def test_a_backup_under_load_holds_what_was_acknowledged_before_it(embedded: Folder, tmp_path: Path) -> None:
    backed_up(embedded, tmp_path, SAMPLE)


@pytest.mark.long
def test_ten_backups_under_load(embedded: Folder, tmp_path: Path, often: Callable[[int, int], int]) -> None:
    print(backed_up(embedded, tmp_path, often(SAMPLE, FULL)))


# ── the shared store ──


@contextmanager
def dumped(server: OwnPostgres, crowd: Crowd) -> Iterator[str]:
    """The URL of a database that was restored from a dump."""
    with tempfile.TemporaryDirectory() as name:
        file = f"{name}/dump"
        url = server.url_of("postgres")
        beside(crowd, [str(server.programs / "pg_dump"), "-Fc", "-f", file, url])
        with server.database() as again:
            restore = [str(server.programs / "pg_restore"), "--exit-on-error", "-d", again, file]
            subprocess.run(restore, check=True, capture_output=True)
            yield again


@contextmanager
def copied(server: OwnPostgres, crowd: Crowd) -> Iterator[str]:
    """The URL of the database in a second server, over a base backup."""
    with tempfile.TemporaryDirectory(prefix="glasnost-tests-", ignore_cleanup_errors=True) as name:
        if server.user:
            shutil.chown(name, server.user)
        program = [str(server.programs / "pg_basebackup"), "-D", f"{name}/data", "-c", "fast", "--no-sync"]
        beside(crowd, [*program, "-d", server.url_of("postgres")], server.user)
        again = OwnPostgres(server.programs, Path(name))
        try:
            yield again.url_of("postgres")
        finally:
            again.end()


def kept(folder: Path, times: int) -> str:
    """Make so many backups of each kind under load, and restore each."""
    with own_postgres() as server:
        workers = Workers(Database(server.url_of("postgres"), folder / "keys"), 2)
        with working(workers):
            crowd = Crowd(workers.doors, seed=12)
            for number in range(times):
                for way in (dumped, copied):
                    crowd.play_on(BETWEEN)
                    known = crowd.acknowledged
                    with way(server, crowd) as url:
                        keys = folder / f"keys-{number}-{way.__name__}"  # two stores are two logs
                        shutil.copytree(folder / "keys", keys)
                        restored = Database(url, keys)
                        store = restored.open(write=False)
                        holds(store, known)
                        store.close()
                        if (number, way) == (0, copied):
                            goes_on(restored, folder / "again")
            return f"{2 * times} backups of a shared store; {proved(workers, crowd, folder)}"


def test_a_dump_and_a_base_backup_under_load_hold_what_was_acknowledged_before_them(tmp_path: Path) -> None:
    kept(tmp_path, SAMPLE)


@pytest.mark.long
def test_ten_dumps_and_ten_base_backups_under_load(tmp_path: Path, often: Callable[[int, int], int]) -> None:
    print(kept(tmp_path, often(SAMPLE, FULL)))
