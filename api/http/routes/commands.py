"""What may be said to a match: answers, takebacks, resignation, rulings.

The socket (`api.http.sockets.door`) calls the same functions.
"""

from __future__ import annotations

from msgspec import UNSET

from api.gate import Accepted
from api.http.edge import Api, Caller
from api.http.keying import key_of
from api.http.params import IdempotencyKey, MatchId, RequestMove
from api.http.problems import Failed
from api.http.routes.matches import PLAYING
from api.http.shapes import Closing, Done, Moves, Resignation, Ruling, Takeback, TakebackAnswer
from api.http.views import played
from domain.kernel import Picks, Result

api = Api("commands", "What may be said to a match: answers, takebacks, resignation, rulings.")
_REFUSALS = (403, 404, 409, 410, 413, 415, 503)
_BY_RULING = "ruling"


@api.post("/v1/matches/{match}/moves", Moves, Done, refusals=_REFUSALS, token=True)
async def play(call: Caller, match: MatchId, body: Moves, idempotency_key: IdempotencyKey = None) -> Done:
    """Answer what I am asked, once or several times in a row: all of it or nothing."""
    person = call.person(*PLAYING)
    key = key_of(call, idempotency_key, body, match=match)
    accepted = await call.gate.play(match, _answers(body), player=person.id, expect=body.expect, key=key)
    return _told(call, accepted)


@api.post("/v1/matches/{match}/takebacks", Takeback, Done, refusals=_REFUSALS, token=True)
async def ask_takeback(
    call: Caller, match: MatchId, body: Takeback, idempotency_key: IdempotencyKey = None
) -> Done:
    """Ask to go back; the other seat answers, and the request lapses with the next move."""
    person = call.person(*PLAYING)
    key = key_of(call, idempotency_key, body, match=match, what="takeback")
    return _told(call, await call.gate.ask_takeback(match, player=person.id, to=body.to, key=key))


@api.post("/v1/matches/{match}/takebacks/{n}/answer", TakebackAnswer, Done, refusals=_REFUSALS, token=True)
async def answer_takeback(
    call: Caller, match: MatchId, n: RequestMove, body: TakebackAnswer, idempotency_key: IdempotencyKey = None
) -> Done:
    """Agree to the request that was made at move `n`, or not."""
    person = call.person(*PLAYING)
    key = key_of(call, idempotency_key, body, match=match, what=f"takeback {n}")
    return _told(call, await call.gate.answer_takeback(match, n, body.agree, player=person.id, key=key))


@api.post("/v1/matches/{match}/resignation", Resignation, Done, refusals=_REFUSALS, token=True)
async def resign(
    call: Caller, match: MatchId, body: Resignation, idempotency_key: IdempotencyKey = None
) -> Done:
    """Give up."""
    person = call.person(*PLAYING)
    key = key_of(call, idempotency_key, body, match=match, what="resignation")
    return _told(call, await call.gate.resign(match, player=person.id, key=key))


@api.post("/v1/matches/{match}/closing", Closing, Done, refusals=_REFUSALS, token=True)
async def close_unopened(
    call: Caller, match: MatchId, body: Closing, idempotency_key: IdempotencyKey = None
) -> Done:
    """Close a match, without a result, that waits too long for a salt."""
    person = call.person(*PLAYING)
    key = key_of(call, idempotency_key, body, match=match, what="closing")
    by = None if person.role in ("organizer", "admin") else person.id
    return _told(call, await call.gate.close_unopened(match, by, key=key))


@api.post("/v1/matches/{match}/rulings", Ruling, Done, refusals=_REFUSALS, token=True)
async def rule(call: Caller, match: MatchId, body: Ruling, idempotency_key: IdempotencyKey = None) -> Done:
    """An organizer rules: back to a move, a result, or void."""
    person = call.person("organizer", "admin")
    result = Result(body.result.winner, _BY_RULING, dict(body.result.score)) if body.result else None
    key = key_of(call, idempotency_key, body, match=match, what="ruling")
    accepted = await call.gate.rule(
        match, person.id, body.reason, back_to=body.back_to, result=result, void=body.void, key=key
    )
    return _told(call, accepted)


def _answers(body: Moves) -> list[Picks]:
    if (body.picks is UNSET) == (body.answers is UNSET):
        raise Failed("invalid", "send exactly one of picks and answers")
    return [body.picks] if body.picks is not UNSET else list(body.answers or ())


def _told(call: Caller, accepted: Accepted) -> Done:
    """The answer in the language of the request, or of the one that this one repeats."""
    call.language = accepted.form or call.language
    return played(accepted, call.language)
