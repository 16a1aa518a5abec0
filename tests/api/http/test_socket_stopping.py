"""The end of a server: a stop answers all messages; after a kill, no move that was sent is lost."""

from __future__ import annotations

import asyncio
import json
import os
import random
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed, WebSocketException

from api.http.ws_auth import SocketAuth
from tests.api.http.playing import picked
from tests.api.http.processes import Process, process
from tests.api.http.served import Client, served
from tests.api.http.sockets import Socket, socket, spectator
from tests.api.http.test_socket_entering import refused
from tests.api.http.test_socket_hostile import flooded, raw
from tests.services.leash import free_port
from tests.waiting import PATIENCE, soon

GAME = "cia_vs_kgb"
SHORT, LONG = 2, 20  # kills


def _player(port: int) -> str:
    client = Client(port)
    token: str = client.post("/v1/players", {"name": "Ann"}).json["token"]
    client.close()
    return token


def _match(port: int, token: str) -> str:
    """A match in which one player has both seats."""
    client = Client(port, token)
    opened = client.post("/v1/matches", {"game": GAME}).json
    for seat in opened["seats"]:
        assert client.post(f"/v1/matches/{opened['match']}/seats/{seat}").status == 201
    client.close()
    match: str = opened["match"]
    return match


def _play(one: Socket, match: str, source: random.Random, told: dict[int, str]) -> None:
    """Play until the socket is closed, or the match is over; what was acknowledged."""
    while prompt := one.done("prompt", match=match):
        done = one.done("play", match=match, key=f"{source.random()}", **picked(source, prompt))
        told[done["move"]] = done["root"]


def _compare(port: int, token: str, match: str, acknowledged: dict[int, str]) -> None:
    """What was acknowledged is stored."""
    client = Client(port, token)
    moves = client.get(f"/v1/matches/{match}/moves").json["moves"]
    roots = {move["move"]: move["root"] for move in moves}
    assert {move: roots.get(move) for move in acknowledged} == acknowledged
    client.close()


def test_graceful_stop_answers_all_messages_and_closes_with_1001(tmp_path: Path) -> None:
    with process(tmp_path, environment={"GLASNOST_STOPPING_SECONDS": "60"}) as running:
        token = _player(running.port)
        matches = [_match(running.port, token) for _ in range(8)]
        told: list[dict[int, str]] = [{} for _ in matches]
        codes: list[int | None] = []

        def play(number: int) -> None:
            with socket(running.port, token) as one:
                with suppress(ConnectionClosed):
                    _play(one, matches[number], random.Random(number), told[number])
                    one.rest()
                codes.append(one.connection.close_code)

        threads = [threading.Thread(target=play, args=(number,)) for number in range(len(matches))]
        with socket(running.port, token) as idle, socket(running.port) as spectator:
            for thread in threads:
                thread.start()
            soon(lambda: all(told))
            assert running.stop() == (0, "")
            assert idle.closed() == (1001, "the server is stopping")
            assert spectator.closed() == (1001, "the server is stopping")
        for thread in threads:
            thread.join(PATIENCE)
        assert codes == [1001] * len(matches)
    with process(tmp_path) as running:
        for match, acknowledged in zip(matches, told, strict=True):
            _compare(running.port, token, match, acknowledged)


def test_handshake_pending_at_stop_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    under_way, arrive = threading.Event(), SocketAuth.arrive

    async def slowly(auth: SocketAuth) -> None:
        under_way.set()
        while not auth._services.gate.stopping:
            await asyncio.sleep(0.01)
        await arrive(auth)

    monkeypatch.setattr(SocketAuth, "arrive", slowly)
    with ThreadPoolExecutor(1) as pool:
        with served(tmp_path) as server:
            answer = pool.submit(refused, server)
            assert under_way.wait(30)
        assert answer.result(30)[:2] == (503, "unavailable")


def test_client_that_does_not_read_cannot_delay_the_stop(tmp_path: Path) -> None:
    patience = {"GLASNOST_STOPPING_SECONDS": "1", "GLASNOST_REQUESTS_PER_SECOND": "1000000000"}
    running = Process(str(tmp_path / "store"), environment=patience)
    try:
        token = _player(running.port)
        question = {"do": "prompt", "id": 1, "match": _match(running.port, token)}
        with raw(running.port, token) as one:
            assert flooded(one, json.dumps(question).encode()) > 0
            assert running.stop()[0] == 0
    finally:
        running.close()


def _killed(folder: Path, kills: int) -> int:
    """Kill a server so often while a match is played and followed; how many moves were acknowledged."""
    port = free_port()
    told: dict[int, str] = {}
    seen: list[object] = []
    with process(folder, port):
        token = _player(port)
        match = _match(port, token)
    for _ in range(kills):
        with process(folder, port) as running:
            _until_killed(running, token, match, told, seen)
    with process(folder, port):
        _compare(port, token, match, told)
        client = Client(port)
        stored = client.get(f"/v1/matches/{match}/moves?view=spectator").json["moves"]
        client.close()
        assert seen == stored[: len(seen)]
        assert seen
    return len(told)


def test_killed_server_keeps_every_move_sent_by_a_socket(tmp_path: Path) -> None:
    assert _killed(tmp_path, SHORT) >= 5 * SHORT


@pytest.mark.long
def test_repeatedly_killed_server_keeps_every_move_sent_by_a_socket(tmp_path: Path) -> None:
    kills = LONG if os.environ.get("GLASNOST_FULL") == "1" else SHORT
    print(f"{kills} kills: {_killed(tmp_path, kills)} moves acknowledged over sockets, none lost")


def _until_killed(running: Process, token: str, match: str, told: dict[int, str], seen: list[object]) -> None:
    """Play and follow, until the server is killed after five moves more."""
    enough, failures = len(told) + 5, list[BaseException]()

    def play() -> None:
        try:
            with socket(running.port, token) as one:
                _play(one, match, random.Random(enough), told)
        except (WebSocketException, OSError):
            return
        except BaseException as error:
            failures.append(error)

    playing = threading.Thread(target=play)
    with spectator(running.port) as one:
        one.done("follow", match=match, after=len(seen))
        playing.start()
        soon(lambda: len(told) >= enough or not playing.is_alive())
        running.kill()
        one.rest()
        seen += one.moves[match]
    playing.join(PATIENCE)
    assert not failures
