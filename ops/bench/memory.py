"""The memory of a worker with 10,000 matches that are played, with 10,000 event streams that wait, and with
openings that bring the same card set of 59 KB.

The matches have some 30 moves; the worker reads each from the store, and one more move is played in it.  The
floor is the size of the stored moves.  No move is sent on the streams; their floor is bare ASGI.  The floor
of the openings is the card set in each log.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import random
import tempfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import uvloop
from _bench import QUICK, played, say
from _filled import copied
from _load import HERE, Place, Server, question_of, server
from _wire import Wire
from msgspec import to_builtins

from api.store.interface import Append
from api.store.sqlite import SqliteStore
from domain.games import GAMES
from domain.thirteen_minutes.components import RECONSTRUCTION

MATCHES = 20 if QUICK else 10_000
OPENINGS = 10 if QUICK else 596
STREAMS = 20 if QUICK else 10_000
MOVES = 30
AT_ONCE = 16  # connections
WARM = 16  # matches and streams that do not count: the first ones load data that all share
KB = 1_000
CARDS = 59_000  # bytes of a card set as JSON
os.environ |= {
    "GLASNOST_CACHED_MATCHES": str(2 * (MATCHES + OPENINGS)),
    "GLASNOST_CACHED_BYTES": str(10**9),
    "GLASNOST_STREAMS_PER_VIEWER": str(2 * STREAMS),
}
SERVE = ("-m", "api.cli.main", "serve", "--port", "0", "--empty", "--store")


def main() -> None:
    """Three lines: matches, streams and openings."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "store"
        with closing(SqliteStore.open(folder)) as store:
            person, token = store.people.add("Ann", "player")
            names, stored = _fill(store, person.id)
        with server(*SERVE, str(folder)) as worker:
            took = uvloop.run(_played_on(worker, names, token))
            _say(f"{MATCHES} matches of {MOVES} moves", took, MATCHES, "what is stored", stored)
            took = uvloop.run(_followed(worker, names))
            took = uvloop.run(_opened(worker, token))
            _say(f"{OPENINGS} openings with one card set", took, OPENINGS, "its JSON", OPENINGS * CARDS)
        with server(str(HERE / "_bare_streams.py")) as bare:
            least = uvloop.run(_followed(bare, names))
        _say(f"{STREAMS} event streams", took, STREAMS, "bare ASGI", least)


def _fill(store: SqliteStore, player: str) -> tuple[list[str], int]:
    """Running matches of all games that this player plays; gives their names, and their size in bytes."""
    matches = [played(game, 1)[0] for game in GAMES.values()]
    names = [f"m{number:016x}" for number in range(WARM + MATCHES)]
    waiting, size = [], 0
    for name, match in zip(names, itertools.cycle(matches)):
        records = copied(match, name, MOVES, player)
        size += sum(len(record.stored) for record in records)
        waiting.append(store.submit(Append(records, secret=bytes(32))))
    for future in waiting:
        future.result()
    return names, size


async def _played_on(worker: Server, names: Sequence[str], token: str) -> int:
    """Play a move in each match; gives how many bytes the worker has grown by, its first matches apart."""
    await _played(worker, names[:WARM], token)
    before = worker.memory()
    await asyncio.gather(
        *(_played(worker, names[start::AT_ONCE], token) for start in range(WARM, WARM + AT_ONCE))
    )
    return worker.memory() - before


async def _played(worker: Server, names: Sequence[str], token: str) -> None:
    wire, luck = await Wire.to(worker.port), random.Random(1)
    for name in names:
        place = Place(f"/v1/matches/{name}", token)
        status, data = await wire.ask(place.fetch)
        assert status == 200, data
        status, data = await wire.ask(place.answer(question_of(data), luck))
        assert status == 201, data
    wire.close()


async def _opened(worker: Server, token: str) -> int:
    """Open matches with one card set; gives how many bytes the worker has grown by, the first apart."""
    step = {"op": "peek_cuba"}
    cards: list[dict[str, Any]] = [
        {**card, "title": card["id"], "event": {"steps": [step] * (CARDS // 13 // 20)}}
        for card in to_builtins(RECONSTRUCTION)["cards"]
    ]
    body = {"game": "thirteen_minutes", "options": {"card_set": {"cards": cards}}}
    wire = await Wire.to(worker.port)
    await wire.json("POST", "/v1/matches", body, token)
    before = worker.memory()
    for _ in range(OPENINGS):
        await wire.json("POST", "/v1/matches", body, token)
    wire.close()
    return worker.memory() - before


async def _followed(worker: Server, names: Sequence[str]) -> int:
    """Follow the matches over so many streams; gives how many bytes the worker has grown by."""
    listeners = [await _Listener.to(worker.port, names[0]) for _ in range(WARM)]
    before = worker.memory()
    for number in range(STREAMS):
        listeners.append(await _Listener.to(worker.port, names[number % len(names)]))
    return worker.memory() - before


class _Listener(asyncio.Protocol):
    """A stream that is open, and read when anything comes; `begun` is what came first."""

    begun: asyncio.Future[bytes]

    @classmethod
    async def to(cls, port: int, match: str) -> _Listener:
        """A stream whose first bytes have come."""
        loop = asyncio.get_running_loop()
        transport, listener = await loop.create_connection(cls, "127.0.0.1", port)
        listener.begun = loop.create_future()
        request = f"GET /v1/matches/{match}/moves?after={MOVES + 1} HTTP/1.1\r\nhost: localhost\r\n"
        transport.write(f"{request}accept: text/event-stream\r\n\r\n".encode())
        assert b" 200 " in await listener.begun
        return listener

    def data_received(self, data: bytes) -> None:
        """See `asyncio.Protocol`."""
        if not self.begun.done():
            self.begun.set_result(data)


def _say(what: str, took: int, many: int, floor: str, least: int) -> None:
    say(
        f"memory of a worker with {what}",
        f"{took / many / KB:.1f} KB each, {took / KB / KB:.0f} MB in all;"
        f" floor: {floor} {least / many / KB:.1f} KB each; ratio {took / max(least, 1):.1f}",
    )


if __name__ == "__main__":
    main()
