"""Several gates over one store: each follows what the others commit."""

from __future__ import annotations

import asyncio

import pytest

from api.gate import Key
from api.store.interface import OnCommit, Unavailable
from domain.kernel import Refused
from domain.log import Record
from tests.api.gate.tables import Table, gate_over, run


async def two() -> tuple[Table, Table]:
    """A match at two gates over one shared store; both have it at hand."""
    one, other = Table(), Table()
    one.store.shared = True
    await one.seated()
    other.store = one.store
    other.gate = gate_over(one.store)
    await other.state()
    return one, other


@pytest.fixture(autouse=True)
def _toy(toy_game: object) -> None:
    """The toy game is registered."""


def test_read_returns_moves_committed_by_another_worker() -> None:
    async def scene() -> None:
        one, other = await two()
        await one.play("ann", "2")
        assert (await other.state()).move == 4
        assert (await other.state()).roots == (await one.state()).roots
        assert one.store.loads == 1

    run(scene())


def test_follower_gets_moves_committed_by_another_worker() -> None:
    async def scene() -> None:
        one, other = await two()
        other.gate.follow()
        desk = await other.gate.cached("m1")
        await one.play("ann", "2")
        while desk.match.move < 4:
            assert await desk.news(60)
        await other.gate.close()

    run(scene())


def test_match_played_only_at_this_worker_is_not_reread() -> None:
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


def test_refusal_is_judged_on_the_stored_state() -> None:
    async def scene() -> None:
        one, other = await two()
        await one.play("ann", "2")
        with pytest.raises(Refused) as refused:
            await other.gate.play("m1", [("2",)], player="ann", expect=3)
        assert refused.value.kind == "stale"
        desk = other.gate._cache.peek("m1")
        assert desk is not None
        assert desk.match.move == 4

    run(scene())


def test_read_during_a_command_returns_the_committed_state_at_once() -> None:
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


def test_unavailable_store_is_reported_and_the_command_is_judged_once() -> None:
    async def scene() -> None:
        one, _ = await two()
        one.store.failing = Unavailable("gone")
        with pytest.raises(Refused, match="gone"):
            await one.play("ann", "2")
        one.store.failing = None
        await one.play("ann", "2")
        assert (await one.state()).move == 4

    run(scene())


def test_commit_announced_during_a_read_causes_exactly_one_more_read() -> None:
    async def scene() -> None:
        _, other = await two()
        desk = await other.gate.cached("m1")
        reads, since = 0, other.gate._cache._since

        async def counted(match: str, move: int) -> list[Record]:
            nonlocal reads
            reads += 1
            return await since(match, move)

        vars(other.gate._cache)["_since"] = counted
        following = other.gate._following
        for position in range(101, 121):
            following._hear("m1", position)
        while following._tasks:
            await asyncio.sleep(0)
        assert (reads, desk.position) == (1, 120)
        following._hear("m1", 121)
        while not reads > 1:
            await asyncio.sleep(0)
        following._hear("m1", 125)
        while following._tasks:
            await asyncio.sleep(0)
        assert (reads, desk.position) == (3, 125)

    run(scene())


def test_followed_match_is_reread_when_the_store_recovers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api.gate.cache_sync._AGAIN_SECONDS", 0.01)

    async def scene() -> None:
        one, other = await two()
        desk = await other.gate.cached("m1")
        since, failures = other.gate._cache._since, [Unavailable("gone"), Unavailable("gone")]

        async def failing(match: str, move: int) -> list[Record]:
            if failures:
                raise failures.pop()
            return await since(match, move)

        vars(other.gate._cache)["_since"] = failing
        with desk.used():
            await one.play("ann", "2")
            other.gate._following._hear("m1", one.store.last())
            while desk.match.move < 4:
                assert await desk.news(60)
        assert not failures
        await other.gate.close()

    run(scene())


def test_commits_of_this_worker_and_of_the_store_are_announced_on_the_bus() -> None:
    async def scene() -> None:
        one, _ = await two()
        announced: list[tuple[str, int, int]] = []
        passed: list[tuple[str, int]] = []

        class Bus:
            """Writes down what it is told."""

            def announce(self, match: str, first: int, last: int) -> None:
                announced.append((match, first, last))

            def watch(self, told: OnCommit) -> None:
                told("m1", 1)

            def passed(self, match: str, position: int) -> None:
                passed.append((match, position))

        one.gate.follow(Bus())
        await one.play("ann", "2")
        await asyncio.sleep(0)
        last = one.store.last()
        assert announced == [("m1", last, last)]
        assert passed == [("m1", last)]
        await one.gate.close()

    run(scene())


def test_repeated_opening_does_not_disturb_a_running_command() -> None:
    async def scene() -> None:
        one, _ = await two()
        key = Key("ann", "k1", b"the body")
        match = (await one.gate.open("ann", "toy", None, {}, key=key)).cached.match.id
        one.store.held = True
        sitting = asyncio.create_task(one.gate.sit(match, "left", "ann"))
        while not one.store.waiting:
            await asyncio.sleep(0)
        append, future = one.store.waiting.pop()
        one.store._commit(append)  # it is stored, but the gate does not know yet
        again = asyncio.create_task(one.gate.open("ann", "toy", None, {}, key=key))
        await asyncio.wait((again,), timeout=0.2)
        future.set_result(one.store.last())
        assert (await sitting).last == 2
        assert (await again).cached.match.id == match
        assert (await one.gate.match(match)).move == 2

    run(scene())


def test_match_cached_during_its_opening_gets_later_moves() -> None:
    async def scene() -> None:
        table = Table()
        table.store.held = True
        opening = asyncio.create_task(table.gate.open("ann", "toy", None, {}, match="m1"))
        while not table.store.waiting:
            await asyncio.sleep(0)
        append, future = table.store.waiting.pop()
        table.store._commit(append)  # it is stored, but the gate does not know yet
        desk = await table.gate.cached("m1")
        future.set_result(table.store.last())
        table.store.held = False
        assert (await opening).cached is desk
        await table.gate.sit("m1", "left", "ann")
        assert desk.match.move == 2

    run(scene())
