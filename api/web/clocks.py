"""Clocks on pages: what each seat has left, which scripts keep true, and the terms, without words."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import UNSET, Struct, UnsetType

from api.web.shell import utc
from domain.clocks import DAY, SECOND, Bank, Clock, Days, only_reports
from replay.clocks import ClockShown


class TimeLeft(Struct, frozen=True):
    """Time left, as it is read on a clock: whole days, and the rest as `time`."""

    days: int
    time: str


class SeatClock(Struct, frozen=True):
    """The clock of a seat: what is left (None: nothing is counted), and when it is up if it runs (µs UTC).

    `long`: a clock of the match shows days.
    `flagged`: is the time up?  None: the player would have lost then.
    """

    left: TimeLeft | None
    long: bool
    due: int | None
    flagged: bool | None = None


def seat_clock(clock: ClockShown | UnsetType, seat: str, now: int) -> SeatClock | None:
    """Return the clock of a seat after a move, read at `now` (µs UTC); None if the match has no clock."""
    if clock is UNSET:
        return None
    left = clock.left.get(seat)
    long = max(clock.left.values(), default=0) >= DAY
    flagged = None if clock.flagged is UNSET else clock.is_flagged(seat, now)
    return SeatClock(None if left is None else read_off(left), long, clock.due.get(seat), flagged)


def read_off(left: int) -> TimeLeft:
    """Return time left (microseconds) in whole seconds, as `data/clocks.js` does."""
    days, seconds = divmod(-(-left // SECOND), DAY // SECOND)
    return TimeLeft(days, f"{seconds // 3_600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}")


def terms_of(clock: Clock) -> Iterator[tuple[str, TimeLeft | int | str]]:
    """Yield what the terms of a clock say, each with its value: a time, a number of days or a date."""
    for term in clock:
        if isinstance(term, Bank):
            yield "bank", read_off(term.main * SECOND)
            if term.increment:
                yield "increment", read_off(term.increment * SECOND)
            if term.cap is not None:
                yield "cap", read_off(term.cap * SECOND)
        elif isinstance(term, Days):
            yield "stretch", term.days
            if term.cap is not None:
                yield "cap_days", term.cap
        else:
            yield "until", utc(term.until)["text"]
    if only_reports(clock):
        yield "reported", ""
