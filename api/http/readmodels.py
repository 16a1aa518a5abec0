"""The read models as the routes see them: kept in step with the log, read in a thread."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from api.http.problems import Failed
from api.store.seam import Store, StoreError
from projections import read
from projections.reader import Reader
from projections.runner import Runner
from projections.sharing import SharedRunner

FILE = "read-models.db"  # in the store's folder; it can be thrown away
_AT_ONCE = 3  # questions in threads: whoever waits for the runner must not hold up tokens and matches
_PATIENCE = 1.0  # seconds a reader waits for what was committed before he asked

_log = logging.getLogger("glasnost.projections")
P = ParamSpec("P")
T = TypeVar("T")


class ReadModels:
    """The read models of one store.

    Args:
        store: the log that they follow.
        folder: where their file lies.
        known: tells a store that other processes serve, too, from all others: those that keep their read
            models in the same folder have one file together.
    """

    def __init__(self, store: Store, folder: Path, known: bytes | None = None) -> None:
        self._store, self._asking = store, asyncio.Semaphore(_AT_ONCE)
        self._hidden: frozenset[str] = frozenset()
        self.runner: Runner | SharedRunner = (
            Runner(store.logs, folder / FILE, report=_report, withdrawn=self.withdrawn)
            if known is None
            else SharedRunner(store.logs, folder, known, report=_report, withdrawn=self.withdrawn)
        )
        self.runner.start()
        self.path = self.runner.path
        self._reader = Reader(self.path)

    async def ask(
        self, question: Callable[Concatenate[sqlite3.Connection, P], T], *given: P.args, **named: P.kwargs
    ) -> T:
        """The answer of a function of `projections.read`, with everything that is committed now.

        Raises:
            Failed: invalid, unavailable.
        """
        async with self._asking:
            return await asyncio.to_thread(self._answer, lambda rows: question(rows, *given, **named))

    async def hidden(self) -> frozenset[str]:
        """The matches that no list may show, also where the read models still tell of them."""
        return await asyncio.to_thread(self.withdrawn)

    def withdrawn(self) -> frozenset[str]:
        """The withdrawn matches; where the store is away, those that were known last."""
        with suppress(StoreError):
            self._hidden = self._store.uploads.withdrawn()
        return self._hidden

    def close(self) -> None:
        """Let go of the file."""
        self.runner.stop()
        self._reader.close()

    def _answer(self, question: Callable[[sqlite3.Connection], T]) -> T:
        self.runner.wait(self.runner.lasts(), _PATIENCE)
        try:
            with self._reader as rows:
                return question(rows)
        except read.BadQuery as error:
            raise Failed("invalid", str(error)) from error
        except read.NotReady as error:
            raise Failed("unavailable", self._built() or str(error), {"retry-after": "1"}) from error

    def _built(self) -> str:
        """How far the read model is that is built and has the longest way to go, or where one stopped; empty:
        none is built."""
        built = [status for status in self.runner.status() if status.building is not None]
        if not built:
            return ""
        if stopped := next((one.failure for one in built if one.failure), None):
            return f"the read model {stopped.projection} stopped at a move; the server's log says at which"
        here, whole = min((one.building or 0, one.position + one.behind) for one in built)
        return f"the read models are being built: {here} of {whole} moves are in them; ask again soon"


def _report(line: str) -> None:
    _log.warning("projections", extra={"told": line})
