"""Player history: for every player one row for each seat that they play, seen from that seat.

If two players change places, their rows change seats.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from msgspec.structs import replace

from domain.events import Closed, Opened, Seated
from domain.imported import IMPORTED
from domain.kernel import Result, Seat
from projections.model import (
    Change,
    Delivered,
    Gone,
    Projection,
    Row,
    Rows,
    claimed_by,
    expect,
    origin_of,
)
from projections.seat_swaps import Exchanges, across, exchanged, settles

RUNNING, WON, LOST, DRAWN, VOID = "running", "won", "lost", "drawn", "void"


class SeatingRow(Row, frozen=True, kw_only=True):
    """One player in one seat of one match; times in microseconds UTC, None where unknown.

    `opened` is the position of the match's first record, the order of the list.  `outcome`: running, won,
    lost, drawn (no winner: `reason` says how) or void (closed without a result).  `unverified`: the match
    was imported from elsewhere.  `private`: lists show the match to its players alone.
    """

    table: ClassVar[str] = "seatings"
    key: ClassVar[tuple[str, ...]] = ("match", "seat")
    indexes: ClassVar[tuple[tuple[str, ...], ...]] = (("player", "opened", "match", "seat"),)

    match: str
    seat: Seat
    player: str
    opened: int
    game: str
    edition: str
    origin: str
    unverified: bool = False
    private: bool = False
    seated_at: int | None
    closed_at: int | None = None
    outcome: str = RUNNING
    by: str = ""
    reason: str = ""
    score: dict[Seat, int] = {}
    moves: int = 0


class HistoryMatch(Row, frozen=True, kw_only=True):
    """What the fold must remember of a match until it closes.

    `claimed`: its players may be other people, so it is in no player's history.
    """

    table: ClassVar[str] = "history_matches"
    key: ClassVar[tuple[str, ...]] = ("match",)
    internal: ClassVar[bool] = True

    match: str
    opened: int
    game: str
    edition: str
    origin: str
    claimed: bool = False
    private: bool = False
    exchanges: Exchanges = ()


def fold(rows: Rows, delivered: Delivered) -> Iterator[Change]:
    """What one record does to the histories of the players."""
    record = delivered.record
    entry: Any = record.entry
    if isinstance(entry, Opened):
        yield _opened(delivered, entry)
    elif isinstance(entry, Seated) or settles(entry):
        yield from _at_the_table(rows, expect(rows.get(HistoryMatch, record.match), record), entry)
    elif isinstance(entry, Closed):
        for row in rows.under(SeatingRow, record.match):
            yield _closed(row, entry)
        yield Gone(HistoryMatch, (record.match,))


def _opened(delivered: Delivered, entry: Opened) -> HistoryMatch:
    return HistoryMatch(
        match=entry.match,
        opened=delivered.position,
        game=entry.game,
        edition=entry.edition,
        origin=origin_of(delivered, entry),
        claimed=claimed_by(delivered, entry),
        private=entry.private,
    )


def _at_the_table(rows: Rows, match: HistoryMatch, entry: Any) -> Iterator[Change]:
    """Update who sits where, after a player sits down or the players change places (or both at once)."""
    if match.claimed:
        return
    seatings = {row.seat: row for row in rows.under(SeatingRow, match.match)}
    if isinstance(entry, Seated):
        seatings[entry.seat] = _seated(match, entry)
    if exchanged(match.exchanges, entry):
        yield replace(match, exchanges=(*match.exchanges, entry.move))
        swapped = across(match.game, seatings)
        seatings = {seat: replace(row, seat=seat) for seat, row in swapped.items()}
    yield from seatings.values()


def _seated(match: HistoryMatch, entry: Seated[Any]) -> SeatingRow:
    return SeatingRow(
        match=match.match,
        seat=entry.seat,
        player=entry.player,
        opened=match.opened,
        game=match.game,
        edition=match.edition,
        origin=match.origin,
        unverified=match.origin == IMPORTED,
        private=match.private,
        seated_at=entry.at,
    )


def _closed(row: SeatingRow, entry: Closed) -> SeatingRow:
    result = entry.result
    return replace(
        row,
        closed_at=entry.at,
        outcome=outcome(result, row.seat),
        by=entry.by,
        reason=result.reason if result else "",
        score=result.score if result else {},
        moves=entry.move,
    )


def outcome(result: Result | None, seat: Seat) -> str:
    """What a result means for a seat; without a result the match is void."""
    if result is None:
        return VOID
    if result.winner is None:
        return DRAWN
    return WON if result.winner == seat else LOST


HISTORY = Projection("history", 5, (SeatingRow, HistoryMatch), fold)
