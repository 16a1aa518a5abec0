"""Tickets of one worker: no client keeps the others from theirs."""

from __future__ import annotations

import asyncio

import pytest

from api.http import auth as module
from api.http.auth import Tickets
from domain.kernel import Refused


@pytest.fixture
def tickets(monkeypatch: pytest.MonkeyPatch) -> Tickets:
    """Room for ten."""
    monkeypatch.setattr(module, "_MOST", 10)
    return Tickets(60, lambda: 0.0)


def test_client_that_requests_many_tickets_does_not_block_other_clients(tickets: Tickets) -> None:
    async def scene() -> None:
        first = await tickets.admit(await tickets.give("m1", None, "ann"), "m1")
        tickets.opened(first)
        greedy = [await tickets.give("m1", None, "ann") for _ in range(30)]
        ticket = await tickets.give("m1", None, "ben")
        assert (await tickets.admit(ticket, "m1")).holder == "ben"
        assert (await tickets.admit(greedy[-1], "m1")).holder == "ann"
        with pytest.raises(Refused):
            await tickets.admit(greedy[0], "m1")
        assert len(tickets._admissions) == 10
        assert first.name in tickets._admissions  # its stream is open

    asyncio.run(scene())


def test_ticket_is_refused_if_all_tickets_are_in_use(tickets: Tickets) -> None:
    async def scene() -> None:
        for _ in range(10):
            tickets.opened(await tickets.admit(await tickets.give("m1", None, "ann"), "m1"))
        with pytest.raises(Refused, match="too many tickets are out"):
            await tickets.give("m1", None, "ben")

    asyncio.run(scene())
