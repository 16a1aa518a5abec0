"""Which cards may lie face down: the page lists, on request, what the own view has not placed elsewhere."""

from __future__ import annotations

import random

import pytest
from playwright.sync_api import Browser, expect

from tests.api.http.playing import played
from tests.api.http.served import Served
from tests.waiting import PATIENCE
from tests.web.browser import WIDE, Watched, sign_in

expect.set_options(timeout=PATIENCE * 1_000)
FACE_DOWN = {
    "imperial_struggle": ("hands.fr", "ministries.fr", "war", "basics.fr"),
    "cia_vs_kgb": ("sent", "objectives", "groups"),
}
"""Panels in which something lies face down in the first turn; the last one stays the same at first."""


@pytest.mark.parametrize("game", [pytest.param("imperial_struggle", marks=pytest.mark.long), "cia_vs_kgb"])
def test_a_panel_lists_what_may_lie_face_down_in_it(house: Served, browser: Browser, game: str) -> None:
    # Given a match in which both sides have laid cards face down
    match, players = house.table(game)
    for _ in range(4):
        played(match, players, random.Random(1))
    path = f"/v1/matches/{match}/scene?candidates=true&view="
    seat = next(iter(players[0].get(f"/v1/matches/{match}").json["seats"]))
    told = players[0].get(f"{path}{seat}").json["candidates"]
    words = players[0].get(f"/v1/games/{game}?lang=en").json["names"]
    context = browser.new_context(viewport=WIDE, locale="en-GB")
    context.set_default_timeout(PATIENCE * 1_000)
    sign_in(context, players[0])
    watched = Watched(context, f"http://127.0.0.1:{house.port}")
    page = watched.open(f"/m/{match}")
    for panel in FACE_DOWN[game]:
        # When its player asks what these may be
        box = page.locator(f'.may-be[data-of="{panel}"]')
        box.locator("summary").click()
        # Then the page lists what the player's own view has nowhere else
        found = next(name for name in told if name == panel or name.startswith(f"{panel}."))
        expect(box.locator("li")).to_have_text([words[id] for id in told[found]])
    # And a list on show is made anew at another move
    before = page.locator("#bar input[type=number]").input_value()
    with page.expect_response(lambda answer: f"at={int(before) - 1}&" in answer.url) as fetched:
        page.keyboard.press("ArrowLeft")
    there = fetched.value.json()["candidates"]
    expect(box.locator("li")).to_have_text([words[id] for id in there[panel]])
    # And no one else gets this view
    assert players[1].get(f"{path}{seat}").status == 403
    assert house.client().get(f"{path}{seat}").status == 403
    context.close()
    assert watched.faults == []
