"""The page of a match in a real browser: first view, one step, a jump, what jumps leave in memory.

The match is the longest of some that bots play.  First view: an empty cache, slow 4G (150 ms, 1.6 Mbit/s)
and a processor slowed four times; aims: painted within 1 s, ready within 1.5 s; the floor is a page without
content from the same server.  Steps and jumps set the move and force a layout, at full speed (aim: 16 ms at
the median); the floor is to set one text of the page and force a layout.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from _bench import QUICK, milliseconds, say
from _load import server
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

GAME = "thirteen_minutes" if QUICK else "twilight_struggle"
MATCHES, VISITS = (1, 1) if QUICK else (40, 5)
STEPS, JUMPS = (5, 5) if QUICK else (400, 300)
WARM, MANY = (5, 10) if QUICK else (200, 2_000)  # jumps before memory is measured
SIZE: ViewportSize = {"width": 1280, "height": 800}
SLOW = {"offline": False, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 93_750}
FINDER = Path(__file__).parents[1] / "lib" / "browser.py"
EMPTY = "/healthz"

STEP = """async ([jumps, count]) => {
  const base = document.querySelector("script[type=module]").src.replace(/pages.*/, "base/page.js");
  const page = await import(base), times = [], last = page.get("last");
  let seed = 1;
  for (let i = 0; i < count; i++) {
    seed = (seed * 48271) % 2147483647;
    const move = jumps ? 1 + (seed % last) : 1 + (i % last), began = performance.now();
    page.set({ move, pushed: false });
    document.body.offsetHeight;
    times.push((performance.now() - began) / 1000);
  }
  return times;
}"""
FLOOR = """(count) => {
  const times = [], text = document.querySelector("#moves .number").firstChild;
  for (let i = 0; i < count; i++) {
    const began = performance.now();
    text.data = String(i);
    document.body.offsetHeight;
    times.push((performance.now() - began) / 1000);
  }
  return times;
}"""
PAINTED = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? performance.now()"


def main() -> None:
    """Four lines."""
    with tempfile.TemporaryDirectory() as store, chromium() as browser:
        arguments = ("-m", "api.cli.main", "serve", "--store", store, "--port", "0", "--empty")
        with server(*arguments) as real:
            origin = f"http://127.0.0.1:{real.port}"
            match, moves = _longest(origin)
            address = f"{origin}/m/{match}?move={moves // 2}"
            _first_view(browser, origin, address, moves)
            context = browser.new_context(viewport=SIZE)
            page = context.new_page()
            page.goto(address)
            _ready(page)
            floor = page.evaluate(FLOOR, JUMPS)
            for name, jumps, count in (("one step", False, STEPS), ("a random jump", True, JUMPS)):
                _compare(name, page.evaluate(STEP, [jumps, count]), floor, moves)
            _memory(page)
            context.close()


@contextmanager
def chromium() -> Iterator[Browser]:
    """A running Chromium: the one that the tests use."""
    found = subprocess.run(
        [sys.executable, str(FINDER), "--print"], capture_output=True, text=True, check=True
    )
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-dev-shm-usage", "--enable-precise-memory-info"]
        yield playwright.chromium.launch(executable_path=found.stdout.strip(), args=arguments)


def _longest(origin: str) -> tuple[str, int]:
    """The longest of some matches between bots: its id, and its moves."""
    token = _call(f"{origin}/v1/players", {"name": "Bench"})["token"]
    lengths: dict[str, int] = {}
    for _ in range(MATCHES):
        opened = _call(f"{origin}/v1/matches", {"game": GAME}, token)
        address = f"{origin}/v1/matches/{opened['match']}"
        for seat in opened["seats"]:
            _call(f"{address}/seats/{seat}", {"bot": "random"}, token)
        while (seen := _call(address))["status"] != "over":
            time.sleep(0.02)
        lengths[opened["match"]] = seen["move"]
    match = max(lengths, key=lambda id: lengths[id])
    return match, lengths[match]


def _call(address: str, body: dict[str, str] | None = None, token: str = "") -> Any:
    head = {"content-type": "application/json"} | ({"authorization": f"Bearer {token}"} if token else {})
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(address, data, head)) as answer:
        return json.load(answer)


def _first_view(browser: Browser, origin: str, address: str, moves: int) -> None:
    painted, ready, floor = list[float](), list[float](), list[float]()
    for _ in range(VISITS):
        floor.append(_visit(browser, origin + EMPTY)[0])
        times = _visit(browser, address)
        painted.append(times[0])
        ready.append(times[1])
    shown, least = milliseconds(painted, 0.5), milliseconds(floor, 0.5)
    say(
        f"first view of a match of {moves} moves, slow 4G, CPU / 4",
        f"painted {shown:.0f} ms (aim: 1000), ready {milliseconds(ready, 0.5):.0f} ms (aim: 1500); floor: a"
        f" page without content {least:.0f} ms; ratio {shown / least:.1f}",
    )


def _visit(browser: Browser, address: str) -> tuple[float, float]:
    """When a page was painted and when its script was ready, in seconds; with an empty cache."""
    context = browser.new_context(viewport=SIZE)
    page = context.new_page()
    page.goto("about:blank")
    network = context.new_cdp_session(page)
    network.send("Network.enable")
    network.send("Network.emulateNetworkConditions", SLOW)
    network.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    page.goto(address)
    if page.locator("script[type=module]").count():
        _ready(page)
    ready = float(page.evaluate("performance.now()"))
    painted = float(page.evaluate(PAINTED))
    context.close()
    return painted / 1000, ready / 1000


def _ready(page: Page) -> None:
    page.locator("html[data-ready=true]").wait_for(state="attached", timeout=120_000)


def _compare(name: str, times: list[float], floor: list[float], moves: int) -> None:
    median, slow, least = milliseconds(times, 0.5), milliseconds(times, 0.95), milliseconds(floor, 0.5)
    say(
        f"{name}, match of {moves} moves",
        f"p50 {median:.1f} ms (aim: 16), p95 {slow:.1f} ms; floor: one text p50 {least:.2f} ms;"
        f" ratio {median / max(least, 0.01):.0f}",
    )


def _memory(page: Page) -> None:
    """What the page holds after many jumps, beside what it holds after some."""
    session = page.context.new_cdp_session(page)

    def used() -> float:
        session.send("HeapProfiler.collectGarbage")
        return float(session.send("Runtime.getHeapUsage")["usedSize"]) / 1e6

    page.evaluate(STEP, [True, WARM])
    before = used()
    page.evaluate(STEP, [True, MANY - WARM])
    after = used()
    say(
        f"memory after {MANY:,} jumps",
        f"{after:.1f} MB (aim: at most 10 more); floor: after {WARM} jumps {before:.1f} MB;"
        f" ratio {after / before:.2f}",
    )


if __name__ == "__main__":
    main()
