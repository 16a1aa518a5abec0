"""From a move posted to one worker to its event in a stream at another, without Redis and with it.

Both workers are real processes on one durable PostgreSQL.  The floor is a stream of the same match at the
worker that took the move, in the same run.  One move is played after the other.
"""

from __future__ import annotations

import asyncio
import random
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

import uvloop
from _bench import QUICK, milliseconds, percentiles, say
from _load import GAME, Place, Question, server
from _wire import Wire
from msgspec import Struct, json

sys.path.insert(0, str(Path(__file__).parents[2]))  # the servers of the tests are not installed

from tests.services import Postgres, own_postgres, own_redis

MOVES = 5 if QUICK else 300
WITH_REDIS = (True,) if QUICK else (False, True)
DURABLE = ("fsync=on", "synchronous_commit=on", "shared_buffers=128MB")


class Done(Struct):
    """The fields of the answer to a move that are needed."""

    move: int


class Stream:
    """One open event stream, with the time at which each event came."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._came: dict[int, float] = {}
        self._news = asyncio.Event()
        self._reading = asyncio.create_task(self._read())

    @classmethod
    async def of(cls, port: int, match: str) -> Stream:
        """The stream of a match."""
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(
            f"GET {match}/moves HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\n\r\n".encode()
        )
        return cls(reader, writer)

    async def _read(self) -> None:
        while line := await self._reader.readline():
            if line.startswith(b"id: "):
                self._came[int(line[4:])] = time.perf_counter()
                self._news.set()

    async def came(self, move: int) -> float:
        """Wait for the event of this move; return when it came."""
        while move not in self._came:
            self._news.clear()
            await self._news.wait()
        return self._came[move]

    def close(self) -> None:
        """Hang up."""
        self._reading.cancel()
        self._writer.close()


async def measured(here: int, there: int) -> tuple[list[float], list[float]]:
    """Return the seconds from posting a move here to its event here, and there; sorted."""
    wire, luck = await Wire.to(here), random.Random(1)
    token = (await wire.json("POST", "/v1/players", {"name": "Ann"}))["token"]
    own: list[float] = []
    other: list[float] = []
    while len(other) < MOVES:
        opened = await wire.json("POST", "/v1/matches", {"game": GAME}, token)
        match = f"/v1/matches/{opened['match']}"
        for seat in opened["seats"]:
            await wire.json("POST", f"{match}/seats/{seat}", {}, token)
        streams = [await Stream.of(port, match) for port in (here, there)]
        await asyncio.gather(*(stream.came(1 + len(opened["seats"])) for stream in streams))
        place = Place(match, token)
        while len(other) < MOVES:
            status, data = await wire.ask(place.fetch)
            if status != 200:
                break
            request = place.answer(json.decode(data, type=Question), luck)
            began = time.perf_counter()
            status, data = await wire.ask(request)
            assert status == 201, data
            move = json.decode(data, type=Done).move
            for times, stream in zip((own, other), streams, strict=True):
                times.append(await stream.came(move) - began)
        for stream in streams:
            stream.close()
    wire.close()
    return own, other


def main() -> None:
    """A line without Redis (except in a quick run), and one with it."""
    with own_postgres(*DURABLE) as postgres:
        compared(postgres)


def compared(postgres: Postgres) -> None:
    """The same without Redis and with it, each in a database of its own."""
    for redis in WITH_REDIS:
        with tempfile.TemporaryDirectory() as scratch, ExitStack() as running:
            store = running.enter_context(postgres.database())
            settings = {"GLASNOST_KEYS": str(Path(scratch) / "keys")}
            if redis:
                settings["GLASNOST_REDIS"] = running.enter_context(own_redis()).url
            command = ["-m", "api.cli.main", "serve", "--store", store, "--port", "0", "--empty"]
            ports = [running.enter_context(server(*command, **settings)).port for _ in range(2)]
            own, other = uvloop.run(measured(*ports))
        bus = "with Redis" if redis else "without Redis"
        say(
            f"a move posted to one worker, seen in a stream at another, {bus}",
            f"{percentiles(other)}; floor: in a stream at the same worker {percentiles(own)};"
            f" ratio {milliseconds(other, 0.5) / milliseconds(own, 0.5):.1f}",
        )


if __name__ == "__main__":
    main()
