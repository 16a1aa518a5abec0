"""Durable moves over one WebSocket for each player: throughput, and the round trip of one client.

The clients play random matches, as in `serving`; the floor is the same client against a bare ASGI
application with a raw group commit for each message (`_bare_socket`).
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from _bench import rate, say
from _frames import Socket, framed
from _frames import SocketTable as Table
from _judged import judged
from _load import CLIENTS, GAME, HERE, Count, latency, load, server

_MOVE = framed(b'{"do":"play","id":1,"match":"mabcdefghijklmnop","expect":17,"picks":["recruit"]}')


class Bare:
    """A client of the floor: sends the next message when the last one is answered."""

    def __init__(self, port: int, number: int) -> None:
        self._port = port

    async def prepare(self) -> None:
        """Connect."""
        self._socket = await Socket.entered(self._port, "")

    async def play(self, until: float, count: Count) -> None:
        """Ask until that time, at least once."""
        while True:
            began = time.perf_counter()
            await self._socket.ask(_MOVE)
            ended = time.perf_counter()
            count.times.append(ended - began)
            if ended > until:
                self._socket.close()
                return


def main() -> None:
    """Two lines: throughput, and the latency of one client."""
    with tempfile.TemporaryDirectory() as scratch:
        with server(str(HERE / "_bare_socket.py"), scratch) as bare:
            floor, floor_alone = load(Bare, [bare], CLIENTS), load(Bare, [bare], 1)
        store = str(Path(scratch) / "store")
        with server("-m", "api.cli.main", "serve", "--store", store, "--port", "0", "--empty") as real:
            ours, alone = load(Table, [real], CLIENTS), load(Table, [real], 1)
    say(
        f"durable moves over WebSockets, {GAME}, {CLIENTS} clients",
        f"{rate(ours.per_second)} moves/s, {ours.micros:.0f} µs of CPU each, {ours.fetched:.2f} prompts"
        f" fetched besides; judging and record alone {judged(GAME):.0f} µs;"
        f" floor: bare WebSocket + raw group commit {rate(floor.per_second)}/s,"
        f" {floor.micros:.0f} µs; ratio {floor.per_second / ours.per_second:.1f}",
    )
    say(f"a move of one client over WebSockets, {GAME}", latency(alone, floor_alone))


if __name__ == "__main__":
    main()
