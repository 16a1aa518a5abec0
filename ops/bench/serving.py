"""Durable moves over HTTP: a real server process, played by clients that fetch each prompt and answer it.

The floor is the same client against bare ASGI with one raw SQLite commit for each POST (`_bare`).
"""

from __future__ import annotations

import asyncio
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
from _bench import QUICK, rate, say

GAME = "cia_vs_kgb"
CLIENTS = 4 if QUICK else 32
SECONDS = 0.3 if QUICK else 5.0
HERE = Path(__file__).parent
LIMITS = {"GLASNOST_REQUESTS_PER_SECOND": "1000000000", "GLASNOST_PLAYERS_PER_MINUTE": "1000000000"}

Answered = Callable[[float], None]  # is told how long a POST of a move took, in seconds


class Connection:
    """One kept-alive HTTP/1.1 connection, as cheap as it can be: it shares the machine with the server."""

    def __init__(self, port: int) -> None:
        self._port = port

    async def open(self) -> None:
        """Connect."""
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)

    async def ask(self, method: str, path: str, body: Any = None, token: str = "") -> tuple[int, Any]:
        """One request; gives the status and the body, decoded."""
        content = b"" if body is None else msgspec.json.encode(body)
        head = f"{method} {path} HTTP/1.1\r\nhost: bench\r\ncontent-length: {len(content)}\r\n"
        head += f"authorization: Bearer {token}\r\n" if token else ""
        head += "content-type: application/json\r\n\r\n"
        self._writer.write(head.encode() + content)
        lines = (await self._reader.readuntil(b"\r\n\r\n")).lower()
        length = int(lines.partition(b"content-length: ")[2].partition(b"\r\n")[0] or 0)
        data = await self._reader.readexactly(length)
        return int(lines[9:12]), msgspec.json.decode(data) if data else None

    def close(self) -> None:
        """Hang up."""
        self._writer.close()


class Table:
    """One client that plays both seats of one match after the other."""

    def __init__(self, port: int, number: int) -> None:
        self._http, self._luck, self._number = Connection(port), random.Random(number), number
        self._tokens: dict[str, str] = {}

    async def prepare(self) -> None:
        """Connect, and become a player for each seat."""
        await self._http.open()
        _, game = await self._http.ask("GET", f"/v1/games/{GAME}")
        for seat in game["seats"]:
            _, player = await self._http.ask("POST", "/v1/players", {"name": f"{seat} {self._number}"})
            self._tokens[seat] = player["token"]

    async def play(self, until: float, answered: Answered) -> None:
        """Play until that time, at least one answer."""
        while True:
            match = await self._opened()
            last = ""
            while prompt := await self._asked(match, last):
                last = prompt["seat"]
                await self._answer(match, prompt, answered)
                if time.perf_counter() > until:
                    self._http.close()
                    return

    async def _opened(self) -> str:
        """The path of a new match, both seats taken."""
        first = next(iter(self._tokens.values()))
        status, opened = await self._http.ask("POST", "/v1/matches", {"game": GAME}, first)
        assert status == 201, opened
        match = f"/v1/matches/{opened['match']}"
        for seat, token in self._tokens.items():
            status, answer = await self._http.ask("POST", f"{match}/seats/{seat}", {}, token)
            assert status in (200, 201), answer
        return match

    async def _asked(self, match: str, last: str) -> dict[str, Any] | None:
        """The prompt of a seat that is asked; the one that answered last is looked at last."""
        for seat in sorted(self._tokens, key=lambda seat: seat == last):
            status, prompt = await self._http.ask("GET", f"{match}/prompt", None, self._tokens[seat])
            if status == 200:
                return dict(prompt)
        return None

    async def _answer(self, match: str, prompt: dict[str, Any] | None, answered: Answered) -> None:
        """Answer, and go on while the same seat is asked."""
        while prompt:
            options = [option["pick"] for option in prompt["options"]]
            picks = self._luck.sample(options, self._luck.randint(prompt["least"], prompt["most"]))
            body = {"expect": prompt["move"], "picks": picks}
            began = time.perf_counter()
            status, answer = await self._http.ask(
                "POST", f"{match}/moves", body, self._tokens[prompt["seat"]]
            )
            answered(time.perf_counter() - began)
            assert status == 201, answer
            prompt = answer["prompt"]


class Bare:
    """A client of the floor: a GET, then a POST."""

    def __init__(self, port: int, number: int) -> None:
        self._http = Connection(port)

    async def prepare(self) -> None:
        """Connect."""
        await self._http.open()

    async def play(self, until: float, answered: Answered) -> None:
        """Ask until that time, at least once."""
        while True:
            await self._http.ask("GET", "/prompt")
            began = time.perf_counter()
            await self._http.ask("POST", "/moves", {"expect": 17, "picks": ["recruit"]})
            answered(time.perf_counter() - began)
            if time.perf_counter() > until:
                self._http.close()
                return


async def _clients(kind: type[Table] | type[Bare], port: int, clients: int) -> list[float]:
    """The times of all POSTs of so many clients, sorted."""
    times: list[float] = []
    everybody = [kind(port, number) for number in range(clients)]
    await asyncio.gather(*(client.prepare() for client in everybody))
    until = time.perf_counter() + SECONDS
    await asyncio.gather(*(client.play(until, times.append) for client in everybody))
    return sorted(times)


@contextmanager
def _server(*arguments: str) -> Iterator[int]:
    """A server process; gives its port."""
    command = [sys.executable, *arguments]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **LIMITS, "GLASNOST_LOG_LEVEL": "error"},
    ) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line.startswith("listening on "), f"the server did not start: {line!r}"
            yield int(line.strip().rpartition(":")[2])
        finally:
            process.terminate()


def _measured(kind: type[Table] | type[Bare], port: int) -> tuple[list[float], list[float]]:
    """The times of one client alone, and of many at once."""
    return asyncio.run(_clients(kind, port, 1)), asyncio.run(_clients(kind, port, CLIENTS))


def main() -> None:
    """Two lines: throughput, and the latency of one client."""
    with tempfile.TemporaryDirectory() as scratch:
        with _server(str(HERE / "_bare.py"), scratch) as port:
            floor = _measured(Bare, port)
        store = str(Path(scratch) / "store")
        with _server("-m", "api.cli.main", "serve", "--store", store, "--port", "0", "--empty") as port:
            ours = _measured(Table, port)
    per_second, floor_per_second = len(ours[1]) / SECONDS, len(floor[1]) / SECONDS
    say(
        f"durable moves over HTTP, {GAME}, {CLIENTS} clients",
        f"{rate(per_second)} moves/s, prompts fetched besides; floor: bare ASGI + raw sqlite commit"
        f" {rate(floor_per_second)}/s; ratio {floor_per_second / per_second:.1f}",
    )
    ratios = " and ".join(f"{_at(ours[0], share) / _at(floor[0], share):.1f}" for share in (0.5, 0.99))
    say(
        f"a move of one client over HTTP, {GAME}",
        f"{_percentiles(ours[0])}; floor: {_percentiles(floor[0])}; ratio {ratios}",
    )


def _percentiles(times: list[float]) -> str:
    return f"p50 {_at(times, 0.5) * 1000:.2f} ms, p99 {_at(times, 0.99) * 1000:.2f} ms"


def _at(times: list[float], share: float) -> float:
    return times[min(len(times) - 1, int(len(times) * share))]


if __name__ == "__main__":
    main()
