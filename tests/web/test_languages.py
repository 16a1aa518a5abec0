"""The switch of the language: every visible text changes, except names."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

import pytest
from playwright.sync_api import Browser

from domain.games import GAMES
from domain.texts import LANGUAGES
from tests.api.http.served import Client, Served
from tests.web.signed import visitors
from tests.web.test_accessibility import ANALYSIS

TEXTS = """() => {
  const found = new Set(), walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, element = node.parentElement;
    if (element.closest("script, style, noscript, [data-name], [data-lang], bdi, .site, code")) continue;
    if (node.data.trim() && element.checkVisibility()) found.add(node.data.trim());
  }
  for (const element of document.querySelectorAll("[aria-label], [title], [placeholder]")) {
    if (!element.checkVisibility() || element.matches("[data-lang]")) continue;
    for (const name of ["aria-label", "title", "placeholder"]) found.add(element.getAttribute(name) ?? "");
  }
  return [...found];
}"""
NAMES = {"Glasnost", "Opener", "Ann", "CSV", "DEFCON", *(f"DEFCON {level}" for level in range(1, 6))}
NAMES |= {"Chrome, Linux"}  # what a session says of its browser; also in Russian
IDS = re.compile(r"[\w+/=.-]*[\d/=][\w+/=.-]*|[\d: -]+ UTC")  # ids, labels of draws, roots, times
KEYS = re.compile(r"\b[a-z]+(_[a-z]+)+\b")  # of texts, fields and ids: they have names


def test_the_switch_of_the_language_changes_every_text(
    browser: Browser, house: Served, finished: dict[str, str]
) -> None:
    """W36, small: some of the pages, and two games, one framed and one with a question."""
    seen = ["/", "/verify", f"/m/{finished['thirteen_minutes']}/audit"]
    seen.append(f"/embed/{finished['cia_vs_kgb']}?move=20")
    ann = house.player()
    (match,) = asked_of(house, ann, ["twilight_struggle"])
    own = ["/in", f"/p/{ann.player}", f"/m/{match}"]
    assert same_texts(browser, house, ((None, seen), (ann, own)), finished.values()) == {}


@pytest.mark.long
def test_the_switch_changes_every_text_of_each_game(
    browser: Browser, house: Served, finished: dict[str, str]
) -> None:
    """W36: the pages as a visitor sees them, and as a player sees their own, with a question of each game."""
    short = finished["thirteen_minutes"]
    seen = ["/", "/new", "/in", "/verify", "/s/cia_vs_kgb", "/m/none"]
    seen += [f"/m/{short}/turns", f"/m/{short}/audit"]
    seen += [f"/{kind}/{finished[game]}?move=20" for game in GAMES for kind in ("m", "embed")]
    ann = house.player()
    own = ["/", "/in", f"/p/{ann.player}", *(f"/m/{match}" for match in asked_of(house, ann, GAMES))]
    assert same_texts(browser, house, ((None, seen), (ann, own)), finished.values()) == {}


@pytest.mark.parametrize("pages", [ANALYSIS[::4], pytest.param(ANALYSIS, marks=pytest.mark.long)])
def test_the_switch_changes_every_text_of_pages_over_a_data_set(
    browser: Browser, studied: Served, pages: Sequence[str]
) -> None:
    assert same_texts(browser, studied, ((None, pages),)) == {}


def same_texts(
    browser: Browser,
    house: Served,
    wanted: Sequence[tuple[Client | None, Sequence[str]]],
    matches: Collection[str] = (),
) -> dict[str, list[str]]:
    """By page: texts that are the same in both languages, and keys in place of texts."""
    same: dict[str, list[str]] = {}
    with visitors(browser, house) as people:
        for reader, paths in wanted:
            pages = {language: people.page(reader) for language in LANGUAGES}
            for path in paths:
                joint, missing = "&" if "?" in path else "?", path.endswith("none")
                shown: dict[str, set[str]] = {}
                for language, watched in pages.items():
                    page = watched.open(f"{path}{joint}lang={language}", refused=missing)
                    shown[language] = set(page.evaluate(TEXTS))
                both = {text for text in shown["en"] & shown["ru"] if re.search(r"[^\W\d_]{2}", text)}
                words = {
                    text
                    for text in both
                    if text.strip(" .:;,") not in {*NAMES, *matches} and not IDS.fullmatch(text)
                }
                raw = {text for text in shown["en"] | shown["ru"] if KEYS.search(text)}
                if words | raw:
                    same[path] = sorted(words | raw)
    return same


def asked_of(house: Served, player: Client, games: Iterable[str]) -> list[str]:
    """A running match of each game in which this player is asked something."""
    matches = []
    for game in games:
        match = str(player.post("/v1/matches", {"game": game}).json["match"])
        for seat in GAMES[game].seats:
            assert player.post(f"/v1/matches/{match}/seats/{seat}").status == 201
        matches.append(match)
    return matches
