"""A player at the page of a match: opening it, answering, and what stands between the page and the server."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, Locator, Page, ViewportSize, WebSocketRoute, expect

from replay.verify import verify
from tests.api.http.playing import asked
from tests.api.http.served import Client, Served
from tests.waiting import PATIENCE
from tests.web.browser import WIDE, lent, sign_in

LATE = PATIENCE * 1_000  # milliseconds
expect.set_options(timeout=LATE)
NO_SOCKET = """
window.WebSocket = class {
  static OPEN = 1;
  constructor() { this.readyState = 3; setTimeout(() => this.onclose({ code: 1006 })); }
  send() {}
  close() {}
};
"""


@contextmanager
def sitting(
    browser: Browser,
    client: Client,
    match: str,
    *,
    viewport: ViewportSize = WIDE,
    touch: bool = False,
    dark: bool = False,
    language: str = "en-GB",
    faults: bool = False,
    through: Callable[[WebSocketRoute], None] | None = None,
    before: str = "",
) -> Iterator[Page]:
    """The page of a match as a player sees it, who is signed in.

    Args:
        faults: a break is part of the test, so the console may tell of it.
        through: stands between the socket of the page and the server.
        before: a script that runs before those of the page.
    """
    options: dict[str, Any] = {"viewport": viewport, "locale": language}
    options |= {"has_touch": True} if touch else {}
    options |= {"color_scheme": "dark"} if dark else {}
    fresh = bool(before) or through is not None
    with lent(browser, f"http://127.0.0.1:{client.port}", fresh=fresh, **options) as watched:
        if client.token:
            sign_in(watched.page.context, client)
        if before:
            watched.page.add_init_script(before)
        if through is not None:
            watched.page.route_web_socket("**/v1/socket", through)
        yield watched.open(f"/m/{match}")
    assert faults or watched.faults == []


def against_a_bot(server: Served, game: str = "thirteen_minutes", seat: int = 0) -> tuple[str, Client]:
    """A match of a player against a bot."""
    player = server.player()
    opened = player.post("/v1/matches", {"game": game}).json
    seats = list(opened["seats"])
    other = seats[1 - seat]
    assert player.post(f"/v1/matches/{opened['match']}/seats/{seats[seat]}").status == 201
    assert player.post(f"/v1/matches/{opened['match']}/seats/{other}", {"bot": "random"}).status == 201
    return opened["match"], player


def question(page: Page) -> Locator:
    """The form with the question."""
    return page.locator("#question form")


def is_asked(page: Page) -> bool:
    """Wait until there is a question, or the match is over."""
    page.locator("#question form, .link a").first.wait_for()
    return question(page).count() > 0


def answered(page: Page, old: str | None) -> None:
    """Wait until the question is another one."""
    page.locator(f'#question:not(:has(form[data-question="{old}"]))').wait_for(state="attached")


def first_asked(match: str, players: list[Client]) -> tuple[int, Any]:
    """Who of the players is asked first, and what."""
    found = asked(match, players)
    assert found is not None
    return players.index(found[0]), found[1]


def answer(page: Page) -> None:
    """Mark as many options as there must be, and send."""
    inputs = page.locator("#question input[name=pick]")
    inputs.first.wait_for()
    while page.locator("#question [type=submit]").is_disabled():
        page.locator("#question input[name=pick]:not(:checked):not(:disabled)").first.click()
    page.locator("#question [type=submit]").click()


def numbers(page: Page) -> list[int]:
    """The moves that the story tells."""
    return [
        int(n) for n in page.eval_on_selector_all("#moves .move", "all => all.map(one => one.dataset.move)")
    ]


def marked(page: Page) -> list[str]:
    """What is picked."""
    found: list[str] = page.eval_on_selector_all(
        "#question input:checked", "all => all.map((one) => one.value)"
    )
    return found


def more(page: Page) -> None:
    """Open the menu of what else a player may do."""
    if not page.locator("#question .more[open]").count():
        page.locator("#question .more summary").click()


def proved(client: Client, match: str) -> None:
    """The match is over, and its file is good."""
    fresh = Client(
        client.port, client.token
    )  # the server has closed the other one, which said nothing for long
    assert fresh.get(f"/v1/matches/{match}").json["status"] == "over"
    report = verify(fresh.get(f"/v1/matches/{match}/file").body)
    fresh.close()
    assert report.ok, report


class Between:
    """Stands between the socket of a page and the server, and can hold, change or swallow what passes."""

    def __init__(self) -> None:
        self.held: list[str] = []
        self.change: Callable[[Any], Any] = lambda message: message
        self.swallow: Callable[[Any], bool] = lambda reply: False
        self.alter: Callable[[Any], Any] = lambda message: message
        self.drop: Callable[[Any], bool] = lambda message: False
        self.hold = False
        self.sent: list[Any] = []
        self._sides: list[tuple[WebSocketRoute, WebSocketRoute]] = []

    def __call__(self, page: WebSocketRoute) -> None:
        server = page.connect_to_server()
        self._sides.append((page, server))
        page.on_message(self._from_page)
        server.on_message(self._from_server)

    def _from_page(self, text: str | bytes) -> None:
        message = json.loads(text)
        if message["do"] == "play":
            self.sent.append(message)
            message = self.change(message)
            if message is None:
                return
            if self.hold:
                self.held.append(json.dumps(message))
                return
        self._sides[-1][1].send(json.dumps(message))

    def _from_server(self, text: str | bytes) -> None:
        if self.drop(json.loads(text)):
            return
        text = json.dumps(self.alter(json.loads(text)))
        if self.swallow(json.loads(text)):
            self.swallow = lambda reply: False
            self.cut()
        else:
            self._sides[-1][0].send(text)

    def tell(self, reply: Any) -> None:
        """Send the page something as if the server had."""
        self._sides[-1][0].send(json.dumps(reply))

    def release(self) -> None:
        """Let pass what was held."""
        self.hold = False
        for text in self.held:
            self._sides[-1][1].send(text)
        self.held.clear()

    def cut(self) -> None:
        """Break the connection."""
        page, server = self._sides[-1]
        server.close()
        page.close(code=1001)
