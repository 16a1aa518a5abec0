"""Clocks behind the gate: who notes that a time is up, and that the server was stopped; at a handed time."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from random import Random
from typing import Any

import pytest

from api.gate import Gate, Key
from api.gate.clocks import BEAT, Timekeeper
from api.store.interface import Unavailable
from api.store.uptime import GAP
from domain.clocks import SECOND, Bank, Clock, Days
from domain.events import ClockStopped
from domain.game import Game
from domain.kernel import Refused
from domain.match import Match
from tests.api.gate.memory import Keys
from tests.api.gate.tables import NOW, SECRET, Table, run

QUICK: Clock = (Bank(main=60, increment=10),)
HOUR = 3_600 * SECOND


class Timed(Table):
    """A table with a clock, whose timekeeper looks when a test tells it to."""

    def __init__(self, terms: Clock = QUICK, **settings: Any) -> None:
        super().__init__(**settings)
        self.terms = terms
        self.leads = True
        self.keeper = self.timekeeper()

    def timekeeper(self) -> Timekeeper:
        """Another one, as after a restart."""

        async def running() -> Sequence[str]:
            found = [self.store.match(name) for name in self.store.matches()]
            return [one.id for one in found if one and one.opened.clock and one.status == "running"]

        return self.gate.timekeeper(running, lambda: self.leads)

    async def seated(self, left: str = "ann", right: str = "ben", **options: Any) -> Timed:
        """Open the match and let both sit down; the clocks of both run."""
        await self.gate.open("ann", "toy", None, options, secret=SECRET, match=self.match, clock=self.terms)
        for seat, player in (("left", left), ("right", right)):
            bot = player.removeprefix("bot:") if player.startswith("bot:") else ""
            await self.gate.sit(self.match, seat, None if bot else player, bot=bot)
        return self

    async def restart(self) -> None:
        """Another process on the same store, with nothing in memory."""
        self.gate = Gate(self.store, Keys(), lambda: self.now, "test")
        self.keeper = self.timekeeper()

    def later(self, seconds: float) -> None:
        self.now += round(seconds * SECOND)

    async def alive(self, seconds: float) -> None:
        """The server runs for so long, but no timekeeper: another process had to run it."""
        end = self.now + round(seconds * SECOND)
        while self.now < end:
            self.now = min(self.now + BEAT, end)
            await self.gate.clocks.beat()

    async def idle(self, seconds: int) -> None:
        """The server runs for so long, and no command comes."""
        for _ in range(0, seconds, 5):
            self.later(5)
            await self.keeper.tick()


def kinds(match: Match) -> list[str]:
    return [record.kind for record in match.records]


def test_the_timekeeper_notes_a_time_out_once_and_no_sooner(toy_game: Game) -> None:
    async def story() -> None:
        table = await Timed().seated()
        await table.keeper.tick()
        assert table.keeper.next == NOW + 60 * SECOND
        await table.idle(55)
        table.later(4.999999)
        await table.keeper.tick()
        assert (await table.state()).status == "running"
        table.later(0.000001)
        await table.keeper.tick()
        match = await table.state()
        assert kinds(match)[-3:] == ["timed_out", "secret_opened", "closed"]
        assert table.keeper.next is None
        for _ in range(3):
            table.later(100)
            await table.keeper.tick()
        assert kinds(await table.state()).count("timed_out") == 1
        assert table.gate.counts.commands["time_out"] == 1

    run(story())


def test_the_checkpoint_of_a_time_out_is_stored_with_it(toy_game: Game) -> None:
    async def story() -> None:
        table = await Timed().seated()
        await table.keeper.tick()
        await table.idle(70)
        match = await table.state()
        note = table.store.note(table.match)
        assert note is not None
        assert f"\n{match.move}\n" in note

    run(story())


def test_an_answer_moves_the_due_time_of_the_match(toy_game: Game) -> None:
    async def story() -> None:
        table = await Timed().seated()
        table.keeper.watch()
        await table.keeper.tick()
        table.later(9)
        await table.play("ann", "2")
        await table.play("ben", "1")
        await asyncio.sleep(0)  # the news arrive
        await table.keeper.tick()
        assert table.keeper.next == table.now + 61 * SECOND

    run(story())


@pytest.mark.parametrize("late", [0, 0.001])
def test_a_command_that_is_late_finds_the_time_out_and_is_refused(toy_game: Game, late: float) -> None:
    async def story() -> None:
        table = await Timed(QUICK).seated()
        await table.play("ann", "2")
        await table.alive(60 + late)
        with pytest.raises(Refused, match="time of right was up") as caught:
            await table.play("ben", "1")
        assert caught.value.kind == "time"
        match = await table.state()
        assert (match.closed is not None, kinds(match).count("timed_out")) == (True, 1)
        assert match.result is not None
        assert match.result.winner == "left"
        with pytest.raises(Refused, match="time of right was up"):
            await table.gate.resign(table.match, player="ann")

    run(story())


def test_a_command_with_a_key_gets_its_answer_again_after_the_time_out(toy_game: Game) -> None:
    async def story() -> None:
        table = await Timed().seated()
        key = Key("ann m1", "k", b"body")
        first = await table.play("ann", "2", key=key)
        await table.keeper.tick()
        await table.idle(70)
        again = await table.play("ann", "2", key=key)
        assert (again.first, again.last) == (first.first, first.last)

    run(story())


async def raced(microsecond: int, *, answer_first: bool) -> None:
    """The last answer and its time-out come so many microseconds after the time was up."""
    table = await Timed().seated()
    await table.play("ann", "2")
    await table.keeper.tick()
    await table.idle(55)
    other = Gate(table.store, Keys(), lambda: table.now, "test")
    await other.match(table.match)
    table.now = NOW + 60 * SECOND + microsecond
    match = await table.state()
    expect = match.asked.seats["right"] if match.asked else 0
    table.store.shared = True  # a process that is behind reads on and judges again
    answer = other.play(table.match, [("1",)], player="ben", expect=expect)
    works = [answer, table.keeper.tick()] if answer_first else [table.keeper.tick(), answer]
    results = await asyncio.gather(*works, return_exceptions=True)
    refusals = [one for one in results if isinstance(one, Refused)]
    stored = table.store.match(table.match)
    assert stored is not None
    assert [kinds(stored).count(kind) for kind in ("played", "timed_out")] == (
        [2, 0] if microsecond < 0 else [1, 1]
    )
    assert [refusal.kind for refusal in refusals] == ([] if microsecond < 0 else ["time"])


@pytest.mark.parametrize("microsecond", [-1, 0, 1])
def test_of_an_answer_and_its_time_out_exactly_one_is_stored(toy_game: Game, microsecond: int) -> None:
    """Both come at the same time, in either order, to two processes on one store."""

    for answer_first in (True, False):
        run(raced(microsecond, answer_first=answer_first))


@pytest.mark.long
def test_an_answer_and_its_time_out_race_a_thousand_times(toy_game: Game) -> None:
    """OA18: two processes, and a time around the last microsecond."""
    chance = Random(18)
    for _ in range(1_000):
        run(raced(chance.randrange(-2, 3), answer_first=chance.random() < 0.5))


def test_a_process_that_is_killed_before_the_time_out_is_stored_leaves_it_to_the_next(toy_game: Game) -> None:
    async def story() -> None:
        table = await Timed().seated()
        await table.keeper.tick()
        await table.idle(55)
        table.later(10)
        table.store.failing = Unavailable("the process dies")
        with pytest.raises(Refused):
            await table.keeper.tick()
        table.store.failing = None
        await table.restart()
        await table.keeper.tick()
        assert kinds(await table.state()).count("timed_out") == 1
        await table.restart()  # killed right after it
        await table.keeper.tick()
        assert kinds(await table.state()).count("timed_out") == 1

    run(story())


def test_a_time_that_is_only_reported_ends_nothing_and_is_not_looked_at_without_end(toy_game: Game) -> None:
    """The stops of the server are noted all the same, and give the time of the flag back."""

    async def story() -> None:
        table = await Timed((Bank(main=60, time_up="report"),)).seated()
        await table.keeper.tick()
        await table.idle(80)
        match = await table.state()
        assert match.flagged(table.now) == {"left": NOW + 60 * SECOND, "right": NOW + 60 * SECOND}
        assert (table.keeper.next or 0) > table.now
        await table.play("ann", "2")
        assert kinds(await table.state())[-1] == "played"
        table.later(600)
        await table.restart()
        await table.keeper.tick()
        assert kinds(await table.state())[-1] == "clock_stopped"
        await table.play("ben", "1")
        assert "timed_out" not in kinds(await table.state())

    run(story())


# ── a stopped server burns no time ──


def test_ten_minutes_without_a_server_cost_at_most_one_heartbeat(toy_game: Game) -> None:
    async def story() -> None:
        table = await Timed((Bank(main=120),)).seated()
        await table.keeper.tick()
        await table.idle(20)
        table.later(9)  # and then it is killed
        table.later(600)
        await table.restart()
        await table.keeper.tick()
        match = await table.state()
        stopped = match.records[-1].entry
        assert isinstance(stopped, ClockStopped)
        assert (stopped.start, stopped.end) == (NOW + 20 * SECOND, table.now)
        assert table.keeper.next == table.now + 100 * SECOND  # nothing but 20 seconds is gone
        await table.keeper.tick()
        assert kinds(await table.state()).count("clock_stopped") == 1

    run(story())


def test_a_command_is_judged_after_the_stop_is_noted(toy_game: Game) -> None:
    """An answer comes first after a restart, when by the wall clock the time was up long ago."""

    async def story() -> None:
        table = await Timed().seated()
        table.later(5)
        await table.play("ann", "2")
        await table.gate.clocks.beat()
        table.later(600)
        await table.restart()
        await table.play("ben", "1")
        assert kinds(await table.state())[-2:] == ["clock_stopped", "played"]

    run(story())


def test_a_bot_waits_for_the_stop_to_be_noted(toy_game: Game) -> None:
    async def story() -> None:
        table = await Timed().seated(right="bot:random")
        match = await table.state()
        assert kinds(match).count("clock_stopped") == 0
        await table.gate.clocks.beat()
        table.later(600)
        await table.restart()
        await table.play("ann", "2")
        assert kinds(await table.state()).count("clock_stopped") == 1

    run(story())


def test_an_outage_of_the_store_stops_the_clocks_of_a_server_that_runs(toy_game: Game) -> None:
    async def story() -> None:
        table = await Timed().seated()
        await table.keeper.tick()
        await table.idle(10)
        table.store.failing = Unavailable("the database is away")
        for _ in range(60):
            table.later(5)
            with suppress(Refused):
                await table.keeper.tick()
        table.store.failing = None
        await table.play("ann", "2")  # before the timekeeper looks again
        match = await table.state()
        assert kinds(match)[-2:] == ["clock_stopped", "played"]
        await table.keeper.tick()
        assert table.keeper.next == table.now + 50 * SECOND

    run(story())


def test_a_kill_between_the_stop_and_its_entries_loses_none(toy_game: Game) -> None:
    async def story() -> None:
        table = await Timed().seated()
        await table.gate.clocks.beat()
        table.later(600)
        table.store.uptime.beat(table.now)  # a process learns of the stop, and is killed
        table.later(5)
        await table.restart()
        await table.keeper.tick()
        assert kinds(await table.state()).count("clock_stopped") == 1

    run(story())


def test_two_stops_are_both_noted(toy_game: Game) -> None:
    async def story() -> None:
        table = await Timed().seated()
        await table.gate.clocks.beat()
        for _ in range(2):
            table.later(600)
            table.store.uptime.beat(table.now)
            table.later(1)
        await table.restart()
        await table.keeper.tick()
        assert kinds(await table.state()).count("clock_stopped") == 2
        assert (await table.state()).status == "running"

    run(story())


def test_a_short_break_is_no_stop(toy_game: Game) -> None:
    async def story() -> None:
        table = await Timed().seated()
        await table.gate.clocks.beat()
        table.now += GAP
        await table.restart()
        await table.keeper.tick()
        assert kinds(await table.state()).count("clock_stopped") == 0

    run(story())


def test_a_clock_that_is_set_back_burns_no_time_and_breaks_nothing(toy_game: Game) -> None:
    async def story() -> None:
        table = await Timed().seated()
        table.later(20)
        await table.play("ann", "2")
        table.now -= HOUR
        await table.keeper.tick()
        await table.play("ben", "1")
        match = await table.state()
        ats = [record.entry.at for record in match.records]
        assert ats == sorted(ats)
        assert match.clock_at(match.move).left == {  # type: ignore[union-attr]
            "left": 50 * SECOND,
            "right": 50 * SECOND,
        }
        await table.keeper.tick()
        assert match.status == "running"

    run(story())


def test_a_clock_that_is_set_forward_is_a_stop(toy_game: Game) -> None:
    async def story() -> None:
        table = await Timed().seated()
        await table.keeper.tick()
        table.now += HOUR
        await table.keeper.tick()
        assert kinds(await table.state())[-1] == "clock_stopped"

    run(story())


# ── who watches ──


def test_a_process_that_does_not_lead_writes_heartbeats_only(toy_game: Game) -> None:
    async def story() -> None:
        table = await Timed().seated()
        table.leads = False
        await table.keeper.tick()
        await table.idle(100)
        assert (await table.state()).status == "running"
        table.leads = True  # the other one was killed
        await table.keeper.tick()
        assert kinds(await table.state()).count("timed_out") == 1
        assert kinds(await table.state()).count("clock_stopped") == 0

    run(story())


def test_matches_without_a_clock_are_left_alone(toy_game: Game) -> None:
    async def story() -> None:
        table = await Timed(()).seated()
        loads = table.store.loads
        await table.keeper.tick()
        table.later(10**6)
        await table.play("ann", "2")
        await table.keeper.tick()
        assert table.keeper.next is None
        assert b"clock" not in b"".join(record.leaf for record in (await table.state()).records)
        assert table.store.loads <= loads + 2  # only by `running` of this test

    run(story())


def test_a_match_that_waits_for_players_has_no_due_time(toy_game: Game) -> None:
    async def story() -> None:
        table = Timed((Days(days=1),))
        await table.gate.open("ann", "toy", None, {}, secret=SECRET, match="m1", clock=table.terms)
        table.later(10**6)
        await table.gate.sit("m1", "left", "ann")
        await table.keeper.tick()
        assert table.keeper.next is None
        await table.gate.sit("m1", "right", "ben")
        table.later(6)
        await table.keeper.tick()
        assert table.keeper.next == table.now + 86_394 * SECOND

    run(story())
