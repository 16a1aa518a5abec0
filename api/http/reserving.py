"""Reserved seats over HTTP: who is meant, which codes stand, and what everybody may know of it.

Everybody is told which free seats are reserved.  How, and for whom, is told to who opened the match, to
organizers and admins; and a player is told of the seats that are reserved for that player.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress

from api.gate.reserving import hashed, new_invitation
from api.http.edge import Caller
from api.http.problems import Failed
from api.http.shapes import Reserve
from api.store.seam import Reservation, StoreError
from domain.kernel import Seat
from domain.outline import Outline

Codes = dict[Seat, str]


async def asked_for(call: Caller, asked: Mapping[Seat, Reserve]) -> tuple[Codes, dict[Seat, Reservation]]:
    """New codes where invitations are asked for, and the reservations.

    Raises:
        Failed: invalid, unknown-player.
    """
    codes: Codes = {}
    reserved: dict[Seat, Reservation] = {}
    for seat, one in asked.items():
        if (one.player is None) != one.invitation:
            raise Failed("invalid", "a seat is reserved for a player or by invitation: say one of the two")
        if one.player is None:
            codes[seat], reserved[seat] = new_invitation()
        else:
            reserved[seat] = Reservation(one.player)
    await _must_be_known(call, [one.player for one in reserved.values() if one.player is not None])
    return codes, reserved


async def _must_be_known(call: Caller, players: list[str]) -> None:
    """Raises Failed: unknown-player, where one was never here or was forgotten."""
    if not players:
        return
    names = await asyncio.to_thread(call.services.store.people.names, players)
    for player in players:
        if names.get(player) is None:
            raise Failed("unknown-player", f"there is no player {player[:64]!r} here")


async def those_that_stand(call: Caller, match: str, codes: Codes) -> Codes:
    """Of these codes those that are good: none where the match was opened by the same request before."""
    if not codes:
        return {}
    kept = (await asyncio.to_thread(call.services.store.reservations, match)).seats
    return {seat: code for seat, code in codes.items() if seat in kept and kept[seat].code == hashed(code)}


async def reserved_seats(call: Caller, match: Outline) -> list[Seat]:
    """The free seats that not everybody may take."""
    if match.status != "open":
        return []
    with suppress(StoreError):  # nobody can sit down there now
        kept = await asyncio.to_thread(call.services.store.reservations, match.id)
        return [seat for seat, seated in match.seats.items() if seat in kept.seats and not seated]
    return []
