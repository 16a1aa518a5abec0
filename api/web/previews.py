"""What a link to a match shows elsewhere: title, description, and a picture of the board."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.responses import Response

from api.http.permissions import looked, viewer
from api.http.routes.positions import picture, small_picture
from api.http.routing import Call
from api.settings import PICTURES, missing
from api.web.shell import texts
from domain.match import Match
from replay.boards.drawing import BOARDS
from replay.boards.pictures import WIDTH, available

_PATIENT_DIGITS = 9  # a move has no more digits


def nearest_move(wanted: str | None, last: int) -> int:
    """Return the move of an address: the nearest one to a number, the latest for anything else."""
    text = (wanted or "").strip()
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()):
        return last
    number = int(digits[:_PATIENT_DIGITS]) if not text.startswith("-") else 1
    return min(max(number, 1), last)


async def has_picture(match: Match) -> bool:
    """Can this server draw a PNG of a match?"""
    return match.game.name in BOARDS and not missing(PICTURES, "") and await asyncio.to_thread(available)


async def preview_of(call: Call, context: dict[str, Any], match: Match, spoiler_free: bool) -> dict[str, Any]:
    """Return what the head of a match's page says to those that show its link.

    It says what anybody may know: of a view that only its player has, while the match runs, it says nothing,
    and it shows the spectator's.  Without spoilers it has neither the length nor the result nor a picture.
    """
    text = texts(call.language)
    public = match.closed is not None or context["view"] == "spectator"
    players = " – ".join(f"{seat['player']} ({seat['name']})" for seat in context["seats"] if seat["player"])
    move, view = context["move"], context["view"] if public else "spectator"
    place = text("move", move=move) if spoiler_free else text("move_of", move=move, last=context["last"])
    sentences = context["story"][-1][1] if public and context["story"] else []
    query = f"move={move}&view={view}{'&spoiler=off' if spoiler_free else ''}"
    address = call.request.url.replace(query=query, path=f"/m/{match.id}")
    drawn = f"/m/{match.id}/picture.png?move={move}&view={view}&lang={call.language}"
    return {
        "title": " · ".join(part for part in (context["title"], players) if part),
        "description": ". ".join([place[:1].upper() + place[1:], *sentences[:1]]),
        "address": str(address),
        "picture": drawn if not spoiler_free and await has_picture(match) else None,
        "image": str(call.request.url.replace(path=drawn.partition("?")[0], query=drawn.partition("?")[2])),
        "width": WIDTH,
    }


async def picture_page(pages: object, call: Call, match: str) -> Response:
    """The board of a match after a move as a PNG, at an address of its own: those that show links ask for it.

    There is no session here.  A move that does not exist becomes the nearest one, as on the page.
    """
    found = (await looked(call, match)).match
    move = nearest_move(call.request.query_params.get("move"), found.move)
    chair = viewer(found, None, call.request.query_params.get("view", "spectator"))
    call.final = found.closed is not None
    return await picture(call, found, move, found.seat_of(chair, move) if chair else None)


async def small_board(pages: object, call: Call, match: str) -> Response:
    """The board of a match after a move as a small picture, for lists; the same for everybody, for ever."""
    found = (await looked(call, match)).match
    move = nearest_move(call.request.query_params.get("move"), found.move)
    call.final = call.request.query_params.get("move") == str(move)
    return await small_picture(call, found, move)
