"""Players: their tokens, how they are found, tickets for streams, and what an admin does with them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from fastapi import Query
from msgspec import UNSET
from msgspec.structs import replace

from api.http.account_schemas import (
    BOT,
    AuditEntryView,
    AuditLog,
    FoundPlayer,
    FoundPlayers,
    PlayerView,
    Ticket,
    Token,
)
from api.http.app_state import FORGOTTEN, checked
from api.http.auth import address
from api.http.permissions import viewer
from api.http.request_schemas import Because, NewName, NewPlayer, NewTicket
from api.http.routes import PlayerId
from api.http.routes.lists import Cursor, Rows, stood_for
from api.http.routing import FORBIDDEN, SENT, Api, Call
from api.store.accounts import folded
from api.store.interface import Act
from domain.kernel import Refused
from projections.read import Asked, paged

# ── Players over HTTP: reading and managing them ──

T = TypeVar("T")


async def done(call: Call, work: Callable[..., T], *args: Any, reason: str) -> T:
    """Carry out an act on a player in the name of the caller, for this reason; return its result.

    Raises:
        Refused: unknown-player, forgotten, last-admin, invalid.
        StoreError: the store is away.
    """
    act = Act(call.person().id, call.services.clock(), reason)
    return await asyncio.to_thread(work, *args, act)


async def played_by(call: Call, player: str) -> PlayerView:
    """Return a player, as the caller may see them.

    Raises:
        Refused: unknown-player.
    """
    known = await asyncio.to_thread(call.services.store.people.known, player)
    if known is None:
        raise Refused("unknown-player", "no-such-player", {"player": repr(player[:64])})
    is_bot = True if known.role == BOT else UNSET
    told = PlayerView(player, known.name or FORGOTTEN[call.language], known.forgotten, is_bot)
    asking = call.visitor.person
    if asking is None or (asking.id != player and asking.role != "admin"):
        return told
    return replace(told, role=known.role, tokens=known.tokens)


# ── Players: their tokens, how they are found, and tickets for streams ──


_ACTION = (*SENT, "unknown-player", "in-doubt")
_LAST_ADMIN = (*_ACTION, "last-admin")

api = Api("players", "Players, their tokens, and tickets for streams.")
SHORTEST = 2  # letters that a name is looked for by, when only its beginning is given
LONGEST = 64
Name = Annotated[str | None, Query(max_length=LONGEST, description="The whole name, in capitals or not.")]
Prefix = Annotated[
    str | None, Query(max_length=LONGEST, description="How the name begins: two letters at least.")
]


@api.post("/v1/players", NewPlayer, Token, refusals=SENT)
async def create_player(call: Call, body: NewPlayer) -> Token:
    """A new player; the token is shown this once.

    No token is needed to become a player or a bot; only an admin can give another role.
    """
    if body.bot and body.role not in ("player", BOT):
        raise Refused("invalid", "bot-with-role")
    role = BOT if body.bot else body.role
    if role not in ("player", BOT):
        call.person("admin")
    name = checked(body.name)
    call.services.new_players.take(address(call.request.scope))
    person, token = await asyncio.to_thread(call.services.store.people.add, name, role)
    return Token(person.id, token, role)


@api.get("/v1/players", FoundPlayers, token=True)
async def find_players(
    call: Call, name: Name = None, prefix: Prefix = None, limit: Rows = 50, after: Cursor = None
) -> FoundPlayers:
    """Players by name, or by how it begins."""
    call.person()
    if (name is None) == (prefix is None):
        raise Refused("invalid", "name-or-prefix")
    sought = name or prefix or ""
    if len(folded(sought)) < (1 if prefix is None else SHORTEST):
        raise Refused("invalid", "name-too-short", {"least": SHORTEST})
    return await found_players(call, sought, whole=prefix is None, limit=limit, after=after)


async def found_players(
    call: Call, sought: str, *, whole: bool, limit: int, after: str | None
) -> FoundPlayers:
    """The players of a name, or whose names begin so; counted as one search of the caller.

    Raises:
        Refused: limit, invalid (`after` is no `next` of another page).
    """
    page, last = Asked(limit, after), [str(part) for part in stood_for(after, (str, str))]
    call.services.searches.take(call.visitor.counted)
    find = call.services.store.people.find
    rows = await asyncio.to_thread(find, sought, whole=whole, after=last, limit=limit + 1)
    found = paged(rows, page, ("folded", "id"))
    return FoundPlayers([FoundPlayer(row.id, row.name) for row in found.rows], found.next)


@api.get("/v1/players/{player}", PlayerView, personal=True, refusals=("unknown-player",))
async def read_player(call: Call, player: PlayerId) -> PlayerView:
    """Who a player is."""
    return await played_by(call, player)


@api.post("/v1/players/{player}/token", Because, Token, refusals=(*_ACTION, "forgotten"), token=True)
async def replace_token(call: Call, player: PlayerId, body: Because) -> Token:
    """A new token; all earlier ones stop at once.  Players replace their own, an admin that of any player."""
    if call.person().id == player:
        call.services.new_players.take(address(call.request.scope))
    else:
        call.person("admin")
    token = await done(call, call.services.store.people.new_token, player, reason=body.reason)
    about = await played_by(call, player)
    assert isinstance(about.role, str), "told to the player and to admins"
    return Token(player, token, about.role)


@api.post(
    "/v1/streams/tickets",
    NewTicket,
    Ticket,
    refusals=(*SENT, "unknown-match", "unknown-seat", "withdrawn"),
    token=True,
)
async def create_ticket(call: Call, body: NewTicket) -> Ticket:
    """A short-lived ticket for the event stream of one match, for `?ticket=` in a browser's EventSource."""
    call.person()
    match = await call.gate.match(body.match)
    seen_by = viewer(match, call.player, body.view)
    ticket = await call.services.tickets.give(match.id, seen_by, call.visitor.holder, call.visitor.counted)
    seconds = call.services.settings.ticket_seconds
    return Ticket(ticket, call.services.clock() + seconds * 1_000_000)


# ── What an admin does with players: forget, rename, revoke; and the record of it ──


people_api = Api("people", "What administrators do with players.")


@people_api.post("/v1/players/{player}/forgetting", Because, PlayerView, refusals=_LAST_ADMIN, token=True)
async def forget_player(call: Call, player: PlayerId, body: Because) -> PlayerView:
    """Forget a player's name for ever and revoke the tokens; the matches stay, and every proof."""
    call.person("admin")
    await done(call, call.services.store.people.forget, player, reason=body.reason)
    return await played_by(call, player)


@people_api.post(
    "/v1/players/{player}/name", NewName, PlayerView, refusals=(*_ACTION, "forgotten"), token=True
)
async def rename_player(call: Call, player: PlayerId, body: NewName) -> PlayerView:
    """Give a player another name; the old one is kept nowhere."""
    call.person("admin")
    name = checked(body.name)
    await done(call, call.services.store.people.rename, player, name, reason=body.reason)
    return await played_by(call, player)


@people_api.post("/v1/players/{player}/revocation", Because, PlayerView, refusals=_LAST_ADMIN, token=True)
async def revoke_tokens(call: Call, player: PlayerId, body: Because) -> PlayerView:
    """Revoke all tokens of a player, who then needs a new one of an admin."""
    call.person("admin")
    await done(call, call.services.store.people.revoke, player, reason=body.reason)
    return await played_by(call, player)


@people_api.get("/v1/audit", AuditLog, refusals=FORBIDDEN, token=True)
async def read_audit_log(call: Call, limit: Rows = 50, after: Cursor = None) -> AuditLog:
    """What was done with players, by whom and when, for admins: the latest first, without names."""
    call.person("admin")
    before = stood_for(after, (int, str))
    found = await asyncio.to_thread(call.services.store.people.audit_log, before, limit + 1)
    page = paged(found, Asked(limit, after), ("at", "id"))
    told = [AuditEntryView(one.at, one.action, one.person, one.by or None, one.reason) for one in page.rows]
    return AuditLog(told, page.next)
