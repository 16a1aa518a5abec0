"""The reserved seats of a match as they are stored: one row beside the log, which each change replaces.

The row and the log are changed one after the other, whoever writes, and each change names what it was judged
by.  So a seat is never taken past a reservation that somebody was told stands, nor reserved once it is taken.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from api.store.people import Cursor
from api.store.seam import Conflict, Reservation, Reservations

SELECT = "SELECT version, seats FROM reservations WHERE match = ?"
_VERSION = "SELECT version FROM reservations WHERE match = ?"
_MOVE = "SELECT coalesce(max(originator_version), 0) FROM stored_events WHERE originator_id = ?"
_REPLACE = (
    "INSERT INTO reservations (match, version, seats) VALUES (?, ?, ?) ON CONFLICT (match)"
    " DO UPDATE SET version = excluded.version, seats = excluded.seats"
)
_seats = msgspec.json.Decoder(Mapping[str, Reservation]).decode


def written(reservations: Reservations) -> str:
    """The seats as they are stored."""
    return msgspec.json.encode(reservations.seats).decode()


def read(row: tuple[int, str] | None) -> Reservations:
    """What a row says; None: there is none."""
    return Reservations(row[0], _seats(row[1])) if row else Reservations()


def must_be(cursor: Cursor, match: str, version: int) -> None:
    """Raises Conflict: the reservations of a match are of another version."""
    cursor.execute(_VERSION, (match,))
    row = cursor.fetchone()
    if (row[0] if row else 0) != version:
        raise Conflict(f"the seats of match {match} were reserved otherwise meanwhile")


def replace(cursor: Cursor, match: str, move: int, reservations: Reservations) -> None:
    """See `Store.reserve`.  Raises Conflict."""
    cursor.execute(_MOVE, (match,))
    if cursor.fetchone()[0] != move:
        raise Conflict(f"match {match} has gone on since move {move}")
    must_be(cursor, match, reservations.version - 1)
    insert(cursor, match, reservations)


def insert(cursor: Cursor, match: str, reservations: Reservations) -> None:
    """Store them, whatever was there."""
    cursor.execute(_REPLACE, (match, reservations.version, written(reservations)))
