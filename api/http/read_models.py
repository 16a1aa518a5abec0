"""The read models as the routes see them: kept in step with the log, read in a thread."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from api.store.interface import Store, StoreError
from api.store.sql import SqlStore
from domain.kernel import Refused
from projections.backend import Home, NoTable, Reading
from projections.file import File
from projections.runner import Runner
from projections.status import has_reached

if TYPE_CHECKING:
    from api.store.postgres_connection import Address
    from projections.postgres import Database

FILE = "read-models.db"  # in the folder of an embedded store; it can be thrown away
_AT_ONCE = 3  # questions in threads: one that waits for the runner must not hold up tokens and matches
_SOON = {"retry-after": "1"}  # seconds
_PATIENCE = 1.0  # seconds that a reader waits for what was committed before the request

_log = logging.getLogger("glasnost.projections")
P = ParamSpec("P")
T = TypeVar("T")


class ReadModels:
    """The read models of one store.

    Args:
        store: the log that they follow.
        home: where they are; a folder: in a file there.
        replica: where they are, too, as far as it has come.
    """

    def __init__(self, store: Store, home: Home | Path, replica: Home | None = None) -> None:
        self._store, self._asking = store, asyncio.Semaphore(_AT_ONCE)
        self._hidden: frozenset[str] = frozenset()
        self.home = File(home / FILE, _report) if isinstance(home, Path) else home
        self._replica = replica
        self.runner = Runner(store, self.home, report=_report, withdrawn=self.withdrawn)
        self.runner.start()

    async def ask(
        self, question: Callable[Concatenate[Reading, P], T], *args: P.args, **named: P.kwargs
    ) -> T:
        """The answer of a function of `projections.read`, with everything that is committed now.

        Raises:
            Refused: invalid, unavailable.
            StoreError: the database is away.
        """
        async with self._asking:
            return await asyncio.to_thread(self._answer, lambda rows: question(rows, *args, **named))

    async def hidden(self) -> frozenset[str]:
        """The matches that no list may show, also where the read models still tell of them."""
        return await asyncio.to_thread(self.withdrawn)

    def withdrawn(self) -> frozenset[str]:
        """The withdrawn matches; where the store is away, those that were known last."""
        with suppress(StoreError):
            self._hidden = self._store.uploads.withdrawn()
        return self._hidden

    def close(self) -> None:
        """Let go of them."""
        self.runner.stop()
        if self._replica is not None:
            self._replica.close()

    def _answer(self, question: Callable[[Reading], T]) -> T:
        last = self.runner.last() or 0
        if self._replica is not None and has_reached(self._replica.generations(), last):
            with suppress(StoreError):  # it went away meanwhile
                return self._at(self._replica, question)
        self.runner.wait(last, _PATIENCE)
        return self._at(self.home, question)

    def _at(self, home: Home, question: Callable[[Reading], T]) -> T:
        try:
            with home.reader() as tables:
                return question(tables)
        except NoTable as error:
            raise self._built() or Refused("unavailable", "no-read-models") from error
        except Refused as error:
            if error.kind == "unavailable" and (built := self._built()):
                raise built from error
            raise

    def _built(self) -> Refused | None:
        """How far the read model is that is built and has the longest way to go, or where one stopped; None:
        none is built."""
        built = [status for status in self.runner.status() if status.building is not None]
        if not built:
            return None
        if stopped := next((one.failure for one in built if one.failure), None):
            return Refused("unavailable", "read-model-stopped", {"model": stopped.projection}, _SOON)
        here, whole = min((one.building or 0, one.position + one.behind) for one in built)
        return Refused("unavailable", "read-models-built", {"here": here, "whole": whole}, _SOON)


def _report(line: str) -> None:
    _log.warning("projections", extra={"told": line})


def open_read_models(store: SqlStore) -> ReadModels:
    """Those of a store: in its PostgreSQL, where it has one, else in a file beside it.

    Raises:
        StoreError: the database does not let us.
        OSError, sqlite3.OperationalError: the folder does not.
    """
    if store.home is not None:
        return ReadModels(store, store.home)
    import psycopg

    from api.store.postgres import RIGHTS, PostgresStore
    from projections.postgres import CALLS

    assert isinstance(store, PostgresStore), "a store without a folder is a database"
    home, *replicas = map(database_of, store.addresses)
    try:
        models = ReadModels(store, home, *replicas)
    except psycopg.Error as error:
        home.close()
        address = store.addresses[0]
        raise StoreError(f"{address} cannot hold the read models: {address.said(error)}; {RIGHTS}") from error
    store.hear(CALLS, lambda _: models.runner.hurry())
    return models


def database_of(address: Address) -> Database:
    """The read models in a PostgreSQL database."""
    from api.store.postgres_connection import hung_up
    from projections.postgres import Database

    return Database(address.connect, hung_up, address.away)
