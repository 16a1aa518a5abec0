"""The read models as the routes see them: kept in step with the log, read in a thread."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from api.http.problems import Failed
from api.store.seam import Store
from projections import read
from projections.runner import Runner

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
        path: their database file.
    """

    def __init__(self, store: Store, path: Path) -> None:
        self._store, self.path, self._alone = store, path, threading.Lock()
        self._asking = asyncio.Semaphore(_AT_ONCE)
        self.runner = Runner(
            store.logs, path, report=lambda line: _log.warning("projections", extra={"told": line})
        )
        self.runner.start()
        self._connection = read.connect(path)

    async def ask(
        self, question: Callable[Concatenate[sqlite3.Connection, P], T], *given: P.args, **named: P.kwargs
    ) -> T:
        """The answer of a function of `projections.read`, with everything that is committed now.

        Raises:
            Failed: invalid, unavailable.
        """
        async with self._asking:
            return await asyncio.to_thread(self._answer, lambda: question(self._connection, *given, **named))

    async def reach(self, match: str, seconds: float) -> None:
        """Wait until the read models hold everything of a match that is committed now.

        Raises:
            Failed: behind, where they do not in this time.
        """
        async with self._asking:
            missing = await asyncio.to_thread(self._missing, self._store.log_of(match), seconds)
        if missing:
            raise Failed("behind", f"the read models lack {missing} records", {"retry-after": "1"})

    def _missing(self, log: str, seconds: float) -> str:
        """How many records of a log the read models lack, after some time; empty: none."""
        last = self.runner.lasts().get(log)
        if last is None:
            return "some"
        if self.runner.wait({log: last}, seconds):
            return ""
        return str(max(status.behind for status in self.runner.status()))

    def close(self) -> None:
        """Let go of the file."""
        self.runner.stop()
        with self._alone:
            self._connection.close()

    def _answer(self, question: Callable[[], T]) -> T:
        self.runner.wait(self.runner.lasts(), _PATIENCE)
        try:
            with self._alone:
                return question()
        except read.BadQuery as error:
            raise Failed("invalid", str(error)) from error
        except read.NotReady as error:
            raise Failed("unavailable", str(error), {"retry-after": "1"}) from error
