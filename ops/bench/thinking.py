"""How long other people wait for an answer while `hard` thinks in fifty matches at once (B13).

The others play CIA vs. KGB against each other.  Each of the fifty matches has one guest, who answers at
random whenever `hard` has answered.  The floor is the same load while no bot thinks, on the same server, in
turns.
"""

from __future__ import annotations

import asyncio
import random
import re
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
from _bench import QUICK, percentiles, ratios, say
from _load import Place, Server, Table, load, question_of, server
from _wire import Wire, head

from api.bots.levels import EASY, HARD
from domain.games import GAMES

AIM = 50  # ms, the p99 of an answer while bots think
MOST_MEGABYTES = 200  # of each process in which bots think
MATCHES = 1 if QUICK else 50  # with a bot that thinks
OTHERS = 1 if QUICK else 4  # pairs of people beside them
SECONDS = 0.1 if QUICK else 10.0  # of each turn
LEVEL = EASY if QUICK else HARD
TURNS = 1 if QUICK else 2  # with and without thinking bots
PAUSE = 0.02  # seconds between the guests' answers, so that the load itself leaves the machine room
_QUEUE = re.compile(rb"^glasnost_bot_queue ([0-9.]+)", re.MULTILINE)


class Guests:
    """Fifty guests, each in one match against `hard`; they answer in a thread of their own.

    `longest` is the longest queue of questions for the bots that was seen, `megabytes` the most memory that
    one of the bots' processes had.

    Args:
        running: the server.
        game: the game that they play.
    """

    def __init__(self, running: Server, game: str) -> None:
        self._running, self._game = running, game
        self._places: list[Place] = []
        self._luck = random.Random(1)
        self.longest = 0
        self.megabytes = 0.0

    @contextmanager
    def answering(self) -> Iterator[None]:
        """Answer as long as the block runs; then wait until no bot thinks any more."""
        stop, begun = threading.Event(), threading.Event()
        thread = threading.Thread(target=lambda: asyncio.run(self._play(begun, stop)))
        thread.start()
        begun.wait()
        try:
            yield
        finally:
            stop.set()
            thread.join()

    async def _play(self, begun: threading.Event, stop: threading.Event) -> None:
        wire = await Wire.to(self._running.port)
        try:
            if not self._places:
                self._places = [await self._opened(wire, number) for number in range(MATCHES)]
            await self._round(wire)
        finally:
            begun.set()
        while not stop.is_set():
            await self._round(wire)
        while await self._queue(wire) or self._is_thinking():
            await asyncio.sleep(PAUSE)
        wire.close()

    async def _opened(self, wire: Wire, number: int) -> Place:
        """The guest's seat of a new match; `hard` has the other one."""
        guest, bot = GAMES[self._game].seats
        token = (await wire.json("POST", "/v1/players", {"name": f"Guest {number}"}))["token"]
        opened = await wire.json("POST", "/v1/matches", {"game": self._game}, token)
        match = f"/v1/matches/{opened['match']}"
        await wire.json("POST", f"{match}/seats/{guest}", {}, token)
        await wire.json("POST", f"{match}/seats/{bot}", {"bot": LEVEL}, token)
        return Place(match, token)

    async def _round(self, wire: Wire) -> None:
        """Each guest who is asked answers once; then look at the queue and at the memory."""
        for number, place in enumerate(self._places):
            status, data = await wire.ask(place.fetch)
            assert status in (200, 204), data
            if status == 200:
                status, data = await wire.ask(place.answer(question_of(data), self._luck))
                assert status in (201, 409), data
            elif await self._is_over(wire, place):
                self._places[number] = await self._opened(wire, number)
            await asyncio.sleep(PAUSE)
        self.longest = max(self.longest, await self._queue(wire))
        sizes = [one.memory_info().rss / 1e6 for one in self._processes()]
        self.megabytes = max(self.megabytes, *sizes, 0.0)

    async def _is_over(self, wire: Wire, place: Place) -> bool:
        """Has a match ended?  Asked only where its guest has no question."""
        return bool((await wire.json("GET", place.match))["status"] == "over")

    async def _queue(self, wire: Wire) -> int:
        status, data = await wire.ask(head("GET", "/metrics") + b"0\r\n\r\n")
        found = _QUEUE.search(data)
        assert status == 200, data
        assert found is not None, "the metrics do not name the queue"
        return int(float(found[1]))

    def _processes(self) -> list[psutil.Process]:
        """The processes in which bots think."""
        return [one for one in self._running.process.children() if "api.bots.worker" in one.cmdline()]

    def thought(self) -> float:
        """Seconds of processor time of the bots so far."""
        return sum(sum(one.cpu_times()[:2]) for one in self._processes())

    def _is_thinking(self) -> bool:
        """Does a process use the processor?"""
        return any(one.cpu_percent(PAUSE) > 0 for one in self._processes())


def main() -> None:
    """One line for each game."""
    for game in GAMES:
        with tempfile.TemporaryDirectory() as folder:
            store = str(Path(folder) / "store")
            with server("-m", "api.cli.main", "serve", "--store", store, "--port", "0", "--empty") as running:
                _measured(running, game)


def _measured(running: Server, game: str) -> None:
    guests, alone, beside, thought = Guests(running, game), list[float](), list[float](), 0.0
    for _ in range(TURNS):
        alone += load(Table, [running], OTHERS, seconds=SECONDS).times
        with guests.answering():
            before = guests.thought()
            beside += load(Table, [running], OTHERS, seconds=SECONDS).times
            thought += guests.thought() - before
    say(
        f"thinking, {game}",
        f"{percentiles(beside)} for an answer to other people while {LEVEL} plays {MATCHES} matches"
        f" (claim: p99 below {AIM} ms); the bots thought for {thought:.1f} of {TURNS * SECONDS:.0f} s, the"
        f" longest queue was {guests.longest}, a process had at most {guests.megabytes:.0f} MB"
        f" (claim: {MOST_MEGABYTES}); floor: no bot thinks: {percentiles(alone)};"
        f" ratio {ratios(beside, alone)}",
    )


if __name__ == "__main__":
    main()
