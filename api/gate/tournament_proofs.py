"""What the verifier of tournament files says of a tournament of this server: asked for, made once, and kept.

The file is made and verified as anybody does who downloaded it, in a process of its own; one at a time.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import shutil
import tempfile
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import IO

from cachetools import LRUCache

from api.gate.tournament_files import WAIT, TournamentFiles
from domain.kernel import Refused
from domain.signed_notes import VerifyingKey
from domain.tournaments.history import TournamentLog
from replay.tournaments.report import Report

MOST_SECONDS = 600.0  # for one verification
_KEPT = 64  # reports


def report_on(path: Path, keys: Sequence[str]) -> Report:
    """Return the report on a tournament file; only signatures by these keys count.

    Raises:
        OSError: the file cannot be read.
    """
    from replay.tournaments.pairing_twice import pair_once
    from replay.tournaments.verify import verify

    return verify(path, [VerifyingKey.parse(key) for key in keys], pairer=pair_once)


class TournamentProofs:
    """The reports of this process, by tournament; each says over how many entries it is.

    Args:
        files: makes the files.
    """

    def __init__(self, files: TournamentFiles) -> None:
        self._files = files
        self._kept: LRUCache[str, Report] = LRUCache(_KEPT)
        self._work: asyncio.Task[None] | None = None
        self.running = ""  # the tournament that is being verified

    def latest(self, tournament: str) -> Report | None:
        """Return the latest report on a tournament, None if there is none here."""
        return self._kept.get(tournament)

    async def begin(self, log: TournamentLog, note: str, keys: Sequence[VerifyingKey]) -> None:
        """Begin to verify a tournament, and wait a moment for the end; nothing is done twice for one entry.

        Args:
            note: the checkpoint over the whole log.
            keys: of the server.

        Raises:
            Refused: limit: another one is being verified.
        """
        known = self._kept.get(log.id)
        if (known is not None and known.entries == log.entry) or self.running == log.id:
            return
        if self.running:
            raise Refused("limit", "try-again", {"wait": WAIT}, {"retry-after": str(WAIT)})
        self.running = log.id
        self._work = asyncio.create_task(self._verified(log, log.entry, note, keys))
        self._work.add_done_callback(lambda done: None if done.cancelled() else done.exception() and None)
        await asyncio.wait((self._work,), timeout=5)

    async def stop(self) -> None:
        """End what is being verified."""
        if self._work is not None:
            self._work.cancel()
            await asyncio.wait((self._work,))

    async def _verified(
        self, log: TournamentLog, entry: int, note: str, keys: Sequence[VerifyingKey]
    ) -> None:
        try:
            with await self._files.made(log, entry, note, keys) as file:
                self._kept[log.id] = await _reported(file, [key.text for key in keys])
        finally:
            self.running = ""


async def _reported(file: IO[bytes], keys: Sequence[str]) -> Report:
    with tempfile.NamedTemporaryFile() as named:
        await asyncio.to_thread(shutil.copyfileobj, file, named)
        named.flush()
        pool = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"))
        try:
            async with asyncio.timeout(MOST_SECONDS):
                loop = asyncio.get_running_loop()
                return await loop.run_in_executor(pool, report_on, Path(named.name), keys)
        finally:
            for process in list(getattr(pool, "_processes", {}).values()):
                process.kill()
            pool.shutdown(wait=False, cancel_futures=True)
