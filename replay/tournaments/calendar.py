"""The dates of a tournament as a calendar (RFC 5545): rounds with their windows, deadlines, one's own games.

An event keeps its UID over all changes, and its SEQUENCE is the latest entry of the log, so a program that
has the calendar takes the later one.  All times are UTC; equal states give equal bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from msgspec import Struct

from domain.kernel import Refused
from domain.tournaments.state import Round, Tournament
from replay.sanitize import one_line

_WORDS = {
    "en": {
        "round": "{title}: round {round}",
        "end": "{title}: last day",
        "game": "{title}, round {round}: {w} - {b}",
    },
    "ru": {
        "round": "{title}: тур {round}",
        "end": "{title}: последний день",
        "game": "{title}, тур {round}: {w} - {b}",
    },
}


class Date(Struct, frozen=True):
    """One event: its UID without the server, what it is, and when, in microseconds UTC."""

    uid: str
    summary: str
    begins: int
    ends: int | None


def dates(
    s: Tournament, language: str = "en", entrant: str = "", names: Mapping[str, str] | None = None
) -> list[Date]:
    """Return the dates of a tournament, in order: of its rounds, or of the games of one entrant.

    Args:
        entrant: whose games; "": the rounds.
        names: of entrants; without one the id stands.
    """
    words, title = _WORDS[language], one_line(s.title)
    found = list(_games(s, entrant, words["game"], names or {}) if entrant else _rounds(s, words["round"]))
    if s.terms.until is not None and not entrant:
        text = words["end"].format(title=title)
        found.append(Date(f"{s.id}-until", text, s.terms.until, None))
    return found


def _rounds(s: Tournament, words: str) -> Iterator[Date]:
    for number in range(1, s.last_round + 1):
        opens, until = _window(s, number)
        begins = opens if opens is not None else until
        if begins is not None:
            text = words.format(title=one_line(s.title), round=number)
            yield Date(f"{s.id}-r{number}", text, begins, until if until != begins else None)


def _window(s: Tournament, number: int) -> tuple[int | None, int | None]:
    """From when until when a round is played: as it was published, else as the terms have it."""
    one = s.at_round(number)
    if one is not None and one.status != "paired":
        return one.opens_at, one.until
    if number <= len(s.terms.windows):
        window = s.terms.windows[number - 1]
        return window.opens, window.until
    return None, None


def _games(s: Tournament, entrant: str, words: str, names: Mapping[str, str]) -> Iterator[Date]:
    for one in s.rounds:
        board = one.board_of(entrant)
        if one.status == "paired" or board is None or (when := _of(one)) is None:
            continue
        w, b = (one_line(names.get(name, name)) for name in board.entrants)
        text = words.format(title=one_line(s.title), round=one.number, w=w, b=b)
        yield Date(f"{s.id}-r{one.number}-{entrant}", text, *when)


def _of(one: Round) -> tuple[int, int | None] | None:
    begins = one.opens_at if one.opens_at is not None else one.until
    return None if begins is None else (begins, one.until if one.until != begins else None)


def calendar(s: Tournament, found: list[Date], server: str) -> bytes:
    """Return a calendar of dates.

    Args:
        server: the name of the server, which makes the UIDs unique.

    Raises:
        Refused: `not-offered`: the library is not installed.
    """
    try:
        from icalendar import Calendar, Event
    except ImportError as error:
        raise Refused("not-offered", "no-calendar-extra") from error
    made = Calendar()
    made.add("prodid", "-//Glasnost//tournaments//EN")
    made.add("version", "2.0")
    for one in found:
        event = Event()
        event.add("uid", f"{one.uid}@{server}")
        event.add("summary", one.summary)
        event.add("dtstamp", _time(s.at or 0))
        event.add("dtstart", _time(one.begins))
        if one.ends is not None and one.ends > one.begins:
            event.add("dtend", _time(one.ends))
        event.add("sequence", s.entry)
        made.add_component(event)
    return bytes(made.to_ical())


def _time(at: int) -> datetime:
    """A time, to the second; the latest that a calendar can say stands for any later one."""
    seconds = min(at // 1_000_000, 253_402_300_799)
    return datetime.fromtimestamp(seconds, UTC)
