"""The server's transparency log: its checkpoint, its tiles, and proofs made from them."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import Query, Request, Response

from api.http.app_state import Services
from api.http.auth import NO_TOKEN, address
from api.http.caching import IMMUTABLE
from api.http.exception_handlers import refused
from api.http.permissions import looked
from api.http.routes import ID
from api.http.routing import LOOKS, Api, Call
from api.http.schemas import ConsistencyProof, LogEvidence, LogLeaf
from api.store.interface import StoreError
from api.store.log_proofs import evidence_of
from api.store.sql import SqlStore
from api.store.transparency import SignedSize
from domain.kernel import Refused
from domain.log import b64
from replay.transparency.tiles import Tile
from replay.transparency.tree import MOST_LEAVES, consistency

api = Api(
    "transparency", "The server's transparency log: every opening and end of a match, in one Merkle tree."
)
TILES = "/log/tile/{path:path}"
_NOTE = "text/plain"
_FLEETING = "public, max-age=2"  # seconds for which a cache may keep the checkpoint
Size = Annotated[int, Query(ge=0, le=MOST_LEAVES, description="A number of leaves.")]


@api.get("/log/checkpoint", _NOTE, refusals=("not-found",))
async def read_log_checkpoint(call: Call) -> Response:
    """The signed checkpoint of the log (C2SP tlog-checkpoint), with the cosignatures of witnesses.

    The hashes and the leaves are in tiles (C2SP tlog-tiles) under `/log/tile/`.
    """
    found = await asyncio.to_thread(_latest, call.services.store)
    head = {"cache-control": _FLEETING}
    return Response(found.text.encode(), headers=head, media_type="text/plain; charset=utf-8")


@api.get("/v1/log/proof", LogEvidence, refusals=(*LOOKS, "unknown-tournament", "not-found"))
async def read_log_proof(
    call: Call,
    match: Annotated[str | None, Query(pattern=ID, description="A match.")] = None,
    tournament: Annotated[str | None, Query(pattern=ID, description="A tournament instead.")] = None,
) -> LogEvidence:
    """The proof that the opening of a match and, if it is over, its end are in the log.

    For a tournament: that its first and its latest entry are.
    """
    if (match is None) == (tournament is None):
        raise Refused("invalid", "match-or-tournament")
    topic = match or tournament or ""
    if match is not None:
        await looked(call, match)
    found = await asyncio.to_thread(evidence_of, call.services.store, topic)
    if found is None:
        raise Refused("not-found", "not-in-the-log")
    return LogEvidence(
        found.checkpoint, [LogLeaf(one.leaf, one.index, list(one.hashes)) for one in found.proofs]
    )


@api.get("/v1/log/consistency", ConsistencyProof, refusals=("not-found", "invalid"))
async def read_consistency(call: Call, old: Size, size: Size) -> ConsistencyProof:
    """The proof that the log over `size` leaves begins with the log over `old` leaves."""
    store = call.services.store
    latest = await asyncio.to_thread(_latest, store)
    if not old <= size <= latest.size:
        raise Refused("invalid", "log-not-so-long", {"size": latest.size})
    path = await asyncio.to_thread(lambda: consistency(old, size, store.transparency.hashes()))
    call.final = True
    return ConsistencyProof(old, size, [b64(one) for one in path])


async def serve_tile(request: Request) -> Response:
    """A tile or a bundle of leaves, which no later state of the log changes; 404 if it is not there."""
    services: Services = request.app.services
    try:
        services.requests.take(f"{NO_TOKEN}{address(request.scope)}")
        tile = Tile.parse(request.path_params["path"])
        if request.scope["query_string"]:
            tile = None  # else each query would be another entry of a cache
        found = None if tile is None else await asyncio.to_thread(_published, services.store, tile)
        if found is None:
            raise Refused("not-found", "tile-not-there")
    except (Refused, StoreError) as error:
        return await refused(request, error)
    head = {"cache-control": IMMUTABLE, "x-content-type-options": "nosniff"}
    return Response(found, headers=head, media_type="application/octet-stream")


def _published(store: SqlStore, tile: Tile) -> bytes | None:
    """The content of a tile, if a signed checkpoint covers it."""
    latest = store.transparency.latest()
    is_covered = latest is not None and tile.is_in(latest.size)
    return store.transparency.served(tile) if is_covered else None


def _latest(store: SqlStore) -> SignedSize:
    """The newest checkpoint.

    Raises:
        Refused: not-found.
    """
    found = store.transparency.latest()
    if found is None:
        raise Refused("not-found", "log-not-signed")
    return found
