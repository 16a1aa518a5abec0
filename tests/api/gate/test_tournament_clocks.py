"""Extended and adjourned boards: what becomes of the clocks of their matches, and what is refused."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from api.gate.tournament_measures import penalise
from domain.clocks import DAY, MOST_LEFT, SECOND, Bank, Clock, Days, Until
from domain.game import Game
from domain.kernel import Refused
from domain.match import Match
from domain.tournaments import commands as c
from domain.tournaments.events import Adjourned, Resumed
from domain.tournaments.judging import Actor
from tests.api.gate.memory import MemoryStore
from tests.api.gate.tables import run
from tests.api.gate.test_tournament_previews import measure
from tests.api.gate.tournaments import DIRECTOR, NOW, TERMS, Cup

DATE = NOW + 2 * DAY


async def playing(clock: Clock, entrants: int = 4, *, sit: bool = True) -> Cup:
    """A round whose players have sat down."""
    cup = await Cup(MemoryStore(), replace(TERMS, clock=clock)).announced(entrants)
    await cup.paired()
    for board in (await cup.state()).rounds[0].boards if sit else ():
        await cup.sit(board.match)
    return cup


async def matches(cup: Cup) -> list[Match]:
    return [await cup.gate.match(board.match) for board in (await cup.state()).rounds[0].boards]


def dates(cup: Cup, match: Match) -> set[int]:
    """When the time of each seat is up, if it is asked now."""
    return {cup.now + match.left_of(seat, cup.now) for seat in match.seats}


def test_an_extension_moves_the_date_of_both_players_of_the_boards_it_names(toy_game: Game) -> None:
    async def work() -> None:
        cup = await playing((Until(DATE),))
        later = DATE + 3 * DAY
        assert await measure(cup, c.Extend(round=1, until=later, reason="a storm", boards=(2,))) == ""
        first, second = await matches(cup)
        assert (dates(cup, first), dates(cup, second)) == ({DATE}, {later})
        moves = second.move
        cup.restart()
        await cup.follower.tick(everything=True)
        assert (await matches(cup))[1].move == moves  # once
        cup.now = DATE + DAY
        assert (await matches(cup))[1].run_out(cup.now) is None
        assert (await matches(cup))[0].run_out(cup.now) is not None

    run(work())


def test_a_penalty_of_time_after_an_extension_stands(toy_game: Game) -> None:
    async def work() -> None:
        cup = await playing((Until(DATE),), 2)
        assert await measure(cup, c.Extend(round=1, until=DATE + DAY, reason="a storm")) == ""
        penalty = c.Penalise(entrant="n1", penalty="time", amount=3_600, text="late again")
        await penalise(cup.tournaments, cup.id, penalty, DIRECTOR, (await cup.log()).entry)
        for _ in range(2):
            await cup.follower.tick(everything=True)
            assert dates(cup, (await matches(cup))[0]) == {DATE + DAY, DATE + DAY - 3_600 * SECOND}
            cup.restart()

    run(work())


def test_a_match_that_begins_after_an_extension_has_the_later_date(toy_game: Game) -> None:
    async def work() -> None:
        cup = await playing((Until(DATE),), 2, sit=False)
        assert await measure(cup, c.Extend(round=1, until=DATE + DAY, reason="a storm")) == ""
        await cup.sit((await matches(cup))[0].id)
        await cup.follower.tick(everything=True)
        assert dates(cup, (await matches(cup))[0]) == {DATE + DAY}

    run(work())


@pytest.mark.parametrize("budget", [Bank(main=600), Days(days=5, cap=9)], ids=["bank", "days"])
def test_an_extension_moves_the_date_of_a_clock_with_a_bank_and_leaves_the_bank_alone(
    budget: Bank | Days, toy_game: Game
) -> None:
    async def work() -> None:
        cup = await playing((budget, Until(DATE)), 2)
        (match,) = await matches(cup)
        assert match.clock is not None
        moves, banks = match.move, dict(match.clock.left)
        until = DATE + 30 * DAY
        assert await measure(cup, c.Extend(round=1, until=until, reason="a storm")) == ""
        (match,) = await matches(cup)
        assert match.clock is not None
        assert match.clock.left == banks
        assert {match.date_of(seat, cup.now) for seat in match.seats} == {until}
        assert [(one.kind, one.entry.until) for one in match.records[moves:]] == [("clock_set", until)] * 2
        cup.restart()
        await cup.follower.tick(everything=True)
        assert (await matches(cup))[0].move == moves + 2  # once

    run(work())


@pytest.mark.parametrize("clock", [(Bank(main=600),), (Days(days=1),)], ids=["bank", "days"])
def test_an_extension_leaves_a_clock_without_a_date_alone(clock: Clock, toy_game: Game) -> None:
    async def work() -> None:
        cup = await playing(clock, 2)
        before = (await matches(cup))[0]
        assert await measure(cup, c.Extend(round=1, until=DATE + DAY, reason="a storm")) == ""
        await cup.follower.tick(everything=True)
        assert (await matches(cup))[0].move == before.move

    run(work())


def test_an_adjourned_board_stands_until_its_time_and_then_goes_on_once(toy_game: Game) -> None:
    async def work() -> None:
        cup = await playing((Bank(main=600),))
        until = NOW + 2 * DAY
        assert (
            await measure(cup, c.Adjourn(round=1, until=until, reason="the hall closes", boards=(2,))) == ""
        )
        entry = (await cup.log()).records[-1].entry
        assert isinstance(entry, Adjourned)
        assert (entry.boards, entry.until) == ((2,), until)
        first, second = await matches(cup)
        assert [one.clock.paused for one in (first, second) if one.clock] == [False, True]
        cup.now += DAY  # the night
        await cup.follower.tick(everything=True)
        assert {(await matches(cup))[1].left_of(seat, cup.now) for seat in second.seats} == {600 * SECOND}
        cup.now = until
        cup.restart()
        for _ in range(2):
            await cup.follower.tick(everything=True)
        assert [(await matches(cup))[1].records[-1].kind, (await cup.log()).records[-1].kind] == [
            "clock_resumed",
            "resumed",
        ]
        entries = [one.entry for one in (await cup.log()).records if isinstance(one.entry, Resumed)]
        assert [(one.boards, one.role) for one in entries] == [((2,), "house")]
        board = (await cup.state()).rounds[0].boards[1]
        assert (board.adjourned, board.paused) == (None, False)

    run(work())


def test_a_reconvention_that_crashed_half_way_is_completed(toy_game: Game) -> None:
    async def work() -> None:
        cup = await playing((Bank(main=600),), 2)
        assert await measure(cup, c.Adjourn(round=1, until=NOW + DAY, reason="night")) == ""
        cup.now += DAY
        await cup.gate.officials.pause(
            (await matches(cup))[0].id, "house", "time", paused=False
        )  # and it died
        cup.restart()
        await cup.follower.tick(everything=True)
        assert (await cup.log()).records[-1].kind == "resumed"

    run(work())


def test_nobody_is_absent_from_an_adjourned_board_and_an_official_may_resume_it_early(toy_game: Game) -> None:
    async def work() -> None:
        cup = await playing((), sit=False)
        late = NOW + 2 * TERMS.grace * SECOND
        assert await measure(cup, c.Adjourn(round=1, until=late, reason="a strike")) == ""
        assert not any(board.paused for board in (await cup.state()).rounds[0].boards)  # there are no clocks
        assert await measure(cup, c.Resume(round=1, reason="it is over", boards=(1,))) == ""
        cup.now += (TERMS.grace + 1) * SECOND
        await cup.follower.tick(everything=True)
        assert [board.result for board in (await cup.state()).rounds[0].boards] == ["--", ""]
        again = c.Adjourn(round=1, until=late, reason="again", boards=(1, 2))
        assert await measure(cup, again) == "boards"  # board 1 is over

    run(work())


@pytest.mark.parametrize(
    ("command", "actor", "kind"),
    [
        (c.Adjourn(round=1, until=NOW + DAY, reason="night"), Actor("q3", "player"), "forbidden"),
        (c.Adjourn(round=1, until=NOW + DAY, reason="night"), Actor("q3", "organizer"), "forbidden"),
        (c.Adjourn(round=1, until=NOW, reason="night"), DIRECTOR, "window"),
        (c.Adjourn(round=1, until=NOW + MOST_LEFT + 1, reason="night"), DIRECTOR, "window"),
        (c.Extend(round=1, until=NOW + MOST_LEFT + 1, reason="night"), DIRECTOR, "window"),
        (c.Adjourn(round=2, until=NOW + DAY, reason="night"), DIRECTOR, "not-found"),
        (c.Adjourn(round=1, until=NOW + DAY, reason="night", boards=(3,)), DIRECTOR, "not-found"),
        (c.Adjourn(round=1, until=NOW + DAY, reason="a\u202eb"), DIRECTOR, "invalid"),
        (c.Reconvene(round=1, board=1), DIRECTOR, "forbidden"),
    ],
)
def test_what_is_wrong_with_an_adjournment_is_refused_and_no_clock_stands(
    command: c.Measure | c.Reconvene, actor: Actor, kind: str, toy_game: Game
) -> None:
    async def work() -> None:
        cup = await playing((Bank(main=600),))
        before = (await cup.log()).root
        if isinstance(command, c.Reconvene):
            assert await cup.refused(command, actor) == kind
        else:
            assert await measure(cup, command, actor) == kind
        assert (await cup.log()).root == before
        assert not any(one.clock.paused for one in await matches(cup) if one.clock)

    run(work())


def test_an_official_does_not_adjourn_the_own_board(toy_game: Game) -> None:
    async def work() -> None:
        cup = await playing((Bank(main=600),))
        await cup.do(c.Appoint(person="q1", office="arbiter"))
        assert (
            await measure(cup, c.Adjourn(round=1, until=NOW + DAY, reason="x"), Actor("q1", "player"))
            == "interest"
        )

    run(work())


def test_a_round_before_its_publication_is_not_adjourned(toy_game: Game) -> None:
    async def work() -> None:
        cup = await Cup(MemoryStore()).announced(2)
        draft = await cup.tournaments.draft(cup.id, DIRECTOR)
        await cup.tournaments.pair(cup.id, 1, draft.sha256, DIRECTOR, draft.entry)
        with pytest.raises(Refused) as refused:
            await cup.do(c.Adjourn(round=1, until=NOW + DAY, reason="x"))
        assert refused.value.kind == "unfinished"

    run(work())
