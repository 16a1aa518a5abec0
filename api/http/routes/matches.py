"""Opening a match, sitting down, commands, and looking at a match."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import Path, Query, Response
from msgspec import UNSET
from msgspec.structs import asdict, replace

from api.gate import CachedMatch, CommandResult, UncachedMatch
from api.gate.command_handler import seat_if_any, seats_of
from api.http.account_schemas import BOT
from api.http.idempotency import IdempotencyKey, key_of
from api.http.permissions import looked, looked_back, move_of, receipt_of, viewer
from api.http.request_schemas import (
    Closing,
    Moves,
    NewBranch,
    NewMatch,
    OpenSalt,
    Resignation,
    Ruling,
    Sit,
    Takeback,
    TakebackAnswer,
)
from api.http.routes import PLAYING, At, AtLeast, MatchId, SeatName, View
from api.http.routes.reservations import asked_for, reserved_seats, those_that_stand
from api.http.routing import FILE, FORBIDDEN, LOOKS, SENT, Api, Call, Caller, Documented
from api.http.schemas import Done, MatchSummary, MatchView, OpenedMatch, PromptView
from api.http.views import as_left, asked_at, match_view, played, players_of, prompt_view, summary
from api.store.log_proofs import evidence_of
from domain.bounds import MOST
from domain.clocks import Clock
from domain.kernel import Picks, Refused, Result
from domain.match import Match
from domain.match_base import ALL
from replay.transparency.evidence import Evidence

# ── Opening a match, sitting down, and looking at it ──


api = Api("matches", "Opening a match, sitting down, looking at it.")
_NOTE = "text/plain"
Agenda = Annotated[bool, Query(description="With what remains to be done, for programs that search.")]
_OPENING = (
    *SENT,
    "unknown-game",
    "unknown-player",
    "unknown-seat",
    "bad-option",
    "key-reused",
    "in-doubt",
    "log-behind",
)
COMMANDS = (
    *SENT,
    "foreign",
    "unknown-match",
    "not-running",
    "over",
    "time",
    "record",
    "conflict",
    "withdrawn",
    "key-reused",
    "in-doubt",
    "log-behind",
)


@api.post("/v1/matches", NewMatch, OpenedMatch, refusals=_OPENING, token=True)
async def open_match(call: Call, body: NewMatch, idempotency_key: IdempotencyKey = None) -> OpenedMatch:
    """Open a match; play starts when the last seat is taken."""
    person = call.person(*PLAYING)
    key = key_of(call, idempotency_key, body)
    codes, reserved = await asked_for(call, {} if body.reserved is UNSET else body.reserved)
    accepted = await call.gate.open(
        person.id,
        body.game,
        body.edition,
        body.options,
        key=key,
        reserved=reserved,
        private=body.private is True,
        clock=_terms(body),
    )
    told = await _opened(call, accepted)
    stands = await those_that_stand(call, accepted.cached.match.id, codes)
    return OpenedMatch(**asdict(told), invitations=stands or UNSET)


def _terms(body: NewMatch) -> Clock:
    if body.clock is UNSET:
        return ()
    return body.clock if isinstance(body.clock, tuple) else (body.clock,)


@api.post(
    "/v1/matches/{match}/branches",
    NewBranch,
    MatchSummary,
    refusals=(
        *SENT,
        "unknown-match",
        "unknown-move",
        "withdrawn",
        "branch",
        "key-reused",
        "in-doubt",
        "log-behind",
    ),
    token=True,
)
async def open_branch(
    call: Caller, match: MatchId, body: NewBranch, idempotency_key: IdempotencyKey = None
) -> MatchSummary:
    """Open a match of its own that goes on from a move of this one, which is over; it is never rated."""
    person = call.person(*PLAYING)
    key = key_of(call, idempotency_key, body, what=f"branch of {match}")
    return await _opened(call, await call.gate.open_branch(person.id, match, body.at, key=key))


@api.post(
    "/v1/matches/{match}/seats/{seat}",
    Sit,
    MatchSummary,
    refusals=(*COMMANDS, "unknown-seat", "reserved", "seat-taken", "unknown-bot", "limit"),
    token=True,
)
async def sit_down(
    call: Caller, match: MatchId, seat: SeatName, body: Sit, idempotency_key: IdempotencyKey = None
) -> MatchSummary:
    """Take a seat, or let a bot play it."""
    person = call.person(*PLAYING)
    key = key_of(call, idempotency_key, body, match=match, what=f"seat {seat}")
    hashed = None if body.salt_hash is UNSET else body.salt_hash
    if body.salt is not None and hashed is not None:
        raise Refused("invalid", "salt-or-hash")
    if body.bot is None:
        code = None if body.invitation is UNSET else body.invitation
        is_program = person.role == BOT
        if is_program and (body.salt is not None or hashed is not None):
            raise Refused("invalid", "bot-with-salt")
        accepted = await call.gate.sit(
            match,
            seat,
            person.id,
            salt=body.salt,
            salt_hash=hashed,
            invitation=code,
            key=key,
            is_program=is_program,
        )
    elif body.invitation is not UNSET:
        raise Refused("invalid", "bot-with-invitation")
    elif body.salt is not None or hashed is not None:
        raise Refused("invalid", "bot-with-salt")
    else:
        by = None if person.role in ("organizer", "admin") else person.id
        accepted = await call.gate.sit(match, seat, by, bot=body.bot, key=key)
    return await _opened(call, accepted)


@api.post(
    "/v1/matches/{match}/seats/{seat}/salt",
    OpenSalt,
    MatchSummary,
    refusals=(*COMMANDS, "unknown-seat", "salt"),
    token=True,
)
async def open_salt(
    call: Caller, match: MatchId, seat: SeatName, body: OpenSalt, idempotency_key: IdempotencyKey = None
) -> MatchSummary:
    """Open the salt whose hash I brought; with the last one play starts."""
    person = call.person(*PLAYING)
    key = key_of(call, idempotency_key, body, match=match, what=f"salt {seat}")
    return await _opened(call, await call.gate.open_salt(match, seat, person.id, body.salt, key=key))


async def _opened(call: Caller, accepted: CommandResult) -> MatchSummary:
    """The match as the command left it, in the language of the request that came first."""
    call.language = accepted.form or call.language
    left = as_left(accepted)
    names = await call.services.names.of(players_of(left), call.language)
    return summary(left, names, call.language, receipt_of(call, left))


@api.get(
    "/v1/matches/{match}",
    MatchView,
    personal=True,
    refusals=(*FORBIDDEN, *LOOKS, "unknown-seat"),
)
async def read_match(
    call: Call,
    match: MatchId,
    at: At = None,
    at_least: AtLeast = None,
    view: View = None,
) -> MatchView:
    """The table after a move, as a viewer may see it; the same bytes until a move comes or a flag falls."""
    seen = await looked_back(call, match, at, at_least)
    names = await call.services.names.of(players_of(seen), call.language)
    moment = move_of(seen.match, at)
    seen_by = viewer(seen.match, call.player, view, moment)
    receipt, reserved = await _receipt(call, seen), await reserved_seats(call, seen.match)
    call.final = seen.match.closed is not None
    now = call.services.clock()
    return match_view(seen, names, seen_by, moment, call.language, receipt, reserved, now)


async def _receipt(call: Call, seen: CachedMatch | UncachedMatch) -> str | None:
    """See `receipt_of`; an open match has few moves, so that it may be read whole for this."""
    if seen.match.status != "open":
        return None
    return receipt_of(call, seen if isinstance(seen, CachedMatch) else await call.gate.cached(seen.match.id))


@api.get(
    "/v1/matches/{match}/prompt",
    PromptView,
    personal=True,
    refusals=(*FORBIDDEN, *LOOKS, "unknown-seat"),
    also=[Documented(204, "This viewer is not asked")],
)
async def read_prompt(
    call: Call,
    match: MatchId,
    at: At = None,
    at_least: AtLeast = None,
    view: View = None,
    agenda: Agenda = False,
) -> PromptView | Response:
    """What I am asked now; or what a seat was asked after a move: my own, or any when the match is over."""
    if at is None and view is None:
        asked = await prompt_of(call, match, at_least, agenda=agenda)
    elif agenda:
        raise Refused("invalid", "agenda-now")
    else:
        found = (await looked(call, match, at, at_least)).match
        asked = _asked_then(call, found, move_of(found, at), view)
        call.final = found.closed is not None
    return asked or Response(status_code=204)


def _asked_then(call: Call, match: Match, move: int, view: str | None) -> PromptView | None:
    """What a viewer was asked after a move; with "all", what the first of the asked seats was.

    Raises:
        Refused: unknown-seat, forbidden.
    """
    seats = seats_of(match, call.player, move)
    if view is not None:
        seen_by = viewer(match, call.player, view, move)
        seats = list(match.seats) if seen_by == ALL else [match.seat_of(seen_by, move)] if seen_by else []
    for seat in seats:
        standing = asked_at(match, move, seat)
        if standing:
            return prompt_view(match, *standing, call.language, move)
    return None


async def prompt_of(
    call: Caller, match: str, at_least: int | None = None, *, agenda: bool = False
) -> PromptView | None:
    """What the caller is asked now, if anything."""
    return question(call, await looked(call, match, at_least), agenda=agenda)


def question(call: Caller, cached: CachedMatch, *, agenda: bool = False) -> PromptView | None:
    """What the caller is asked in the match as it stands here, if anything.

    `agenda`: with what remains to be done.  Of a seat that is asked this is no secret: no step of it names
    what that seat cannot know (`tests/domain/agents/laws.py`).
    """
    match = cached.match
    seat = seat_if_any(match, call.player)
    standing = asked_at(match, match.move, seat) if seat else None
    if standing is None:
        return None
    told = prompt_view(match, *standing, call.language)
    return replace(told, at=match.move, agenda=list(match.live.agenda)) if agenda else told


@api.get("/v1/matches/{match}/checkpoint", _NOTE, refusals=(*LOOKS, "not-signed-here", "log-behind"))
async def read_checkpoint(call: Call, match: MatchId, move: At = None, at_least: AtLeast = None) -> Response:
    """The signed checkpoint over the moves up to one: a C2SP signed note, Ed25519.

    Of an uploaded or imported match there is only the one that it brought, over all its moves.
    """
    found = (await looked(call, match, move, at_least)).match
    note = await checkpoint(call, found, move_of(found, move))
    return Response(note.encode(), media_type="text/plain; charset=utf-8")


InLog = Annotated[bool, Query(description="With the proof from the server's log.")]


@api.get("/v1/matches/{match}/file", FILE, refusals=(*LOOKS, "not-signed-here"))
async def read_file(call: Call, match: MatchId, at_least: AtLeast = None, log: InLog = False) -> Response:
    """The match file; that of a running match comes without private parts.

    With `log=true` it also holds the proof that its opening and, if it is over, its end are in the server's
    log, if a signed checkpoint covers them already.
    """
    from replay import matchfile

    found = (await looked(call, match, at_least)).match
    records = list(found.records)
    note = await checkpoint(call, found, len(records))
    async with call.services.files:
        proof = await asyncio.to_thread(_evidence, call, found) if log else None
        content = await asyncio.to_thread(matchfile.write, records, note, proof)
    headers = {"content-disposition": f'attachment; filename="{match}.glasnost"'}
    return Response(content, headers=headers, media_type=FILE)


def _evidence(call: Call, match: Match) -> Evidence | None:
    """The proof for a match from the server's log; that of a running match has no leaf of the end."""
    return evidence_of(call.services.store, match.id, 2 if match.closed else 1)


async def checkpoint(call: Call, match: Match, move: int) -> str:
    """The signed checkpoint over the first `move` moves; the last one of a match that is over was kept.

    Raises:
        Refused: not-signed-here.
    """
    if match.closed and move == match.move:
        kept = await asyncio.to_thread(call.services.store.note, match.id)
        if kept:
            return kept
    return call.gate.checkpoint(match, move)


# ── What may be said to a match: answers, takebacks, resignation, rulings ──
#
# The socket (`api.http.ws_session`) calls the same functions.


commands_api = Api("commands", "What may be said to a match: answers, takebacks, resignation, rulings.")
_BY_RULING = "ruling"
RequestMove = Annotated[int, Path(ge=1, le=MOST, description="The move that asked for the takeback.")]


@commands_api.post(
    "/v1/matches/{match}/moves",
    Moves,
    Done,
    refusals=(*COMMANDS, "stale", "not-asked", "illegal", "batch", "frozen"),
    token=True,
)
async def play(call: Caller, match: MatchId, body: Moves, idempotency_key: IdempotencyKey = None) -> Done:
    """Answer what I am asked, once or several times in a row: all of it or nothing."""
    person = call.person(*PLAYING)
    key = key_of(call, idempotency_key, body, match=match)
    accepted = await call.gate.play(match, _answers(body), player=person.id, expect=body.expect, key=key)
    return done_view(call, accepted)


@commands_api.post(
    "/v1/matches/{match}/takebacks", Takeback, Done, refusals=(*COMMANDS, "takeback", "frozen"), token=True
)
async def ask_takeback(
    call: Caller, match: MatchId, body: Takeback, idempotency_key: IdempotencyKey = None
) -> Done:
    """Ask to go back; the other seat answers, and the request lapses with the next move."""
    person = call.person(*PLAYING)
    key = key_of(call, idempotency_key, body, match=match, what="takeback")
    return done_view(call, await call.gate.ask_takeback(match, player=person.id, to=body.to, key=key))


@commands_api.post(
    "/v1/matches/{match}/takebacks/{n}/answer",
    TakebackAnswer,
    Done,
    refusals=(*COMMANDS, "takeback", "frozen"),
    token=True,
)
async def answer_takeback(
    call: Caller, match: MatchId, n: RequestMove, body: TakebackAnswer, idempotency_key: IdempotencyKey = None
) -> Done:
    """Agree to the request that was made at move `n`, or not."""
    person = call.person(*PLAYING)
    key = key_of(call, idempotency_key, body, match=match, what=f"takeback {n}")
    return done_view(call, await call.gate.answer_takeback(match, n, body.agree, player=person.id, key=key))


@commands_api.post(
    "/v1/matches/{match}/resignation", Resignation, Done, refusals=(*COMMANDS, "frozen"), token=True
)
async def resign(
    call: Caller, match: MatchId, body: Resignation, idempotency_key: IdempotencyKey = None
) -> Done:
    """Give up."""
    person = call.person(*PLAYING)
    key = key_of(call, idempotency_key, body, match=match, what="resignation")
    return done_view(call, await call.gate.resign(match, player=person.id, key=key))


@commands_api.post("/v1/matches/{match}/closing", Closing, Done, refusals=(*COMMANDS, "salt"), token=True)
async def close_unopened(
    call: Caller, match: MatchId, body: Closing, idempotency_key: IdempotencyKey = None
) -> Done:
    """Close a match, without a result, that waits too long for a salt."""
    person = call.person(*PLAYING)
    key = key_of(call, idempotency_key, body, match=match, what="closing")
    by = None if person.role in ("organizer", "admin") else person.id
    return done_view(call, await call.gate.close_unopened(match, by, key=key))


@commands_api.post(
    "/v1/matches/{match}/rulings",
    Ruling,
    Done,
    refusals=(*COMMANDS, "stale", "ruling", "interest", "unknown-tournament"),
    token=True,
)
async def rule(call: Caller, match: MatchId, body: Ruling, idempotency_key: IdempotencyKey = None) -> Done:
    """An organizer rules: back to a move, a result, or void."""
    person = call.person("organizer", "admin")
    result = Result(body.result.winner, _BY_RULING, dict(body.result.score)) if body.result else None
    key = key_of(call, idempotency_key, body, match=match, what="ruling")
    accepted = await call.gate.rule(
        match,
        person.id,
        body.reason,
        expect=body.expect,
        back_to=body.back_to,
        result=result,
        void=body.void,
        key=key,
    )
    return done_view(call, accepted)


def _answers(body: Moves) -> list[Picks]:
    if (body.picks is UNSET) == (body.answers is UNSET):
        raise Refused("invalid", "picks-or-answers")
    return [body.picks] if body.picks is not UNSET else list(body.answers or ())


def done_view(call: Caller, accepted: CommandResult) -> Done:
    """Return the answer in the language of the request, or of the one that this one repeats."""
    call.language = accepted.form or call.language
    return played(accepted, call.language)
