"""Ratings after rulings of a tournament: exactly those change that follow from it (OA32)."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest

from api.gate.tournament_previews import Preview, previewed
from domain.game import Game
from domain.kernel import Seat
from domain.log import Record
from domain.tournaments import commands as c
from domain.tournaments.events import Result
from domain.tournaments.state import Board
from domain.tournaments.terms import League, Terms
from projections import read
from projections.boards import BOARDS, BoardResult, StandingRow
from projections.file import connect
from projections.ratings import BEGINNER, RatedAs, RatedMatch, RatingChange, RatingRow, Skill, rated
from replay.tournaments.results import standings_of
from tests.api.gate.memory import MemoryStore
from tests.api.gate.tables import run
from tests.api.gate.tournaments import DIRECTOR, Cup
from tests.projections.support import MemoryRows, caught_up, folded, items

Played = tuple[dict[Seat, str], Seat | None, bool]
"""A match: who played which seat, who won, and whether it counts."""


async def two_rounds() -> Cup:
    """Eight entrants, of whom each has played two matches."""
    cup = await Cup(MemoryStore()).announced(8)
    for _ in range(2):
        await cup.paired()
        await cup.results()
        await cup.closed()
    return cup


def stored(cup: Cup) -> list[Record]:
    """All that the store holds, in its order."""
    return [one.record for one in cup.store.after(0, 10_000)]


async def ruled(cup: Cup, round_number: int, board: int, result: Result) -> Preview:
    """Rule on a board of a closed round; gives the preview of it."""
    command = c.Rule(round=round_number, board=board, result=result, reason="other", text="as it was")
    entry = (await cup.log()).entry
    seen = await previewed(cup.tournaments, cup.id, command, DIRECTOR, entry)
    await cup.tournaments.rule(cup.id, command, DIRECTOR, entry, preview=seen.sha256)
    return seen


def computed(matches: list[Played]) -> dict[str, Skill]:
    """The skills after these matches, one after the other, from nothing."""
    skills: dict[str, Skill] = {}
    for players, winner, counts in matches:
        before = {seat: skills.get(player, BEGINNER) for seat, player in players.items()}
        after = rated(before, winner) if counts else before
        skills |= {player: after[seat] for seat, player in players.items()}
    return skills


def skills_of(rows: MemoryRows) -> dict[str, Skill | None]:
    return {row.player: row.skill for row in rows.all(StandingRow)}


def other(board: Board) -> Result:
    return "0-1" if board.result == "1-0" else "1-0"


def seat_won(s: Any, board: Board, result: str) -> Seat | None:
    winner = {"1-0": board.w, "+-": board.w, "0-1": board.b, "-+": board.b}.get(result)
    assert board.outcome is not None
    return next((seat for seat, name in board.outcome.sides.items() if name == winner), None)


@pytest.mark.parametrize("results", [("other",), ("½",), ("--",), ("--", "other"), ("other", "as before")])
def test_a_ruling_changes_exactly_the_ratings_that_follow_from_it(
    toy_game: Game, results: tuple[str, ...]
) -> None:
    async def work() -> tuple[Cup, list[Record], Board]:
        cup = await two_rounds()
        before, board = stored(cup), (await cup.state()).rounds[0].boards[0]
        for result in results:
            wanted = {"other": other(board), "as before": board.result}.get(result, result)
            await ruled(cup, 1, 1, wanted)  # type: ignore[arg-type]
        return cup, before, (await cup.state()).rounds[0].boards[0]

    cup, records, board = run(work())
    old, new = folded(BOARDS, items(records)), folded(BOARDS, items(stored(cup)))
    ledger = sorted(old.all(RatedMatch), key=lambda one: one.closed)
    assert len(ledger) == 8
    s = run(cup.state())

    # the same, computed from nothing: the corrected result stands where the match was rated
    counts = board.result != "--"
    corrected: list[Played] = [
        (one.players, seat_won(s, board, board.result), counts)
        if one.match == board.match
        else (one.players, one.winner, True)
        for one in ledger
    ]
    assert skills_of(old) == computed([(one.players, one.winner, True) for one in ledger])
    assert skills_of(new) == computed(corrected)

    # no other player's rating, no other line
    met = {player for one in ledger if one.match == board.match for player in one.players.values()}
    touched, at = set(met), next(one.closed for one in ledger if one.match == board.match)
    for one in ledger:
        if one.closed > at and touched & set(one.players.values()):
            touched |= set(one.players.values())
    changed = {name for name, skill in skills_of(new).items() if skill != skills_of(old)[name]}
    assert changed == (set() if results[-1] == "as before" else touched)
    assert len(touched) < 8
    lines = {(row.match, row.player) for row in new.all(RatingRow)} ^ {
        (row.match, row.player) for row in old.all(RatingRow)
    }
    assert not lines
    for row in new.all(StandingRow):
        assert row.skill is not None
        assert (row.rating, row.played) == (row.skill.shown, 2)


def test_many_rulings_in_any_order_come_to_the_same_as_matches_that_ended_so(toy_game: Game) -> None:
    async def work() -> Cup:
        cup, random = await two_rounds(), Random(7)
        places = [(number, board) for number in (1, 2) for board in (1, 2, 3, 4)] * 2
        random.shuffle(places)
        for number, board in places:
            await ruled(cup, number, board, random.choice(("1-0", "0-1", "½", "+-", "--", "0-0")))
        return cup

    cup = run(work())
    rows, s = folded(BOARDS, items(stored(cup))), run(cup.state())
    boards = {board.match: board for one in s.rounds for board in one.boards}
    ledger = sorted(rows.all(RatedMatch), key=lambda one: one.closed)
    ended: list[Played] = [
        (
            one.players,
            seat_won(s, boards[one.match], boards[one.match].result),
            boards[one.match].result not in ("--", "0-0"),
        )
        for one in ledger
    ]
    assert skills_of(rows) == computed(ended)
    for one in ledger:
        shown = {row.player: (row.before, row.after) for row in rows.all(RatingRow) if row.match == one.match}
        assert shown == {
            one.players[seat]: (one.before[seat].shown, skill.shown) for seat, skill in one.after.items()
        }


def test_a_ruling_that_comes_before_its_result_is_recorded_counts_once_it_is(toy_game: Game) -> None:
    async def work() -> Cup:
        cup = await Cup(MemoryStore()).announced(2)
        await cup.paired()
        board = (await cup.state()).rounds[0].boards[0]
        await cup.ended(board.match, Random(1))  # and the follower has not looked yet
        command = c.Rule(round=1, board=1, result="½", reason="agreed", text="as agreed")
        await cup.tournaments.rule(cup.id, command, DIRECTOR, (await cup.log()).entry)
        return cup

    cup = run(work())
    assert {one.winner for one in folded(BOARDS, items(stored(cup))).all(RatedMatch)} != {None}
    run(cup.follower.tick(everything=True))
    rows = folded(BOARDS, items(stored(cup)))
    assert [one.winner for one in rows.all(RatedMatch)] == [None]
    assert [row.ruled for row in rows.all(BoardResult)] == ["½"]
    first, second = skills_of(rows).values()
    assert first == second


def check_league(divisions: int, size: int, path: Path) -> None:
    """Play a league in which the better seed wins, correct one result, and compare what changes (OA32)."""

    async def rating_changes(asked: RatedAs) -> tuple[RatingChange, ...]:
        caught_up(items(stored(cup)), path, projections=(BOARDS,))
        with closing(connect(path)) as reader:
            return read.rating_changes(reader, asked)

    async def work() -> tuple[Preview, list[Record], set[str]]:
        await cup.announced(divisions * size)
        while (await cup.state()).status != "finished":
            await cup.paired()
            s = await cup.state()
            for board in s.rounds[-1].boards:
                await cup.sit(board.match)
                loser = max(board.entrants, key=lambda name: int(name[1:]))
                await cup.gate.resign(board.match, player=s.entrants[loser].player)
            await cup.follower.tick(everything=True)
            await cup.closed()
        s, before = await cup.state(), stored(cup)
        rows = {one.entrant: one for one in standings_of(s).places}
        number, board = next(
            (one.number, board)
            for one in s.rounds
            for board in one.boards
            if {*board.entrants} == {f"n{size + 2}", f"n{size + 3}"}
        )
        cup.tournaments.rating_changes = rating_changes
        seen = await ruled(cup, number, board.number, other(board))
        after = {one.entrant: one for one in standings_of(await cup.state()).places}
        return seen, before, {name for name in rows if rows[name] != after[name]}

    league = League((size,) * divisions, 2, 2)
    terms = Terms(
        game="toy", format="league", rounds=40, league=league, tie_breaks=(), most_entrants=divisions * size
    )
    cup = Cup(MemoryStore(), terms)
    seen, records, moved = run(work())
    assert {one.entrant for one in seen.standings} == moved == {f"n{size + 2}", f"n{size + 3}"}
    assert seen.going_on is not None
    gone = {one.entrant for one in seen.going_on.before} ^ {one.entrant for one in seen.going_on.after}
    assert gone == moved
    old, new = (folded(BOARDS, items(some)) for some in (records, stored(cup)))
    ratings = {
        row.player: (row.rating, there.rating)
        for row, there in zip(old.all(StandingRow), new.all(StandingRow), strict=True)
        if row.rating != there.rating
    }
    assert {one.player: (one.before, one.after) for one in seen.ratings} == ratings
    assert 2 <= len(ratings) <= size  # no player of another division
    board_players = {f"q{int(name[1:])}" for name in moved}
    assert board_players <= set(ratings)


def test_a_corrected_result_of_a_small_league_changes_the_listed_rows_and_ratings(
    toy_game: Game, tmp_path: Path
) -> None:
    check_league(2, 5, tmp_path / "read-models")


@pytest.mark.long
def test_a_corrected_result_of_eight_divisions_of_twelve_changes_the_listed_rows_and_ratings(
    toy_game: Game, tmp_path: Path
) -> None:
    check_league(8, 12, tmp_path / "read-models")
