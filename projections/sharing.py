"""One file of read models for the workers of a machine: one of them leads and runs the runner, all read.

Who does not lead looks into the file while one of its readers waits, and rings the leader's bell so that it
does not let the reader wait.  Where nobody hears the bell, whoever rang it takes the lead; else somebody does
within `IDLE` seconds.  The bell tells of which logs the reader misses something.  A leader that cannot read
one of these gives the lead up, and leaves it to others first: whoever rang knows of more.  For a moment both
may write then; a runner that has been overtaken writes nothing.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path

from projections.catalogue import stamp
from projections.file import delete
from projections.leading import Lead, SoleUse, Taken, Use, ring
from projections.model import Source
from projections.reader import Reader
from projections.runner import IDLE, PROJECTIONS, Runner, tails_of
from projections.standing import Status, has_reached, lacking, status
from projections.taking import told_of

LOOK = 0.005  # seconds between two looks into the file while a reader waits
AGAIN = 20  # looks after which the bell is rung once more: another one may lead by then
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
        folder: where the file lies; those of other versions, which nobody uses any more, are deleted.
        store: tells it from all others.
        report: is called with one line for whatever an operator should know.
        withdrawn: see `Runner`.
    """

    def __init__(
        self,
        source: Mapping[str, Source],
        folder: Path,
        store: bytes,
        *,
        report: Callable[[str], None] = lambda line: None,
        withdrawn: Callable[[], frozenset[str]] = frozenset,
    ) -> None:
        self._withdrawn = withdrawn
        self.path, self._versions = folder / file_of(store), f"{_begun(store)}*.db"
        self._report, self._tails = report, tails_of(source, report)
        self._lead: tuple[Lead, Runner] | None = None  # while this process leads
        self._called, self._stopping = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="projections-lead", daemon=True)
        self._reader, self._use = Reader(self.path), Use(self.path)

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
        until, looks = time.monotonic() + seconds, 0
        while True:
            left = max(until - time.monotonic(), 0.0)
            if lead := self._lead:
                reached = lead[1].wait(positions, left)
            else:
                found = self._reader.generations()
                reached = has_reached(found, positions)
            if reached or not left or self._stopping.is_set():
                return reached
            if not lead:
                missed = set() if looks % AGAIN else lacking(found, positions)
                if not ring(self.path, missed) and not self._is_cut_off(positions):
                    self._called.set()
                looks += 1
                self._stopping.wait(min(LOOK, left))

    def _is_cut_off(self, logs: Collection[str]) -> bool:
        """Can one of these logs not be read here?"""
        return any(tail.is_unread for log, tail in self._tails.items() if log in logs)

    # ── leading and following ──

    def start(self) -> None:
        """Lead where nobody does, and follow whoever does, until `stop`."""
        with ExitStack() as undone:
            undone.callback(self._use.give_up)
            self._try_to_lead()
            undone.callback(self._give_up)
            self._thread.start()
            undone.pop_all()
        self._clear_away()

    def stop(self) -> None:
        """Give the lead up, and let go of the file."""
        self._stopping.set()
        self._called.set()
        if self.leads:
            ring(self.path, self._tails)
        self._thread.join()
        self._reader.close()
        self._use.give_up()

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self._lead_on() if self._lead else self._follow()
            except Exception as error:  # the disk fails: say so, and go on when it is mended
                self._report(f"projections: {told_of(error)}; trying again")
                self._stopping.wait(IDLE)
        self._give_up()

    def _lead_on(self) -> None:
        """Hear for a while whether readers elsewhere wait, and for which logs."""
        assert self._lead is not None
        lead, runner = self._lead
        missed = lead.heard(IDLE)
        if not lead.holds() or self._is_cut_off(missed):
            self._give_up()
        elif missed:
            runner.hurry()

    def _follow(self) -> None:
        """See whether somebody leads, after a while, or at once where one of our readers misses him."""
        if not self._called.wait(IDLE):
            self._tails.lasts()  # one that could not be read is tried again
        self._called.clear()
        self._try_to_lead()

    def _try_to_lead(self) -> None:
        with suppress(Taken), ExitStack() as undone:
            lead = Lead(self.path)
            undone.callback(lead.give_up)
            runner = Runner(self._tails, self.path, report=self._report, withdrawn=self._withdrawn)
            undone.pop_all()
            self._lead = (lead, runner)  # before it runs: whoever sees what it took in may ask who leads
            undone.callback(self._give_up)
            runner.start()
            undone.pop_all()

    def _give_up(self) -> None:
        if self._lead:
            (lead, runner), self._lead = self._lead, None
            runner.halt()
            lead.give_up()  # first: the runner may wait long for a log that is away
            runner.stop()

    def _clear_away(self) -> None:
        """Delete the files of other versions that nobody uses any more."""
        for path in self.path.parent.glob(self._versions):
            with suppress(Taken, OSError), ExitStack() as used:
                if path != self.path:
                    used.callback(SoleUse(path).give_up)
                    delete(path)
