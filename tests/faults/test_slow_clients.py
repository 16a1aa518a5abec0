"""Clients that are slow, endless or many, while others play on as if they were not there."""

from __future__ import annotations

import resource
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from tests.api.store.locations import Folder
from tests.faults.load import Crowd
from tests.faults.proofs import Proof, proved
from tests.faults.workers import Door, Workers, working
from tests.waiting import PATIENCE

SAMPLE, FULL = 200, 10_000  # idle streams
SLOW = 50  # clients of each other kind
PAIRS = 2
BETWEEN = 60  # moves that are played meanwhile, at least
MOST = 64 * 1024 * 1024  # bytes that a client sends that never ends its request
_HEAD = b"POST /v1/players HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
_STREAM = b"GET /v1/matches/%s/moves HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\n\r\n"
_SPARE = 1_000  # files that a process needs besides


def opened(doors: list[Door], stack: ExitStack) -> socket.socket:
    """A connection that stays open for as long as the stack."""
    return stack.enter_context(socket.create_connection(doors[0], timeout=PATIENCE))


@contextmanager
def dripping(doors: list[Door]) -> Iterator[None]:
    """Requests of which a byte comes now and then: half of them in the head, half in the body."""
    enough = threading.Event()
    with ExitStack() as stack:
        lines = [opened(doors, stack) for _ in range(2 * SLOW)]
        for number, line in enumerate(lines):
            line.sendall(_HEAD + (b"content-length: 60000\r\n\r\n" if number % 2 else b""))

        def drip() -> None:
            while not enough.wait(0.1):
                for line in lines:
                    line.sendall(b"x")

        thread = threading.Thread(target=drip)
        thread.start()
        try:
            yield
        finally:
            enough.set()
            thread.join()


@contextmanager
def silent(doors: list[Door]) -> Iterator[None]:
    """Connections on which no client sends anything."""
    with ExitStack() as stack:
        for _ in range(SLOW):
            opened(doors, stack)
        yield


@contextmanager
def unread(doors: list[Door], match: str) -> Iterator[None]:
    """Streams of a match that is played, which no client reads."""
    with ExitStack() as stack:
        for _ in range(SLOW):
            line = stack.enter_context(socket.socket())
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2_048)
            line.connect(doors[0])
            line.sendall(_STREAM % match.encode())
        yield


@contextmanager
def idle(doors: list[Door], match: str, count: int) -> Iterator[None]:
    """Streams of a match in which nothing happens, each of which was answered."""
    with ExitStack() as stack:
        lines = []
        for _ in range(count):
            lines.append(opened(doors, stack))
            lines[-1].sendall(_STREAM % match.encode())
        for line in lines:
            assert line.recv(12) == b"HTTP/1.1 200"
        yield


def endless(doors: list[Door], head: bytes, piece: bytes) -> None:
    """Something without an end is cut off by the server long before its sender is tired."""
    with socket.create_connection(doors[0], timeout=PATIENCE) as line, suppress(OSError):
        line.sendall(head)
        for _ in range(MOST // len(piece)):
            line.sendall(piece)
        raise AssertionError("the server took everything")


def declared_huge(doors: list[Door]) -> bytes:
    """The status of a body that says that it is huge, of which nothing ever comes."""
    with socket.create_connection(doors[0], timeout=PATIENCE) as line:
        line.sendall(_HEAD + b"content-length: 1000000000000\r\n\r\n")
        return line.recv(12)


def raise_limit(needed: int) -> None:
    """This process and those that it starts may open so many files."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < needed:
        assert hard >= needed, f"{needed} open files are needed, {hard} are allowed: raise `ulimit -Hn`"
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))


def bothered(place: Folder, folder: Path, streams: int) -> Proof:
    """Play matches while a worker is bothered in every way at once."""
    raise_limit(streams * 3 // 2 + _SPARE)  # an address gets three quarters of all connections
    workers = Workers(place)
    with working(workers):
        quiet = Crowd(workers.doors, seed=8, pairs=1)
        quiet.play_on(3)
        quiet.stop()
        crowd, doors = Crowd(workers.doors, seed=9, pairs=PAIRS), workers.doors
        crowd.play_on(3)
        played = next(iter(crowd.acknowledged))
        with (
            dripping(doors),
            silent(doors),
            unread(doors, played),
            idle(doors, next(iter(quiet.acknowledged)), streams),
        ):
            for _ in range(3):
                crowd.play_on(BETWEEN // 3)
                endless(
                    doors,
                    _HEAD + b"transfer-encoding: chunked\r\n\r\n",
                    b"fff0\r\n" + b"x" * 0xFFF0 + b"\r\n",
                )
                endless(doors, b"", b"x" * 65_536)
                endless(doors, _HEAD + b"x: ", b"x" * 65_536)
                endless(doors, _HEAD, b"x-one-more: " + b"x" * 1_000 + b"\r\n")
                assert declared_huge(doors) == b"HTTP/1.1 413"
            crowd.play_on(BETWEEN)
            assert crowd.away == 0
        crowd.pairs += quiet.pairs
        return proved(workers, crowd, folder)


def test_slow_endless_and_idle_clients_do_not_delay_others(embedded: Folder, tmp_path: Path) -> None:
    assert bothered(embedded, tmp_path, SAMPLE).acknowledged > 2 * BETWEEN


@pytest.mark.long
def test_ten_thousand_idle_streams_do_not_delay_others(
    embedded: Folder, tmp_path: Path, often: Callable[[int, int], int]
) -> None:
    streams = often(SAMPLE, FULL)
    print(f"beside {streams} idle streams: {bothered(embedded, tmp_path, streams)}")
