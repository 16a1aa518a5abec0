"""What the clock of a match shows, on the wire."""

from __future__ import annotations

from msgspec import UNSET, UnsetType

from api.http.schemas import ClockShown, ClockView
from domain.clocks import dues, left_at
from domain.match import Match
from domain.match_base import Chair, Outline


def clock_after(match: Match, move: int) -> ClockShown | UnsetType:
    """Return what the clock showed after a move, by seat; unset if the match has none."""
    state = match.clock_at(move)
    if state is None:
        return UNSET

    def by_seat(values: dict[str, int]) -> dict[str, int]:
        return {match.seat_of(Chair(chair), move): value for chair, value in sorted(values.items())}

    terms = match.opened.clock
    return ClockShown(state.at, by_seat(left_at(terms, state, state.at)), by_seat(dues(terms, state)))


def clock_view(match: Outline, at: int) -> ClockView | UnsetType:
    """Return the clock of a match in a look at the table after a move; unset if the match has none."""
    if not match.opened.clock:
        return UNSET
    shown = clock_after(match, at) if isinstance(match, Match) and at == match.move else UNSET
    return ClockView(list(match.opened.clock), None if shown is UNSET else shown)
