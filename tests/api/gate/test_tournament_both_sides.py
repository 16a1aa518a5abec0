"""Pairs that play both sides, with their matches: opened, ended, forfeited, and recorded once each."""

from __future__ import annotations

import asyncio
from random import Random

import pytest
from msgspec.structs import replace

from api.gate.tournament_clocks import reconvene
from api.gate.tournament_previews import previewed
from api.http.routes.tournament_feeds import tasks_of
from domain.events import BoardOf
from domain.games import GAMES
from domain.kernel import Refused
from domain.tournaments import commands as c
from domain.tournaments.crosstables import crosstable
from domain.tournaments.events import Result
from domain.tournaments.judging import THE_HOUSE, Actor
from domain.tournaments.outcomes import ended, recorded
from domain.tournaments.terms import BOTH, Terms
from tests.api.gate.memory import MemoryStore
from tests.api.gate.tables import run
from tests.api.gate.tournaments import DIRECTOR, Cup

TERMS = Terms(game="toy", format="round_robin", rounds=9, sides=BOTH)


pytestmark = pytest.mark.usefixtures("toy_game")


async def opened(entrants: int = 2, terms: Terms = TERMS) -> Cup:
    """A tournament whose first round is published."""
    cup = await Cup(MemoryStore(), terms).announced(entrants)
    await cup.paired()
    return cup


async def won_by(cup: Cup, board: int, entrant: str) -> None:
    """The opponent of an entrant resigns the match of a board."""
    s = await cup.state()
    found = s.rounds[-1].boards[board - 1]
    await cup.sit(found.match)
    loser = next(name for name in found.entrants if name != entrant)
    await cup.gate.resign(found.match, player=s.entrants[loser].player)


async def kinds(cup: Cup, *wanted: str) -> list[tuple[str, int]]:
    """The entries of these kinds, each with its board."""
    return [
        (record.kind, getattr(record.entry, "board", 0))
        for record in (await cup.log()).records
        if record.kind in wanted
    ]


def test_both_matches_open_with_the_seats_exchanged_and_each_result_is_recorded_once() -> None:
    async def work() -> None:
        cup = await opened()
        s = await cup.state()
        first, second = s.rounds[0].boards
        assert (first.w, first.b) == (second.b, second.w)
        for board in (first, second):
            held = cup.store.reservations(board.match).seats
            people = [s.entrants[name].player for name in board.entrants]
            assert [held[seat].player for seat in GAMES["toy"].seats] == people
            match = await cup.gate.match(board.match)
            assert match.opened.tournament == BoardOf(cup.id, 1, board.number)
        await won_by(cup, 1, first.w)
        await cup.follower.tick(everything=True)
        table = crosstable(await cup.state())
        assert {line.cells[0].kind for line in table.lines} == {"pending"}
        await won_by(cup, 2, first.w)
        for _ in range(3):
            await cup.follower.tick(everything=True)
            cup.restart()
        assert await kinds(cup, "result_recorded", "confirmed") == [
            ("result_recorded", 1),
            ("confirmed", 1),
            ("result_recorded", 2),
            ("confirmed", 2),
        ]
        s = await cup.state()
        assert [board.result for board in s.rounds[0].boards] == ["1-0", "0-1"]
        assert (s.score(first.w), s.score(first.b)) == (2, 0)
        await cup.closed()

    run(work())


def test_a_result_of_the_other_match_or_a_second_one_is_never_recorded() -> None:
    async def work() -> None:
        cup = await opened()
        first, second = (await cup.state()).rounds[0].boards
        await won_by(cup, 1, first.w)
        over = ended(await cup.gate.match(first.match))
        assert over is not None
        s = await cup.state()
        right = recorded(s, 1, first, over, {"log": "ok"})
        wrong = recorded(s, 1, second, over, {"log": "ok"})
        command = cup.tournaments.commands.command
        for forged in (wrong, replace(right, match=second.match), replace(wrong, match=first.match)):
            with pytest.raises(Refused) as caught:
                await command(cup.id, forged, THE_HOUSE)
            assert caught.value.id == "another-match"
        with pytest.raises(Refused) as caught:
            await command(cup.id, right, DIRECTOR, expect=s.entry)
        assert caught.value.id == "only-house"
        await command(cup.id, right, THE_HOUSE)
        again = await command(cup.id, right, THE_HOUSE)
        assert again.last < again.first  # nothing was added
        with pytest.raises(Refused) as caught:
            await command(cup.id, replace(right, closed_move=right.closed_move + 1), THE_HOUSE)
        assert caught.value.id == "another-result-of-match"

    run(work())


def test_a_match_that_was_opened_with_the_place_of_the_other_board_is_refused() -> None:
    async def work() -> str:
        cup = await Cup(MemoryStore(), TERMS).announced(2)
        draft = await cup.tournaments.draft(cup.id, DIRECTOR)
        await cup.tournaments.pair(cup.id, 1, draft.sha256, DIRECTOR, draft.entry)
        s = await cup.state()
        second = s.rounds[0].boards[1]
        await cup.gate.open(
            None,
            "toy",
            s.terms.edition,
            s.terms.options,
            match=second.match,
            tournament=BoardOf(cup.id, 1, 1),
        )
        try:
            await cup.tournaments.publish_round(cup.id, c.PublishRound(round=1), DIRECTOR, s.entry)
        except Refused as error:
            return error.id
        return ""

    assert run(work()) == "another-match"


def test_one_match_may_end_before_the_other_is_opened() -> None:
    async def work() -> None:
        cup = await Cup(MemoryStore(), TERMS).announced(2)
        draft = await cup.tournaments.draft(cup.id, DIRECTOR)
        await cup.tournaments.pair(cup.id, 1, draft.sha256, DIRECTOR, draft.entry)
        real, calls = cup.tournaments._open, list[int]()

        async def dying(*args: object) -> None:
            calls.append(1)
            if len(calls) == 2:
                raise ConnectionError("killed between two boards")
            await real(*args)  # type: ignore[arg-type]

        cup.tournaments._open = dying  # type: ignore[method-assign,assignment]
        with pytest.raises(ConnectionError):
            await cup.tournaments.publish_round(
                cup.id, c.PublishRound(round=1), DIRECTOR, (await cup.log()).entry
            )
        first, second = (await cup.state()).rounds[0].boards
        assert (bool(first.opened), bool(second.opened)) == (True, False)
        cup.restart()
        await won_by(cup, 1, first.b)
        await cup.follower.tick(everything=True)
        await won_by(cup, 2, first.b)
        await cup.follower.tick(everything=True)
        s = await cup.state()
        assert (s.score(first.b), s.rounds[0].boards[0].result) == (2, "0-1")
        opened_boards = await kinds(cup, "board_opened")
        assert opened_boards == [("board_opened", 1), ("board_opened", 2)]

    run(work())


def test_a_killed_follower_records_both_matches_once() -> None:
    async def work() -> None:
        cup, random = await opened(4), Random(5)
        for board in (await cup.state()).rounds[0].boards:
            await cup.ended(board.match, Random(board.number))
            for _ in range(4):
                task = asyncio.create_task(cup.follower.tick(everything=True))
                for _ in range(random.randrange(40)):
                    await asyncio.sleep(0)
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
                await cup.tournaments.commands.finish()
                cup.restart()
        while await cup.follower.tick(everything=True):
            pass
        assert sorted(await kinds(cup, "result_recorded")) == [("result_recorded", n) for n in range(1, 5)]

    run(work())


def test_an_entrant_who_misses_the_second_match_forfeits_that_one_alone() -> None:
    async def work() -> None:
        cup = await opened()
        first, second = (await cup.state()).rounds[0].boards
        await won_by(cup, 1, first.b)
        held = cup.store.reservations(second.match).seats
        s = await cup.state()
        seat = next(seat for seat, one in held.items() if one.player == s.entrants[first.w].player)
        await cup.gate.sit(second.match, seat, held[seat].player)  # the other does not come
        cup.now += (TERMS.grace + 1) * 1_000_000
        await cup.follower.tick(everything=True)
        s = await cup.state()
        assert [board.result for board in s.rounds[0].boards] == ["0-1", "-+"]
        assert [s.score(name) for name in first.entrants] == [1, 1]
        await cup.closed()

    run(work())


def test_a_round_closes_with_a_forfeit_of_the_match_that_is_not_over() -> None:
    async def work() -> None:
        cup = await opened()
        first, second = (await cup.state()).rounds[0].boards
        await won_by(cup, 1, first.w)
        await cup.follower.tick(everything=True)
        await cup.sit(second.match)
        assert await cup.refused(c.CloseRound(round=1)) == "unfinished"
        player = (await cup.state()).entrants[first.b].player
        leaving = c.Withdraw(reason="ill")
        await cup.tournaments.commands.command(cup.id, leaving, Actor(player, "player"))
        assert (await cup.gate.match(second.match)).closed is None  # it may still be played
        policy = c.BoardPolicy(2, "forfeit", "-+")
        close = c.CloseRound(round=1, boards=(policy,))
        await cup.tournaments.close_round(cup.id, close, DIRECTOR, (await cup.log()).entry)
        s = await cup.state()
        assert (await cup.gate.match(second.match)).closed is not None
        assert [board.result for board in s.rounds[0].boards] == ["1-0", "-+"]
        assert [s.score(name) for name in first.entrants] == [2, 0]

    run(work())


def test_a_substitute_gets_the_free_seats_of_both_matches_and_has_both_to_play() -> None:
    async def work() -> None:
        cup = await opened()
        first = (await cup.state()).rounds[0].boards[0]
        replacing = c.Replace(expect=(await cup.log()).entry, entrant=first.w, substitute="zoe", reason="ill")
        await cup.tournaments.replace_player(cup.id, replacing, DIRECTOR)
        s = await cup.state()
        for board in s.rounds[0].boards:
            seat = GAMES["toy"].seats[board.entrants.index(first.w)]
            assert cup.store.reservations(board.match).seats[seat].player == "zoe"
        assert [task.board for task in tasks_of(s, "zoe")] == [1, 2]
        await won_by(cup, 1, first.w)
        await cup.follower.tick(everything=True)
        assert [task.board for task in tasks_of(await cup.state(), "zoe")] == [2]

    run(work())


def test_a_preview_shows_what_a_ruling_on_one_match_changes() -> None:
    async def work() -> None:
        cup = await opened(4)
        s = await cup.state()
        for board in s.rounds[0].boards:
            await won_by(cup, board.number, min(board.entrants))
        await cup.follower.tick(everything=True)
        await cup.closed()
        first = (await cup.state()).rounds[0].boards[0]
        other: Result = "0-1" if first.result == "1-0" else "1-0"
        ruling = c.Rule(round=1, board=1, result=other, reason="other", text="a rule")
        entry = (await cup.log()).entry
        found = await previewed(cup.tournaments, cup.id, ruling, DIRECTOR, entry)
        assert {(one.entrant, one.score_before, one.score_after) for one in found.standings} >= {
            (min(first.entrants), 2, 1),
            (max(first.entrants), 0, 1),
        }
        assert found.pairing is not None
        assert len(found.pairing.after) == 2  # pairs, not matches

    run(work())


def test_an_adjourned_match_goes_on_alone() -> None:
    async def work() -> None:
        cup = await opened()
        boards = (await cup.state()).rounds[0].boards
        for board in boards:
            await cup.sit(board.match)
        until = cup.now + 1_000_000
        await cup.do(c.Adjourn(round=1, until=until, reason="night", boards=(2,)))
        assert [board.adjourned for board in (await cup.state()).rounds[0].boards] == [None, until]
        cup.now = until
        assert await reconvene(cup.tournaments, cup.id) == 1
        assert await kinds(cup, "resumed") == [("resumed", 0)]

    run(work())
