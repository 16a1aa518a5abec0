"""Clocks on pages: what each seat has left, as text that scripts keep true, and terms in words."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import UNSET, Struct, UnsetType

from api.http.schemas import ClockShown
from api.web.shell import texts, utc
from domain.clocks import DAY, SECOND, Bank, Clock, Days


class SeatClock(Struct, frozen=True):
    """The clock of a seat as text (`long`: with days), and if it runs, when its time is up (µs UTC)."""

    text: str
    long: bool
    due: int | None


def seat_clock(clock: ClockShown | UnsetType, seat: str, language: str) -> SeatClock | None:
    """Return the clock of a seat after a move; None if the match has no clock."""
    if clock is UNSET:
        return None
    left = clock.left.get(seat)
    text = texts(language)("clock_none") if left is None else written(left, language)
    return SeatClock(text, max(clock.left.values(), default=0) >= DAY, clock.due.get(seat))


def written(left: int, language: str) -> str:
    """Return time left (microseconds) as it is read on a clock; `data/clocks.js` writes the same."""
    days, seconds = divmod(-(-left // SECOND), DAY // SECOND)
    time = f"{seconds // 3_600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return texts(language)("clock_days", days=days, time=time) if days else time


def terms_in_words(clock: Clock, language: str) -> str:
    """Return the terms of a clock in words."""
    return "; ".join(_terms(clock, language))


def _terms(clock: Clock, language: str) -> Iterator[str]:
    t = texts(language)
    for term in clock:
        if isinstance(term, Bank):
            yield t("clock_bank", main=written(term.main * SECOND, language))
            if term.increment:
                yield t("clock_increment", increment=written(term.increment * SECOND, language))
            if term.cap is not None:
                yield t("clock_cap", cap=written(term.cap * SECOND, language))
        elif isinstance(term, Days):
            yield t("clock_stretch", days=term.days)
            if term.cap is not None:
                yield t("clock_cap_days", cap=term.cap)
        else:
            yield t("clock_until", moment=utc(term.until)["text"])
