"""A browser's EventSource follows a match with a ticket, and comes back; its WebSocket plays one.

Pages of another origin do the same where an operator names it; elsewhere they see nothing and change nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from domain.game import Game
from tests.api.http.served import Served, served
from tests.api.http.test_commands import bid
from tests.api.http.test_operations import metrics
from tests.services.leash import free_port

FOLLOW = """
([address]) => {
  window.told = [];
  window.source = new EventSource(address);
  window.source.onmessage = event => window.told.push([Number(event.lastEventId), JSON.parse(event.data)]);
}
"""
PLAY = """
([address, token, match]) => {
  window.told = [];
  window.socket = new WebSocket(address);
  const say = message => window.socket.send(JSON.stringify(message));
  window.socket.onmessage = event => window.told.push(JSON.parse(event.data));
  window.socket.onclose = event => { window.ended = event.code; };
  window.socket.onopen = () => {
    say({do: "enter", id: 1, token, language: navigator.language});
    say({do: "play", id: 2, match, expect: 3, picks: ["2"]});
  };
}
"""
USE = """
async ([server, token, match]) => {
  const asked = (path, body, more) => fetch(server + path, {
    method: "POST",
    headers: {"Authorization": `Bearer ${token}`, "Content-Type": "application/json", ...more},
    body: JSON.stringify(body),
  });
  const ticket = (await (await asked("/v1/streams/tickets", {match})).json()).ticket;
  const moves = `/v1/matches/${match}/moves`;
  const played = await asked(moves, {expect: 3, picks: ["2"]}, {"Idempotency-Key": "a"});
  const refused = await asked(moves, {expect: 3, picks: ["1"]});
  const look = await fetch(`${server}/v1/matches/${match}`);
  const why = (await refused.json()).type, tag = look.headers.get("ETag");
  return [ticket, played.status, refused.status, why, tag !== null];
}
"""
ATTACK = """
async ([server, token, match]) => {
  const tried = [];
  const attempt = async (name, request) => {
    try { tried.push([name, (await request()).type]); } catch { tried.push([name, "refused"]); }
  };
  const post = (path, kind, body, mode, more) => fetch(server + path, {
    method: "POST", mode, body, headers: {...(kind ? {"Content-Type": kind} : {}), ...more},
  });
  const body = JSON.stringify({name: "Eve"}), form = "application/x-www-form-urlencoded";
  await attempt("look", () => fetch(`${server}/v1/games`));
  await attempt("json", () => post("/v1/players", "application/json", body, "cors"));
  await attempt("form", () => post("/v1/players", form, body, "no-cors"));
  await attempt("text", () => post("/v1/players", "text/plain", body, "no-cors"));
  await attempt("no type", () => post("/v1/players", "", new Blob([body]), "no-cors"));
  const bearer = {"Authorization": `Bearer ${token}`}, path = `/v1/matches/${match}/resignation`;
  await attempt("token", () => post(path, "application/json", "{}", "cors", bearer));
  return tried;
}
"""
LISTEN = """
address => new Promise(done => {
  const told = [], source = new EventSource(address);
  source.onmessage = event => told.push(event.data);
  source.onerror = () => { source.close(); done([told.length, source.readyState]); };
})
"""
CONNECT = """
address => new Promise(done => {
  const socket = new WebSocket(address);
  socket.onopen = () => { socket.close(); done("open"); };
  socket.onerror = () => done("refused");
})
"""
SUBMIT = """
([address, kind]) => {
  const form = document.createElement("form");
  form.method = "post"; form.action = address; form.enctype = kind;
  const field = document.createElement("input");
  field.name = '{"name": "Eve", "x":"'; field.value = '"}';
  form.append(field); document.body.append(form); form.submit();
}
"""
COUNT = "count => window.told.length >= count"


class _Empty(BaseHTTPRequestHandler):
    """Answers everything with an empty page."""

    def do_GET(self) -> None:
        """See `BaseHTTPRequestHandler`."""
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """See `BaseHTTPRequestHandler`."""


@pytest.fixture
def elsewhere() -> Iterator[int]:
    """The port of a server of pages: http://127.0.0.1 and http://localhost are two origins of it."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Empty) as pages:
        thread = threading.Thread(target=pages.serve_forever, args=(0.01,))
        thread.start()
        yield pages.server_port
        pages.shutdown()
        thread.join()


def _told(page: Page, count: int) -> list[Any]:
    page.wait_for_function(COUNT, arg=count)
    told: list[Any] = page.evaluate("window.told")
    return told


def test_event_source_follows_a_match_to_its_end_and_does_not_reconnect(server: Served, page: Page) -> None:
    match, players = server.table()
    ticket = players[0].post("/v1/streams/tickets", {"match": match}).json["ticket"]
    page.goto(f"http://127.0.0.1:{server.port}/healthz")
    page.evaluate(FOLLOW, [f"/v1/matches/{match}/moves?ticket={ticket}"])
    assert [number for number, _ in _told(page, 3)] == [1, 2, 3]
    address = bid(match, players)
    players[0].post(f"{address}/resignation")
    told = _told(page, 8)
    assert [number for number, _ in told] == list(range(1, 9))
    assert [move for _, move in told] == players[0].get(f"{address}/moves?view=left").json["moves"]
    page.wait_for_function("window.source.readyState === EventSource.CLOSED")
    assert len(page.evaluate("window.told")) == 8


def test_event_source_reconnects_without_gap_or_repetition(
    toy_in_words: Game, tmp_path: Path, page: Page
) -> None:
    with served(tmp_path, port=free_port()) as first:
        match, players = first.table()
        page.goto(f"http://127.0.0.1:{first.port}/healthz")
        page.evaluate(FOLLOW, [f"/v1/matches/{match}/moves"])
        _told(page, 3)
    with served(tmp_path, port=first.port) as second:
        address = bid(match, [second.client(player.token) for player in players])
        assert [number for number, _ in _told(page, 5)] == [1, 2, 3, 4, 5]
        second.client(players[0].token).post(f"{address}/moves", {"expect": 5, "picks": ["wave"]})
        assert [number for number, _ in _told(page, 6)] == [1, 2, 3, 4, 5, 6]
        page.evaluate("window.source.close()")


def test_browser_authenticates_and_plays_over_a_websocket(
    toy_in_words: Game, tmp_path: Path, page: Page
) -> None:
    with served(tmp_path) as server:
        match, players = server.table()
        page.goto(f"http://127.0.0.1:{server.port}/healthz")
        page.evaluate(PLAY, [f"ws://127.0.0.1:{server.port}/v1/socket", players[0].token, match])
        entered, done = _told(page, 2)
        assert (entered["id"], entered["done"]["player"]) == (1, players[0].player)
        assert (done["id"], done["status"], done["done"]["move"]) == (2, 201, 4)
    page.wait_for_function("window.ended")
    assert page.evaluate("window.ended") == 1001


def test_page_of_an_allowed_origin_plays_and_follows(
    toy_in_words: Game, tmp_path: Path, page: Page, elsewhere: int
) -> None:
    named = f"http://127.0.0.1:{elsewhere}"
    with served(tmp_path, origins=(named,)) as server:
        match, players = server.table()
        address = f"http://127.0.0.1:{server.port}"
        page.goto(named)
        ticket, *told = page.evaluate(USE, [address, players[0].token, match])
        assert told == [201, 409, "/problems/stale", True]
        page.evaluate(FOLLOW, [f"{address}/v1/matches/{match}/moves?ticket={ticket}"])
        assert [number for number, _ in _told(page, 4)] == [1, 2, 3, 4]
        players[0].post(f"/v1/matches/{match}/resignation")
        assert [number for number, _ in _told(page, 7)] == list(range(1, 8))
        page.wait_for_function("window.source.readyState === EventSource.CLOSED")
        assert page.evaluate(CONNECT, f"ws://127.0.0.1:{server.port}/v1/socket") == "open"


def test_page_of_a_foreign_origin_reads_and_changes_nothing(
    toy_in_words: Game, tmp_path: Path, page: Page, elsewhere: int
) -> None:
    named, foreign = f"http://127.0.0.1:{elsewhere}", f"http://localhost:{elsewhere}"
    with served(tmp_path, origins=(named,)) as server:
        match, players = server.table()
        address = f"http://127.0.0.1:{server.port}"
        page.goto(foreign)
        assert page.evaluate(ATTACK, [address, players[0].token, match]) == [
            ["look", "refused"],
            ["json", "refused"],
            *[[name, "opaque"] for name in ("form", "text", "no type")],
            ["token", "refused"],
        ]
        assert page.evaluate(LISTEN, f"{address}/v1/matches/{match}/moves") == [0, 2]
        assert page.evaluate(CONNECT, f"ws://127.0.0.1:{server.port}/v1/socket") == "refused"
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
            page.goto(foreign)
            with page.expect_navigation():
                page.evaluate(SUBMIT, [f"{address}/v1/players", kind])
            assert "/problems/cross-origin" in page.content()
        found = metrics(server.client())
        made = 'glasnost_requests_total{method="POST",route="/v1/players",status="201"}'
        assert found[made] == len(players)
        assert found[made.replace("201", "403")] == 6
        assert server.client().get(f"/v1/matches/{match}").json["status"] == "running"
