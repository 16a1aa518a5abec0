"""What is done with a player over HTTP, and who a player is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from msgspec.structs import replace

from api.http.edge import Call
from api.http.naming import FORGOTTEN
from api.http.problems import Failed
from api.http.shapes import PlayerView
from api.store.seam import Act, Barred

T = TypeVar("T")


async def done(call: Call, work: Callable[..., T], *given: Any, reason: str) -> T:
    """Do something with a player in the name of who asks, for this reason.

    Raises:
        Failed: unknown-player, forgotten, last-admin, invalid.
        StoreError: the store is away.
    """
    act = Act(call.person().id, call.services.clock(), reason)
    try:
        return await asyncio.to_thread(work, *given, act)
    except Barred as error:
        kind = "invalid" if error.kind == "reason" else error.kind
        raise Failed(kind, str(error)) from error


async def played_by(call: Call, player: str) -> PlayerView:
    """A player, as who asks is told.

    Raises:
        Failed: unknown-player.
    """
    known = await asyncio.to_thread(call.services.store.people.known, player)
    if known is None:
        raise Failed("unknown-player", f"there is no player {player[:64]!r} here")
    told = PlayerView(player, known.name or FORGOTTEN[call.language], known.forgotten)
    asking = call.visitor.person
    if asking is None or (asking.id != player and asking.role != "admin"):
        return told
    return replace(told, role=known.role, tokens=known.tokens)
