"""W13: while a match runs, nothing that its players or a visitor get names a card hidden from them."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

import pytest
from playwright.sync_api import Browser, Response, WebSocket

from domain.games import GAMES
from domain.match import Match
from tests.api.http.playing import played
from tests.api.http.served import Client, Served, served
from tests.replay.scenes.matches import unseen
from tests.waiting import PATIENCE
from tests.web.browser import WIDE, Watched, sign_in

ANSWERS = {"thirteen_minutes": 3, "cia_vs_kgb": 6}  # later every card was seen; elsewhere 10
VOCABULARY = re.compile(
    r"/static/|/v1/games/"
)  # the words of a game and the files of the client: the same for all
QUICK = ("cia_vs_kgb",)
PAGES = ("?move=3&view=spectator", "?lang=ru")


class Heard:
    """All that a browser got from the server about a match."""

    def __init__(self, watched: Watched) -> None:
        self.watched = watched
        self.bodies: list[tuple[str, str]] = []  # where each text came from, and the text
        self._responses: list[Response] = []
        watched.page.on("response", self._answered)
        watched.page.on("websocket", self._connected)

    def _answered(self, response: Response) -> None:
        if not VOCABULARY.search(response.url):
            self._responses.append(response)

    def _connected(self, socket: WebSocket) -> None:
        socket.on("framereceived", lambda text: self.bodies.append(("socket", str(text))))

    def open(self, path: str) -> None:
        """Open a page, and keep what came for it: the browser forgets bodies with the page."""
        self.watched.open(path)
        self.keep()

    def keep(self) -> None:
        """Keep the bodies of all responses until now."""
        for response in self._responses:
            text = "" if response.status in (204, 304) else response.text()
            self.bodies.append((response.url, f"{text} {response.headers}"))
        self._responses.clear()


@contextmanager
def visit(browser: Browser, client: Client) -> Iterator[Heard]:
    """A browser of this player, or of a visitor."""
    context = browser.new_context(viewport=WIDE, locale="en-GB")
    context.set_default_timeout(PATIENCE * 1_000)
    if client.token:
        sign_in(context, client)
    heard = Heard(Watched(context, f"http://127.0.0.1:{client.port}"))
    yield heard
    context.close()
    assert heard.watched.faults == []


def committed(server: Served, match: str) -> Match:
    """The match as the server has it."""
    found = asyncio.run_coroutine_threadsafe(server.gate.match(match), server.loop)
    return found.result(PATIENCE)


def words(text: str) -> set[str]:
    """Every word of a text that may be an id, also behind a colon or a dot."""
    return set(re.findall(r"[\w-]+", text))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with the matches of these tests alone."""
    with served(tmp_path_factory.mktemp("server"), requests_per_second=10_000) as running:
        yield running


@pytest.mark.parametrize("game", QUICK)
def test_no_response_names_a_card_that_is_hidden_from_its_reader(
    server: Served, browser: Browser, game: str
) -> None:
    """W13, small: one game; of the other pages of a match one, in turns."""
    no_card_is_named(server, browser, game, PAGES[len(game) % 2 :][:1])


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
def test_no_response_of_any_page_names_a_hidden_card(server: Served, browser: Browser, game: str) -> None:
    """W13."""
    no_card_is_named(server, browser, game, PAGES)


def no_card_is_named(server: Served, browser: Browser, game: str, pages: Sequence[str]) -> None:
    """Search all that two players and a visitor get for the cards that are hidden from them."""
    with ExitStack() as stack:
        match, players = server.table(game)
        luck = random.Random(3)
        clients = [*players, server.client()]
        browsers = [stack.enter_context(visit(browser, client)) for client in clients]
        for heard in browsers:
            heard.open(f"/m/{match}")
        for _ in range(ANSWERS.get(game, 10)):
            played(match, players, luck)
        last = players[0].get(f"/v1/matches/{match}").json["move"]
        for heard in browsers:
            heard.watched.page.locator(f'#moves .move[data-move="{last}"]').wait_for(state="attached")
            heard.keep()
            for query in pages:
                heard.open(f"/m/{match}{query}")
            heard.open("/")
        found = committed(server, match)
        for heard, seat in zip(browsers, (*found.seats, None), strict=True):
            hidden = unseen(found, seat)
            assert hidden, "there is something to hide"
            assert {"socket"} < {source for source, _ in heard.bodies}
            assert sum(len(text) for _, text in heard.bodies) > 10_000
            for source, text in heard.bodies:
                assert not hidden & words(text), (seat, source)
            own = unseen(found, None) - hidden  # the search finds what is there
            assert not own or any(own & words(text) for _, text in heard.bodies)
