"""What the integrity table needs of one match, small enough to be kept when the match is over."""

from __future__ import annotations

from collections import Counter

from msgspec import Struct

from domain.kernel import Seat
from domain.match import Match
from domain.tournaments.outcomes import sitting
from replay.dice import thrown
from replay.evidence import SeatEvidence, evidence_of


class MatchEvidence(Struct, frozen=True):
    """A match as far as it went; once it is over this never changes.

    `first`: the seat that the player of each seat took first, by which `seats` counts.  `salts`: whether a
    player gave a salt; `unopened`: whether one was never opened.
    """

    over: bool
    players: dict[Seat, str]
    first: dict[Seat, Seat]
    seats: dict[Seat, SeatEvidence]
    dice: dict[Seat, Counter[str]]
    clocked: bool
    unopened: bool
    salts: bool


def of_match(match: Match) -> MatchEvidence:
    """Return what a match shows so far."""
    dice: dict[Seat, Counter[str]] = {}
    for seat, face in thrown(match):
        dice.setdefault(seat, Counter())[face] += 1
    return MatchEvidence(
        match.closed is not None,
        sitting(match),
        {seat: str(match.chair_of(seat)) for seat in match.seats},
        evidence_of(match),
        dice,
        bool(match.opened.clock),
        bool(match.unopened),
        bool(set(match.salt_marks.values()) - {"none"}),
    )
