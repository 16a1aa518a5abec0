"""A match while it runs: moves are in all browsers, breaks lose nothing, nothing is shown early."""

from __future__ import annotations

import os
import random
import re
import signal
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from domain.chance import salt_hash
from domain.game import Game
from tests.api.http.playing import played
from tests.api.http.processes import Process
from tests.api.http.served import Client, Served
from tests.domain.swap import DARK, LIGHT
from tests.web.at_table import (
    NO_SOCKET,
    Between,
    against_a_bot,
    answer,
    answered,
    first_asked,
    marked,
    numbers,
    question,
    sitting,
)
from tests.web.browser import WIDE, Watched
from tests.web.test_motion import NOTE


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
        for _ in range(2):
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
        page.locator("#bar select").select_option("8")
        shown.click()
        expect(number).to_have_value(str(last))
        expect(page.locator("#bar [aria-pressed=true]")).to_have_text(f"Changes since move {own[seat]}")
        # an own answer ends the offer
        while first_asked(match, players)[0] != ["cia", "kgb"].index(seat):
            played(match, players, source)
        answer(page)
        expect(shown).to_be_hidden()


AFTER = """
import time
from pathlib import Path
import api.http.server
while not Path({path!r}).exists():
    time.sleep(0.01)
"""


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
        lost = tmp_path / "lost"
        with ThreadPoolExecutor() as threads:  # the next server loads its modules meanwhile
            starting = threads.submit(Process, location, process.port, first=AFTER.format(path=str(lost)))
            for page in pages:
                expect(page.locator(".link")).to_contain_text(f"move {last}")
            expect(pages[who].locator("#question [type=submit]")).to_be_disabled()
            lost.touch()
            again = starting.result()
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
    """Section 8: a gap in the moves loads the positions again; motion goes on after it."""
    match, players = server.table("twilight_struggle")
    luck = random.Random(1)
    with sitting(browser, players[0], match, through=between, before=f"({NOTE})()") as page:
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
        # and motion accompanies what is played from now on, to the first throw of dice
        page.locator(".dice").wait_for(state="attached")
        dice: list[int] = []
        while not dice:
            last = played(match, players, luck)["move"]
            told = players[0].get(f"/v1/matches/{match}/positions").json["moves"]
            dice = next((one["dice"] for one in told if one["move"] > 6 and one.get("dice")), [])
        page.locator(f'#moves .move[data-move="{last}"]').wait_for(state="attached")
        moved = page.evaluate("window.moved")
        assert [int(face) for kind, face in moved if kind == "die"][: len(dice)] == dice
        assert "card" in [kind for kind, _ in moved]


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


@pytest.mark.long
def test_players_who_change_places_go_on_at_the_other_seat(
    swap_game: Game, own_server: Served, browser: Browser
) -> None:
    match, players = own_server.table("swap")
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


def test_a_page_that_waits_for_the_other_player_says_who_sits_down(server: Served, browser: Browser) -> None:
    """And then opens the salt that the browser keeps, so that the match begins."""
    ann = server.player()
    match, salt = ann.post("/v1/matches", {"game": "cia_vs_kgb"}).json["match"], "twenty-two-letters-of-ann"
    committed = {"salt_hash": b64encode(salt_hash(match, "cia", salt)).decode()}
    assert ann.post(f"/v1/matches/{match}/seats/cia", committed).status == 201
    kept = f"sessionStorage.kept ??= localStorage['salt {match} cia'] = '{salt}'"
    with sitting(browser, ann, match, before=kept) as page:
        expect(page.locator(".players")).to_contain_text("free seat")
        assert ann.post(f"/v1/matches/{match}/seats/kgb", {"bot": "random"}).status == 201
        expect(page.locator(".players")).to_contain_text("bot random")
        expect(page.locator(".state .live")).to_be_visible()
        question(page).wait_for()


@pytest.mark.long
def test_where_sockets_do_not_get_through_a_stream_and_requests_do(server: Served, browser: Browser) -> None:
    match, players = server.table("cia_vs_kgb")
    with (
        sitting(browser, players[0], match, before=NO_SOCKET) as one,
        sitting(browser, players[1], match) as two,
    ):
        pages = [one, two]
        for _ in range(2):
            who, _ = first_asked(match, players)
            last = players[0].get(f"/v1/matches/{match}").json["move"]
            expect(pages[who].locator("#question [type=submit]")).to_have_count(1)
            answer(pages[who])
            for page in pages:
                page.locator(f'#moves .move[data-move="{last + 1}"]').wait_for(state="attached")
        assert numbers(one) == list(range(1, len(numbers(one)) + 1))
        assert one.evaluate("sessionStorage.length") == 0


@pytest.mark.parametrize("kind", ["text/html", pytest.param("text/plain", marks=pytest.mark.long)])
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
