"""What the answers about disputes in tournaments say, from a log and a match; pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct, UnsetType

from api.gate import CachedMatch
from api.gate.command_handler import Refusal
from api.http.request_schemas import Request
from api.http.views import LogView
from domain.bounds import MatchId
from domain.chance import Secret
from domain.log import NOTHING, Record, b64, unb64
from domain.match import Match
from domain.match_base import Chair
from domain.tournaments.commands import EntryNumber, Reason
from domain.tournaments.events import OFFICIALS, PARTY, PrivilegedRead, Read
from domain.tournaments.history import TournamentLog
from domain.tournaments.state import Board, Tournament
from replay.audit import Offer, offered
from replay.clocks import ClockShown, clock_after
from replay.evidence import Deed, Held, SeatEvidence, deeds, evidence_of, held
from replay.move_table import MoveRow, rows
from replay.words import Words

MOST_PARTS = 200  # sealed parts in one answer
MOST_MOVES = 100  # moves in the answer to a privileged read
Move = Annotated[int, Meta(ge=0, le=2**31)]


class ReadRequest(Request, frozen=True):
    """What an official wants to see, and why: moves of a running match from a view, or a sealed entry."""

    expect: EntryNumber
    why: Reason
    match: MatchId | None = None
    view: Annotated[str, Meta(max_length=32)] = ""
    first: Move = 0
    last: Move = 0
    sealed_entry: EntryNumber | None = None


class PrivilegedAnswer(Struct, frozen=True):
    """What was hidden; `entry` is that which says that it was read, `root` the root after it."""

    entry: int
    root: str
    moves: tuple[Any, ...]
    text: str


class SealedPart(Struct, frozen=True):
    """The private part of an entry for one audience (JSON as text), and the salt of its commitment."""

    entry: int
    audience: str
    part: str
    salt: str


class PrivilegedReads(Struct, frozen=True):
    """All privileged reads of a tournament, as their entries are.

    opened: what is sealed in those about matches that are over, with the salts of the commitments.
    """

    tournament: str
    entry: int
    root: str
    reads: tuple[Any, ...]
    opened: tuple[SealedPart, ...] = ()


class SealedParts(Struct, frozen=True):
    """Sealed parts; `next`: the `after` of the next page."""

    tournament: str
    entry: int
    parts: tuple[SealedPart, ...]
    next: int | None


class Dispute(Struct, frozen=True):
    """A board in question.

    why: `frozen`, `called`, `objected`, `ruled`, `not verified`, `unconfirmed`.
    """

    match: str
    round: int
    board: int
    why: tuple[str, ...]
    calls: tuple[int, ...]


class DisputesView(Struct, frozen=True):
    """The boards in question after `entry`."""

    tournament: str
    entry: int
    root: str
    disputes: tuple[Dispute, ...]


class KeptRoot(Struct, frozen=True):
    """A root over the first `move` moves that an entrant gave with a call (its entry), and how it stands."""

    entrant: str
    entry: int
    move: int
    root: str
    held: Held


class DisputeView(Struct, frozen=True, kw_only=True):
    """The evidence about one match, for the moves of a window.

    views: the moves as each view has them: what its seat was told, move by move.  While the match runs, only
        the spectator's is here; the others need a privileged read.
    offers: the options against what was taken; only after the match.
    clocks: what they showed after each move of the window, by move.
    refusals: commands that were refused lately; held: how the kept root stands to this log.
    roots: those that the players gave with their calls.
    """

    dispute: Dispute
    match: str
    move: int
    status: str
    root: str
    moves: tuple[MoveRow, ...]
    views: dict[str, tuple[Any, ...]]
    offers: tuple[Offer, ...]
    clocks: dict[str, ClockShown]
    seats: dict[str, SeatEvidence]
    deeds: tuple[Deed, ...]
    roots: tuple[KeptRoot, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    held: Held | None = None


def _opened(record: Record, audience: str, secret: Secret) -> SealedPart:
    salt = b64(secret.salt(record.move, audience))
    return SealedPart(record.move, audience, record.part(audience).decode(), salt)


def privileged_reads(log: TournamentLog) -> list[Record]:
    """Return the records of all privileged reads."""
    return [record for record in log.records if isinstance(record.entry, PrivilegedRead)]


def sealed_read(record: Record) -> Read | None:
    """Return what a privileged read keeps sealed until its match is over; None if it seals nothing."""
    read: Read | None = record.parts[OFFICIALS].read
    return read


def privileged_reads_view(
    log: TournamentLog, secret: Secret | None, records: Sequence[Record], over: Collection[str]
) -> PrivilegedReads:
    """Return privileged reads as everybody may see them; `over`: the matches that are over."""
    opened = [
        _opened(record, OFFICIALS, secret)
        for record in records
        if secret is not None and (read := sealed_read(record)) is not None and read.match in over
    ]
    leaves = tuple(msgspec.Raw(record.leaf) for record in records)
    return PrivilegedReads(log.id, log.entry, b64(log.root), leaves, tuple(opened))


def sealed_parts(log: TournamentLog, secret: Secret | None, player: str | None, after: int) -> SealedParts:
    """Return the sealed parts after an entry that a player may read; all of them once it is published."""
    own = log.state.entrant_of(player) if player else None
    mine = f"{PARTY}{own.id}" if own else None
    is_open = log.state.ended == "published"
    found: list[SealedPart] = []
    if secret is None:
        return SealedParts(log.id, log.entry, (), None)
    for record in log.records[after:]:
        if len(found) >= MOST_PARTS:
            return SealedParts(log.id, log.entry, tuple(found), record.move - 1)
        for name in record.audiences:
            if record.part(name) != NOTHING and (is_open or name == mine):
                found.append(_opened(record, name, secret))
    return SealedParts(log.id, log.entry, tuple(found), None)


def disputes_of(s: Tournament) -> tuple[Dispute, ...]:
    """Return the boards in question, in their order."""
    found = (dispute_of(s, one.number, board) for one in s.rounds for board in one.boards if board.opened)
    return tuple(one for one in found if one.why)


def dispute_of(s: Tournament, round_number: int, board: Board) -> Dispute:
    """Return why a board is in question; not at all if `why` is empty."""
    about = [call for call in s.calls.values() if (call.round, call.board) == (round_number, board.number)]
    against = [call for call in s.calls.values() if call.ruling in board.ruled_by]
    checked = board.outcome.checked.values() if board.outcome else ()
    reasons = {
        "frozen": board.frozen,
        "called": bool(about),
        "objected": bool(against),
        "ruled": bool(board.ruled_by),
        "not verified": any(light != "ok" for light in checked),
        "unconfirmed": board.outcome is not None and not board.stands,
    }
    calls = sorted({call.entry for call in (*about, *against)})
    why = tuple(name for name, holds in reasons.items() if holds)
    return Dispute(board.match, round_number, board.number, why, tuple(calls))


def dispute_view(
    s: Tournament, cached: CachedMatch, words: Words, people: Mapping[str, str], window: tuple[int, int]
) -> DisputeView:
    """Return the evidence about a match for the moves of a window (first, last)."""
    match, (first, last) = cached.match, window
    found = s.board_with(match.id)
    assert found is not None, "the caller has looked for the board"
    numbers = range(first, last + 1)
    shown = {str(number): clock_after(match, number) for number in numbers}
    return DisputeView(
        dispute=dispute_of(s, found[0].number, found[1]),
        match=match.id,
        move=match.move,
        status=match.status,
        root=b64(match.roots[-1]),
        moves=tuple(rows(match, words, people, first - 1, len(numbers))),
        views={name: _seen(cached, chair, numbers) for name, chair in _views(match).items()},
        offers=tuple(offered(match, first, last)) if match.closed else (),
        clocks={number: clock for number, clock in shown.items() if not isinstance(clock, UnsetType)},
        seats=evidence_of(match),
        deeds=tuple(deeds(match)),
        roots=kept_roots(s, match, found[0].number, found[1].number),
    )


def kept_roots(s: Tournament, match: Match, round_number: int, board: int) -> tuple[KeptRoot, ...]:
    """Return the roots that the players of a board gave with their calls, and how each stands to the log."""
    return tuple(
        KeptRoot(
            call.entrant,
            call.entry,
            call.held_move,
            call.held_root,
            held(match, call.held_move, unb64(call.held_root)),
        )
        for call in s.calls.values()
        if call.held_root and (call.round, call.board) == (round_number, board)
    )


def _views(match: Match) -> dict[str, Chair | None]:
    """The views that are not hidden: the spectator's, and those of the seats after the match."""
    seats = {seat: match.chair_of(seat) for seat in match.seats} if match.closed else {}
    return {"spectator": None, **seats}


def _seen(cached: CachedMatch, chair: Chair | None, numbers: range) -> tuple[Any, ...]:
    view = LogView(cached.match, chair, cached.secret)
    return tuple(view.move(number) for number in numbers)
