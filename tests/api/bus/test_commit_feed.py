"""News of commits pass through Redis, each once and in order, whatever happens to Redis."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest

from api.bus import Address, Bus
from api.bus.commit_feed import WAITING
from tests.api.bus.ledger import Ledger, Worker, until, workers
from tests.services import OwnRedis


def run(work: Any) -> None:
    """Run to the end."""
    asyncio.run(work)


def test_every_worker_hears_of_every_commit_once_and_in_order(redis: OwnRedis) -> None:
    async def scene() -> None:
        log = Ledger()
        async with workers(redis.url, log, 3) as all_of_them:
            for number in range(300):
                all_of_them[number % 3].commit(f"m{number % 7}", 1 + number % 2)
                if number % 50 == 0:
                    await asyncio.sleep(0)
            for worker in all_of_them:
                await worker.caught_up()
                assert len({match for match, _ in worker.heard}) == 7

    run(scene())


def test_what_follows_is_believed_and_costs_the_store_nothing(redis: OwnRedis) -> None:
    async def scene() -> None:
        log = Ledger()
        async with workers(redis.url, log) as (one, other):
            log.mute = True  # a reader finds nothing
            for _ in range(20):
                one.commit("m1")
                await until(lambda: other.consumer.position == log.last())
            assert other.heard == [("m1", position) for position in range(1, 21)]
            assert other.consumer.filled == 0

    run(scene())


def test_a_commit_that_was_not_announced_is_found_in_the_store(redis: OwnRedis) -> None:
    async def scene() -> None:
        log = Ledger()
        async with workers(redis.url, log) as (one, other):
            log.commit("silent", 3)
            one.commit("m1")
            await other.caught_up()
            assert ("silent", 3) in other.heard
            log.commit("silent again")
            await other.caught_up()
            assert other.heard[-1] == ("silent again", 5)

    run(scene())


def test_announcements_out_of_order_leave_a_gap_that_is_filled(redis: OwnRedis) -> None:
    async def scene() -> None:
        log = Ledger()
        async with workers(redis.url, log) as (one, other):
            first, second = log.commit("m1"), log.commit("m2")
            one.bus.announce(*second)
            await until(lambda: one.publisher.announced == 1)
            other.bus.announce(*first)  # Redis refuses it: its id is not greater
            await until(lambda: other.publisher.refused == 1)
            for worker in (one, other):
                await worker.caught_up()
                assert worker.heard == [("m1", 1), ("m2", 2)]

    run(scene())


def test_a_commit_that_the_store_has_reported_is_not_read_again(redis: OwnRedis) -> None:
    async def scene() -> None:
        log = Ledger()
        async with workers(redis.url, log) as (one, other):
            log.mute = True  # a reader finds nothing
            log.commit("m1", 4)
            for worker in (one, other):
                worker.bus.passed("m1", 4)
            one.commit("m2")
            await until(lambda: other.consumer.position == 5)
            other.bus.passed("m1", 2)  # late
            assert other.heard == [("m2", 5)]
            assert other.consumer.position == 5

    run(scene())


def test_redis_holds_a_match_and_positions_and_nothing_else(redis: OwnRedis) -> None:
    async def scene() -> None:
        log = Ledger()
        async with workers(redis.url, log, 1) as (one,):
            one.commit("m1", 2)
            await until(lambda: one.publisher.announced == 1)
            with redis.client() as client:
                (name,) = client.keys()
                ((number, fields),) = client.xrange(name)
                assert (number, list(fields)) == (b"2-0", [b"c"])
                assert re.fullmatch(b"1 m1 [0-9a-f]{24}", fields[b"c"])
                assert name == f"{one.bus.name}:commits".encode()

    run(scene())


def test_a_redis_that_is_killed_and_begins_empty_costs_no_news(redis: OwnRedis) -> None:
    async def scene() -> None:
        log = Ledger()
        async with workers(redis.url, log) as (one, other):
            one.commit("m1")
            await other.caught_up()
            redis.kill()
            for number in range(50):
                one.commit(f"m{number}")
            await other.caught_up()  # the store is looked at meanwhile
            await until(lambda: one.bus.health.away)
            redis.start()
            one.commit("m1")
            await until(lambda: not one.bus.waiting)
            await other.caught_up()
            log.mute = True  # from here on it is Redis again that tells
            one.commit("m2")
            await other.caught_up()

    run(scene())


def test_a_redis_that_comes_back_with_announcements_of_what_is_no_longer_stored_hides_nothing(
    redis: OwnRedis,
) -> None:
    """Store and Redis are both restored from backups, the Redis while the workers run."""

    async def scene() -> None:
        log = Ledger()
        async with workers(redis.url, log) as (one, other):
            for number in range(10):
                one.commit(f"m{number}")
            await other.caught_up()
            with redis.client() as client:
                await until(lambda: client.xlen(f"{one.bus.name}:commits") == 10)
                client.save()
        redis.empty()
        del log.matches[5:]
        async with workers(redis.url, log) as (one, other):
            await until(lambda: one.consumer._compared and other.consumer._compared)
            redis.kill()
            await until(lambda: one.bus.health.away and other.bus.health.away)
            redis.start()  # it reads what it has saved
            with redis.client() as client:
                await until(lambda: not client.exists(f"{one.bus.name}:commits"))
            one.commit("new")
            await other.caught_up()
            assert other.heard == [("new", 6)]

    run(scene())


@pytest.mark.hurried
def test_while_redis_is_stalled_commits_go_on_and_nothing_piles_up(redis: OwnRedis) -> None:
    async def scene() -> None:
        log = Ledger()
        async with workers(redis.url, log) as (one, other):
            one.commit("m1")
            await other.caught_up()
            await until(lambda: one.publisher.announced == 1)
            with redis.stalled():
                for number in range(3 * WAITING):  # none of them waits: there is nothing to await
                    one.commit(f"m{number % 5}")
                assert one.bus.waiting <= WAITING
                await other.caught_up()
            one.commit("m9")
            await until(lambda: not one.bus.waiting)
            await other.caught_up()
            assert ("m9", log.last()) in other.heard

    run(scene())


def test_after_flushall_everything_goes_on(redis: OwnRedis) -> None:
    async def scene() -> None:
        log = Ledger()
        async with workers(redis.url, log) as (one, other):
            for number in range(30):
                one.commit(f"m{number}")
                if number % 10 == 5:
                    await asyncio.sleep(0.01)
                    redis.empty()
            await other.caught_up()

    run(scene())


@pytest.mark.parametrize(
    ("number", "fields"),
    [
        ("1000000-0", {"c": "999999 m1"}),
        ("1000000-0", {"c": "1 m1"}),
        ("18446744073709551615-7", {"other": "what"}),
        ("7-0", {"c": "x"}),
        ("7-0", {"c": b"\xff\xfe"}),
        ("7-0", {"c": "9" * 5_000 + " m1"}),
        ("500-0", {"c": "3 m1"}),  # as if it followed
        ("500-0", {"c": "3 m1 " + "0" * 24}),
    ],
)
def test_a_forged_entry_in_the_stream_shows_nothing(
    redis: OwnRedis, number: str, fields: dict[Any, Any]
) -> None:
    async def scene() -> None:
        log = Ledger()
        log.commit("m1", 2)
        async with workers(redis.url, log) as (one, other):
            with redis.client() as client:
                client.xadd(f"{one.bus.name}:commits", fields, id=number)
                await until(lambda: not client.exists(f"{one.bus.name}:commits"))
            assert other.heard == []
            one.commit("m2")
            await other.caught_up()
            assert other.heard == [("m2", 3)]

    run(scene())


def test_what_redis_refuses_is_not_announced_again_and_again(redis: OwnRedis) -> None:
    async def scene() -> None:
        log = Ledger()
        async with workers(redis.url, log) as (one, other):
            with redis.client() as client:
                client.execute_command("ACL", "SETUSER", "default", "-eval", "-evalsha")
            one.commit("m1")
            await until(lambda: not one.bus.waiting)
            await other.caught_up()
            assert not one.bus.health.away

    run(scene())


def test_what_was_announced_before_a_store_was_restored_is_not_believed(redis: OwnRedis) -> None:
    async def scene() -> None:
        log, restored = Ledger(), Ledger()
        async with workers(redis.url, log, 1) as (one,):
            for number in range(9):
                one.commit(f"m{number}")
            await until(lambda: not one.bus.waiting)
        restored.matches = log.matches[:5]
        async with workers(redis.url, restored) as (one, other):
            with redis.client() as client:
                await until(lambda: not client.exists(f"{one.bus.name}:commits"))
            for number in range(9):
                one.commit(f"else{number}")
            await other.caught_up()

    run(scene())


def test_something_else_under_the_name_of_the_stream_is_put_away(redis: OwnRedis) -> None:
    async def scene() -> None:
        log = Ledger()
        async with workers(redis.url, log) as (one, other):
            with redis.client() as client:
                client.set(f"{one.bus.name}:commits", "nonsense")
                await until(lambda: not client.exists(f"{one.bus.name}:commits"))
            one.commit("m2")
            await other.caught_up()

    run(scene())


def test_a_store_that_is_away_is_heard_of_when_it_is_back(redis: OwnRedis) -> None:
    async def scene() -> None:
        log = Ledger()
        async with workers(redis.url, log) as (one, other):
            missing = log.commit("m1")
            log.away = True
            one.bus.announce(*log.commit("m2"))
            asked = log.asked
            await until(lambda: log.asked > asked)
            assert other.heard == []
            log.away = False
            await other.caught_up()
            assert other.heard == [("m1", missing[2]), ("m2", 2)]

    run(scene())


def test_a_log_that_is_away_at_the_start_is_followed_from_where_it_then_is(redis: OwnRedis) -> None:
    async def scene() -> None:
        log = Ledger()
        log.commit("old", 5)
        log.away = True
        worker = Worker(redis.url, log)
        worker.bus.start()
        log.away = False
        await until(lambda: worker.consumer.position == 5)
        worker.commit("m1")
        await worker.caught_up()
        assert worker.heard == [("m1", 6)]
        await worker.bus.close()

    run(scene())


def test_two_stores_on_one_redis_do_not_hear_each_other(redis: OwnRedis) -> None:
    async def scene() -> None:
        log, foreign = Ledger(), Ledger()
        async with workers(redis.url, log, 1) as (one,):
            stranger = Bus(Address(redis.url), bytes(32), foreign)
            stranger.start()
            stranger.announce(*foreign.commit("m1", 9))
            await until(lambda: not stranger.waiting)
            one.commit("m2")
            await one.caught_up()
            assert one.heard == [("m2", 1)]
            await stranger.close()

    run(scene())
