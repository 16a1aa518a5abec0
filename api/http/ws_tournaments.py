"""The tournaments that a socket follows: it pushes their entries, and which of their boards have moved."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import ExitStack, suppress

from api.http.routing import Caller, encode
from api.http.tournament_feed import Following
from api.http.ws_messages import BoardsMoved, FollowedTournament, FollowTournament
from domain.kernel import Refused
from domain.log import b64

Say = Callable[[bytes], Awaitable[None]]
Welcome = Callable[[], Awaitable[bool]]


class FollowedTournaments:
    """Those of one socket.

    Args:
        say: sends a message, as fast as the client reads.
        is_welcome: may the client get more?
    """

    def __init__(self, say: Say, is_welcome: Welcome) -> None:
        self._say, self._is_welcome = say, is_welcome
        self._open: dict[str, ExitStack] = {}
        self._ready: dict[str, asyncio.Event] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    async def follow(self, call: Caller, said: FollowTournament) -> FollowedTournament:
        """Return the reply to `follow_tournament`; entries are pushed after `begin`.

        Raises:
            Refused: unknown-tournament, unknown-move, invalid, limit.
        """
        cached = await call.services.tournaments.commands.cached(said.tournament)
        log, feed = cached.log, call.services.tournament_feed
        if said.after > log.entry:
            raise Refused("unknown-move", "beyond-latest-entry", {"last": log.entry})
        if said.tournament in self._open:
            raise Refused("invalid", "already-following")
        call.services.streams.check(call.visitor.counted)
        feed.must_have_room()
        news = asyncio.Event()
        following, stack = Following(cached, said.after, news.set), ExitStack()
        stack.enter_context(call.services.streams.one(call.visitor.counted))
        stack.enter_context(feed.open(following))
        self._open[said.tournament], self._ready[said.tournament] = stack, asyncio.Event()
        news.set()
        pushing = self._push(said.tournament, following, news)
        self._tasks[said.tournament] = asyncio.create_task(pushing)
        return FollowedTournament(log.entry, b64(log.root))

    def begin(self, tournament: str) -> None:
        """Push from now on: the reply is sent."""
        self._ready[tournament].set()

    async def leave(self, tournament: str) -> None:
        """Push nothing more of a tournament; one that is not followed is no error."""
        task = self._tasks.pop(tournament, None)
        self._ready.pop(tournament, None)
        if (stack := self._open.pop(tournament, None)) is not None:
            stack.close()
        if task is not None:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def leave_all(self) -> None:
        """Push nothing more."""
        for tournament in list(self._open):
            await self.leave(tournament)

    async def _push(self, tournament: str, following: Following, news: asyncio.Event) -> None:
        await self._ready[tournament].wait()
        name = tournament.encode()
        try:
            while await self._is_welcome():
                await news.wait()
                news.clear()
                while entries := following.entries():
                    for _, leaf in entries:
                        await self._say(b'{"tournament":"%b","entry":%b}' % (name, leaf))
                    await asyncio.sleep(0)
                if boards := following.boards():
                    await self._say(encode(BoardsMoved(tournament, boards)))
        except OSError:  # the reader is gone
            return
