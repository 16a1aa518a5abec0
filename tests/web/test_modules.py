"""The modules of the browser: who imports whom, what none may do, and that none knows a game."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import api.web
from domain.games import GAMES
from replay.game_words import game_words

STATIC = Path(api.web.__file__).parent / "static"
MODULES = {path.relative_to(STATIC).as_posix(): path.read_text("utf-8") for path in STATIC.rglob("*.js")}
STYLES = {path.relative_to(STATIC).as_posix(): path.read_text("utf-8") for path in STATIC.rglob("*.css")}
MAY_IMPORT = {  # a folder imports from these, and a page from all
    "base": {"base"},
    "data": {"base", "data"},
    "parts": {"base", "data"},
    "pages": {"base", "data", "parts"},
}
REFUSED = (
    "innerHTML",
    "outerHTML",
    "insertAdjacentHTML",
    "document.write",
    "eval(",
    "new Function",
    "console.",
    'setAttribute("style"',
    'localStorage.setItem("token',
)
WORDS = {
    *(
        "board",
        "both",
        "card",
        "cards",
        "clear",
        "end",
        "left",
        "media",
        "none",
        "radio",
        "right",
        "round",
        "space",
        "tiles",
        "turn",
    ),
}
"""Ids of games that are plain words of any page."""


def imports(text: str) -> list[str]:
    """The addresses that a module imports."""
    return re.findall(r'(?:import|from)\s*\(?\s*"([^"]+)"', text)


def test_folders_import_from_those_below_them_alone() -> None:
    assert MODULES
    for name, text in MODULES.items():
        home = name.partition("/")[0]
        for address in imports(text):
            assert address.startswith("."), f"{name} imports {address}"
            target = ((STATIC / name).parent / address).resolve().relative_to(STATIC)
            assert (STATIC / target).is_file(), f"{name} imports {address}"
            assert target.parts[0] in MAY_IMPORT[home], f"{name} imports {address}"


@pytest.mark.parametrize("name", MODULES)
def test_a_module_is_checked_says_what_it_is_and_does_nothing_that_the_policy_refuses(name: str) -> None:
    text = MODULES[name]
    first, second = text.split("\n")[:2]
    assert first == "// @ts-check"
    assert second.startswith("/**"), "a module begins with what it is"
    assert not [word for word in REFUSED if word in text]
    assert not re.search(r"\son\w+=[\"']", text), "a listener is no attribute"


@pytest.mark.parametrize("game", GAMES)
def test_no_id_of_a_game_occurs_in_what_the_browser_runs(game: str) -> None:
    """W7."""
    words = game_words(GAMES[game], "en")
    ids = {game, *words.names, *(seat.id for seat in words.seats)} - WORDS
    found = {
        id: name
        for name, text in {**MODULES, **STYLES}.items()
        for id in ids & set(re.findall(r"[\w-]+", re.sub(r"/\*.*?\*/|//.*", "", text, flags=re.DOTALL)))
    }
    assert found == {}
