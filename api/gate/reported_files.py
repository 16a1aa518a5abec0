"""Match files of games that were played elsewhere: uploaded by an official, verified, named by a ruling.

A file is verified in a process of its own, which ends with it.  It is kept before the ruling that names it;
the ruling is judged by what the file came to (`domain.tournaments.reported`).
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures.process import BrokenProcessPool

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from api.gate.child_process import one_process
from api.gate.tournament_commands import TournamentCommands
from api.store.interface import Conflict, Quota, ReportedFile, Spent, Store, StoreError
from domain.kernel import Refused
from domain.refusals import Sentence
from domain.tournaments import commands as c
from domain.tournaments.judging import Actor, Given, must_be_official
from domain.tournaments.reported import ReportedMatch, must_be_of_game
from domain.tournaments.state import Tournament

MOST_FILE = 16 * 1024 * 1024  # bytes of one file
MOST_UNPACKED = 32 * 1024 * 1024
MOST_SECONDS = 120.0  # for one file
MOST_OF_TOURNAMENT = Quota(1_000, 512 * 1024 * 1024)
MOST_WAITING_FILES = 8  # of a tournament, which no ruling names yet
_MOST_WAITING = 4  # uploads that wait while one is verified
_WAIT = 10  # seconds after which a request that is refused may come again


class Examined(Struct, frozen=True):
    """What was found in a file: the match, or what is wrong."""

    match: ReportedMatch | None
    wrong: tuple[str | Sentence, ...] = ()


Examine = Callable[[bytes, Sequence[str]], Awaitable[Examined]]
"""Verifies a file; the keys are those of this server.  Raises Refused: bad-file: it takes too long."""


def examined(data: bytes, keys: Sequence[str]) -> Examined:
    """Verify a match file by the four questions; signatures by these keys must be valid if they are named."""
    from domain.log import Damaged
    from domain.signed_notes import VerifyingKey
    from domain.tournaments.reported import reported_match
    from replay import bounds, matchfile
    from replay.verify import verify

    try:
        file = matchfile.read(data, MOST_UNPACKED)
        bounds.must_be_within(file)
    except Damaged as error:
        return Examined(None, (error.said,))
    report = verify(data, known=[VerifyingKey.parse(key) for key in keys])
    if not report.ok:
        return Examined(None, tuple(one.sentence for one in report.failures))
    found = reported_match(file.match(), hashlib.sha256(data).hexdigest())
    return Examined(found) if found else Examined(None, (Sentence("file-of-running-match"),))


async def in_a_process(data: bytes, keys: Sequence[str]) -> Examined:
    """See `examined`: in a process of its own, which is ended if it takes too long.

    Raises:
        Refused: bad-file.
    """
    pool = one_process()
    try:
        async with asyncio.timeout(MOST_SECONDS):
            return await asyncio.get_running_loop().run_in_executor(pool, examined, data, keys)
    except (BrokenProcessPool, TimeoutError) as error:
        raise Refused("bad-file", "file-not-verified", {"seconds": round(MOST_SECONDS)}) from error
    finally:
        for process in list(getattr(pool, "_processes", {}).values()):
            process.kill()
        pool.shutdown(wait=False, cancel_futures=True)


class ReportedFiles:
    """The match files of the tournaments of a store.

    Args:
        store: keeps them.
        commands: to the tournaments.
        keys: those of this server, as texts.
        clock: the time in microseconds UTC; None: it is not known.
        examine: verifies a file.
    """

    def __init__(
        self,
        store: Store,
        commands: TournamentCommands,
        keys: Sequence[str],
        clock: Callable[[], int | None],
        examine: Examine = in_a_process,
    ) -> None:
        self._store, self._commands, self._keys, self._clock = store, commands, keys, clock
        self.examine = examine
        self._turn, self._waiting = asyncio.Semaphore(1), 0

    async def must_take_from(self, tournament: str, actor: Actor) -> None:
        """Check that a person may upload files, before one is read.

        Raises:
            Refused: unknown-tournament, forbidden.
        """
        must_be_official((await self._commands.log(tournament)).state, actor)

    async def take(self, tournament: str, data: bytes, actor: Actor) -> ReportedMatch:
        """Verify a file and keep it for a ruling.

        Raises:
            Refused: forbidden; too-large; bad-file: it proves no match, or not one of the tournament's game,
                or its match is another tournament's; limit: too many wait; no-place: there is no room.
        """
        await self.must_take_from(tournament, actor)
        if len(data) > MOST_FILE:
            raise Refused("too-large", "body-too-large", {"most": MOST_FILE})
        if self._waiting >= _MOST_WAITING:
            raise Refused("limit", "try-again", {"wait": _WAIT}, {"retry-after": str(_WAIT)})
        self._waiting += 1
        try:
            async with self._turn:
                found = await self.examine(data, self._keys)
        finally:
            self._waiting -= 1
        if found.match is None:
            raise Refused("bad-file", "findings", {"findings": list(found.wrong)})
        await self._kept((await self._commands.log(tournament)).state, found.match, data)
        return found.match

    async def _kept(self, s: Tournament, match: ReportedMatch, data: bytes) -> None:
        must_be_of_game(s, match.game, match.edition)
        about, at = msgspec.json.encode(match).decode(), self._clock() or 0
        file = ReportedFile(s.id, match.ended.match, match.sha256, at, about, data)
        keep = self._store.reported_files.keep
        try:
            await asyncio.to_thread(keep, file, MOST_WAITING_FILES, MOST_OF_TOURNAMENT)
        except Spent as error:
            most = {"files": MOST_OF_TOURNAMENT.number, "bytes": MOST_OF_TOURNAMENT.bytes}
            raise Refused("no-place", "reported-files-of-a-tournament", most) from error
        except Conflict as error:
            raise Refused("bad-file", "reported-elsewhere", {"match": file.match}) from error
        except StoreError as error:
            raise error.refusal() from error

    async def with_file(self, s: Tournament, command: c.Rule, known: Given) -> Given:
        """Return what is given for a ruling: with the match in the file that it names, if it is here.

        Raises:
            Refused: unavailable.
        """
        if not command.file:
            return known
        try:
            about = await asyncio.to_thread(self._store.reported_files.about, s.id, command.file)
        except StoreError as error:
            raise error.refusal() from error
        return known if about is None else replace(known, file=msgspec.json.decode(about, type=ReportedMatch))

    async def note_named(self, s: Tournament, command: c.Rule) -> None:
        """Note that a ruling names its file, so that it stays.  Needs the tournament's lock.

        Raises:
            Refused: not-found: it is not here any more; unavailable.
        """
        if not command.file:
            return
        try:
            is_there = await asyncio.to_thread(self._store.reported_files.name, s.id, command.file)
        except StoreError as error:
            raise error.refusal() from error
        if not is_there:
            raise Refused("not-found", "no-such-reported-file")

    async def content(self, tournament: str, sha256: str) -> bytes | None:
        """Return a file; None if it is not here.  Raises Refused: unavailable."""
        try:
            return await asyncio.to_thread(self._store.reported_files.content, tournament, sha256)
        except StoreError as error:
            raise error.refusal() from error
