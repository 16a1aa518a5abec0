"""What the clocks of a match showed after a move, by seat, as pages and programs read it."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from domain.clocks import dues, left_at
from domain.match_base import Chair
from domain.match_clock import Timed


class ClockShown(Struct, frozen=True):
    """The clocks after a move, in microseconds: what each seat had left when it was stored, at `as_of` (UTC).

    `due`: when the time of each asked seat is up (UTC).  A client subtracts the server's present time.
    `stands`: an organizer paused the clocks, or froze the match, so no clock runs and `due` is empty.
    """

    as_of: int
    left: dict[str, int]
    due: dict[str, int]
    stands: Literal["paused", "frozen"] | UnsetType = UNSET


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
