"""Connections whose other side misbehaves."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from api.http import serve
from api.http.protocol import Line
from api.settings import Settings
from domain.game import Game
from tests.api.http.processes import Process
from tests.api.http.served import Client, Served, served

HEAD_BYTES = Settings().head_bytes
ASKED = b"GET /v1/games HTTP/1.1\r\nhost: x\r\n\r\n"
WAITING = b"GET /v1/matches HTTP/1.1\r\nhost: x\r\n\r\n"  # the answer waits for a thread
ROWS, DEPTH = 20, 50
FEW = 100  # open files


def test_whoever_hangs_up_in_the_middle_is_no_error(server: Served, caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(ROWS):
        with socket.create_connection(("127.0.0.1", server.port)) as line:
            line.sendall(WAITING * DEPTH)
            line.shutdown(socket.SHUT_WR)
            while line.recv(65_536):
                pass
    assert server.client().get("/healthz").status == 200
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == []


@pytest.mark.parametrize("begun", [b"", b"x: ", b"x: y\r\n" * 20])
def test_a_head_without_an_end_is_refused(server: Served, begun: bytes) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as line:
        with suppress(OSError):  # it is closed before all is sent
            line.sendall(b"GET /" if not begun else ASKED[:-2] + begun)
            for _ in range(4 * HEAD_BYTES // 1_000):
                line.sendall(b"x" * 1_000)
        assert line.recv(12) == b"HTTP/1.1 431"


def test_a_large_head_that_ends_is_read(server: Served) -> None:
    assert server.client().get("/v1/games", x="y" * (HEAD_BYTES // 2)).status == 200


def test_a_connection_on_which_nobody_asks_anything_is_closed(
    toy_in_words: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serve, "IDLE_SECONDS", 0.05)
    with served(tmp_path) as server, socket.create_connection(("127.0.0.1", server.port), timeout=30) as line:
        assert line.recv(1) == b""


def test_a_server_takes_more_connections_than_it_might_open_files_at_first(tmp_path: Path) -> None:
    few = ("sh", "-c", f'ulimit -Sn {FEW}; exec "$@"', "sh")
    running = Process(str(tmp_path / "store"), under=few)
    with ExitStack() as stack:
        stack.callback(running.close)
        for _ in range(2 * FEW):
            stack.enter_context(socket.create_connection(("127.0.0.1", running.port)))
        client = Client(running.port)
        stack.callback(client.close)
        assert client.get("/healthz").status == 200


class Wire(asyncio.Transport):
    """A transport that remembers the pieces that went out by it."""

    def __init__(self) -> None:
        super().__init__()
        self.pieces: list[bytes] = []
        self._closing = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.pieces.append(bytes(data))

    def is_closing(self) -> bool:
        return self._closing

    def close(self) -> None:
        self._closing = True


HEAD = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n"


def sent(write: Callable[[Line], None]) -> tuple[list[bytes], list[bytes]]:
    """The pieces that went out while a loop was at it, and all of them once it had done what waited."""

    async def run() -> tuple[list[bytes], list[bytes]]:
        wire = Wire()
        write(Line(wire, asyncio.get_running_loop()))
        at_once = list(wire.pieces)
        await asyncio.sleep(0)
        return at_once, wire.pieces

    return asyncio.run(run())


def test_an_answer_goes_out_in_one_piece() -> None:
    def write(line: Line) -> None:
        line.write(HEAD)
        line.write(b"first")
        line.write(b"second")

    at_once, all_of_it = sent(write)
    assert at_once == all_of_it == [HEAD + b"first", b"second"]


def test_a_head_does_not_wait_for_what_is_still_to_come() -> None:
    assert sent(lambda line: line.write(HEAD)) == ([], [HEAD])


def test_a_head_goes_out_before_its_line_is_closed_and_nothing_does_afterwards() -> None:
    def write(line: Line) -> None:
        line.write(HEAD)
        line.close()
        line.write(HEAD)
        line.write(b"first")

    at_once, all_of_it = sent(write)
    assert at_once == all_of_it == [HEAD]
