"""The tasks of officials: times that are up, results that contradict, matches that could not be verified.

A task is there after a restart, too, and gone once it is done.
"""

from __future__ import annotations

from random import Random

import pytest
from msgspec.structs import replace

from api.gate.match_verifier import NotVerified, Work
from api.gate.tournament_follower import AGAIN
from api.gate.tournament_tasks import open_tasks
from api.store import uptime
from domain.clocks import DAY, SECOND, Bank, Days, Until
from domain.events import BoardOf
from domain.game import Game
from domain.tournaments import commands as c
from domain.tournaments.judging import THE_HOUSE
from domain.tournaments.outcomes import ended, recorded
from tests.api.gate.memory import MemoryStore
from tests.api.gate.tables import run
from tests.api.gate.test_tournament_clocks import matches, playing
from tests.api.gate.tournaments import DIRECTOR, NOW, Cup, verified_here

REPORTS = (Bank(main=60, time_up="report"),)
ALL_OK = {"log": "ok", "chance": "ok", "fold": "ok", "rules": "ok"}


@pytest.fixture(autouse=True)
def _no_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    """No step of the time is a stop of the server."""
    monkeypatch.setattr(uptime, "GAP", 10**18)


async def tasks(cup: Cup) -> list[tuple[str, object, object]]:
    """The kind of each task with its round and board: the same in a process that has just started."""
    found = [await open_tasks(cup.tournaments, await cup.state())]
    cup.restart()
    found.append(await open_tasks(cup.tournaments, await cup.state()))
    assert found[0] == found[1]
    return [(one.kind, one.round, one.board) for one in found[0]]


async def broken(work: Work) -> dict[str, str]:
    """A verifier whose process dies."""
    raise NotVerified("BrokenProcessPool")


def test_a_flag_is_a_task_until_the_result_is_ruled_or_more_time_is_given(toy_game: Game) -> None:
    async def work() -> None:
        cup = await playing(REPORTS)
        assert await tasks(cup) == []
        cup.now = NOW + 60 * SECOND - 1
        assert await tasks(cup) == []
        cup.now += 1
        assert await tasks(cup) == [("time", 1, 1), ("time", 1, 2)]
        (first, second), s = await matches(cup), await cup.state()
        assert (await open_tasks(cup.tournaments, s))[0].flagged == first.flagged(cup.now)
        for seat in second.seats:
            await cup.gate.officials.set_clock(second.id, "dora", seat, "a storm", left=DAY * 30)
        assert await tasks(cup) == [("time", 1, 1)]
        assert (await cup.gate.match(first.id)).status == "running"
        ruling = c.Rule(round=1, board=1, result="1-0", reason="late", text="two hours late")
        await cup.tournaments.rule(cup.id, ruling, DIRECTOR, (await cup.log()).entry)
        assert await tasks(cup) == []
        assert "timed_out" not in [record.kind for record in (await cup.gate.match(first.id)).records]

    run(work())


def test_a_flag_of_days_and_of_a_date_is_a_task_and_one_that_loses_is_none(toy_game: Game) -> None:
    async def work() -> None:
        days = Days(days=1, time_up="report")
        for clock in ((days,), (Until(until=NOW + DAY, time_up="report"),)):
            cup = await playing(clock, 2)
            cup.now = NOW + DAY
            assert await tasks(cup) == [("time", 1, 1)], clock
        cup = await playing((Days(days=1),), 2)
        cup.now = NOW + 2 * DAY
        assert await tasks(cup) == []
        assert (await matches(cup))[0].run_out(cup.now) is not None

    run(work())


def test_a_match_that_could_not_be_verified_is_a_task_with_its_error(toy_game: Game) -> None:
    """It is gone once an official confirms, rules, or a later verification succeeds."""

    async def failed() -> Cup:
        cup = await Cup(MemoryStore()).announced(2)
        await cup.paired()
        cup.follower._verifier = broken
        await cup.ended((await cup.state()).rounds[0].boards[0].match, Random(1))
        for _ in range(3):
            assert await tasks_here(cup) == []
            await cup.follower.tick(everything=True)
        assert await tasks_here(cup) == [("verify", "BrokenProcessPool")]
        return cup

    async def tasks_here(cup: Cup) -> list[tuple[str, object]]:
        return [(one.kind, one.error) for one in await open_tasks(cup.tournaments, await cup.state())]

    async def work() -> None:
        confirmed = await failed()
        await confirmed.do(c.Confirm(round=1, board=1))
        assert await tasks(confirmed) == []
        ruled = await failed()
        assert await ruled.refused(c.Rule(round=1, board=1, result="½", reason="other", text="both")) == ""
        assert await tasks(ruled) == []
        later = await failed()
        before = (await later.log()).entry
        later.follower._verifier = verified_here
        assert not await later.follower.tick(everything=True)  # not at once
        later.now += AGAIN
        assert await later.follower.tick(everything=True)
        board = (await later.state()).rounds[0].boards[0]
        assert (board.confirmed, board.outcome and board.outcome.checked) == ("verify", ALL_OK)
        assert (await later.log()).entry == before + 1
        assert await tasks(later) == []
        restarted = await failed()
        restarted.restart()
        restarted.follower._verifier = broken
        await restarted.follower.tick()
        assert await tasks(restarted) == [("verify", 1, 1)]  # still
        await restarted.follower.tick()
        assert await tasks(restarted) == []

    run(work())


def test_another_end_of_the_match_of_a_board_is_a_task_until_it_is_ruled(toy_game: Game) -> None:
    """The tournament recorded an end that the log of the match does not have, as after a bad restore."""

    async def work() -> None:
        cup = await Cup(MemoryStore()).announced(4)
        await cup.paired()
        s = await cup.state()
        first, second = s.rounds[0].boards
        for board in (first, second):
            await cup.ended(board.match, Random(1))
        over = ended(await cup.gate.match(first.match))
        assert over is not None
        assert over.place == BoardOf(s.id, 1, 1)
        forged = replace(recorded(s, 1, first, over, ALL_OK), closed_move=over.moves + 1)
        await cup.tournaments.commands.command(cup.id, forged, THE_HOUSE)
        await cup.follower.tick(everything=True)
        assert await tasks(cup) == [("conflict", 1, 1)]
        verdict = c.Rule(round=1, board=1, result="1-0", reason="other", text="as the log has it")
        assert await cup.refused(verdict) == ""
        assert await tasks(cup) == []

    run(work())


def test_a_match_that_runs_although_its_end_was_recorded_is_a_conflict(toy_game: Game) -> None:
    async def work() -> None:
        cup = await Cup(MemoryStore()).announced(2)
        await cup.paired()
        s = await cup.state()
        board = s.rounds[0].boards[0]
        away = await Cup(MemoryStore()).announced(2)  # the same board elsewhere ended
        await away.paired()
        await away.ended((await away.state()).rounds[0].boards[0].match, Random(1))
        over = ended(await away.gate.match((await away.state()).rounds[0].boards[0].match))
        assert over is not None
        forged = recorded(s, 1, board, replace(over, match=board.match), ALL_OK)
        await cup.tournaments.commands.command(cup.id, forged, THE_HOUSE)
        assert await tasks(cup) == [("conflict", 1, 1)]

    run(work())
