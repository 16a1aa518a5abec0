"""The lobby over HTTP: the caller's matches by whose move it is, free seats, and what there is to watch."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from msgspec.structs import replace

from api.http.lobby import DAY, OVER_DAYS, Lobby, players_in
from api.http.routing import Api, Call, Caller
from domain.bounds import MOST

api = Api("lobby", "What a player can do next, and what there is to watch.")
Since = Annotated[
    int | None,
    Query(
        ge=0,
        le=MOST,
        description="The caller's matches that closed at this time or later, in microseconds UTC; left out:"
        f" in the last {OVER_DAYS} days.",
    ),
]


@api.get("/v1/lobby", Lobby, personal=True)
async def read_lobby(call: Call, since: Since = None) -> Lobby:
    """The caller's matches by whose move it is, free seats, live matches, and those that closed lately."""
    return await lobby_of(call, since)


async def lobby_of(call: Caller, since: int | None = None) -> Lobby:
    """Return the lobby of a caller; see `read_lobby`.

    Raises:
        Refused: unavailable, while the read models are being built.
        StoreError: the store is not available.
    """
    services = call.services
    first = services.clock() - OVER_DAYS * DAY if since is None else since
    found = await services.lobbies.of(call.player, max(first, 0), call.language)
    names = await services.names.of(players_in(found.matches), call.language)
    return replace(found, names=names)
