"""Those who follow tournaments: each walks the committed log at its own pace, and learns which boards moved.

A slow reader delays no other: it holds the number of the last entry that it got, and the boards that have
moved since it last looked, each once.  Entries go out as their leaves: what is sealed in them stays sealed.
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager

from api.gate.commit import Inbox
from api.gate.tournament_commands import CachedTournament, TournamentCommands
from api.store.interface import Store
from domain.kernel import Refused

AT_ONCE = 64  # entries in one piece, before others get their turn
MOST = 5_000  # followers of one server
_GATHER = 0.5  # seconds for which moves of boards are gathered
_log = logging.getLogger("glasnost.http")


class Following:
    """One who follows a tournament.

    Args:
        cached: the tournament.
        after: the last entry that the follower has.
        wake: called when there is something to send.
    """

    def __init__(self, cached: CachedTournament, after: int, wake: Callable[[], None]) -> None:
        self.cached, self.sent, self.wake = cached, after, wake
        self._moved: set[str] = set()

    def moved(self, match: str) -> None:
        """A board has moved; it is noted once until it is taken."""
        self._moved.add(match)
        self.wake()

    def entries(self) -> list[tuple[int, bytes]]:
        """Return the next entries, by number, as their leaves; empty if there are none."""
        log, first = self.cached.log, self.sent
        self.sent = min(log.entry, first + AT_ONCE)
        return [(record.move, record.leaf) for record in log.records[first : self.sent]]

    def boards(self) -> list[str]:
        """Return the matches that have moved since they were last taken."""
        moved, self._moved = self._moved, set()
        return sorted(moved)


class TournamentFeed:
    """All who follow tournaments on this server.

    Args:
        commands: where tournaments are.
        store: announces commits.
    """

    def __init__(self, commands: TournamentCommands, store: Store) -> None:
        self._commands, self._store = commands, store
        self._by_tournament: defaultdict[str, set[Following]] = defaultdict(set)
        self._heard: set[str] = set()
        self._work: asyncio.Task[None] | None = None
        self._is_watching = False

    def __len__(self) -> int:
        return sum(map(len, self._by_tournament.values()))

    def must_have_room(self) -> None:
        """Raises Refused: limit, if this server has as many followers as it takes."""
        if len(self) >= MOST:
            raise Refused("limit", "too-many-followed", headers={"retry-after": "5"})

    @contextmanager
    def open(self, following: Following) -> Iterator[None]:
        """Wake a follower at each commit while the context lasts; its tournament stays in memory."""
        if not self._is_watching:
            self._is_watching = True
            loop, inbox = asyncio.get_running_loop(), Inbox(self._hear)
            self._store.watch(lambda name, position: inbox.put(loop, name))
        name = following.cached.log.id
        self._by_tournament[name].add(following)
        try:
            with following.cached.used():
                yield
        finally:
            self._by_tournament[name].discard(following)
            if not self._by_tournament[name]:
                del self._by_tournament[name]

    def stop(self) -> None:
        """Wake all: the server stops, and their streams end."""
        for followers in self._by_tournament.values():
            for following in followers:
                following.wake()

    def _hear(self, name: str) -> None:
        """A match or a tournament has a new record."""
        if not self._by_tournament:
            return
        self._heard.add(name)
        if self._work is None or self._work.done():
            self._work = asyncio.create_task(self._wake_all())

    async def _wake_all(self) -> None:
        while self._heard and self._by_tournament:
            await asyncio.sleep(_GATHER)
            names, self._heard = self._heard, set()
            for tournament in list(self._by_tournament):
                try:
                    await self._wake(tournament, names)
                except Refused:  # the store is away: the next commit wakes them
                    continue
                except Exception:
                    _log.error("error in the server", exc_info=True, extra={"tournament": tournament})

    async def _wake(self, tournament: str, names: set[str]) -> None:
        if tournament in names:
            await self._commands.cached(tournament)  # takes in what other workers have committed
        followers = list(self._by_tournament.get(tournament, ()))
        if not followers:
            return
        state = followers[0].cached.log.state
        boards = {board.match for one in state.rounds for board in one.boards if board.opened}
        for following in followers:
            for match in boards & names:
                following.moved(match)
            if tournament in names:
                following.wake()


async def events(
    feed: TournamentFeed,
    cached: CachedTournament,
    after: int,
    heartbeat: float,
    stopping: Callable[[], bool],
    welcome: Callable[[], Awaitable[bool]],
) -> AsyncIterator[bytes]:
    """Yield the entries after `after` as server-sent events, as they are committed.

    Args:
        heartbeat: seconds without an entry after which a comment is sent.
        stopping: does the server stop?  Then the stream ends.
        welcome: may the reader get more?  If not, the stream ends.
    """
    news = asyncio.Event()
    following = Following(cached, after, news.set)
    yield b": open\nretry: 1000\n"
    with feed.open(following):
        while not stopping() and await welcome():
            news.clear()
            if entries := following.entries():
                yield b"".join(b"id: %d\ndata: %b\n\n" % one for one in entries)
                await asyncio.sleep(0)
                continue
            following.boards()
            try:
                async with asyncio.timeout(heartbeat):
                    await news.wait()
            except TimeoutError:
                yield b": alive\n"
