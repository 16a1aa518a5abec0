"""Players are found by how their names begin, without a script."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

import pytest
from playwright.sync_api import Browser, expect

from tests.api.http.served import Client, Served, served
from tests.web.axe import violations
from tests.web.browser import NARROW
from tests.web.signed import visitors

EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with many players whose names begin alike."""
    with served(tmp_path_factory.mktemp("club")) as server:
        for number in range(60):
            server.store.people.add(f"Фёдор {number:02}", "player")
        server.store.people.add(EVIL, "player")
        yield server


def found(client: Client, query: str, **headers: str) -> list[str]:
    """The names that a page lists."""
    answer = client.get(f"/players?{query}", **headers)
    assert answer.status == 200
    assert answer.headers["cache-control"] == "no-store"
    return [unescape(name) for name in re.findall(r"<li><a [^>]*><bdi>(.*?)</bdi>", answer.body.decode())]


def test_a_search_lists_fifty_players_and_leads_to_the_others(club: Served) -> None:
    ann = club.player()
    first = found(ann, "q=%D1%84%D1%91%D0%B4")  # in small letters
    assert first == [f"Фёдор {number:02}" for number in range(50)]
    more = re.search(r'href="\?(q=[^"]+after=[^"]+)"', ann.get("/players?q=%D1%84%D1%91%D0%B4").body.decode())
    assert more is not None
    assert found(ann, unescape(more[1])) == [f"Фёдор {number:02}" for number in range(50, 60)]


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("q=zz", "Нет игрока, чьё имя так начинается"),
        ("q=z", "Введите хотя бы 2 буквы"),
        (f"q={'z' * 65}", "не больше 64 букв"),
        (f"q={'%00' * 3}", "Нет игрока"),
        ("q=%25%25&after=nonsense", "Нет игрока"),
        ("q=", "Имя начинается на"),
    ],
)
def test_a_search_that_finds_nothing_says_why_in_the_language_of_the_page(
    club: Served, query: str, said: str
) -> None:
    ann = club.player()
    assert found(ann, f"{query}&lang=ru") == []
    assert said in ann.get(f"/players?{query}&lang=ru").body.decode()


def test_visitors_are_led_to_sign_in_and_searches_are_counted(club: Served) -> None:
    visitor = club.client().get("/players?q=%D1%84%D1%91%D0%B4").body.decode()
    assert "<bdi>" not in visitor
    assert 'href="/in?next=/players' in visitor
    ann = club.player()
    statuses = [ann.get("/players?q=zz").status for _ in range(61)]
    assert (statuses[0], statuses[-1]) == (200, 429)


def test_a_name_is_text_and_the_page_fits_a_phone(club: Served, browser: Browser) -> None:
    """W2, W3, W33."""
    with visitors(browser, club) as people:
        page = people.page(club.player(), size=NARROW, dark=True).open("/players")
        page.get_by_role("searchbox").fill("<IMG")
        page.get_by_role("button", name="Find").click()
        expect(page.locator(".players-list bdi")).to_have_text(EVIL)
        assert page.locator("main img").count() == 0
        assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
        assert violations(page) == []
