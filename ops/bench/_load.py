"""A cheap load: clients over raw sockets that play random matches by the rules, and the server processes.

The load shares the machine with the server, so a request must cost it only a few microseconds: the head is
made once for each match and seat, and of an answer only the next question is decoded.
"""

from __future__ import annotations

import asyncio
import os
import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import msgspec
import psutil
import uvloop
from _bench import QUICK, percentiles, ratios
from _programs import running
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
    """The fields of a prompt that a client needs."""

    move: int
    options: list[_Option]
    least: int
    most: int


class _Done(Struct):
    prompt: Question | None


question_of = msgspec.json.Decoder(Question).decode
_done = msgspec.json.Decoder(_Done).decode


class Count(Struct):
    """The work of the clients: the times of all moves in seconds, and how many prompts they had to fetch."""

    times: list[float] = []
    fetched: int = 0


class Place:
    """One seat of one match: its requests, without the parts that change."""

    def __init__(self, match: str, token: str) -> None:
        self.match = match
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
        seats = (await wire.json("GET", f"/v1/games/{GAME}"))["seats"]
        self._tokens = {
            seat: (await wire.json("POST", "/v1/players", {"name": f"{seat} {self._number}"}))["token"]
            for seat in seats
        }
        for _ in range(_MATCHES):
            self._matches.append(await self._opened())

    async def play(self, until: float, count: Count) -> None:
        """Play until that time, but at least one answer."""
        while await self._played(
            self._matches.pop() if self._matches else await self._opened(), until, count
        ):
            pass
        self._wire.close()

    async def _opened(self) -> list[Place]:
        """The seats of a new match, all taken."""
        first = next(iter(self._tokens.values()))
        opened = await self._wire.json("POST", "/v1/matches", {"game": GAME}, first)
        match = f"/v1/matches/{opened['match']}"
        for seat, token in self._tokens.items():
            await self._wire.json("POST", f"{match}/seats/{seat}", {}, token)
        return [self._place(match, token) for token in self._tokens.values()]

    def _place(self, match: str, token: str) -> Place:
        return Place(match, token)

    async def _played(self, places: Sequence[Place], until: float, count: Count) -> bool:
        """Play a match; return whether there is time for another one.

        The answer to a move brings the next question to the same seat.  Only if it brings none, the other
        seat fetches its question; if there is none either, the match is over.
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
    """A client that only fetches the prompt of a seat, again and again; each counts as a move."""

    async def play(self, until: float, count: Count) -> None:
        """Fetch until that time, but at least once."""
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
    """The result of a load: the times of the moves in seconds, fetches for each move, the server's CPU."""

    times: list[float]
    fetched: float
    per_second: float
    micros: float  # of CPU time in all server processes, for each move
    clients: float  # microseconds of CPU time in the clients, for each move
    beside: float  # microseconds of the CPU time of `beside`, for each move


def latency(ours: Load, floor: Load) -> str:
    """Return the times of a move and those of the floor, as text."""
    beside = f"floor: {percentiles(floor.times)}; ratio {ratios(ours.times, floor.times)}"
    return f"{percentiles(ours.times)}; {beside}"


class Bare:
    """A client of the floor, which decodes no answer."""

    def __init__(self, port: int, number: int, fetched: float) -> None:
        self._port, self._share, self._due = port, fetched, number / CLIENTS
        self._place = Place("/bare", "x" * 43)
        self._request = self._place.answer(Question(17, [_Option("recruit")], 1, 1), random.Random(number))

    async def prepare(self) -> None:
        """Connect."""
        self._wire = await Wire.to(self._port)

    async def play(self, until: float, count: Count) -> None:
        """Post until that time, but at least once, and fetch now and then."""
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


Client = Callable[[int, int], Any]  # makes a client from a port and a number


def bare(fetched: float) -> Client:
    """Return a maker of clients of the floor that fetch so often for each move."""
    return lambda port, number: Bare(port, number, fetched)


def load(
    client: Client,
    servers: Sequence[Server],
    clients: int,
    beside: Callable[[], float] = lambda: 0.0,
    seconds: float = SECONDS,
) -> Load:
    """Run so many clients on these servers, distributed in turn.

    Args:
        beside: returns the seconds of CPU that something else has used, such as a database.
    """
    return uvloop.run(_load(client, servers, clients, beside, seconds))


async def _load(
    client: Client, servers: Sequence[Server], clients: int, beside: Callable[[], float], seconds: float
) -> Load:
    def spent() -> tuple[float, float, float]:
        return sum(server.cpu() for server in servers), time.process_time(), beside()

    count = Count()
    everybody = [client(servers[number % len(servers)].port, number) for number in range(clients)]
    for one in everybody:
        await one.prepare()
    before, began = spent(), time.perf_counter()
    await asyncio.gather(*(one.play(began + seconds, count) for one in everybody))
    took, moves = time.perf_counter() - began, len(count.times)
    micros = [(now - then) / moves * 1e6 for now, then in zip(spent(), before, strict=True)]
    return Load(count.times, count.fetched / moves, moves / took, *micros)


class Server:
    """A server process."""

    def __init__(self, stdout: IO[str], pid: int) -> None:
        line = stdout.readline()
        assert line.startswith("listening on "), f"the server did not start: {line!r}"
        self.port, self.process = int(line.strip().rpartition(":")[2]), psutil.Process(pid)

    def memory(self) -> int:
        """Return the resident memory in bytes."""
        return int(self.process.memory_info().rss)

    def cpu(self) -> float:
        """Return the seconds of CPU that the process has used, those in the kernel included."""
        times = self.process.cpu_times()
        return float(times.user + times.system)


@contextmanager
def server(*arguments: str, **environment: str) -> Iterator[Server]:
    """Start a server process: Python with these arguments, which prints where it listens."""
    with running(arguments, {**os.environ, **_LIMITS, **environment}) as (stdout, pid):
        yield Server(stdout, pid)
