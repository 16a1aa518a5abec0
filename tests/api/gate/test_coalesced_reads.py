"""Reads of a store that others write: waiting reads share one query, and none gets an older answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from threading import Event

import pytest

from api.gate.match_cache import CoalescedReads
from domain.log import Damaged, Record
from tests.api.gate.memory import MemoryStore
from tests.api.gate.tables import Table, run

Moves = Mapping[str, int]


class Asked(MemoryStore):
    """A store that writes down each question, and answers it only when it is free to."""

    def __init__(self) -> None:
        super().__init__()
        self.questions: list[dict[str, int]] = []
        self.free = Event()
        self.free.set()
        self.trouble: Callable[[Moves], None] = lambda moves: None

    def since_each(self, moves: Moves) -> Mapping[str, list[Record]]:
        """See `Log.since_each`; it answers what was stored when it was asked."""
        found = super().since_each(moves)
        self.questions.append(dict(moves))
        assert self.free.wait(60)
        self.trouble(moves)
        return found

    async def asked(self, number: int) -> None:
        """Wait until so many questions have come."""
        while len(self.questions) < number:
            await asyncio.sleep(0)


async def tables(*matches: str) -> tuple[Asked, Table]:
    """A store with these matches, three moves in each, and a table of the first."""
    store, first = Asked(), Table()
    first.store = store
    first.gate = type(first.gate)(store, first.gate.keys, lambda: first.now, "test")
    for match in reversed(matches):
        first.match = match
        await first.seated()
    return store, first


def moves(records: list[Record]) -> list[int]:
    """The numbers of these moves."""
    return [record.move for record in records]


@pytest.fixture(autouse=True)
def _toy(toy_game: object) -> None:
    """The toy game is registered."""


def test_waiting_reads_share_one_query() -> None:
    async def scene() -> None:
        store, _ = await tables("m1", "m2", "m3")
        looks = CoalescedReads(store)
        asked = [("m1", 2), ("m2", 3), ("m3", 0), ("m1", 1), ("m1", 3)]
        found = await asyncio.gather(*(looks.since(match, move) for match, move in asked))
        assert [moves(records) for records in found] == [[3], [], [1, 2, 3], [2, 3], []]
        assert store.questions == [{"m1": 1, "m2": 3, "m3": 0}]

    run(scene())


def test_read_begun_during_a_query_sees_later_commits() -> None:
    async def scene() -> None:
        store, table = await tables("m1")
        looks = CoalescedReads(store)
        store.free.clear()
        early = asyncio.create_task(looks.since("m1", 3))
        await store.asked(1)
        await table.play("ann", "2")
        late = [asyncio.create_task(looks.since("m1", 3)) for _ in range(5)]
        await asyncio.sleep(0)
        store.free.set()
        assert moves(await early) == []
        assert [moves(await one) for one in late] == [[4]] * 5
        assert len(store.questions) == 2

    run(scene())


def test_hanging_query_delays_other_reads_for_a_bounded_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api.gate.match_cache._PATIENCE", 0.01)

    async def scene() -> None:
        store, _ = await tables("m1")
        looks, hangs = CoalescedReads(store), Event()
        store.trouble = lambda moves: assert_set(hangs) if moves == {"m1": 2} else None
        hanging = asyncio.create_task(looks.since("m1", 2))
        await store.asked(1)
        assert moves(await looks.since("m1", 1)) == [2, 3]
        assert not hanging.done()
        hangs.set()
        assert moves(await hanging) == [3]

    run(scene())


def assert_set(event: Event) -> None:
    """Wait until it is set."""
    assert event.wait(60)


def test_damaged_match_fails_only_its_own_readers(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene() -> None:
        store, _ = await tables("m1", "m2")
        since = store.since

        def read(match: str, move: int) -> list[Record]:
            if match == "m2":
                raise Damaged("these are not the bytes of a move")
            return since(match, move)

        monkeypatch.setattr(store, "since", read)
        looks = CoalescedReads(store)
        asked = [looks.since("m1", 2), looks.since("m2", 2), looks.since("m1", 1)]
        sound, damaged, also = await asyncio.gather(*asked, return_exceptions=True)
        assert not isinstance(sound, BaseException)
        assert not isinstance(also, BaseException)
        assert (moves(sound), moves(also)) == ([3], [2, 3])
        assert isinstance(damaged, Damaged)

    run(scene())


def test_cancelled_reader_does_not_cancel_other_reads() -> None:
    async def scene() -> None:
        store, _ = await tables("m1")
        looks = CoalescedReads(store)
        store.free.clear()
        leaving, staying = (asyncio.create_task(looks.since("m1", 2)) for _ in range(2))
        await store.asked(1)
        leaving.cancel()
        await asyncio.wait((leaving,))
        store.free.set()
        assert moves(await staying) == [3]
        assert leaving.cancelled()

    run(scene())
