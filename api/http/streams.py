"""Live moves as server-sent events.

Each stream walks the committed log at its own pace and holds nothing but the number of the last move that it
sent: a slow reader delays himself only, and whoever resumes finds neither gap nor repetition.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractContextManager

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from api.gate import Desk, Gate
from api.http.moves import Sight
from api.http.negotiation import EVENTS
from api.http.problems import Failed

_AT_ONCE = 64  # moves in one piece
_RETRY = b": open\nretry: 1000\n"  # no empty line: that would end an event, and there is none yet
_ALIVE = b": alive\n"

Look = Callable[[], Sight]
Welcome = Callable[[], Awaitable[bool]]


def must_be_room(gate: Gate, desk: Desk) -> None:
    """A match that is followed cannot be cleared away.  Raises Failed: limit, where those take all memory."""
    if not gate.may_follow(desk):
        raise Failed("limit", "too many matches are followed at once", {"retry-after": "5"})


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
    desk: Desk, look: Look, after: int, heartbeat: float, stopping: Callable[[], bool], welcome: Welcome
) -> AsyncIterator[bytes]:
    """The moves after `after` as server-sent events; see `news`.

    Args:
        look: gives the sight at the match as it stands.
        heartbeat: seconds without news after which the stream says that it is alive.
        welcome: may the reader still be told anything?  If not, the stream ends.
    """
    yield _RETRY
    async for numbers in news(desk, after, heartbeat, stopping):
        if not await welcome():
            return
        yield look().events(numbers) if numbers else _ALIVE


async def news(
    desk: Desk, after: int, heartbeat: float, stopping: Callable[[], bool]
) -> AsyncIterator[range]:
    """The numbers of the moves after `after`, as they are committed; ends with the match, or when the server
    stops.

    Args:
        desk: where the match lies; the caller keeps it in use.
        heartbeat: seconds without news after which an empty range is given.
    """
    while not stopping():
        last = min(desk.match.move, after + _AT_ONCE)
        if last > after:
            yield range(after + 1, last + 1)
            after = last
        elif desk.match.closed:
            return
        elif not await desk.news(heartbeat):
            yield range(0)


async def _gone(receive: Receive) -> None:
    """Returns when the reader has gone away."""
    while (await receive())["type"] != "http.disconnect":
        pass
