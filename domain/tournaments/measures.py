"""The rules about measures: freezing matches, extending, pausing clocks, and reading what is hidden."""

from __future__ import annotations

from domain.kernel import Refused
from domain.tournaments import commands as c
from domain.tournaments import events as e
from domain.tournaments.judging import (
    Actor,
    Given,
    board_in,
    must_be_official,
    must_go_on,
    must_not_be_interested,
    on,
    round_in,
)
from domain.tournaments.log import New
from domain.tournaments.state import Board, Round, Tournament
from domain.tournaments.terms import must_be_plain

MOST_MOVES = (
    100_000  # of one privileged read; an answer over HTTP shows fewer (`api.http.tournament_disputes`)
)
ALL = "all"  # the view from which everything is seen


def board_of_match(s: Tournament, match: str) -> tuple[Round, Board]:
    """Return the round and the board of a match.  Raises Refused: not-found."""
    found = s.board_with(match)
    if found is None or not found[1].opened:
        raise Refused("not-found", "no-match-of-this-tournament")
    return found


@on(c.FreezeMatch)
def freeze(s: Tournament, command: c.FreezeMatch, actor: Actor, given: Given) -> list[New]:
    """An official freezes a match."""
    board = _stoppable(s, command, actor)
    if board.frozen:
        raise Refused("freeze", "frozen-already")
    return [New(e.Frozen, {"match": command.match, "reason": command.reason})]


@on(c.ReleaseMatch)
def release(s: Tournament, command: c.ReleaseMatch, actor: Actor, given: Given) -> list[New]:
    """An official lets a frozen match go on."""
    board = _stoppable(s, command, actor)
    if not board.frozen:
        raise Refused("freeze", "not-frozen")
    return [New(e.Released, {"match": command.match, "reason": command.reason})]


def _stoppable(s: Tournament, command: c.FreezeMatch | c.ReleaseMatch, actor: Actor) -> Board:
    must_be_official(s, actor)
    must_go_on(s)
    must_be_plain({"reason": command.reason})
    one, board = board_of_match(s, command.match)
    must_not_be_interested(s, one, board, actor)
    return board


@on(c.Extend)
def extend(s: Tournament, command: c.Extend, actor: Actor, given: Given) -> list[New]:
    """An official gives boards more time: no forfeit for absence falls before it is over."""
    one = _of_round(s, command, actor)
    if command.until <= max(given.now or 0, one.until or 0):
        raise Refused("window", "extended-to-no-later")
    fields = {"round": one.number, "until": command.until, "reason": command.reason}
    return [New(e.Extended, fields | {"boards": command.boards})]


@on(c.Pause)
def pause(s: Tournament, command: c.Pause, actor: Actor, given: Given) -> list[New]:
    """An official pauses the clocks of boards."""
    one = _of_round(s, command, actor)
    if not s.terms.clock:
        raise Refused("clock", "no-clock")
    about = {"round": one.number, "reason": command.reason, "boards": command.boards}
    return [New(e.Paused, about)]


@on(c.Resume)
def resume(s: Tournament, command: c.Resume, actor: Actor, given: Given) -> list[New]:
    """An official lets the clocks of boards run again."""
    one = _of_round(s, command, actor)
    about = {"round": one.number, "reason": command.reason, "boards": command.boards}
    return [New(e.Resumed, about)]


def _of_round(s: Tournament, command: c.Extend | c.Pause | c.Resume, actor: Actor) -> Round:
    must_be_official(s, actor)
    must_go_on(s)
    must_be_plain({"reason": command.reason})
    one = round_in(s, command.round)
    if one.status == "paired":
        raise Refused("unfinished", "round-not-published", {"round": one.number})
    for number in command.boards or [board.number for board in one.boards]:
        must_not_be_interested(s, one, board_in(one, number), actor)
    return one


@on(c.ReadPrivileged)
def read_privileged(s: Tournament, command: c.ReadPrivileged, actor: Actor, given: Given) -> list[New]:
    """An official is about to be shown what is hidden: the entry is stored before a byte is sent."""
    must_be_official(s, actor)
    must_be_plain({"why": command.why})
    if (command.match is None) == (command.sealed_entry is None):
        raise Refused("invalid", "read-one-thing")
    about = {"person": actor.person, "why": command.why}
    if command.match is None:
        _must_not_be_concerned(s, command.sealed_entry or 0, actor)
        return [New(e.PrivilegedRead, about | {"sealed_entry": command.sealed_entry})]
    board_of_match(s, command.match)
    if s.took_part(actor.person):
        raise Refused("interest", "reader-plays")
    if not 1 <= command.first <= command.last < command.first + MOST_MOVES:
        raise Refused("invalid", "read-which-moves", {"most": MOST_MOVES})
    about |= {"match": command.match, "view": command.view or ALL}
    return [New(e.PrivilegedRead, about | {"first": command.first, "last": command.last})]


def _must_not_be_concerned(s: Tournament, entry: int, actor: Actor) -> None:
    """Check that a sealed entry is a call or its answer, and that the reader does not play on its board."""
    call = s.calls.get(entry) or next((one for one in s.calls.values() if one.answer == entry), None)
    if call is None:
        raise Refused("not-found", "no-such-call", {"entry": entry})
    one = s.at_round(call.round)
    board = one.board(call.board) if one else None
    if one is not None and board is not None:
        must_not_be_interested(s, one, board, actor)
