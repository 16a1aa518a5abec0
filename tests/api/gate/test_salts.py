"""Salts by commit and reveal at the gate: who opens one, who closes a match that waits, and a restart."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from api.gate import Gate, Key
from api.settings import Settings
from api.store.postgres import PostgresStore
from api.store.sqlite import SqliteStore
from domain.game import Game
from tests.api.gate.memory import Keys, MemoryStore
from tests.api.gate.tables import NOW, run
from tests.api.gate.test_gate import denied
from tests.salts import HOUR, hashed, salt_of

Reopened = Callable[[], Gate]


class Clock:
    """A clock that the test sets."""

    now = NOW

    def __call__(self) -> int:
        return self.now


@pytest.fixture(autouse=True)
def _toy(toy_game: Game) -> None:
    """The toy game is registered."""


@pytest.fixture
def clock() -> Clock:
    """The time of the gate."""
    return Clock()


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def restarted(request: pytest.FixtureRequest, tmp_path: Path, clock: Clock) -> Iterator[Reopened]:
    """A gate over the same store each time, which holds nothing in memory yet."""
    memory, held = MemoryStore(), list[Any]()

    def opened() -> Any:
        if request.param == "memory":
            return memory
        while held:
            held.pop().close()
        if request.param == "sqlite":
            held.append(SqliteStore.open(tmp_path / "store"))
        else:
            held.append(PostgresStore.open(request.getfixturevalue("database"), keys=tmp_path / "keys"))
        return held[-1]

    yield lambda: Gate(opened(), Keys(), clock, "test", Settings(salt_hours=2))
    while held:
        held.pop().close()


@pytest.fixture
def gate(clock: Clock) -> Gate:
    """A gate over a store in memory."""
    return Gate(MemoryStore(), Keys(), clock, "test", Settings(salt_hours=2))


async def seated(gate: Gate, left: str = "ann", right: str = "ben") -> None:
    """Both sit down and commit to a salt; "eve" has opened the match."""
    await gate.open("eve", "toy", None, {}, match="m1")
    for seat, player in (("left", left), ("right", right)):
        await gate.sit("m1", seat, player, salt_hash=hashed("m1", seat))


def test_restart_between_seating_and_salt_opening_changes_nothing(restarted: Reopened) -> None:
    async def scene() -> None:
        gate = restarted()
        await seated(gate)
        await gate.close()
        gate = restarted()
        await gate.open_salt("m1", "right", "ben", salt_of("right"))
        await gate.close()
        gate = restarted()
        assert (await gate.match("m1")).unopened == ("left",)
        key = Key("ann m1", "k", b"hash")
        done = await gate.open_salt("m1", "left", "ann", salt_of("left"), key=key)
        assert (done.first, done.last) == (5, 5)
        await gate.close()
        gate = restarted()
        again = await gate.open_salt("m1", "left", "ann", salt_of("left"), key=key)
        assert (again.first, again.last, (await gate.match("m1")).move) == (5, 5, 5)
        await denied(gate.open_salt("m1", "left", "ann", salt_of("left")), "salt")
        await gate.play("m1", [("2",)], player="ann")
        await gate.close()

    run(scene())


def test_salt_of_another_seat_cannot_be_opened(gate: Gate) -> None:
    async def scene() -> None:
        await seated(gate)
        for player in ("ben", "eve", "organizer"):
            await denied(gate.open_salt("m1", "left", player, salt_of("left")), "foreign")
        await denied(gate.open_salt("m1", "middle", "ann", salt_of("left")), "unknown-seat")
        assert (await gate.match("m1")).move == 3

    run(scene())


def test_many_wrong_salts_are_refused_and_store_nothing(gate: Gate) -> None:
    async def scene() -> None:
        await seated(gate)
        for number in range(500):
            await denied(gate.open_salt("m1", "left", "ann", f"{number:030}"), "salt")
        match = await gate.match("m1")
        assert (match.move, match.unopened) == (3, ("left", "right"))
        assert gate.refusals.counts["salt"] == 500
        await gate.open_salt("m1", "left", "ann", salt_of("left"))

    run(scene())


def test_player_of_both_seats_opens_both_salts(gate: Gate) -> None:
    async def scene() -> None:
        await seated(gate, "ann", "ann")
        await gate.open_salt("m1", "left", "ann", salt_of("left"))
        await denied(gate.open_salt("m1", "left", "ann", salt_of("right")), "salt")
        await gate.open_salt("m1", "right", "ann", salt_of("right"))
        assert (await gate.match("m1")).status == "running"

    run(scene())


def test_bot_plays_on_when_its_opponent_opens_the_salt(gate: Gate) -> None:
    async def scene() -> None:
        await gate.open("ann", "toy", None, {}, match="m1")
        await gate.sit("m1", "left", "ann", salt_hash=hashed("m1", "left"))
        await gate.sit("m1", "right", "ann", bot="random")
        await gate.settled("m1")
        assert (await gate.match("m1")).move == 3
        done = await gate.open_salt("m1", "left", "ann", salt_of("left"))
        await gate.settled("m1")
        match = await gate.match("m1")
        assert (done.last, match.salt_marks) == (4, {"left": "committed", "right": "none"})
        assert match.move > 4

    run(scene())


@pytest.mark.parametrize("player", ["eve", "ann", "ben", None])
def test_opener_or_player_can_close_the_match_after_the_deadline(
    gate: Gate, clock: Clock, player: str | None
) -> None:
    async def scene() -> None:
        await seated(gate)
        clock.now += HOUR
        await gate.open_salt("m1", "left", "ann", salt_of("left"))  # the time still counts from the last seat
        clock.now = NOW + 2 * HOUR - 1
        early = await denied(gate.close_unopened("m1", player), "salt")
        assert "from 2026-09-21" in early.text("en")
        clock.now = NOW + 2 * HOUR
        await denied(gate.close_unopened("m1", "stranger"), "foreign")
        done = await gate.close_unopened("m1", player)
        match = await gate.match("m1")
        assert match.closed is not None
        assert (match.closed.by, match.closed.unopened, match.result) == ("salt", ("right",), None)
        assert done.last == match.move == 6
        await denied(gate.open_salt("m1", "right", "ben", salt_of("right")), "over")
        await denied(gate.close_unopened("m1", player), "over")

    run(scene())


def test_move_before_all_salts_are_open_is_refused_naming_the_seat(gate: Gate) -> None:
    async def scene() -> None:
        await seated(gate)
        await gate.open_salt("m1", "left", "ann", salt_of("left"))
        refusal = await denied(gate.play("m1", [("2",)], player="ann"), "not-running")
        assert refusal.text("en") == "the match waits for the salt of right"

    run(scene())


def test_without_a_known_time_only_a_ruling_closes_the_match(clock: Clock) -> None:
    async def scene() -> None:
        for time, hours, words in (
            (lambda: None, 2, "no time is known"),
            (clock, 10**9, "from 9999-12-31"),
        ):
            gate = Gate(MemoryStore(), Keys(), time, "test", Settings(salt_hours=hours))
            await seated(gate)
            assert words in (await denied(gate.close_unopened("m1", "ann"), "salt")).text("en")
            await gate.rule("m1", "judge", "the opponent did not come", void=True)

    run(scene())
