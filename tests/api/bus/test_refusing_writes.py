"""A Redis that answers, and takes nothing: full, a replica, or alone.  It counts as being away."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Any

import pytest
from redis.asyncio import Redis

from api.bus.redis_client import CALM, PAUSE, Address, Away, Health, RedisClient, SharedLimit
from api.http.rate_limits import Buckets
from tests.api.bus.ledger import AWAY_AND_BACK, Ledger, until, workers
from tests.services import OwnRedis
from tests.waiting import PATIENCE

_HOWS = ["full", "a replica", "alone"]


def refuse(client: Any, how: str) -> None:
    """From now on it takes nothing."""
    if how == "full":
        client.config_set("maxmemory", 1)
    elif how == "alone":
        client.config_set("min-replicas-to-write", 1)
    else:
        client.execute_command("REPLICAOF", "127.0.0.1", "1")


def take(client: Any) -> None:
    """It takes everything again."""
    client.config_set("maxmemory", 0)
    client.config_set("min-replicas-to-write", 0)
    client.execute_command("REPLICAOF", "NO", "ONE")


@pytest.mark.parametrize("how", _HOWS)
def test_what_it_does_not_take_waits_until_it_does(redis: OwnRedis, how: str) -> None:
    async def scene() -> None:
        log = Ledger()
        async with workers(redis.url, log) as (one, other):
            one.commit("m1")
            await other.caught_up()
            await until(lambda: one.publisher.announced == 1)
            with redis.client() as client:
                refuse(client, how)
                one.commit("m2")
                await until(lambda: one.bus.health.away)
                await other.caught_up()  # from the store
                assert one.bus.waiting == 1
                take(client)
                await until(lambda: not one.bus.waiting)
                assert (one.publisher.announced, one.publisher.refused) == (2, 0)
                assert [number for number, _ in client.xrange(f"{one.bus.name}:commits")] == [b"1-0", b"2-0"]

    asyncio.run(scene())


@pytest.mark.parametrize("how", _HOWS)
def test_a_redis_that_refuses_writes_but_answers_reads_is_logged_once(
    redis: OwnRedis, how: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def read(redis: Redis) -> object:
        return await redis.get("name")

    async def scene() -> None:
        now = 0.0
        health = Health(Address(redis.url), lambda: now)
        link = RedisClient(Address(redis.url), health, PATIENCE)
        limit = Buckets(20, 60.0, time.monotonic)
        limit.share()
        allowance = SharedLimit(link, "test:limit", limit)
        with redis.client() as client:
            refuse(client, how)
            for number in range(10):
                limit.take(f"visitor {number}")
                with pytest.raises(Away):
                    await allowance.settle()
                now += PAUSE
                await link.ask(read)
                assert health.away
            take(client)
        now += CALM
        limit.take("ann")
        await allowance.settle()
        assert not health.away
        await link.close()

    with caplog.at_level(logging.INFO, "glasnost"):
        asyncio.run(scene())
    assert [record.message for record in caplog.records] == AWAY_AND_BACK
