"""Players and their tokens, and tickets for streams."""

from __future__ import annotations

import asyncio

from api.http.access import address
from api.http.edge import Api, Call
from api.http.looking import viewer
from api.http.naming import checked
from api.http.shapes import NewPlayer, NewTicket, Ticket, Token

api = Api("players", "Players, their tokens, and tickets for streams.")


@api.post("/v1/players", NewPlayer, Token, refusals=(403, 413, 415, 503))
async def create_player(call: Call, body: NewPlayer) -> Token:
    """A new player; the token is shown this once.

    Anybody may become a player; other roles are given by an admin, who shows a token.
    """
    if body.role != "player":
        call.person("admin")
    name = checked(body.name)
    call.services.newcomers.take(address(call.request))
    person, token = await asyncio.to_thread(call.services.store.people.add, name, body.role)
    return Token(person.id, token, body.role)


@api.post("/v1/streams/tickets", NewTicket, Ticket, refusals=(403, 404, 410, 413, 415), token=True)
async def create_ticket(call: Call, body: NewTicket) -> Ticket:
    """A short-lived ticket for the event stream of one match, for `?ticket=` in a browser's EventSource."""
    call.person()
    match = await call.gate.match(body.match)
    seen_by = viewer(match, call.player, body.view)
    ticket = await call.services.tickets.give(match.id, seen_by, call.visitor.holder)
    seconds = call.services.settings.ticket_seconds
    return Ticket(ticket, call.services.clock() + seconds * 1_000_000)
