"""A browser's EventSource follows a match with a ticket, and comes back; its WebSocket plays one."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, sync_playwright

from domain.game import Game
from tests.api.http.served import Served, served
from tests.api.http.test_commands import bid
from tests.services.leash import free_port

FINDER = Path(__file__).parents[3] / "ops" / "lib" / "browser.py"
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
COUNT = "count => window.told.length >= count"


def _executable() -> str:
    """The browser that the set-up installed, else one on the path."""
    found = subprocess.run(
        [sys.executable, str(FINDER), "--print"], capture_output=True, text=True, check=False
    )
    path = found.stdout.strip() or shutil.which("chromium")
    assert path, "no Chromium: ./ops/test installs one, or set CHROMIUM to its path"
    return path


@pytest.fixture
def page() -> Iterator[Page]:
    """A page in a real browser."""
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-dev-shm-usage"]
        browser = playwright.chromium.launch(executable_path=_executable(), args=arguments)
        yield browser.new_page()
        browser.close()


def _told(page: Page, count: int) -> list[Any]:
    page.wait_for_function(COUNT, arg=count)
    told: list[Any] = page.evaluate("window.told")
    return told


def test_an_event_source_follows_a_match_to_its_end_and_stays_away(server: Served, page: Page) -> None:
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


def test_an_event_source_comes_back_without_gap_or_repetition(
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


def test_a_browser_enters_and_plays_by_a_web_socket(toy_in_words: Game, tmp_path: Path, page: Page) -> None:
    with served(tmp_path) as server:
        match, players = server.table()
        page.goto(f"http://127.0.0.1:{server.port}/healthz")
        page.evaluate(PLAY, [f"ws://127.0.0.1:{server.port}/v1/socket", players[0].token, match])
        entered, done = _told(page, 2)
        assert (entered["id"], entered["done"]["player"]) == (1, players[0].player)
        assert (done["id"], done["status"], done["done"]["move"]) == (2, 201, 4)
    page.wait_for_function("window.ended")
    assert page.evaluate("window.ended") == 1001
