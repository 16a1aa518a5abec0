"""Servers that are killed between the end of a match and its result: each result is recorded once (OA4)."""

from __future__ import annotations

import random
import re
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from tests.api.store.locations import Folder, Place
from tests.faults.club import Club, asked, copied, entries, log_of, made, undisturbed
from tests.faults.workers import Workers, working
from tests.waiting import soon

QUICK, FULL = (1, 3), (50, 200)  # kills, and boards
LONGEST = 2.0  # seconds from the end of a match until a kill: a verification takes less
TRACKER = re.compile(r".*resource_tracker: There appear to be \d+ leaked semaphore.*\n.*\n")
"""What Python prints when it has cleared away what a process left that was killed."""
UNVERIFIED = """
import asyncio
from api.gate.match_verifier import MatchVerifier
async def never(self, work):
    await asyncio.Event().wait()
MatchVerifier.__call__ = never
"""
"""What a server does at first whose verifications never end: so it dies before a result for certain."""


def results(place: Place, club: Club) -> int:
    """How many results the store holds."""
    return sum(record.kind == "result_recorded" for record in log_of(place, club).records)


def disturbed(place: Place, club: Club, kills: int, seed: int, first: str = "") -> int:
    """End all matches in turn, and kill servers meanwhile; return how many kills came before a result.

    `first`: lines of Python that the servers carry out before anything else, until they are killed.
    """
    workers, chance = Workers(place, 1 if isinstance(place, Folder) else 2), random.Random(seed)
    workers.first = [first] * len(workers.doors)
    boards, before, children = len(club.boards), 0, list[psutil.Process]()
    with working(workers):
        for number, board in enumerate(club.boards):
            path = f"/v1/matches/{board.match}/resignation"
            ended = asked(workers.doors, club.tokens[board.loser], path, {})
            assert ended.status in (201, 409), ended  # 409: a server was killed before it answered
            for _ in range(kills * (number + 1) // boards - kills * number // boards):
                time.sleep(0 if first else chance.random() * LONGEST)
                doomed = chance.randrange(len(workers.doors))
                children += psutil.Process(workers.process(doomed).pid).children(recursive=True)
                workers.kill(doomed)
                before += results(place, club) <= number
                workers.first[doomed] = ""
                workers.start(doomed)

        def recorded() -> bool:
            told = asked(workers.doors, club.tokens[club.director], f"{club.path}/rounds/1").json
            return all(one["status"] == "confirmed" for one in told["boards"])

        soon(recorded)
        workers.errors = [told for told in workers.errors if not TRACKER.fullmatch(told)]
        workers.stop()
    soon(lambda: not [child for child in children if child.is_running()])  # no process is left over
    return before


def trial(place: Place, folder: Path, kills: int, boards: int, first: str = "") -> str:
    """Compare a run that is disturbed with one that is not; return what was seen."""
    [club] = made(place, 2 * boards)
    with copied(place, folder) as copy:
        expected = undisturbed(copy, club)
    before = disturbed(place, club, kills, 1, first)
    log = log_of(place, club)
    recorded = Counter(record.entry.board for record in log.records if record.kind == "result_recorded")
    assert recorded == dict.fromkeys(range(1, boards + 1), 1)
    assert entries(log) == expected
    return (
        f"{kills} kills, {before} of them before a result was recorded, {boards} boards, {log.entry} entries"
    )


def test_a_server_that_is_killed_after_the_end_of_a_match_records_each_result_once(
    embedded: Folder, tmp_path: Path
) -> None:
    assert trial(embedded, tmp_path, *QUICK, UNVERIFIED).startswith("1 kills, 1 of them")


@pytest.mark.long
def test_fifty_kills_over_two_hundred_boards(
    place: Place, tmp_path: Path, often: Callable[[int, int], int]
) -> None:
    print(trial(place, tmp_path, often(QUICK[0], FULL[0]), often(QUICK[1], FULL[1])))
