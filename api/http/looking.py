"""Who may look at a match as whom."""

from __future__ import annotations

from api.gate import Desk
from api.gate.orders import seat_if_any, seats_of
from api.http.edge import Call
from api.http.moves import SPECTATOR, Sight
from api.http.problems import Failed
from domain.history import ALL
from domain.kernel import Seat
from domain.match import Match


async def sight(call: Call, match: str, view: str | None, *, proof: bool = False) -> Sight:
    """A match, looked at as `view` asks for.

    Raises:
        Denied: unknown-match.
        Failed: unknown-seat, forbidden.
    """
    desk = await call.gate.desk(match)
    return sight_of(desk, viewer(desk.match, call.player, view), proof)


def sight_of(desk: Desk, seen_by: Seat | None, proof: bool = False) -> Sight:
    """A match as it stands, looked at as this viewer."""
    return Sight(desk.match, seen_by, desk.secret, proof)


def viewer(match: Match, player: str | None, view: str | None) -> Seat | None:
    """As whom a player sees a match: by default from his seat, or as a spectator.

    Raises:
        Failed: unknown-seat; forbidden (the view of another's seat, or of everything, before the end).
    """
    if view is None:
        return seat_if_any(match, player)
    if view == SPECTATOR:
        return None
    if view != ALL and view not in match.seats:
        raise Failed("unknown-seat", f"the views are {', '.join(match.seats)}, {SPECTATOR} and {ALL}")
    if match.closed or view in seats_of(match, player):
        return view
    raise Failed(
        "forbidden", "until the match is over, a seat's view is for its player, and all is for nobody"
    )


def move_of(match: Match, move: int | None) -> int:
    """The number of an existing move; None means the latest.

    Raises:
        Failed: unknown-move.
    """
    if move is None:
        return match.move
    if not 1 <= move <= match.move:
        raise Failed("unknown-move", f"the moves are 1 to {match.move}")
    return move
