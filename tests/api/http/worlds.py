"""Two worlds that differ in two hidden cards only, and all that clients can see of them."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest

import domain.log
from api.http.log_lines import Lines
from domain.chance import Drawn, Forced, Ledger, Provable, Secret
from domain.kernel import Picks, Seat
from domain.match import Match
from tests.api.gate.memory import MemoryStore
from tests.api.gate.tables import SECRET, gate_over
from tests.api.http.served import Answer, Client, Served, served
from tests.api.http.sockets import socket
from tests.api.http.streaming import Listener
from tests.waiting import PATIENCE

MATCH = "m1"
ADDRESS = f"/v1/matches/{MATCH}"
T = TypeVar("T")


class Recording:
    """The scheme's draws, remembered answer by answer."""

    def __init__(self) -> None:
        self.answers: list[Picks] = []
        self._scheme = Provable(Secret(SECRET, MATCH), "")

    def draw(self, label: str, face_up: bool, options: Picks, count: int, ledger: Ledger) -> list[Drawn]:
        """See `Source.draw`."""
        drawn = self._scheme.draw(label, face_up, options, count, ledger)
        self.answers.append(tuple(draw.pick for draw in drawn))
        return drawn


class World:
    """One world: a server, a match, and a client of every kind."""

    def __init__(self, server: Served, game: str, lines: list[str]) -> None:
        self.server, self.lines = server, lines
        self.run(server.gate.open("p1", game, None, {}, secret=SECRET, match=MATCH, recorded=True))
        self.seats: tuple[Seat, ...] = tuple(self.match.seats)
        self.viewers: dict[str, Client] = {seat: server.person("player") for seat in self.seats}
        for role in ("player", "admin", "organizer", "observer"):
            self.viewers[role] = server.person(role)
        self.viewers["nobody"] = server.client()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Carry out something on the server's loop."""
        return asyncio.run_coroutine_threadsafe(work, self.server.loop).result(PATIENCE)

    @property
    def match(self) -> Match:
        """The match as committed."""
        return self.run(self.server.gate.match(MATCH))

    def set_up(self, picks: Sequence[Picks] | None = None) -> list[Picks]:
        """Seat all players; chance answers `picks`, or what the scheme draws.  Returns its answers."""
        recording = Recording()
        for seat in self.seats:
            source = recording if picks is None else Forced(iter(picks))
            self.run(self.server.gate.sit(MATCH, seat, self.viewers[seat].player, source=source))
        return recording.answers

    def answer(self, seat: Seat, picks: Picks, chance: Sequence[Picks] | None = None) -> list[Picks]:
        """A seat answers; see `set_up`."""
        recording = Recording()
        source = recording if chance is None else Forced(iter(chance))
        self.run(self.server.gate.play(MATCH, [picks], seat=seat, source=source))
        return recording.answers

    def told(self, hidden: Seat) -> dict[str, Any]:
        """Everything that everybody but the `hidden` seat can be told, and what the server says of it."""
        told: dict[str, Any] = {}
        for name, client in self.viewers.items():
            if name != hidden:
                told |= {f"{name} {what}": _comparable(answer) for what, answer in self._asked(client)}
                told[f"{name} stream"] = self._streamed(client)
                told[f"{name} socket"] = self._said(client)
        told["log"] = [_without_times(line) for line in self.lines]
        told["metrics"] = _counts(self.viewers["admin"].get("/metrics").body.decode())
        return told

    def _asked(self, client: Client) -> Iterator[tuple[str, Answer]]:
        move = self.match.move
        views = ["", *(f"view={view}" for view in (*self.seats, "spectator", "all", "nobody"))]
        paths = [f"{ADDRESS}?at={at}&{view}" for at in range(1, move + 2) for view in views]
        paths += [f"{ADDRESS}/moves?proof={proof}&{view}" for proof in ("true", "false") for view in views]
        paths += [f"{ADDRESS}/positions?after={after}&{view}" for after in (0, 2) for view in views]
        paths += [f"{ADDRESS}/scene?at={at}&{view}" for at in range(1, move + 2) for view in views]
        paths += [f"{ADDRESS}/checkpoint?move={at}" for at in range(1, move + 1)]
        paths += [f"{ADDRESS}/{what}" for what in ("prompt", "turns", "file", "verification")]
        paths += ["/v1/matches", f"/v1/scoreboards/{self.match.game.name}", "/v1/refusals", "/v1/keys"]
        paths += [f"/v1/players/{self.viewers[seat].player}/matches" for seat in self.seats]
        for path in paths:
            for headers in ({}, {"accept": "application/x-ndjson", "accept-language": "ru"}):
                yield f"GET {path} {headers}", client.send("GET", path, None, headers)
        for path, body in _hostile(self.seats):
            yield f"POST {path} {body}", client.post(f"{ADDRESS}/{path}", body)

    def _streamed(self, client: Client) -> list[Any]:
        headers = {"authorization": f"Bearer {client.token}"} if client.token else {}
        stream = Listener(self.server.port, f"{ADDRESS}/moves?proof=true", headers)
        told = [event.data for event in stream.take(self.match.move)]
        stream.close()
        return told

    def _said(self, client: Client) -> list[Any]:
        """What a socket tells: the moves, the question, and why a command is refused."""
        with socket(self.server.port, client.token) as one:
            replies = [] if client.token else [one.say("enter")]
            replies.append(one.say("follow", match=MATCH, proof=True))
            replies += [one.say("prompt", match=MATCH), one.say("takeback", match=MATCH, to=1)]
            for path, body in _hostile(self.seats):
                if path == "moves":
                    replies.append(one.say("play", match=MATCH, **body))
            return [replies, one.pushed(MATCH, self.match.move)]


def _hostile(seats: Sequence[Seat]) -> Iterator[tuple[str, Any]]:
    """Commands that must be refused for every client."""
    for expect in (1, 2, 3, 99):
        for picks in ([], ["no such pick"], ["x"] * 3):
            yield "moves", {"expect": expect, "picks": picks}
            yield "moves", {"expect": expect, "answers": [picks, picks]}
    yield "takebacks", {"to": 1}
    yield "takebacks/1/answer", {"agree": True}
    yield "rulings", {"reason": "none"}
    yield f"seats/{seats[0]}", {}
    yield "seats/house", {}


def _comparable(answer: Answer) -> tuple[int, dict[str, str], bytes]:
    return answer.status, {name: text for name, text in answer.headers.items() if name != "date"}, answer.body


def _without_times(line: str) -> dict[str, Any]:
    return {name: value for name, value in json.loads(line).items() if name not in ("at", "us")}


def _counts(metrics: str) -> list[str]:
    """The metrics but for times, and for what is open: that tells how fast a connection is closed."""
    untold = ("_bucket{", "_sum", "_looked_seconds", "glasnost_streams ", "glasnost_sockets ")
    return [line for line in metrics.splitlines() if not any(word in line for word in untold)]


@contextmanager
def world(folder: Path, game: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """A world in which a commitment depends on its salt only, so that even the roots must be the same."""
    monkeypatch.setattr(domain.log, "seal", lambda salt, part: hashlib.sha256(salt).digest())
    folder.mkdir()
    store = MemoryStore()
    gate = gate_over(store)
    lines: list[str] = []
    handler = logging.Handler()
    formatter = Lines()
    vars(handler)["emit"] = lambda record: lines.append(formatter.format(record))
    logger = logging.getLogger("glasnost")
    logger.addHandler(handler)
    monkeypatch.setattr(logger, "level", logging.DEBUG)
    try:
        with served(folder, store, gate) as server:
            yield World(server, game, lines)
    finally:
        logger.removeHandler(handler)


def swapped(picks: Picks, swap: Mapping[str, str]) -> Picks:
    """The same picks with the two cards swapped."""
    return tuple(swap.get(pick, pick) for pick in picks)
