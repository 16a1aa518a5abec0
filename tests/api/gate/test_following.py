"""Several gates over one store: each follows what the others commit."""

from __future__ import annotations

import asyncio

import pytest

from api.gate import Denied, Gate
from api.store.seam import Unavailable
from tests.api.gate.memory import Keys
from tests.api.gate.tables import NOW, Table, run


async def two() -> tuple[Table, Table]:
    """A match at two gates over one shared store; both have it at hand."""
    one, other = Table(), Table()
    one.store.shared = True
    await one.seated()
    other.store = one.store
    other.gate = Gate(one.store, Keys(), lambda: NOW, "test")
    await other.state()
    return one, other


@pytest.fixture(autouse=True)
def _toy(toy_game: object) -> None:
    """The toy game is in the house."""


def test_whoever_asks_gets_what_was_committed_elsewhere() -> None:
    async def scene() -> None:
        one, other = await two()
        await one.play("ann", "2")
        assert (await other.state()).move == 4
        assert (await other.state()).roots == (await one.state()).roots
        assert one.store.loads == 1

    run(scene())


def test_whoever_follows_a_match_is_told_of_what_is_committed_elsewhere() -> None:
    async def scene() -> None:
        one, other = await two()
        other.gate.follow()
        desk = await other.gate.desk("m1")
        await one.play("ann", "2")
        while desk.match.move < 4:
            assert await desk.news(60)
        await other.gate.close()

    run(scene())


def test_a_match_that_is_played_here_alone_is_not_read_again() -> None:
    async def scene() -> None:
        one, _ = await two()
        one.gate.follow()
        await one.play("ann", "2")
        while one.gate._following._tasks:  # this store tells before the move is acknowledged
            await asyncio.sleep(0)
        one.gate._following._hear("m1", one.store.last())
        assert one.gate._following._tasks == set()
        one.gate._following._hear("m1", one.store.last() + 1)
        assert len(one.gate._following._tasks) == 1
        await one.gate.close()

    run(scene())


def test_a_refusal_is_judged_on_what_is_stored() -> None:
    async def scene() -> None:
        one, other = await two()
        await one.play("ann", "2")
        with pytest.raises(Denied) as refused:
            await other.gate.play("m1", [("2",)], player="ann", expect=3)
        assert refused.value.kind == "stale"
        desk = other.gate._desks.peek("m1")
        assert desk is not None
        assert desk.match.move == 4

    run(scene())


def test_who_asks_while_a_command_is_under_way_gets_the_committed_state_at_once() -> None:
    async def scene() -> None:
        one, other = await two()
        one.store.held = True
        playing = asyncio.create_task(one.play("ann", "2"))
        while not one.store.waiting:
            await asyncio.sleep(0)
        assert [(await gate.state()).move for gate in (one, other)] == [3, 3]
        one.store.release()
        assert [(await gate.state()).move for gate in (one, other)] == [4, 4]
        await playing

    run(scene())


def test_a_store_that_is_away_is_told_and_nothing_is_judged_twice() -> None:
    async def scene() -> None:
        one, _ = await two()
        one.store.failing = Unavailable("gone")
        with pytest.raises(Denied, match="gone"):
            await one.play("ann", "2")
        one.store.failing = None
        await one.play("ann", "2")
        assert (await one.state()).move == 4

    run(scene())
