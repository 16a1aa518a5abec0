"""The position after any move, for any viewer, as data; and who may look at what."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from domain.events import Asked
from domain.kernel import Result, Seat, Table
from domain.log import HOUSE
from domain.match_base import ALL, Outline


class NoView(ValueError):
    """There is no such move or viewer, or the viewer may not see this; the text says what is possible."""


class Shown(Struct, frozen=True):
    """The match after one move, as one viewer sees it; an imported one is always shown as to a spectator.

    `unverified`: it was imported from elsewhere.  `last` is the latest move, `kind` the kind of this one,
    `at` its time in microseconds UTC, None if unknown.  `stands`: it was not taken back.  `status` and
    `result` are those after the move.  `table` holds every field but the agenda; `exchanged` only if it is
    true.
    """

    match: str
    game: str
    edition: str
    options: dict[str, Any]
    origin: str
    unverified: bool
    move: int
    last: int
    kind: str
    at: int | None
    stands: bool
    viewer: str | None
    status: str
    asked: Asked | None
    result: Result | None
    table: dict[str, Any]


def position(match: Outline, move: int | None = None, viewer: Seat | None = None) -> Shown:
    """Return the position after `move` (None: the latest), as `viewer` (None: a spectator; ALL) sees it.

    Raises:
        NoView: there is no such move or viewer, or the viewer's parts are not in this log.
    """
    move = match.move if move is None else move
    table = table_at(match, move, viewer)
    entry = match.entry_at(move)
    over = match.closed is not None and move == match.move
    opened = match.opened
    return Shown(
        opened.match,
        opened.game,
        opened.edition,
        opened.options,
        opened.origin,
        match.imported,
        move,
        match.move,
        kind_of(entry),
        entry.at,
        match.stands(move),
        match.effective_viewer(viewer),
        "over" if over else _status(match, move),
        None if over else match.asked_at(move),
        match.result if over else table.result,
        {field: plain(value) for field, value in fields(table)},
    )


def _status(match: Outline, move: int) -> str:
    """The status, after `move`, of a match that was not over then."""
    if match.begun and match.begun <= move:
        return "running"
    return "waiting" if all(seat and seat.move <= move for seat in match.seats.values()) else "open"


def table_at(match: Outline, move: int, viewer: Seat | None) -> Table:
    """Return the table after `move` as `viewer` sees it.  Raises NoView: see `position`."""
    if not 1 <= move <= match.move:
        raise NoView(f"there is no move {move}; the match has the moves 1 to {match.move}")
    must_see(match, viewer)
    table: Table = match.table_at(move, viewer)
    return table


def must_see(match: Outline, viewer: Seat | None) -> None:
    """Check that this viewer exists, may see this match, and that the log has the viewer's parts.

    Raises:
        NoView: one of these is not so.
    """
    if viewer is None:
        return
    if viewer not in (*match.game.seats, ALL):
        raise NoView(f"no viewer {viewer!r}; there are: spectator, {', '.join(match.game.seats)}, {ALL}")
    if viewer == ALL and not match.closed:
        raise NoView("everything is shown when the match is over; until then: spectator or a seat")
    viewer = match.effective_viewer(viewer)
    if viewer and (HOUSE if viewer == ALL else viewer) not in match.audiences:
        raise NoView(
            f"the private parts are not in this log, so it can only be shown to a spectator, not {viewer}"
        )


def kind_of(entry: Any) -> str:
    """Return the stable name of an entry's kind, as in its leaf."""
    kind: str = entry.__struct_config__.tag
    return kind


def fields(value: Struct) -> list[tuple[str, Any]]:
    """Return the fields of a struct with their values; of a table, without those that are given elsewhere."""
    untold = ["agenda", "result"]
    if isinstance(value, Table) and not value.exchanged:
        untold.append("exchanged")
    return [(name, getattr(value, name)) for name in value.__struct_fields__ if name not in untold]


def plain(value: Any) -> Any:
    """Convert a value to plain data with every field."""
    if isinstance(value, Struct):
        return {name: plain(getattr(value, name)) for name in value.__struct_fields__}
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value
