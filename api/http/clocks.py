"""The clock of a match in a look at it, on the wire."""

from __future__ import annotations

from msgspec import UNSET, UnsetType

from api.http.schemas import ClockView
from domain.match_clock import Timed
from replay.clocks import clock_after


def clock_view(match: Timed, at: int, now: int | None = None) -> ClockView | UnsetType:
    """Return the clock of a match in a look at the table after a move; unset if the match has none.

    `now`: see `clock_after`.
    """
    shown = clock_after(match, at, now)
    return UNSET if shown is UNSET else ClockView(list(match.opened.clock), shown)
