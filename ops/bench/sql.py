"""SQL of users beside the moves of players: what endless queries cost a move, and what a query costs itself.

A server with a data process answers SQL.  The floor of a move is the same move while no query runs; that of
a query is the same query on an open connection to the same data, in this process.
"""

from __future__ import annotations

import http.client
import itertools
import json
import subprocess
import sys
import tempfile
import threading
import time

from _bench import QUICK, percentiles, ratios, say
from _load import GAME, Server, Table, latency, load, server

import replay.dataset as glasnost

ENDLESS = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r"
HEAVY = "SELECT count(*) FROM range(10000000)" if QUICK else ENDLESS
AT_ONCE, QUERIES = 2, 2 if QUICK else 20  # 100 take four minutes
TIMES = 3 if QUICK else 100
ONE = "SELECT count(*) FROM matches"
STOPPED = (200, 422)


class User:
    """A user with a token of their own, on one connection."""

    _numbers = itertools.count()

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port)
        self._token = ""
        told = self.ask("POST", "/v1/players", {"name": f"user {next(self._numbers)}"})[1]
        self._token = json.loads(told)["token"]

    def ask(self, method: str, path: str, body: object = None) -> tuple[int, bytes]:
        """A request; the status and the body of its answer."""
        head = {"authorization": f"Bearer {self._token}"} if self._token else {}
        content = None if body is None else json.dumps(body).encode()
        self._connection.request(method, path, content, {**head, "content-type": "application/json"})
        answer = self._connection.getresponse()
        return answer.status, answer.read()

    def query(self, sql: str) -> float:
        """Ask in SQL until that is answered or stopped; return the seconds of the last try."""
        while True:
            began = time.perf_counter()
            status, _ = self.ask("POST", "/v1/sql", {"sql": sql})
            if status in STOPPED:
                return time.perf_counter() - began
            time.sleep(0.1)

    def timed(self, path: str) -> list[float]:
        """The times of so many requests in seconds."""
        times = []
        for _ in range(TIMES):
            began = time.perf_counter()
            assert self.ask("GET", path)[0] == 200
            times.append(time.perf_counter() - began)
        return times


def main() -> None:
    """Two lines for what queries cost others, two for what they cost themselves."""
    with tempfile.TemporaryDirectory() as scratch:
        store, club = f"{scratch}/games", f"{scratch}/club"
        _run("play", GAME, "--seed", "1", "--matches", "2", "--store", store)
        _run("data", "build", club, "--store", store)
        command = ("-m", "api.cli.main", "serve", "--store", store, "--port", "0", "--empty")
        with server(*command, GLASNOST_DATA=club, GLASNOST_SQL="on") as real:
            user = User(real.port)
            user.query(ONE)  # the copy is made
            _beside(real, user)
            _alone(user, club)


def _run(*arguments: str) -> None:
    command = [sys.executable, "-m", "api.cli.main", *arguments]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def _beside(real: Server, user: User) -> None:
    """A move and a sign of life while queries run that never end."""
    idle, alive = load(Table, [real], 1), user.timed("/healthz")
    stopped: list[float] = []
    left = iter(range(QUERIES))
    lock = threading.Lock()

    def endless() -> None:
        while True:
            with lock:
                if next(left, None) is None:
                    return
            stopped.append(User(real.port).query(HEAVY))

    threads = [threading.Thread(target=endless) for _ in range(AT_ONCE)]
    for thread in threads:
        thread.start()
    busy, alive_then = load(Table, [real], 1), user.timed("/healthz")
    for thread in threads:
        thread.join()
    say(f"a move of one client beside {AT_ONCE} endless queries, {GAME}", latency(busy, idle))
    say(
        "/healthz beside them",
        f"{percentiles(alive_then)}; floor: {percentiles(alive)}; ratio {ratios(alive_then, alive)}",
    )
    slowest = max(stopped)
    say(
        f"an endless query, {QUERIES} in a row",
        f"its place is free after {slowest:.2f} s; goal: 5.5; floor: 5.00 s; ratio {slowest / 5:.2f}",
    )


def _alone(user: User, club: str) -> None:
    """A query of one row."""
    times = [user.query(ONE) for _ in range(TIMES)]
    with glasnost.open(club).connection as database:
        floor = []
        for _ in range(TIMES):
            began = time.perf_counter()
            database.execute(ONE).fetchall()
            floor.append(time.perf_counter() - began)
    say(
        "a query of one row over HTTP",
        f"{percentiles(times)}; goal: 150; floor: {percentiles(floor)}; ratio {ratios(times, floor)}",
    )


if __name__ == "__main__":
    main()
