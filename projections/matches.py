"""The match list: one row for each match, one for each seat that was taken."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from msgspec.structs import replace

from domain.events import Closed, Frozen, Opened, Released, SaltOpened, Seated
from domain.games import GAMES
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
    key_of,
    origin_of,
)
from projections.seat_swaps import Exchanges, across, exchanged, settles

OPEN, WAITING, RUNNING, OVER = "open", "waiting", "running", "over"


class MatchRow(Row, frozen=True, kw_only=True):
    """One match; times in microseconds UTC, None where unknown.

    `opened` is the position of its first record, by which the list is ordered.  `branch_of`, `branch_at`: a
    branch goes on from that match after that move; None in any other match.  `seats` and `bots` say who
    plays each seat now, wherever they sat down; `unopened` lists the seats whose salts are still to be
    opened. `unverified`: the match was imported from elsewhere.  `claimed`: it was uploaded, and nothing
    proves that its players are those of this server.  `private`: lists show it to its players alone.  `by`
    says how it closed (play, resignation, time, ruling, record, salt; "" while it runs); `result` is also
    None if the match is void or its result unknown.  `clocked`: it has a clock.
    `frozen`: it runs, and an organizer froze it.
    """

    table: ClassVar[str] = "matches"
    key: ClassVar[tuple[str, ...]] = ("match",)
    indexes: ClassVar[tuple[tuple[str, ...], ...]] = (
        ("opened", "match"),
        ("game", "opened", "match"),
        ("game", "edition", "opened", "match"),
        ("status", "opened", "match"),
        ("origin", "opened", "match"),
        ("branch_of", "opened", "match"),
        ("opened_at", "opened", "match"),
        ("status", "closed_at", "match"),
        ("clocked", "status", "match"),
    )

    match: str
    opened: int
    game: str
    edition: str
    origin: str
    branch_of: str | None = None
    branch_at: int | None = None
    unverified: bool = False
    claimed: bool = False
    private: bool = False
    clocked: bool = False
    frozen: bool = False
    status: str
    seats: dict[Seat, str | None]
    bots: dict[Seat, str] = {}
    unopened: tuple[Seat, ...] = ()
    move: int
    opened_at: int | None
    changed_at: int | None
    closed_at: int | None = None
    by: str = ""
    result: Result | None = None


class SeatRow(Row, frozen=True, kw_only=True):
    """Which player sat down where, for the filter by player; a claimed match has no such rows."""

    table: ClassVar[str] = "match_seats"
    key: ClassVar[tuple[str, ...]] = ("match", "seat")
    indexes: ClassVar[tuple[tuple[str, ...], ...]] = (("player", "match"),)

    match: str
    seat: Seat
    player: str


class ExchangesRow(Row, frozen=True, kw_only=True):
    """The moves with which the players of a match changed places; no row if they never did."""

    table: ClassVar[str] = "match_exchanges"
    key: ClassVar[tuple[str, ...]] = ("match",)
    internal: ClassVar[bool] = True

    match: str
    moves: Exchanges = ()


def fold(rows: Rows, delivered: Delivered) -> Iterator[Change]:
    """What one record does to the match list."""
    record = delivered.record
    entry: Any = record.entry
    if isinstance(entry, Opened):
        yield _opened(delivered, entry)
        return
    row = expect(rows.get(MatchRow, record.match), record)
    row = replace(row, move=entry.move, changed_at=entry.at)
    if isinstance(entry, Seated):
        if not row.claimed:
            yield SeatRow(match=row.match, seat=entry.seat, player=entry.player)
        row = _seated(row, entry)
    elif isinstance(entry, SaltOpened):
        row = _perhaps_begun(row, tuple(seat for seat in row.unopened if seat != entry.seat))
    elif isinstance(entry, (Frozen, Released)):
        row = replace(row, frozen=isinstance(entry, Frozen))
    elif isinstance(entry, Closed):
        row = replace(row, status=OVER, frozen=False, closed_at=entry.at, by=entry.by, result=entry.result)
        yield from [Gone(ExchangesRow, key_of(known)) for known in rows.under(ExchangesRow, row.match)]
    exchanges = _exchanges(rows, entry, row.match)
    if exchanges:
        yield exchanges
        row = replace(row, seats=across(row.game, row.seats), bots=across(row.game, row.bots))
    yield row


def _opened(delivered: Delivered, entry: Opened) -> MatchRow:
    return MatchRow(
        match=entry.match,
        opened=delivered.position,
        game=entry.game,
        edition=entry.edition,
        origin=origin_of(delivered, entry),
        branch_of=entry.branch.match if entry.branch else None,
        branch_at=entry.branch.move if entry.branch else None,
        unverified=entry.origin == IMPORTED,
        claimed=claimed_by(delivered, entry),
        private=entry.private,
        clocked=bool(entry.clock),
        status=OPEN,
        seats=dict.fromkeys(GAMES[entry.game].seats),
        move=entry.move,
        opened_at=entry.at,
        changed_at=entry.at,
    )


def _seated(row: MatchRow, entry: Seated[Any]) -> MatchRow:
    seats = {**row.seats, entry.seat: entry.player}
    bots = {**row.bots, entry.seat: entry.bot} if entry.bot else row.bots
    hashed = (*row.unopened, entry.seat) if entry.salt_hash else row.unopened
    unopened = tuple(seat for seat in seats if seat in hashed)
    return _perhaps_begun(replace(row, seats=seats, bots=bots), unopened)


def _perhaps_begun(row: MatchRow, unopened: tuple[Seat, ...]) -> MatchRow:
    if not all(row.seats.values()):
        return replace(row, unopened=unopened)
    return replace(row, unopened=unopened, status=WAITING if unopened else RUNNING)


def _exchanges(rows: Rows, entry: Any, match: str) -> ExchangesRow | None:
    """All exchanges of the match if this entry brings another one, else None."""
    if not settles(entry):
        return None
    known = rows.get(ExchangesRow, match) or ExchangesRow(match=match)
    return replace(known, moves=(*known.moves, entry.move)) if exchanged(known.moves, entry) else None


MATCHES = Projection("matches", 9, (MatchRow, SeatRow, ExchangesRow), fold)
