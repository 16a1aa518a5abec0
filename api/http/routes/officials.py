"""Officials: setting and pausing the clocks of a match, freezing it.  The socket calls the same functions."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from msgspec import UNSET

from api.http.idempotency import IdempotencyKey, key_of
from api.http.permissions import looked
from api.http.request_schemas import ClockChange, Freezing
from api.http.routes import PLAYING, At, MatchId
from api.http.routes.matches import COMMANDS, done_view
from api.http.routing import LOOKS, Api, Call, Caller
from api.http.schemas import Done, EvidenceView
from domain.kernel import Refused
from domain.log import Damaged, unb64
from domain.refusals import QUOTED
from replay.evidence import deeds, evidence_of, held

api = Api("officials", "Extra time, pauses of the clocks, frozen matches.")
Root = Annotated[
    str | None,
    Query(pattern="^[A-Za-z0-9+/]{43}=$", description="A root that a player kept, in base64."),
]
OFFICIALS = ("organizer", "admin")


@api.post(
    "/v1/matches/{match}/clock",
    ClockChange,
    Done,
    refusals=(*COMMANDS, "stale", "clock", "frozen", "interest", "unknown-tournament"),
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
    officials, expect = call.gate.officials, body.expect
    if body.why or body.paused is not None:
        await officials.must_be_official(match, person.id)
    if body.paused is not None:
        return done_view(
            call,
            await officials.pause(match, person.id, body.why, paused=body.paused, expect=expect, key=key),
        )
    accepted = await officials.set_clock(
        match,
        person.id,
        body.seat or "",
        body.why,
        more=body.more,
        left=body.left,
        until=body.until,
        expect=expect,
        key=key,
    )
    return done_view(call, accepted)


@api.get(
    "/v1/matches/{match}/evidence",
    EvidenceView,
    personal=True,
    refusals=(*LOOKS, "unauthorized", "forbidden", "invalid"),
)
async def evidence(call: Call, match: MatchId, at: At = None, root: Root = None) -> EvidenceView:
    """For organizers: takebacks, longest thinks, deeds of officials; is a root over `at` moves this log's?"""
    call.person(*OFFICIALS)
    found = (await looked(call, match)).match
    if (at is None) != (root is None):
        raise Refused("invalid", "root-with-move")
    try:
        stands = UNSET if at is None or root is None else held(found, at, unb64(root))
    except Damaged as error:
        raise Refused("invalid", QUOTED, {"said": str(error)}) from error
    return EvidenceView(found.id, found.move, evidence_of(found), list(deeds(found)), stands)


@api.post(
    "/v1/matches/{match}/freeze",
    Freezing,
    Done,
    refusals=(*COMMANDS, "stale", "freeze", "interest", "unknown-tournament"),
    token=True,
)
async def freeze(
    call: Caller, match: MatchId, body: Freezing, idempotency_key: IdempotencyKey = None
) -> Done:
    """An organizer freezes the match, or releases it."""
    person = call.person(*OFFICIALS)
    key = key_of(call, idempotency_key, body, match=match, what="freeze")
    await call.gate.officials.must_be_official(match, person.id)
    accepted = await call.gate.officials.freeze(
        match, person.id, body.reason, frozen=body.frozen, expect=body.expect, key=key
    )
    return done_view(call, accepted)
