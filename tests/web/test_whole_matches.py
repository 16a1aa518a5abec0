"""Whole matches are played through the page: by pointer, by touch, by keys, and one of a made-up game."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Locator, Page, ViewportSize, expect

from domain.game import Game
from domain.games import GAMES
from tests.api.http.conftest import toy_in_words
from tests.api.http.playing import asked, played
from tests.api.http.served import Client, Served
from tests.web.at_table import against_a_bot, answered, is_asked, proved, question, sitting
from tests.web.browser import NARROW, WIDE

__all__ = ["toy_in_words"]
EARLY = 10  # answers of a match of 13 Minutes that a program gives, of about 20


def sendable(page: Page) -> bool:
    """Are there picks enough?"""
    return page.locator("#question [type=submit]").is_enabled()


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


def late_in_a_match(server: Served, seat: int = 0) -> tuple[str, Client]:
    """A match against a bot, of which half of the player's answers are given."""
    match, ann = against_a_bot(server, seat=seat)
    for number in range(EARLY):
        played(match, [ann], random.Random(number))
    return match, ann


@pytest.mark.parametrize(
    ("viewport", "press"), [pytest.param(WIDE, clicked, marks=pytest.mark.long), (NARROW, tapped)]
)
def test_a_match_is_played_to_its_end_by_pointer(
    server: Served, browser: Browser, viewport: ViewportSize, press: Callable[[Locator], None]
) -> None:
    """W4, small: the last answers of a match."""
    match, ann = late_in_a_match(server)
    with sitting(browser, ann, match, viewport=viewport, touch=press is tapped) as page:
        assert play_by_pointer(page, press, random.Random(5)) > 0
    proved(ann, match)


def test_a_match_is_played_to_its_end_by_keyboard_alone(server: Served, browser: Browser) -> None:
    """W5, small: the last answers of a match."""
    match, ann = late_in_a_match(server, seat=1)
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


# ── W6: a game for which no page was made ──


def test_a_made_up_game_is_played_through_the_page(
    toy_in_words: Game, own_server: Served, browser: Browser
) -> None:
    """W6: the game has a table and names; no scene, no drawing, no module of a browser."""
    match, players = own_server.table("toy")
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
    assert own_server.client().get(f"/v1/matches/{match}").json["status"] == "over"
