"""Reserved seats: who may take a seat, and who may reserve it.

A seat is reserved for a player, or for the player who shows an invitation: a code of 128 random bits, of
which only the hash is stored.  A code works once, because it is for one seat, and a seat is taken once.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets

from api.store.interface import Reservation, Reservations
from domain.kernel import Refused, Seat
from domain.match import Match, no_such_seat

_BYTES = 16  # of a code


def new_invitation() -> tuple[str, Reservation]:
    """Return a new code, and the reservation that stores its hash."""
    code = secrets.token_urlsafe(_BYTES)
    return code, Reservation(code=hashed(code))


def hashed(code: str) -> bytes:
    """Return the hash of a code, which is stored in its place."""
    return hashlib.sha256(code.encode("utf-8", "surrogatepass")).digest()


def must_be_admitted(
    match: Match, reserved: Reservations, seat: Seat, player: str | None, invitation: str | None
) -> None:
    """Check that no reservation keeps a player (None: a bot) from this seat.

    The match itself refuses a taken or unknown seat.  The refusal does not say how the seat is reserved: only
    the player who opened the match knows that.

    Raises:
        Refused: reserved.
    """
    if match.seats.get(seat) or seat not in match.seats:
        return
    held = reserved.seats.get(seat)
    if held is None and invitation is None:
        return
    if held is not None and held.player is not None and held.player == player:
        return
    if invitation is None:
        raise Refused("reserved", "seat-reserved", {"seat": seat})
    known = (held.code if held else None) or b""
    if player is None or not hmac.compare_digest(known, hashed(invitation)):
        raise Refused("reserved", "invitation-not-good", {"seat": seat})


def must_reserve(match: Match, seat: Seat, player: str | None) -> None:
    """Check that a player (None: a caller who may do so in any match) may reserve this seat.

    Raises:
        Refused: foreign, over, unknown-seat, seat-taken.
    """
    if player is not None and player != match.opened.opener:
        raise Refused("foreign", "only-opener-reserves")
    if match.closed:
        raise Refused("over", "match-over")
    must_have(match, seat)
    if match.seats[seat]:
        raise Refused("seat-taken", "seat-taken", {"seat": seat})


def must_have(match: Match, seat: Seat) -> None:
    """Raises Refused: unknown-seat."""
    if seat not in match.seats:
        raise no_such_seat(match, seat)
