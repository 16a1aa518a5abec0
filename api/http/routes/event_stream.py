"""The moves of a match: pages, lines, and live as an event stream (server-sent events)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Annotated

from fastapi import Header, Query
from msgspec import Struct
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from api.gate import CachedMatch, Gate
from api.http.auth import Admission
from api.http.caching import NEVER, weak
from api.http.decoding import EVENTS, JSON, LINES, media_type
from api.http.live_positions import Wanted
from api.http.permissions import log_view, looked, view_of, viewer
from api.http.routes import After, AtLeast, Limit, MatchId, View
from api.http.routing import FORBIDDEN, LOOKS, Api, Call, Caller, Documented, encode
from api.http.schemas import MovePage
from api.http.views import LogView, Positions, players_of
from api.settings import product
from api.store.interface import StoreError
from domain.kernel import Refused
from domain.match_base import Chair

# ── Live moves as server-sent events ──
#
# Each stream walks the committed log at its own pace and holds nothing but the number of the last move that
# it sent: a slow reader delays no other, and one that resumes finds neither gap nor repetition.

_AT_ONCE = 64  # moves in one piece
_POSITIONS = 8  # the same with their positions, each of which takes about half a millisecond
_RETRY = b": open\nretry: 1000\n"  # no empty line: that would end an event, and there is none yet
_ALIVE = b": alive\n"

Events = Callable[[range], Awaitable[bytes]]
Welcome = Callable[[], Awaitable[bool]]


def must_be_room(gate: Gate, cached: CachedMatch) -> None:
    """A match that is followed stays in memory.  Raises Refused: limit, where those take all of it."""
    if not gate.may_follow(cached):
        raise Refused("limit", "too-many-followed", headers={"retry-after": "5"})


class Stream(Response):
    """A response that goes on until its source ends or the reader is gone.

    Args:
        source: gives the bytes.
        during: is entered while the stream is open.
    """

    media_type = EVENTS

    def __init__(self, source: AsyncIterator[bytes], during: AbstractContextManager[None]) -> None:
        super().__init__(headers={"cache-control": "no-store", "x-accel-buffering": "no"})
        del self.headers["content-length"]
        self._source, self._during = source, during

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        with self._during:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            sending = asyncio.create_task(self._send(send))
            gone = asyncio.create_task(_gone(receive))
            done, waiting = await asyncio.wait((sending, gone), return_when=asyncio.FIRST_COMPLETED)
            for task in waiting:
                task.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)
            for task in done:
                task.result()

    async def _send(self, send: Send) -> None:
        async for piece in self._source:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def follow(
    cached: CachedMatch,
    events: Events,
    after: int,
    heartbeat: float,
    stopping: Callable[[], bool],
    welcome: Welcome,
    at_once: int = _AT_ONCE,
) -> AsyncIterator[bytes]:
    """Yield the moves after `after` as server-sent events; see `news`.

    Args:
        events: returns some moves as server-sent events.
        heartbeat: seconds without a move after which a comment is sent.
        welcome: returns whether the reader may get more; if not, the stream ends.
        at_once: moves in one piece, before others get their turn.
    """
    yield _RETRY
    async for numbers in news(cached, after, heartbeat, stopping, at_once):
        if not await welcome():
            return
        yield await events(numbers) if numbers else _ALIVE
        await asyncio.sleep(0)


async def news(
    cached: CachedMatch, after: int, heartbeat: float, stopping: Callable[[], bool], at_once: int = _AT_ONCE
) -> AsyncIterator[range]:
    """Yield the numbers of the moves after `after`, as they are committed; ends with the match, or when the
    server stops.

    Args:
        cached: the match; the caller keeps it in use.
        heartbeat: seconds without a move after which an empty range is yielded.
        at_once: moves in one range.
    """
    while not stopping():
        last = min(cached.match.move, after + at_once)
        if last > after:
            yield range(after + 1, last + 1)
            after = last
        elif cached.match.closed:
            return
        elif not await cached.news(heartbeat):
            yield range(0)


async def wanted_by(call: Caller, cached: CachedMatch, *, scene: bool, sentences: bool) -> Wanted:
    """What a follower gets with each move.

    If the store is not available, sentences name by their ids the players whose names are not known here.
    """
    names: Mapping[str, str] = {}
    if sentences:
        with suppress(StoreError):
            names = await call.services.names.of(players_of(cached), call.language)
    return Wanted(scene, sentences, call.language, names)


def positions_of(
    call: Caller, cached: CachedMatch, seen_by: Chair | None, wanted: Wanted
) -> Positions | None:
    """What returns the position of each move for a follower; None for one who wants none."""
    if not wanted:
        return None
    return lambda number: call.services.live.encoded(cached.match, number, seen_by, wanted)


async def _gone(receive: Receive) -> None:
    """Returns when the reader has gone away."""
    while (await receive())["type"] != "http.disconnect":
        pass


# ── The log of a match: pages, lines, and live ──


api = Api("log", "The log of a match: pages, lines, and live.")
_PIECE = 200  # lines in one piece
Proof = Annotated[bool, Query(description="With the exact leaf, and the own private part.")]
SceneWanted = Annotated[bool, Query(description="Live: with each move what it changed in the scene.")]
SentencesWanted = Annotated[bool, Query(description="Live: with each move its sentences.")]
Ticket = Annotated[str | None, Query(max_length=64, description="Opens an event stream without a token.")]
LastEventId = Annotated[
    str | None, Header(alias="Last-Event-ID", max_length=40, description="Resumes an event stream.")
]


@api.get(
    "/v1/matches/{match}/moves",
    MovePage,
    personal=True,
    refusals=(*FORBIDDEN, *LOOKS, "unknown-seat"),
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
    scene: SceneWanted = False,
    sentences: SentencesWanted = False,
    last_event_id: LastEventId = None,
) -> Response:
    """Every stored event in order, as JSON, as NDJSON, or live as server-sent events, by Accept."""
    kind = media_type(call.request.headers.get("accept", ""))
    if kind == EVENTS:
        cached = await looked(call, match, at_least, after := resumed(after, last_event_id))
        return await _live(call, cached, after, view, ticket, Follow(proof, scene, sentences))
    if ticket is not None:
        raise Refused("invalid", "ticket-for-stream")
    if scene or sentences:
        raise Refused("invalid", "positions-for-stream")
    seen = await log_view(call, match, view, after, at_least, proof=proof)
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


class Follow(Struct, frozen=True):
    """What a stream sends with each move."""

    proof: bool
    scene: bool
    sentences: bool


async def _live(
    call: Call, cached: CachedMatch, after: int, view: str | None, ticket: str | None, said: Follow
) -> Response:
    services = call.services
    if ticket is not None and view is not None:
        raise Refused("invalid", "ticket-names-view")
    admission = await services.tickets.admit(ticket, cached.match.id) if ticket is not None else None
    seen_by = admission.viewer if admission else viewer(cached.match, call.player, view)
    holder = admission.holder if admission else call.visitor.holder
    counted = admission.counted if admission else call.visitor.counted
    if admission is not None:
        await services.tokens.check(holder)
    if cached.match.closed and after == cached.match.move:
        return Response(status_code=204)
    services.streams.check(counted)
    must_be_room(call.gate, cached)
    if call.request.method == "HEAD":
        return Response(headers={"cache-control": NEVER}, media_type=EVENTS)

    async def events(numbers: range) -> bytes:
        wanted = await wanted_by(call, cached, scene=said.scene, sentences=said.sentences)
        positions = positions_of(call, cached, seen_by, wanted)
        return view_of(cached, seen_by, said.proof).events(numbers, positions)

    source = follow(
        cached,
        events,
        after,
        services.settings.heartbeat_seconds,
        lambda: call.gate.stopping,
        lambda: services.tokens.is_good(holder),
        _POSITIONS if said.scene or said.sentences else _AT_ONCE,
    )
    return Stream(source, _open(call, cached, counted, admission))


@contextmanager
def _open(call: Call, cached: CachedMatch, counted: str, admission: Admission | None) -> Iterator[None]:
    """A stream counts as long as it is open, and keeps its match and its ticket alive."""
    with call.services.streams.one(counted), cached.used():
        if admission is None:
            yield
            return
        call.services.tickets.opened(admission)
        try:
            yield
        finally:
            call.services.tickets.ended(admission)


async def _lines(seen: LogView, after: int, last: int) -> AsyncIterator[bytes]:
    for start in range(after + 1, last + 1, _PIECE):
        yield seen.lines(range(start, min(start + _PIECE, last + 1)))


def resumed(after: int, last_event_id: str | None) -> int:
    """Return where to go on: what the browser says that it has wins over the address.  Raises Refused."""
    if not last_event_id:
        return after
    if not (last_event_id.isascii() and last_event_id.isdecimal()):
        raise Refused("invalid", "last-event-id")
    return int(last_event_id)
