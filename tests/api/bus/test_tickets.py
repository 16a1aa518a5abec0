"""A ticket is good at every worker; without Redis, at the one that gave it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from redis.asyncio import Redis

from api.bus import Address, Bus
from api.http.auth import Tickets
from domain.kernel import Refused
from domain.match_base import Chair
from tests.api.bus.ledger import KEY, Ledger
from tests.services import OwnRedis

SECONDS = 60


class Office:
    """One worker's tickets, on a clock that stands still unless it is moved."""

    def __init__(self, url: str, key: bytes = KEY) -> None:
        self.now = 1000.0
        self.bus = Bus(Address(url), key, Ledger(), clock=lambda: self.now)
        self.tickets = Tickets(SECONDS, lambda: self.now)
        self.tickets.share(self.bus.tickets)

    async def refuses(self, ticket: str, match: str = "m1") -> str:
        """The words in which it refuses this ticket."""
        with pytest.raises(Refused) as refused:
            await self.tickets.admit(ticket, match)
        assert refused.value.kind == "unauthorized"
        return str(refused.value)


def scene(redis: OwnRedis, play: Callable[[Office, Office], Awaitable[None]]) -> None:
    """Two workers."""

    async def work() -> None:
        offices = Office(redis.url), Office(redis.url)
        try:
            await play(*offices)
        finally:
            for office in offices:
                await office.bus.close()

    asyncio.run(work())


def test_a_ticket_of_one_worker_opens_a_stream_at_another_as_the_same_viewer(redis: OwnRedis) -> None:
    async def play(one: Office, other: Office) -> None:
        ticket = await one.tickets.give("m1", Chair("left"), "ann")
        there = await other.tickets.admit(ticket, "m1")
        assert (there.viewer, there.holder) == ("left", "ann")
        spectator = await one.tickets.give("m1", None, "ben")
        assert (await other.tickets.admit(spectator, "m1")).viewer is None
        assert "no longer, good for this stream" in await other.refuses(ticket, "m2")
        assert "no longer, good for this stream" in await other.refuses("nonsense")

    scene(redis, play)


def test_a_ticket_ends_everywhere(redis: OwnRedis) -> None:
    async def play(one: Office, other: Office) -> None:
        ticket = await one.tickets.give("m1", None, "ann")
        with redis.client() as client:
            (name,) = client.keys()
            assert 0 < client.ttl(name) <= SECONDS
            client.expire(name, 0)
        assert "no longer, good" in await other.refuses(ticket)

    scene(redis, play)


def test_an_open_stream_keeps_its_ticket_alive_at_every_worker(redis: OwnRedis) -> None:
    async def play(one: Office, other: Office) -> None:
        ticket = await one.tickets.give("m1", None, "ann")
        admission = await other.tickets.admit(ticket, "m1")
        other.tickets.opened(admission)
        one.now += 2 * SECONDS
        redis.empty()  # as if its time had run out there, too
        assert "no longer, good" in await one.refuses(ticket)
        await other.tickets.renew()
        assert (await one.tickets.admit(ticket, "m1")).holder == "ann"
        other.tickets.ended(admission)
        redis.empty()
        await other.tickets.renew()  # once more after its end
        assert (await one.tickets.admit(ticket, "m1")).holder == "ann"
        redis.empty()
        await other.tickets.renew()
        assert "no longer, good" in await one.refuses(ticket)

    scene(redis, play)


def test_redis_holds_neither_ticket_nor_anything_that_makes_one(redis: OwnRedis) -> None:
    async def play(one: Office, other: Office) -> None:
        ticket = await one.tickets.give("m1", None, "ann")
        with redis.client() as client:
            (name,) = client.keys()
            kept = client.get(name)
            assert ticket.encode() not in name + kept
            assert b'"viewer":null' in kept
            client.set(name, kept.replace(b"null", b'"left"'))  # to see what a seat sees
        assert "no longer, good" in await other.refuses(ticket)

    scene(redis, play)


def test_a_voucher_of_another_name_or_key_is_none(redis: OwnRedis) -> None:
    async def play(one: Office, other: Office) -> None:
        ticket = await one.tickets.give("m1", Chair("left"), "ann")
        with redis.client() as client:
            (name,) = client.keys()
            client.rename(name, f"{other.bus.name}:ticket:" + "0" * 64)
        assert await other.bus.tickets.get("0" * 64) is None
        assert "no longer, good" in await other.refuses(ticket)

    scene(redis, play)


def test_a_voucher_whose_time_is_over_is_not_to_be_put_back(
    redis: OwnRedis, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def earlier(_: Redis) -> tuple[int, int]:
        with redis.client() as client:
            now, microseconds = client.time()
        return now - SECONDS - 1, microseconds

    async def play(one: Office, other: Office) -> None:
        with monkeypatch.context() as once, redis.client() as client:
            once.setattr(Redis, "time", earlier)
            await one.bus.tickets.put({"name": b"what it opens"}, SECONDS)
            (name,) = client.keys()
            late = client.get(name)
        assert await other.bus.tickets.get("name") is None
        await one.bus.tickets.put({"name": b"what it opens"}, SECONDS)
        assert await other.bus.tickets.get("name") == b"what it opens"
        with redis.client() as client:
            client.set(name, late)
        assert await other.bus.tickets.get("name") is None

    scene(redis, play)


@pytest.mark.hurried
@pytest.mark.parametrize("how", ["killed", "stalled"])
def test_without_redis_a_worker_knows_its_own_tickets_and_asks_for_new_ones(
    redis: OwnRedis, how: str
) -> None:
    async def play(one: Office, other: Office) -> None:
        early = await one.tickets.give("m1", None, "ann")
        if how == "killed":
            redis.kill()
            await played(one, other, early)
        else:
            with redis.stalled():
                await played(one, other, early)

    async def played(one: Office, other: Office, early: str) -> None:
        late = await one.tickets.give("m1", None, "ann")
        for ticket in (early, late):
            assert (await one.tickets.admit(ticket, "m1")).holder == "ann"
            assert "ask for a new one" in await other.refuses(ticket)

    scene(redis, play)
