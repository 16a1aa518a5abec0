"""What axe finds on a page that hinders a reader much."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

GRAVE = ("serious", "critical")
OPTIONS = {"resultTypes": ["violations"]}  # of what is right, not every element is listed
SHORTENED = """() => {
  const alike = ["#moves .move", "#moves tbody tr", "#board .space"];
  for (const one of alike) [...document.querySelectorAll(one)].slice(12).forEach((more) => more.remove());
}"""
"""Leaves twelve lines of a story, rows of a table and spaces; the others are made like them."""


def violations(page: Page, *, whole: bool = False) -> list[str]:
    """What hinders a reader seriously or critically: the rule and the elements, by axe.

    Args:
        whole: look at all of long lists, which takes several times as long; else they are shortened first.
    """
    if not whole:
        page.evaluate(SHORTENED)
    return [
        f"{one['id']}: " + "; ".join(node["html"][:120] for node in one["nodes"][:3])
        for one in Axe().run(page, options=OPTIONS).response["violations"]
        if one["impact"] in GRAVE
    ]
