"""How Redis is reached: a wrong address is refused, a password is never shown, its absence is said once."""

from __future__ import annotations

import asyncio
import logging
import socket
import traceback
from typing import Any

import pytest
from redis.asyncio import Redis

from api.bus.redis_client import PAUSE, Address, Away, Health, RedisClient, Refused
from api.settings import BadSetting
from tests.api.bus.ledger import AWAY_AND_BACK
from tests.services import OwnRedis


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:6379",
        "http://localhost",
        "redis:localhost",
        "redis://",
        "redis://localhost/games",
        "redis://:pass/word@localhost",
        "redis://localhost:port",
        "postgresql://localhost/league",
    ],
)
def test_what_is_no_address_of_a_redis_is_refused_with_the_way_out(url: str) -> None:
    with pytest.raises(
        BadSetting, match="GLASNOST_REDIS is no address of a Redis: it is redis://"
    ) as refused:
        Address(url)
    assert "pass" not in str(refused.value)
    assert "word" not in "".join(traceback.format_exception(refused.value))


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("redis://localhost", "redis://localhost:6379"),
        ("redis://:hush@cache.example:7000/3", "redis://cache.example:7000/3"),
        ("rediss://league:hush@cache.example", "rediss://cache.example:6379"),
        ("unix:///run/redis.sock", "unix:///run/redis.sock"),
    ],
)
def test_an_address_is_shown_without_user_and_password(url: str, shown: str) -> None:
    assert str(Address(url)) == shown


@pytest.mark.parametrize(
    "url",
    [
        "redis://:hush@localhost/0?nonsense=1",
        "redis://:hush@localhost?ssl_cert_reqs=none",
        "unix:///s?port=1",
    ],
)
def test_an_option_that_no_connection_takes_stops_the_start(url: str) -> None:
    with pytest.raises(BadSetting, match="GLASNOST_REDIS has an option after the") as refused:
        Address(url)
    assert "hush" not in "".join(traceback.format_exception(refused.value))


@pytest.mark.parametrize(
    "options", ["decode_responses=true", "max_connections=5", "timeout=5", "protocol=3", "socket_timeout=60"]
)
def test_an_option_changes_nothing_on_which_the_bus_relies(redis: OwnRedis, options: str) -> None:
    async def look(redis: Redis) -> object:
        await redis.set("name", "what")
        return await redis.get("name")

    async def scene() -> None:
        address = Address(f"{redis.url}?{options}")
        link = RedisClient(address, Health(address))
        assert await link.ask(look) == b"what"
        await link.close()

    asyncio.run(scene())


async def _ping(redis: Redis) -> bool:
    answer: Any = redis.ping()
    return bool(await answer)


def test_each_outage_and_return_of_redis_is_logged_once(
    redis: OwnRedis, caplog: pytest.LogCaptureFixture
) -> None:
    async def scene() -> None:
        now = 0.0
        address = Address(redis.url.replace("redis://", "redis://:hush@"))  # it asks for no password
        health = Health(address, lambda: now)
        link = RedisClient(address, health)
        with redis.client() as client:
            client.config_set("requirepass", "hush")
        assert await link.ask(_ping)
        redis.kill()
        for _ in range(3):
            with pytest.raises(Away):
                await link.ask(_ping)
            now += 1
        redis.start()
        with redis.client() as client:
            client.config_set("requirepass", "hush")
        assert await link.ask(_ping)
        assert await link.ask(_ping)
        await link.close()

    with caplog.at_level(logging.INFO, "glasnost"):
        asyncio.run(scene())
    assert [record.message for record in caplog.records] == AWAY_AND_BACK
    assert all("hush" not in str(vars(record)) for record in caplog.records)


def test_a_query_that_redis_refuses_is_logged_as_an_error_and_redis_is_not_away(
    redis: OwnRedis, caplog: pytest.LogCaptureFixture
) -> None:
    async def wrong(redis: Redis) -> Any:
        ask: Any = redis.execute_command
        return await ask("NOSUCH", "a-secret")

    async def wrong_in_a_pipeline(redis: Redis) -> Any:
        pipeline = redis.pipeline(transaction=False)
        pipeline.set("name", "a-secret")
        pipeline.lpush("name", "a-secret")
        return await pipeline.execute()

    async def scene() -> None:
        health = Health(Address(redis.url), lambda: 0.0)
        link = RedisClient(Address(redis.url), health)
        for question in (wrong, wrong, wrong_in_a_pipeline):
            with pytest.raises(Refused):
                await link.ask(question)
            assert not health.away
            assert await link.ask(_ping)
        await link.close()

    with caplog.at_level(logging.INFO, "glasnost"):
        asyncio.run(scene())
    assert [(record.levelname, vars(record)["reason"].split()[0]) for record in caplog.records] == [
        ("ERROR", "unknown"),
        ("ERROR", "WRONGTYPE"),
    ]
    assert all("a-secret" not in str(vars(record)) for record in caplog.records)


_WRITE = "return redis.call('SET', KEYS[1], 'x')"


@pytest.mark.parametrize("setting", ["maxmemory", "min-replicas-to-write"])
@pytest.mark.parametrize("in_a_script", [False, True])
def test_a_redis_that_takes_nothing_is_away_until_it_does(
    redis: OwnRedis, setting: str, in_a_script: bool
) -> None:
    async def write(redis: Redis) -> Any:
        if in_a_script:
            return await redis.register_script(_WRITE)(keys=["name"])
        return await redis.set("name", "x")

    async def scene() -> None:
        now = 0.0
        health = Health(Address(redis.url), lambda: now)
        link = RedisClient(Address(redis.url), health)
        with redis.client() as client:
            client.config_set(setting, 1)
            with pytest.raises(Away) as told:
                await link.ask(write)
            assert not isinstance(told.value, Refused)
            assert health.away
            client.config_set(setting, 0)
        now = PAUSE
        assert await link.ask(write)
        await link.close()

    asyncio.run(scene())


@pytest.mark.hurried
def test_after_a_failure_no_query_is_sent_for_a_moment() -> None:
    """Of a Redis that takes connections and never answers, only the first question waits."""

    async def scene() -> None:
        with socket.create_server(("127.0.0.1", 0)) as silent:
            address = Address(f"redis://127.0.0.1:{silent.getsockname()[1]}")
            health = Health(address, lambda: 0.0)
            link = RedisClient(address, health, 0.05)
            asked = 0

            async def counted(redis: Redis) -> bool:
                nonlocal asked
                asked += 1
                return await _ping(redis)

            for _ in range(100):
                with pytest.raises(Away):
                    await link.ask(counted)
            assert asked == 1
            await link.close()

    asyncio.run(scene())
