"""A match turn by turn: the page for those who did not watch; it prints well, too."""

from __future__ import annotations

import asyncio

from starlette.responses import Response

from api.http.permissions import looked, viewer
from api.http.routes.lists import TurnView, turn_page
from api.http.routing import Call
from api.http.views import SPECTATOR, players_of, summary
from api.web.shell import HasShell
from domain.kernel import Refused
from projections.turns import usual_viewer
from replay.boards.drawing import BOARDS
from replay.words import Words

_FIRST = "0"  # the turns after this one


async def turns_page(pages: HasShell, call: Call, match: str) -> Response:
    """The turns of a match with their key moments, and the board before and after each.

    `view` is that of the match page; one that the reader may not see becomes the usual one.  `after` is where
    a further page begins.
    """
    query = call.request.query_params
    cached = await looked(call, match)
    found, move = cached.match, cached.match.move
    seen_by, denied = usual_viewer(found, move), False
    if "view" in query:
        try:
            seen_by = viewer(found, call.player, query["view"])
        except Refused:
            denied = True
    after = _place(query.get("after"))
    call.final = found.closed is not None
    async with call.services.rendering:
        page = await asyncio.to_thread(
            turn_page,
            found,
            move,
            seen_by,
            call.language,
            after,
            None,
            call.services.settings.turns_bytes,
        )
    names = await call.services.names.of(players_of(cached), call.language)
    about = summary(cached, names, call.language)
    words = Words(found, call.language)
    seats = [
        (
            words.name(seat),
            about.names.get(about.seats[seat] or "") or about.bots.get(seat, ""),
            seat in about.bots,
        )
        for seat in found.game.seats
    ]
    shown = found.seat_of(seen_by, move) if seen_by else None
    return pages.shell.page(
        call,
        "turns.html",
        title=words.game,
        game=found.game.name,
        match=found.id,
        seats=seats,
        places={seat: place for place, seat in enumerate(found.game.seats)},
        result=words.result(found.result) if found.result else None,
        view_name=shown or SPECTATOR,
        denied=denied,
        has_board=found.game.name in BOARDS,
        turns=[(turn, _ends(turn)) for turn in page.turns],
        moments=page.moments,
        marked={moment.move: moment.why[0] for moment in page.moments},
        next=page.next,
        after=after,
    )


def _ends(view: TurnView) -> tuple[int, int]:
    """The moves between which a turn lies: before its first play, and after its last one."""
    return max(view.turn.first - 1, 1), view.turn.last


def _place(wanted: str | None) -> str:
    """Where a page begins: what the address says, if it is what the page before wrote there."""
    number, dot, play = (wanted or _FIRST).partition(".")
    is_place = number.isascii() and number.isdigit() and len(number) < 10
    is_play = not dot or (play.isascii() and play.isdigit() and len(play) < 10)
    return wanted or _FIRST if is_place and is_play else _FIRST
