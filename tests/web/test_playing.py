"""Playing in the browser: answers by pointer and by keys, breaks, refusals, takebacks, resignation."""

from __future__ import annotations

import json
import os
import random
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Locator, Page, Route, ViewportSize, WebSocketRoute, expect

from domain.game import Game
from domain.games import GAMES
from replay.verify import verify
from tests.api.http.conftest import toy_in_words
from tests.api.http.playing import asked, played
from tests.api.http.processes import Process
from tests.api.http.served import Client, Served, served
from tests.domain.swap import DARK, LIGHT
from tests.waiting import PATIENCE
from tests.web.browser import NARROW, WIDE, Watched, sign_in

__all__ = ["toy_in_words"]
LATE = PATIENCE * 1_000  # milliseconds
expect.set_options(timeout=LATE)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    """A server of the test's own, whose clients may ask often."""
    with served(tmp_path, requests_per_second=10_000) as running:
        yield running


@contextmanager
def sitting(
    browser: Browser,
    client: Client,
    match: str,
    *,
    viewport: ViewportSize = WIDE,
    touch: bool = False,
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
    context = browser.new_context(viewport=viewport, locale=language, has_touch=touch)
    context.set_default_timeout(LATE)
    if client.token:
        sign_in(context, client)
    watched = Watched(context, f"http://127.0.0.1:{client.port}")
    if before:
        watched.page.add_init_script(before)
    if through is not None:
        watched.page.route_web_socket("**/v1/socket", through)
    yield watched.open(f"/m/{match}")
    context.close()
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


def proved(client: Client, match: str) -> None:
    """The match is over, and its file is good."""
    fresh = Client(
        client.port, client.token
    )  # the server has closed the other one, which said nothing for long
    assert fresh.get(f"/v1/matches/{match}").json["status"] == "over"
    report = verify(fresh.get(f"/v1/matches/{match}/file").body)
    fresh.close()
    assert report.ok, report


def sendable(page: Page) -> bool:
    """Are there picks enough?"""
    return page.locator("#question [type=submit]").is_enabled()


# ── W4, W5: whole matches ──


def pick(page: Page, press: Callable[[Locator], None], luck: random.Random) -> bool:
    """Pick at something on the table, if it can be, else in the list; returns whether it was at a thing."""
    things = page.locator("#panels button.pickable:not(.picked), #board .space.pickable:not(.picked)")
    things = things.filter(visible=True)
    at_thing = things.count() > 0
    if not at_thing:
        things = page.locator("#question .option:has(input:not(:checked):not(:disabled)) label")
    press(one_of(things, luck))
    menu = page.locator(".thing-menu button:not(.close)")
    if menu.count():
        press(one_of(menu, luck))
    return at_thing


def one_of(found: Locator, luck: random.Random) -> Locator:
    """One of these elements, of which the page may draw some anew meanwhile."""
    found.first.wait_for()
    return found.nth(luck.randrange(max(1, found.count())))


def play_by_pointer(page: Page, press: Callable[[Locator], None], luck: random.Random) -> int:
    """Answer until the match is over; returns how often something on the table was picked."""
    at_things = 0
    while is_asked(page):
        old = question(page).get_attribute("data-question")
        at_things += pick(page, press, luck)
        while not sendable(page):
            at_things += pick(page, press, luck)
        press(page.locator("#question [type=submit]"))
        answered(page, old)
    return at_things


def play_by_keys(page: Page) -> None:
    """Answer until the match is over, by keys alone."""
    while is_asked(page):
        old = question(page).get_attribute("data-question")
        page.locator("#question fieldset:enabled").wait_for()  # keys do nothing while the last answer is sent
        for key in range(1, 10):
            page.keyboard.press(str(key))
            if page.locator("#question input:checked").count() and sendable(page):
                break
        page.keyboard.press("Enter")
        answered(page, old)


def clicked(found: Locator) -> None:
    """A click of a mouse."""
    found.click()


def tapped(found: Locator) -> None:
    """A touch of a finger."""
    found.tap()


@pytest.mark.parametrize(("viewport", "press"), [(WIDE, clicked), (NARROW, tapped)])
def test_a_match_is_played_to_its_end_by_pointer(
    server: Served, browser: Browser, viewport: ViewportSize, press: Callable[[Locator], None]
) -> None:
    """W4, small."""
    match, ann = against_a_bot(server)
    with sitting(browser, ann, match, viewport=viewport, touch=press is tapped) as page:
        assert play_by_pointer(page, press, random.Random(5)) > 3
    proved(ann, match)


def test_a_match_is_played_to_its_end_by_keyboard_alone(server: Served, browser: Browser) -> None:
    """W5, small."""
    match, ann = against_a_bot(server, seat=1)
    with sitting(browser, ann, match) as page:
        play_by_keys(page)
    proved(ann, match)


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("way", ["mouse", "touch", "keys"])
def test_a_match_of_each_game_is_played_to_its_end(
    server: Served, browser: Browser, game: str, way: str
) -> None:
    """W4, W5."""
    match, ann = against_a_bot(server, game)
    narrow = way == "touch"
    with sitting(browser, ann, match, viewport=NARROW if narrow else WIDE, touch=narrow) as page:
        if way == "keys":
            play_by_keys(page)
        else:
            assert play_by_pointer(page, tapped if narrow else clicked, random.Random(5)) > 3
    proved(ann, match)


# ── the panel ──


def test_the_options_are_a_list_and_the_same_on_the_board(server: Served, browser: Browser) -> None:
    match, ann = against_a_bot(server, "twilight_struggle", seat=1)
    asked = ann.get(f"/v1/matches/{match}/prompt").json
    with sitting(browser, ann, match) as page:
        question(page).wait_for()
        expect(page.locator("#question fieldset legend")).to_have_text(asked["why"])
        labels = page.locator("#question .option-name").all_inner_texts()
        assert labels == [option["label"] for option in asked["options"]]
        marked = page.eval_on_selector_all(
            "#board .pickable", "all => all.map((one) => one.dataset.id).sort()"
        )
        assert marked == sorted(id for option in asked["options"] for id in option["about"])
        space = page.locator(f"#s-{marked[0]}")
        space.click()
        expect(page.locator("#question input:checked")).to_have_value(marked[0])
        expect(space).to_contain_class("picked")
        page.keyboard.press("Escape")
        expect(page.locator("#question input:checked")).to_have_count(0)
        old = question(page).get_attribute("data-question")
        space.click()
        space.click()  # the second click sends
        answered(page, old)
        assert "Ann" not in page.locator("#moves li.move").last.inner_text()
        assert page.title().startswith("● ")


def test_several_picks_are_counted_and_those_that_fit_no_more_cannot_be_marked(
    server: Served, browser: Browser
) -> None:
    match, client, asked = with_several_picks(server)
    with sitting(browser, client, match) as page:
        question(page).wait_for()
        send, inputs = page.locator("#question [type=submit]"), page.locator("#question input[name=pick]")
        for n in range(asked["most"]):
            assert send.is_disabled() == (n < asked["least"])
            inputs.nth(n).click()
        expect(send).to_be_enabled()
        expect(page.locator("#question .count")).to_contain_text(str(asked["most"]))
        if len(asked["options"]) > asked["most"]:
            expect(inputs.nth(asked["most"])).to_be_disabled()
        old = question(page).get_attribute("data-question")
        send.click()
        answered(page, old)
    told = client.get(f"/v1/matches/{match}/moves").json["moves"]
    chosen = [option["pick"] for option in asked["options"][: asked["most"]]]
    assert any(move["picks"] == chosen for move in told if move["kind"] == "played")


def with_several_picks(server: Served) -> tuple[str, Client, Any]:
    """A match whose question wants several picks, its player, and the question."""
    luck = random.Random(0)
    while True:
        match, players = server.table("imperial_struggle")
        for _ in range(20):
            found = asked(match, players)
            if found is None:
                break
            if found[1]["least"] > 1:
                return match, found[0], found[1]
            played(match, players, luck)


# ── W23, W24, W26: live, breaks, nothing before the server's move ──


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


def test_an_answer_in_one_browser_is_on_the_table_of_the_others(server: Served, browser: Browser) -> None:
    """W23: without a reload, to a player and to a visitor."""
    match, players = server.table("cia_vs_kgb")
    with (
        sitting(browser, players[0], match) as one,
        sitting(browser, players[1], match) as two,
        sitting(browser, server.client(), match) as three,
    ):
        pages = [one, two]
        for page in (*pages, three):
            page.evaluate("window.notReloaded = true")
        for _ in range(4):
            who, _ = first_asked(match, players)
            last = players[0].get(f"/v1/matches/{match}").json["move"]
            answer(pages[who])
            for page in (*pages, three):
                page.locator(f'#moves .move[data-move="{last + 1}"]').wait_for(state="attached")
                assert numbers(page) == list(range(1, len(numbers(page)) + 1))
                assert page.locator("#bar input[type=number]").input_value() == str(len(numbers(page)))
        assert three.locator("#question form").count() == 0
        assert all(page.evaluate("window.notReloaded") for page in (*pages, three))


def test_what_was_played_since_the_own_last_move_is_shown_on_request(
    server: Served, browser: Browser
) -> None:
    """Given a match in which others answered since; when its page is opened; then it plays their moves."""
    match, players = server.table("cia_vs_kgb")
    source = random.Random(4)
    for _ in range(6):
        last = played(match, players, source)["move"]
    moves = players[0].get(f"/v1/matches/{match}/moves").json["moves"]
    own = {seat: max(one["move"] for one in moves if one.get("seat") == seat) for seat in ("cia", "kgb")}
    seat = min(own, key=lambda one: own[one])
    with sitting(browser, players[["cia", "kgb"].index(seat)], match) as page:
        shown, number = page.locator("#bar .meanwhile"), page.locator("#bar input[type=number]")
        expect(shown).to_have_text(re.compile(rf"^{last - own[seat]} moves? since yours"))
        expect(page.locator("#bar .mine-mark")).to_have_count(1)
        shown.click()
        expect(number).to_have_value(str(last))
        expect(page.locator("#bar [aria-pressed=true]")).to_have_text(f"Changes since move {own[seat]}")
        # an own answer ends the offer
        while first_asked(match, players)[0] != ["cia", "kgb"].index(seat):
            played(match, players, source)
        answer(page)
        expect(shown).to_be_hidden()


def test_both_pages_come_back_and_an_answer_sent_into_the_break_is_recorded_once(
    tmp_path: Path, browser: Browser
) -> None:
    """W24: the server stands still, an answer is sent, and it is killed."""
    location = str(tmp_path / "store")
    process = Process(location)
    clients = [Client(process.port), Client(process.port)]
    for client, name in zip(clients, ("Ann", "Ben"), strict=True):
        client.token = client.post("/v1/players", {"name": name}).json["token"]
    match = clients[0].post("/v1/matches", {"game": "cia_vs_kgb"}).json["match"]
    for client, seat in zip(clients, ("cia", "kgb"), strict=True):
        assert client.post(f"/v1/matches/{match}/seats/{seat}").status == 201
    with (
        sitting(browser, clients[0], match, faults=True) as one,
        sitting(browser, clients[1], match, faults=True) as two,
    ):
        pages = [one, two]
        who, _ = first_asked(match, clients)
        last = clients[0].get(f"/v1/matches/{match}").json["move"]
        os.kill(process.pid, signal.SIGSTOP)
        answer(pages[who])
        expect(pages[who].locator(".sent-line")).to_be_visible()
        process.kill()
        for page in pages:
            expect(page.locator(".link")).to_contain_text(f"move {last}")
        expect(pages[who].locator("#question [type=submit]")).to_be_disabled()
        again = Process(location, process.port)
        for page in pages:
            page.evaluate("dispatchEvent(new Event('online'))")
        for page in pages:
            page.locator(f'#moves .move[data-move="{last + 1}"]').wait_for(state="attached")
            expect(page.locator(".link")).to_be_hidden()
        for client in clients:
            client.close()
        other = clients[1 - who]
        if other.get(f"/v1/matches/{match}/prompt").status == 200:
            answer(pages[1 - who])
            for page in pages:
                page.locator(f'#moves .move[data-move="{last + 2}"]').wait_for(state="attached")
        told = other.get(f"/v1/matches/{match}/moves").json["moves"]
        for page in pages:
            assert numbers(page) == [move["move"] for move in told]
        seats = [move["seat"] for move in told if move["kind"] == "played"]
        assert len(seats) == len(told) - last
        assert seats.count(("cia", "kgb")[who]) >= 1
        for client in clients:
            client.close()
    again.close()
    process.close()


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


@pytest.fixture
def between() -> Between:
    """What stands between a page and the server."""
    return Between()


def test_an_answer_whose_reply_was_lost_is_sent_again_and_recorded_once(
    server: Served, browser: Browser, between: Between
) -> None:
    """W24: the answer was recorded, and then the connection broke."""
    match, ann = against_a_bot(server, "cia_vs_kgb")
    between.swallow = lambda reply: "facts" in (reply.get("done") or {})
    with sitting(browser, ann, match, through=between) as page:
        question(page).wait_for()
        old = question(page).get_attribute("data-question")
        answer(page)
        answered(page, old)
        expect(page.locator(".sent-line")).to_have_count(0)
        assert len(between.sent) == 2
        assert between.sent[0]["key"] == between.sent[1]["key"]
        told = ann.get(f"/v1/matches/{match}/moves").json["moves"]
        assert [move["seat"] for move in told if move["kind"] == "played"].count("cia") == 1
        assert page.evaluate("sessionStorage.length") == 0


def test_a_page_that_was_loaded_again_sends_what_was_not_answered(
    server: Served, browser: Browser, between: Between
) -> None:
    match, ann = against_a_bot(server, "cia_vs_kgb")
    between.hold = True
    with sitting(browser, ann, match, through=between) as page:
        question(page).wait_for()
        old = question(page).get_attribute("data-question")
        answer(page)
        expect(page.locator(".sent-line")).to_be_visible()
        between.hold = False
        page.reload()
        page.locator('#moves .move[data-move="5"]').wait_for(state="attached")
        answered(page, old)
        assert between.sent[0]["key"] == between.sent[1]["key"]
    told = ann.get(f"/v1/matches/{match}/moves").json["moves"]
    assert [move["seat"] for move in told if move["kind"] == "played"].count("cia") == 1


def test_what_is_marked_stays_when_the_other_seat_answers_the_same_question(
    server: Served, browser: Browser, between: Between
) -> None:
    """Both are asked at once; the push of the other answer may come without the question."""
    match, players = server.table("cia_vs_kgb")
    who, _ = first_asked(match, players)
    with sitting(browser, players[who], match, through=between) as page:
        question(page).wait_for()
        page.locator("#question input[name=pick]").nth(1).click()
        before = marked(page)
        between.alter = lambda message: {name: part for name, part in message.items() if name != "prompt"}
        body = players[1 - who].get(f"/v1/matches/{match}/prompt").json
        picks = {"expect": body["move"], "picks": [body["options"][0]["pick"]]}
        assert players[1 - who].post(f"/v1/matches/{match}/moves", picks).status == 201
        page.locator('#moves .move[data-move="4"]').wait_for(state="attached")
        assert marked(page) == before
        page.locator("#question [type=submit]").click()
        page.locator('#moves .move[data-move="5"]').wait_for(state="attached")


def test_a_move_that_got_lost_is_fetched_with_the_next_one(
    server: Served, browser: Browser, between: Between
) -> None:
    """Section 8: a gap in the moves loads the positions again."""
    match, players = server.table("twilight_struggle")
    luck = random.Random(1)
    with sitting(browser, players[0], match, through=between) as page:
        page.locator('#moves .move[data-move="3"]').wait_for(state="attached")
        between.drop = lambda message: message.get("move", {}).get("move") == 4
        for _ in range(3):
            played(match, players, luck)
        page.locator('#moves .move[data-move="6"]').wait_for(state="attached")
        assert numbers(page) == [1, 2, 3, 4, 5, 6]
        now = players[0].get(f"/v1/matches/{match}/scene").json["scene"]["board"]
        shown = page.eval_on_selector_all(
            "#board .space[data-ussr]",
            "all => Object.fromEntries(all.map(one => [one.id.slice(2), one.dataset.ussr]))",
        )
        assert shown == {space: str(slots["ussr"]) for space, slots in now.items() if "ussr" in slots}


def test_nothing_changes_before_the_move_of_the_server(
    server: Served, browser: Browser, between: Between
) -> None:
    """W26."""
    match, players = server.table("twilight_struggle")
    who, _ = first_asked(match, players)

    def table(page: Page) -> list[Any]:
        """The values on the board, and what panels and story say."""
        board = "all => all.map(one => [one.id, one.textContent, {...one.dataset}])"
        texts = [page.locator(place).text_content() for place in ("#panels", "#moves", "#status")]
        return [page.eval_on_selector_all("#board .space", board), *texts]

    with sitting(browser, players[who], match, through=between) as page:
        question(page).wait_for()
        before = table(page)
        between.hold = True
        answer(page)
        expect(page.locator(".sent-line")).to_be_visible()
        expect(page.locator("#question fieldset")).to_have_attribute("disabled", "")
        assert page.locator(".pickable").count() == 0
        page.evaluate("() => new Promise((done) => setTimeout(done, 300))")
        assert table(page) == before
        assert len(between.held) == 1
        between.release()
        page.locator('#moves .move[data-move="4"]').wait_for(state="attached")
        assert table(page) != before


# ── W27: refusals ──


def marked(page: Page) -> list[str]:
    """What is picked."""
    found: list[str] = page.eval_on_selector_all(
        "#question input:checked", "all => all.map((one) => one.value)"
    )
    return found


@pytest.mark.parametrize(
    ("language", "words"), [("en-GB", "is not among the options"), ("ru", "такого варианта")]
)
def test_an_illegal_answer_is_refused_in_words_and_its_picks_stay(
    server: Served, browser: Browser, between: Between, language: str, words: str
) -> None:
    """W27: the server's own refusal."""
    match, ann = against_a_bot(server, "cia_vs_kgb")
    between.change = lambda message: {**message, "picks": ["nonsense"], "key": message["key"] + "x"}
    with sitting(browser, ann, match, language=language, through=between) as page:
        question(page).wait_for()
        answer(page)
        expect(page.locator(".question-problem")).to_contain_text(words)
        assert len(marked(page)) == 1
        between.change = lambda message: message
        page.locator(".question-problem button").click()
        expect(page.locator(".question-problem")).to_be_empty()
        old = question(page).get_attribute("data-question")
        page.locator("#question [type=submit]").click()
        answered(page, old)


def test_a_stale_answer_brings_the_new_question_and_says_what_was_done(
    server: Served, browser: Browser, between: Between
) -> None:
    """W27: the same player has answered elsewhere while the answer of this page was on its way."""
    match, ann = against_a_bot(server, "twilight_struggle", seat=1)
    with sitting(browser, ann, match, through=between) as page:
        question(page).wait_for()
        between.hold = True
        answer(page)
        expect(page.locator(".sent-line")).to_be_visible()
        asked = ann.get(f"/v1/matches/{match}/prompt").json
        body = {"expect": asked["move"], "picks": [asked["options"][1]["pick"]]}
        assert ann.post(f"/v1/matches/{match}/moves", body).status == 201
        between.release()
        expect(page.locator(".question-problem")).to_contain_text("1 move was made meanwhile")
        now = ann.get(f"/v1/matches/{match}/prompt").json
        expect(question(page)).to_have_attribute("data-question", str(now["move"]))
        answer(page)
        answered(page, str(now["move"]))
        expect(page.locator(".question-problem")).to_be_empty()


@pytest.mark.parametrize(
    ("kind", "sentence", "way", "wait"),
    [
        ("in-doubt", "move-in-doubt", "Ask again", 0),
        ("unavailable", "store-unavailable", "Send again", 0),
        ("limit", "too-many-requests", "Send again", 1),
    ],
)
def test_what_may_be_sent_again_is_sent_again_with_the_same_key(
    server: Served, browser: Browser, between: Between, kind: str, sentence: str, way: str, wait: int
) -> None:
    """W27: refusals that come of the server's state."""
    match, ann = against_a_bot(server, "cia_vs_kgb")

    def refused(message: Any) -> None:
        problem = {"type": f"/problems/{kind}", "title": kind, "status": 503, "detail": sentence}
        reply = {"id": message["id"], "status": 503, "problem": problem}
        between.tell({**reply, "retry_after": wait} if wait else reply)

    between.change = refused
    with sitting(browser, ann, match, through=between) as page:
        question(page).wait_for()
        old = question(page).get_attribute("data-question")
        answer(page)
        expect(page.locator(".question-problem")).to_contain_text(sentence)
        assert len(marked(page)) == 1
        between.change = lambda message: message
        page.get_by_role("button", name=way).click()
        answered(page, old)
        expect(page.locator(".question-problem")).to_be_empty()
        assert [message["key"] for message in between.sent] == [between.sent[0]["key"]] * 2


def test_an_answer_that_was_not_recorded_can_be_changed(
    server: Served, browser: Browser, between: Between
) -> None:
    match, ann = against_a_bot(server, "cia_vs_kgb")
    problem = {"type": "/problems/unavailable", "title": "Unavailable", "status": 503, "detail": "later"}
    between.change = lambda message: between.tell({"id": message["id"], "status": 503, "problem": problem})
    with sitting(browser, ann, match, through=between) as page:
        question(page).wait_for()
        answer(page)
        page.get_by_role("button", name="Change the answer").click()
        assert page.evaluate("sessionStorage.length") == 0
        between.change = lambda message: message
        old = question(page).get_attribute("data-question")
        page.locator("#question input[name=pick]").nth(1).click()
        page.locator("#question [type=submit]").click()
        answered(page, old)
    assert between.sent[0]["key"] != between.sent[1]["key"]
    assert between.sent[0]["picks"] != between.sent[1]["picks"]


def test_text_of_the_server_is_text_on_the_page(server: Served, browser: Browser, between: Between) -> None:
    """Neither a refusal nor a label is ever markup."""
    match, ann = against_a_bot(server, "cia_vs_kgb")
    hostile = "<img src=x onerror=alert(1)>\u202e"
    problem = {
        "type": "/problems/illegal",
        "title": hostile,
        "status": 422,
        "detail": hostile,
        "rule": hostile,
    }
    between.change = lambda message: between.tell({"id": message["id"], "status": 422, "problem": problem})
    with sitting(browser, ann, match, through=between) as page:
        question(page).wait_for()
        answer(page)
        expect(page.locator(".question-problem")).to_contain_text("<img src=x")
        assert page.locator("#question img").count() == 0


# ── W28: takebacks and resignation ──


def more(page: Page) -> None:
    """Open the menu of what else a player may do."""
    if not page.locator("#question .more[open]").count():
        page.locator("#question .more summary").click()


def test_a_takeback_is_asked_shown_declined_agreed_and_lapses(server: Served, browser: Browser) -> None:
    """W28."""
    match, players = server.table("cia_vs_kgb")
    with sitting(browser, players[0], match) as one, sitting(browser, players[1], match) as two:
        pages = [one, two]
        who, _ = first_asked(match, players)
        mine, theirs = pages[who], pages[1 - who]
        shown = "asks to go back to the table after move"

        def done(move: int) -> None:
            for page in pages:
                page.locator(f'#moves .move[data-move="{move}"]').wait_for(state="attached")

        def ask() -> None:
            more(mine)
            mine.get_by_role("button", name="Ask to take back").click()
            expect(theirs.locator(".question-request")).to_contain_text(shown)
            expect(mine.locator(".question-request")).to_contain_text("You asked")
            assert mine.get_by_role("button", name="Agree").count() == 0

        def is_settled() -> None:
            for page in pages:
                expect(page.locator(".question-request")).to_be_empty()

        answer(mine)
        done(4)
        ask()
        theirs.get_by_role("button", name="Show that position").click()
        expect(theirs.locator("#bar input[type=number]")).to_have_value("3")
        theirs.locator("#question").get_by_role("button", name="Back to now").click()
        theirs.get_by_role("button", name="Decline").click()
        is_settled()
        expect(mine.locator('#moves .move[data-move="4"]')).not_to_contain_class("taken-back")
        ask()
        theirs.get_by_role("button", name="Agree").click()
        is_settled()
        for page in pages:
            expect(page.locator('#moves .move[data-move="4"]')).to_contain_class("taken-back")
        expect(question(mine)).to_have_count(1)
        last = players[0].get(f"/v1/matches/{match}").json["move"]
        answer(mine)
        done(last + 1)
        ask()
        answer(theirs)  # so the request lapses
        done(last + 3)
        is_settled()
        assert players[0].get(f"/v1/matches/{match}").json["request"] is None


def test_a_ruling_that_goes_back_is_on_the_page_at_once(server: Served, browser: Browser) -> None:
    match, players = server.table("cia_vs_kgb")
    with sitting(browser, players[0], match) as page:
        who, asked_first = first_asked(match, players)
        body = {"expect": asked_first["move"], "picks": [asked_first["options"][0]["pick"]]}
        assert players[who].post(f"/v1/matches/{match}/moves", body).status == 201
        page.locator('#moves .move[data-move="4"]').wait_for(state="attached")
        ruling = {"reason": "misheard", "back_to": 3}
        assert server.person("organizer").post(f"/v1/matches/{match}/rulings", ruling).status == 201
        expect(page.locator('#moves .move[data-move="4"]')).to_contain_class("taken-back")
        expect(page.locator('#moves .move[data-move="3"]')).not_to_contain_class("taken-back")
        assert server.client().get(f"/v1/matches/{match}/positions").json["moves"][3]["stands"] is False


def test_resignation_needs_two_steps(server: Served, browser: Browser) -> None:
    """W28."""
    match, ann = against_a_bot(server, "cia_vs_kgb")
    with sitting(browser, ann, match) as page:
        question(page).wait_for()
        more(page)
        page.get_by_role("button", name="Resign").click()
        page.get_by_role("button", name="Play on").click()
        assert ann.get(f"/v1/matches/{match}").json["status"] == "running"
        page.get_by_role("button", name="Resign").click()
        page.get_by_role("button", name="Yes, I resign").click()
        expect(page.locator(".link")).to_contain_text("The match is over")
        expect(page.locator("#question .more")).to_be_hidden()
        page.get_by_role("link", name="Open the replay").click()
        page.locator("#bar input[value=all]").wait_for()
    proved(ann, match)


# ── W6: a game for which no page was made ──


def test_a_made_up_game_is_played_through_the_page(
    toy_in_words: Game, server: Served, browser: Browser
) -> None:
    """W6: the game has a table and names; no scene, no drawing, no module of a browser."""
    match, players = server.table("toy")
    at_things = 0
    with sitting(browser, players[0], match) as one, sitting(browser, players[1], match) as two:
        pages = [one, two]
        while (found := asked(match, players)) is not None:
            who, old = players.index(found[0]), str(found[1]["move"])
            page = pages[who]
            page.locator(f'#question form[data-question="{old}"]').wait_for()
            picks = [option["pick"] for option in found[1]["options"]]
            cards = [pick for pick in picks if pick.startswith("card-")]
            if cards:
                page.locator(f'#panels button.pickable[data-id="{cards[0]}"]').click()
                at_things += 1
            else:  # a bid that is no tie, or the end of the turn
                page.locator(f'#question input[value="{"stop" if "stop" in picks else who}"]').click()
            page.locator("#question [type=submit]").click()
            answered(page, old)
        for page in pages:
            expect(page.locator(".link")).to_contain_text("The match is over")
    assert at_things
    assert server.client().get(f"/v1/matches/{match}").json["status"] == "over"


def test_players_who_change_places_go_on_at_the_other_seat(
    swap_game: Game, server: Served, browser: Browser
) -> None:
    match, players = server.table("swap")
    with sitting(browser, players[0], match) as one, sitting(browser, players[1], match) as two:
        for page, wish in ((one, LIGHT), (two, DARK)):
            question(page).wait_for()
            page.locator(f'#question input[value="{wish}"]').click()
            page.locator("#question [type=submit]").click()
        for page, seat in ((one, LIGHT), (two, DARK)):
            expect(page.locator(f"#bar input[value={seat}]")).to_be_checked()
            expect(page.locator(f'#panels [data-panel="hands.{seat}"] button')).to_have_count(1)
        who, found = first_asked(match, players)
        page = (one, two)[who]
        page.locator(f'#question form[data-question="{found["move"]}"]').wait_for()
        answer(page)
        answered(page, str(found["move"]))


# ── without a socket ──

NO_SOCKET = """
window.WebSocket = class {
  static OPEN = 1;
  constructor() { this.readyState = 3; setTimeout(() => this.onclose({ code: 1006 })); }
  send() {}
  close() {}
};
"""


def test_where_sockets_do_not_get_through_a_stream_and_requests_do(server: Served, browser: Browser) -> None:
    match, players = server.table("cia_vs_kgb")
    with (
        sitting(browser, players[0], match, before=NO_SOCKET) as one,
        sitting(browser, players[1], match) as two,
    ):
        pages = [one, two]
        for _ in range(5):
            who, _ = first_asked(match, players)
            last = players[0].get(f"/v1/matches/{match}").json["move"]
            expect(pages[who].locator("#question [type=submit]")).to_have_count(1)
            answer(pages[who])
            for page in pages:
                page.locator(f'#moves .move[data-move="{last + 1}"]').wait_for(state="attached")
        assert numbers(one) == list(range(1, len(numbers(one)) + 1))
        assert one.evaluate("sessionStorage.length") == 0


@pytest.mark.parametrize("kind", ["text/html", "text/plain"])
def test_what_a_proxy_answers_in_place_of_the_server_loses_no_answer(
    server: Served, browser: Browser, kind: str
) -> None:
    """W27: the answer was carried out, but its confirmation got lost behind a proxy; it is recorded once."""
    match, ann = against_a_bot(server, "cia_vs_kgb")
    keys: list[str] = []

    def lost(route: Route) -> None:
        keys.append(route.request.headers["idempotency-key"])
        if len(keys) > 1:
            return route.continue_()
        assert route.fetch().status == 201
        return route.fulfill(status=502, content_type=kind, body="<h1>502 Bad Gateway</h1>")

    with sitting(browser, ann, match, before=NO_SOCKET, faults=True) as page:
        page.route(
            "**/v1/matches/*/moves",
            lambda route: lost(route) if route.request.method == "POST" else route.continue_(),
        )
        expect(page.locator("#question [type=submit]")).to_have_count(1)
        old = question(page).get_attribute("data-question")
        answer(page)
        problem = page.locator(".question-problem")
        expect(problem).to_contain_text("The server does not answer")
        expect(problem).not_to_contain_text("502")
        page.get_by_role("button", name="Ask again").click()
        expect(problem).to_be_empty()
        answered(page, old)
    assert len(keys) == 2
    assert keys[0] == keys[1]
    moves = ann.get(f"/v1/matches/{match}/moves").json["moves"]
    assert [move["seat"] for move in moves if move["kind"] == "played"].count("cia") == 1


# ── signed out; phones; axe ──


def test_one_who_is_signed_out_elsewhere_is_led_to_the_sign_in(server: Served, browser: Browser) -> None:
    match, ann = against_a_bot(server, "cia_vs_kgb")
    with sitting(browser, ann, match, faults=True) as page:
        question(page).wait_for()
        admin = server.person("admin")
        assert admin.post(f"/v1/players/{ann.player}/revocation", {}).status == 201
        answer(page)
        expect(page.locator(".link")).to_contain_text("You are signed out")
        expect(page.locator("#question [type=submit]")).to_be_disabled()
        assert page.locator(".link a").get_attribute("href", timeout=LATE) == "/in"
    moves = server.client().get(f"/v1/matches/{match}/moves").json["moves"]
    assert not [move for move in moves if move["seat"] == "cia" and move["kind"] == "played"]


@pytest.mark.parametrize(
    ("viewport", "scheme", "language"), [(WIDE, "dark", "ru"), (NARROW, "light", "en-GB")]
)
def test_the_page_of_a_player_fits_a_phone_and_axe_finds_nothing_serious(
    server: Served, browser: Browser, viewport: ViewportSize, scheme: str, language: str
) -> None:
    """W3, W33, while a match is played."""
    match, players = server.table("twilight_struggle")
    luck = random.Random(2)
    while (found := asked(match, players)) is not None and found[1]["ask"] != "PlayCard":
        played(match, players, luck)
    assert found is not None
    with sitting(browser, found[0], match, viewport=viewport, language=language) as page:
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        more(page)
        if viewport == NARROW:
            page.locator("#tabs [data-tab=cards]").click()
        page.locator("#panels button.pickable:has(.value)").first.click()  # it can be played in several ways
        page.locator(".thing-menu button").first.wait_for()
        wide = page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        small = page.eval_on_selector_all(
            "#question button, #question .option label, #question summary, .thing-menu button",
            "all => all.filter((one) => one.offsetParent && one.getBoundingClientRect().height < 44)"
            ".map((one) => one.textContent)",
        )
        grave = [
            (one["id"], one["nodes"][0]["html"][:150])
            for one in Axe().run(page).response["violations"]
            if one["impact"] in ("serious", "critical")
        ]
        assert (wide, small, grave) == (True, [], [])


def test_eight_tabs_follow_eight_matches_and_a_ninth_page_opens(server: Served, browser: Browser) -> None:
    """W25: one socket for each tab, so no page waits for another one's connection."""
    context = browser.new_context(viewport=WIDE)
    matches = [server.table("thirteen_minutes") for _ in range(8)]
    tabs = [Watched(context, f"http://127.0.0.1:{server.port}") for _ in range(9)]
    for tab, (match, _) in zip(tabs, matches, strict=False):
        tab.open(f"/m/{match}")
    tabs[8].open("/")
    for tab, (_, (player, _)) in zip(tabs, matches, strict=False):
        assert player.post(f"/v1/matches/{match_of(tab)}/resignation", {}).status == 201
    for tab in tabs[:8]:
        tab.page.locator("#moves", has_text="resign").wait_for()
    for tab in tabs:
        assert tab.faults == []
    context.close()


def match_of(tab: Watched) -> str:
    return tab.page.url.split("/m/")[1].partition("?")[0]
