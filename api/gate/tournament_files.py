"""Makes tournament files of a store: the match files in a process of its own, which ends with the file.

Reading the store is done in a thread; what takes time, the match files, does not hold up any move.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from typing import IO

from api.gate.child_process import one_process
from api.store.interface import Store
from api.store.log_proofs import TournamentProofs
from domain.games import GAMES
from domain.kernel import Refused
from domain.log import codec
from domain.signed_notes import VerifyingKey
from domain.tournaments.history import TournamentLog
from replay import matchfile
from replay.tournaments.file import none_reported, write
from replay.transparency.evidence import Evidence

MOST_WAITING = 4  # requests that wait while one file is made
WAIT = 30  # seconds after which a request that is refused may come again
MOST_SECONDS = 60.0  # for one match file

Build = Callable[[str, str, Sequence[bytes], str, Evidence | None], bytes]
"""Makes the match file of a game and match, from its stored records, the note over them, and its proof."""


def match_file(game: str, match: str, stored: Sequence[bytes], note: str, proof: Evidence | None) -> bytes:
    """Return a match file; `proof`: that the match is in the server's log.

    Raises:
        Damaged: these are not the records of a match.
    """
    read = codec(GAMES[game]).read
    return matchfile.write([read(match, one) for one in stored], note, proof)


@contextmanager
def in_a_process() -> Iterator[Build]:
    """Make match files in a process of its own, for as long as the context lasts."""
    with one_process() as pool:

        def build(game: str, match: str, stored: Sequence[bytes], note: str, proof: Evidence | None) -> bytes:
            return pool.submit(match_file, game, match, stored, note, proof).result(MOST_SECONDS)

        yield build


class TournamentFiles:
    """Makes the files of tournaments, one at a time.

    Args:
        store: where tournaments and matches are.
        building: what makes the match files of one tournament.
    """

    def __init__(
        self, store: Store, building: Callable[[], AbstractContextManager[Build]] = in_a_process
    ) -> None:
        self._store, self.building = store, building
        self._turn, self._waiting = asyncio.Semaphore(1), 0

    async def made(
        self,
        log: TournamentLog,
        at: int,
        note: str,
        keys: Sequence[VerifyingKey],
        proofs: TournamentProofs | None = None,
    ) -> IO[bytes]:
        """Return the tournament file over the first `at` entries, as a temporary file that the caller closes.

        Args:
            note: the checkpoint over these entries.
            keys: of the server.
            proofs: that these entries and the matches are in the server's log; None: the file holds none.

        Raises:
            Refused: limit: too many wait; no-place: it is too large.
            StoreError: the store is away.
        """
        if self._waiting >= MOST_WAITING:
            raise Refused("limit", "try-again", {"wait": WAIT}, {"retry-after": str(WAIT)})
        self._waiting += 1
        try:
            async with self._turn:
                return await asyncio.to_thread(self._made, log, at, note, keys, proofs)
        finally:
            self._waiting -= 1

    def _made(
        self,
        log: TournamentLog,
        at: int,
        note: str,
        keys: Sequence[VerifyingKey],
        proofs: TournamentProofs | None,
    ) -> IO[bytes]:
        with ExitStack() as stack:
            file = stack.enter_context(tempfile.TemporaryFile())
            with self.building() as build:
                proof = proofs.of_entries() if proofs else None
                ours = partial(self._file_of, build=build, proofs=proofs)
                reported = partial(self._reported, log.id)
                write(file, log, note, keys, ours, at, proof, reported)
            file.seek(0)
            stack.pop_all()  # from here on the caller closes it
        return file

    def _reported(self, tournament: str, file: str) -> bytes:
        content = self._store.reported_files.content(tournament, file)
        return none_reported(file) if content is None else content

    def _file_of(self, match: str, build: Build, proofs: TournamentProofs | None) -> bytes:
        records = self._store.since(match, 0)
        note = self._store.note(match) or ""
        proof = proofs.of_match(match) if proofs else None
        return build(records[0].topic, match, [record.stored for record in records], note, proof)
