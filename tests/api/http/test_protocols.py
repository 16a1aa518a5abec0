"""Connections of clients that misbehave."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from contextlib import ExitStack, suppress
from http.client import HTTPResponse
from pathlib import Path

import pytest

from api.http import server as server_module
from api.http.problems import KINDS
from api.http.protocols import Line
from api.settings import Settings
from domain.game import Game
from tests.api.http.processes import Process
from tests.api.http.served import Answer, Client, Served, served
from tests.waiting import PATIENCE

HEAD_BYTES = Settings().head_bytes
ASKED = b"GET /v1/games HTTP/1.1\r\nhost: localhost\r\n\r\n"
WAITING = b"GET /v1/matches HTTP/1.1\r\nhost: localhost\r\n\r\n"  # the answer waits for a thread
ROWS, DEPTH = 20, 50
FEW = 100  # open files


def test_disconnect_during_a_request_is_not_logged_as_an_error(
    server: Served, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(ROWS):
        with socket.create_connection(("127.0.0.1", server.port)) as line:
            line.sendall(WAITING * DEPTH)
            line.shutdown(socket.SHUT_WR)
            while line.recv(65_536):
                pass
    assert server.client().get("/healthz").status == 200
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == []


@pytest.mark.parametrize("begun", [b"", b"x: ", b"x: y\r\n" * 20])
def test_endless_headers_are_refused(server: Served, begun: bytes) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as line:
        with suppress(OSError):  # it is closed before all is sent
            line.sendall(b"GET /" if not begun else ASKED[:-2] + begun)
            for _ in range(4 * HEAD_BYTES // 1_000):
                line.sendall(b"x" * 1_000)
        assert line.recv(12) == b"HTTP/1.1 431"


def test_large_complete_headers_are_read(server: Served) -> None:
    assert server.client().get("/v1/games", x="y" * (HEAD_BYTES // 2)).status == 200


def head_of(size: int) -> bytes:
    """The head of a request that is so many bytes long."""
    begun = ASKED[:-2] + b"x: "
    return begun + b"y" * (size - len(begun) - 4) + b"\r\n\r\n"


def answered(server: Served, request: bytes) -> Answer:
    """What is answered to these bytes, until the server hangs up."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as line:
        line.sendall(request)
        answer = HTTPResponse(line)
        answer.begin()
        told = answer.read()
        assert line.recv(1) == b""
    return Answer(answer.status, {name.lower(): value for name, value in answer.getheaders()}, told)


def test_header_limit_is_exact(server: Served) -> None:
    client = server.client()
    with socket.create_connection(("127.0.0.1", client.port), timeout=PATIENCE) as line:
        line.sendall(head_of(HEAD_BYTES))
        assert line.recv(12) == b"HTTP/1.1 200"
    told = answered(server, head_of(HEAD_BYTES + 1)).problem(431, "head-too-large")
    assert told["detail"] == f"the first line and the headers are longer than {HEAD_BYTES} bytes together"


def test_body_and_pipelined_requests_do_not_count_as_headers(server: Served) -> None:
    ann = server.player()
    body = b'{"game": "toy"' + b" " * 60_000 + b"}"
    content = {"content-type": "application/json", "x": "y" * 6_000}
    assert ann.send("POST", "/v1/matches", body, content).status == 201
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as line:
        line.sendall(head_of(HEAD_BYTES // 2) * 3)
        found = b""
        while found.count(b"HTTP/1.1 200") < 3:
            found += line.recv(65_536)


@pytest.mark.parametrize(
    ("request_line", "status", "kind"),
    [
        (b"GARBAGE\r\n\r\n", 400, "malformed"),
        (b"GET /v1/games HTTP/9.9\r\n\r\n", 400, "malformed"),
        (
            b"GET /v1/games HTTP/1.1\r\naccept-language: ru\r\nhost: localhost\r\nno colon\r\n\r\n",
            400,
            "malformed",
        ),
        (b"GET /" + b"x" * 70_000 + b" HTTP/1.1\r\n\r\n", 431, "head-too-large"),
    ],
)
def test_invalid_http_is_refused_with_a_problem_document(
    server: Served, request_line: bytes, status: int, kind: str
) -> None:
    answer = answered(server, request_line)
    told = answer.problem(status, kind)
    assert answer.headers["connection"] == "close"
    language = "ru" if b"accept-language: ru" in request_line else "en"
    assert (answer.headers["content-language"], told["title"]) == (language, getattr(KINDS[kind], language))
    assert ("HTTP/1.1" in told["detail"]) == (kind == "malformed")


def test_idle_connection_is_closed(
    toy_in_words: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_module, "IDLE_SECONDS", 0.05)
    with (
        served(tmp_path) as server,
        socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as line,
    ):
        assert line.recv(1) == b""


def test_server_raises_its_limit_of_open_files(tmp_path: Path) -> None:
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

    def get_write_buffer_size(self) -> int:
        return 0

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


def test_response_is_sent_in_one_write() -> None:
    def write(line: Line) -> None:
        line.write(HEAD)
        line.write(b"first")
        line.write(b"second")

    at_once, all_of_it = sent(write)
    assert at_once == all_of_it == [HEAD + b"first", b"second"]


def test_headers_of_a_streamed_response_are_sent_at_once() -> None:
    assert sent(lambda line: line.write(HEAD)) == ([], [HEAD])


def test_headers_are_sent_before_close_and_nothing_afterwards() -> None:
    def write(line: Line) -> None:
        line.write(HEAD)
        line.close()
        line.write(HEAD)
        line.write(b"first")

    at_once, all_of_it = sent(write)
    assert at_once == all_of_it == [HEAD]
