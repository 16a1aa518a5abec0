"""The pages of a tournament in which each pair plays both sides: rounds, boards, entrants, desk, form."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.api.http.served import Client, served
from tests.web.axe import violations
from tests.web.browser import NARROW
from tests.web.signed import visitors
from tests.web.tournament_hall import NAMES, Hall, form

FIRST = ("1-0", "½", "1-0", "1-0", "½", "½", "+-")  # the last board of the round has no result yet


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    """A tournament in its first round, with one of eight matches still to be played."""
    with served(tmp_path_factory.mktemp("sides"), requests_per_second=10_000) as server:
        found = Hall(server, sides="both", tie_breaks=["GP", "BH", "LOT"])
        found.post("entries", do="draw_lot", label="lot/colour", n=2)
        found.pair()
        for board, result in enumerate(FIRST, 1):
            about = {"reason": "agreed", "text": "played at the club"}
            found.post(f"rounds/1/boards/{board}/rulings", result=result, **about)
        yield found


def html(client: Client, path: str, language: str = "en") -> str:
    """A page, with its characters as they are and without its tags."""
    answer = client.get(path, accept_language=language)
    assert answer.status == 200, answer
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", unescape(answer.body.decode())))


def pair_of(hall: Hall, board: int) -> Any:
    """What the pair of a board comes to, as the API has it."""
    return hall.director.get(f"{hall.path}/rounds/1/boards/{board}").json["pair"]


def test_each_board_says_what_both_matches_come_to(hall: Hall) -> None:
    assert pair_of(hall, 1) == {"board": 2, "w": 3, "b": 1, "result": "1-0"}
    assert pair_of(hall, 2) == {"board": 1, "w": 1, "b": 3, "result": "0-1"}
    assert pair_of(hall, 4) == {"board": 3, "w": 2, "b": 2, "result": "½"}
    assert pair_of(hall, 8) == {"board": 7, "w": 0, "b": 2, "result": ""}
    boards = hall.director.get(f"{hall.path}/rounds/1").json["boards"]
    assert [one["pair"]["board"] for one in boards] == [2, 1, 4, 3, 6, 5, 8, 7]
    assert [boards[0][side]["entrant"] for side in "wb"] == [boards[1][side]["entrant"] for side in "bw"]


def test_the_pages_show_the_sum_of_both_matches_in_both_languages(hall: Hall) -> None:
    visitor = hall.server.client()
    page = html(visitor, hall.page)
    assert re.search(r"1 \+ 2 .* 1½ : ½ .* both matches together", page)
    assert re.search(r"7 \+ 8 .* 1 : 0 .* both matches so far", page)
    assert "each pair plays two matches, the sides exchanged" in page
    assert "сумма двух партий" in html(visitor, hall.page, "ru")
    board = html(visitor, f"{hall.page}/rounds/1/boards/2")
    assert "its other match: Board 1 · both matches together: ½ : 1½" in board
    assert "другая партия: Доска 1" in html(visitor, f"{hall.page}/rounds/1/boards/2", "ru")
    first = hall.director.get(f"{hall.path}/rounds/1/boards/1").json["w"]["entrant"]
    entrant = html(visitor, f"{hall.page}/entrants/{first}")
    assert "both sides" in entrant
    assert "(1½ : ½)" in entrant
    standings = html(visitor, f"{hall.page}/standings?explain={first}")
    assert "GP = 1½" in standings


def test_a_player_finds_both_boards_and_both_tasks(hall: Hall) -> None:
    entrant = hall.director.get(f"{hall.path}/rounds/1/boards/7").json["w"]["entrant"]
    player = hall.players[int(entrant[1:]) - 1]
    page = html(player, hall.page)
    assert "To your board 7 To your board 8" in page
    tasks = player.get(f"/v1/players/{player.player}/tasks").json["tasks"]
    assert [one["board"] for one in tasks if one["kind"] == "play"] == [8]


def test_the_form_announces_both_sides_with_game_points_first(hall: Hall) -> None:
    sent = {"title": "Both", "game": "cia_vs_kgb/", "clock": "none", "both_sides": "true"}
    for fields in ({"format": "swiss", "rounds": 3}, {"format": "league", "divisions": "4, 4"}):
        made = form(hall.director, "/t/new", **sent, **fields)
        assert made.status == 303, made
        name = made.headers["location"].split("/")[2]
        terms = hall.director.get(f"/v1/tournaments/{name}").json["terms"]
        assert (terms["sides"], terms["tie_breaks"][0]) == ("both", "GP")
    knockout = {"format": "knockout", "best_of": 2}  # its page hides the choice, which is not read
    name = form(hall.director, "/t/new", **sent, **knockout).headers["location"].split("/")[2]
    assert hall.director.get(f"/v1/tournaments/{name}").json["terms"]["sides"] == "colours"
    mixed = {"format": "stages", "stage.1.format": "swiss", "stage.1.rounds": 3, "best_of": 1}
    wrong = form(
        hall.director, "/t/new", **sent, **mixed, **{"stage.2.format": "knockout", "stage.2.entrants": 4}
    )
    assert wrong.status == 422
    assert 'id="wrong-both_sides"' in wrong.body.decode()
    many = form(hall.director, "/t/new", **sent, format="swiss", rounds=3, most_entrants=501)
    assert 'id="wrong-most_entrants"' in many.body.decode()


def test_the_desk_drafts_both_boards_and_exchanges_pairs(hall: Hall) -> None:
    other = Hall(hall.server, sides="both")
    other.post("entries", do="draw_lot", label="lot/colour", n=2)
    draft = other.post("rounds").json
    assert len(draft["boards"]) == 8
    other.post("rounds/1", draft_sha256=draft["draft_sha256"])
    a, b = draft["boards"][0]["w"], draft["boards"][2]["w"]
    desk = html(other.director, f"{other.page}/desk?a={a}&b={b}")
    names = [NAMES[int(one[1:]) - 1] for one in (b, draft["boards"][0]["b"], a, draft["boards"][2]["b"])]
    assert f"{names[0]} – {names[1]} {names[2]} – {names[3]}" in desk  # pairs, not matches
    fields = {
        "do": "change",
        "expect": other.entry,
        "a": a,
        "b": b,
        "reason": "request",
        "text": "They agreed.",
    }
    assert form(other.director, f"{other.page}/desk", **fields).status == 303
    boards = other.director.get(f"{other.path}/rounds/1").json["boards"]
    assert [one["w"]["entrant"] for one in boards[:4]] == [
        b,
        draft["boards"][0]["b"],
        a,
        draft["boards"][2]["b"],
    ]
    changes = {"reason": "request", "text": "Back."}
    pairs = [{"w": one["w"]["entrant"], "b": one["b"]["entrant"]} for one in boards[::2]]
    assert other.post("rounds/1/changes", boards=pairs, **changes).status == 201


def test_the_pages_are_accessible_and_fit_a_narrow_screen(hall: Hall, browser: Browser) -> None:
    with visitors(browser, hall.server) as people:
        narrow = people.page(hall.director, size=NARROW, locale="ru-RU", dark=True)
        for path in (hall.page, f"{hall.page}/rounds/1/boards/1"):
            page = narrow.open(path)
            assert violations(page) == [], path
            assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"], path
