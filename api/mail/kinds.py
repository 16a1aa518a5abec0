"""The kinds of notifications: one table, which names for each kind whom a match tells of what.

Each kind has its sentences in `texts.*.toml`, under its name.  A new kind is a row here and its sentences
there; a message never shows more of a match than which one it is, and which move.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import Struct

from api.store.interface import Item
from domain.kernel import Seat
from domain.match import Match

Found = Iterator[tuple[Seat, int]]  # a seat that is notified, and the move of the notice


class Kind(Struct, frozen=True):
    """One kind.

    found: yields what a match tells now, of any move; a notice is made when that move is followed.
    lasts: is it worth telling later, too?  Else a notice is dropped once the match does not tell it any more.
    waits: microseconds until it is sent at once: so long an open page may do by itself what is asked for.
    """

    found: Callable[[Match], Found]
    lasts: bool = False
    waits: int = 0


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


def _over(match: Match) -> Found:
    if match.closed is not None:
        for seat in match.seats:
            yield seat, match.move


_PAGE_OPENS_SALTS = 60_000_000  # microseconds: any open page of a player opens their salts by itself
KINDS = {
    "your-move": Kind(_your_move),
    "salt": Kind(_salt, waits=_PAGE_OPENS_SALTS),
    "takeback": Kind(_takeback),
    "over": Kind(_over, lasts=True),
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
    return kind.lasts or (item.seat, item.move) in set(kind.found(match))
