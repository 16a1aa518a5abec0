"""SQL of users beside the moves of players: what endless queries cost a move, and what a query costs itself.

A server with a data process answers SQL.  The floor of a move is the same move while no query runs; beside it
stands the same move beside as many endless loops, which have the scheduling class of a query and do nothing
else.  The floor of a query is the same query on an open connection to the same data, in this
process.  At last the data process is killed again and again under queries; the floor is starting it by hand.
"""

from __future__ import annotations

import http.client
import itertools
import json
import os
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import psutil
from _bench import QUICK, percentiles, played, ratios, say
from _load import GAME, Server, Table, load, server
from _programs import running

import replay.dataset as glasnost
from api.cli.common import keep_in
from api.settings import product
from api.store.data_source import DataSource
from api.store.sqlite import SqliteStore
from domain.games import GAMES
from replay.dataset.build import Builder
from replay.dataset.manifest import Settings

ENDLESS = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r"
HEAVY = "SELECT count(*) FROM range(1000000)" if QUICK else ENDLESS
AT_ONCE, QUERIES = 2, 2 if QUICK else 100
MOVES = 0.1 if QUICK else 2.5  # seconds of moves in a row
KILLS = 1 if QUICK else 20
TIMES = 1 if QUICK else 100
ONE = "SELECT count(*) FROM matches"
SAVED = "/v1/queries/cvk_win_rate?pool=bots"
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
    """Three lines for what queries cost others, two for their own time, one for the end of the process."""
    with tempfile.TemporaryDirectory() as scratch:
        store, club = f"{scratch}/games", f"{scratch}/club"
        _build(Path(store), Path(club))
        command = ("-m", "api.cli.main", "serve", "--store", store, "--port", "0", "--empty")
        with server(*command, GLASNOST_DATA=club, GLASNOST_SQL="on") as real:
            user = User(real.port)
            user.query(ONE)  # the copy is made
            _beside(real, user)
            user = User(real.port)
            _alone(user, club)
            _killed(real, user, club)


def _build(folder: Path, club: Path) -> None:
    """A store with two matches, and a data set of it."""
    state = club.with_name("state")
    state.mkdir()
    with closing(SqliteStore.open(folder)) as store:
        for seed in range(2):
            match, secret = played(GAMES[GAME], seed)
            keep_in(store, match, secret.bytes)
        with closing(DataSource(store, state)) as source:
            Builder(club, state, source, Settings(), product()).build()


def _beside(real: Server, user: User) -> None:
    """A move and a sign of life while queries run that never end.

    Three take turns: nothing beside the moves, loops, queries.  So what else the machine does falls on all
    three alike.
    """
    idle, loops, busy, alive, alive_then, stopped = [], [], [], [], [], []

    def moves() -> list[float]:
        return load(Table, [real], 1, seconds=MOVES).times

    for _ in range(QUERIES // AT_ONCE):
        idle += moves()
        alive += user.timed("/healthz")
        with _loops():
            loops += moves()
        with ThreadPoolExecutor(AT_ONCE) as threads:
            asked = [threads.submit(User(real.port).query, HEAVY) for _ in range(AT_ONCE)]
            busy += moves()
            alive_then += user.timed("/healthz")
            stopped += [one.result() for one in asked]
    what = f"a move of one client beside {AT_ONCE} endless queries, {QUERIES} in a row, {GAME}"
    floor = f"floor: {percentiles(idle)}"
    say(what, f"{percentiles(busy)}; {floor}; ratio {ratios(busy, idle)}")
    same = f"the same beside {AT_ONCE} loops of the class of queries"
    say(same, f"{percentiles(loops)}; {floor}; ratio {ratios(loops, idle)}")
    say(
        "/healthz beside them",
        f"{percentiles(alive_then)}; floor: {percentiles(alive)}; ratio {ratios(alive_then, alive)}",
    )
    slowest = max(stopped)
    say(
        f"an endless query, {QUERIES} in a row",
        f"its place is free after {slowest:.2f} s; goal: 5.5; floor: 5.00 s; ratio {slowest / 5:.2f};"
        f" {len(_queries(real))} left",
    )


@contextmanager
def _loops() -> Iterator[None]:
    """As many processes as queries, each an endless loop with the scheduling class of a query."""
    program = "from api.data.sql_child import step_aside\nstep_aside()\nwhile True: pass"
    with ExitStack() as loops:
        for _ in range(AT_ONCE):
            loops.enter_context(running(("-c", program), dict(os.environ)))
        yield


def _process(real: Server) -> psutil.Process:
    """The data process of a server."""
    while True:
        for child in real.process.children():
            if "--attached" in child.cmdline():
                return child
        time.sleep(0.01)


def _queries(real: Server) -> list[psutil.Process]:
    """The processes of queries: those below the warm parent of the data process."""
    return [query for parent in _process(real).children() for query in parent.children(recursive=True)]


def _killed(real: Server, user: User, club: str) -> None:
    """The data process is killed while it answers; the time until it answers again."""
    command = ("-m", "api.cli.main", "data", "serve", club, "--port", "0")
    began = time.perf_counter()
    with (
        server(*command) as by_hand,
        urllib.request.urlopen(f"http://127.0.0.1:{by_hand.port}{SAVED}") as answer,
    ):
        answer.read()
        floor = time.perf_counter() - began
    times = []
    for _ in range(KILLS):
        _process(real).kill()
        began = time.perf_counter()
        while user.ask("GET", SAVED)[0] != 200:
            time.sleep(0.01)
        times.append(time.perf_counter() - began)
    text = f"answers after {max(times):.2f} s at the most; goal: 5; floor: {floor:.2f} s to start it"
    say(f"the data process, killed {KILLS} times", f"{text}; ratio {max(times) / floor:.1f}")


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
