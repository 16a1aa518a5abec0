"""OA18: an answer and its time-out race on real stores; exactly one is stored, and the other refused.

If the terms only report that a time is up, the answer is always stored, and the flag falls all the same.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from random import Random

import pytest

from api.gate import Gate
from api.store.postgres import PostgresStore
from api.store.sqlite import SqliteStore
from domain.clocks import SECOND, Bank
from domain.game import Game
from domain.kernel import Refused
from tests.api.gate.tables import NOW, run

MAIN = 15  # seconds: less than a gap between two heartbeats
QUICK, LONG = 20, 1_000
LOSES = Bank(main=MAIN)
REPORTS = Bank(main=MAIN, time_up="report")


class Time:
    """The time of all gates; a test moves it."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def time() -> Time:
    """The time."""
    return Time()


@pytest.fixture(params=["sqlite", "postgres"])
def gates(
    request: pytest.FixtureRequest, tmp_path: Path, time: Time, toy_game: Game
) -> Iterator[tuple[Gate, Gate]]:
    """The gates where the answer and the time-out come: one and the same, or those of two workers."""
    with ExitStack() as opened:
        if request.param == "sqlite":
            store = opened.enter_context(closing(SqliteStore.open(tmp_path / "store")))
            yield (gate := Gate(store, store.keys, time, "test")), gate
            return
        url = request.getfixturevalue("database")
        stores = [
            opened.enter_context(closing(PostgresStore.open(url, keys=tmp_path / "keys"))) for _ in range(2)
        ]
        one, other = (Gate(store, store.keys, time, "test") for store in stores)
        yield one, other


async def raced(
    gates: tuple[Gate, Gate], time: Time, match: str, microsecond: int, terms: Bank, *, first: bool
) -> None:
    """The last answer and its time-out come so many microseconds after the time was up."""
    here, there = gates
    await here.open("ann", "toy", None, {}, match=match, clock=(terms,))
    for seat, player in (("left", "ann"), ("right", "ben")):
        await here.sit(match, seat, player)
    await here.play(match, [("2",)], player="ann")

    async def running() -> Sequence[str]:
        return [match]

    keeper = there.timekeeper(running, lambda: True)
    await keeper.tick()
    time.now += MAIN * SECOND + microsecond
    works = [here.play(match, [("1",)], player="ben"), keeper.tick()]
    results = await asyncio.gather(*(works if first else reversed(works)), return_exceptions=True)
    played = await here.match(match)
    kinds = [record.kind for record in played.records]
    in_time = microsecond < 0 or terms is REPORTS
    assert [kinds.count(kind) for kind in ("played", "timed_out", "closed")] == (
        [2, 0, 0] if in_time else [1, 1, 1]
    )
    assert [one.kind for one in results if isinstance(one, Refused)] == ([] if in_time else ["time"])
    assert [one for one in results if isinstance(one, Exception) and not isinstance(one, Refused)] == []
    due = time.now - microsecond
    assert played.flagged(time.now) == ({"right": due} if terms is REPORTS and microsecond >= 0 else {})


def races(gates: tuple[Gate, Gate], time: Time, count: int, terms: Bank = LOSES) -> None:
    """So many races, at times around the last microsecond, in either order."""

    async def story() -> None:
        chance = Random(count)
        for number in range(count):
            microsecond, first = chance.choice((-1, 0, 1)), chance.random() < 0.5
            await raced(gates, time, f"m{number}", microsecond, terms, first=first)
        for gate in set(gates):
            await gate.close()

    run(story())


def test_an_answer_and_its_time_out_race(gates: tuple[Gate, Gate], time: Time) -> None:
    races(gates, time, QUICK)


def test_an_answer_and_a_flag_race_and_both_live(gates: tuple[Gate, Gate], time: Time) -> None:
    races(gates, time, QUICK, REPORTS)


@pytest.mark.long
def test_an_answer_and_its_time_out_race_a_thousand_times(gates: tuple[Gate, Gate], time: Time) -> None:
    races(gates, time, LONG)


@pytest.mark.long
def test_an_answer_and_a_flag_race_a_thousand_times(gates: tuple[Gate, Gate], time: Time) -> None:
    races(gates, time, LONG, REPORTS)
