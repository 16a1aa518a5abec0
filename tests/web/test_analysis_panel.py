"""The analysis in the replay room: asked for by a button, with links to moves, by keyboard and on a phone."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from api.bots import analysis
from domain.games import GAMES
from tests.api.http.served import Client, Served, served
from tests.matches import finished
from tests.replay.files import file_of
from tests.web.browser import NARROW, WIDE
from tests.web.signed import visitors

GAME = "thirteen_minutes"


def put(client: Client, seed: int) -> str:
    """A match that is over."""
    match = finished(GAMES[GAME], seed, name=f"room-{seed}").match
    sent = client.send("POST", "/v1/replays", file_of(match), {"content-type": "application/zip"})
    assert sent.status == 201, sent
    return match.id


def analysed(page: Page, *, phone: bool = False) -> None:
    """Ask for the analysis by keyboard, and wait for it."""
    if phone:
        page.get_by_role("tab").nth(1).click()
    page.locator("#analysis > summary").focus()
    page.keyboard.press("Enter")
    page.locator("#analysis button.primary").focus()
    page.keyboard.press("Enter")
    page.locator("#analysis .analysed").first.wait_for()


@pytest.mark.parametrize("language", [pytest.param("en-GB", marks=pytest.mark.long), "ru-RU"])
def test_a_player_asks_for_the_analysis_and_follows_a_turning_point(
    language: str, browser: Browser, server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The numbers are those of the API; a link leads to its move without loading the page again."""
    monkeypatch.setattr(analysis, "PLAYOUTS", 4)
    ann = server.player()
    match = put(ann, 41 + (language == "ru-RU"))
    size, phone = (WIDE, False) if language == "en-GB" else (NARROW, True)
    with visitors(browser, server) as people:
        page = people.page(ann, size=size, locale=language).open(f"/m/{match}?move=5")
        analysed(page, phone=phone)
        told = ann.get(f"/v1/matches/{match}/analysis", accept_language=language).json
        circles = page.locator("#analysis .chart .point")
        moves = [int(circles.nth(i).get_attribute("data-move") or 0) for i in range(circles.count())]
        assert moves == told["turning_points"]
        rows = page.locator("#analysis details tbody tr")
        assert rows.count() == len(told["moves"])
        turn = page.locator("#analysis .analysed a").first
        said = next(one["said"] for one in told["moves"] if one["move"] == moves[0])
        expect(page.locator("#analysis .analysed li").first).to_contain_text(said)
        turn.focus()
        page.keyboard.press("Enter")
        page.wait_for_url(f"**move={moves[0]}*")
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]


def test_a_visitor_is_led_to_sign_in_and_a_page_without_scripts_has_a_link(
    browser: Browser, server: Served
) -> None:
    match = put(server.player(), 44)
    with visitors(browser, server) as people:
        seen = people.page(scripts=False)
        seen.page.goto(f"http://127.0.0.1:{server.port}/m/{match}?move=5")
        seen.page.locator("#analysis > summary").click()
        link = seen.page.locator("#analysis a")
        assert link.get_attribute("href") == f"/v1/matches/{match}/analysis"
        page = people.page().open(f"/m/{match}?move=5")
        page.locator("#analysis > summary").click()
        page.locator("#analysis button.primary").click()
        page.wait_for_url("**/in?next=*")
        people._pages[-1].faults.clear()  # the browser notes the 401


def test_a_running_match_offers_none(server: Served) -> None:
    match, players = server.table(GAME)
    assert 'id="analysis"' not in players[0].get(f"/m/{match}").body.decode()


def test_without_processes_the_button_says_so(browser: Browser, tmp_path: Path) -> None:
    with served(tmp_path, bot_workers=0) as bare:
        ann = bare.player()
        match = put(ann, 45)
        with visitors(browser, bare) as people:
            page = people.page(ann).open(f"/m/{match}?move=5")
            page.locator("#analysis > summary").click()
            page.locator("#analysis button.primary").click()
            expect(page.locator("#analysis .outcome")).to_contain_text("GLASNOST_BOT_WORKERS=0")
            people._pages[-1].faults.clear()  # the browser notes the 501
