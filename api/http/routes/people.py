"""What an admin does with players: forget, rename, revoke; and the record of it."""

from __future__ import annotations

import asyncio

from api.http.edge import Api, Call
from api.http.filters import Cursor, Rows, stood_for
from api.http.naming import checked
from api.http.params import PlayerId
from api.http.people_actions import done, played_by
from api.http.shapes import AuditEntryView, AuditLog, Because, NewName, PlayerView
from projections.read import Asked, paged

api = Api("people", "What administrators do with players.")
_REFUSALS = (403, 404, 409, 413, 415, 503)


@api.post("/v1/players/{player}/forgetting", Because, PlayerView, refusals=_REFUSALS, token=True)
async def forget_player(call: Call, player: PlayerId, body: Because) -> PlayerView:
    """Forget a player's name for ever and revoke the tokens; the matches stay, and every proof."""
    call.person("admin")
    await done(call, call.services.store.people.forget, player, reason=body.reason)
    return await played_by(call, player)


@api.post("/v1/players/{player}/name", NewName, PlayerView, refusals=_REFUSALS, token=True)
async def rename_player(call: Call, player: PlayerId, body: NewName) -> PlayerView:
    """Give a player another name; the old one is kept nowhere."""
    call.person("admin")
    name = checked(body.name)
    await done(call, call.services.store.people.rename, player, name, reason=body.reason)
    return await played_by(call, player)


@api.post("/v1/players/{player}/revocation", Because, PlayerView, refusals=_REFUSALS, token=True)
async def revoke_tokens(call: Call, player: PlayerId, body: Because) -> PlayerView:
    """Revoke all tokens of a player, who then needs a new one of an admin."""
    call.person("admin")
    await done(call, call.services.store.people.revoke, player, reason=body.reason)
    return await played_by(call, player)


@api.get("/v1/audit", AuditLog, refusals=(403, 503), token=True)
async def read_audit_log(call: Call, limit: Rows = 50, after: Cursor = None) -> AuditLog:
    """What was done with players, by whom and when, for admins: the latest first, without names."""
    call.person("admin")
    before = stood_for(after, (int, str))
    found = await asyncio.to_thread(call.services.store.people.audit_log, before, limit + 1)
    page = paged(found, Asked(limit, after), ("at", "id"))
    told = [AuditEntryView(one.at, one.action, one.person, one.by or None, one.reason) for one in page.rows]
    return AuditLog(told, page.next)
