"""A server with a large tournament: how soon its desk comes, what it takes of memory, and what moves wait.

Moves are timed in turns with and without a pairing, so that a noisy moment of the machine falls on both.
"""

from __future__ import annotations

import http.client
import json
import multiprocessing
import statistics
import tempfile
import time
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from _bench import QUICK, milliseconds, percentiles, say, seconds
from _load import Server, Table, load, server
from _season import Season, made

LARGE = (12, 2) if QUICK else (500, 9)
PAIRED = ((12, 2),) if QUICK else ((128, 6), (500, 8))
TURNS = 1 if QUICK else 16  # of moves without a pairing, and with one
LOOKS = 1 if QUICK else 20  # at each page
AIM_PAGE, AIM_MEMORY = 200, 200  # milliseconds, megabytes
MB = 1_000_000
_FORK = multiprocessing.get_context("fork")


class Desk:
    """A director at a server."""

    def __init__(self, running: Server, season: Season) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=600)
        self._token, self.season = season.token, season

    def get(self, path: str) -> bytes:
        """The body of a page, or of an answer."""
        self._connection.request("GET", path, headers={"authorization": f"Bearer {self._token}"})
        return self._answer(path)

    def post(self, path: str, **body: Any) -> Any:
        """The answer to a command of a director who has seen everything."""
        one = f"/v1/tournaments/{self.season.id}"
        body["expect"] = json.loads(self.get(one))["entry"]
        head = {"authorization": f"Bearer {self._token}", "content-type": "application/json"}
        self._connection.request("POST", f"{one}/{path}", json.dumps(body), head)
        return json.loads(self._answer(path))

    def _answer(self, path: str) -> bytes:
        answer = self._connection.getresponse()
        said = answer.read()
        assert answer.status in (200, 201), (path, answer.status, said[:500])
        return said


def pages() -> None:
    """Two lines: the pages of a large tournament, and the memory of its server."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "store"
        season = made(folder, *LARGE, last_closed=False)
        with _serving(folder) as running:
            desk, page = Desk(running, season), f"/t/{season.id}"
            floor = [seconds(lambda: desk.get("/healthz")) for _ in range(LOOKS)]
            before = running.memory()
            first, again = dict[str, float](), dict[str, list[float]]()
            for what in ("/desk", "", f"?round={season.rounds}", "/standings", "/entrants/n1"):
                first[what] = seconds(partial(desk.get, page + what))
                again[what] = [seconds(partial(desk.get, page + what)) for _ in range(LOOKS)]
            rows = [
                f"{what or 'page'} {statistics.median(again[what]) * 1000:.0f} ms (first {took * 1000:.0f})"
                for what, took in first.items()
            ]
            report = seconds(lambda: desk.get(f"/v1/tournaments/{season.id}/integrity"))
            report_again = seconds(lambda: desk.get(f"/v1/tournaments/{season.id}/integrity"))
            grown = running.memory() - before
    size = f"{LARGE[0]} players, {season.rounds} rounds, {season.matches} matches"
    slowest = max(statistics.median(times) for times in again.values())
    say(
        f"pages of a tournament, {size}",
        f"{', '.join(rows)} (aim: {AIM_PAGE} ms); report {report:.2f} s, again {report_again:.2f} s;"
        f" floor: healthz {milliseconds(floor, 0.5):.2f} ms; ratio {slowest / statistics.median(floor):.0f}",
    )
    say(
        f"memory of a server, {size}",
        f"{grown / MB:.0f} MB more after all pages and the report (aim: {AIM_MEMORY} MB); floor: the stored"
        f" entries {season.stored / MB:.1f} MB; ratio {grown / season.stored:.1f}",
    )


def moves() -> None:
    """A line for each size: moves while a round is paired beside moves while none is."""
    for players, rounds in PAIRED:
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch) / "store"
            season = made(folder, players, rounds, last_closed=True)
            with _serving(folder) as running:
                _moves(running, season, players)


def _moves(running: Server, season: Season, players: int) -> None:
    idle, busy, took = list[float](), list[float](), list[float]()
    for _ in range(TURNS):
        idle += load(Table, [running], 1).times
        times, said = _FORK.Pipe(duplex=False)
        director = _FORK.Process(target=_pair_for_ever, args=(running, season, said))
        director.start()
        assert times.recv() == 0.0, "the director begins"
        busy += load(Table, [running], 1).times
        took.append(times.recv())  # one at least
        director.kill()
        director.join()
        while times.poll():
            took.append(times.recv())
    say(
        f"a move while {players} players are paired",
        f"{percentiles(busy)}, {len(took)} pairings of {statistics.median(took):.1f} s, in two processes one"
        f" after the other; floor: without a pairing {percentiles(idle)}; ratio"
        f" {milliseconds(busy, 0.5) / milliseconds(idle, 0.5):.2f} and"
        f" {milliseconds(busy, 0.99) / milliseconds(idle, 0.99):.2f} (aim: 1.2 at p99)",
    )


def _pair_for_ever(running: Server, season: Season, times: Connection) -> None:
    """Pair again and again, in a process of its own that takes no time of the moves' client.

    Sends 0 when the first pairing begins, and then the seconds of each.
    """
    desk = Desk(running, season)
    times.send(0.0)
    while True:
        desk.post("entries", do="draw_lot", label=f"lot/turn/{time.time_ns()}", n=2)  # no draft is kept
        times.send(seconds(lambda: desk.post("rounds")))


def _serving(folder: Path) -> Any:
    return server("-m", "api.cli.main", "serve", "--store", str(folder), "--port", "0", "--empty")
