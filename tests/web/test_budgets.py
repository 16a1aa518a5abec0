"""Budgets of the page of a match: bytes, requests, modules and layout shift (times: `ops/bench/web.py`)."""

from __future__ import annotations

import gzip
from random import Random
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser

from domain.games import GAMES
from domain.match_base import ALL, Chair
from replay.scenes.positions import positions
from replay.words import Words
from tests.api.http.served import Served
from tests.replay.scenes.matches import whole
from tests.web.browser import WIDE, Watched

SCRIPTS = 100_000  # bytes of scripts, as they are transferred
INTERACTIVE = 200_000  # bytes until the page is interactive
MODULES = 12  # until the page is interactive
IDLE = (
    "possible.js",
    "card_text.js",
    "candidates.js",
    "motion.js",
)  # modules that are fetched when nothing else is to be done
SHIFT = 0.05
SCENES, PACKED, MOVES = 60_000, 30_000, 437  # bytes of a match of so many moves
LONG = 20  # the seed of a match of 460 moves
START, DAY = 1_790_000_000_000_000, 86_400_000_000  # microseconds
NOTE = """() => {
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const one of list.getEntries()) if (!one.hadRecentInput) window.shifts.push(one.value);
  }).observe({ type: "layout-shift", buffered: true });
}"""


@pytest.mark.parametrize(
    "games", [["imperial_struggle"], pytest.param(list(GAMES), marks=pytest.mark.long)], ids=["one", "all"]
)
def test_the_page_of_a_match_is_interactive_within_its_budgets(
    games: list[str], browser: Browser, house: Served, finished: dict[str, str]
) -> None:
    """W8: the page of the largest board, and those of all games."""
    for game in games:
        # given a browser with an empty cache, which notes what it loads until the page is interactive
        context = browser.new_context(viewport=WIDE)
        watched = Watched(context, f"http://127.0.0.1:{house.port}")
        watched.page.add_init_script(f"({NOTE})()")
        loaded: list[tuple[str, int]] = []
        network = context.new_cdp_session(watched.page)
        network.send("Network.enable")
        addresses: dict[str, str] = {}

        def answered(event: dict[str, Any], known: dict[str, str] = addresses) -> None:
            known[event["requestId"]] = event["response"]["url"]

        def finished_one(
            event: dict[str, Any],
            known: dict[str, str] = addresses,
            into: list[tuple[str, int]] = loaded,
        ) -> None:
            into.append((known.get(event["requestId"], ""), int(event["encodedDataLength"])))

        network.on("Network.responseReceived", answered)
        network.on("Network.loadingFinished", finished_one)
        # when it opens the page
        page = watched.open(f"/m/{finished[game]}?move=20")
        until = page.evaluate(
            "performance.getEntriesByType('resource').map((one) => [one.name, one.initiatorType])"
        )
        page.wait_for_timeout(50)
        # then scripts, everything, and modules stay within their budgets, and nothing jumps
        imported = {name for name, _ in until if name.endswith(".js")}
        scripts = [(name, size) for name, size in loaded if name.endswith(".js")]
        assert scripts
        assert sum(size for _, size in scripts) <= SCRIPTS
        assert sum(size for _, size in loaded) <= INTERACTIVE
        eager = {name for name in imported if not name.endswith(IDLE)}
        assert len(eager) <= MODULES, sorted(eager)
        assert sum(name.endswith(".css") for name, _ in until) == 1
        # and what the script reads first was asked for with it, once
        early = [name for name, by in until if by == "link"]
        assert len([name for name in early if "/positions?" in name or "/v1/games/" in name]) == 2
        assert sum("/positions?" in name for name, _ in until) == 1
        assert page.evaluate("window.shifts.reduce((sum, one) => sum + one, 0)") < SHIFT, game
        assert watched.faults == []
        context.close()


@pytest.mark.parametrize("language", ["ru", pytest.param("en", marks=pytest.mark.long)])
def test_positions_of_a_long_match_are_small(language: str) -> None:
    """W9: as the page loads them, each move at a time that no gzip foresees."""
    match, source = whole("twilight_struggle", LONG), Random(1)
    assert match.move > MOVES
    told = positions(match, Chair(ALL), words=Words(match, language), templates=True)
    times = sorted(START + source.randrange(DAY) for _ in told.moves)
    told = replace(
        told, moves=tuple(replace(move, at=at) for move, at in zip(told.moves, times, strict=True))
    )
    scenes = sum(len(msgspec.json.encode(move.scene)) for move in told.moves)
    packed = len(gzip.compress(msgspec.json.encode(told), 9, mtime=0))
    assert scenes / match.move <= SCENES / MOVES
    assert packed / match.move <= PACKED / MOVES
