"""Bots that search: beside the loop, without the match's lock, and only for questions that still stand."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import pytest

from api.bots.action import Action
from api.bots.agent_bot import AgentBot, observation_of
from api.bots.levels import EASY, HARD, SECONDS, agent_of
from api.bots.workers import BotWorkers
from api.gate import Gate
from api.gate.bots import RandomBot
from api.settings import Settings
from domain.agents.observation import Observation
from domain.events import Played, Seated
from domain.kernel import Picks, Refused
from domain.match import Match
from tests.api.gate.memory import Keys, MemoryStore
from tests.api.gate.tables import NOW, SECRET, T
from tests.waiting import PATIENCE

GAME = "cia_vs_kgb"
LEVELS = (EASY, HARD)


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end; a scene that waits for what never comes fails, and the other tests go on."""
    return asyncio.run(asyncio.wait_for(work, PATIENCE))


class SlowBot(AgentBot):
    """A bot whose answers come only when the test lets them."""

    def __init__(self, level: str = EASY) -> None:
        super().__init__(level, BotWorkers(1))
        self.asked, self.released = asyncio.Event(), asyncio.Event()
        self.seen: list[Observation] = []
        self.actions: list[Action | None] = []

    async def think(self, observation: Observation, action: Action | None = None) -> Picks:
        """See `AgentBot.think`."""
        self.actions.append(action)
        self.seen.append(observation)
        self.asked.set()
        await self.released.wait()
        self.released.clear()
        return self.act(observation)


async def opened(gate: Gate, *players: str) -> Match:
    """A match of CIA vs. KGB; a player "easy" or "hard" is the bot."""
    await gate.open("ann", GAME, None, {}, secret=SECRET, match="m1")
    for seat, player in zip(("cia", "kgb"), players, strict=True):
        bot = player if player in LEVELS else ""
        await gate.sit("m1", seat, None if bot else player, bot=bot)
    return await gate.match("m1")


def scene_with(bot: SlowBot, then: Callable[[Gate, Match], Awaitable[None]]) -> None:
    """Play a scene with ann as the KGB against a slow bot, which is asked first."""

    async def scene() -> None:
        bot.asked, bot.released = asyncio.Event(), asyncio.Event()
        gate = Gate(MemoryStore(), Keys(), lambda: NOW, "test", bots={bot.level: bot, "random": RandomBot()})
        match = await opened(gate, bot.level, "ann")
        await bot.asked.wait()
        await then(gate, match)
        bot.released.set()
        await gate.close()

    run(scene())


async def thought_is_over(bot: SlowBot) -> None:
    """Let the bot answer, and wait until it thinks about its next question."""
    bot.asked.clear()
    bot.released.set()
    await bot.asked.wait()


def test_a_person_answers_while_the_bot_thinks() -> None:
    bot = SlowBot()

    async def then(gate: Gate, match: Match) -> None:
        before = match.move
        standing = match.prompt("kgb")
        assert standing is not None
        accepted = await gate.play("m1", [("left",)], player="ann", expect=standing[0])
        assert accepted.settled == accepted.last == before + 1
        await thought_is_over(bot)
        entries = [record.entry for record in match.records[before:]]
        assert [entry.seat for entry in entries[:2] if isinstance(entry, Played)] == ["kgb", "cia"]
        assert bot.actions[0] is not bot.actions[1]  # an answer lies between

    scene_with(bot, then)


def test_answers_in_a_row_are_one_action() -> None:
    """The set-up of the USSR: its six answers share the time of an action."""

    async def scene() -> None:
        bot = SlowBot(HARD)
        gate = Gate(MemoryStore(), Keys(), lambda: NOW, "test", bots={HARD: bot})
        await gate.open("ann", "twilight_struggle", None, {}, secret=SECRET, match="m1")
        await gate.sit("m1", "us", "ann")
        await gate.sit("m1", "ussr", None, bot=HARD)
        await bot.asked.wait()
        for _ in range(2):
            await thought_is_over(bot)
        assert [one.seat for one in bot.seen] == ["ussr"] * 3
        assert bot.actions == [bot.actions[0]] * 3 != [None] * 3
        bot.released.set()
        await gate.close()

    run(scene())


def test_a_search_takes_its_time_from_the_action() -> None:
    async def scene() -> None:
        workers, action = BotWorkers(1), Action()
        gate = Gate(MemoryStore(), Keys(), lambda: NOW, "test", bots={EASY: AgentBot(EASY, None)})
        match = await opened(gate, "ann", "ben")
        assert await workers.search(EASY, observation_of(match, "cia"), action)
        assert 0 <= action.left < SECONDS
        await workers.stop()
        await gate.close()

    run(scene())


def test_the_bot_gets_what_its_seat_knows() -> None:
    bot = SlowBot()

    async def then(gate: Gate, match: Match) -> None:
        assert (bot.seen[0].game, bot.seen[0].seat) == (GAME, "cia")
        for hidden in (match.id, match.root_at(match.move).hex(), SECRET.hex()):
            assert hidden.encode() not in bot.seen[0].table

    scene_with(bot, then)


@pytest.mark.parametrize("level", LEVELS)
def test_an_answer_to_a_match_that_is_over_is_dropped(level: str) -> None:
    """B14."""
    bot = SlowBot(level)

    async def then(gate: Gate, match: Match) -> None:
        await gate.resign("m1", player="ann")
        moves = match.move
        bot.released.set()
        await gate.settled("m1")
        assert (match.status, match.move) == ("over", moves)

    scene_with(bot, then)


@pytest.mark.parametrize("level", LEVELS)
def test_a_takeback_is_carried_out_at_once_and_the_bot_thinks_again(level: str) -> None:
    """B14."""
    bot = SlowBot(level)

    async def then(gate: Gate, match: Match) -> None:
        standing = match.prompt("kgb")
        assert standing is not None
        await gate.play("m1", [("left",)], player="ann", expect=standing[0])
        await gate.ask_takeback("m1", player="ann")
        assert match.prompt("kgb") is not None
        moves = match.move
        await thought_is_over(bot)
        assert match.records[moves:] == []
        assert [one.prompt.ask for one in bot.seen] == ["CloseHands", "CloseHands"]
        assert match.prompt("kgb") is not None

    scene_with(bot, then)


@pytest.mark.parametrize("level", LEVELS)
def test_a_ruling_is_carried_out_at_once_and_the_stale_answer_is_dropped(level: str) -> None:
    """B14."""
    bot = SlowBot(level)

    async def then(gate: Gate, match: Match) -> None:
        standing = match.prompt("kgb")
        assert standing is not None
        await gate.play("m1", [("left",)], player="ann", expect=standing[0])
        await thought_is_over(bot)
        await bot.asked.wait()
        stale, back = match.prompt(bot.seen[-1].seat), standing[0]
        assert stale is not None
        await gate.rule("m1", "o1", "once more", back_to=back)
        moves = match.move
        await thought_is_over(bot)
        assert match.records[moves:] == []
        assert [one.prompt.ask for one in bot.seen] == ["CloseHands", "ChooseAgents", "CloseHands"]

    scene_with(bot, then)


@pytest.mark.parametrize("level", LEVELS)
def test_a_bot_process_that_is_killed_costs_no_match(level: str, caplog: pytest.LogCaptureFixture) -> None:
    """B13: the policy answers in its place, and the next question is searched in another process."""

    async def scene() -> None:
        gate = Gate(MemoryStore(), Keys(), lambda: NOW, "test")
        match = await opened(gate, level, level)
        killed: set[int] = set()
        while match.status == "running" and len(killed) < 2:
            for pid in set(gate.workers.processes) - killed:
                os.kill(pid, signal.SIGKILL)
                killed.add(pid)
            await asyncio.sleep(0.01)
        moves = match.move
        while match.status == "running" and match.move < moves + 20:
            await asyncio.sleep(0.01)
        assert match.move >= moves + 20 or match.status == "over"
        await gate.close()
        assert gate.workers.processes == []

    run(scene())
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == []


def test_a_bot_process_leads_a_group_in_the_session_of_its_server_and_has_bounded_memory() -> None:
    """Its niceness counts against the server, and a Ctrl-C is not for it."""

    async def scene() -> None:
        gate = Gate(MemoryStore(), Keys(), lambda: NOW, "test")
        match = await opened(gate, EASY, EASY)
        while match.move < 4:
            await asyncio.sleep(0.01)
        processes = gate.workers.processes
        assert {os.getsid(pid) for pid in processes} == {os.getsid(0)}
        assert any(os.getpgid(pid) == pid for pid in processes)  # one that has answered
        limits = [resource.prlimit(pid, resource.RLIMIT_DATA) for pid in processes]
        assert (200 * 1024 * 1024, 200 * 1024 * 1024) in limits
        await gate.close()

    run(scene())


def test_a_gate_that_stops_waits_for_no_search_and_plays_no_answer() -> None:
    async def scene() -> None:
        gate = Gate(MemoryStore(), Keys(), lambda: NOW, "test")
        match = await opened(gate, EASY, EASY)
        while not gate.workers.processes:
            await asyncio.sleep(0.01)
        moves = match.move
        await gate.close()
        assert (match.move - moves, gate.workers.processes) == (0, [])

    run(scene())


def test_a_pool_that_stops_answers_the_tasks_that_wait_for_a_process() -> None:
    async def scene() -> None:
        gate = Gate(MemoryStore(), Keys(), lambda: NOW, "test", bots={EASY: AgentBot(EASY, None)})
        match = await opened(gate, "ann", "ben")
        workers = BotWorkers(1)
        asked = [asyncio.create_task(workers.search(EASY, observation_of(match, "cia"))) for _ in range(3)]
        while not workers.processes:
            await asyncio.sleep(0.01)
        assert workers.waiting == 2
        await workers.stop()
        assert await asyncio.gather(*asked) == [None, None, None]
        await gate.close()

    run(scene())


def test_where_too_many_tasks_wait_one_more_gets_no_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api.bots.workers.MOST_WAITING", 1)

    async def scene() -> None:
        gate = Gate(MemoryStore(), Keys(), lambda: NOW, "test", bots={EASY: AgentBot(EASY, None)})
        match = await opened(gate, "ann", "ben")
        workers, seen = BotWorkers(1), observation_of(match, "cia")
        found = await asyncio.gather(*(workers.search(EASY, seen) for _ in range(4)))
        assert [picks is None for picks in found] == [False, False, True, True]
        assert workers.waiting == 0
        await workers.stop()
        await gate.close()

    run(scene())


def test_where_no_process_answers_in_time_the_policy_does() -> None:
    async def scene() -> None:
        workers = BotWorkers(1, patience=0.0)
        gate = Gate(MemoryStore(), Keys(), lambda: NOW, "test", bots={EASY: AgentBot(EASY, workers)})
        match = await opened(gate, EASY, EASY)
        while match.move < 8:
            await asyncio.sleep(0.01)
        assert workers.seconds == {}
        await gate.close()

    run(scene())


def test_a_process_that_does_not_answer_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else its late answer would be taken for that to the next question."""

    async def scene() -> None:
        gate = Gate(MemoryStore(), Keys(), lambda: NOW, "test", bots={EASY: AgentBot(EASY, None)})
        match = await opened(gate, "ann", "ben")
        workers, seen = BotWorkers(1), observation_of(match, "cia")
        assert await workers.search(EASY, seen)
        (process,) = workers.processes
        os.kill(process, signal.SIGSTOP)
        with monkeypatch.context() as patch:
            patch.setattr(workers, "_patience", 0.01)
            assert await workers.search(EASY, seen) is None
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)
        assert await workers.search(EASY, seen)
        assert workers.processes != [process]
        await workers.stop()
        await gate.close()

    run(scene())


def test_without_processes_no_bot_is_seated_that_must_search() -> None:
    async def scene() -> None:
        gate = Gate(MemoryStore(), Keys(), lambda: NOW, "test", Settings(bot_workers=0))
        assert gate.bots_of("twilight_struggle") == ["random", "easy"]  # its easy bot does not search
        assert gate.bots_of(GAME) == ["random"]
        await gate.open("ann", GAME, None, {}, secret=SECRET, match="m1")
        for level in LEVELS:
            with pytest.raises(Refused) as refused:
                await gate.sit("m1", "kgb", "ann", bot=level)
            assert (refused.value.kind, refused.value.values["bots"]) == ("unknown-bot", ["random"])

    run(scene())


def test_a_player_has_a_bounded_number_of_matches_with_bots_that_search() -> None:
    async def scene() -> None:
        gate = Gate(MemoryStore(), Keys(), lambda: NOW, "test", Settings(bot_matches=2))
        for match in ("m1", "m2", "m3"):
            await gate.open("ann", GAME, None, {}, match=match)
            await gate.sit(match, "cia", "ann")
        for match in ("m1", "m2"):
            await gate.sit(match, "kgb", "ann", bot=EASY)
        with pytest.raises(Refused) as refused:
            await gate.sit("m3", "kgb", "ann", bot=EASY)
        assert (refused.value.kind, refused.value.id) == ("limit", "bot-matches")
        await gate.resign("m1", player="ann")
        await gate.sit("m3", "kgb", "ann", bot=EASY)
        assert (await gate.match("m3")).has_bots
        await gate.close()

    run(scene())


def test_the_log_names_the_agent() -> None:
    async def scene() -> None:
        gate = Gate(MemoryStore(), Keys(), lambda: NOW, "test")
        match = await opened(gate, "ann", EASY)
        seated = [record.entry for record in match.records if isinstance(record.entry, Seated)]
        assert [entry.agent for entry in seated] == ["", agent_of(EASY, GAME)]
        assert b'"agent"' not in match.records[1].leaf
        await gate.close()

    run(scene())
