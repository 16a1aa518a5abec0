"""All pages: axe finds nothing serious, in both languages, light and dark, wide and narrow."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import cycle, product
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser

from domain.games import GAMES
from domain.texts import LANGUAGES
from tests.api.http.served import Served
from tests.web.axe import violations
from tests.web.browser import NARROW, WIDE, lent

Look = tuple[bool, Literal["light", "dark"], str]  # narrow, colours, language
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark", "dark", "light")
LOOKS: list[Look] = [
    (number % 2 == 1, scheme, language) for language in LANGUAGES for number, scheme in enumerate(SCHEMES)
]
QUICK = "twilight_struggle"
LISTS = ("", "new", "cia_vs_kgb", "bot:random", "turns", "sit")


def addresses(finished: dict[str, str], games: Iterable[str]) -> list[str]:
    """A page of each kind, and one for each of the games."""
    matches = [f"/m/{finished[game]}?move=20" for game in games]
    over = f"/m/{finished['thirteen_minutes']}"
    lists = ["/", "/new", "/s/cia_vs_kgb", "/p/bot:random", f"{over}/turns", f"{over}/sit"]
    return [*matches, *lists, f"{over}/audit", "/in", "/verify", "/m/none"]


def found_on(
    browser: Browser, house: Served, wanted: Iterable[tuple[str, Look]], *, whole: bool = False
) -> list[str]:
    """What axe finds on these pages, each looked at in one way, that hinders a reader much."""
    found: list[str] = []
    for address, (narrow, scheme, language) in wanted:
        options: dict[str, Any] = {"viewport": NARROW if narrow else WIDE, "locale": "en-GB"}
        options |= {"color_scheme": "dark"} if scheme == "dark" else {}
        joint = "&" if "?" in address else "?"
        with lent(browser, f"http://127.0.0.1:{house.port}", **options) as watched:
            page = watched.open(f"{address}{joint}lang={language}", refused=address.endswith("none"))
            found += [f"{address} {scheme} {language}: {one}" for one in violations(page, whole=whole)]
    return found


def test_axe_finds_nothing_serious_on_any_page(
    browser: Browser, house: Served, finished: dict[str, str]
) -> None:
    """W3: each page in one way, in turns; those of lists are looked at in test_lobby.py, one game here."""
    pages = addresses(finished, [QUICK])
    wanted = [page for page in pages if page.partition("?")[0].rpartition("/")[2] not in LISTS]
    assert found_on(browser, house, zip(wanted, cycle(LOOKS), strict=False)) == []


ANALYSIS = (
    "/find?game=thirteen_minutes&where=us in cuba >= 1",
    "/find?where=ussr controls iram",
    "/explore/thirteen_minutes",
    "/queries?query=tm_end_modes",
    "/compare?game=thirteen_minutes&a=p-us&b=p-ussr",
)
"""The pages over a data set, each with something to show."""


def test_axe_finds_nothing_serious_on_pages_over_a_data_set(browser: Browser, studied: Served) -> None:
    """W3 for the pages of an analyst, small: a search."""
    assert found_on(browser, studied, zip(ANALYSIS[:1], cycle(LOOKS), strict=False)) == []


@pytest.mark.long
def test_axe_finds_nothing_serious_on_any_page_over_a_data_set(browser: Browser, studied: Served) -> None:
    """W3 for the pages of an analyst."""
    assert found_on(browser, studied, zip(ANALYSIS, cycle(LOOKS), strict=False), whole=True) == []


@pytest.mark.long
def test_axe_finds_nothing_serious_on_any_page_in_any_way(
    browser: Browser, house: Served, finished: dict[str, str]
) -> None:
    """W3: each page in every way."""
    assert found_on(browser, house, product(addresses(finished, GAMES), LOOKS), whole=True) == []
