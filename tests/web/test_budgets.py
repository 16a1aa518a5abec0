"""Budgets of the page of a match: bytes, requests, modules and layout shift (times: `ops/bench/web.py`)."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import msgspec
from playwright.sync_api import Browser

from domain.games import GAMES
from domain.match_base import ALL, Chair
from replay import matchfile
from replay.scenes.positions import positions
from replay.words import Words
from tests.api.http.served import Served
from tests.cli.program import process
from tests.web.browser import WIDE, Watched

SCRIPTS = 100_000  # bytes of scripts, as they are transferred
INTERACTIVE = 200_000  # bytes until the page is interactive
MODULES = 12  # until the page is interactive
SHIFT = 0.05
SCENES, PACKED, MOVES = 60_000, 30_000, 437  # bytes of a match of so many moves
NOTE = """() => {
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const one of list.getEntries()) if (!one.hadRecentInput) window.shifts.push(one.value);
  }).observe({ type: "layout-shift", buffered: true });
}"""


def test_the_page_of_a_match_is_interactive_within_its_budgets(
    browser: Browser, house: Served, finished: dict[str, str]
) -> None:
    """W8."""
    for game in GAMES:
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
        eager = {name for name in imported if not name.endswith("possible.js")}  # fetched when idle
        assert len(eager) <= MODULES, sorted(eager)
        assert page.evaluate("window.shifts.reduce((sum, one) => sum + one, 0)") < SHIFT, game
        assert watched.faults == []
        context.close()


def test_the_positions_of_a_long_match_are_small(tmp_path: Path) -> None:
    """W9.  The match has 334 moves: scenes are as small for each move as 437 moves allow."""
    file = tmp_path / "long.glasnost"
    with process("play", "twilight_struggle", "--seed", "32", "--out", file) as played:
        assert played.wait() == 0
    match = matchfile.read(file).match()
    assert match.move > 300
    told = positions(match, Chair(ALL), words=Words(match, "en"))
    scenes = sum(len(msgspec.json.encode(move.scene)) for move in told.moves)
    assert scenes <= SCENES * match.move / MOVES
    assert len(gzip.compress(msgspec.json.encode(told))) <= PACKED
