"""Opening a match, sitting down, and looking at it."""

from __future__ import annotations

import asyncio

from fastapi import Response
from msgspec import UNSET
from msgspec.structs import asdict

from api.gate import Accepted, Desk, Glimpsed
from api.gate.orders import seat_if_any
from api.http.edge import FILE, Api, Call, Caller, Documented
from api.http.keying import key_of
from api.http.looking import looked, looked_back, move_of, receipt_of, viewer
from api.http.params import At, AtLeast, IdempotencyKey, MatchId, SeatName, View
from api.http.problems import Failed
from api.http.reserving import asked_for, reserved_seats, those_that_stand
from api.http.shapes import MatchSummary, MatchView, NewMatch, OpenedMatch, OpenSalt, PromptView, Sit
from api.http.views import as_left, asked_at, match_view, players_of, prompt_view, summary
from domain.match import Match

api = Api("matches", "Opening a match, sitting down, looking at it.")
PLAYING = ("player", "organizer", "admin")
_NOTE = "text/plain"


@api.post("/v1/matches", NewMatch, OpenedMatch, refusals=(403, 404, 413, 415, 503), token=True)
async def open_match(call: Call, body: NewMatch, idempotency_key: IdempotencyKey = None) -> OpenedMatch:
    """Open a match; play starts when the last seat is taken."""
    person = call.person(*PLAYING)
    key = key_of(call, idempotency_key, body)
    codes, reserved = await asked_for(call, {} if body.reserved is UNSET else body.reserved)
    accepted = await call.gate.open(
        person.id, body.game, body.edition, body.options, key=key, reserved=reserved
    )
    told = await _opened(call, accepted)
    stands = await those_that_stand(call, accepted.desk.match.id, codes)
    return OpenedMatch(**asdict(told), invitations=stands or UNSET)


@api.post(
    "/v1/matches/{match}/seats/{seat}",
    Sit,
    MatchSummary,
    refusals=(403, 404, 409, 410, 413, 415, 503),
    token=True,
)
async def sit_down(
    call: Caller, match: MatchId, seat: SeatName, body: Sit, idempotency_key: IdempotencyKey = None
) -> MatchSummary:
    """Take a seat, or let a bot of the house play it."""
    person = call.person(*PLAYING)
    key = key_of(call, idempotency_key, body, match=match, what=f"seat {seat}")
    hashed = None if body.salt_hash is UNSET else body.salt_hash
    if body.salt is not None and hashed is not None:
        raise Failed("invalid", "send the salt or its hash, not both - at `$.salt`")
    if body.bot is None:
        code = None if body.invitation is UNSET else body.invitation
        accepted = await call.gate.sit(
            match, seat, person.id, salt=body.salt, salt_hash=hashed, invitation=code, key=key
        )
    elif body.invitation is not UNSET:
        raise Failed("invalid", "a bot brings no invitation - at `$.invitation`")
    elif body.salt is not None or hashed is not None:
        raise Failed("invalid", "a bot brings no salt - at `$.salt`")
    else:
        by = None if person.role in ("organizer", "admin") else person.id
        accepted = await call.gate.sit(match, seat, by, bot=body.bot, key=key)
    return await _opened(call, accepted)


@api.post(
    "/v1/matches/{match}/seats/{seat}/salt",
    OpenSalt,
    MatchSummary,
    refusals=(403, 404, 409, 410, 413, 415, 503),
    token=True,
)
async def open_salt(
    call: Caller, match: MatchId, seat: SeatName, body: OpenSalt, idempotency_key: IdempotencyKey = None
) -> MatchSummary:
    """Open the salt whose hash I brought; with the last one play starts."""
    person = call.person(*PLAYING)
    key = key_of(call, idempotency_key, body, match=match, what=f"salt {seat}")
    return await _opened(call, await call.gate.open_salt(match, seat, person.id, body.salt, key=key))


async def _opened(call: Caller, accepted: Accepted) -> MatchSummary:
    """The match as the command left it, in the language of the request that came first."""
    call.language = accepted.form or call.language
    left = as_left(accepted)
    names = await call.services.names.of(players_of(left), call.language)
    return summary(left, names, call.language, receipt_of(call, left))


@api.get(
    "/v1/matches/{match}",
    MatchView,
    personal=True,
    refusals=(403, 404, 410, 503),
)
async def read_match(
    call: Call,
    match: MatchId,
    at: At = None,
    at_least: AtLeast = None,
    view: View = None,
) -> MatchView:
    """The table after a move, as a viewer may see it; the same bytes while the match is unchanged."""
    seen = await looked_back(call, match, at, at_least)
    names = await call.services.names.of(players_of(seen), call.language)
    moment = move_of(seen.match, at)
    seen_by = viewer(seen.match, call.player, view, moment)
    receipt, reserved = await _receipt(call, seen), await reserved_seats(call, seen.match)
    call.final = seen.match.closed is not None
    return match_view(seen, names, seen_by, moment, call.language, receipt, reserved)


async def _receipt(call: Call, seen: Desk | Glimpsed) -> str | None:
    """See `receipt_of`; an open match has few moves, so that it may be read whole for this."""
    if seen.match.status != "open":
        return None
    return receipt_of(call, seen if isinstance(seen, Desk) else await call.gate.desk(seen.match.id))


@api.get(
    "/v1/matches/{match}/prompt",
    PromptView,
    personal=True,
    refusals=(404, 410, 503),
    also=[Documented(204, "This viewer is not asked")],
)
async def read_prompt(call: Call, match: MatchId, at_least: AtLeast = None) -> PromptView | Response:
    """What I am asked now."""
    asked = await prompt_of(call, match, at_least)
    return asked or Response(status_code=204)


async def prompt_of(call: Caller, match: str, at_least: int | None = None) -> PromptView | None:
    """What who asks is asked now, if anything."""
    found = (await looked(call, match, at_least)).match
    seat = seat_if_any(found, call.player)
    standing = asked_at(found, found.move, seat) if seat else None
    return prompt_view(found, *standing, call.language) if standing else None


@api.get("/v1/matches/{match}/checkpoint", _NOTE, refusals=(404, 409, 410, 503))
async def read_checkpoint(call: Call, match: MatchId, move: At = None, at_least: AtLeast = None) -> Response:
    """The signed checkpoint over the moves up to one: a C2SP signed note, Ed25519.

    Of an uploaded or imported match there is only the one that it brought, over all its moves.
    """
    found = (await looked(call, match, move, at_least)).match
    note = await _checkpoint(call, found, move_of(found, move))
    return Response(note.encode(), media_type="text/plain; charset=utf-8")


@api.get("/v1/matches/{match}/file", FILE, refusals=(404, 409, 410, 503))
async def read_file(call: Call, match: MatchId, at_least: AtLeast = None) -> Response:
    """The match file; that of a running match comes without private parts."""
    from replay import matchfile

    found = (await looked(call, match, at_least)).match
    records = list(found.records)
    note = await _checkpoint(call, found, len(records))
    async with call.services.files:
        content = await asyncio.to_thread(matchfile.write, records, note)
    headers = {"content-disposition": f'attachment; filename="{match}.glasnost"'}
    return Response(content, headers=headers, media_type=FILE)


async def _checkpoint(call: Call, match: Match, move: int) -> str:
    """Signed now, but for the last one of a match that is over: that was kept.

    Raises:
        Denied: not-signed-here.
    """
    if match.closed and move == match.move:
        kept = await asyncio.to_thread(call.services.store.note, match.id)
        if kept:
            return kept
    return call.gate.checkpoint(match, move)
