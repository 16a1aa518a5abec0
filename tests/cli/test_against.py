"""`glasnost verify FILE --against NOTE_OR_URL`: what a dropped tail is found out by, and what is fetched."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from api.cli import verify
from domain.game import Game
from tests.api.http.served import Served, served
from tests.api.http.words import TEXTS
from tests.cli.program import Program

Answering = Callable[[BaseHTTPRequestHandler], None]


@pytest.fixture
def server(toy_game: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    """A server with the toy game."""
    monkeypatch.setitem(vars(toy_game), "texts", TEXTS)
    with served(tmp_path / "server") as running:
        yield running


@pytest.fixture
def cut(server: Served) -> str:
    """A match that was resigned, whose file `cut.glasnost` is from before; its address."""
    match, players = server.table()
    address = f"/v1/matches/{match}"
    Path("cut.glasnost").write_bytes(server.client().get(f"{address}/file").body)
    players[0].post(f"{address}/resignation")
    Path("note").write_bytes(server.client().get(f"{address}/checkpoint").body)
    Path("whole.glasnost").write_bytes(server.client().get(f"{address}/file").body)
    return f"http://127.0.0.1:{server.port}{address}/checkpoint"


@contextmanager
def answering(how: Answering) -> Iterator[str]:
    """The address of a server that answers every GET like this."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            how(self)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing is logged."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listener:
        listener.daemon_threads, listener.block_on_close = True, False
        thread = threading.Thread(target=listener.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.server_address[1]}/checkpoint"
        finally:
            listener.shutdown()


def leading(where: str) -> Answering:
    """A redirect."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(302)
        handler.send_header("location", where)
        handler.end_headers()

    return answer


def test_a_dropped_tail_is_found_at_the_server_and_by_a_note_that_was_kept(
    glasnost: Program, server: Served, cut: str
) -> None:
    key = server.client().get("/v1/keys").json["present"]
    said = glasnost("verify", "cut.glasnost", "--key", key).ok().out
    assert "running: nothing here shows whether it went on after move 3" in said
    for against, known in ((cut, "they begin with these"), ("note", "only a checkpoint over 3 moves shows")):
        done = glasnost("verify", "cut.glasnost", "--key", key, "--against", against)
        assert done.code == 1
        assert done.out.startswith("wrong: against: the match went on: 6 moves are signed, this file holds 3")
        assert known in done.out
    for against in (cut, f"{cut}?move=2", "note"):
        whole = glasnost("verify", "whole.glasnost", "--key", key, "--against", against).ok().out
        assert "is one of this log, signed by" in whole


def test_it_compares_one_file(glasnost: Program, match_file: Path) -> None:
    for others in ((match_file,), ("--store", "s")):
        done = glasnost("verify", match_file, *others, "--against", "note")
        assert (done.code, "--against and --receipt are for one match" in done.err) == (2, True)
    glasnost("verify", match_file, "--against", "nowhere").refused(2, "nowhere", "no such file")
    Path("long").write_bytes(bytes(verify.MOST + 1))
    glasnost("verify", match_file, "--against", "long").refused(2, "65,536 bytes")


@pytest.mark.parametrize("address", ["file:///etc/hostname", "ftp://127.0.0.1/x", "data://x,y"])
def test_only_http_is_fetched(glasnost: Program, match_file: Path, address: str) -> None:
    glasnost("verify", match_file, "--against", address).refused(2, "only http:// and https://")


def test_what_is_fetched_is_bounded_and_stays_at_its_host(
    glasnost: Program, match_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verify, "SECONDS", 0.5)
    asked, held = list[str](), threading.Event()

    def note(handler: BaseHTTPRequestHandler) -> None:
        asked.append(handler.path)
        handler.send_error(404)

    def endless(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        handler.wfile.write(bytes(verify.MOST + 1))

    def dripping(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nx-slow: ")
        held.wait(60)

    with answering(note) as other:
        ways = (
            (leading(other), "it leads to another host"),
            (leading("file:///etc/hostname"), "the answer is 302"),
            (endless, "more than 65536 bytes"),
            (dripping, "no answer within"),
            (note, "the answer is 404"),
        )
        for how, said in ways:
            with answering(how) as address:
                glasnost("verify", match_file, "--against", address).refused(2, said)
    held.set()
    assert len(asked) == 1
