"""Scoreboards of which Redis loses a part: they are built again, by themselves."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from api.bus.board_scripts import GAP, KEPT, MOVED
from domain.game import Game
from tests.api.bus.ledger import until
from tests.api.bus.test_boards import Worker, kept, matches, scene
from tests.projections.support import FakeSource
from tests.services import OwnRedis
from tests.waiting import PATIENCE

__all__ = ["scene"]

Play = Callable[[FakeSource, Worker, Worker], Awaitable[None]]


def lose(redis: OwnRedis, part: str) -> None:
    """Redis loses these keys."""
    with redis.client() as client:
        lost = [name for name in client.scan_iter() if name.decode().endswith(f":{part}")]
        assert client.delete(*lost) == len(lost) > 0


@pytest.mark.parametrize("part", ["order", "rows"])
def test_a_board_of_which_a_part_is_lost_is_built_again_when_somebody_asks(
    scene: Callable[[Play], None], redis: OwnRedis, part: str
) -> None:
    async def play(log: FakeSource, one: Worker, other: Worker) -> None:
        await one.moved()
        before = kept(redis)
        lose(redis, part)
        assert not await one.agrees()
        assert await one.moved() == MOVED
        assert await one.agrees()
        assert kept(redis) == before
        assert await other.moved() == KEPT

    scene(play)


@pytest.mark.parametrize("part", ["order", "rows"])
def test_a_board_of_which_a_part_is_lost_is_built_again_when_it_is_moved(
    scene: Callable[[Play], None], redis: OwnRedis, toy_game: Game, part: str
) -> None:
    async def play(log: FakeSource, one: Worker, other: Worker) -> None:
        await one.moved()
        lose(redis, part)
        for records in matches(toy_game, 5, 2):
            log.add(records)
        assert await one.moved() == MOVED
        assert await one.agrees()

    scene(play)


def test_a_redis_that_is_emptied_while_boards_are_built_is_built_in_anew(
    scene: Callable[[Play], None], redis: OwnRedis
) -> None:
    async def play(log: FakeSource, one: Worker, other: Worker) -> None:
        boards: Any = one.boards
        put = boards._put

        async def put_in_vain(stem: str, standings: Any) -> None:
            await put(stem, standings)
            redis.empty()

        boards._put = put_in_vain
        assert await one.moved() == GAP
        boards._put = put
        assert await one.moved() == MOVED
        assert await one.agrees()

    scene(play)


def test_a_redis_that_comes_back_with_boards_of_what_is_no_longer_stored_shows_none_of_them(
    scene: Callable[[Play], None], redis: OwnRedis, toy_game: Game, tmp_path: Path
) -> None:
    """Store and Redis are both restored from backups, the Redis while the workers run."""

    async def play(log: FakeSource, one: Worker, other: Worker) -> None:
        await one.moved()
        with redis.client() as client:
            client.save()
        redis.empty()
        del log.items[-20:]
        for records in matches(toy_game, 2, 9):
            log.add(records)
        again = Worker(redis.url, log, tmp_path / "again.db")
        assert await again.moved() == MOVED
        redis.kill()
        moving = asyncio.create_task(again.boards.run())
        await until(lambda: again.health.away)
        redis.start()  # it reads what it has saved
        async with asyncio.timeout(PATIENCE):
            while not await again.agrees((200,)):
                await asyncio.sleep(0.05)
        moving.cancel()
        await asyncio.gather(moving, return_exceptions=True)
        await again.close()

    scene(play)
