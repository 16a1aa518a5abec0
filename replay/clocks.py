"""What the clocks of a match showed after a move, by seat, as pages and programs read it."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from domain.clocks import dues, flags_at, left_at, only_reports
from domain.match_base import Chair
from domain.match_clock import Timed


class ClockShown(Struct, frozen=True):
    """The clocks after a move, in microseconds: what each seat had left when it was stored, at `as_of` (UTC).

    `due`: when the time of each asked seat is up (UTC).  A client subtracts the server's present time.
    `flagged`: if the match goes on when a time is up: since when that of each flagged seat is (UTC).  A seat
    whose `due` has passed since then is flagged, too.
    `stands`: an organizer paused the clocks, or froze the match, so no clock runs and `due` is empty.
    """

    as_of: int
    left: dict[str, int]
    due: dict[str, int]
    stands: Literal["paused", "frozen"] | UnsetType = UNSET
    flagged: dict[str, int] | UnsetType = UNSET

    def is_flagged(self, seat: str, now: int) -> bool:
        """Is the time of a seat up at `now` (microseconds UTC), in a match that goes on then?"""
        return self.flagged is not UNSET and (seat in self.flagged or self.due.get(seat, now + 1) <= now)


def clock_after(match: Timed, move: int, now: int | None = None) -> ClockShown | UnsetType:
    """Return what the clock showed after a move, by seat; unset if the match has none.

    Args:
        now: microseconds UTC: with the flags that have fallen by then, if the move is the latest of a match
            that runs.
    """
    state = match.clock_at(move)
    if state is None:
        return UNSET

    def by_seat(values: dict[str, int]) -> dict[str, int]:
        return {match.seat_of(Chair(chair), move): value for chair, value in sorted(values.items())}

    terms = match.opened.clock
    stands: Literal["paused", "frozen"] | UnsetType = "frozen" if state.frozen else "paused"
    is_now = now is not None and move == match.move and match.closed is None
    read = max(now or 0, state.at) if is_now else state.at
    return ClockShown(
        state.at,
        by_seat(left_at(terms, state, state.at)),
        by_seat(dues(terms, state)),
        stands if state.stands else UNSET,
        by_seat(flags_at(terms, state, read)) if only_reports(terms) else UNSET,
    )
