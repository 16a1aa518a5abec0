"""Permissions: who may read a match, and from which view."""

from __future__ import annotations

import asyncio

from api.gate import CachedMatch, UncachedMatch
from api.gate.command_handler import seat_if_any, seats_of
from api.http.routing import Caller
from api.http.views import SPECTATOR, LogView
from api.store.log_guard import Behind
from domain.kernel import Refused
from domain.match import Match
from domain.match_base import ALL, Chair, Outline

_SOON = {"retry-after": "1"}  # seconds
_GLANCE = 0.1  # seconds until a replica is read again


async def looked(call: Caller, match: str, *moves: int | None) -> CachedMatch:
    """Return a match that has all these moves (those that are not None).

    If the store is not available and a replica is read, the answer states the age that it may have.  Only
    then can an existing move be missing; it is waited for.

    Raises:
        Refused: unknown-match.
        Refused: unknown-move; behind, if the move does not arrive in time.
    """
    at_least = max((move for move in moves if move is not None), default=0)
    cached = await call.gate.cached(match)
    if cached.lag is not None:
        cached = await _awaited(call, cached, at_least)
    must_be_there(cached.match, at_least)
    return cached


async def looked_back(
    call: Caller, match: str, at: int | None, at_least: int | None
) -> CachedMatch | UncachedMatch:
    """Return what shows the table after move `at` (None: the latest); see `looked`.

    To show an earlier move of a match that is not cached, the match is not loaded whole.
    """
    found = None if at is None else await call.gate.uncached(match, at)
    if found is not None and found.match.move >= (at_least or 0):
        return found
    return await looked(call, match, at, at_least)


async def _awaited(call: Caller, cached: CachedMatch, at_least: int) -> CachedMatch:
    seconds, loop = call.services.settings.at_least_seconds, asyncio.get_running_loop()
    end = loop.time() + seconds
    while cached.lag is not None and cached.match.move < at_least:
        if loop.time() > end:
            here = cached.match.move
            raise Refused("behind", "replica-behind", {"here": here, "at_least": at_least}, _SOON)
        await asyncio.sleep(_GLANCE)
        cached = await call.gate.cached(cached.match.id)
    call.lag = cached.lag
    return cached


async def log_view(
    call: Caller, match: str, view: str | None, *moves: int | None, proof: bool = False
) -> LogView:
    """Return the log of a match that has all these moves, as seen from `view`.

    Raises:
        Refused: unknown-match.
        Refused: unknown-move, behind, unknown-seat, forbidden.
    """
    cached = await looked(call, match, *moves)
    return view_of(cached, viewer(cached.match, call.player, view), proof)


def view_of(cached: CachedMatch, seen_by: Chair | None, proof: bool = False) -> LogView:
    """Return the log of a cached match, as this viewer sees it."""
    return LogView(cached.match, seen_by, cached.secret, proof)


def viewer(match: Outline, player: str | None, view: str | None, move: int | None = None) -> Chair | None:
    """Return the viewer as whom a player sees a match (None: a spectator); by default, the player's own seat.

    `view` names a seat as it was played after `move` (None: the latest).  The result is the seat at which its
    player sat down first; it stays the same after a swap of seats, so a stream follows its player.  An
    imported match is always seen as by a spectator (see `Outline.effective_viewer`).

    Raises:
        Refused: unknown-seat; forbidden (the view of another's seat, or of everything, before the end).
    """
    if view is not None and view not in (*match.seats, SPECTATOR, ALL):
        raise Refused("unknown-seat", "no-such-view", {"list": [*match.seats, SPECTATOR], "last": ALL})
    if match.imported or view == SPECTATOR:
        return None
    if view is None:
        seat = seat_if_any(match, player)
        return match.chair_of(seat) if seat else None
    if match.closed or view in seats_of(match, player, move):
        return match.chair_of(view, move)
    raise Refused("forbidden", "view-of-another")


def receipt_of(call: Caller, cached: CachedMatch) -> str | None:
    """Return the signed checkpoint over the opening move while a seat is free, else None.

    A player who keeps it can show that the commitment to the secret stood before the own salt.  None for a
    match that this server did not write, and while the server may sign nothing (`api.store.log_guard`).

    The same bytes each time, as long as the server signs with the same key.
    """
    match = cached.match
    is_own = match.provable and not match.uploaded
    if not is_own or match.status != "open":
        return None
    try:
        return call.gate.checkpoint(match, 1)
    except Behind:
        return None


def must_be_there(match: Match, after: int) -> None:
    """Raise Refused (unknown-move) if the match has no move `after` yet."""
    if after > match.move:
        raise Refused("unknown-move", "beyond-latest-move", {"last": match.move})


def move_of(match: Outline, move: int | None) -> int:
    """Return the number of an existing move; None means the latest.

    Raises:
        Refused: unknown-move.
    """
    if move is None:
        return match.move
    if not 1 <= move <= match.move:
        raise Refused("unknown-move", "no-such-move", {"last": match.move})
    return move
