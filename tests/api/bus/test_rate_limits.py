"""A limit that several workers share is about one limit; without Redis each worker limits by itself."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from api.bus.redis_client import Address, Away, Health, RedisClient, SharedLimit
from api.http.rate_limits import Buckets
from domain.kernel import Refused
from tests.services import OwnRedis

RATE, PERIOD = 20, 600.0


class Desk:
    """One worker's limit, on a clock that stands still unless it is moved."""

    def __init__(self, url: str) -> None:
        self.now = 1000.0
        self.buckets = Buckets(RATE, PERIOD, lambda: self.now)
        self.buckets.share()
        address = Address(url)
        self.link = RedisClient(address, Health(address, lambda: self.now))
        self.allowance = SharedLimit(self.link, "test:limit", self.buckets, lambda: self.now)

    def took(self, count: int, visitor: str = "ann") -> int:
        """How many of so many requests were let through."""
        return sum(self._takes(visitor) for _ in range(count))

    def _takes(self, visitor: str) -> bool:
        try:
            self.buckets.take(visitor)
        except Refused:
            return False
        return True


def scene(redis: OwnRedis, play: Callable[[Desk, Desk], Awaitable[None]]) -> None:
    """Two workers."""

    async def work() -> None:
        desks = Desk(redis.url), Desk(redis.url)
        try:
            await play(*desks)
        finally:
            for desk in desks:
                await desk.link.close()

    asyncio.run(work())


def test_what_one_worker_granted_the_other_does_not_grant_again(redis: OwnRedis) -> None:
    async def play(one: Desk, other: Desk) -> None:
        assert one.took(15) == 15
        await one.allowance.settle()
        await other.allowance.settle()
        assert other.took(15) == 5
        assert other.took(15, "ben") == 15

    scene(redis, play)


def test_a_visitor_who_spreads_requests_gets_one_allowance(redis: OwnRedis) -> None:
    async def play(one: Desk, other: Desk) -> None:
        granted = 0
        for _ in range(RATE):
            granted += one.took(2) + other.took(2)
            await one.allowance.settle()
            await other.allowance.settle()
        assert RATE <= granted <= RATE + 4  # what was taken between two settlements comes on top

    scene(redis, play)


def test_settling_again_takes_nothing_twice(redis: OwnRedis) -> None:
    async def play(one: Desk, other: Desk) -> None:
        assert one.took(5) == 5
        for _ in range(5):
            await one.allowance.settle()
            await other.allowance.settle()
        assert one.took(RATE) == RATE - 5

    scene(redis, play)


def test_what_is_granted_while_the_answer_is_under_way_counts(redis: OwnRedis) -> None:
    async def play(one: Desk, other: Desk) -> None:
        assert other.took(10) == 10
        await other.allowance.settle()
        assert one.took(4) == 4
        settling = asyncio.create_task(one.allowance.settle())
        await asyncio.sleep(0)
        assert one.took(3) == 3
        await settling
        assert one.took(RATE) == RATE - 10 - 4 - 3

    scene(redis, play)


def test_a_worker_that_begins_learns_what_was_used_before(redis: OwnRedis) -> None:
    async def play(one: Desk, other: Desk) -> None:
        for number in range(7):
            assert one.took(RATE, f"v{number}") == RATE
            await one.allowance.settle()
        await other.allowance.settle()
        assert [other.took(1, f"v{number}") for number in range(7)] == [0] * 7
        assert other.took(1, "new") == 1

    scene(redis, play)


def test_time_gives_it_back(redis: OwnRedis) -> None:
    async def play(one: Desk, other: Desk) -> None:
        assert one.took(RATE) == RATE
        await one.allowance.settle()
        await other.allowance.settle()
        other.now += PERIOD / 2
        assert other.took(RATE) in (RATE // 2, RATE // 2 - 1)

    scene(redis, play)


def test_without_redis_each_worker_limits_by_itself(redis: OwnRedis) -> None:
    async def play(one: Desk, other: Desk) -> None:
        redis.kill()
        for desk in (one, other):
            with pytest.raises(Away):
                await desk.allowance.settle()
            assert desk.took(2 * RATE) == RATE
            with pytest.raises(Away):
                await desk.allowance.settle()
            desk.now += PERIOD
        redis.start()
        for desk in (one, other):  # requests of that time are dropped: no visitor waits for them now
            await desk.allowance.settle()
            assert desk.took(RATE) == RATE

    scene(redis, play)


def test_after_flushall_no_worker_grants_again_what_it_granted(redis: OwnRedis) -> None:
    async def play(one: Desk, other: Desk) -> None:
        assert one.took(RATE) == RATE
        await one.allowance.settle()
        redis.empty()
        await one.allowance.settle()
        assert one.took(1) == 0

    scene(redis, play)


def test_what_redis_remembers_of_visitors_ends_with_the_period(redis: OwnRedis) -> None:
    async def play(one: Desk, other: Desk) -> None:
        one.took(3)
        await one.allowance.settle()
        with redis.client() as client:
            for name in client.scan_iter():
                assert 0 < client.pttl(name) <= 2 * PERIOD * 1000 + 1000

    scene(redis, play)


@pytest.mark.parametrize("score", [9e15, float("inf")])
def test_no_visitor_waits_for_requests_that_no_worker_reported(redis: OwnRedis, score: float) -> None:
    async def play(one: Desk, other: Desk) -> None:
        one.took(1)
        await one.allowance.settle()
        with redis.client() as client:
            client.zadd("test:limit:free", {"ann": score})
        await other.allowance.settle()
        assert other.took(RATE) == RATE

    scene(redis, play)


def test_a_worker_goes_on_hearing_whatever_lies_in_redis(redis: OwnRedis) -> None:
    async def play(one: Desk, other: Desk) -> None:
        with redis.client() as client:
            for what in ("free", "changed"):
                client.zadd(f"test:limit:{what}", {f"v{number}": float("inf") for number in range(1_000)})
        await other.allowance.settle()
        one.took(RATE)
        await one.allowance.settle()
        await other.allowance.settle()
        assert other.took(1) == 0

    scene(redis, play)


def test_no_visitor_waits_longer_after_the_clock_was_set_back(redis: OwnRedis) -> None:
    """Another Redis takes over, whose clock is behind: the times of the first are in its future."""

    async def play(one: Desk, other: Desk) -> None:
        assert one.took(1) == 1
        await one.allowance.settle()
        with redis.client() as client:
            for name in client.scan_iter():
                client.zincrby(name, 3600 * 1_000_000, "ann")  # as an hour ago
        for desk in (one, other):
            await desk.allowance.settle()
        assert one.took(RATE) == RATE - 1
        assert other.took(RATE, "ben") == RATE
        for desk in (one, other):
            await desk.allowance.settle()
        assert other.took(RATE) == 1
        with redis.client() as client:
            assert [client.zcard(name) for name in client.scan_iter()] == [2, 2]

    scene(redis, play)
