"""A disk that is full, for a while: the system takes no byte beyond a size that any file has reached.

That is what RLIMIT_FSIZE does to a process without any privilege, and what a process learns of it differs
from a full disk by one number only.
"""

from __future__ import annotations

import resource
import subprocess
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psycopg
import pytest

from api.store.sqlite_schema import FILE
from tests.api.store.locations import Database, Folder
from tests.faults.load import Crowd
from tests.faults.proofs import Proof, proved
from tests.faults.workers import Workers, working
from tests.services import OwnPostgres, own_postgres

SAMPLE, FULL = 1, 5  # times that the disk is full
BETWEEN = 20  # moves between two times, at least
REFUSALS = 10  # least number of refusals that the players get meanwhile
ROOM = 100_000  # bytes that may still be written
LARGE = 5  # megabytes: more than the write-ahead log of an embedded store holds before it is emptied
PAGES = 1_048_576 + 8 * 8_192  # bytes that a file may have: more than one segment of a write-ahead log
SEGMENT = 1_000_000  # bytes that a file may have: less than one segment

SMALL = ("min_wal_size=2MB", "max_wal_size=2MB", "wal_recycle=off", "max_worker_processes=0")
SEGMENTS = ("--wal-segsize=1",)  # megabytes


def limit(processes: Iterable[int], size: int = resource.RLIM_INFINITY) -> None:
    """No file that these processes write grows beyond `size` bytes."""
    for number in processes:
        with suppress(ProcessLookupError):  # it has ended
            _, most = resource.prlimit(number, resource.RLIMIT_FSIZE)
            resource.prlimit(number, resource.RLIMIT_FSIZE, (size, most))


def limit_server(server: OwnPostgres, size: int = resource.RLIM_INFINITY) -> None:
    """The same for a database; twice, because it may start a process while its processes are listed."""
    for _ in range(2):
        if server.user is None:
            limit(server.processes(), size)
            continue
        for number in server.processes():  # as its own user: in a container not even root may do it
            most = "unlimited" if size == resource.RLIM_INFINITY else str(size)
            command = ["prlimit", f"--pid={number}", f"--fsize={most}:"]  # of util-linux
            ran = subprocess.run(command, user=server.user, capture_output=True, text=True)
            assert ran.returncode == 0 or "No such process" in ran.stderr, ran.stderr


# ── the embedded store ──


def full(place: Folder, folder: Path, times: int, size: Callable[[Path], int]) -> Proof:
    """Let the disk be full so often, from the size on that `size` gives for the store's folder."""
    workers = Workers(place)
    with working(workers):
        crowd = Crowd(workers.doors, seed=6)
        for _ in range(times):
            crowd.play_on(BETWEEN)
            limit([workers.process(0).pid], size(place.folder))
            crowd.be_refused(REFUSALS)
            limit([workers.process(0).pid])
        crowd.play_on(BETWEEN)
        return proved(workers, crowd, folder)


def log_and_a_little(folder: Path) -> int:
    """There is hardly room in the write-ahead log."""
    return (folder / f"{FILE}-wal").stat().st_size + ROOM


def database(folder: Path) -> int:
    """There is no room in the database itself, so the write-ahead log cannot be emptied."""
    return (folder / FILE).stat().st_size


def fill(place: Folder) -> None:
    """Make the database larger than its write-ahead log becomes."""
    store = place.open()
    for _ in range(LARGE):
        store.people.add("A" * 1_000_000, "player")
    store.close()


def test_an_embedded_store_whose_log_is_full(embedded: Folder, tmp_path: Path) -> None:
    assert full(embedded, tmp_path, SAMPLE, log_and_a_little).acknowledged > SAMPLE * BETWEEN


@pytest.mark.long
@pytest.mark.parametrize("size", [log_and_a_little, database])
def test_an_embedded_store_whose_disk_is_full_again_and_again(
    embedded: Folder, tmp_path: Path, often: Callable[[int, int], int], size: Callable[[Path], int]
) -> None:
    times = often(SAMPLE, FULL)
    if size is database:
        fill(embedded)
    print(f"{times} times no room, {size.__name__}: {full(embedded, tmp_path, times, size)}")


# ── the shared store ──


@contextmanager
def crowded(folder: Path, server: OwnPostgres) -> Iterator[tuple[Workers, Crowd]]:
    """Two workers under load, on a database whose log of moves fills a page with each move."""
    workers = Workers(Database(server.url_of("postgres"), folder / "keys"), 2)
    with working(workers):
        workers.place.force("ALTER TABLE stored_events SET (fillfactor = 10)")
        yield workers, Crowd(workers.doors, seed=7)


def no_room_for_moves(folder: Path, times: int) -> Proof:
    """The file that holds the moves cannot grow."""
    with own_postgres(*SMALL, making=SEGMENTS) as server, crowded(folder, server) as (workers, crowd):
        for _ in range(times):
            limit_server(server, PAGES)
            crowd.be_refused(REFUSALS)
            limit_server(server)
            crowd.play_on(BETWEEN)
        return proved(workers, crowd, folder)


def no_room_for_the_log(folder: Path, times: int) -> Proof:
    """The write-ahead log cannot go on in a new file, and the server ends; its owner starts it again."""
    with own_postgres(*SMALL, making=SEGMENTS) as server, crowded(folder, server) as (workers, crowd):
        for _ in range(times):
            crowd.play_on(BETWEEN)
            limit_server(server, SEGMENT)
            with suppress(psycopg.Error), psycopg.connect(server.url, autocommit=True) as connection:
                connection.execute("SELECT pg_switch_wal()")
            crowd.be_refused(REFUSALS)
            with suppress(FileNotFoundError, ProcessLookupError):  # it may have given up by itself
                server.kill()
            server.end()
            server.start()
        crowd.play_on(BETWEEN)
        return proved(workers, crowd, folder)


def test_a_shared_store_without_room_for_moves(tmp_path: Path) -> None:
    assert no_room_for_moves(tmp_path, SAMPLE).acknowledged > BETWEEN


def test_a_shared_store_without_room_for_its_log(tmp_path: Path) -> None:
    assert no_room_for_the_log(tmp_path, SAMPLE).acknowledged > BETWEEN


@pytest.mark.long
@pytest.mark.parametrize("fill_up", [no_room_for_moves, no_room_for_the_log])
def test_a_shared_store_whose_disk_is_full_again_and_again(
    tmp_path: Path, often: Callable[[int, int], int], fill_up: Callable[[Path, int], Proof]
) -> None:
    times = often(SAMPLE, FULL)
    print(f"{times} times no room, {fill_up.__name__}: {fill_up(tmp_path, times)}")
