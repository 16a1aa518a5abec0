"""The rules about arbiters and the end: calls, rulings, penalties, lots, publication."""

from __future__ import annotations

from domain.kernel import Refused
from domain.log import b64
from domain.tournaments import commands as c
from domain.tournaments import events as e
from domain.tournaments.judging import (
    Actor,
    Given,
    board_in,
    board_of_call,
    entrant_for,
    entrant_in,
    must_be_director,
    must_be_house,
    must_be_official,
    must_go_on,
    must_not_be_interested,
    must_not_be_near,
    on,
    round_in,
)
from domain.tournaments.log import New
from domain.tournaments.measures import running_boards
from domain.tournaments.reported import must_be_result
from domain.tournaments.rounds import must_be_done
from domain.tournaments.sides import new_lot
from domain.tournaments.state import Board, Call, Entrant, Tournament
from domain.tournaments.terms import must_be_plain

MOST_CALLS = 5  # of one entrant that stand at once


@on(c.CallArbiter)
def call_arbiter(s: Tournament, command: c.CallArbiter, actor: Actor, given: Given) -> list[New]:
    """An entrant calls the arbiter, about a board or a ruling or without naming one.

    They may give the root that they kept of the match on their own board.
    """
    must_go_on(s)
    must_be_plain({"text": command.text})
    one = entrant_for(s, None, actor)
    if command.round is not None:
        about = round_in(s, command.round)
        if command.board is not None:
            _must_hold(one, command, board_in(about, command.board))
    elif command.board is not None:
        raise Refused("invalid", "board-without-round")
    if (command.held_move is None) != (command.held_root is None) or (
        command.held_root is not None and command.board is None
    ):
        raise Refused("invalid", "held-root-with-board")
    rulings = {entry for had in s.rounds for board in had.boards for entry in board.ruled_by}
    if command.ruling is not None and command.ruling not in rulings:
        raise Refused("not-found", "no-such-ruling", {"entry": command.ruling})
    if sum(call.entrant == one.id for call in s.standing_calls) >= MOST_CALLS:
        raise Refused("no-place", "calls-enough", {"most": MOST_CALLS})
    fields = {
        "entrant": one.id,
        "round": command.round or 0,
        "board": command.board or 0,
        "ruling": command.ruling or 0,
        "held_move": command.held_move or 0,
        "held_root": command.held_root or "",
    }
    text = e.Sealed(command.text)
    return [New(e.ArbiterCalled, fields, {e.OFFICIALS: text, f"{e.PARTY}{one.id}": text}, one.id)]


def _must_hold(one: Entrant, command: c.CallArbiter, board: Board) -> None:
    """Check that a root is given by a player of the match.  Raises Refused: interest, not-found."""
    if command.held_root is None:
        return
    if one.id not in (board.w, board.b):
        raise Refused("interest", "held-root-of-others")
    if not board.opened:
        raise Refused("not-found", "no-match-of-this-tournament")


@on(c.AnswerCall)
def answer_call(s: Tournament, command: c.AnswerCall, actor: Actor, given: Given) -> list[New]:
    """An official answers a call; another official answers an objection to a ruling, if there is one."""
    must_be_official(s, actor)
    must_be_plain({"text": command.text})
    must_go_on(s)
    call = s.calls.get(command.call)
    if call is None:
        raise Refused("not-found", "no-such-call", {"entry": command.call})
    if call.answer:
        raise Refused("late", "answered-already", {"entry": command.call})
    _must_be_neutral(s, call, actor)
    _must_be_another(s, call, actor)
    text = e.Sealed(command.text)
    fields = {"call": call.entry, "outcome": command.outcome}
    sealed = {e.OFFICIALS: text, f"{e.PARTY}{call.entrant}": text}
    return [New(e.ArbiterAnswered, fields, sealed, call.entrant)]


def _must_be_neutral(s: Tournament, call: Call, actor: Actor) -> None:
    """Check that an official did not make a call, and may judge the board that it is about.

    Raises:
        Refused: interest.
    """
    if s.entrants[call.entrant].player == actor.person:
        raise Refused("interest", "own-call")
    if about := board_of_call(s, call):
        must_not_be_interested(s, *about, actor)


def _must_be_another(s: Tournament, call: Call, actor: Actor) -> None:
    """Check that an objection is not answered by who made the ruling, if another official may answer it.

    Raises:
        Refused: interest.
    """
    ruled = s.rulings.get(call.ruling)
    if ruled is None or ruled.by != actor.person:
        return
    if any(person != actor.person and _is_neutral(s, call, person) for person in s.offices):
        raise Refused("interest", "own-ruling")


def _is_neutral(s: Tournament, call: Call, person: str) -> bool:
    try:
        _must_be_neutral(s, call, Actor(person, ""))
    except Refused:
        return False
    return True


@on(c.Rule)
def rule(s: Tournament, command: c.Rule, actor: Actor, given: Given) -> list[New]:
    """An official decides the result of a board, or rules on its match.

    A result may be ruled after the tournament was published, too.  A match that is taken back or void gives
    its board no result.
    """
    must_be_official(s, actor)
    texts = {"text": command.text, "rule": command.rule, "note": command.note}
    must_be_plain({**texts, "statement": command.statement})
    one = round_in(s, command.round)
    board = board_in(one, command.board)
    if one.status == "paired":
        raise Refused("unfinished", "round-not-published", {"round": one.number})
    if s.ended == "cancelled":
        must_go_on(s)
    must_not_be_interested(s, one, board, actor)
    _must_rule_once(s, command, board, given)
    file = given.file if command.file else None
    if (command.file or command.statement) and not command.reported:
        raise Refused("invalid", "only-reported")
    if command.file and (file is None or file.sha256 != command.file):
        raise Refused("not-found", "no-such-reported-file")
    if file is not None:
        must_be_result(s, one, board, file, command.result or "")
    on_match = command.match
    fields = {
        "round": one.number,
        "board": board.number,
        "result": given.match_result if on_match else command.result,
        "reason": command.reason,
        "rule": command.rule,
        "text": command.text,
        "move": given.moved,
        "reported": command.reported,
        "match": board.match if given.moved else "",
        "back_to": (on_match.back_to or 0) if on_match else 0,
        "void": on_match.void if on_match else False,
        "statement": command.statement,
        "file": file.sha256 if file else "",
        "file_match": file.ended.match if file else "",
        "file_root": file.ended.root if file else "",
    }
    return [New(e.Ruled, fields, {e.OFFICIALS: e.Sealed(command.note)} if command.note else {})]


def _must_rule_once(s: Tournament, command: c.Rule, board: Board, given: Given) -> None:
    """Check that a ruling is one: on the result of a board, or on its match, which runs.

    Raises:
        Refused: invalid, late, not-found, over.
    """
    if (command.result is None) == (command.match is None) or (command.match and command.reported):
        raise Refused("invalid", "board-or-match")
    if command.match is None:
        return
    must_go_on(s)
    if not board.opened:
        raise Refused("not-found", "no-match-of-this-tournament")
    if not given.moved:
        raise Refused("over", "match-over")


@on(c.EnterRuling)
def enter_ruling(s: Tournament, command: c.EnterRuling, actor: Actor, given: Given) -> list[New]:
    """The house enters a ruling that a match took, and whose entry was lost in a crash."""
    must_be_house(actor)
    board = board_in(round_in(s, command.round), command.board)
    if s.ended or command.move in s.moves_ruled(command.round, command.board):
        return []
    about = {name: getattr(command, name) for name in ("round", "board", "move", "back_to", "text")}
    return [New(e.Ruled, about | {"reason": "other", "match": board.match})]


@on(c.ConfirmStatement)
def confirm_statement(s: Tournament, command: c.ConfirmStatement, actor: Actor, given: Given) -> list[New]:
    """An entrant confirms the statement of the latest ruling on their board; nothing is added twice."""
    must_go_on(s)
    own, ruled = entrant_for(s, None, actor), s.rulings.get(command.ruling)
    if ruled is None:
        raise Refused("not-found", "no-such-ruling", {"entry": command.ruling})
    board = board_in(round_in(s, ruled.round), ruled.board)
    if own.id not in board.entrants:
        raise Refused("interest", "statement-of-others")
    if board.ruling is None or board.ruling.entry != command.ruling:
        raise Refused("late", "ruled-again")
    if not board.ruling.statement:
        raise Refused("not-found", "no-statement", {"entry": command.ruling})
    if own.id in board.ruling.agreed:
        return []
    about = {"round": ruled.round, "board": ruled.board, "means": "players"}
    return [New(e.Confirmed, {**about, "ruling": command.ruling, "entrant": own.id})]


@on(c.Penalise)
def penalise(s: Tournament, command: c.Penalise, actor: Actor, given: Given) -> list[New]:
    """An official penalises an entrant."""
    must_be_official(s, actor)
    must_go_on(s)
    must_be_plain({"text": command.text, "rule": command.rule})
    one = entrant_in(s, command.entrant)
    if actor.person in (one.player, *one.players):
        raise Refused("interest", "own-penalty")
    _must_not_have_met(s, one, actor)
    if (command.penalty in ("points", "time")) != bool(command.amount):
        raise Refused("invalid", "penalty-amount", {"penalty": command.penalty})
    if command.penalty == "points" and command.amount > 40:
        raise Refused("invalid", "penalty-points")
    if command.penalty == "time" and not s.terms.clock:
        raise Refused("clock", "no-clock")
    if command.penalty == "time" and not running_boards(s, one.id):
        raise Refused("boards", "no-running-match", {"entrant": one.id})
    fields = {
        "entrant": one.id,
        "penalty": command.penalty,
        "amount": command.amount,
        "rule": command.rule,
        "text": command.text,
    }
    return [New(e.Penalised, fields)]


def _must_not_have_met(s: Tournament, one: Entrant, actor: Actor) -> None:
    """Check that an official is no opponent of an entrant, and not near them.  Raises Refused: interest."""
    own = s.entrant_of(actor.person)
    met = own is not None and any(
        own.id in board.entrants for had in s.rounds for board in had.boards_of(one.id)
    )
    if met:
        raise Refused("interest", "own-opponent")
    must_not_be_near(s, (one.id,), actor)


@on(c.DrawLot)
def draw_lot(s: Tournament, command: c.DrawLot, actor: Actor, given: Given) -> list[New]:
    """An official has a lot drawn; each label once.  Its key is opened with it, for checking."""
    must_be_official(s, actor)
    must_go_on(s)
    return [new_lot(s, command.label, command.n, given)]


@on(c.Publish)
def publish(s: Tournament, command: c.Publish, actor: Actor, given: Given) -> list[New]:
    """The director publishes the standings; the final ones open the secret.  A late ruling republishes."""
    must_be_director(s, actor)
    must_be_plain({"note": command.note})
    if s.ended == "cancelled":
        must_go_on(s)
    if not s.rounds:
        raise Refused("unfinished", "nothing-to-publish")
    if command.final:
        if s.status not in ("finished", "published"):
            raise Refused("unfinished", "rounds-left", {"round": len(s.rounds), "rounds": s.last_round})
        must_be_done(s, s.rounds[-1])
    fields = {
        "at_entry": s.entry,
        "standings_sha256": given.standings_sha256,
        "bundle_sha256": given.bundle_sha256,
        "note": command.note,
        "final": command.final,
        "secret": b64(given.secret.bytes) if command.final and not s.ended else "",
    }
    return [New(e.Published, fields)]


@on(c.Cancel)
def cancel(s: Tournament, command: c.Cancel, actor: Actor, given: Given) -> list[New]:
    """The director ends the tournament before its end."""
    must_be_director(s, actor)
    must_go_on(s)
    must_be_plain({"reason": command.reason})
    return [New(e.Cancelled, {"reason": command.reason})]
