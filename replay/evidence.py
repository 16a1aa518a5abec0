"""What an organizer asks of one match in a dispute, from its log alone.

What each player asked for and how long each one thought, what officials did, and whether a root that a player
kept is that of this log.

What each seat knew at a move is its view of that move; the refusals of a match are not in its log.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from msgspec import Struct

from domain.clocks import MOST_LEFT
from domain.events import (
    ClockPaused,
    ClockResumed,
    ClockSet,
    Frozen,
    Played,
    Released,
    Ruled,
    TakebackAnswered,
    TakebackAsked,
)
from domain.kernel import Seat
from domain.match import Match
from replay.positions import kind_of

OFFICIAL = (ClockSet, ClockPaused, ClockResumed, Frozen, Released, Ruled)

Held = Literal["equal", "behind", "ahead", "forked"]
"""A kept root: of the whole log, of its beginning, over more moves than it has, of another log."""


class Think(Struct, frozen=True):
    """The longest time that a player took for one answer, in microseconds, and the move that answered."""

    took: int
    move: int


class SeatEvidence(Struct, frozen=True):
    """What the player who sat down on a seat did, whatever seat they played then.

    The numbers of moves: `takebacks_asked`; of those the ones that the opponent `agreed` to, or `declined`.
    """

    answers: int
    takebacks_asked: tuple[int, ...]
    agreed: tuple[int, ...]
    declined: tuple[int, ...]
    longest_think: Think | None


class Deed(Struct, frozen=True):
    """What an official did, or a gift of time: which move, what, when, by whom, and why ("": no reason)."""

    move: int
    kind: str
    at: int | None
    by: str
    reason: str


def evidence_of(match: Match) -> dict[Seat, SeatEvidence]:
    """Return what each player did, by the seat that they took first."""
    return {seat: _of_seat(match, seat) for seat in match.seats}


def deeds(match: Match) -> Iterator[Deed]:
    """Yield what officials did and what time was given, in order."""
    for record in match.records:
        entry = record.entry
        if isinstance(entry, OFFICIAL):
            reason = str(getattr(entry, "reason", None) or getattr(entry, "why", ""))
            yield Deed(entry.move, kind_of(entry), entry.at, entry.by, reason)


def held(match: Match, move: int, root: bytes) -> Held:
    """Return how a root over the first `move` moves, as a player kept it, stands to this log."""
    if move > match.move:
        return "ahead"
    if match.roots[move - 1] != root:
        return "forked"
    return "equal" if move == match.move else "behind"


def _of_seat(match: Match, seat: Seat) -> SeatEvidence:
    own = list(_own(match, seat))
    asked = [entry for entry in own if isinstance(entry, TakebackAsked)]
    answers = {
        one.entry.request: one.entry.agree for one in match.records if isinstance(one.entry, TakebackAnswered)
    }
    played = [entry for entry in own if isinstance(entry, Played)]
    thinks = [think for entry in played if (think := _think(match, entry)) is not None]
    return SeatEvidence(
        len(played),
        tuple(entry.move for entry in asked),
        tuple(entry.move for entry in asked if answers.get(entry.move) is True),
        tuple(entry.move for entry in asked if answers.get(entry.move) is False),
        max(thinks, key=lambda think: (think.took, -think.move), default=None),
    )


def _own(match: Match, seat: Seat) -> Iterator[Any]:
    """The entries of the player who sat down on a seat; a move is made from the seat played before it."""
    for record in match.records[match.begun or match.move :]:
        entry = record.entry
        if isinstance(entry, (Played, TakebackAsked)) and match.chair_of(entry.seat, entry.move - 1) == seat:
            yield entry


def _think(match: Match, entry: Any) -> Think | None:
    """The time from the question to the answer; None if it is unknown or cannot be."""
    asked = match.asked_at(entry.move - 1)
    if asked is None or entry.seat not in asked.seats or entry.at is None:
        return None
    put = match.records[asked.seats[entry.seat] - 1].entry.at
    took = None if put is None else entry.at - put
    return Think(took, entry.move) if took is not None and 0 <= took <= MOST_LEFT else None
