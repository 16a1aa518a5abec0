"""Reserved seats over HTTP: for whom they are reserved, and who may see that.

All clients see which free seats are reserved.  For whom is shown to the player who opened the match, to
organizers and to admins; a player also sees the own reservations.  `api.gate.gate` judges who may take a
seat; `api.store.accounts` stores the reservations.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress

from msgspec import UNSET

from api.gate.reservations import hashed, new_invitation
from api.http.permissions import looked
from api.http.request_schemas import Reserve, Withdrawal
from api.http.routes import PLAYING, MatchId, SeatName
from api.http.routing import FORBIDDEN, SENT, Api, Call, Caller
from api.http.schemas import SeatReservation, SeatReservations
from api.store.interface import Reservation, StoreError
from domain.kernel import Refused, Seat
from domain.match_base import Outline

api = Api("reservations", "Seats that are kept for a player, or for an invitation.")
_SEAT = "/v1/matches/{match}/seats/{seat}/reservation"
_RESERVING = (*SENT, "foreign", "unknown-match", "unknown-seat", "over", "seat-taken", "conflict", "in-doubt")
_ANYWHERE = ("organizer", "admin")

Codes = dict[Seat, str]


async def asked_for(call: Caller, asked: Mapping[Seat, Reserve]) -> tuple[Codes, dict[Seat, Reservation]]:
    """New codes where invitations are asked for, and the reservations.

    Raises:
        Refused: invalid, unknown-player.
    """
    codes: Codes = {}
    reserved: dict[Seat, Reservation] = {}
    for seat, one in asked.items():
        if (one.player is None) != one.invitation:
            raise Refused("invalid", "player-or-invitation")
        if one.player is None:
            codes[seat], reserved[seat] = new_invitation()
        else:
            reserved[seat] = Reservation(one.player)
    await _must_be_known(call, [one.player for one in reserved.values() if one.player is not None])
    return codes, reserved


async def _must_be_known(call: Caller, players: list[str]) -> None:
    """Raises Refused: unknown-player, where one was never here or was forgotten."""
    if not players:
        return
    names = await asyncio.to_thread(call.services.store.people.names, players)
    for player in players:
        if names.get(player) is None:
            raise Refused("unknown-player", "no-such-player", {"player": repr(player[:64])})


async def those_that_stand(call: Caller, match: str, codes: Codes) -> Codes:
    """Of these codes those that are good: none where the match was opened by the same request before."""
    if not codes:
        return {}
    kept = (await asyncio.to_thread(call.services.store.reservations, match)).seats
    return {seat: code for seat, code in codes.items() if seat in kept and kept[seat].code == hashed(code)}


async def reserved_seats(call: Caller, match: Outline) -> list[Seat]:
    """Return the free seats that are reserved."""
    if match.status != "open":
        return []
    with suppress(StoreError):  # no seat can be taken now
        kept = await asyncio.to_thread(call.services.store.reservations, match.id)
        return [seat for seat, seated in match.seats.items() if seat in kept.seats and not seated]
    return []


# ── Reserving seats: for a player, or for an invitation that works once ──


@api.post(_SEAT, Reserve, SeatReservation, refusals=(*_RESERVING, "unknown-player"), token=True)
async def reserve_seat(call: Call, match: MatchId, seat: SeatName, body: Reserve) -> SeatReservation:
    """Reserve a free seat for a player or an invitation; replaces an earlier reservation."""
    by = _by(call)
    codes, reserved = await asked_for(call, {seat: body})
    await call.gate.reserve(match, seat, reserved[seat], by)
    call.services.lobby_feed.changed(match)
    code = codes.get(seat)
    return SeatReservation(
        seat=seat, player=body.player, invitation=body.invitation, code=UNSET if code is None else code
    )


@api.post(f"{_SEAT}/withdrawal", Withdrawal, SeatReservation, refusals=_RESERVING, token=True)
async def withdraw_reservation(
    call: Call, match: MatchId, seat: SeatName, body: Withdrawal
) -> SeatReservation:
    """Withdraw the reservation of a seat: any player may take it, and its invitation no longer works."""
    await call.gate.reserve(match, seat, None, _by(call))
    call.services.lobby_feed.changed(match)
    return SeatReservation(seat=seat, player=None, invitation=False)


@api.get(
    "/v1/matches/{match}/reservations", SeatReservations, refusals=(*FORBIDDEN, "unknown-match"), token=True
)
async def read_reservations(call: Call, match: MatchId) -> SeatReservations:
    """For whom the free seats are reserved; of a match that you did not open, only your own."""
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
    """The player who must have opened the match; None for a role that may reserve in any match."""
    person = call.person(*PLAYING)
    return None if person.role in _ANYWHERE else person.id
