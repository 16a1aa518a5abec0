"""Players: their tokens, how they are found, and tickets for streams."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import Query

from api.http.access import address
from api.http.edge import Api, Call
from api.http.filters import Cursor, Rows, stood_for
from api.http.looking import viewer
from api.http.naming import checked
from api.http.params import PlayerId
from api.http.people_actions import done, played_by
from api.http.problems import Failed
from api.http.shapes import (
    Because,
    FoundPlayer,
    FoundPlayers,
    NewPlayer,
    NewTicket,
    PlayerView,
    Ticket,
    Token,
)
from api.store.names import folded
from projections.read import Asked, paged

api = Api("players", "Players, their tokens, and tickets for streams.")
_SHORTEST = 2  # letters that a name is looked for by, when only its beginning is given
Name = Annotated[str | None, Query(max_length=64, description="The whole name, in capitals or not.")]
Prefix = Annotated[str | None, Query(max_length=64, description="How the name begins: two letters at least.")]


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


@api.get("/v1/players", FoundPlayers, refusals=(503,), token=True)
async def find_players(
    call: Call, name: Name = None, prefix: Prefix = None, limit: Rows = 50, after: Cursor = None
) -> FoundPlayers:
    """Players by name, or by how it begins."""
    call.person()
    if (name is None) == (prefix is None):
        raise Failed("invalid", "look for a name or for a prefix: give one of the two")
    sought = name or prefix or ""
    if len(folded(sought)) < (1 if prefix is None else _SHORTEST):
        told = f"a name is looked for by one letter at least, the beginning of one by {_SHORTEST}"
        raise Failed("invalid", told)
    call.services.searches.take(call.visitor.holder)
    page, last = Asked(limit, after), [str(part) for part in stood_for(after, (str, str))]
    find, whole = call.services.store.people.find, prefix is None
    rows = await asyncio.to_thread(find, sought, whole=whole, after=last, limit=limit + 1)
    found = paged(rows, page, ("folded", "id"))
    return FoundPlayers([FoundPlayer(row.id, row.name) for row in found.rows], found.next)


@api.get("/v1/players/{player}", PlayerView, personal=True, refusals=(404, 503))
async def read_player(call: Call, player: PlayerId) -> PlayerView:
    """Who a player is."""
    return await played_by(call, player)


@api.post("/v1/players/{player}/token", Because, Token, refusals=(403, 404, 409, 413, 415, 503), token=True)
async def replace_token(call: Call, player: PlayerId, body: Because) -> Token:
    """A new token in the place of all others, which stop at once: one's own, or anybody's for an admin."""
    if call.person().id == player:
        call.services.newcomers.take(address(call.request))
    else:
        call.person("admin")
    token = await done(call, call.services.store.people.new_token, player, reason=body.reason)
    about = await played_by(call, player)
    assert isinstance(about.role, str), "told to the player and to admins"
    return Token(player, token, about.role)


@api.post("/v1/streams/tickets", NewTicket, Ticket, refusals=(403, 404, 410, 413, 415), token=True)
async def create_ticket(call: Call, body: NewTicket) -> Ticket:
    """A short-lived ticket for the event stream of one match, for `?ticket=` in a browser's EventSource."""
    call.person()
    match = await call.gate.match(body.match)
    seen_by = viewer(match, call.player, body.view)
    ticket = await call.services.tickets.give(match.id, seen_by, call.visitor.holder)
    seconds = call.services.settings.ticket_seconds
    return Ticket(ticket, call.services.clock() + seconds * 1_000_000)
