"""Officials who play: what they may not decide, and who answers an objection to a ruling (section 12)."""

from __future__ import annotations

from msgspec import Struct

from domain.kernel import Refused
from domain.tournaments import commands as c
from domain.tournaments.events import Result
from domain.tournaments.judging import Actor
from domain.tournaments.terms import League, Terms
from tests.domain.tournaments.hall import Hall
from tests.domain.tournaments.random_play import ADMIN, DIRECTOR

TERMS = Terms(game="cia_vs_kgb", format="round_robin", rounds=3)
LEAGUE = Terms(game="cia_vs_kgb", format="league", rounds=3, league=League(divisions=(4, 4), up=1, down=1))


def player(number: int) -> Actor:
    return Actor(f"q{number}", "player")


def tried(hall: Hall, command: Struct, actor: Actor) -> str:
    """The id by which a command is refused, "" if it is carried out."""
    try:
        hall.do(command, actor)
    except Refused as error:
        return error.id
    return ""


def playing(terms: Terms, entrants: int, arbiter: int = 0) -> Hall:
    """A hall whose first round is published; one of the players is an arbiter."""
    hall = Hall(terms, entrants)
    if arbiter:
        hall.do(c.Appoint(person=f"q{arbiter}", office="arbiter"))
    hall.pair()
    return hall


def board_of(hall: Hall, number: int) -> int:
    board = hall.s.rounds[0].board_of(f"n{number}")
    assert board is not None
    return board.number


def other_at(hall: Hall, number: int) -> int:
    board = hall.s.rounds[0].board_of(f"n{number}")
    assert board is not None
    return int(next(name for name in board.entrants if name != f"n{number}")[1:])


def rule(board: int, result: Result = "1-0") -> c.Rule:
    return c.Rule(round=1, board=board, result=result, reason="agreed", text="so it was")


def called(hall: Hall, number: int, *, about: int | None = None, ruling: int | None = None) -> int:
    """An entrant calls the arbiter about their board, or objects to a ruling; the entry of the call."""
    place = None if ruling else 1
    hall.do(c.CallArbiter(text="please look", round=place, board=about, ruling=ruling), player(number))
    return hall.log.entry


def wins(hall: Hall, number: int) -> None:
    """An entrant wins the first round by a ruling: no other entrant has points."""
    board = hall.s.rounds[0].board_of(f"n{number}")
    assert board is not None
    hall.rule(board.number, "1-0" if board.w == f"n{number}" else "0-1")


def test_an_arbiter_answers_no_call_about_a_board_on_which_they_play() -> None:
    hall = playing(TERMS, 4, arbiter=2)
    opponent = other_at(hall, 2)
    own = called(hall, opponent, about=board_of(hall, 2))
    refused = c.AnswerCall(call=own, text="no", outcome="refused")
    assert tried(hall, refused, player(2)) == "own-board"
    assert tried(hall, refused, DIRECTOR) == ""
    other = next(number for number in range(1, 5) if number not in (2, opponent))
    near = c.AnswerCall(call=called(hall, other, about=board_of(hall, other)), text="no")
    assert tried(hall, near, player(2)) == "own-score-group"
    wins(hall, 2)
    assert tried(hall, near, player(2)) == ""


def test_an_arbiter_answers_no_objection_about_a_board_on_which_they_play() -> None:
    hall = playing(TERMS, 4, arbiter=2)
    hall.do(rule(board_of(hall, 2)))
    objection = called(hall, other_at(hall, 2), ruling=hall.log.entry)
    assert tried(hall, c.AnswerCall(call=objection, text="no"), player(2)) == "own-board"


def test_an_arbiter_penalises_no_opponent_and_no_one_near() -> None:
    hall = playing(TERMS, 4, arbiter=2)
    opponent = other_at(hall, 2)
    others = [number for number in range(1, 5) if number not in (2, opponent)]

    def expulsion(number: int) -> c.Penalise:
        return c.Penalise(entrant=f"n{number}", penalty="expulsion", text="conduct")

    assert tried(hall, expulsion(2), player(2)) == "own-penalty"
    assert tried(hall, expulsion(opponent), player(2)) == "own-opponent"
    assert tried(hall, expulsion(others[0]), player(2)) == "own-score-group"
    wins(hall, 2)
    assert tried(hall, expulsion(others[0]), player(2)) == ""


def test_an_arbiter_decides_nothing_in_their_own_division() -> None:
    hall = playing(LEAGUE, 8, arbiter=1)
    one = next(had for had in hall.s.rounds[0].boards if had.w == "n1" or had.b == "n1")
    wins(hall, 1)  # so no entrant of their division has their score
    number = next(number for number in range(2, 5) if f"n{number}" not in one.entrants)
    assert tried(hall, rule(board_of(hall, number)), player(1)) == "own-division"
    warning = c.Penalise(entrant=f"n{number}", penalty="warning", text="late")
    assert tried(hall, warning, player(1)) == "own-division"
    assert tried(hall, rule(board_of(hall, 5)), player(1)) == ""


def test_an_objection_is_not_answered_by_who_made_that_ruling_though_they_ruled_again() -> None:
    hall = playing(TERMS, 4)
    hall.do(c.Appoint(person="pa", office="arbiter"))
    hall.do(rule(1, "1-0"))
    objection = c.AnswerCall(call=called(hall, 1, ruling=hall.log.entry), text="it stands")
    hall.do(rule(1, "0-1"))
    assert tried(hall, objection, DIRECTOR) == "own-ruling"
    assert tried(hall, objection, Actor("pa", "player")) == ""


def test_the_one_who_ruled_answers_if_no_other_official_may() -> None:
    hall = playing(TERMS, 4, arbiter=1)
    hall.do(rule(board_of(hall, 1)))
    objection = c.AnswerCall(call=called(hall, 1, ruling=hall.log.entry), text="it stands")
    assert tried(hall, objection, player(1)) == "own-call"
    assert tried(hall, objection, DIRECTOR) == ""


def test_an_administrator_answers_as_one() -> None:
    hall = playing(TERMS, 4)
    hall.do(rule(1))
    objection = c.AnswerCall(call=called(hall, 1, ruling=hall.log.entry), text="it stands")
    assert tried(hall, objection, ADMIN) == ""
