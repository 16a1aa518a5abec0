"""Compares a match file with another checkpoint of its match: is one of the two a part of the other?

A file alone cannot show whether the match went on.  A later checkpoint shows that it did; only a checkpoint
over exactly the moves of the file shows whether the later one begins with them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from domain.merkle import Tree
from domain.signed_notes import Checkpoint, Note, VerifyingKey, visible
from replay.matchfile import MatchFile
from replay.report import Failure, Report
from replay.sanitize import counted

AGAINST = "against"  # what is checked besides the four questions
_MOST = 2**53 - 1  # moves that any checkpoint counts

Keys = Sequence[VerifyingKey]


class _Wrong(Exception):
    """The file and the checkpoint do not agree; the text says why."""


def compared(
    report: Report,
    file: MatchFile,
    note: str,
    keys: Keys = (),
    known: Keys = (),
    over: Callable[[int], str] | None = None,
) -> Report:
    """Return the report of a file that verifies, with the result of the comparison with another checkpoint.

    Args:
        keys, known: see `replay.verify.verify`; with `keys`, one of them must have signed.
        over: asks the source of `note` for the checkpoint over so many moves; returns "" if it gives none.
    """
    try:
        said = _Comparison(file, (keys, known), over).of(note)
    except _Wrong as wrong:
        return replace(report, failures=(*report.failures, Failure(AGAINST, None, str(wrong))), notes=())
    return replace(report, notes=(*report.notes, f"{AGAINST}: {said}"))


class _Comparison:
    """One file, compared with checkpoints."""

    def __init__(self, file: MatchFile, keys: tuple[Keys, Keys], over: Callable[[int], str] | None) -> None:
        self._match, self._leaves, self._over = file.manifest.match, file.leaves, over
        self._pinned, self._known = keys
        self._note = Note.parse(file.note)

    def of(self, note: str) -> str:
        """Return the result in words.  Raises _Wrong."""
        checkpoint, signed = self._read(note)
        if checkpoint.size > len(self._leaves):
            self._went_on(checkpoint, signed)
        self._must_fit(checkpoint, signed)
        return f"the checkpoint over {_moves(checkpoint.size)} is one of this log, {signed}"

    def _went_on(self, checkpoint: Checkpoint, signed: str) -> None:
        """Raise _Wrong: the match has moves that the file lacks, and perhaps other moves instead of its."""
        here = len(self._leaves)
        found = f"the match went on: {_moves(checkpoint.size)} are signed, this file holds {here} ({signed})"
        earlier = self._over(here) if self._over else ""
        if not earlier:
            only = f"only a checkpoint over {_moves(here)} shows"
            raise _Wrong(f"{found}; whether they begin with these, {only}")
        first, by = self._read(earlier)
        if first.size != here:
            raise _Wrong(f"{found}; asked for {_moves(here)}, the server gave a checkpoint over {first.size}")
        self._must_fit(first, by)
        raise _Wrong(f"{found}; they begin with these")

    def _must_fit(self, checkpoint: Checkpoint, signed: str) -> None:
        tree = Tree()
        for leaf in self._leaves[: checkpoint.size]:
            tree.add(leaf)
        if checkpoint.root != tree.root:
            moves = _moves(checkpoint.size)
            raise _Wrong(f"the root over the first {moves} is another one than that of this file, {signed}")

    def _read(self, note: str) -> tuple[Checkpoint, str]:
        """Return a checkpoint, and its signers in words.  Raises _Wrong."""
        try:
            parsed = Note.parse(note)
            checkpoint = Checkpoint.parse(parsed.text)
            signed = parsed.checked((*self._pinned, *self._known))
            counts = parsed.signed_by(self._pinned) is not None
        except ValueError as error:
            raise _Wrong(str(error)) from error
        others = {line.label for line in self._note.signatures}
        if checkpoint.size > _MOST:
            raise _Wrong("no match has so many moves")
        if not checkpoint.origin.endswith(f"/match/{self._match}"):
            raise _Wrong(f"the checkpoint is for {visible(checkpoint.origin[:120])}, not {self._match}")
        if self._pinned and not counts:
            raise _Wrong(f"the checkpoint names {parsed.names}; none of the keys given has signed it")
        other = (
            ""
            if any(line.label in others for line in parsed.signatures)
            else f", and the file names {self._note.names}"
        )
        return checkpoint, f"{signed.text()}{other}"


def _moves(count: int) -> str:
    return counted(count, "move", "moves")
