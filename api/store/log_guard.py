"""The guard of the transparency log: a server that is behind what it signed signs nothing more.

The last signed checkpoint of the log is kept outside the store, beside the keys, in `log.json`.  A store that
does not hold that checkpoint any more was restored from an older backup, or is another store.  Until an
operator says so (`glasnost log restored`), nothing is signed and nothing is appended; reading goes on.

The file also holds the leaves that do not follow from the store (rotations of keys, restores), so that the
log can be made again with the same bytes.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from api.store.interface import StoreError
from api.store.keys import Keys, read_beside, replace_beside
from api.store.transparency import SqlTransparency
from domain.log import Damaged
from domain.refusals import Sentence
from domain.signed_notes import Checkpoint, Note

FILE = "log.json"  # in the key folder
_AGAIN = 1.0  # seconds after which a guard looks again whether the log is still behind


class OwnLeaf(Struct, frozen=True):
    """A leaf that does not follow from the store, with its number in the log."""

    number: int
    leaf: str


class LogState(Struct, frozen=True):
    """What is kept beside the keys: the last signed checkpoint, and the log's own leaves."""

    checkpoint: str
    own: tuple[OwnLeaf, ...] = ()


class Behind(StoreError):
    """The store is behind the log's last signed checkpoint: nothing is signed, and nothing is appended."""

    kind = "log-behind"


class Gap(Struct, frozen=True):
    """How far the log is behind: it has `size` leaves, and `signed` were signed, with this root.

    `lost`: how many of those are missing or are others now.
    """

    size: int
    signed: int
    root: bytes
    lost: int


class LogGuard:
    """Compares the log of a store with the last checkpoint that was signed.

    Args:
        log: of the store.
        folder: returns the key folder.
    """

    def __init__(self, log: SqlTransparency, folder: Callable[[], Path]) -> None:
        self._log, self._folder = log, folder
        self._checked, self._behind, self._again = False, False, 0.0
        self._lock = threading.Lock()

    @property
    def state(self) -> LogState | None:
        """What is kept beside the keys; None if nothing is.

        Raises:
            StoreError: the file is damaged, or readable by others.
        """
        path = self._folder() / FILE
        if not path.exists():
            return None
        try:
            return msgspec.json.decode(read_beside(path), type=LogState)
        except msgspec.DecodeError as error:
            raise StoreError(f"{path} is damaged ({error}): put the latest copy of it back") from error

    def keep(self, note: str) -> None:
        """Keep a signed checkpoint beside the keys, durably, before it is published."""
        own = tuple(OwnLeaf(number, leaf.decode()) for number, leaf in self._log.own())
        replace_beside(self._folder() / FILE, msgspec.json.encode(LogState(note, own)))
        self._checked, self._behind = True, False

    def release(self) -> None:
        """Let the next checkpoint be signed: an operator has said why leaves are lost."""
        self._checked, self._behind = True, False

    def gap(self) -> Gap | None:
        """Return how far the log is behind its last signed checkpoint; None if it holds that checkpoint."""
        state = self.state
        return None if state is None else gap(self._log, checkpoint_of(state.checkpoint))

    def seen(self, note: str, ring: Keys) -> bool:
        """Take in a checkpoint of this log that someone else shows, such as a witness.

        If one of this server's keys signed it and the log does not hold it, the log is behind from now on.

        Returns whether the log is behind because of it.
        """
        try:
            found = checkpoint_of(note)
            signer = Note.parse(note).signed_by((ring.present, *ring.retired))
        except Damaged:
            return False
        if signer is None or found.origin != log_origin(ring) or gap(self._log, found) is None:
            return False
        last = self.state
        if last is None or checkpoint_of(last.checkpoint).size <= found.size:
            own = () if last is None else last.own
            replace_beside(self._folder() / FILE, msgspec.json.encode(LogState(note, own)))
            self._checked = False
        return self.is_behind

    @property
    def is_behind(self) -> bool:
        """Is the log behind?  While it is, this looks again every second."""
        if self._checked and not self._behind:
            return False
        with self._lock:
            if not self._checked or time.monotonic() >= self._again:
                self._behind = self.gap() is not None
                self._checked, self._again = True, time.monotonic() + _AGAIN
            return self._behind

    def check(self) -> None:
        """Do nothing if the log is not behind.

        Raises:
            Behind: it is.
        """
        if self.is_behind:
            raise Behind(Sentence("log-behind"))


def gap(log: SqlTransparency, last: Checkpoint) -> Gap | None:
    """Return how far a log is from holding a checkpoint; None if it holds it."""
    size = log.size()
    if size >= last.size:
        with suppress(Damaged):
            if log.root(last.size) == last.root:
                return None
    return Gap(size, last.size, last.root, max(last.size - size, 1))


def checkpoint_of(note: str) -> Checkpoint:
    """Return what a signed checkpoint states.  Raises Damaged: it is none."""
    return Checkpoint.parse(Note.parse(note).text)


def log_origin(ring: Keys) -> str:
    """Return the origin of the log's checkpoints: the name under which the first key signed, and `/log`.

    It stays when the key is rotated, also to another name, because it is one log.
    """
    first = ring.retired[0] if ring.retired else ring.present
    return f"{first.name}/log"


def due(own: Sequence[OwnLeaf], number: int) -> OwnLeaf | None:
    """Return the log's own leaf that has this number; None if there is none."""
    return next((one for one in own if one.number == number), None)
