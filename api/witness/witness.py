"""A witness: it judges checkpoints one at a time, remembers the tree, and only then cosigns it.

Followed logs and logs that call `add-checkpoint` go through the same method, `Witness.add`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from api.witness.memory import Memory, Seen
from domain.log import Damaged, b64, unb64
from domain.merkle import EMPTY
from domain.signed_notes import Checkpoint, Note, VerifyingKey
from replay.transparency.client import LogReader, signed_checkpoint
from replay.transparency.cosignature import Cosigner
from replay.transparency.findings import Fork
from replay.transparency.following import Caught, bare, continued
from replay.transparency.policy import signs_for
from replay.transparency.submission import Submission
from replay.transparency.tree import check_consistency


class NotCosigned(Exception):
    """A checkpoint is not cosigned: the HTTP status that C2SP tlog-witness gives it, and why."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class OutOfDate(NotCosigned):
    """The old size is not the one that the witness remembers."""

    def __init__(self, size: int) -> None:
        super().__init__(409, f"{size}")
        self.size = size


class Witness:
    """Cosigns checkpoints of logs whose keys it knows; one at a time, whichever thread asks.

    Args:
        keys: the keys of the logs.
        now: the time in seconds since 1970.
    """

    def __init__(
        self, cosigner: Cosigner, memory: Memory, keys: Sequence[VerifyingKey], now: Callable[[], int]
    ) -> None:
        self._cosigner, self._memory, self._now = cosigner, memory, now
        self.keys = tuple(keys)
        self._one = threading.Lock()

    @property
    def key(self) -> str:
        """The vkey of the witness."""
        return self._cosigner.verifying.text

    def seen(self) -> dict[str, Seen]:
        """What was cosigned last, by the origin of the log."""
        return self._memory.logs

    def cosigned(self, origin: str) -> str | None:
        """The checkpoint of a log that was cosigned last, cosigned once more now; None if there is none."""
        with self._one:
            seen = self._memory.logs.get(origin)
            return None if seen is None else seen.note + self._cosigner.cosign(_text(seen), self._now())

    def add(self, submission: Submission) -> str:
        """Return the cosignature of a checkpoint, after the tree that it states is remembered.

        Raises:
            NotCosigned: see C2SP tlog-witness for the status.
            Caught: it states another root than the one that was cosigned over as many leaves.
            CannotRemember: the tree cannot be remembered, so it is not cosigned.
        """
        stated = self._judged(submission.note)
        if submission.old > stated.size:
            raise NotCosigned(400, "the old size is larger than that of the checkpoint")
        with self._one:
            seen = self._memory.logs.get(stated.origin)
            if submission.old != (seen.size if seen else 0):
                raise OutOfDate(seen.size if seen else 0)
            before = unb64(seen.root) if seen else EMPTY
            if seen and stated.size == seen.size and stated.root != before:
                raise Caught(Fork(older=seen.note, newer=bare(submission.note, self.keys)))
            try:
                check_consistency(submission.old, before, stated.size, stated.root, submission.path)
            except Damaged as error:
                raise NotCosigned(422, str(error)) from error
            if seen is None or seen.size != stated.size:
                note = bare(submission.note, self.keys)
                self._memory.remember(stated.origin, Seen(stated.size, b64(stated.root), note))
            return self._cosigner.cosign(stated.text, self._now())

    def follow(self, log: LogReader) -> Checkpoint:
        """Fetch the latest checkpoint of a log, check it against what was seen last, and cosign it.

        Raises:
            CannotFetch: the log cannot be read.
            Damaged: its checkpoint is not signed by a known key, or its tiles do not lead to the root.
            Caught: it forked, or went back.
            NotCosigned: it was overtaken by a call of `add-checkpoint`.
            CannotRemember: see `add`.
        """
        before = self._memory.logs  # taken before the checkpoint is fetched, so that a later one is larger
        note = log.latest()
        stated = signed_checkpoint(note, self.keys)
        seen = before.get(stated.origin)
        older = (seen.note, Checkpoint.parse(_text(seen))) if seen else None
        path = continued(log, older, (bare(note, self.keys), stated))
        old = older[1].size if older else 0
        self.add(Submission(old, tuple(path), note))
        return stated

    def _judged(self, note: str) -> Checkpoint:
        """What a checkpoint states, if a known key of its log signed it.  Raises NotCosigned."""
        try:
            origin = Checkpoint.parse(Note.parse(note).text).origin
        except ValueError as error:
            raise NotCosigned(400, str(error)) from error
        if not any(signs_for(key, origin) for key in self.keys):
            raise NotCosigned(404, "this log is not known here")
        try:
            return signed_checkpoint(note, self.keys)
        except ValueError as error:
            raise NotCosigned(403, str(error)) from error


def _text(seen: Seen) -> str:
    return Note.parse(seen.note).text
