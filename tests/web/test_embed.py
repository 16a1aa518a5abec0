"""The page of a match inside a frame of another page, and the other pages, which refuse that: W40."""

from __future__ import annotations

import json
import random
import re
import threading
from collections.abc import Iterator
from html import unescape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import quote, unquote

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Frame, Page, Request, expect

from api.web.assets import Assets
from api.web.pages import Pages
from api.web.shell import HEADERS
from tests.api.http.playing import played
from tests.api.http.served import Served
from tests.waiting import PATIENCE
from tests.web.browser import Watched

COOKIE = "a" * 43
FRAME = '<!doctype html><title>A blog</title><link rel="icon" href="data:,"><iframe src="{}"></iframe>'


class Blog(BaseHTTPRequestHandler):
    """A foreign server: its pages hold a frame with the address that their query names."""

    def do_GET(self) -> None:
        body = FRAME.format(unquote(self.path.partition("?")[2])).encode()
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def blog_port() -> Iterator[int]:
    """The port of the foreign server."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Blog) as pages:
        thread = threading.Thread(target=pages.serve_forever, args=(0.01,))
        thread.start()
        yield pages.server_port
        pages.shutdown()
        thread.join()


class Reader:
    """A reader of foreign pages, in a browser that holds a cookie of the server."""

    def __init__(self, page: Page, home: str) -> None:
        self.page, self._home = page, home
        self.sent: list[Request] = []
        self.faults: list[str] = []
        page.on("request", lambda request: self.sent.append(request))
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", self._said)

    def _said(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.faults.append(message.text)

    def frame(self, address: str) -> Frame:
        """What a frame of a foreign page shows at an address."""
        self.page.goto(f"{self._home}?{quote(address)}")
        return self.page.frames[1]


@pytest.fixture(params=["127.0.0.1", pytest.param("localhost", marks=pytest.mark.long)])
def reader(request: pytest.FixtureRequest, browser: Browser, blog_port: int) -> Iterator[Reader]:
    """The foreign page is of another site, or of the same one: then cookies go with a frame."""
    context = browser.new_context()
    context.set_default_timeout(PATIENCE * 1_000)
    context.add_cookies(
        [{"name": "glasnost", "value": COOKIE, "domain": "127.0.0.1", "path": "/", "sameSite": "Lax"}]
    )
    yield Reader(context.new_page(), f"http://{request.param}:{blog_port}/")
    context.close()


def test_a_foreign_page_shows_the_position(reader: Reader, house: Served, finished: dict[str, str]) -> None:
    # when a foreign page with a frame is opened
    match = finished["twilight_struggle"]
    frame = reader.frame(f"http://127.0.0.1:{house.port}/embed/{match}?move=20&view=us")
    frame.locator("html[data-ready=true]").wait_for(state="attached")
    # then it shows the board after the move, and a sentence, and goes on by its bar
    told = house.client().get(f"/v1/matches/{match}/positions?view=us&after=19&until=21").json["moves"]
    expect(frame.locator("#live")).to_have_text(told[0]["sentences"][0]["text"])
    frame.get_by_role("button", name="Next move").click()
    expect(frame.locator("#live")).to_have_text(told[1]["sentences"][0]["text"])
    scene = house.client().get(f"/v1/matches/{match}/scene?at=21&view=us").json["scene"]["board"]
    for id, slots in scene.items():
        for slot, value in slots.items():
            assert frame.locator(f"#s-{id}").get_attribute(f"data-{slot}") == str(value)
    assert "move=21&view=us" in (frame.locator("#whole").get_attribute("href") or "")
    # and no request of its script carries the cookie
    asked = [request for request in reader.sent if "/v1/" in request.url]
    assert len(asked) == 2
    assert [request.url for request in asked if "cookie" in request.all_headers()] == []
    assert frame.locator("form").count() == 0
    assert reader.faults == []


def test_a_frame_follows_a_match_that_runs_to_its_end_and_sends_no_cookie(
    reader: Reader, house: Served
) -> None:
    # given a frame that shows a match that runs, and one that shows an early move of it
    match, players = house.table("cia_vs_kgb")
    address = f"http://127.0.0.1:{house.port}/embed/{match}"
    frame = reader.frame(address)
    frame.locator("html[data-ready=true]").wait_for(state="attached")
    last = players[0].get(f"/v1/matches/{match}").json["move"]
    expect(frame.locator("#bar input[type=number]")).to_have_value(str(last))
    # when moves are made
    played(match, players, random.Random(3))
    # then the frame shows the latest one
    told = spectator_position(house, match)
    assert told["move"] > last
    expect(frame.locator("#bar input[type=number]")).to_have_value(str(told["move"]))
    expect(frame.locator("#live")).to_have_text(told["sentences"][0]["text"])
    # and one who looks at an earlier move stays there
    frame.get_by_role("button", name="First move").click()
    assert players[1].post(f"/v1/matches/{match}/resignation", {}).status == 201
    end = spectator_position(house, match)["move"]
    expect(frame.locator("#bar input[type=number]")).to_have_value("1")
    expect(frame.locator("#bar input[type=number]")).to_have_attribute("max", str(end))
    asked = [request for request in reader.sent if "/v1/" in request.url]
    assert [request.url for request in asked if "cookie" in request.all_headers()] == []
    assert reader.faults == []


def spectator_position(server: Served, match: str) -> Any:
    """The latest move of a match, as a spectator sees it."""
    return server.client().get(f"/v1/matches/{match}/positions?view=spectator").json["moves"][-1]


@pytest.mark.parametrize("game", ["thirteen_minutes", "cia_vs_kgb"])
def test_a_game_without_a_board_shows_its_panels(
    game: str, watched: Watched, finished: dict[str, str]
) -> None:
    page = watched.open(f"/embed/{finished[game]}?move=5")
    assert page.locator("#panels .panel").first.is_visible()
    assert page.locator("#board-area").is_hidden()


def test_it_knows_no_cookie_and_no_token(house: Served) -> None:
    # given a match that runs, and one of its players
    match, players = house.table("thirteen_minutes")
    visitor, path = house.client().get(f"/embed/{match}"), f"/embed/{match}"
    # when the player asks with a token, and when somebody asks with cookies
    for answer in (players[0].get(path), house.client().get(path, cookie="glasnost=x; lang=ru")):
        # then they get what anybody gets
        assert answer.body == visitor.body
        assert answer.headers["content-language"] == "en"
    assert "cookie" not in visitor.headers.get("vary", "")
    assert "set-cookie" not in house.client().get(f"{path}?lang=ru").headers
    # and the view of a seat is not shown, but that of a spectator
    denied = house.client().get(f"{path}?view=us").body.decode()
    assert json.loads(denied.split('id="state">')[1].split("</script>")[0])["view"] == "spectator"
    assert "You may not see the view" in denied


@pytest.mark.parametrize("path", ["/embed/{match}", "/embed/{match}?move=0&view=nonsense", "/embed/none"])
def test_its_policy_differs_in_who_may_frame_it_alone(
    path: str, house: Served, finished: dict[str, str]
) -> None:
    """W2."""
    answer = house.client().get(path.format(match=finished["thirteen_minutes"]))
    ours = HEADERS["content-security-policy"].replace("frame-ancestors 'none'", "frame-ancestors *")
    assert {name: answer.headers[name] for name in HEADERS} == {**HEADERS, "content-security-policy": ours}
    assert "<form" not in answer.body.decode()


@pytest.mark.parametrize("every", [50, pytest.param(1, marks=pytest.mark.long)])
def test_every_other_page_refuses_to_be_framed(
    every: int, reader: Reader, house: Served, finished: dict[str, str]
) -> None:
    """All pages by their header, and every so many in a frame of the browser."""
    # given the address of every page but the one that is made for frames
    routes = [route for route in Pages(Assets()).routes if route.methods != {"POST"}]
    paths = [route.path for route in routes if "{path" not in route.path] + ["/docs"]
    assert "/embed/{match}" in paths
    others = [
        path.format(
            match=finished["thirteen_minutes"],
            game="cia_vs_kgb",
            player="p1",
            code="c1",
            secret="s1",
            deed="stop",
            tournament="none",
            entrant="n1",
            round_number="1",
            board="1",
        )
        for path in paths
        if not path.startswith("/embed/") and not path.endswith((".csv", ".png", ".atom"))
    ]
    client = house.client()
    for path in others:
        answer = client.get(path, accept="text/html")
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"], path
    for path in others[::every]:
        # when a foreign page frames it
        reader.faults.clear()
        frame = reader.frame(f"http://127.0.0.1:{house.port}{path}")
        # then the browser shows nothing of it, and says why
        assert reader.faults, f"{path} may be framed"
        assert "frame-ancestors" in reader.faults[0], path
        assert frame.url.startswith("chrome-error://"), path


def test_the_code_that_the_page_of_a_match_offers_shows_what_it_showed(
    watched: Watched, reader: Reader, finished: dict[str, str]
) -> None:
    # given a reader who looks at a move from a seat
    page = watched.open(f"/m/{finished['twilight_struggle']}?move=30&view=ussr")
    page.locator("#share").click()
    code = page.get_by_label("Embed in a page").input_value()
    # when the code stands in another page
    address = re.search(r'src="([^"]+)"', code)
    assert address
    frame = reader.frame(unescape(address[1]))
    frame.locator("html[data-ready=true]").wait_for(state="attached")
    # then its frame shows that move from that seat
    assert "move=30&view=ussr" in frame.url
    expect(frame.locator("#bar input[type=number]")).to_have_value("30")
