"""The kinds of notifications: one table, which names for each kind whom a match tells of what.

Each kind has its sentences in `texts.*.toml`, under its name.  A new kind is a row here and its sentences
there; a message never shows more of a match than which one it is, and which move.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import Struct

from api.store.interface import Item
from domain.clocks import only_reports
from domain.kernel import Seat
from domain.match import Match
from domain.match_clock import BY_TIME

Found = Iterator[tuple[Seat, int]]  # a seat that is notified, and the move of the notice


class Kind(Struct, frozen=True):
    """One kind.

    found: yields what a match tells now, of any move; a notice is made when that move is followed.
    lasts: is it worth telling later, too?  Else a notice is dropped once the match does not tell it any more.
    waits: microseconds until it is sent at once: so long an open page may do by itself what is asked for.
    planned: it is made when the stretch of a seat begins, and sent, whatever the player's wish but "never",
        when its time has come (`planned_for`).
    """

    found: Callable[[Match], Found]
    lasts: bool = False
    waits: int = 0
    planned: bool = False


def _your_move(match: Match) -> Found:
    asked = match.asked
    if asked is not None:
        yield from asked.seats.items()


def _salt(match: Match) -> Found:
    """The seats whose salts are to be opened, from the move on that took the last seat."""
    if match.status == "waiting":
        full = max(seated.move for seated in match.seats.values() if seated is not None)
        for seat in match.unopened:
            yield seat, full


def _takeback(match: Match) -> Found:
    request = match.request
    if request is not None:
        for seat in match.seats:
            if not match.takeback_answer_refused(seat, request.move):
                yield seat, request.move


def _time_short(match: Match) -> Found:
    """The seats that had more time than is little when their stretch began, from that move on."""
    for seat, (began, due) in match.stretches().items():
        if due is not None and due - (match.records[began - 1].entry.at or due) > SHORT:
            yield seat, began


def _flagged(match: Match) -> Found:
    """Both seats, from the move on with which the latest stretch began, if the match goes on after a flag."""
    begun = [began for began, _ in match.stretches().values()]
    if begun and only_reports(match.opened.clock):
        for seat in match.seats:
            yield seat, max(begun)


def planned_for(item: Item, match: Match, now: int) -> int:
    """Return when a planned notice that still stands is to be sent: when little time is left, or none.

    While the clocks stand, that is looked at later.
    """
    dues = {seat: due for seat, (_, due) in match.stretches().items() if due is not None}
    if item.kind == FLAGGED:
        return min(dues.values(), default=now + _STANDS)
    return dues[item.seat] - SHORT if item.seat in dues else now + _STANDS


def _over(match: Match) -> Found:
    yield from _ended(match, by_time=False)


def _timed_out(match: Match) -> Found:
    yield from _ended(match, by_time=True)


def _ended(match: Match, *, by_time: bool) -> Found:
    if match.closed is not None and (match.closed.by == BY_TIME) == by_time:
        for seat in match.seats:
            yield seat, match.move


FLAGGED = "flagged"
SHORT = 86_400_000_000  # microseconds: so much time is little
_STANDS = 3_600_000_000  # microseconds after which a clock that stands is looked at again
_PAGE_OPENS_SALTS = 60_000_000  # microseconds: any open page of a player opens their salts by itself
KINDS = {
    "your-move": Kind(_your_move),
    "salt": Kind(_salt, waits=_PAGE_OPENS_SALTS),
    "takeback": Kind(_takeback),
    "time-short": Kind(_time_short, planned=True),
    FLAGGED: Kind(_flagged, planned=True),
    "over": Kind(_over, lasts=True),
    "timed-out": Kind(_timed_out, lasts=True),
}


def items(match: Match) -> Iterator[Item]:
    """Yield what a match tells now."""
    for name, kind in KINDS.items():
        for seat, move in kind.found(match):
            yield Item(name, match.id, seat, move)


def still_stands(item: Item, match: Match) -> bool:
    """Is a notice still worth being sent?"""
    kind = KINDS.get(item.kind)
    if kind is None:  # a later version made it
        return False
    if kind.planned:  # more time may have been given since: how much there was decided when it was made
        stretches = match.stretches()
        if item.kind == FLAGGED:
            return bool(stretches) and all(began <= item.move for began, _ in stretches.values())
        return stretches.get(item.seat, (0, None))[0] == item.move
    return kind.lasts or (item.seat, item.move) in set(kind.found(match))
