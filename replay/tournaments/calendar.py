"""The dates of a tournament for `calendar_file`: windows of rounds, deadlines, one's own games.

A date keeps its id over all changes, and its sequence is the latest entry of the log.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from domain.tournaments.state import Tournament
from replay.sanitize import one_line
from replay.tournaments.calendar_file import Date

_LATEST = 253_402_300_799_000_000  # microseconds: the end of the year 9999
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
        found.append(_date(s, f"{s.id}-until", text, s.terms.until, s.terms.until))
    return found


def _rounds(s: Tournament, words: str) -> Iterator[Date]:
    for number in range(1, s.last_round + 1):
        opens, until = window_of(s, number)
        if opens is not None or until is not None:
            text = words.format(title=one_line(s.title), round=number)
            yield _date(s, f"{s.id}-r{number}", text, opens, until)


def window_of(s: Tournament, number: int) -> tuple[int | None, int | None]:
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
        if one.status == "paired" or board is None or one.opens_at is one.until is None:
            continue
        w, b = (one_line(names.get(name, name)) for name in board.entrants)
        text = words.format(title=one_line(s.title), round=one.number, w=w, b=b)
        yield _date(s, f"{s.id}-r{one.number}-{entrant}", text, one.opens_at, one.until)


def _date(s: Tournament, id: str, title: str, opens: int | None, until: int | None) -> Date:
    """A date between two times, of which one may be unknown, within what a calendar can say."""
    known = [min(time, _LATEST) for time in (opens, until) if time is not None]
    return Date(id, title, known[0], max(known), s.entry, s.at or 0, is_off=s.ended == "cancelled")
