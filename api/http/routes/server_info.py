"""About the server itself: games, keys, refusals, health, metrics."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query, Response

from api.http import health
from api.http.problems import KINDS, answer, document, page
from api.http.routes import ID, GameName
from api.http.routing import FORBIDDEN, Api, Call
from api.http.schemas import (
    GameDetail,
    GameList,
    Health,
    Problem,
    Ready,
    RefusalList,
    RefusalView,
    ServerKeys,
)
from api.http.views import game_detail, game_view
from domain.games import GAMES
from domain.kernel import Refused

api = Api("service", "The server itself: keys, refusals, health, metrics.")
KindName = Annotated[str, Path(pattern=ID, description="What a problem's `type` ends in.")]
_METRICS = "text/plain"
_GLANCE = 0.2  # seconds that a request for metrics waits for the store; then it gets what is known


@api.get("/v1/keys", ServerKeys)
async def read_keys(call: Call) -> ServerKeys:
    """The keys that sign checkpoints, present and retired."""
    keys = call.gate.keys
    return ServerKeys(keys.present.text, [key.text for key in keys.retired], list(keys.rotations))


@api.get("/v1/refusals", RefusalList, refusals=FORBIDDEN, token=True)
async def list_refusals(
    call: Call,
    match: Annotated[str | None, Query(max_length=64, description="Of this match only.")] = None,
    limit: Annotated[int, Query(ge=1, le=1_000, description="At most so many.")] = 100,
) -> RefusalList:
    """The latest refused commands, for admins."""
    call.person("admin")
    kept = call.gate.refusals.latest(limit, match)
    return RefusalList(
        [RefusalView(r.at, r.kind, r.command, r.match, r.player, r.seat, r.move) for r in kept]
    )


@api.get("/problems/{kind}", Problem, refusals=("not-found",))
async def read_problem(call: Call, kind: KindName) -> Problem:
    """What a problem's `type` stands for, and the way out."""
    if kind not in KINDS:
        raise Refused("not-found", "no-kind-of-problem", {"kind": repr(kind), "kinds": list(KINDS)})
    call.final = True
    return page(kind, call.language)


@api.get("/healthz", Health, fleeting=True)
async def healthz(call: Call) -> Health:
    """The process is alive."""
    return Health("alive")


@api.get("/readyz", Ready, refusals=("not-ready",), fleeting=True)
async def readyz(call: Call) -> Ready | Response:
    """Moves can be stored, the read models are near, and the server is not about to stop."""
    report = await call.services.monitor.check(health.PATIENCE)
    reasons = health.reasons(report, call.gate.stopping, call.services.settings.ready_records)
    if reasons:
        detail = "; ".join(f"{part}: {said}" for part, said in reasons.items())
        return answer(document("not-ready", detail, call.language, reasons=reasons), call.language)
    return Ready(True, {}, health.remarks(report))


@api.get("/metrics", _METRICS, fleeting=True)
async def metrics(call: Call) -> Response:
    """Metrics for Prometheus."""
    await call.services.monitor.check(_GLANCE)
    return Response(call.services.metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")


# ── The games ──

games_api = Api("games", "The games of the house: editions, options, components.")


@games_api.get("/v1/games", GameList)
async def list_games(call: Call) -> GameList:
    """The games with their titles, editions and options."""
    call.final = True
    return GameList([game_view(game) for game in GAMES.values()])


@games_api.get("/v1/games/{game}", GameDetail, refusals=("unknown-game",))
async def read_game(call: Call, game: GameName) -> GameDetail:
    """One game with its components; names and card texts in English and Russian."""
    if game not in GAMES:
        raise Refused("unknown-game", "no-such-game", {"games": list(GAMES)})
    call.final = True
    return game_detail(GAMES[game])
