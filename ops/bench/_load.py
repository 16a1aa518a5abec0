"""A light load: clients over raw sockets that play honest random matches, and the server processes they meet.

The load shares the machine with the server, so a request costs it a few microseconds: the head is made once
for each match and seat, and of an answer only the next question is decoded.
"""

from __future__ import annotations

import asyncio
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import psutil
import uvloop
from _bench import QUICK, percentiles, ratios
from _wire import Wire, head
from msgspec import Struct

GAME = "cia_vs_kgb"
CLIENTS = 4 if QUICK else 64
SECONDS = 0.1 if QUICK else 5.0
HERE = Path(__file__).parent
_LIMITS = {
    "GLASNOST_REQUESTS_PER_SECOND": "1000000000",
    "GLASNOST_PLAYERS_PER_MINUTE": "1000000000",
    "GLASNOST_CONNECTIONS_PER_ADDRESS": "1000000000",
    "GLASNOST_LOG_LEVEL": "error",
}
_MATCHES = 1 if QUICK else 3  # for each client, opened before the clock runs


class _Option(Struct):
    pick: str


class Question(Struct):
    """What a client needs of a prompt."""

    move: int
    options: list[_Option]
    least: int
    most: int


class _Done(Struct):
    prompt: Question | None


question_of = msgspec.json.Decoder(Question).decode
_done = msgspec.json.Decoder(_Done).decode


class Count(Struct):
    """What the clients did: the times of all moves in seconds, and how many prompts they had to fetch."""

    times: list[float] = []
    fetched: int = 0


class Place:
    """One seat of one match: its requests, all but for what changes."""

    def __init__(self, match: str, token: str) -> None:
        self.fetch = head("GET", f"{match}/prompt", token) + b"0\r\n\r\n"
        self._move = head("POST", f"{match}/moves", token)

    def answer(self, question: Question, luck: random.Random) -> bytes:
        """The request that answers a question at random."""
        body = b"{%b}" % answer(question, luck)
        return b"%b%d\r\n\r\n%b" % (self._move, len(body), body)


def answer(question: Question, luck: random.Random) -> bytes:
    """A random answer to a question: the fields of a JSON object."""
    most = min(question.most, len(question.options))
    chosen = luck.sample(question.options, luck.randint(question.least, most))
    picks = '","'.join([option.pick for option in chosen])
    return f'"expect":{question.move},"picks":[{picks and chr(34) + picks + chr(34)}]'.encode()


class Table:
    """One client that plays both seats of one match after the other; the matches are opened before."""

    def __init__(self, port: int, number: int) -> None:
        self._port, self._number, self._luck = port, number, random.Random(number)
        self._matches: list[list[Place]] = []

    async def prepare(self) -> None:
        """Connect, become a player for each seat, and open matches."""
        self._wire = wire = await Wire.to(self._port)
        seats = (await wire.told("GET", f"/v1/games/{GAME}"))["seats"]
        self._tokens = {
            seat: (await wire.told("POST", "/v1/players", {"name": f"{seat} {self._number}"}))["token"]
            for seat in seats
        }
        for _ in range(_MATCHES):
            self._matches.append(await self._opened())

    async def play(self, until: float, count: Count) -> None:
        """Play until that time, at least one answer."""
        while await self._played(
            self._matches.pop() if self._matches else await self._opened(), until, count
        ):
            pass
        self._wire.close()

    async def _opened(self) -> list[Place]:
        """The seats of a new match, all taken."""
        first = next(iter(self._tokens.values()))
        opened = await self._wire.told("POST", "/v1/matches", {"game": GAME}, first)
        match = f"/v1/matches/{opened['match']}"
        for seat, token in self._tokens.items():
            await self._wire.told("POST", f"{match}/seats/{seat}", {}, token)
        return [self._place(match, token) for token in self._tokens.values()]

    def _place(self, match: str, token: str) -> Place:
        return Place(match, token)

    async def _played(self, places: Sequence[Place], until: float, count: Count) -> bool:
        """Play a match; whether there is time for another one.

        The answer to a move brings the next question to the same seat.  Only where it brings none, the other
        seat asks what it is asked; where that is nothing either, the match is over.
        """
        mine, other = places
        silent = 0
        question: Question | None = None
        while silent < 2:
            if question is None:
                mine, other = other, mine
                status, data = await self._wire.ask(mine.fetch)
                count.fetched += 1
                assert status in (200, 204), data  # else each match would seem to be over
                question = question_of(data) if status == 200 else None
                silent = 0 if question else silent + 1
                continue
            began = time.perf_counter()
            status, data = await self._wire.ask(mine.answer(question, self._luck))
            ended = time.perf_counter()
            count.times.append(ended - began)
            assert status == 201, data
            if ended > until:
                return False
            question = _done(data).prompt
        return True


class Asking(Table):
    """A client that only asks, again and again, what a seat is asked: a prompt stands for a move."""

    async def play(self, until: float, count: Count) -> None:
        """Ask until that time, at least once."""
        places, ended = self._matches.pop(), 0.0
        while ended <= until:
            for place in places:
                began = time.perf_counter()
                status, data = await self._wire.ask(place.fetch)
                ended = time.perf_counter()
                assert status in (200, 204), data
                count.times.append(ended - began)
        self._wire.close()


class Load(Struct):
    """What came of a load: the times of the moves in seconds, fetches for each move, the server's CPU."""

    times: list[float]
    fetched: float
    per_second: float
    micros: float  # of CPU time in all server processes, for each move
    clients: float  # microseconds of the clients' own
    beside: float  # microseconds of whatever else was measured


def latency(ours: Load, floor: Load) -> str:
    """The times of a move beside those of the floor."""
    beside = f"floor: {percentiles(floor.times)}; ratio {ratios(ours.times, floor.times)}"
    return f"{percentiles(ours.times)}; {beside}"


class Bare:
    """A client of the floor: it asks for nothing that it would have to understand."""

    def __init__(self, port: int, number: int, fetched: float) -> None:
        self._port, self._share, self._due = port, fetched, number / CLIENTS
        self._place = Place("/bare", "x" * 43)
        self._request = self._place.answer(Question(17, [_Option("recruit")], 1, 1), random.Random(number))

    async def prepare(self) -> None:
        """Connect."""
        self._wire = await Wire.to(self._port)

    async def play(self, until: float, count: Count) -> None:
        """Post until that time, at least once, and fetch now and then."""
        while True:
            began = time.perf_counter()
            await self._wire.ask(self._request)
            ended = time.perf_counter()
            count.times.append(ended - began)
            if ended > until:
                self._wire.close()
                return
            self._due += self._share
            while self._due >= 1:
                self._due -= 1
                await self._wire.ask(self._place.fetch)
                count.fetched += 1


Client = Callable[[int, int], Any]  # of a port and a number


def bare(fetched: float) -> Client:
    """Clients of the floor that fetch so often for each move."""
    return lambda port, number: Bare(port, number, fetched)


def load(
    client: Client, servers: Sequence[Server], clients: int, beside: Callable[[], float] = lambda: 0.0
) -> Load:
    """Let so many clients play on these servers, in turn on each.

    Args:
        beside: the seconds of CPU that something else has used, such as a database.
    """
    return uvloop.run(_load(client, servers, clients, beside))


async def _load(client: Client, servers: Sequence[Server], clients: int, beside: Callable[[], float]) -> Load:
    def spent() -> tuple[float, float, float]:
        return sum(server.cpu() for server in servers), time.process_time(), beside()

    count = Count()
    everybody = [client(servers[number % len(servers)].port, number) for number in range(clients)]
    for one in everybody:
        await one.prepare()
    before, began = spent(), time.perf_counter()
    await asyncio.gather(*(one.play(began + SECONDS, count) for one in everybody))
    took, moves = time.perf_counter() - began, len(count.times)
    micros = [(now - then) / moves * 1e6 for now, then in zip(spent(), before, strict=True)]
    return Load(count.times, count.fetched / moves, moves / took, *micros)


class Server:
    """A server process."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("listening on "), f"the server did not start: {line!r}"
        self.port, self._process = int(line.strip().rpartition(":")[2]), psutil.Process(process.pid)

    def memory(self) -> int:
        """Bytes that it holds resident."""
        return int(self._process.memory_info().rss)

    def cpu(self) -> float:
        """Seconds of CPU that it has used, in the kernel too."""
        times = self._process.cpu_times()
        return float(times.user + times.system)


@contextmanager
def server(*arguments: str, **environment: str) -> Iterator[Server]:
    """A server process: Python with these arguments, which says where it listens."""
    command, given = [sys.executable, *arguments], {**os.environ, **_LIMITS, **environment}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=given) as process:
        try:
            yield Server(process)
        finally:
            process.terminate()
