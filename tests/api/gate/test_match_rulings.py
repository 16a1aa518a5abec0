"""Rulings on the match of a board: the match takes them first, and the tournament's entry names that move."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from api.gate.tournament_previews import Preview, previewed
from api.store.interface import Append, StoreError
from domain import kernel
from domain.events import Ruled, TakenBack
from domain.game import Game
from domain.kernel import Refused
from domain.tournaments import commands as c
from domain.tournaments import events as e
from domain.tournaments.judging import Actor
from domain.tournaments.state import Board
from tests.api.gate.memory import MemoryStore
from tests.api.gate.tables import run
from tests.api.gate.tournaments import DIRECTOR, Cup

BACK = c.MatchRuling(back_to=3)
VOID = c.MatchRuling(void=True)
LEFT_WINS = c.MatchRuling(result=c.MatchResult("left", {"left": 7, "right": 2}))


def ruling(match: c.MatchRuling | None, **more: Any) -> c.Rule:
    return c.Rule(round=1, board=1, reason="rule_error", text="a wrong die", match=match, **more)


class Hall(Cup):
    """A tournament of two whose one board is in play, after a first answer."""

    async def opened(self) -> Hall:
        await self.announced(2)
        await self.paired()
        await self.sit((await self.board()).match)
        await self.answer()
        return self

    async def board(self) -> Board:
        return (await self.state()).rounds[0].boards[0]

    async def moves(self) -> int:
        return (await self.gate.match((await self.board()).match)).move

    async def answer(self) -> None:
        """One seat of the board that is asked answers."""
        await self.answered((await self.board()).match)

    async def rule(self, command: c.Rule, expect: int | None = None, preview: str = "") -> str:
        """The kind by which a ruling is refused; "" if it is carried out."""
        try:
            entry = (await self.log()).entry if expect is None else expect
            await self.tournaments.rule(self.id, command, DIRECTOR, entry, preview=preview)
        except Refused as error:
            return error.kind
        return ""

    async def preview(self, command: c.Rule) -> Preview:
        return await previewed(self.tournaments, self.id, command, DIRECTOR, (await self.log()).entry)

    async def last(self) -> e.Ruled:
        found = (await self.log()).records[-1].entry
        assert isinstance(found, e.Ruled)
        return found


def test_a_match_goes_back_to_a_move_and_the_tournament_names_the_ruling(toy_game: Game) -> None:
    async def work() -> None:
        hall = await Hall(MemoryStore()).opened()
        board, before, moves = await hall.board(), (await hall.log()).entry, await hall.moves()
        assert await hall.rule(ruling(BACK, note="a die of wood")) == ""
        match = await hall.gate.match(board.match)
        taken, back = (record.entry for record in match.records[moves:])
        assert isinstance(taken, Ruled)
        assert isinstance(back, TakenBack)
        assert (taken.by, taken.back_to, back.to) == ("dora", 3, 3)
        assert taken.reason == f"tournament {hall.id}, entry {before + 1}: a wrong die"
        ruled = await hall.last()
        assert (ruled.entry, ruled.match, ruled.move, ruled.back_to) == (before + 1, match.id, taken.move, 3)
        leaf = (await hall.log()).records[-1].leaf
        assert b'"result"' not in leaf
        assert b"of wood" not in leaf
        after = await hall.board()
        assert (after.status, after.result, after.ruling) == ("running", "", None)
        assert after.ruled_by == (ruled.entry,)
        await hall.answer()
        await hall.gate.resign(board.match, seat="left")
        await hall.follower.tick()
        assert (await hall.board()).status == "confirmed"

    run(work())


def test_a_void_match_leaves_its_board_without_a_result_until_one_is_ruled(toy_game: Game) -> None:
    async def work() -> None:
        hall = await Hall(MemoryStore()).opened()
        match = (await hall.board()).match
        assert await hall.rule(ruling(VOID)) == ""
        closed = (await hall.gate.match(match)).closed
        assert closed is not None
        assert (closed.by, closed.result) == ("ruling", None)
        ruled = await hall.last()
        assert (ruled.match, ruled.void, ruled.result) == (match, True, "")
        await hall.follower.tick()
        board = await hall.board()
        assert (board.status, board.result, board.stands) == ("recorded", "", False)
        assert await hall.refused(c.CloseRound(round=1)) == "unfinished"
        assert await hall.refused(c.Confirm(round=1, board=1)) == "unfinished"
        again = ruling(None, result="½", reported=True)
        assert await hall.rule(again) == ""
        assert (await hall.board()).result == "½"
        assert await hall.refused(c.CloseRound(round=1)) == ""

    run(work())


def test_a_board_whose_match_is_void_is_forfeited_when_its_round_is_closed(toy_game: Game) -> None:
    async def work() -> None:
        hall = await Hall(MemoryStore()).opened()
        assert await hall.rule(ruling(VOID)) == ""
        await hall.follower.tick()
        forfeited = c.CloseRound(round=1, boards=(c.BoardPolicy(board=1, policy="forfeit", result="+-"),))
        await hall.tournaments.close_round(hall.id, forfeited, DIRECTOR, (await hall.log()).entry)
        board, ruled = await hall.board(), await hall.last()
        assert (board.status, board.result, ruled.move) == ("ruled", "+-", 0)

    run(work())


def test_a_match_ends_with_a_ruled_result_and_its_score(toy_game: Game) -> None:
    async def work() -> None:
        hall = await Hall(MemoryStore()).opened()
        board = await hall.board()
        expected = "1-0" if board.seated[0] == board.w else "0-1"
        assert await hall.rule(ruling(LEFT_WINS)) == ""
        closed = (await hall.gate.match(board.match)).closed
        assert closed is not None
        assert closed.result == kernel.Result("left", "ruling", {"left": 7, "right": 2})
        ruled = await hall.last()
        assert (ruled.match, ruled.result, ruled.void, ruled.back_to) == (board.match, expected, False, 0)
        await hall.follower.tick()
        board = await hall.board()
        assert board.outcome is not None
        assert (board.status, board.result, board.outcome.result) == ("ruled", expected, expected)
        assert board.outcome.score == {"left": 7, "right": 2}

    run(work())


def test_what_cannot_be_ruled_on_a_match_is_refused_and_changes_neither_log(toy_game: Game) -> None:
    async def work() -> None:
        hall = await Hall(MemoryStore()).opened()
        root, moves = (await hall.log()).root, await hall.moves()
        odd: Sequence[tuple[c.Rule, str]] = (
            (ruling(None), "invalid"),
            (ruling(BACK, result="1-0"), "invalid"),
            (ruling(VOID, reported=True), "invalid"),
            (ruling(c.MatchRuling()), "ruling"),
            (ruling(c.MatchRuling(back_to=3, void=True)), "ruling"),
            (ruling(c.MatchRuling(back_to=1)), "ruling"),  # no seat is asked there
            (ruling(c.MatchRuling(back_to=10**6)), "ruling"),
            (ruling(c.MatchRuling(result=c.MatchResult("nobody"))), "ruling"),
            (ruling(c.MatchRuling(result=c.MatchResult(None, {"nobody": 1}))), "ruling"),
            (ruling(c.MatchRuling(back_to=3, expect=moves - 1)), "stale"),
            (ruling(c.MatchRuling(void=True, expect=moves + 1)), "stale"),
            (replace(ruling(BACK), board=2), "not-found"),
        )
        for command, kind in odd:
            assert await hall.rule(command) == kind, command
            with pytest.raises(Refused) as refused:
                await hall.preview(command)
            assert refused.value.kind == kind, command
        assert await hall.rule(ruling(BACK), expect=1) == "stale"
        player = (await hall.state()).entrants["n1"].player
        for command in (ruling(BACK), ruling(c.MatchRuling(void=True, expect=1))):
            with pytest.raises(Refused) as refused:
                await hall.tournaments.rule(
                    hall.id, command, Actor(player, "player"), (await hall.log()).entry
                )
            assert refused.value.kind == "forbidden"
        assert ((await hall.log()).root, await hall.moves()) == (root, moves)

    run(work())


@pytest.mark.parametrize("match", [BACK, VOID, LEFT_WINS], ids=["back", "void", "result"])
def test_a_match_that_is_over_takes_no_ruling_on_it(toy_game: Game, match: c.MatchRuling) -> None:
    async def work() -> None:
        hall = await Hall(MemoryStore()).opened()
        name = (await hall.board()).match
        await hall.gate.resign(name, seat="left")
        assert await hall.rule(ruling(match)) == "over"  # before the tournament has the result, and after
        await hall.follower.tick()
        root = (await hall.log()).root
        assert await hall.rule(ruling(match)) == "over"
        assert (await hall.log()).root == root

    run(work())


@pytest.mark.parametrize("match", [BACK, VOID, LEFT_WINS], ids=["back", "void", "result"])
def test_a_preview_of_a_ruling_on_a_match_stores_nothing_and_is_what_is_stored(
    toy_game: Game, match: c.MatchRuling
) -> None:
    """OA22."""

    async def work() -> None:
        hall = await Hall(MemoryStore()).opened()
        entry, root, moves = (await hall.log()).entry, (await hall.log()).root, await hall.moves()
        seen = await hall.preview(ruling(match))
        assert ((await hall.store_root()), (await hall.log()).root, await hall.moves()) == (root, root, moves)
        assert (seen.match_move, bool(seen.standings)) == (moves + 1, match is LEFT_WINS)
        await hall.answer()  # the match goes on meanwhile
        assert await hall.rule(ruling(match), preview=seen.sha256) == "preview"
        assert ((await hall.log()).root, await hall.moves()) == (root, moves + 1)
        seen = await hall.preview(ruling(match))
        assert await hall.rule(ruling(match), preview=seen.sha256) == ""
        [stored] = [msgspec.json.decode(one.leaf) for one in (await hall.log()).records[entry:]]
        assert stored.pop("at") == hall.now
        assert list(seen.facts) == [stored]

    run(work())


@pytest.mark.parametrize("match", [BACK, VOID, LEFT_WINS, None], ids=["back", "void", "result", "board"])
@pytest.mark.parametrize("goes_on", [False, True])
def test_a_full_disk_between_the_two_logs_takes_a_match_back_once(
    toy_game: Game, match: c.MatchRuling | None, goes_on: bool
) -> None:
    """D8: the entry comes with the next try, also if the tournament went on; a match takes nothing twice."""

    async def work() -> None:
        hall = await Hall(MemoryStore()).opened()
        command = ruling(match) if match else ruling(None, result="0-1")
        seen = await hall.preview(command)
        commits, moves = hall.tournaments.commands._commits, await hall.moves()
        durable = commits.durable

        async def full(append: Append) -> Any:
            if append.records[0].match == hall.id:
                raise StoreError("no space left on device")
            return await durable(append)

        commits.durable = full  # type: ignore[method-assign]
        with pytest.raises((Refused, StoreError)):
            await hall.tournaments.rule(hall.id, command, DIRECTOR, seen.entry, preview=seen.sha256)
        commits.durable = durable  # type: ignore[method-assign]
        after = await hall.moves()
        assert after > moves
        hall.restart()
        if goes_on:
            await hall.do(c.Appoint(person="fay", office="arbiter"))
            assert await hall.rule(command, expect=seen.entry, preview=seen.sha256) == "stale"
            assert await hall.rule(command) == ""
        else:
            assert await hall.rule(command, expect=seen.entry, preview=seen.sha256) == ""
        assert await hall.moves() == after
        assert (await hall.last()).move == moves + 1
        if match is BACK:  # the same ruling once more is another one
            await hall.answer()
            assert await hall.rule(command) == ""
            assert (await hall.last()).move == after + 2

    run(work())


def test_the_house_enters_a_ruling_whose_entry_was_lost_once_the_match_is_over(toy_game: Game) -> None:
    """D8: an official who does not try again leaves no ruling in the match alone."""

    async def work() -> None:
        hall = await Hall(MemoryStore()).opened()
        match, moves, entry = (await hall.board()).match, await hall.moves(), (await hall.log()).entry
        reason = f"tournament {hall.id}, entry {entry + 1}: a wrong die"
        await hall.gate.rule(match, "dora", reason, back_to=3, by_tournament=True)  # and the house died
        hall.restart()
        await hall.follower.tick(everything=True)
        assert (await hall.log()).entry == entry  # the official may still send it again
        await hall.gate.resign(match, seat="left")
        for _ in range(2):
            await hall.follower.tick(everything=True)
        kinds = [record.kind for record in (await hall.log()).records[entry:]]
        assert kinds == ["ruled", "result_recorded", "confirmed"]
        ruled = (await hall.log()).records[entry].entry
        assert (ruled.by, ruled.match, ruled.move, ruled.back_to) == ("", match, moves + 1, 3)
        assert ruled.text == "a wrong die"

    run(work())


def test_two_officials_who_rule_at_once_rule_once(toy_game: Game) -> None:
    async def work() -> None:
        hall = await Hall(MemoryStore()).opened()
        entry, moves = (await hall.log()).entry, await hall.moves()

        async def by(actor: Actor, match: c.MatchRuling) -> str:
            try:
                await hall.tournaments.rule(hall.id, ruling(match), actor, entry)
            except Refused as error:
                return error.kind
            return ""

        told = await asyncio.gather(by(DIRECTOR, BACK), by(Actor("emil", "player"), VOID))
        assert sorted(told) == ["", "stale"]
        assert (await hall.log()).entry == entry + 1
        assert (await hall.moves()) - moves in (2, 3)  # taken back; or ruled, opened and closed

    run(work())


def test_a_ruling_on_the_match_of_a_closed_round_needs_its_preview(toy_game: Game) -> None:
    """OA21."""

    async def work() -> None:
        hall = await Hall(MemoryStore()).opened()
        adjourned = c.BoardPolicy(board=1, policy="adjourn")
        await hall.do(c.CloseRound(round=1, boards=(adjourned,)))
        assert await hall.rule(ruling(BACK)) == "preview"
        assert await hall.rule(ruling(BACK), preview="0" * 64) == "preview"
        seen = await hall.preview(ruling(BACK))
        assert await hall.rule(ruling(BACK), preview=seen.sha256) == ""

    run(work())


def test_an_entrant_objects_to_a_match_that_was_taken_back(toy_game: Game) -> None:
    async def work() -> None:
        hall = await Hall(MemoryStore()).opened()
        await hall.rule(ruling(BACK))
        entry = (await hall.last()).entry
        await hall.do(c.CallArbiter(text="why?", ruling=entry), Actor("q1", "player"))
        call = (await hall.log()).entry
        assert await hall.refused(c.AnswerCall(call=call, text="so")) == "interest"  # another one answers
        assert await hall.refused(c.AnswerCall(call=call, text="so"), Actor("emil", "player")) == ""

    run(work())
