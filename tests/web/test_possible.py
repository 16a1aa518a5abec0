"""What else was possible: under an answer the page lists the options of its question."""

from __future__ import annotations

import random

import pytest
from playwright.sync_api import Browser, expect

from domain.games import GAMES
from tests.api.http.playing import played
from tests.api.http.served import Served
from tests.web.browser import WIDE, Watched, sign_in


@pytest.mark.parametrize(
    ("game", "count"),
    [
        ("thirteen_minutes", 2),
        *(pytest.param(game, 5, marks=pytest.mark.long) for game in GAMES),
    ],
)
def test_an_answer_of_a_match_that_is_over_shows_all_options_of_its_question(
    game: str, count: int, watched: Watched, finished: dict[str, str], house: Served
) -> None:
    match, client = finished[game], house.client()
    page = watched.open(f"/m/{match}")
    moves = client.get(f"/v1/matches/{match}/moves?view=all").json["moves"]
    answers = [move for move in moves if move["kind"] == "played"]
    for move in random.Random(game).sample(answers, count):
        number = move["move"]
        page.locator("#bar input[type=number]").fill(str(number))
        page.locator("#bar input[type=number]").press("Enter")
        box = page.locator(f'#moves .move[data-move="{number}"] .possible')
        box.locator("summary").click()
        asked = client.get(f"/v1/matches/{match}/prompt?at={number - 1}&view={move['seat']}").json
        expect(box.locator("p")).to_have_text(asked["why"])
        labels = [option["label"] for option in asked["options"]]
        assert [one.removeprefix("✓ ") for one in box.locator("li").all_inner_texts()] == labels
        picked = [option["label"] for option in asked["options"] if option["pick"] in move["picks"]]
        assert [one.removeprefix("✓ ") for one in box.locator(".was-picked").all_inner_texts()] == picked
        assert page.locator("#moves .possible").count() == 1


def test_during_a_match_only_the_own_answers_show_it(house: Served, browser: Browser) -> None:
    match, players = house.table("cia_vs_kgb")
    for _ in range(6):
        played(match, players, random.Random(1))
    moves = players[0].get(f"/v1/matches/{match}/moves").json["moves"]
    context = browser.new_context(viewport=WIDE, locale="en-GB")
    sign_in(context, players[0])
    watched = Watched(context, f"http://127.0.0.1:{house.port}")
    for seat in ("cia", "kgb"):
        for move in [one for one in moves if one["kind"] == "played" and one["seat"] == seat][-1:]:
            page = watched.open(f"/m/{match}?move={move['move']}")
            page.locator(f'#moves .move[data-move="{move["move"]}"][aria-current]').wait_for()
            box = page.locator("#moves .possible")
            if move["seat"] == "cia":
                box.locator("summary").click()
                expect(box.locator("li").first).to_be_visible()
            else:
                assert box.count() == 0
    context.close()
    assert watched.faults == []
