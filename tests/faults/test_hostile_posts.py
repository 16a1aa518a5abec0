"""Hostile posts over four workers: no change of anything that is stored, no error of a server."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.api.store.locations import ROOT, Database
from tests.faults.attacks import Target
from tests.faults.hostile import Orders
from tests.faults.load import GAMES, Person
from tests.faults.proofs import holds
from tests.faults.workers import Workers, working
from tests.waiting import soon

SAMPLE, FULL = 4_000, 1_000_000  # posts
WORKERS = 4
ATTACKERS = 2  # processes
PIECE = 25_000  # posts of each client, after which the numbers are printed
MATCHES = 4  # that run, and one that is over
OPENING = 6  # answers before the attack


class Table:
    """A match of two people, played for a while."""

    def __init__(self, people: list[Person], game: str, seed: int) -> None:
        self.people, self._random = people, random.Random(seed)
        opened = people[0].ask("/v1/matches", {"game": game}).json
        self.address, self.match = f"/v1/matches/{opened['match']}", opened["match"]
        self.seats = tuple(opened["seats"])
        for seat, person in zip(self.seats, people, strict=True):
            assert person.ask(f"{self.address}/seats/{seat}", {}).status == 201
        self._keys: dict[Person, str] = {}

    def asked(self) -> list[tuple[Person, Any]]:
        """Who is asked, and what."""
        prompts = [(person, person.ask(f"{self.address}/prompt")) for person in self.people]
        return [(person, prompt.json) for person, prompt in prompts if prompt.status == 200]

    def play(self) -> None:
        """One answer, by the first who is asked, with a key."""
        person, question = self.asked()[0]
        self._keys[person] = key = f"key-{question['move']}"
        body = {"expect": question["move"], "picks": _legal(question)}
        assert person.ask(f"{self.address}/moves", body, idempotency_key=key).status == 201

    def target(self, outsider: Person) -> Target:
        """What is attacked."""
        while (found := self.asked()[0])[0] not in self._keys:
            self.play()
        person, question = found
        asked = [one for one, _ in self.asked()]
        foreign = tuple(one.token for one in (outsider, *self.people) if one not in asked)
        return Target(
            self.match,
            self.seats,
            question["move"],
            tuple(_legal(question)),
            person.token,
            foreign,
            self._keys[person],
        )


def _legal(question: Any) -> list[str]:
    return [option["pick"] for option in question["options"][: max(question["least"], 1)]]


def targets(workers: Workers) -> tuple[Target, ...]:
    """Matches that run, and one that a player has resigned."""
    people = [Person(workers.doors, random.Random(number)) for number in range(3)]
    found = []
    for number in range(MATCHES + 1):
        table = Table(people[:2], GAMES[number % len(GAMES)], number)
        for _ in range(OPENING):
            table.play()
        found.append(table.target(people[2]))
        if number == MATCHES:
            assert people[0].ask(f"{table.address}/resignation", {}).status == 201
    for person in people:
        person.close()
    return tuple(found)


def attacked(orders: list[Orders]) -> Counter[int]:
    """Let a process carry out each of the orders, all at once."""
    command = [sys.executable, "-m", "tests.faults.hostile"]
    running = [
        subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in orders
    ]
    for process, order in zip(running, orders, strict=True):
        assert process.stdin is not None
        process.stdin.write(msgspec.json.encode(order))
        process.stdin.close()
    statuses: Counter[int] = Counter()
    for process in running:
        assert process.stdout is not None
        with process.stdout as told:
            answer = told.read()
        assert process.wait() == 0
        statuses.update({int(status): count for status, count in json.loads(answer).items()})
    return statuses


def is_logged(place: Database) -> bool:
    """Is every opening, and the end of one match, in the log of the server, and signed?"""
    store = place.open(write=False)
    latest, matches = store.transparency.latest(), len(list(store.matches()))
    store.close()
    return latest is not None and latest.size > matches


def hostile(place: Database, folder: Path, posts: int) -> Counter[int]:
    """Attack four workers with so many posts; how often each status was answered."""
    workers, statuses = Workers(place, WORKERS), Counter[int]()
    with working(workers):
        aims, seed = targets(workers), 0
        soon(is_logged, place)
        before = place.content()
        while statuses.total() < posts:
            piece = min(PIECE, (posts - statuses.total()) // ATTACKERS + 1)
            doors = tuple(workers.doors)
            statuses += attacked([Orders(doors, aims, piece, seed + n) for n in range(ATTACKERS)])
            seed += ATTACKERS
            assert max(statuses) < 500, statuses
            assert place.content() == before
            print(f"{statuses.total()} posts: {dict(sorted(statuses.items()))}", flush=True)
        workers.stop()
    store = place.open(write=False)
    holds(store, {})
    store.close()
    return statuses


def test_hostile_posts_change_nothing(shared: Database, tmp_path: Path) -> None:
    statuses = hostile(shared, tmp_path, SAMPLE)
    assert {400, 401, 403, 404, 405, 409, 415, 422} <= set(statuses)  # 413 is rare, see test_slow_clients
    assert statuses[0] < statuses.total() / 10


@pytest.mark.long
def test_a_million_hostile_posts_change_nothing(
    shared: Database, tmp_path: Path, often: Callable[[int, int], int]
) -> None:
    statuses = hostile(shared, tmp_path, often(SAMPLE, FULL))
    print(f"{statuses.total()} hostile posts, nothing changed: {dict(sorted(statuses.items()))}")
