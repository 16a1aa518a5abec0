"""A server that is asked to stop under load: all requests are answered, nothing is lost, streams end.

What the server has begun to read is carried out and answered.  A request that was sent and never read may be
cut off, and then nothing of it is stored.
"""

from __future__ import annotations

import json
import random
import socket
import threading
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from api.store.open import open_store
from domain.events import Closed, SecretOpened
from domain.game import Game
from domain.match import Match
from tests.api.gate.memory import MemoryStore
from tests.api.gate.tables import gate_over
from tests.api.http.playing import picked
from tests.api.http.processes import Process, process
from tests.api.http.served import GONE, Answer, Client, served
from tests.api.store.proxy import line_to
from tests.waiting import PATIENCE

PLAYERS, BEGUN = 6, 12  # who play, and the moves of each before the server is asked to stop
GAME = "thirteen_minutes"
_LONG = {"GLASNOST_STOPPING_SECONDS": "60"}  # more than any request needs
Sent = tuple[float, Answer | None]  # when a command was sent as a whole, and its answer


class Hand(threading.Thread):
    """A client that plays both seats, match after match, until the server is gone."""

    def __init__(self, port: int, seed: int) -> None:
        super().__init__()
        self.client, self._source = Client(port), random.Random(seed)
        self.client.token = self.client.post("/v1/players", {"name": "Ann"}).json["token"]
        self.sent: list[Sent] = []
        self.acknowledged: dict[str, int] = {}
        self.begun = threading.Event()
        self.wrong: list[BaseException] = []

    def run(self) -> None:
        """See `Thread.run`."""
        try:
            while True:
                self._play_one()
        except GONE:
            return
        except BaseException as error:
            self.wrong.append(error)
        finally:
            self.begun.set()

    def _play_one(self) -> None:
        opened = self._say("/v1/matches", {"game": GAME})
        match = opened["match"]
        address = f"/v1/matches/{match}"
        self.acknowledged[match] = opened["move"]
        for seat in opened["seats"]:
            self.acknowledged[match] = self._say(f"{address}/seats/{seat}", {})["move"]
        while (prompt := self.client.get(f"{address}/prompt")).status == 200:
            done = self._say(f"{address}/moves", picked(self._source, prompt.json))
            self.acknowledged[match] = done["move"]
            if done["move"] > BEGUN:
                self.begun.set()

    def _say(self, path: str, body: dict[str, Any]) -> Any:
        self.client.begin("POST", path, json.dumps(body).encode(), {"content-type": "application/json"})
        self.sent.append((time.monotonic(), None))
        answer = self.client.answer()
        self.sent[-1] = (self.sent[-1][0], answer)
        if answer.status == 503:
            raise ConnectionError("it stops")
        assert answer.status == 201, answer
        return answer.json


def stream(port: int, match: str) -> socket.socket:
    """A stream of which the first bytes have come: a request that was never read may be cut off."""
    line = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
    line.sendall(
        f"GET /v1/matches/{match}/moves HTTP/1.1\r\nhost: localhost\r\n".encode()
        + b"accept: text/event-stream\r\n\r\n"
    )
    assert line.recv(9) == b"HTTP/1.1 "
    return line


def read_to_the_end(line: socket.socket) -> bytes:
    """All that is sent before the server hangs up."""
    content = bytearray()
    with line:
        while piece := line.recv(65536):
            content += piece
    return bytes(content)


def last_own(match: Match) -> int:
    """The last move but for those that close the match, which no answer names."""
    closing = (SecretOpened, Closed)
    return next(record.move for record in reversed(match.records) if not isinstance(record.entry, closing))


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_stop_under_load_answers_every_request_and_loses_nothing(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    database = request.getfixturevalue("database") if kind == "postgres" else None
    with process(tmp_path, database=database, environment=_LONG) as running:
        hands = [Hand(running.port, seed) for seed in range(PLAYERS)]
        for hand in hands:
            hand.start()
        for hand in hands:
            assert hand.begun.wait(60)
        lines = [stream(running.port, next(iter(tuple(hand.acknowledged)))) for hand in hands]
        asked = time.monotonic()
        assert running.stop() == (0, "")
        ends = [read_to_the_end(line) for line in lines]
        for hand in hands:
            hand.join(60)
            hand.client.close()
    assert [hand.wrong for hand in hands] == [[]] * PLAYERS
    assert all(end.endswith(b"\r\n0\r\n\r\n") for end in ends)
    unanswered = [sent for hand in hands for sent, answer in hand.sent if answer is None]
    assert not [sent for sent in unanswered if sent < asked]
    store = open_store(
        database or tmp_path / "store", keys=tmp_path / "keys" if database else None, write=False
    )
    stored = {name: last_own(found) for name in store.matches() if (found := store.match(name))}
    store.close()
    acknowledged = {match: move for hand in hands for match, move in hand.acknowledged.items()}
    assert stored == acknowledged
    assert sum(stored.values()) > BEGUN * PLAYERS


def test_partly_received_request_is_answered_at_stop(tmp_path: Path) -> None:
    with process(tmp_path, environment=_LONG) as running:
        host = Client(running.port)
        token = host.post("/v1/players", {"name": "Ann"}).json["token"]
        host.close()
        body = json.dumps({"game": GAME}).encode()
        with socket.create_connection(("127.0.0.1", running.port), timeout=PATIENCE) as line:
            line.sendall(
                f"POST /v1/matches HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n"
                f"content-length: {len(body)}\r\nexpect: 100-continue\r\n\r\n".encode()
            )
            assert line.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"  # from here on it waits for the body
            running.ask_to_stop()
            _wait_until_nobody_is_let_in(running.port)
            line.sendall(body)
            head, _, told = read_to_the_end(line).partition(b"\r\n\r\n")
        assert running.ended() == (0, "")
    assert head.startswith(b"HTTP/1.1 201 ")
    assert b"\r\nconnection: close" in head
    with closing(open_store(tmp_path / "store", write=False)) as store:
        assert list(store.matches()) == [json.loads(told)["match"]]


def test_unresponsive_database_delays_the_stop_for_a_bounded_time(
    databases: Callable[[], str], tmp_path: Path
) -> None:
    with line_to(databases()) as (bad, known):
        url = f"{known}?connect_timeout=2"
        running = Process(url, keys=tmp_path / "keys", environment={"GLASNOST_STOPPING_SECONDS": "1"})
        with closing(running), closing(Client(running.port)) as client:
            client.token = client.post("/v1/players", {"name": "Ann"}).json["token"]
            match = client.post("/v1/matches", {"game": GAME}).json["match"]
            bad.dark.set()
            client.begin("POST", f"/v1/matches/{match}/seats/us", b"{}", {"content-type": "application/json"})
            assert bad.swallowed.wait(PATIENCE)
            running.ask_to_stop()
            client.answer().problem(503, "in-doubt")
            code, told = running.ended()
            assert (code, "logged by asyncio" in told) == (0, False), told


def _wait_until_nobody_is_let_in(port: int) -> None:
    end = time.monotonic() + 30
    with suppress(ConnectionError):
        while time.monotonic() < end:
            socket.create_connection(("127.0.0.1", port), timeout=PATIENCE).close()
            time.sleep(0.01)
        raise AssertionError("it goes on listening")


def test_request_cut_off_by_the_stop_is_reported_in_doubt(tmp_path: Path, toy_in_words: Game) -> None:
    store = MemoryStore()
    begun, going = threading.Event(), threading.Event()
    add = store.people.add

    def slow(name: str, role: str) -> Any:
        begun.set()
        going.wait(PATIENCE)
        return add(name, role)

    vars(store.people)["add"] = slow
    told: list[Answer] = []
    with served(tmp_path, store, gate_over(store), stopping_seconds=1) as running:
        client = Client(running.port)  # it does not disconnect before the server stops

        def ask() -> None:
            told.append(client.post("/v1/players", {"name": "Ann"}))
            going.set()

        asking = threading.Thread(target=ask)
        asking.start()
        begun.wait()
    asking.join()
    client.close()
    told[0].problem(503, "in-doubt")
