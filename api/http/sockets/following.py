"""The matches that a socket follows: each walks the committed log at its own pace.

What waits for a slow reader are numbers of moves, never moves: nothing is put into words before the socket
takes it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress

from msgspec import UNSET

from api.gate import Desk
from api.http.edge import Caller, encode
from api.http.looking import must_be_there, receipt_of, sight_of, viewer
from api.http.moves import Sight
from api.http.problems import Failed
from api.http.sockets.doing import NOTHING, OK
from api.http.sockets.shapes import Follow, Followed, Leave, MatchOver, Reply
from api.http.streams import must_be_room, news
from domain.outline import Chair

Say = Callable[[bytes], Awaitable[None]]
_EVIDENCE = frozenset(("at", "root", "draws", "keys", "salt"))
_log = logging.getLogger("glasnost.http")


class Following:
    """What one socket follows.

    Args:
        say: sends one message; waits while the reader is behind.
        welcome: may the reader still be told anything?
        failed: is called when a match cannot be told any more, for a reason that nobody foresaw.
    """

    def __init__(self, say: Say, welcome: Callable[[], Awaitable[bool]], failed: Callable[[], None]) -> None:
        self._say, self._welcome, self._failed = say, welcome, failed
        self._matches: dict[str, asyncio.Task[None]] = {}

    async def follow(self, call: Caller, said: Follow) -> tuple[Reply, Callable[[], None]]:
        """The reply, and what begins to push once that is sent.

        Raises:
            Denied: unknown-match.
            Failed: invalid, unknown-seat, forbidden, unknown-move, limit.
        """
        if said.lean and said.proof:
            raise Failed("invalid", "a move is told with proof or lean, not both")
        desk = await call.gate.desk(said.match)
        seen_by = viewer(desk.match, call.player, said.view)
        must_be_there(desk.match, said.after)
        if said.match in self._matches:
            raise Failed("invalid", "this socket follows the match already; leave it first")
        call.services.streams.check(call.visitor.holder)
        must_be_room(call.gate, desk)

        def begin() -> None:
            pushing = self._push(call, desk, seen_by, said)
            self._matches[said.match] = task = asyncio.create_task(pushing)
            task.add_done_callback(lambda _: self._matches.pop(said.match, None))

        return Reply(said.id, OK, Followed(desk.match.move, receipt_of(call, desk) or UNSET)), begin

    async def leave(self, said: Leave) -> Reply:
        """Nothing of this match is pushed after the reply; also where it was not followed."""
        await _cancelled([self._matches[said.match]] if said.match in self._matches else [])
        return Reply(said.id, NOTHING)

    async def stop(self) -> None:
        """Follow nothing more."""
        await _cancelled(list(self._matches.values()))

    async def _push(self, call: Caller, desk: Desk, seen_by: Chair | None, said: Follow) -> None:
        services, told = call.services, said.after
        heartbeat = services.settings.heartbeat_seconds
        try:
            with services.streams.one(call.visitor.holder), desk.used():
                async for numbers in news(desk, told, heartbeat, lambda: call.gate.stopping):
                    if not await self._welcome():
                        return
                    for number in numbers:
                        await self._say(pushed(sight_of(desk, seen_by, said.proof), number, said.lean))
                        told = number
                if desk.match.closed and told == desk.match.move:
                    await self._say(encode(MatchOver(said.match)))
        except OSError:  # the reader is gone
            return
        except Exception:
            _log.error("error in the server", exc_info=True, extra={"match": said.match})
            self._failed()


def pushed(sight: Sight, number: int, lean: bool) -> bytes:
    """The message that tells a move; `lean`: without what only serves to check it."""
    move = sight.move(number)
    if lean:
        move = {name: value for name, value in move.items() if name not in _EVIDENCE}
    return b'{"match":"%b","move":%b}' % (sight.match.id.encode(), encode(move))


async def _cancelled(tasks: list[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    for task in tasks:
        with suppress(asyncio.CancelledError):
            await task
