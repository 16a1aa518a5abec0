"""One process writes a store."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from api.store.file_locks import FILE, Lock
from api.store.interface import InUse, StoreError
from api.store.sqlite import SqliteStore

OPEN = """
import sys
from pathlib import Path
from api.store.interface import StoreError
from api.store.sqlite import SqliteStore
try:
    SqliteStore.open(Path(sys.argv[1])).close()
except StoreError as error:
    sys.exit(str(error))
"""


@pytest.fixture
def store(embedded: SqliteStore) -> SqliteStore:
    """This is about the embedded store alone."""
    return embedded


def open_elsewhere(folder: Path) -> subprocess.CompletedProcess[str]:
    """Open the store in a process of its own."""
    root = Path(__file__).parents[3]
    command = [sys.executable, "-c", OPEN, str(folder)]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)


def test_a_second_process_gets_the_holder_of_the_store(store: SqliteStore) -> None:
    refused = open_elsewhere(store.folder)
    assert refused.returncode == 1
    assert f"process {os.getpid()} on " in refused.stderr
    assert re.search(r"since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC", refused.stderr)
    assert "through its HTTP address, or stop that process" in refused.stderr


def test_a_second_process_gets_the_address_once_it_is_known(store: SqliteStore) -> None:
    store.announce("http://127.0.0.1:8000")
    assert "reach the store at http://127.0.0.1:8000" in open_elsewhere(store.folder).stderr


def test_the_next_process_may_write_when_the_store_is_closed(folder: Path) -> None:
    SqliteStore.open(folder).close()
    assert open_elsewhere(folder).returncode == 0


def test_the_same_process_cannot_open_it_twice(store: SqliteStore) -> None:
    with pytest.raises(StoreError, match=f"process {os.getpid()}"):
        SqliteStore.open(store.folder)


def test_a_failed_opening_lets_go_of_the_lock(folder: Path) -> None:
    SqliteStore.open(folder).close()
    keys = folder.with_name("store.keys")
    keys.rename(folder.with_name("elsewhere"))
    for _ in range(2):
        with pytest.raises(StoreError, match="GLASNOST_KEYS"):
            SqliteStore.open(folder)


def test_a_holder_that_has_not_written_its_name_yet_is_another_process(tmp_path: Path) -> None:
    lock = Lock(tmp_path, "2026-11-20 12:00:00 UTC")
    (tmp_path / FILE).write_bytes(b"")
    with pytest.raises(StoreError, match="another process is just opening the store"):
        Lock(tmp_path, "2026-11-20 12:00:01 UTC")
    lock.release()


def test_a_long_name_of_an_earlier_holder_leaves_no_rest(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"x" * 500)
    lock = Lock(tmp_path, "2026-11-20 12:00:00 UTC")
    lock.announce("http://127.0.0.1:8000/a/long/address")
    lock.announce("http://x")
    assert (tmp_path / FILE).read_bytes().endswith(b'"since":"2026-11-20 12:00:00 UTC"}\n')
    lock.release()
    assert (tmp_path / FILE).read_bytes() == b""


def test_a_file_system_without_locks_is_refused_and_not_taken_for_a_store_in_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_locks(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", no_locks)
    with pytest.raises(StoreError, match=r"cannot be locked.*a disk of this machine") as told:
        SqliteStore.open(tmp_path / "store")
    assert not isinstance(told.value, InUse)
