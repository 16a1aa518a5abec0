"""What has changed on the scoreboards since somebody looked, for whoever keeps a copy of them elsewhere."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from projections.boards import BOARDS, StandingRow, TotalsRow
from projections.catalogue import stamp
from projections.model import R
from projections.tables import shape

VERSION = stamp(BOARDS)
Board = tuple[str, str, str]  # game, edition and pool
_SERVED = "SELECT stamp FROM projections WHERE name = ? AND served = 1"
_PLACES = (
    "SELECT log, position, mark FROM places JOIN projections USING (name, generation)"
    " WHERE name = ? AND served = 1 ORDER BY log"
)
_OF_BOARD = 'WHERE "game" = ? AND "edition" = ? AND "pool" = ?'


class BoardChanges(Struct, frozen=True):
    """Boards that have changed: their totals, and all their standings in no order.

    `places`: how far each log was taken in: the position of its last record, and a hash of that.
    """

    places: dict[str, tuple[int, str]]
    totals: dict[Board, TotalsRow]
    standings: dict[Board, list[StandingRow]]


def board_changes(connection: sqlite3.Connection, known: Mapping[Board, TotalsRow]) -> BoardChanges | None:
    """The boards whose totals are not the `known` ones, all of one moment; None: they are another version's.

    Whatever changes a standing changes the totals of its board, too.  The connection is the caller's own.
    """
    connection.execute("BEGIN")
    try:
        if connection.execute(_SERVED, (BOARDS.name,)).fetchone() != (VERSION,):
            return None
        places = connection.execute(_PLACES, (BOARDS.name,)).fetchall()
        boards = {(row.game, row.edition, row.pool): row for row in _rows(connection, TotalsRow, "", ())}
        changed = {board: row for board, row in boards.items() if known.get(board) != row}
        standings = {board: _rows(connection, StandingRow, _OF_BOARD, board) for board in changed}
    finally:
        connection.execute("COMMIT")
    return BoardChanges({log: (position, mark) for log, position, mark in places}, changed, standings)


def _rows(connection: sqlite3.Connection, kind: type[R], rest: str, values: Sequence[Any]) -> list[R]:
    kept = shape(kind)
    found = connection.execute(f"SELECT {kept.names} FROM {kind.table} {rest}", values)
    return [kept.row(row) for row in found]
