"""The log of a match: pages, lines, and live."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

from fastapi import Response
from starlette.responses import StreamingResponse

from api.gate import Desk
from api.http.caching import NEVER, weak
from api.http.edge import Api, Call, Documented, encode
from api.http.looking import looked, sight, sight_of, viewer
from api.http.moves import Sight
from api.http.negotiation import EVENTS, JSON, LINES, media_type
from api.http.params import After, AtLeast, LastEventId, Limit, MatchId, Proof, Ticket, View
from api.http.problems import Failed
from api.http.shapes import MovePage
from api.http.streams import Stream, follow, must_be_room
from api.http.tickets import Admission
from api.settings import product

api = Api("log", "The log of a match: pages, lines, and live.")
_PIECE = 200  # lines in one piece


@api.get(
    "/v1/matches/{match}/moves",
    MovePage,
    personal=True,
    refusals=(403, 404, 410, 503),
    also=[
        Documented(200, "Done", (LINES, EVENTS)),
        Documented(204, "The match is over and everything was sent: do not connect again"),
    ],
)
async def read_moves(
    call: Call,
    match: MatchId,
    after: After = 0,
    limit: Limit = None,
    at_least: AtLeast = None,
    view: View = None,
    proof: Proof = False,
    ticket: Ticket = None,
    last_event_id: LastEventId = None,
) -> Response:
    """Every stored event in order, as JSON, as NDJSON, or live as server-sent events, by Accept."""
    kind = media_type(call.request.headers.get("accept", ""))
    if kind == EVENTS:
        desk = await looked(call, match, at_least, after := _resumed(after, last_event_id))
        return await _live(call, desk, after, view, proof, ticket)
    if ticket is not None:
        raise Failed("invalid", "a ticket opens an event stream: send Accept: text/event-stream, or a token")
    seen = await sight(call, match, view, after, at_least, proof=proof)
    most = call.services.settings.moves_per_page
    if kind == LINES:
        last = seen.match.move if limit is None else min(seen.match.move, after + limit)
        told = (seen.match.roots[-1], seen.viewer, proof, after, last, product())
        head = {"etag": weak(*told)} if seen.match.closed else {"cache-control": NEVER}
        return StreamingResponse(_lines(seen, after, last), headers=head, media_type=LINES)
    last = min(seen.match.move, after + min(limit or most, most))
    page = {"moves": [seen.move(number) for number in range(after + 1, last + 1)], "next": last}
    call.final = seen.match.closed is not None
    return Response(encode(page), media_type=JSON)


async def _live(
    call: Call, desk: Desk, after: int, view: str | None, proof: bool, ticket: str | None
) -> Response:
    services = call.services
    if ticket is not None and view is not None:
        raise Failed("invalid", "a ticket says itself whose view it opens: leave out view")
    admission = await services.tickets.admit(ticket, desk.match.id) if ticket is not None else None
    seen_by = admission.viewer if admission else viewer(desk.match, call.player, view)
    holder = admission.holder if admission else call.visitor.holder
    if admission is not None:
        await services.tokens.check(holder)
    if desk.match.closed and after == desk.match.move:
        return Response(status_code=204)
    services.streams.check(holder)
    must_be_room(call.gate, desk)
    if call.request.method == "HEAD":
        return Response(headers={"cache-control": NEVER}, media_type=EVENTS)
    source = follow(
        desk,
        lambda: sight_of(desk, seen_by, proof),
        after,
        services.settings.heartbeat_seconds,
        lambda: call.gate.stopping,
        lambda: services.tokens.is_good(holder),
    )
    return Stream(source, _open(call, desk, holder, admission))


@contextmanager
def _open(call: Call, desk: Desk, holder: str, admission: Admission | None) -> Iterator[None]:
    """A stream counts as long as it is open, and keeps its desk and its ticket alive."""
    with call.services.streams.one(holder), desk.used():
        if admission is None:
            yield
            return
        call.services.tickets.opened(admission)
        try:
            yield
        finally:
            call.services.tickets.ended(admission)


async def _lines(seen: Sight, after: int, last: int) -> AsyncIterator[bytes]:
    for start in range(after + 1, last + 1, _PIECE):
        yield seen.lines(range(start, min(start + _PIECE, last + 1)))


def _resumed(after: int, last_event_id: str | None) -> int:
    """Where to go on: what the browser says that it has wins over the address."""
    if not last_event_id:
        return after
    if not (last_event_id.isascii() and last_event_id.isdecimal()):
        raise Failed("invalid", "Last-Event-ID is the number of a move")
    return int(last_event_id)
