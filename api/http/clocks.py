"""What the clock of a match shows, on the wire."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, UnsetType

from api.http.schemas import ClockShown, ClockView
from domain.clocks import dues, left_at
from domain.match_base import Chair
from domain.match_clock import Timed


def clock_after(match: Timed, move: int) -> ClockShown | UnsetType:
    """Return what the clock showed after a move, by seat; unset if the match has none."""
    state = match.clock_at(move)
    if state is None:
        return UNSET

    def by_seat(values: dict[str, int]) -> dict[str, int]:
        return {match.seat_of(Chair(chair), move): value for chair, value in sorted(values.items())}

    terms = match.opened.clock
    stands: Literal["paused", "frozen"] | UnsetType = "frozen" if state.frozen else "paused"
    return ClockShown(
        state.at,
        by_seat(left_at(terms, state, state.at)),
        by_seat(dues(terms, state)),
        stands if state.stands else UNSET,
    )


def clock_view(match: Timed, at: int) -> ClockView | UnsetType:
    """Return the clock of a match in a look at the table after a move; unset if the match has none."""
    shown = clock_after(match, at)
    return UNSET if shown is UNSET else ClockView(list(match.opened.clock), shown)
