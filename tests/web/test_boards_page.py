"""Scoreboards and pages of players: the numbers are those of the API, and pools are never mixed."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from domain.games import GAMES
from tests.api.http.served import Client, Served, served
from tests.web.matches import bots_match
from tests.web.signed import Visitors, visitors

GAME = "cia_vs_kgb"


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with three rated matches and one of bots."""
    with served(tmp_path_factory.mktemp("boards")) as running:
        yield running


@pytest.fixture(scope="module")
def players(hall: Served) -> list[Client]:
    """Ann, who won two of three, Ben, who lost as often, and Eve, who has not played."""
    ann, ben, eve = (hall.player(name) for name in ("Ann", "Ben", "Eve"))
    for loser in (ben, ben, ann):
        told = ann.post("/v1/matches", {"game": GAME}).json
        for seat, player in zip(told["seats"], (ann, ben), strict=True):
            player.post(f"/v1/matches/{told['match']}/seats/{seat}")
        assert loser.post(f"/v1/matches/{told['match']}/resignation").status == 201
    bots_match(hall, GAME)
    return [ann, ben, eve]


@pytest.fixture
def people(browser: Browser, hall: Served) -> Iterator[Visitors]:
    with visitors(browser, hall) as found:
        yield found


def cells(html: str) -> list[list[str]]:
    """The rows of the first table of a page, as text."""
    body = html.split("<tbody>")[1].split("</tbody>")[0]
    rows = re.findall(r"<tr.*?</tr>", body, re.DOTALL)
    return [
        [
            " ".join(re.sub(r"<[^>]+>", " ", cell).split())
            for cell in re.findall(r"<t[dh].*?</t[dh]>", row, re.DOTALL)
        ]
        for row in rows
    ]


def test_board_shows_the_numbers_of_the_api(hall: Served, players: list[Client]) -> None:
    told = hall.client().get(f"/v1/scoreboards/{GAME}").json
    html = hall.client().get(f"/s/{GAME}").body.decode()
    assert [row[:4] for row in cells(html)] == [
        [told["names"][row["player"]], str(row["rating"]), str(row["played"]), str(row["won"])]
        for row in told["standings"]
    ]
    assert [row[0] for row in cells(html)] == ["Ann", "Ben"]
    assert "2 (67 %)" in html
    assert "resignation" in html


def test_board_of_a_pool_holds_its_matches_alone(hall: Served, players: list[Client]) -> None:
    html = hall.client().get(f"/s/{GAME}?pool=bots").body.decode()
    assert cells(html) == [["bot random", "2", "1", *(row for row in cells(html)[0][3:])]]
    assert "Rating</th>" not in html
    assert "Ann" not in html
    empty = hall.client().get(f"/s/{GAME}?pool=solo").body.decode()
    assert "<tbody>" not in empty


@pytest.mark.parametrize("query", ["?pool=x", "?edition=x", "?after=x", "?pool=live&color=red", "?after=%00"])
def test_board_takes_what_it_does_not_know_for_the_usual(
    hall: Served, players: list[Client], query: str
) -> None:
    """W14."""
    answer = hall.client().get(f"/s/{GAME}{query}")
    assert answer.status == 200
    assert cells(answer.body.decode()) == cells(hall.client().get(f"/s/{GAME}").body.decode())


def test_numbers_from_few_matches_say_so(hall: Served, players: list[Client]) -> None:
    html = hall.client().get(f"/s/{GAME}").body.decode()
    assert "Numbers from fewer than 10 matches say little." in html
    assert html.count('<tr class="few">') == 2


def test_every_game_has_a_board_in_both_languages(hall: Served) -> None:
    for game in GAMES:
        english, russian = (
            hall.client().get(f"/s/{game}", accept_language=language).body.decode()
            for language in ("en", "ru")
        )
        assert "scoreboard" in english
        assert "таблица результатов" in russian


def test_table_is_sorted_by_the_column_whose_head_is_clicked(players: list[Client], people: Visitors) -> None:
    page = people.page().open(f"/s/{GAME}")
    first = page.locator("tbody tr:first-child th")
    expect(first).to_have_text("Ann")
    page.locator("thead button", has_text="Won").first.click()
    expect(first).to_have_text("Ann")
    page.locator("thead button", has_text="Won").first.click()
    expect(first).to_have_text("Ben")
    assert page.locator("th[aria-sort]").get_attribute("aria-sort") == "ascending"


def test_page_of_a_player_shows_matches_ratings_and_opponents(
    hall: Served, players: list[Client], people: Visitors
) -> None:
    ann, ben, _ = players
    told = hall.client().get(f"/v1/players/{ann.player}/matches").json
    page = people.page().open(f"/p/{ann.player}")
    rows = page.locator("table").nth(1).locator("tbody tr")
    expect(rows).to_have_count(len(told["matches"]))
    outcomes = [row["seating"]["outcome"] for row in told["matches"]]
    assert [rows.nth(n).locator("td").nth(2).inner_text() for n in range(len(outcomes))] == outcomes
    latest = told["matches"][0]["rating"]
    assert rows.first.locator("td").nth(3).inner_text().startswith(str(latest["after"]))
    assert page.locator(".rating-line circle").count() == len(told["matches"])
    against = page.locator("table").last.locator("tbody tr")
    assert against.all_inner_texts() == ["Ben\t3\t2"]
    page.locator("a", has_text="Ben").first.click()
    page.wait_for_url(f"**/p/{ben.player}")


def test_player_without_matches_has_a_page(hall: Served, players: list[Client]) -> None:
    html = hall.client().get(f"/p/{players[2].player}").body.decode()
    assert "<h1><bdi>Eve</bdi></h1>" in html
    assert "No matches yet." in html


def test_filter_of_a_player_shows_one_game(hall: Served, players: list[Client]) -> None:
    html = hall.client().get(f"/p/{players[0].player}?game=twilight_struggle").body.decode()
    assert "No matches yet." in html
