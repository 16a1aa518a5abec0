"""The rules about measures: freezing matches, extending, pausing clocks, and reading what is hidden."""

from __future__ import annotations

from typing import Any

from domain.clocks import DAY, MOST_LEFT
from domain.kernel import Refused
from domain.tournaments import commands as c
from domain.tournaments import events as e
from domain.tournaments.judging import (
    Actor,
    Given,
    board_in,
    board_of_call,
    must_be_house,
    must_be_official,
    must_go_on,
    must_not_be_interested,
    on,
    role_of,
    round_in,
)
from domain.tournaments.log import New
from domain.tournaments.state import Board, Round, Tournament
from domain.tournaments.terms import AFTER_MATCH, must_be_plain

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


def running_boards(s: Tournament, entrant: str) -> list[Board]:
    """Return the boards of an entrant whose matches are open and have no result yet."""
    return [board for one in s.rounds for board in one.boards_of(entrant) if _runs(board)]


def _runs(board: Board) -> bool:
    return bool(board.opened and not board.outcome and not board.ruling)


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
    """An official gives boards more time: no forfeit for absence falls before it is over.

    The house moves the dates of the clocks (`api.gate.tournament_clocks`).
    """
    one = _of_round(s, command, actor)
    if command.until <= max(given.now or 0, one.until or 0):
        raise Refused("window", "extended-to-no-later")
    _must_be_near(command.until, given)
    fields = {"round": one.number, "until": command.until, "reason": command.reason}
    return [New(e.Extended, fields | {"boards": command.boards})]


@on(c.Adjourn)
def adjourn(s: Tournament, command: c.Adjourn, actor: Actor, given: Given) -> list[New]:
    """An official adjourns boards that run: clocks stand, and no forfeit for absence falls meanwhile."""
    one = _of_round(s, command, actor)
    if command.until <= (given.now or 0):
        raise Refused("window", "adjourned-to-the-past")
    _must_be_near(command.until, given)
    named = [board_in(one, number) for number in command.boards] or list(one.boards)
    boards = tuple(sorted({board.number for board in named if _runs(board)}))
    over = [str(board.number) for board in named if not _runs(board)]
    if not boards or (command.boards and over):
        raise Refused("boards", "boards-not-running", {"boards": over[:20]})
    fields = {"round": one.number, "until": command.until, "reason": command.reason}
    return [New(e.Adjourned, fields | {"boards": boards})]


def _must_be_near(until: int, given: Given) -> None:
    """Check that a time is not so late that no clock could be set to it.  Raises Refused: window."""
    if given.now is not None and until > given.now + MOST_LEFT:
        raise Refused("window", "until-too-far", {"days": MOST_LEFT // DAY})


@on(c.Reconvene)
def reconvene(s: Tournament, command: c.Reconvene, actor: Actor, given: Given) -> list[New]:
    """The house lets an adjourned board go on, once, when its time has come."""
    must_be_house(actor)
    board = board_in(round_in(s, command.round), command.board)
    if s.ended or board.adjourned is None or (given.now or 0) < board.adjourned:
        return []
    about = {"round": command.round, "boards": (board.number,), "reason": "adjourned"}
    return [New(e.Resumed, about)]


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


def _of_round(s: Tournament, command: c.Extend | c.Adjourn | c.Pause | c.Resume, actor: Actor) -> Round:
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
    """An official is about to be shown what is hidden: the entry is stored before a byte is sent.

    If terms say so, the part of it that names official, match, moves and reason is sealed until the match is
    over.  That of a sealed text never is: the texts of calls and notes show nothing of a match.
    """
    must_be_official(s, actor)
    must_be_plain({"why": command.why})
    if (command.match is None) == (command.sealed_entry is None):
        raise Refused("invalid", "read-one-thing")
    about: dict[str, Any] = {"person": actor.person, "why": command.why}
    if command.match is None:
        _must_not_be_concerned(s, command.sealed_entry or 0, actor)
        return [New(e.PrivilegedRead, about | {"sealed_entry": command.sealed_entry})]
    board_of_match(s, command.match)
    if s.took_part(actor.person):
        raise Refused("interest", "reader-plays")
    if not 1 <= command.first <= command.last < command.first + MOST_MOVES:
        raise Refused("invalid", "read-which-moves", {"most": MOST_MOVES})
    about |= {"match": command.match, "view": command.view or ALL}
    about |= {"first": command.first, "last": command.last}
    if s.terms.privileged_reads != AFTER_MATCH:
        return [New(e.PrivilegedRead, about)]
    sealed = e.Sealed(read=e.Read(role=role_of(s, actor), **about))
    return [New(e.PrivilegedRead, {}, {e.OFFICIALS: sealed}, unnamed=True)]


def _must_not_be_concerned(s: Tournament, entry: int, actor: Actor) -> None:
    """Check that an entry may have a sealed text, and that the reader may judge the board that it is about.

    It is a call, the answer to one, or a ruling.  Raises Refused: not-found, interest.
    """
    ruled = s.rulings.get(entry)
    if ruled is not None:
        one = round_in(s, ruled.round)
        must_not_be_interested(s, one, board_in(one, ruled.board), actor)
        return
    call = s.calls.get(entry) or next((one for one in s.calls.values() if one.answer == entry), None)
    if call is None:
        raise Refused("not-found", "nothing-sealed", {"entry": entry})
    if about := board_of_call(s, call):
        must_not_be_interested(s, *about, actor)
