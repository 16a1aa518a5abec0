"""A match turn by turn: the sentences of the API, the key moments, and boards before and after."""

from __future__ import annotations

import html
import re

import pytest

from domain.games import GAMES
from tests.api.http.served import Served
from tests.web.browser import Watched


def text_of(client_page: bytes) -> str:
    """What a reader of the page sees, without its elements."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", client_page.decode())).split())


def joined(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("language", ["en", "ru"])
def test_page_says_what_the_turns_of_the_api_say(
    game: str, language: str, house: Served, finished: dict[str, str]
) -> None:
    client = house.client()
    told = client.get(f"/v1/matches/{finished[game]}/turns", accept_language=language).json
    page = client.get(f"/m/{finished[game]}/turns", accept_language=language)
    assert page.status == 200
    text = text_of(page.body)
    for view in told["turns"]:
        assert joined(view["told"]["heading"]) in text
        for play in view["told"]["plays"]:
            for sentence in play["sentences"]:
                assert joined(sentence) in text
    assert all(joined(moment["why"][0]) in text for moment in told["moments"])
    assert page.body.decode().count('<section class="turn-part"') == len(told["turns"])


def test_moments_are_at_most_twelve_and_lead_to_their_turn(
    watched: Watched, finished: dict[str, str], house: Served
) -> None:
    """W18."""
    for game, match in finished.items():
        told = house.client().get(f"/v1/matches/{match}/turns").json["moments"]
        page = watched.open(f"/m/{match}/turns")
        links = page.locator(".key-moments a")
        assert 1 <= links.count() == len(told) <= 12, game
        for number, moment in enumerate(told):
            assert links.nth(number).get_attribute("href") == f"#t{moment['turn']}"
            assert page.locator(f"#t{moment['turn']}").count() == 1


def test_boards_before_and_after_a_turn_are_drawn(watched: Watched, finished: dict[str, str]) -> None:
    page = watched.open(f"/m/{finished['twilight_struggle']}/turns")
    pictures = page.locator(".turn-part").first.locator("img")
    assert pictures.count() == 2
    pictures.first.scroll_into_view_if_needed()
    drawn = pictures.evaluate_all(
        """all => Promise.all(all.map((one) => one.decode().then(() => one.naturalWidth)))"""
    )
    assert all(width > 0 for width in drawn)
    other = watched.open(f"/m/{finished['cia_vs_kgb']}/turns")
    assert other.locator("img").count() == 0


def test_page_of_a_running_match_names_no_hidden_card(house: Served) -> None:
    """W13."""
    match, players = house.table("twilight_struggle")
    hand = players[0].get(f"/v1/matches/{match}").json["table"]["hands"]["us"]
    names = house.client().get("/v1/games/twilight_struggle?lang=en").json["names"]
    for client in (house.client(), players[1]):
        for query in ("", "?view=us", "?view=all"):
            page = client.get(f"/m/{match}/turns{query}")
            assert page.status == 200
            assert not [card for card in hand if names[card] in text_of(page.body)]
    assert any(names[card] in text_of(players[0].get(f"/m/{match}/turns?view=us").body) for card in hand)


@pytest.mark.parametrize(
    "query", ["?after=x", "?after=-1", "?after=99999999999", "?view=nobody", "?after=1.x"]
)
def test_nonsense_in_the_address_is_no_error(house: Served, finished: dict[str, str], query: str) -> None:
    """W14."""
    answer = house.client().get(f"/m/{finished['cia_vs_kgb']}/turns{query}")
    assert answer.status == 200
