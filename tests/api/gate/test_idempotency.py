"""A command with a key is carried out once, also where it would be legal again, on each store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from api.gate import Gate, Key
from api.store.interface import Remembered, Unavailable
from api.store.postgres import PostgresStore
from api.store.sqlite import SqliteStore
from domain.game import Game
from domain.kernel import Refused
from tests.api.gate.memory import Keys, MemoryStore
from tests.api.gate.tables import NOW, Table, run

KEY = Key("ann m1", "k", b"hash")


@pytest.fixture(autouse=True)
def _toy(toy_game: Game) -> None:
    """The toy game is registered."""


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    """A new store of each kind."""
    if request.param == "memory":
        yield MemoryStore()
        return
    if request.param == "sqlite":
        kept: SqliteStore | PostgresStore = SqliteStore.open(tmp_path / "store")
    else:
        kept = PostgresStore.open(request.getfixturevalue("database"), keys=tmp_path / "keys")
    yield kept
    kept.close()


async def asked_and_declined(gate: Gate) -> int:
    """Two sit down and bid; ann asks with a key to go back, and ben declines.  The move of her request."""
    await gate.open("ann", "toy", None, {}, match="m1")
    for seat, player in (("left", "ann"), ("right", "ben")):
        await gate.sit("m1", seat, player)
    await gate.play("m1", [("2",)], player="ann")
    request = (await gate.ask_takeback("m1", player="ann", key=KEY)).last
    await gate.answer_takeback("m1", request, False, player="ben")
    return request


def test_repeated_command_is_not_carried_out_again_though_still_legal(store: Any) -> None:
    async def scene() -> None:
        gate = Gate(store, Keys(), lambda: NOW, "test")
        request = await asked_and_declined(gate)
        before = store.last()
        again = await gate.ask_takeback("m1", player="ann", key=KEY)
        assert (again.first, again.last, again.settled) == (request, request, request)
        with pytest.raises(Refused) as refused:
            await gate.ask_takeback("m1", player="ann", key=Key("ann m1", "k", b"another body"))
        assert (refused.value.kind, store.last()) == ("key-reused", before)
        assert (await gate.ask_takeback("m1", player="ann")).last == request + 2
        await gate.close()

    run(scene())


def test_key_stored_by_another_worker_is_found_whether_still_legal_or_not(store: Any) -> None:
    async def scene() -> None:
        store.shared = True
        gate, other = (Gate(store, Keys(), lambda: NOW, "test") for _ in range(2))
        await gate.open("ann", "toy", None, {}, match="m1")
        await other.match("m1")
        took = await gate.sit("m1", "left", "ann", key=KEY)
        for _ in range(2):  # behind, it would be legal; then it would not
            again = await other.sit("m1", "left", "ann", key=KEY)
            assert (again.first, again.last, store.last()) == (took.first, took.last, 2)
        for each in (gate, other):
            await each.close()

    run(scene())


def test_key_is_looked_up_only_if_the_command_is_refused(store: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    sought: list[str] = []
    remembered = store.remembered

    def seek(scope: str, key: str) -> Remembered | None:
        sought.append(key)
        found: Remembered | None = remembered(scope, key)
        return found

    monkeypatch.setattr(store, "remembered", seek)

    async def scene() -> None:
        gate = Gate(store, Keys(), lambda: NOW, "test")
        await asked_and_declined(gate)
        assert sought == []
        with pytest.raises(Refused, match="not asked"):
            await gate.play("m1", [("1",)], player="ann", key=Key("ann m1", "l", b"hash"))
        assert set(sought) == {"l"}
        await gate.close()

    run(scene())


def test_repeated_key_gets_its_answer_though_the_disk_is_full() -> None:
    async def scene() -> None:
        table = Table()
        request = await asked_and_declined(table.gate)
        table.store.failing = Unavailable("the disk is full")
        assert (await table.gate.ask_takeback("m1", player="ann", key=KEY)).last == request
        with pytest.raises(Refused, match="the disk is full"):
            await table.gate.ask_takeback("m1", player="ann", key=Key("ann m1", "l", b"hash"))

    run(scene())


def test_refusal_says_so_if_the_key_cannot_be_looked_up() -> None:
    async def scene() -> None:
        table = Table()
        await table.seated()

        def away(scope: str, key: str) -> Remembered | None:
            raise Unavailable("the store is away")

        table.store.remembered = away  # type: ignore[method-assign]
        with pytest.raises(Refused, match="the store is away") as refused:
            await table.gate.play("m1", [("99",)], player="ann", key=KEY)
        assert refused.value.kind == "unavailable"
        assert table.gate.refusals.counts["unavailable"] == 1

    run(scene())
