"""Several workers on one PostgreSQL: two directors at once (OA26), a round closed while its game ends (OA25).

The long runs have two processes; the quick ones two servers in this process, each with a view of its own.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from api.store.sql import SqlStore
from domain.tournaments.state import Board
from replay.tournaments.pairing import pair
from tests.api.gate.tournaments import agreed, verified_here
from tests.api.http.playing import two_workers
from tests.api.store.locations import Database
from tests.faults.club import Club, asked, made
from tests.faults.workers import LOCAL, Door, Workers, working
from tests.waiting import soon

PAIRINGS, CLOSINGS = (5, 200), (8, 500)
DELAY = 0.05  # seconds at most by which one of the two comes later: a request takes about that long
IN_PROCESS = """
from api.http import app_state
from replay.tournaments import pairing
app_state.pair_twice = pairing.pair
"""
"""What workers do at first: they pair four entrants at once, and start no processes for it."""


@contextmanager
def quick(place: Database, folder: Path) -> Iterator[list[Door]]:
    """Two servers in this process."""
    with two_workers(folder, place.open, requests_per_second=100_000) as servers:
        for server in servers:
            assert server.services is not None
            server.services.tournaments._pairer = pair
            server.services.follower._verifier = verified_here
        yield [(LOCAL, server.port) for server in servers]


@contextmanager
def processes(place: Database, folder: Path) -> Iterator[list[Door]]:
    """Two processes."""
    workers = Workers(place, 2)
    workers.first = [IN_PROCESS] * 2
    with working(workers):
        yield workers.doors
        workers.stop()


SAME = ("tournament", "round", "draft_sha256", "engine", "version", "rules", "input_sha256", "boards", "byes")
"""What a draft and the refusal of the one who came second have in common."""
Serving = Callable[[Database, Path], AbstractContextManager[list[Door]]]


def both_pair(doors: Sequence[Door], club: Club) -> list[tuple[int, str]]:
    """Two directors pair, each at a worker of their own; the statuses, and what a refusal is called.

    The refusal has the draft of the one who was faster.
    """
    directors = [(doors[:1], club.director), (doors[1:], club.second)]
    expect = asked(doors, club.tokens[club.director], club.path).json["entry"]

    def draft(who: tuple[Sequence[Door], str]) -> Any:
        told = asked(who[0], club.tokens[who[1]], f"{club.path}/rounds", {"expect": expect})
        assert told.status == 200, told
        return told.json

    def commit(who: tuple[Sequence[Door], str], found: Any) -> tuple[int, str]:
        body = {"expect": expect, "draft_sha256": found["draft_sha256"]}
        told = asked(who[0], club.tokens[who[1]], f"{club.path}/rounds/1", body)
        if told.status == 409:
            paired = told.json["paired"]
            assert {name: paired[name] for name in SAME} == {name: found[name] for name in SAME}
            assert paired["entry"] == expect + 1
        return told.status, told.json.get("type", "")

    with ThreadPoolExecutor(2) as threads:
        drafts = list(threads.map(draft, directors))
        assert drafts[0] == drafts[1]
        return sorted(threads.map(commit, directors, drafts))


def pairings(serving: Serving, place: Database, folder: Path, runs: int) -> None:
    """In each run one director pairs, and the other learns that it went on."""
    clubs = made(place, 4, runs, published=False)
    with serving(place, folder) as doors:
        for club in clubs:
            assert both_pair(doors, club) == [(201, ""), (409, "/problems/stale")]
    with closing(place.open(write=False)) as store:
        for club in clubs:
            log = store.tournament(club.id)
            assert log is not None
            assert [record.kind for record in log.records].count("paired") == 1


def test_of_two_directors_at_two_workers_one_pairs(shared: Database, tmp_path: Path) -> None:
    pairings(quick, shared, tmp_path, PAIRINGS[0])


@pytest.mark.long
def test_of_two_directors_at_two_processes_one_pairs(
    shared: Database, tmp_path: Path, often: Callable[[int, int], int]
) -> None:
    pairings(processes, shared, tmp_path, often(*PAIRINGS))


def close_while_it_ends(doors: Sequence[Door], club: Club, chance: random.Random) -> None:
    """A director closes the round at one worker while a player resigns at the other."""
    [board], head = club.boards, asked(doors, club.tokens[club.director], club.path).json["entry"]
    policy, result = chance.choice((("forfeit", "+-"), ("forfeit", "--"), ("adjudicate", "0-1")))
    order = {"expect": head, "boards": [{"board": 1, "policy": policy, "result": result}]}
    first, late = chance.random() < 0.5, chance.random() * DELAY

    def close() -> int:
        time.sleep(0 if first else late)
        token = club.tokens[club.director]
        return asked(doors[:1], token, f"{club.path}/rounds/1/close", order).status

    def end() -> int:
        time.sleep(late if first else 0)
        token = club.tokens[board.loser]
        return asked(doors[1:], token, f"/v1/matches/{board.match}/resignation", {}).status

    with ThreadPoolExecutor(2) as threads:
        answers = [threads.submit(close), threads.submit(end)]
        assert {answer.result() for answer in answers} <= {201, 409}


def closings(serving: Serving, place: Database, folder: Path, runs: int) -> dict[str, int]:
    """Close so many rounds while a game ends; how many games ended in which way."""
    clubs, chance, ends = made(place, 2, runs), random.Random(1), Counter[str]()
    with serving(place, folder) as doors, closing(place.open(write=False)) as store:
        for club in clubs:
            close_while_it_ends(doors, club, chance)
        for club in clubs:
            soon(is_recorded, store, club)
            match = store.match(club.boards[0].match)
            assert match is not None
            ends[agreed(match, board_of(store, club))] += 1
    return ends


def is_recorded(store: SqlStore, club: Club) -> bool:
    """Whether the result of the one board is stored."""
    return board_of(store, club).outcome is not None


def board_of(store: SqlStore, club: Club) -> Board:
    """The one board, as the store holds it."""
    log = store.tournament(club.id)
    assert log is not None
    return log.state.rounds[0].boards[0]


def test_a_round_that_one_worker_closes_and_a_game_that_another_ends_agree(
    shared: Database, tmp_path: Path
) -> None:
    assert sum(closings(quick, shared, tmp_path, CLOSINGS[0]).values()) == CLOSINGS[0]


@pytest.mark.long
def test_five_hundred_rounds_are_closed_while_their_game_ends(
    shared: Database, tmp_path: Path, often: Callable[[int, int], int]
) -> None:
    ends = closings(processes, shared, tmp_path, often(*CLOSINGS))
    print(ends)
    assert set(ends) == {"ruling", "resignation"}
