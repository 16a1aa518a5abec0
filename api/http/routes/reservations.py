"""Reserving seats: for a player, or by an invitation of one use."""

from __future__ import annotations

import asyncio

from msgspec import UNSET

from api.http.edge import Api, Call
from api.http.looking import looked
from api.http.params import MatchId, SeatName
from api.http.reserving import asked_for
from api.http.routes.matches import PLAYING
from api.http.shapes import Reserve, SeatReservation, SeatReservations, Withdrawal

api = Api("reservations", "Seats that are kept for a player, or for an invitation.")
_SEAT = "/v1/matches/{match}/seats/{seat}/reservation"
_REFUSALS = (403, 404, 409, 413, 415, 503)
_ANYWHERE = ("organizer", "admin")


@api.post(_SEAT, Reserve, SeatReservation, refusals=_REFUSALS, token=True)
async def reserve_seat(call: Call, match: MatchId, seat: SeatName, body: Reserve) -> SeatReservation:
    """Say who alone may take a free seat, in the place of what was said before."""
    by = _by(call)
    codes, reserved = await asked_for(call, {seat: body})
    await call.gate.reserve(match, seat, reserved[seat], by)
    code = codes.get(seat)
    return SeatReservation(
        seat=seat, player=body.player, invitation=body.invitation, code=UNSET if code is None else code
    )


@api.post(f"{_SEAT}/withdrawal", Withdrawal, SeatReservation, refusals=_REFUSALS, token=True)
async def withdraw_reservation(
    call: Call, match: MatchId, seat: SeatName, body: Withdrawal
) -> SeatReservation:
    """Let anybody take a seat again; an invitation is good no longer."""
    await call.gate.reserve(match, seat, None, _by(call))
    return SeatReservation(seat=seat, player=None, invitation=False)


@api.get("/v1/matches/{match}/reservations", SeatReservations, refusals=(403, 404, 503), token=True)
async def read_reservations(call: Call, match: MatchId) -> SeatReservations:
    """For whom the free seats are reserved; of a match that one did not open, only one's own."""
    person = call.person()
    found = (await looked(call, match)).match
    kept = (await asyncio.to_thread(call.services.store.reservations, match)).seats
    all_of_it = person.role in _ANYWHERE or person.id == found.opened.opener
    told = [
        SeatReservation(seat=seat, player=kept[seat].player, invitation=kept[seat].code is not None)
        for seat, seated in found.seats.items()
        if seat in kept and not seated and (all_of_it or kept[seat].player == person.id)
    ]
    players = [one.player for one in told if one.player is not None]
    return SeatReservations(told, await call.services.names.of(players, call.language))


def _by(call: Call) -> str | None:
    """The player who must have opened the match; None: somebody who may reserve anywhere."""
    person = call.person(*PLAYING)
    return None if person.role in _ANYWHERE else person.id
