"""Opening a match, sitting down, and looking at it."""

from __future__ import annotations

import asyncio
import hashlib

from fastapi import Response

from api.gate.orders import seat_if_any
from api.http.edge import Api, Call, Documented
from api.http.looking import move_of, viewer
from api.http.params import At, IfNoneMatch, MatchId, SeatName, View
from api.http.problems import Failed
from api.http.shapes import MatchSummary, MatchView, NewMatch, PromptView, Sit
from api.http.views import asked_at, match_view, players_of, prompt_view, summary
from domain.match import Match

api = Api("matches")
PLAYING = ("player", "organizer", "admin")
_FILE = "application/zip"
_NOTE = "text/plain"


@api.post("/v1/matches", NewMatch, MatchSummary, refusals=(403, 404, 413, 415, 503), token=True)
async def open_match(call: Call, body: NewMatch) -> MatchSummary:
    """Open a match; play starts when the last seat is taken."""
    person = call.person(*PLAYING)
    accepted = await call.gate.open(person.id, body.game, body.edition, body.options)
    return summary(accepted.desk, {})


@api.post(
    "/v1/matches/{match}/seats/{seat}", Sit, MatchSummary, refusals=(403, 404, 409, 413, 415, 503), token=True
)
async def sit_down(call: Call, match: MatchId, seat: SeatName, body: Sit) -> MatchSummary:
    """Take a seat, or let a bot of the house play it."""
    person = call.person(*PLAYING)
    if body.bot is None:
        accepted = await call.gate.sit(match, seat, person.id, salt=body.salt)
    elif body.salt is not None:
        raise Failed("invalid", "a bot brings no salt - at `$.salt`")
    else:
        by = None if person.role in ("organizer", "admin") else person.id
        accepted = await call.gate.sit(match, seat, by, bot=body.bot)
    return summary(accepted.desk, await call.services.names.of(players_of(accepted.desk)))


@api.get(
    "/v1/matches/{match}",
    MatchView,
    refusals=(403, 404),
    also=[Documented(304, "Unchanged")],
)
async def read_match(
    call: Call, match: MatchId, at: At = None, view: View = None, if_none_match: IfNoneMatch = None
) -> Response:
    """The table after a move, as a viewer may see it; the same bytes while the match is unchanged."""
    desk = await call.gate.desk(match)
    names = await call.services.names.of(players_of(desk))
    moment = move_of(desk.match, at)
    seen_by = viewer(desk.match, call.player, view, moment)
    answer = call.answer(match_view(desk, names, seen_by, moment, call.language))
    answer.headers["etag"] = tag = f'"{hashlib.sha256(bytes(answer.body)).hexdigest()[:24]}"'
    if if_none_match is not None and tag in if_none_match:
        return Response(status_code=304, headers={"etag": tag, "cache-control": "no-cache"})
    return answer


@api.get(
    "/v1/matches/{match}/prompt",
    PromptView,
    refusals=(404,),
    also=[Documented(204, "This viewer is not asked")],
)
async def read_prompt(call: Call, match: MatchId) -> PromptView | Response:
    """What I am asked now."""
    found = await call.gate.match(match)
    seat = seat_if_any(found, call.player)
    standing = asked_at(found, found.move, seat) if seat else None
    if standing is None:
        return Response(status_code=204, headers={"cache-control": "no-cache"})
    return prompt_view(found, *standing, call.language)


@api.get("/v1/matches/{match}/checkpoint", _NOTE, refusals=(404,))
async def read_checkpoint(call: Call, match: MatchId, move: At = None) -> Response:
    """The signed checkpoint over the moves up to one: a C2SP signed note, Ed25519."""
    found = await call.gate.match(match)
    note = await _checkpoint(call, found, move_of(found, move))
    return Response(note.encode(), media_type="text/plain; charset=utf-8")


@api.get("/v1/matches/{match}/file", _FILE, refusals=(404,))
async def read_file(call: Call, match: MatchId) -> Response:
    """The match file; that of a running match comes without private parts."""
    from replay import matchfile

    found = await call.gate.match(match)
    records = list(found.records)
    note = await _checkpoint(call, found, len(records))
    async with call.services.files:
        content = await asyncio.to_thread(matchfile.write, records, note)
    headers = {"content-disposition": f'attachment; filename="{match}.glasnost"'}
    return Response(content, headers=headers, media_type=_FILE)


async def _checkpoint(call: Call, match: Match, move: int) -> str:
    """Signed now, but for the last one of a match that is over: that was kept."""
    if match.closed and move == match.move:
        kept = await asyncio.to_thread(call.services.store.note, match.id)
        if kept:
            return kept
    return call.gate.checkpoint(match, move)
