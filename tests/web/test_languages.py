"""The switch of the language: every visible text changes, except names."""

from __future__ import annotations

import re

from playwright.sync_api import Browser

from tests.api.http.served import Served
from tests.web.browser import WIDE, Watched

TEXTS = """() => {
  const found = new Set(), walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, element = node.parentElement;
    if (element.closest("script, style, noscript, [data-name], bdi, .site, code, .board .flag")) continue;
    if (node.data.trim() && element.checkVisibility()) found.add(node.data.trim());
  }
  for (const element of document.querySelectorAll("[aria-label], [title], [placeholder]")) {
    if (!element.checkVisibility()) continue;
    for (const name of ["aria-label", "title", "placeholder"]) found.add(element.getAttribute(name) ?? "");
  }
  return [...found];
}"""
NAMES = {
    "Glasnost",
    "Opener",
    "CSV",
    "DEFCON",
    *(f"DEFCON {level}" for level in range(1, 6)),
}  # also in Russian
IDS = re.compile(
    r"[\w+/=.-]*[\d/=][\w+/=.-]*"
)  # ids, labels of draws and roots are the same in all languages
KEYS = re.compile(r"\b[a-z]+(_[a-z]+)+\b")  # of texts, fields and ids: they have names


def test_the_switch_of_the_language_changes_every_text(
    browser: Browser, house: Served, finished: dict[str, str]
) -> None:
    """W36."""
    match = finished["thirteen_minutes"]
    pages = ["/", "/new", "/in", "/s/cia_vs_kgb", "/m/none", f"/m/{match}/turns", f"/m/{match}/audit"]
    pages += [f"/{kind}/{each}?move=20" for each in finished.values() for kind in ("m", "embed")]
    same: dict[str, list[str]] = {}
    for path in pages:
        shown: dict[str, set[str]] = {}
        for language in ("en", "ru"):
            context = browser.new_context(viewport=WIDE, locale="en-GB")
            watched = Watched(context, f"http://127.0.0.1:{house.port}")
            joint = "&" if "?" in path else "?"
            page = watched.open(f"{path}{joint}lang={language}", refused=path.endswith("none"))
            shown[language] = set(page.evaluate(TEXTS))
            context.close()
        words = {text for text in shown["en"] & shown["ru"] if re.search(r"[^\W\d_]{2}", text)} - NAMES
        words = {text for text in words if text.strip(" .:;,") not in NAMES and not IDS.fullmatch(text)}
        raw = {text for text in shown["en"] | shown["ru"] if KEYS.search(text)}
        if words | raw:
            same[path] = sorted(words | raw)
    assert same == {}
