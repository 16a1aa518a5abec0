"""Load on a server that is killed again and again: clients who play, and readers who follow."""

from __future__ import annotations

import http.client
import random
import threading
import time
from collections.abc import Callable
from typing import Any

from tests.api.http.served import Answer, Client
from tests.api.http.streaming import Listener

GONE = (OSError, http.client.HTTPException)


class Load:
    """One match after another, each between two clients in one thread, each followed by a reader."""

    def __init__(self, port: int, seed: int) -> None:
        self.port, self.random = port, random.Random(seed)
        self.stopping = threading.Event()
        self.acknowledged: dict[str, list[tuple[int, str]]] = {}
        self.shown: dict[str, list[tuple[int, Any]]] = {}
        self.refused: list[Answer] = []
        self.failures: list[BaseException] = []
        self._playing = threading.Thread(target=self._guarded, args=(self._play,))
        self._reading: list[threading.Thread] = []

    def start(self) -> None:
        """Begin."""
        self._playing.start()

    def stop(self) -> None:
        """Send nothing more, once every request under way has got its answer."""
        self.stopping.set()
        self._playing.join(60)
        assert not self._playing.is_alive()

    def join(self) -> None:
        """Wait for the readers, whose streams the server has ended."""
        for thread in self._reading:
            thread.join(60)
            assert not thread.is_alive()

    def _guarded(self, work: Callable[..., None], *given: Any) -> None:
        try:
            work(*given)
        except BaseException as error:
            self.failures.append(error)

    def _play(self) -> None:
        players = [self._player() for _ in range(2)]
        while not self.stopping.is_set():
            self._play_one(players)
        for player in players:
            player.close()

    def _player(self) -> Client:
        client = Client(self.port)
        told = _patiently(client, "/v1/players", {"name": "Ann"}).json
        client.token, client.player = told["token"], told["player"]
        return client

    def _play_one(self, players: list[Client]) -> None:
        game = self.random.choice(["thirteen_minutes", "cia_vs_kgb"])
        opened = _patiently(players[0], "/v1/matches", {"game": game}).json
        match = opened["match"]
        self.acknowledged[match], self.shown[match] = [(1, opened["root"])], []
        self._reading.append(threading.Thread(target=self._guarded, args=(self._follow, match)))
        self._reading[-1].start()
        for seat, player in zip(opened["seats"], players, strict=True):
            # Sitting down has no key: after a kill the seat may be taken already, by oneself.
            sat = _patiently(player, f"/v1/matches/{match}/seats/{seat}", {})
            if sat.status == 201:
                self.acknowledged[match].append((sat.json["move"], sat.json["root"]))
        self._answers(match, players)

    def _answers(self, match: str, players: list[Client]) -> None:
        address, number = f"/v1/matches/{match}", 0
        while not self.stopping.is_set():
            player = players[number % 2]
            number += 1
            prompt = _patiently(player, f"{address}/prompt")
            if prompt.status == 200:
                self._answer(match, player, prompt.json, f"key-{number}")
            elif _patiently(player, address).json["status"] == "over":
                return

    def _answer(self, match: str, player: Client, question: Any, key: str) -> None:
        count = self.random.randint(question["least"], question["most"])
        picks = [option["pick"] for option in self.random.sample(question["options"], count)]
        body = {"expect": question["move"], "picks": picks}
        answer = _patiently(player, f"/v1/matches/{match}/moves", body, idempotency_key=key)
        if answer.status == 201:
            self.acknowledged[match].append((answer.json["move"], answer.json["root"]))
        else:
            self.refused.append(answer)

    def _follow(self, match: str) -> None:
        """Read until the match is over, resuming wherever the server died."""
        seen = self.shown[match]
        while not self.stopping.is_set():
            try:
                stream = Listener(
                    self.port, f"/v1/matches/{match}/moves", {"last-event-id": str(len(seen))} if seen else {}
                )
            except GONE:
                time.sleep(0.02)
                continue
            self._read(stream, seen)
            stream.close()
            if seen and seen[-1][1]["kind"] == "closed":
                return

    def _read(self, stream: Listener, seen: list[tuple[int, Any]]) -> None:
        try:
            for event in stream.events():
                seen.append((event.id, event.data))
                if self.stopping.is_set():
                    return
        except GONE:
            return


def _patiently(client: Client, path: str, body: Any = None, **headers: str) -> Answer:
    """Send until there is an answer: the same request, however often the server dies."""
    while True:
        try:
            return client.get(path) if body is None else client.post(path, body, **headers)
        except GONE:
            client.close()
            time.sleep(0.02)
