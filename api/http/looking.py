"""Who may look at a match as whom."""

from __future__ import annotations

from api.gate import Desk
from api.gate.orders import seat_if_any, seats_of
from api.http.edge import Call
from api.http.moves import SPECTATOR, Sight
from api.http.problems import Failed
from domain.history import ALL, Chair
from domain.match import Match


async def sight(call: Call, match: str, view: str | None, *, proof: bool = False) -> Sight:
    """A match, looked at as `view` asks for.

    Raises:
        Denied: unknown-match.
        Failed: unknown-seat, forbidden.
    """
    desk = await call.gate.desk(match)
    return sight_of(desk, viewer(desk.match, call.player, view), proof)


def sight_of(desk: Desk, seen_by: Chair | None, proof: bool = False) -> Sight:
    """A match as it stands, looked at as this viewer."""
    return Sight(desk.match, seen_by, desk.secret, proof)


def viewer(match: Match, player: str | None, view: str | None, move: int | None = None) -> Chair | None:
    """As whom a player sees a match: by default from his seat, or as a spectator.

    `view` names a seat as it was played after `move` (None: the latest).  What is given is the place where
    its player sat down, which stays good while the match goes on: a stream follows its player.  Of an
    imported match everybody sees what a spectator does (see `History.told_as`).

    Raises:
        Failed: unknown-seat; forbidden (the view of another's seat, or of everything, before the end).
    """
    if view is not None and view not in (*match.seats, SPECTATOR, ALL):
        raise Failed("unknown-seat", f"the views are {', '.join(match.seats)}, {SPECTATOR} and {ALL}")
    if match.imported or view == SPECTATOR:
        return None
    if view is None:
        seat = seat_if_any(match, player)
        return match.chair_of(seat) if seat else None
    if match.closed or view in seats_of(match, player, move):
        return match.chair_of(view, move)
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
