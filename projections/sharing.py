"""One file of read models for the workers of a machine: one of them leads and runs the runner, all read.

Who does not lead looks into the file while one of its readers waits, and rings the leader's bell so that it
does not let the reader wait.  Where nobody hears the bell, whoever rang it takes the lead; else somebody does
within `IDLE` seconds.  A leader that cannot read a log gives the lead up when the bell rings: whoever rang it
knows of more.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from projections.catalogue import stamp
from projections.leading import Lead, Taken, ring
from projections.model import Source
from projections.reader import Reader
from projections.runner import IDLE, PROJECTIONS, Runner, tails_of
from projections.standing import Status, has_reached, status
from projections.taking import told_of

LOOK = 0.005  # seconds between two looks into the file while a reader waits
_VERSION = hashlib.sha256("\n".join(map(stamp, PROJECTIONS)).encode()).hexdigest()[:8]


def file_of(store: bytes) -> str:
    """The name of the file that the workers of a store share.

    Those of another store have another one, and so have those of another version: they could not follow one
    another.

    Args:
        store: tells it from all others.
    """
    return f"{_begun(store)}{_VERSION}.db"


def _begun(store: bytes) -> str:
    return f"read-models-{hashlib.sha256(store).hexdigest()[:8]}-"


class SharedRunner:
    """Keeps the read models of a store in step, together with other processes: see `Runner`.

    Args:
        source: the logs of the store.
        folder: where the file lies; those of older versions, which nobody keeps any more, are deleted.
        store: tells it from all others.
        report: is called with one line for whatever an operator should know.
    """

    def __init__(
        self,
        source: Mapping[str, Source],
        folder: Path,
        store: bytes,
        *,
        report: Callable[[str], None] = lambda line: None,
    ) -> None:
        self.path, self._older = folder / file_of(store), f"{_begun(store)}*.db"
        self._report, self._tails = report, tails_of(source, report)
        self._lead: tuple[Lead, Runner] | None = None  # while this process leads
        self._called, self._stopping = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="projections-lead", daemon=True)
        self._reader = Reader(self.path)

    # ── reading ──

    @property
    def leads(self) -> bool:
        """Is it this process that takes the records in?"""
        return self._lead is not None

    def status(self) -> list[Status]:
        """See `Runner.status`."""
        lasts, generations = self.lasts(), self._reader.generations()
        return [status(projection.name, generations, lasts) for projection in PROJECTIONS]

    def lasts(self) -> dict[str, int]:
        """See `Runner.lasts`."""
        return self._tails.glances()

    @property
    def away(self) -> list[str]:
        """See `Runner.away`."""
        return self._tails.away

    def wait(self, positions: Mapping[str, int], seconds: float) -> bool:
        """See `Runner.wait`."""
        until, heard = time.monotonic() + seconds, False
        while True:
            left = max(until - time.monotonic(), 0.0)
            if lead := self._lead:
                return lead[1].wait(positions, left)
            if has_reached(self._reader.generations(), positions):
                return True
            if not left:
                return False
            heard = heard or ring(self.path)
            if not heard:
                self._called.set()
            if self._stopping.wait(min(LOOK, left)):
                return False

    # ── leading and following ──

    def start(self) -> None:
        """Lead where nobody does, and follow whoever does, until `stop`."""
        self._try_to_lead()
        self._thread.start()

    def stop(self) -> None:
        """Give the lead up, and let go of the file."""
        self._stopping.set()
        self._called.set()
        ring(self.path)
        self._thread.join()
        self._reader.close()

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self._lead_on() if self._lead else self._follow()
            except Exception as error:  # the disk fails: say so, and go on when it is mended
                self._report(f"projections: {told_of(error)}; trying again")
                self._stopping.wait(IDLE)
        self._give_up()

    def _lead_on(self) -> None:
        """Hear whether readers elsewhere wait, for a while."""
        assert self._lead is not None
        lead, runner = self._lead
        if lead.heard(IDLE):
            if any(tail.is_unread for tail in self._tails.values()):
                self._give_up()
            else:
                runner.hurry()

    def _follow(self) -> None:
        """See whether somebody leads, after a while, or at once where one of our readers misses him."""
        if not self._called.wait(IDLE):
            self._tails.lasts()  # one that could not be read is tried again
        self._called.clear()
        self._try_to_lead()

    def _try_to_lead(self) -> None:
        try:
            lead = Lead(self.path)
        except Taken:
            return
        try:
            runner = Runner(self._tails, self.path, report=self._report)
            self._clear_away()
        except BaseException:
            lead.give_up()
            raise
        runner.start()
        self._lead = (lead, runner)

    def _give_up(self) -> None:
        if self._lead:
            (lead, runner), self._lead = self._lead, None
            try:
                runner.stop()
            finally:
                lead.give_up()

    def _clear_away(self) -> None:
        """Delete the files of other versions that nobody keeps any more."""
        for path in self.path.parent.glob(self._older):
            with suppress(Taken, OSError):
                if path != self.path:
                    other = Lead(path)
                    for ending in ("", "-wal", "-shm"):
                        path.with_name(path.name + ending).unlink(missing_ok=True)
                    other.give_up()
