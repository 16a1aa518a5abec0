"""An address names one position for ever: in another browser, and after a restart of the server."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser, Page

from tests.api.http.served import served
from tests.web.browser import WIDE, Watched
from tests.web.matches import bots_match

GAME = "imperial_struggle"


def looks(page: Page) -> tuple[str, ...]:
    """What the page shows: the board, the panels, and the line of the story."""
    board = page.eval_on_selector_all(
        ".board .space", "all => all.map(one => one.getAttribute('aria-label'))"
    )
    line = page.locator("#moves [aria-current]").inner_text()
    return (
        *board,
        page.locator("#panels").inner_text(),
        page.locator("#status").inner_text(),
        line,
        page.url,
    )


def test_an_address_shows_the_same_in_another_browser_and_after_a_restart(
    browser: Browser, tmp_path: Path
) -> None:
    """W15."""
    seen: list[tuple[str, ...]] = []
    match, port = "", 0
    for start in range(2):
        with served(tmp_path, port=port) as server:
            match, port = match or bots_match(server, GAME, 60), server.port
            for _ in range(2 - start):
                context = browser.new_context(viewport=WIDE, locale="en-GB")
                watched = Watched(context, f"http://127.0.0.1:{server.port}")
                seen.append(looks(watched.open(f"/m/{match}?move=57&view=fr")))
                assert watched.faults == []
                context.close()
    assert len(seen) == 3
    assert seen[0] == seen[1] == seen[2]
    assert seen[0][-1].endswith(f"/m/{match}?move=57&view=fr")
