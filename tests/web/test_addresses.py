"""An address names one position: in another browser, after a restart, and after a change of the rules."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from domain.games import GAMES
from tests.api.http.served import served
from tests.web.browser import WIDE, Watched
from tests.web.matches import bots_match

Starts = tuple[tuple[int, bool], ...]
"""For each start of the server: visits of new browsers, and whether the rules have changed since."""


def looks(page: Page) -> tuple[str, ...]:
    """What the page shows: the board, the panels, and the line of the story."""
    board = page.eval_on_selector_all(
        ".board .space", "all => all.map(one => one.getAttribute('aria-label'))"
    )
    # the text of the document: a line that the browser has not laid out yet has no inner text
    line = page.eval_on_selector_all(
        "#moves [aria-current] > :not(.possible)", "all => all.map(one => one.textContent)"
    )
    return (
        *board,
        page.locator("#panels").inner_text(),
        page.locator("#status").inner_text(),
        *line,
        page.url,
    )


@pytest.mark.parametrize(
    ("game", "view", "starts"),
    [
        ("twilight_struggle", "us", ((2, False), (1, True))),
        pytest.param("imperial_struggle", "fr", ((2, False), (1, False), (1, True)), marks=pytest.mark.long),
    ],
)
def test_an_address_shows_the_same_in_another_browser_after_a_restart_and_after_a_change_of_rules(
    game: str, view: str, starts: Starts, browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """W15: another hash of the rules stands for rules that changed since the match was played."""
    seen: list[tuple[str, ...]] = []
    match, port = "", 0
    for visits, other_rules in starts:
        if other_rules:
            monkeypatch.setitem(vars(GAMES[game]), "rules", "0" * 16)
        with served(tmp_path, port=port) as server:
            match, port = match or bots_match(server, game, 60), server.port
            checked = server.client().get(f"/v1/matches/{match}/verification").json
            assert ("0" * 16 in str(checked)) == other_rules, checked
            for _ in range(visits):
                context = browser.new_context(viewport=WIDE, locale="en-GB")
                watched = Watched(context, f"http://127.0.0.1:{server.port}")
                seen.append(looks(watched.open(f"/m/{match}?move=57&view={view}")))
                assert watched.faults == []
                context.close()
    assert len(seen) == sum(visits for visits, _ in starts)
    assert set(seen) == {seen[0]}
    assert seen[0][-1].endswith(f"/m/{match}?move=57&view={view}")
