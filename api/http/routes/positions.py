"""How a match looked: the scene after one move, as data or as a drawn board, and all positions."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Annotated

from fastapi import Query, Response
from msgspec import UNSET

from api.http.decoding import JSON, media_type
from api.http.permissions import looked, looked_back, move_of, viewer
from api.http.routes import After, At, AtLeast, MatchId, View
from api.http.routing import FORBIDDEN, LOOKS, Answer, Api, Call, Documented, encode
from api.http.schemas import SceneView
from api.http.views import SPECTATOR, players_of
from api.settings import PICTURES, missing
from domain.bounds import MOST
from domain.kernel import Refused, Seat
from domain.match import Match
from domain.match_base import Chair, Outline
from replay.positions import table_at
from replay.scenes.candidates import candidates as candidates_in
from replay.scenes.positions import Positions, positions, scene_at
from replay.words import Words

api = Api("positions", "How a match looked after each move: scenes, drawn boards, positions.")
SVG, PNG = "image/svg+xml", "image/png"
_ALONE = "default-src 'none'; style-src 'unsafe-inline'; sandbox"  # a picture loads and runs nothing
Until = Annotated[int | None, Query(ge=1, le=MOST, description="Moves up to this one; left out: all.")]

Listed = Annotated[
    bool,
    Query(description="With `candidates`: by panel, the ids that may lie face down there."),
]
Templates = Annotated[
    bool,
    Query(description="With `templates` in place of `sentences`: the same texts with `{id}` for a name."),
]

Lang = Annotated[
    str | None,
    Query(pattern="^(en|ru)$", description="The language of the sentences; left out: that of the request."),
]


@api.get(
    "/v1/matches/{match}/positions",
    Positions,
    personal=True,
    refusals=(*FORBIDDEN, *LOOKS, "unknown-seat"),
)
async def read_positions(
    call: Call,
    match: MatchId,
    after: After = 0,
    until: Until = None,
    at_least: AtLeast = None,
    view: View = None,
    templates: Templates = False,
    lang: Lang = None,
) -> Response:
    """Every move with what it changed in the scene, and in sentences."""
    call.language = lang or call.language
    cached = await looked(call, match, after, until, at_least)
    if until is not None and until < after:
        raise Refused("invalid", "until-before-after", {"until": until, "after": after})
    found, seen_by = cached.match, viewer(cached.match, call.player, view)
    names = await call.services.names.of(players_of(cached), call.language)
    call.final = found.closed is not None
    return Answer(await _page(call, found, seen_by, after, until, names, templates), 200, call.language)


async def _page(
    call: Call,
    match: Match,
    seen_by: Chair | None,
    after: int,
    until: int | None,
    names: Mapping[str, str],
    templates: bool,
) -> bytes:
    """The encoded page; that of a match that is over is kept, because most are read more than once."""
    services, most = call.services, call.services.settings.moves_per_page
    key = (match.roots[-1], seen_by, after, until, call.language, tuple(names.items()), templates)
    page = services.pages.get(key)
    if page is not None:
        return page
    async with services.rendering:
        page = services.pages.get(key)  # others may have asked for the same meanwhile
        if page is None:
            match.records[-1].rest()  # facts just made may hold mappings in an order that no log keeps
            words = Words(match, call.language)
            page = await asyncio.to_thread(
                lambda: encode(positions(match, seen_by, after, until, words, names, most, templates))
            )
            match.rest()  # its entries were decoded for this page alone
    if call.final and len(page) <= services.pages.maxsize:
        services.pages[key] = page
    return page


@api.get(
    "/v1/matches/{match}/scene",
    SceneView,
    personal=True,
    refusals=(*FORBIDDEN, *LOOKS, "unknown-seat", "no-board", "no-picture"),
    also=[Documented(200, "Done", (SVG, PNG))],
)
async def read_scene(
    call: Call,
    match: MatchId,
    at: At = None,
    at_least: AtLeast = None,
    view: View = None,
    candidates: Listed = False,
) -> SceneView | Response:
    """How the table looks after a move: the scene as JSON, or the drawn board as SVG or PNG, by Accept."""
    found = (await looked_back(call, match, at, at_least)).match
    moment = move_of(found, at)
    seen_by = viewer(found, call.player, view, moment)
    seat = found.seat_of(seen_by, moment) if seen_by else None
    call.final = found.closed is not None
    kind = media_type(call.request.headers.get("accept", ""), (JSON, SVG, PNG))
    if kind == JSON:
        shown = scene_at(found, moment, seat)
        listed = candidates_in(found.game.name, table_at(found, moment, seat)) if candidates else UNSET
        return SceneView(found.id, seat or SPECTATOR, moment, found.move, shown, listed)
    if kind == PNG:
        return await picture(call, found, moment, seat)
    return _picture(call, await _svg(call, found, moment, seat), SVG)


async def picture(call: Call, match: Outline, move: int, viewer: Seat | None) -> Response:
    """The board after a move as a PNG, kept in memory; only of what everybody may see.

    Raises:
        Refused: forbidden (the view of a seat before the end), no-board, no-picture.
    """
    services = call.services
    if viewer is not None and match.closed is None:
        raise Refused("forbidden", "picture-of-a-seat")
    key = (PNG, match.root_at(move), viewer, move, match.move, call.language)
    drawn = services.pages.get(key)
    if drawn is None:
        svg = await _svg(call, match, move, viewer)
        if missing(PICTURES, ""):
            raise Refused("no-picture", "no-picture-extra")
        async with services.rendering:
            drawn = services.pages.get(key)  # others may have asked for the same meanwhile
            if drawn is None:
                drawn = await asyncio.to_thread(_png, svg)
        services.pages[key] = drawn
    return _picture(call, drawn, PNG)


async def small_picture(call: Call, match: Outline, move: int) -> Response:
    """The board after a move as a spectator sees it, small and without texts, as SVG, kept in memory.

    Raises:
        Refused: no-board.
    """
    from replay.boards.small import small_svg

    services, key = call.services, ("small", match.root_at(move))
    drawn = services.pages.get(key)
    if drawn is None:
        async with services.rendering:
            found = await asyncio.to_thread(small_svg, match, move)
        if found is None:
            raise Refused("no-board", "no-board", {"game": Words(match, call.language).game})
        services.pages[key] = drawn = found.encode()
    return _picture(call, drawn, SVG)


def _png(svg: str) -> bytes:
    from replay.boards.pictures import NoPicture, png

    try:
        return png(svg)
    except NoPicture as none:
        raise Refused("no-picture", "no-picture-font") from none


async def _svg(call: Call, match: Outline, move: int, viewer: Seat | None) -> str:
    from replay.boards.drawing import svg

    words = Words(match, call.language)
    async with call.services.rendering:
        drawn = await asyncio.to_thread(svg, match, move, viewer, words)
    if drawn is None:
        raise Refused("no-board", "no-board", {"game": words.game})
    return drawn


def _picture(call: Call, drawn: str | bytes, kind: str) -> Response:
    head = {"content-language": call.language, "content-security-policy": _ALONE}
    return Response(drawn, headers=head, media_type=kind)
