"""Whether this server can do its work now, and if not, what is wrong."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TypeVar

from msgspec import Struct

from api.http.read_models import ReadModels
from api.store.interface import Lag, Store, StoreError
from projections.status import Status

# How the server is: the store and the read models are asked by one thread at a time, at most once a second.
#
# A caller waits for the answer only for its own time limit: a hanging store blocks that one thread and no
# caller.

FRESH = 1.0  # seconds for which a result is reused

T = TypeVar("T")
_log = logging.getLogger("glasnost.ready")


class HealthReport(Struct, frozen=True):
    """The result of one probe of the store.

    `at`: when, in seconds of the clock of `HealthMonitor`.  `trouble`: why moves cannot be stored; empty if
    they can.  The rest is None if the store did not answer; `lag` is also None if there is no replica or it
    is not available.  `log`: what an operator should know of the transparency log; empty if all is well.
    """

    at: float
    trouble: str
    size: int | None = None
    lag: Lag | None = None
    replica_away: bool = False
    projections: list[Status] | None = None
    log: str | None = None


class HealthMonitor:
    """Looks at a store and its read models.

    Args:
        store: it is probed with a small write.
        models: they follow it.
        log: returns what an operator should know of its transparency log.
        clock: seconds that never run backwards.
    """

    def __init__(
        self,
        store: Store,
        models: ReadModels,
        log: Callable[[], str],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store, self._models, self._log, self._clock = store, models, log, clock
        self._checking: asyncio.Task[HealthReport] | None = None
        self.latest: HealthReport | None = None

    @property
    def age(self) -> float | None:
        """Seconds since the latest look; None where there was none yet."""
        return self._clock() - self.latest.at if self.latest else None

    async def check(self, seconds: float) -> HealthReport | None:
        """What is found now, or was a moment ago; None where the store does not answer in this time."""
        if self._checking is None and self.latest and self._clock() - self.latest.at < FRESH:
            return self.latest
        if self._checking is None:
            self._checking = asyncio.create_task(self._check())
        done, _ = await asyncio.wait((self._checking,), timeout=seconds)
        return self.latest if done else None

    async def _check(self) -> HealthReport:
        try:
            found = await asyncio.to_thread(self._found)
        except Exception as error:  # unforeseen, so nothing is known
            _log.error("the store could not be looked at", exc_info=True)
            found = HealthReport(self._clock(), f"it could not be looked at: {type(error).__name__}")
        finally:
            self._checking = None
        self._note(found)
        self.latest = found
        return found

    def _note(self, found: HealthReport) -> None:
        """Say in the log when moves cannot be stored any more, and when they can again."""
        before = self.latest.trouble if self.latest else ""
        if found.trouble and found.trouble != before:
            _log.error("moves cannot be stored", extra={"reason": found.trouble})
        elif before and not found.trouble:
            _log.warning("moves can be stored again")

    def _found(self) -> HealthReport:
        begun = self._clock()
        try:
            self._store.probe()
        except StoreError as error:
            return HealthReport(begun, str(error))
        lag, away = self._lag()
        runner = self._models.runner
        return HealthReport(
            begun, "", _said(self._store.size), lag, away, _said(runner.status), _said(self._log)
        )

    def _lag(self) -> tuple[Lag | None, bool]:
        try:
            return self._store.lag(), False
        except StoreError:
            return None, True


def _said(question: Callable[[], T]) -> T | None:
    with suppress(StoreError, OSError):
        return question()
    return None


# ── Readiness: whether each part of this server can work now, and if not, why ──


PATIENCE = 3.0  # seconds in which the store must say that it can be written

Remark = tuple[str, str]  # a part of the server, and what there is to say of it


def reasons(report: HealthReport | None, stopping: bool, most_behind: int) -> dict[str, str]:
    """Why the server is not ready, by part; nothing where it is.

    Args:
        look: None where the store did not answer in time.
        stopping: it was asked to stop.
        most_behind: how many records a read model may be behind.
    """
    found = {"server": "it is stopping"} if stopping else {}
    if report is None:
        return {**found, "store": f"it has not taken a small write for {PATIENCE:.0f} seconds"}
    if report.trouble:
        return {**found, "store": report.trouble}
    if report.projections is None:
        return {**found, "projections": "the store did not say how far its log goes"}
    wrong = [said for status in report.projections for said in _wrong(status, most_behind)]
    return {**found, "projections": "; ".join(wrong)} if wrong else found


def remarks(report: HealthReport | None) -> dict[str, str]:
    """What an operator may want to know although play goes on, by part."""
    return dict(_remarked(report)) if report else {}


def _wrong(status: Status, most_behind: int) -> Iterator[str]:
    if status.failure:
        yield f"{status.name} stopped before position {status.failure.position}: {status.failure.error}"
    elif status.behind > most_behind:
        yield f"{status.name} is {status.behind} records behind"


def _remarked(report: HealthReport) -> Iterator[Remark]:
    rebuilt = [status for status in report.projections or () if status.building is not None]
    if rebuilt:
        told = (
            f"{status.name} is built anew and has come to position {status.building}" for status in rebuilt
        )
        yield "projections", "; ".join(told)
    if report.replica_away:
        yield "replica", "it does not answer; everything is read from the store itself"
    elif report.lag and report.lag.moves:
        yield "replica", f"moves that it lacks: {report.lag.moves}"
    if report.log:
        yield "log", report.log
