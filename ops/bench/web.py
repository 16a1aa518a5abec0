"""The page of a match in a real browser: first view, steps, jumps, dragging, memory, another player's answer.

The match is a seeded one of bots that comes to the final scoring.  First view: an empty cache, slow 4G
(150 ms, 1.6 Mbit/s) and a processor slowed four times; aims: painted within 1 s, ready within 1.5 s; the
floor is a page without content from the same server.  Steps and jumps set the move and force a layout, at
full speed (aim: 16 ms at the median); the floor is to set one text of the page and force a layout.  Dragging
moves the bar from end to end with the mouse; the time is from the release until the last position was painted
(aim: 100 ms); the floor is one frame.  Another player's answer: from the click in one browser until the move
is on the page of the other (aim: 300 ms at p95, on loopback); the floor is the same on the page of the one
who answers.

Then verify.html with a tournament file of 448 matches of 420 moves: seconds until the verdict, the longest
pause of the page (aim: 200 ms) and its heap; the floor is to read the file alone, a match at a time.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from _bench import QUICK, milliseconds, say
from _load import server
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[2]))  # the tests are not installed

from tests.replay.tournaments import long_bundle

GAME = "thirteen_minutes" if QUICK else "twilight_struggle"
SEED = "16" if QUICK else "5ba1e85f80e41a058adb6fa91ccd9972488cf314e286280cc28bf7cf68bdd706"  # 438 moves
LIVE, ANSWERS = "cia_vs_kgb", 3 if QUICK else 60
VISITS, DRAGS = (1, 1) if QUICK else (5, 10)
STEPS, JUMPS = (5, 5) if QUICK else (400, 300)
WARM, MANY = (5, 10) if QUICK else (200, 2_000)  # jumps before memory is measured
SIZE: ViewportSize = {"width": 1280, "height": 800}
SLOW = {"offline": False, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 93_750}
FAST = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
NETWORK, SLOWED, MOUSE = (FAST, 1, 5) if QUICK else (SLOW, 4, 60)  # MOUSE: moves of it in a drag
FINDER = Path(__file__).parents[1] / "lib" / "browser.py"
EMPTY = "/healthz"
PLAYERS, ROUNDS, LENGTH = (4, 1, 100) if QUICK else (128, 7, long_bundle.MOVES)
VERIFIER = Path(__file__).parents[2] / "api" / "web" / "verify.html"

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
FRAME = """() => new Promise((done) => requestAnimationFrame((began) =>
  requestAnimationFrame((next) => done((next - began) / 1000))))"""
RELEASED = """async () => {
  const base = document.querySelector("script[type=module]").src.replace(/pages.*/, "base/page.js");
  const page = await import(base);
  const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  window.dragged = new Promise((done) => document.querySelector("#bar input[type=range]").addEventListener(
    "pointerup", async (event) => {
      const last = String(page.get("last")), shown = () => document.querySelector("#moves [aria-current]");
      do await painted(); while (shown()?.dataset.move !== last);
      done((performance.now() - event.timeStamp) / 1000);
    }, { once: true }));
}"""
ARRIVED = """() => {
  window.arrived = {};
  new MutationObserver(() => {
    for (const { dataset } of document.querySelectorAll("#moves .move")) {
      window.arrived[dataset.move] ??= performance.timeOrigin + performance.now();
    }
  }).observe(document.querySelector("#moves"), { childList: true });
}"""
ANSWER = """() => {
  const form = document.querySelector("#question form");
  for (const input of form.querySelectorAll("input[name=pick]")) {
    if (form.querySelector("[type=submit]").disabled && !input.checked) input.click();
  }
  const began = performance.timeOrigin + performance.now();
  form.querySelector("[type=submit]").click();
  return [Number(form.dataset.question), began];
}"""
READY = """new MutationObserver(() => {
  if (document.documentElement?.dataset.ready) window.readyAt ??= performance.now();
}).observe(document, { attributes: true, subtree: true, attributeFilter: ["data-ready"] })"""
CHECKED = """async () => {
  let last = performance.now(), longest = 0;
  const began = last, verdict = document.querySelector("#verdict"), ticks = new MessageChannel();
  ticks.port1.onmessage = () => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
    ticks.port2.postMessage(0);
  };
  ticks.port2.postMessage(0);
  document.querySelector("#again").click();
  await new Promise((done) => new MutationObserver(() => {
    if (verdict.dataset.state) done();
  }).observe(verdict, { attributes: true, attributeFilter: ["data-state"] }));
  ticks.port1.onmessage = null;
  return [(performance.now() - began) / 1000, longest, verdict.dataset.state];
}"""
READ = """async () => {
  const [file] = document.querySelector("#file").files, began = performance.now();
  for (let at = 0; at < file.size; at += 400_000) await file.slice(at, at + 400_000).arrayBuffer();
  return (performance.now() - began) / 1000;
}"""
PAINTED = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? performance.now()"


def main() -> None:
    """Seven lines."""
    with tempfile.TemporaryDirectory() as store, chromium() as browser:
        match, moves = _seeded(store)
        arguments = ("-m", "api.cli.main", "serve", "--store", store, "--port", "0", "--empty")
        with server(*arguments) as real:
            origin = f"http://127.0.0.1:{real.port}"
            address = f"{origin}/m/{match}?move={moves // 2}"
            _first_view(browser, origin, address, moves)
            context = browser.new_context(viewport=SIZE)
            page = context.new_page()
            page.goto(address)
            _ready(page)
            floor = page.evaluate(FLOOR, JUMPS)
            for name, jumps, count in (("one step", False, STEPS), ("a random jump", True, JUMPS)):
                _compare(name, page.evaluate(STEP, [jumps, count]), floor, moves)
            _drag(page, moves)
            _memory(page)
            context.close()
            _answers(browser, origin)
        _verify(browser, Path(store) / "cup")


@contextmanager
def chromium() -> Iterator[Browser]:
    """A running Chromium: the one that the tests use."""
    found = subprocess.run(
        [sys.executable, str(FINDER), "--print"], capture_output=True, text=True, check=True
    )
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-dev-shm-usage", "--enable-precise-memory-info"]
        yield playwright.chromium.launch(executable_path=found.stdout.strip(), args=arguments)


def _seeded(store: str) -> tuple[str, int]:
    """Play the match into a store; returns its id and its moves."""
    command = [sys.executable, "-m", "api.cli.main", "play", GAME, "--seed", SEED, "--store", store, "--json"]
    told = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return told["match"], told["moves"]


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
    page.add_init_script(READY)
    page.goto("about:blank")
    network = context.new_cdp_session(page)
    network.send("Network.enable")
    network.send("Network.emulateNetworkConditions", NETWORK)
    network.send("Emulation.setCPUThrottlingRate", {"rate": SLOWED})
    page.goto(address)
    if page.locator("script[type=module]").count():
        _ready(page)
    ready = float(page.evaluate("window.readyAt ?? performance.now()"))
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


def _drag(page: Page, moves: int) -> None:
    """From the release of the bar at its end until the last position is painted."""
    times, frames = list[float](), list[float]()
    bar = page.locator("#bar input[type=range]")
    for _ in range(DRAGS):
        page.keyboard.press("Home")
        box = bar.bounding_box()
        assert box is not None
        y = box["y"] + box["height"] / 2
        page.evaluate(RELEASED)
        page.mouse.move(box["x"] + 2, y)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"], y, steps=MOUSE)
        page.mouse.up()
        times.append(page.evaluate("window.dragged"))
        frames.append(page.evaluate(FRAME))
    median, slow, least = milliseconds(times, 0.5), milliseconds(times, 0.95), milliseconds(frames, 0.5)
    say(
        f"the last position after dragging from end to end, match of {moves} moves",
        f"p50 {median:.0f} ms, p95 {slow:.0f} ms (aim: 100); floor: a frame {least:.0f} ms;"
        f" ratio {median / least:.1f}",
    )


def _answers(browser: Browser, origin: str) -> None:
    """From an answer in one browser until its move is on the page of the other player, and on the own one."""
    players = [_call(f"{origin}/v1/players", {"name": name})["token"] for name in ("Ann", "Ben")]
    opened = _call(f"{origin}/v1/matches", {"game": LIVE}, players[0])
    address, pages = f"{origin}/m/{opened['match']}", list[Page]()
    for seat, token in zip(opened["seats"], players, strict=True):
        _call(f"{origin}/v1/matches/{opened['match']}/seats/{seat}", {}, token)
    for token in players:
        context = browser.new_context(viewport=SIZE)
        context.request.post(f"{origin}/v1/sessions", data={"token": token}, headers={"origin": origin})
        pages.append(context.new_page())
        pages[-1].goto(address)
        _ready(pages[-1])
        pages[-1].evaluate(ARRIVED)
    there, here = list[float](), list[float]()
    for _ in range(ANSWERS):
        asked = _asked(pages)
        if asked is None:
            break
        before, began = pages[asked].evaluate(ANSWER)
        for page, times in ((pages[1 - asked], there), (pages[asked], here)):
            page.locator(f'#moves .move[data-move="{before + 1}"]').wait_for(state="attached")
            times.append((page.evaluate("(move) => window.arrived[move]", before + 1) - began) / 1000)
    median, slow, least = milliseconds(there, 0.5), milliseconds(there, 0.95), milliseconds(here, 0.95)
    say(
        f"{len(there)} answers on the board of the other player",
        f"p50 {median:.0f} ms, p95 {slow:.0f} ms (aim: 300); floor: on the own board p95 {least:.0f} ms;"
        f" ratio {slow / least:.1f}",
    )


def _asked(pages: list[Page]) -> int | None:
    """The place of the player whose page shows a question that can be answered; None: the match is over."""
    while True:
        for place, page in enumerate(pages):
            if page.locator("#question:not(.sent) form").count():
                return place
            if page.locator(".link a").count():
                return None


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


def _verify(browser: Browser, folder: Path) -> None:
    """Give verify.html a tournament file of long matches; the page checks it once before it is measured."""
    folder.mkdir()
    path = folder / "file"
    key = long_bundle.make(folder / "store", path, PLAYERS, ROUNDS, LENGTH)
    page = browser.new_context().new_page()
    page.goto(VERIFIER.as_uri())
    page.locator("#keys").evaluate("(field, key) => { field.value = key; }", key)
    page.set_input_files("#file", path)
    page.locator("#verdict[data-state]").wait_for(timeout=0)
    took, longest, state = page.evaluate(CHECKED)
    floor, heap = page.evaluate(READ), page.evaluate("performance.memory.usedJSHeapSize")
    assert state == "ok", state
    size, matches = path.stat().st_size / 2**20, PLAYERS // 2 * ROUNDS
    say(
        f"verify.html, {matches} matches of {LENGTH} moves",
        f"{took:.1f} s for {size:.0f} MiB, longest pause {longest:.0f} ms (aim: 200 ms), heap"
        f" {heap / 2**20:.0f} MiB; floor: reading the file {floor:.2f} s; ratio {took / floor:.0f}",
    )
    page.context.close()


if __name__ == "__main__":
    main()
