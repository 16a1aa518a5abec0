"""Reserved seats: who may take a seat, and who may say so.

A seat is reserved for a player, or for the player who shows an invitation: a code of 128 random bits, of
which only the hash is kept.  A code is of one use, for it is good for one seat, and a seat is taken once.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets

from api.gate.refusals import Denied
from api.store.seam import Reservation, Reservations
from domain.drafting import Refused
from domain.kernel import Seat
from domain.match import Match

_BYTES = 16


def new_invitation() -> tuple[str, Reservation]:
    """A code, and what is kept of it."""
    code = secrets.token_urlsafe(_BYTES)
    return code, Reservation(code=hashed(code))


def hashed(code: str) -> bytes:
    """What is kept of a code."""
    return hashlib.sha256(code.encode("utf-8", "surrogatepass")).digest()


def must_be_admitted(
    match: Match, reserved: Reservations, seat: Seat, player: str | None, invitation: str | None
) -> None:
    """May a player (None: a bot) take this seat?  Of one that is taken, or not there, the match says so.

    It is not told how a seat is reserved: only who opened the match knows that.

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
        raise Refused("reserved", f"the seat {seat} is reserved for somebody else")
    known = (held.code if held else None) or b""
    if player is None or not hmac.compare_digest(known, hashed(invitation)):
        raise Refused("reserved", f"this invitation is not, or no longer, good for the seat {seat}")


def must_reserve(match: Match, seat: Seat, player: str | None) -> None:
    """May a player (None: somebody who may do so anywhere) say who takes this seat?

    Raises:
        Denied: foreign, over, unknown-seat, seat-taken.
    """
    if player is not None and player != match.opened.opener:
        raise Denied("foreign", "only who opened the match reserves its seats", match=match.id, seat=seat)
    if match.closed:
        raise Denied("over", "the match is over", match=match.id)
    must_have(match, seat)
    if match.seats[seat]:
        raise Denied("seat-taken", f"the seat {seat} is taken", match=match.id, seat=seat)


def must_have(match: Match, seat: Seat) -> None:
    """Raises Denied: unknown-seat."""
    if seat not in match.seats:
        told = f"{match.game.name} has no seat {seat!r}; it has {' and '.join(match.seats)}"
        raise Denied("unknown-seat", told, match=match.id)
