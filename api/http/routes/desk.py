"""The desk: setting and pausing the clocks of a match, freezing it.  The socket calls the same functions."""

from __future__ import annotations

from api.http.idempotency import IdempotencyKey, key_of
from api.http.routes import PLAYING, MatchId
from api.http.routes.matches import COMMANDS, done_view
from api.http.routing import Api, Caller
from api.http.schemas import ClockChange, Done, Freezing
from domain.kernel import Refused

api = Api("desk", "Extra time, pauses of the clocks, frozen matches.")
OFFICIALS = ("organizer", "admin")


@api.post(
    "/v1/matches/{match}/clock",
    ClockChange,
    Done,
    refusals=(*COMMANDS, "stale", "clock", "frozen"),
    token=True,
)
async def set_clock(
    call: Caller, match: MatchId, body: ClockChange, idempotency_key: IdempotencyKey = None
) -> Done:
    """Give the other seat time; as an organizer, set or pause clocks for a reason."""
    person = call.person(*(OFFICIALS if body.why or body.paused is not None else PLAYING))
    key = key_of(call, idempotency_key, body, match=match, what="clock")
    if (body.paused is None) == (body.seat is None):
        raise Refused("clock", "not-one-clock")
    desk, expect = call.gate.desk, body.expect
    if body.paused is not None:
        return done_view(
            call, await desk.pause(match, person.id, body.why, paused=body.paused, expect=expect, key=key)
        )
    accepted = await desk.set_clock(
        match, person.id, body.seat or "", body.why, more=body.more, left=body.left, expect=expect, key=key
    )
    return done_view(call, accepted)


@api.post("/v1/matches/{match}/freeze", Freezing, Done, refusals=(*COMMANDS, "stale", "freeze"), token=True)
async def freeze(
    call: Caller, match: MatchId, body: Freezing, idempotency_key: IdempotencyKey = None
) -> Done:
    """An organizer freezes the match, or releases it."""
    person = call.person(*OFFICIALS)
    key = key_of(call, idempotency_key, body, match=match, what="freeze")
    accepted = await call.gate.desk.freeze(
        match, person.id, body.reason, frozen=body.frozen, expect=body.expect, key=key
    )
    return done_view(call, accepted)
