"""A server that starts after one that was killed: its leftovers are repaired, or removed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from api.http.read_models import FILE
from api.store.file_locks import Holder, clear_away, new_file
from domain.log import canonical
from tests.api.http.processes import process
from tests.api.http.served import Client


@contextmanager
def client_of(port: int) -> Iterator[Client]:
    """A client."""
    client = Client(port)
    yield client
    client.close()


def opened(port: int) -> str:
    """The id of a new match."""
    with client_of(port) as client:
        client.token = client.post("/v1/players", {"name": "Ann"}).json["token"]
        return str(client.post("/v1/matches", {"game": "thirteen_minutes"}).json["match"])


def listed(port: int) -> list[str]:
    """The matches that the read models know, of a server that is ready."""
    with client_of(port) as client:
        assert client.get("/readyz").status == 200
        return [row["match"] for row in client.get("/v1/matches").json["matches"]]


@pytest.fixture
def left(tmp_path: Path) -> tuple[Path, str]:
    """The store that a killed server has left, and the match in it."""
    with process(tmp_path) as running:
        match = opened(running.port)
        assert listed(running.port) == [match]
        running.kill()
    return tmp_path / "store", match


def test_lock_of_a_dead_process_does_not_block_the_start(left: tuple[Path, str], tmp_path: Path) -> None:
    store, match = left
    assert b'"pid":' in (store / "lock").read_bytes()
    (store / "lock").write_bytes(canonical(Holder(1, "elsewhere", "long ago")))
    with process(tmp_path) as running:
        assert listed(running.port) == [match]
        assert running.stop() == (0, "")


@pytest.mark.parametrize("how", ["gone", "damaged", "cut"])
def test_missing_or_damaged_read_models_are_rebuilt(left: tuple[Path, str], tmp_path: Path, how: str) -> None:
    store, match = left
    file = store / FILE
    if how == "cut":
        file.write_bytes(file.read_bytes()[:4096])
    elif how == "damaged":
        file.write_bytes(b"\xff" * 8192)
    for rest in ("", "-wal", "-shm") if how == "gone" else ("-wal", "-shm"):
        file.with_name(f"{FILE}{rest}").unlink(missing_ok=True)
    with process(tmp_path) as running:
        assert listed(running.port) == [match]


def test_next_backup_removes_files_left_by_a_killed_one(tmp_path: Path) -> None:
    target = tmp_path / "games.backup"
    for name in (".games.backup.0123456789abcdef", ".games.backup.0123456789abcdef-journal"):
        (tmp_path / name).write_bytes(b"half")
    kept = [tmp_path / ".games.backup.old", tmp_path / ".other.backup.0123456789abcdef"]
    for path in kept:
        path.write_bytes(b"mine")
    with new_file(target) as fresh:
        clear_away(target)  # another process begins a backup
        fresh.write_bytes(b"whole")
    assert target.read_bytes() == b"whole"
    assert sorted(tmp_path.iterdir()) == sorted([target, *kept])
