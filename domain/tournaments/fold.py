"""How the state of a tournament follows from its log: one function for each kind of entry, and no rule.

An entry that was recorded never fails here.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from msgspec.structs import replace

from domain.log import unb64
from domain.tournaments import events as e
from domain.tournaments.formats.bracket import Gone
from domain.tournaments.sides import exchanged, label_of
from domain.tournaments.state import (
    BegunStage,
    Board,
    Call,
    Entrant,
    MatchRuled,
    Move,
    Outcome,
    Publication,
    Round,
    RuledBoard,
    Ruling,
    Tournament,
)
from domain.tournaments.terms import BY_LOT, with_field

T = TypeVar("T", bound=e.Entry)
Step = Callable[[Tournament, T], Tournament]
_FOLDS: dict[type[e.Entry], Step[Any]] = {}


def folded(state: Tournament | None, entries: Iterable[e.AnyEntry]) -> Tournament | None:
    """Return the state after some entries that follow `state` (None: at the beginning)."""
    for entry in entries:
        state = _first(entry) if isinstance(entry, e.Announced) else applied(state, entry)
    return state


def applied(state: Tournament | None, entry: e.AnyEntry) -> Tournament:
    """Return the state after one more entry, which is not the first one."""
    assert state is not None, "a log begins with `announced`"
    step = _FOLDS.get(type(entry))
    changed_state = step(state, entry) if step else state
    return replace(changed_state, entry=entry.entry, at=entry.at)


def match_of(tournament: str, round_number: int, board: int, random: str) -> str:
    """Return the id of a board's match: nobody can guess it before the round is paired.

    Args:
        random: the random part of the round's `paired`, base64.
    """
    text = f"match {tournament} {round_number} {board}\n".encode() + unb64(random)
    return "m" + base64.b32encode(hashlib.sha256(text).digest()[:10]).decode().lower()


def _first(entry: e.Announced) -> Tournament:
    return Tournament(
        id=entry.tournament,
        entry=entry.entry,
        title=entry.title,
        terms=entry.terms,
        opener=entry.by,
        commitment=entry.commitment,
        anchor=entry.anchor,
        at=entry.at,
        announced_at=entry.at,
        offices={entry.by: ("director",)},
        origin=entry.origin,
    )


def _on(kind: type[T]) -> Callable[[Step[T]], Step[T]]:
    def note(step: Step[T]) -> Step[T]:
        _FOLDS[kind] = step
        return step

    return note


# ── Terms and people ──


@_on(e.TermsChanged)
def _terms_changed(s: Tournament, entry: e.TermsChanged) -> Tournament:
    terms = with_field(s.terms, entry.path, entry.after)
    return replace(s, terms=terms, changes=(*s.changes, entry.entry) if s.rounds else s.changes)


@_on(e.Appointed)
def _appointed(s: Tournament, entry: e.Appointed) -> Tournament:
    held = s.offices.get(entry.person, ())
    return replace(s, offices={**s.offices, entry.person: tuple(sorted({*held, entry.office}))})


@_on(e.Dismissed)
def _dismissed(s: Tournament, entry: e.Dismissed) -> Tournament:
    rest = tuple(office for office in s.offices.get(entry.person, ()) if office != entry.office)
    others = {person: held for person, held in s.offices.items() if person != entry.person}
    return replace(s, offices=others | ({entry.person: rest} if rest else {}))


def _with(s: Tournament, one: Entrant) -> Tournament:
    return replace(s, entrants={**s.entrants, one.id: one})


def _next_round(s: Tournament) -> int:
    return len(s.rounds) + 1


@_on(e.Invited)
def _invited(s: Tournament, entry: e.Invited) -> Tournament:
    invited = Entrant(
        entry.entrant,
        entry.person,
        "invited",
        entry.rating,
        entry.rating_source,
        entry.seed_order,
        first_round=_next_round(s),
    )
    return _with(s, invited)


@_on(e.Entered)
def _entered(s: Tournament, entry: e.Entered) -> Tournament:
    known = s.entrants.get(entry.entrant)
    if known is not None:
        return _with(s, replace(known, player=entry.player, status="active", players=(entry.player,)))
    fresh = Entrant(
        entry.entrant,
        entry.player,
        "active",
        entry.rating_before,
        entry.rating_source,
        entry.seed_order,
        first_round=_next_round(s),
        players=(entry.player,),
    )
    return _with(s, fresh)


@_on(e.Waitlisted)
def _waitlisted(s: Tournament, entry: e.Waitlisted) -> Tournament:
    return _with(s, Entrant(entry.entrant, entry.player, "waiting", entry.rating_before, entry.rating_source))


@_on(e.Admitted)
def _admitted(s: Tournament, entry: e.Admitted) -> Tournament:
    one = s.entrants[entry.entrant]
    return _with(s, replace(one, status="active", players=(one.player,), first_round=_next_round(s)))


@_on(e.Seeded)
def _seeded(s: Tournament, entry: e.Seeded) -> Tournament:
    places = {name: place for place, name in enumerate(entry.order, 1)}
    return replace(
        s, entrants={name: replace(one, seed=places.get(name, one.seed)) for name, one in s.entrants.items()}
    )


@_on(e.Withdrew)
def _withdrew(s: Tournament, entry: e.Withdrew) -> Tournament:
    return _with(s, replace(s.entrants[entry.entrant], status="withdrawn", away_from=entry.from_round))


@_on(e.Returned)
def _returned(s: Tournament, entry: e.Returned) -> Tournament:
    one = s.entrants[entry.entrant]
    gone = (one.away_from or entry.from_round, entry.from_round)
    away = one.away if gone[0] == gone[1] else (*one.away, gone)
    status = "active" if one.players else "invited"
    return _with(s, replace(one, status=status, away_from=None, away=away))


@_on(e.Replaced)
def _replaced(s: Tournament, entry: e.Replaced) -> Tournament:
    one = s.entrants[entry.entrant]
    return _with(
        s, replace(one, player=entry.substitute, status="active", players=(*one.players, entry.substitute))
    )


@_on(e.ByeAsked)
def _bye_asked(s: Tournament, entry: e.ByeAsked) -> Tournament:
    one = s.entrants[entry.entrant]
    return _with(s, replace(one, byes={**one.byes, entry.round: entry.points}))


@_on(e.Penalised)
def _penalised(s: Tournament, entry: e.Penalised) -> Tournament:
    one = s.entrants[entry.entrant]
    if entry.penalty == "points":
        one = replace(one, penalty=one.penalty + entry.amount)
    elif entry.penalty == "expulsion":
        one = replace(one, status="withdrawn", away_from=one.away_from or _next_round(s), expelled=True)
    return _with(s, one)


# ── Rounds and boards ──


def _boards(s: Tournament, pairing: e.Paired, boards: Iterable[e.PairedBoard]) -> tuple[Board, ...]:
    return tuple(
        Board(
            one.board,
            one.w,
            one.b,
            match_of(s.id, pairing.round, one.board, pairing.random),
            one.floats,
            one.colour_rule,
        )
        for one in boards
    )


def _in_round(s: Tournament, number: int, one: Round) -> Tournament:
    return replace(s, rounds=(*s.rounds[: number - 1], one, *s.rounds[number:]))


def _at_board(s: Tournament, number: int, board: int, change: Callable[[Board], Board]) -> Tournament:
    one = s.rounds[number - 1]
    known = one.board(board)
    if known is None:
        return s
    boards = (*one.boards[: board - 1], change(known), *one.boards[board:])
    return _in_round(s, number, replace(one, boards=boards))


@_on(e.Paired)
def _paired(s: Tournament, entry: e.Paired) -> Tournament:
    fresh = Round(entry.round, "paired", entry, _boards(s, entry, entry.boards), entry.byes)
    return replace(s, rounds=(*s.rounds[: entry.round - 1], fresh))


@_on(e.PairingChanged)
def _pairing_changed(s: Tournament, entry: e.PairingChanged) -> Tournament:
    one = s.rounds[entry.round - 1]
    boards = _boards(s, one.pairing, entry.boards)
    return _in_round(s, entry.round, replace(one, boards=boards, byes=entry.byes, changed=entry.entry))


@_on(e.RoundPublished)
def _round_published(s: Tournament, entry: e.RoundPublished) -> Tournament:
    one, lot = s.rounds[entry.round - 1], s.lots.get(label_of(entry.round))
    boards = one.boards
    if lot is not None and s.terms.sides == BY_LOT:
        boards = tuple(replace(board, exchanged=exchanged(lot, board.number)) for board in boards)
    fresh = replace(one, status="published", boards=boards, opens_at=entry.opens_at, until=entry.until)
    return _in_round(s, entry.round, fresh)


@_on(e.BoardOpened)
def _board_opened(s: Tournament, entry: e.BoardOpened) -> Tournament:
    return _at_board(
        s, entry.round, entry.board, lambda known: replace(known, opened=entry.entry, root=entry.root)
    )


@_on(e.ResultRecorded)
def _result_recorded(s: Tournament, entry: e.ResultRecorded) -> Tournament:
    outcome = Outcome(
        entry.entry,
        entry.result,
        entry.reason,
        entry.closed_move,
        entry.root,
        entry.winner,
        entry.score,
        entry.sides,
        entry.checked,
        entry.end_turn,
        entry.house_seeded,
        entry.not_run,
    )
    return _at_board(s, entry.round, entry.board, lambda known: replace(known, outcome=outcome))


@_on(e.Confirmed)
def _confirmed(s: Tournament, entry: e.Confirmed) -> Tournament:
    if entry.ruling:
        return _at_board(s, entry.round, entry.board, lambda known: _agreed(known, entry))

    def confirmed(known: Board) -> Board:
        outcome = known.outcome
        if outcome is not None and entry.checked:
            outcome = replace(outcome, checked=entry.checked)
        return replace(known, confirmed=entry.means, outcome=outcome)

    return _at_board(s, entry.round, entry.board, confirmed)


def _agreed(board: Board, entry: e.Confirmed) -> Board:
    """A board whose ruling an entrant has confirmed; a confirmation of an earlier ruling changes nothing."""
    ruling = board.ruling
    if ruling is None or ruling.entry != entry.ruling:
        return board
    return replace(board, ruling=replace(ruling, agreed=(*ruling.agreed, entry.entrant)))


@_on(e.Ruled)
def _ruled(s: Tournament, entry: e.Ruled) -> Tournament:
    made = RuledBoard(entry.round, entry.board, entry.by, entry.move)
    s = replace(s, rulings={**s.rulings, entry.entry: made})
    if not entry.result:
        on_match = MatchRuled(entry.entry, entry.by, entry.reason, entry.move, entry.back_to)
        return _at_board(s, entry.round, entry.board, lambda known: replace(known, match_ruled=on_match))
    ruling = Ruling(
        entry.entry,
        entry.by,
        entry.result,
        entry.reason,
        entry.reported,
        entry.unrated,
        entry.statement,
        entry.file,
        entry.file_match,
        entry.file_root,
    )
    return _at_board(s, entry.round, entry.board, lambda known: replace(known, ruling=ruling))


@_on(e.RoundClosed)
def _round_closed(s: Tournament, entry: e.RoundClosed) -> Tournament:
    policies = {one.board: one for one in entry.unfinished}
    one = s.rounds[entry.round - 1]
    boards = tuple(replace(known, policy=policies.get(known.number)) for known in one.boards)
    return _in_round(s, entry.round, replace(one, status="closed", boards=boards, closed_by=entry.by))


@_on(e.RoundReopened)
def _round_reopened(s: Tournament, entry: e.RoundReopened) -> Tournament:
    one = s.rounds[entry.round - 1]
    boards = tuple(replace(known, policy=None) for known in one.boards)
    return _in_round(s, entry.round, replace(one, status="published", boards=boards))


@_on(e.Extended)
def _extended(s: Tournament, entry: e.Extended) -> Tournament:
    s = _on_boards(s, entry.round, entry.boards, extended=entry.until)
    if entry.boards:
        return s
    return _in_round(s, entry.round, replace(s.rounds[entry.round - 1], until=entry.until))


def _on_boards(s: Tournament, number: int, named: tuple[int, ...], **values: int | None) -> Tournament:
    """Some boards of a round (none named: all) with other values."""
    one = s.rounds[number - 1]
    boards = tuple(
        replace(board, **values) if not named or board.number in named else board for board in one.boards
    )
    return _in_round(s, number, replace(one, boards=boards))


@_on(e.Adjourned)
def _adjourned(s: Tournament, entry: e.Adjourned) -> Tournament:
    clocks = bool(s.terms.clock)
    return _on_boards(s, entry.round, entry.boards, adjourned=entry.until, paused=clocks)


@_on(e.Paused)
def _paused(s: Tournament, entry: e.Paused) -> Tournament:
    return _on_boards(s, entry.round, entry.boards, paused=True)


@_on(e.Resumed)
def _resumed(s: Tournament, entry: e.Resumed) -> Tournament:
    return _on_boards(s, entry.round, entry.boards, paused=False, adjourned=None)


@_on(e.Frozen)
def _frozen(s: Tournament, entry: e.Frozen) -> Tournament:
    return _with_frozen(s, entry.match, frozen=True)


@_on(e.Released)
def _released(s: Tournament, entry: e.Released) -> Tournament:
    return _with_frozen(s, entry.match, frozen=False)


def _with_frozen(s: Tournament, match: str, *, frozen: bool) -> Tournament:
    found = s.board_with(match)
    if found is None:  # an entry of a version that knew more
        return s
    one, board = found
    return _on_boards(s, one.number, (board.number,), frozen=frozen)


# ── Who goes on ──


@_on(e.Qualified)
def _qualified(s: Tournament, entry: e.Qualified) -> Tournament:
    following = len(s.rounds) + (1 if s.round is None or s.round.status != "paired" else 0)
    match entry.to.split("/"):
        case ["stage", number] if int(number) > len(s.begun) + 1:
            penalties = {name: one.penalty for name, one in s.entrants.items()}
            begun = (*s.begun, BegunStage(following, (entry.entrant,), penalties))
            return replace(s, begun=begun, stage=len(begun) + 1)
        case ["stage", _]:
            last = s.begun[-1]
            grown = replace(last, entrants=(*last.entrants, entry.entrant))
            return replace(s, begun=(*s.begun[:-1], grown))
    return replace(s, gone={**s.gone, entry.origin: Gone(entry.entrant, following)})


@_on(e.Promoted)
def _promoted(s: Tournament, entry: e.Promoted) -> Tournament:
    return _moved(s, entry)


@_on(e.Relegated)
def _relegated(s: Tournament, entry: e.Relegated) -> Tournament:
    return _moved(s, entry)


def _moved(s: Tournament, entry: e.Promoted | e.Relegated) -> Tournament:
    origin, to = (int(place.partition("/")[2]) for place in (entry.origin, entry.to))
    return replace(s, moves={**s.moves, entry.entrant: Move(origin, to)})


# ── Calls, lots, the end ──


@_on(e.ArbiterCalled)
def _arbiter_called(s: Tournament, entry: e.ArbiterCalled) -> Tournament:
    call = Call(
        entry.entry,
        entry.entrant,
        entry.round,
        entry.board,
        entry.ruling,
        held_move=entry.held_move,
        held_root=entry.held_root,
    )
    return replace(s, calls={**s.calls, entry.entry: call})


@_on(e.ArbiterAnswered)
def _arbiter_answered(s: Tournament, entry: e.ArbiterAnswered) -> Tournament:
    return replace(s, calls={**s.calls, entry.call: replace(s.calls[entry.call], answer=entry.entry)})


@_on(e.LotDrawn)
def _lot_drawn(s: Tournament, entry: e.LotDrawn) -> Tournament:
    return replace(s, lots={**s.lots, entry.label: entry.result}, periods=entry.key.period)


@_on(e.Published)
def _published(s: Tournament, entry: e.Published) -> Tournament:
    made = Publication(
        entry.entry, entry.at_entry, entry.standings_sha256, entry.bundle_sha256, entry.final or bool(s.ended)
    )
    ended = "published" if entry.final else s.ended
    return replace(s, publications=(*s.publications, made), ended=ended)


@_on(e.Cancelled)
def _cancelled(s: Tournament, entry: e.Cancelled) -> Tournament:
    return replace(s, ended="cancelled")
