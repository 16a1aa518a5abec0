"""People who play matches over any of the workers, and remember all that was acknowledged."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct

from tests.api.http.playing import picked
from tests.api.http.served import GONE, Answer, Client
from tests.faults.watching import Watcher
from tests.faults.workers import Door
from tests.waiting import PATIENCE

GAMES = ("thirteen_minutes", "cia_vs_kgb")
PLAYERS = 6  # pairs of players, each at one match at a time
PLAYING: list[Pair] = []  # everybody who may still play
_BOTS = 0.2  # how many matches are against a bot of the house
_PAUSE = 0.02  # seconds between two attempts


class Acknowledged(Struct, frozen=True):
    """A move that was answered to a player: its number, the root after it, the key of the request."""

    move: int
    root: str
    key: str = ""


class Person:
    """A client with a token, which asks any worker, and repeats requests that were not answered.

    Args:
        doors: the workers.
        source: decides which worker is asked.
        gone: once it is set, the client waits for no answer.
    """

    def __init__(
        self, doors: Sequence[Door], source: random.Random, gone: threading.Event | None = None
    ) -> None:
        self.away = 0  # how many answers said that the store is away
        self._gone = gone or threading.Event()
        self._doors, self._random = doors, source
        self._clients: dict[Door, Client] = {}
        self.token = ""
        self.token = self.ask("/v1/players", {"name": "Ann"}).json["token"]

    def ask(self, path: str, body: Any = None, **headers: str) -> Answer:
        """The answer: the same request, however often a worker dies or says that the store is away."""
        end = time.monotonic() + PATIENCE
        while True:
            client = self._client()
            try:
                answer = client.get(path) if body is None else client.post(path, body, **headers)
                if answer.status != 503:
                    return answer
                self.away += 1
            except GONE:
                client.close()
            assert time.monotonic() < end, f"no answer: {path}"
            assert not self._gone.wait(_PAUSE), f"no client waits for the answer: {path}"

    def close(self) -> None:
        """Hang up."""
        for client in self._clients.values():
            client.close()

    def _client(self) -> Client:
        door = self._random.choice(self._doors)
        if door not in self._clients:
            self._clients[door] = Client(door[1], host=door[0])
        self._clients[door].token = self.token or None
        return self._clients[door]


class Pair:
    """Two players of one match after another, in a thread of their own; a viewer follows each match."""

    def __init__(self, doors: Sequence[Door], seed: int) -> None:
        self._doors, self._random = doors, random.Random(seed)
        self.acknowledged: dict[str, list[Acknowledged]] = {}
        self.watchers: list[Watcher] = []
        self.refused: list[Answer] = []
        self.failures: list[BaseException] = []
        self.moves = 0
        self.people: list[Person] = []
        self._stopping, self._gone = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._work, name=f"players {seed}", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Send nothing more, once every request under way has got its answer."""
        self._stopping.set()

    def join(self) -> None:
        """Wait until that is so."""
        self._thread.join(2 * PATIENCE)
        assert not self._thread.is_alive()

    def leave(self) -> None:
        """Stop, without waiting for answers: the test is over."""
        self._gone.set()
        self._stopping.set()
        self.join()
        for watcher in self.watchers:
            watcher.stop(0)

    def _work(self) -> None:
        try:
            for _ in range(2):
                self.people.append(Person(self._doors, self._random, self._gone))
            while not self._stopping.is_set():
                self._play(self.people)
        except BaseException as error:
            self.failures.append(error)
        finally:
            for person in self.people:
                person.close()

    def _play(self, people: list[Person]) -> None:
        """One match, to its end or until it is enough."""
        opened = people[0].ask("/v1/matches", {"game": self._random.choice(GAMES)}).json
        match, with_bot = opened["match"], self._random.random() < _BOTS
        self.acknowledged[match] = []
        self._note(match, opened)
        self.watchers.append(Watcher(self._doors, match, self._random.getrandbits(32)))
        playing = people[:1] if with_bot else people
        for seat, person in zip(opened["seats"], people, strict=True):
            if person in playing:
                self._sit(match, seat, person, {})
            else:
                self._sit(match, seat, people[0], {"bot": "random"})
        while not self._stopping.is_set():
            answered = [self._answered(match, person) for person in playing]
            if not any(answered) and self._is_over(match, people):
                return

    def _sit(self, match: str, seat: str, person: Person, body: dict[str, str]) -> None:
        # Sitting down has no key: after a kill the seat may be taken already, by oneself.
        sat = person.ask(f"/v1/matches/{match}/seats/{seat}", body)
        if sat.status == 201:
            self._note(match, sat.json)
        elif (sat.status, sat.json["type"]) != (409, "/problems/seat-taken"):
            self.refused.append(sat)

    def _answered(self, match: str, person: Person) -> bool:
        """Answer at random if the seat is asked; return whether it was."""
        prompt = person.ask(f"/v1/matches/{match}/prompt")
        if prompt.status != 200 or self._stopping.is_set():
            return False
        self.moves += 1
        key, body = f"key-{self.moves}", picked(self._random, prompt.json)
        answer = person.ask(f"/v1/matches/{match}/moves", body, idempotency_key=key)
        if answer.status == 201:
            self._note(match, answer.json, key)
        else:
            self.refused.append(answer)
        return True

    def _is_over(self, match: str, people: list[Person]) -> bool:
        return bool(people[0].ask(f"/v1/matches/{match}").json["status"] == "over")

    def _note(self, match: str, told: Any, key: str = "") -> None:
        self.acknowledged[match].append(Acknowledged(told["move"], told["root"], key))


class Crowd:
    """Pairs of players at once.

    Args:
        doors: the workers.
        seed: decides what they do.
        pairs: how many.
    """

    def __init__(self, doors: Sequence[Door], seed: int, pairs: int = PLAYERS) -> None:
        self.pairs = [Pair(doors, 1_000 * seed + number) for number in range(pairs)]
        PLAYING.extend(self.pairs)

    @property
    def moves(self) -> int:
        """How many answers were sent."""
        return sum(pair.moves for pair in self.pairs)

    @property
    def away(self) -> int:
        """How many answers to all players said that the store is away."""
        return sum(person.away for pair in self.pairs for person in pair.people)

    @property
    def acknowledged(self) -> dict[str, list[Acknowledged]]:
        """What was acknowledged, match by match, in the order of the answers."""
        return {match: list(moves) for pair in self.pairs for match, moves in list(pair.acknowledged.items())}

    @property
    def watchers(self) -> list[Watcher]:
        """Everybody who followed a match."""
        return [watcher for pair in self.pairs for watcher in pair.watchers]

    def play_on(self, moves: int) -> None:
        """Wait until so many more answers were sent."""
        enough = self.moves + moves
        self._wait(lambda: self.moves >= enough)

    def be_refused(self, times: int = 1) -> None:
        """Wait until so many more answers said that the store is away."""
        enough = self.away + times
        self._wait(lambda: self.away >= enough)

    def _wait(self, reached: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE
        while not reached():
            self.check()
            assert time.monotonic() < end, f"{self.moves} moves, {self.away} times away, and no more"
            time.sleep(0.005)

    def stop(self) -> None:
        """End the load, after every request has its answer and every viewer has got the awaited moves."""
        for pair in self.pairs:
            pair.stop()
        for pair in self.pairs:
            pair.join()
        known = self.acknowledged
        for watcher in self.watchers:
            watcher.stop(max(one.move for one in known[watcher.match]))
        self.check()

    def check(self) -> None:
        """Nothing has failed, and nothing was refused."""
        failures = [pair.failures for pair in self.pairs] + [one.failures for one in self.watchers]
        assert not any(failures), failures
        assert not any(pair.refused for pair in self.pairs), [pair.refused for pair in self.pairs]
