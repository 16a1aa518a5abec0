"""Bots: each answer is a move of its own, made before the person gets the response."""

from __future__ import annotations

import asyncio
import random

import pytest

from api.gate import Gate, Key
from api.gate.bots import Bot, RandomBot
from api.store.interface import Unavailable
from domain.events import Played
from domain.kernel import Picks, Prompt
from tests.api.gate.memory import Keys
from tests.api.gate.tables import NOW, Table, gate_over, run

pytestmark = pytest.mark.usefixtures("toy_game")


class Waving:
    """Bids 3; waves `waves` times at each turn, then stops."""

    def __init__(self, waves: int) -> None:
        self.waves = self.left = waves

    def answer(self, question: Prompt) -> Picks:
        """See `Bot.answer`."""
        if question.ask == "Bid":
            return ("3",)
        self.left -= 1
        if self.left >= 0:
            return ("wave",)
        self.left = self.waves
        return ("stop",)


def _with(bot: Bot) -> Table:
    table = Table()
    table.gate = Gate(table.store, Keys(), lambda: NOW, "test", bots={"waving": bot})
    return table


def test_bot_moves_are_made_before_the_player_gets_the_response() -> None:
    async def scene() -> None:
        table = await _with(Waving(2)).seated("ann", "bot:waving")
        match = await table.state()
        assert (match.move, match.asked and match.asked.seats) == (4, {"left": 3})
        accepted = await table.play("ann", "1")
        assert (accepted.first, accepted.last, accepted.settled) == (5, 5, 9)
        entries = [record.entry for record in match.records[5:]]
        assert [(entry.seat, entry.ask) for entry in entries] == [("right", "Turn")] * 3 + [("right", "Bid")]
        assert match.prompt("left") is not None

    run(scene())


def test_repeated_key_gets_the_same_answer_including_bot_moves() -> None:
    async def scene() -> None:
        table = await _with(Waving(1)).seated("ann", "bot:waving")
        key = Key("ann m1", "k", b"hash")
        first = await table.play("ann", "1", key=key)
        await table.play("ann", "0")
        again = await table.play("ann", "1", key=key)
        assert (again.last, again.settled) == (first.last, first.settled)

    run(scene())


def test_bot_agrees_to_a_takeback() -> None:
    async def scene() -> None:
        table = await Table().seated("ann", "bot:random")
        match = await table.state()
        while (standing := match.prompt("left")) and standing[1].ask == "Bid":
            await table.play("ann", "3")
        assert standing is not None
        await table.play("ann", "wave")
        before = match.move
        accepted = await table.gate.ask_takeback("m1", player="ann")
        kinds = [type(record.entry).__name__ for record in match.records[before:]]
        assert kinds == ["TakebackAsked", "TakebackAnswered", "TakenBack"]
        assert accepted.settled == match.move

    run(scene())


def test_match_of_two_bots_runs_in_the_background_without_blocking_clients() -> None:
    async def scene() -> None:
        table = Table()
        await table.seated("bot:random", "bot:random", rounds=3)
        early = (await table.state()).move
        await table.gate.settled("m1")
        match = await table.state()
        assert early < match.move
        assert match.status == "over"
        assert all(isinstance(record.entry, Played) for record in match.records[3:-2])

    run(scene())


def test_bot_continues_after_a_store_failure() -> None:
    async def scene() -> None:
        table = await _with(Waving(0)).seated("ann", "bot:waving")
        table.store.held = True
        answer = asyncio.create_task(table.play("ann", "1"))
        await asyncio.sleep(0.01)
        table.store.release()
        table.store.failing, table.store.held = Unavailable("full"), False
        assert (await answer).settled == 5
        table.store.failing = None
        await table.gate.settled("m1")
        match = await table.state()
        assert (match.move, match.prompt("right")) == (7, None)

    run(scene())


def test_match_waiting_for_a_bot_continues_when_it_is_read() -> None:
    async def scene() -> None:
        table = await Table().seated("ann", "bot:random")
        await table.gate.close()  # its bots play no more
        await table.play("ann", "3")
        stored = (await table.state()).move
        table.gate = gate_over(table.store)
        await table.gate.settled("m1")
        match = await table.state()
        asked = match.asked
        assert match.move >= stored
        assert asked is None or "right" not in asked.seats

    run(scene())


class Failing:
    """A bot with a fault."""

    def answer(self, question: Prompt) -> Picks:
        """See `Bot.answer`."""
        raise ZeroDivisionError


def _failed(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]


def test_player_gets_the_response_though_the_bot_fails(caplog: pytest.LogCaptureFixture) -> None:
    async def scene() -> None:
        table = _with(Failing())
        await table.seated("ann", "bot:waving")
        accepted = await table.play("ann", "1")
        assert (accepted.last, accepted.settled) == (4, 4)

    run(scene())
    assert _failed(caplog) == ["a bot failed", "a bot failed"]


def test_bot_that_fails_in_the_background_stops(caplog: pytest.LogCaptureFixture) -> None:
    async def scene() -> None:
        table = _with(Failing())
        await table.seated("bot:waving", "bot:waving")
        await table.gate.settled("m1")
        assert (await table.state()).move == 3

    run(scene())
    assert _failed(caplog) == ["a bot failed"]


def test_seeded_bot_is_reproducible() -> None:
    question = Prompt("left", "Turn", ("a", "b", "c", "d"), 1, 3)
    first, second = (RandomBot(random.Random(7)) for _ in range(2))
    assert [first.answer(question) for _ in range(50)] == [second.answer(question) for _ in range(50)]


def test_random_bot_answers_legally() -> None:
    question = Prompt("left", "Turn", ("a", "b", "c", "d"), 1, 3)
    answers = [RandomBot().answer(question) for _ in range(300)]
    assert {len(answer) for answer in answers} == {1, 2, 3}
    assert all(len(set(answer)) == len(answer) and set(answer) <= {"a", "b", "c", "d"} for answer in answers)


def test_bots_stop_with_the_gate() -> None:
    async def scene() -> None:
        table = await Table().seated("bot:random", "bot:random")
        await table.gate.close()
        moves = (await table.state()).move
        await asyncio.sleep(0.02)
        assert (await table.state()).move == moves

    run(scene())
