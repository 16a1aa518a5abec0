"""Dates of tournaments as an iCalendar file: the windows of rounds, and the deadlines of a player's boards.

A date keeps its UID for ever; whenever it changes, its `sequence` grows, so a calendar replaces it.  Nothing
in the file depends on when it is made.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from msgspec import Struct

from domain.kernel import Refused
from replay.sanitize import one_line

MOST_DATES = 5_000
_TEXT = 200  # characters of a title


class Date(Struct, frozen=True):
    """A window or a deadline; times are microseconds UTC, and a deadline ends when it begins.

    `id`: names it for ever, for example a tournament, a round and a board.  `sequence`: the entry of the log
    that said so last, at the time `said_at`.  `is_off`: it does not take place after all.
    """

    id: str
    title: str
    starts_at: int
    ends_at: int
    sequence: int
    said_at: int
    link: str = ""
    is_off: bool = False


def calendar_file(name: str, dates: Sequence[Date], host: str) -> bytes:
    """Return the dates as an iCalendar file; `host`: the server's name, which makes the UIDs its own.

    Raises:
        Refused: `not-offered`: the package is not installed; `invalid`: there are too many dates.
    """
    try:
        import icalendar
    except ImportError as error:
        raise Refused("not-offered", "no-calendar-extra") from error
    if len(dates) > MOST_DATES:
        raise Refused("invalid", "too-many-dates", {"most": MOST_DATES})
    calendar = icalendar.Calendar()
    calendar.add("prodid", "-//Glasnost//Tournaments//EN")
    calendar.add("version", "2.0")
    calendar.add("x-wr-calname", one_line(name)[:_TEXT])
    for date in sorted(dates, key=lambda date: date.id):
        event = icalendar.Event()
        event.add("uid", f"{date.id}@{host}")
        event.add("sequence", date.sequence)
        event.add("dtstamp", _time(date.said_at))
        event.add("summary", one_line(date.title)[:_TEXT])
        event.add("dtstart", _time(date.starts_at))
        event.add("dtend", _time(date.ends_at))
        event.add("status", "CANCELLED" if date.is_off else "CONFIRMED")
        if date.link:
            event.add("url", date.link)
        calendar.add_component(event)
    return bytes(calendar.to_ical())


def _time(microseconds: int) -> datetime:
    """The second that a time falls into."""
    return datetime.fromtimestamp(microseconds // 1_000_000, UTC)
