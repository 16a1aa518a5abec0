"""Follows matches into the logs of their tournaments: results, rounds that open, forfeits that are due.

It runs where the read models are moved.  It remembers nothing of its own: the state of each tournament is
compared with the matches of its boards, which shows what is missing.  So it may stop at any moment, and start
again, and each result is recorded exactly once.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress

from api.gate.commit import Inbox
from api.gate.match_verifier import NotVerified, Work
from api.gate.tournament_clocks import move_dates, reconvene
from api.gate.tournament_commands import KIND
from api.gate.tournament_rulings import lost
from api.gate.tournaments import TournamentGate
from api.store.interface import StoreError
from domain.kernel import Refused
from domain.log import Damaged
from domain.match import Match
from domain.tournaments.commands import RecordResult
from domain.tournaments.judging import THE_HOUSE
from domain.tournaments.outcomes import ended, recorded
from domain.tournaments.state import NOT_RUN, Board, Round, Tournament

IDLE = 5.0  # seconds after which everything is looked at again
TRIES = 3  # times that a verification is tried before an arbiter is asked
AGAIN = 600_000_000  # microseconds after which a verification that could not be run is tried again
_TOURNAMENT = re.compile(r"t[a-z2-7]{20}")
_log = logging.getLogger("glasnost.tournaments")

Verifier = Callable[[Work], Awaitable[dict[str, str]]]


class TournamentFollower:
    """Takes the results of matches into their tournaments.

    Args:
        tournaments: the gate.
        verifier: verifies a match, in a process of its own.
        leads: is this the process that follows?
    """

    def __init__(self, tournaments: TournamentGate, verifier: Verifier, leads: Callable[[], bool]) -> None:
        self._gate, self._verifier, self._leads = tournaments, verifier, leads
        self._store = tournaments.gate.store
        self._known: set[str] | None = None  # the tournaments that go on; None: not read yet
        self._matches: dict[str, str] = {}  # open boards: the tournament of each match
        self._news: set[str] = set()  # tournaments to be looked at
        self._failed: Counter[str] = Counter()
        self._again: dict[str, int] = {}  # by match that could not be verified: when it is tried again
        self._woken = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Run on this event loop until `stop`."""
        loop, inbox = asyncio.get_running_loop(), Inbox(self._hear)
        self._store.watch(lambda name, _: inbox.put(loop, name))
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """Stop; what is missing is done after the next start."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def tick(self, *, everything: bool = False) -> bool:
        """Look at the tournaments with news, or at all; return whether anything was written.

        Raises:
            Refused, StoreError: the store is away; the rest is done the next time.
        """
        if not self._leads():
            self._known = None
            return False
        if self._known is None:
            self._known = set(await asyncio.to_thread(lambda: list(self._store.tournaments())))
            everything = True
        names, self._news = (set(self._known) if everything else set(self._news)), set()
        written = False
        for name in sorted(names):
            written |= await self.look(name)
        return written

    async def look(self, tournament: str) -> bool:
        """Do what one tournament lacks; return whether anything was written."""
        try:
            state = (await self._gate.commands.log(tournament)).state
        except Damaged as error:
            _log.error(
                "a tournament cannot be read", extra={KIND: tournament, "reason": type(error).__name__}
            )
            return False
        if state.ended:
            self._forget(tournament)
            (self._known or set()).discard(tournament)
            return False
        written = bool(await self._gate.open_matches(tournament))
        written |= bool(await self._gate.settle(tournament))
        written |= bool(await reconvene(self._gate, tournament))
        written |= bool(await move_dates(self._gate, tournament))
        written |= bool(await self._gate.forfeit_no_shows(tournament))
        state = (await self._gate.commands.log(tournament)).state
        open_boards = {
            board.match: (one, board)
            for one in state.rounds
            for board in one.boards
            if board.opened and board.outcome is None
        }
        self._forget(tournament)
        self._matches |= dict.fromkeys(open_boards, tournament)
        names = sorted(open_boards)
        closed = await asyncio.to_thread(self._store.closed_at, names) if names else {}
        for match in sorted(closed, key=lambda name: closed[name]):
            one, board = open_boards[match]
            written |= await self._record(state, one, board)
        return await self._verified_later(state) or written

    async def _verified_later(self, s: Tournament) -> bool:
        """Verify again what could not be verified: after a start, and from time to time."""
        now, written = self._gate.gate.commits.clock() or 0, False
        for one, board in [(had, board) for had in s.rounds for board in had.boards if board.not_verified]:
            if self._again.get(board.match, 0) > now:
                continue
            self._again[board.match] = now + AGAIN
            match = await self._gate.gate.match(board.match)
            found = ended(match)
            with suppress(NotVerified):
                checked = await self._verified(match)
                if found is not None:
                    written |= await self._write(s, board, recorded(s, one.number, board, found, checked))
        return written

    def _forget(self, tournament: str) -> None:
        self._matches = {match: name for match, name in self._matches.items() if name != tournament}

    async def _record(self, s: Tournament, one: Round, board: Board) -> bool:
        """Verify the match of a board, and record its result; a verification that fails is tried again."""
        match = await self._gate.gate.match(board.match)
        found = ended(match)
        if found is None:
            return False
        checked, error = await self._checked(match)
        if checked is None:
            return False
        for entered in lost(s, match):
            await self._gate.commands.command(s.id, entered, THE_HOUSE)
        return await self._write(s, board, recorded(s, one.number, board, found, checked, error))

    async def _write(self, s: Tournament, board: Board, command: RecordResult) -> bool:
        """Record a result; one that contradicts what was recorded before is a task of the officials."""
        try:
            accepted = await self._gate.commands.command(s.id, command, THE_HOUSE)
        except Refused as error:
            if error.kind != "boards":
                raise
            _log.error("a result contradicts the log", extra={KIND: s.id, "match": board.match})
            return False
        return accepted.last >= accepted.first

    async def _checked(self, match: Match) -> tuple[dict[str, str] | None, str]:
        """What `verify` finds (None if it is to be tried again), and why it could not be run."""
        error = ""
        try:
            found = await self._verified(match)
        except NotVerified as caught:
            self._failed[match.id] += 1
            error = str(caught)
            if self._failed[match.id] < TRIES:
                self._news.add(self._matches[match.id])
                return None, error
            self._again[match.id] = (self._gate.gate.commits.clock() or 0) + AGAIN
            found = dict(NOT_RUN)
        self._failed.pop(match.id, None)
        return found, error

    async def _verified(self, match: Match) -> dict[str, str]:
        """What `verify` finds.  Raises NotVerified."""
        note = await asyncio.to_thread(self._store.note, match.id) or ""
        keys = [self._gate.gate.keys.present.text, *(key.text for key in self._gate.gate.keys.retired)]
        stored = [record.stored for record in match.records]
        try:
            return await self._verifier(Work(match.id, match.game.name, stored, note, keys))
        except NotVerified as error:
            _log.warning("a match was not verified", extra={"match": match.id, "reason": str(error)})
            raise

    def _hear(self, name: str) -> None:
        if name in self._matches:
            cached = self._gate.gate.at_hand_match(name)
            if cached is not None and cached.closed is None:
                return  # it goes on
            self._news.add(self._matches[name])
        elif _TOURNAMENT.fullmatch(name):
            if self._known is not None:
                self._known.add(name)
            self._news.add(name)
        else:
            return
        self._woken.set()

    async def _run(self) -> None:
        everything = True
        while True:
            self._woken.clear()
            try:
                await self.tick(everything=everything)
                everything = False
            except (Refused, StoreError):  # the store is away
                everything = True
            except Exception:
                _log.error("error of the follower of tournaments", exc_info=True)
                everything = True
            if self._news and not everything:
                await asyncio.sleep(0)
                continue
            try:
                async with asyncio.timeout(IDLE):
                    await self._woken.wait()
            except TimeoutError:
                everything = True
