"""Memory is bounded in bytes: equal card sets are stored once, and the match cache has a limit."""

from __future__ import annotations

import asyncio
import gc
import json
import tracemalloc
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec

import msgspec
import pytest

from api.gate import Gate
from api.http.server import clock
from api.settings import Settings, product
from api.store.sqlite import SqliteStore
from domain.game import Game
from domain.games import GAMES
from domain.log import codec
from domain.match import Match
from domain.sharing import Data, _known, data_of
from domain.thirteen_minutes.components import RECONSTRUCTION
from tests.matches import Sitting, finished

P = ParamSpec("P")
OPENINGS, MEASURED = 596, 10
SIZE = 59_000  # bytes of a card set


def in_a_loop(test: Callable[P, Awaitable[None]]) -> Callable[P, None]:
    @wraps(test)
    def run(*given: P.args, **named: P.kwargs) -> None:
        async def work() -> None:
            await test(*given, **named)

        asyncio.run(work())

    return run


def card_set(number: int = 0) -> dict[str, Any]:
    """A card set with as many steps of events as there is room for: no other takes more memory."""
    steps = [{"op": "peek_cuba"}] * (SIZE // 13 // 20)
    cards = [
        {**card, "title": {"en": f"{card['id']} {number}", "ru": "карта"}, "event": {"steps": steps}}
        for card in msgspec.to_builtins(RECONSTRUCTION)["cards"]
    ]
    found: dict[str, Any] = json.loads(json.dumps({"cards": cards}))
    return found


@contextmanager
def gate_over(folder: Path, **settings: Any) -> Iterator[Gate]:
    store = SqliteStore.open(folder / "store")
    try:
        yield Gate(store, store.keys, clock, product(), Settings(**settings))
    finally:
        store.close()


async def opened(gate: Gate, cards: dict[str, Any]) -> Match:
    accepted = await gate.open("p1", "thirteen_minutes", None, {"card_set": cards})
    return accepted.cached.match


def data(match: Match) -> Data:
    (found,) = data_of(match.opened.options)
    return found


@in_a_loop
async def test_equal_card_sets_are_one_object(tmp_path: Path) -> None:
    with gate_over(tmp_path) as gate:
        one, other = await opened(gate, card_set()), await opened(gate, card_set())
        different = await opened(gate, card_set(1))
        assert data(one) is data(other)
        assert data(one) is not data(different)
        tables = [match.positions[0].table for match in (one, other)]
        assert tables[0] is tables[1]
        again = Gate(gate.store, gate.keys, clock, product())
        found = [await again.match(match.id) for match in (one, other)]
        assert all(data(match) is data(one) for match in found)
        assert found[0].records[0].entry.options["card_set"] is data(one)
        views = [match.table_at(1, "us") for match in found]
        assert views[0].options.card_set is views[1].options.card_set


def test_card_set_is_freed_with_its_last_match() -> None:
    gc.collect()
    before = len(_known)
    sitting = Sitting(GAMES["thirteen_minutes"], options={"card_set": card_set(7)})
    assert len(_known) == before + 1
    del sitting
    gc.collect()
    assert len(_known) == before


def test_repeated_openings_use_a_tenth_of_the_earlier_560_megabytes(tmp_path: Path) -> None:
    async def grown(gate: Gate) -> int:
        await opened(gate, card_set(1))
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        matches = [await opened(gate, card_set()) for _ in range(MEASURED)]
        gc.collect()
        took = tracemalloc.get_traced_memory()[0] - before
        assert gate.at_hand == MEASURED + 1
        assert len({id(data(match)) for match in matches}) == 1
        return took

    with gate_over(tmp_path) as gate:
        tracemalloc.start()
        try:
            took = asyncio.run(grown(gate))
        finally:
            tracemalloc.stop()
    once = 16 * SIZE  # the set itself, as objects
    each = (took - once) / MEASURED
    assert each * OPENINGS + once < 60_000_000, each


@in_a_loop
async def test_match_cache_is_bounded_in_bytes(tmp_path: Path) -> None:
    room = 3_000_000
    with gate_over(tmp_path, cached_bytes=room) as gate:
        for number in range(12):
            await opened(gate, card_set(number))  # each with a set of its own
            assert gate.weight <= room
        assert 1 <= gate.at_hand <= 4
        first = next(iter(gate.store.matches()))
        assert (await gate.match(first)).move == 1  # it is read again
        assert gate.weight <= room


@in_a_loop
async def test_shared_objects_are_weighed_once(tmp_path: Path) -> None:
    with gate_over(tmp_path, cached_bytes=3_000_000) as gate:
        for _ in range(12):
            await opened(gate, card_set())
        assert gate.at_hand == 12
        assert 12 * SIZE < gate.weight < 3_000_000


@in_a_loop
async def test_followed_match_stays_cached_and_a_further_one_is_refused(tmp_path: Path) -> None:
    with gate_over(tmp_path, cached_bytes=1_200_000) as gate:
        match = await opened(gate, card_set())
        desk = await gate.cached(match.id)
        assert gate.may_follow(desk)
        with desk.used():
            other = await gate.cached((await opened(gate, card_set(1))).id)
            assert not gate.may_follow(other)
            assert await gate.cached(match.id) is desk
            assert gate.may_follow(desk)  # one more does not matter
            assert not gate.may_follow(other)  # it was cleared away
        await opened(gate, card_set(2))
        assert gate.at_hand == 1


@pytest.mark.parametrize("name", GAMES)
def test_estimated_weight_of_a_match_is_close_to_its_memory(name: str) -> None:
    game: Game = GAMES[name]
    stored = [record.stored for record in finished(game, 3).match.records]

    def read() -> Match:
        found = Match.project(None, [codec(game).read("m3", bytes(bytearray(one))) for one in stored])
        assert found is not None
        found.rest()
        for viewer in (*game.seats, None):
            found.table_at(found.move, viewer)
        return found

    read()  # with the first one much is made that all share
    gc.collect()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        match = read()
        gc.collect()
        took = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert 0.9 * took <= match.weight <= 3 * took, (match.weight, took)
