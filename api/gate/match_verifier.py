"""Verifies matches in a process of its own, which does nothing else; a crash of it concerns one match."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

from msgspec import Struct

from api.gate.child_process import one_process

MOST_SECONDS = 300.0  # for one match


class Work(Struct, frozen=True):
    """A match to be verified, as bytes: its records, the note over them, and the keys that are known."""

    match: str
    game: str
    records: Sequence[bytes]
    note: str
    keys: Sequence[str]


class NotVerified(Exception):
    """The verification could not be carried out; that says nothing about the match."""


def lights(work: Work) -> dict[str, str]:
    """Return "ok" or "failed" for each of the four questions about a match."""
    from domain.games import GAMES
    from domain.log import Damaged, codec
    from domain.signed_notes import VerifyingKey
    from replay.report import CHECKS, LOG
    from replay.verify import verify_records

    read = codec(GAMES[work.game]).read
    try:
        records = [read(work.match, stored) for stored in work.records]
    except Damaged:
        return dict.fromkeys(CHECKS, "failed") | {LOG: "failed"}
    keys = [VerifyingKey.parse(key) for key in work.keys]
    report = verify_records(records, work.note, known=keys)
    failed = {failure.check for failure in report.failures}
    return {check: "failed" if check in failed else "ok" for check in CHECKS}


class MatchVerifier:
    """One process that verifies, one match after the other; it is started when it is needed."""

    def __init__(self) -> None:
        self._pool: ProcessPoolExecutor | None = None

    async def __call__(self, work: Work) -> dict[str, str]:
        """Return what `lights` finds.

        Raises:
            NotVerified: the process failed, or took too long.
        """
        loop = asyncio.get_running_loop()
        if self._pool is None:
            self._pool = one_process()
        try:
            async with asyncio.timeout(MOST_SECONDS):
                return await loop.run_in_executor(self._pool, lights, work)
        except asyncio.CancelledError:
            raise
        except (BrokenProcessPool, TimeoutError, Exception) as error:
            self.close()
            raise NotVerified(type(error).__name__) from error

    def close(self) -> None:
        """End the process."""
        if self._pool is not None:
            for process in list(getattr(self._pool, "_processes", {}).values()):
                process.kill()
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None
