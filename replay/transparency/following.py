"""Whether a log goes on from what was seen of it last: the proof for that, or the proof that it lied."""

from __future__ import annotations

from collections.abc import Iterable

from domain.log import Damaged, b64
from domain.signed_notes import Checkpoint, Note, VerifyingKey
from replay.transparency.client import LogReader
from replay.transparency.findings import AnyFinding, Fork, Rollback
from replay.transparency.tree import check_consistency, consistency, root


class Caught(Exception):
    """A server was caught at a lie; `finding` is the proof."""

    def __init__(self, finding: AnyFinding) -> None:
        super().__init__(type(finding).__name__.lower())
        self.finding = finding


def continued(
    log: LogReader, older: tuple[str, Checkpoint] | None, newer: tuple[str, Checkpoint]
) -> list[bytes]:
    """Return the consistency proof from one checkpoint of a log to a later one, made from the tiles.

    Args:
        older: the checkpoint that was seen last, as it was signed and what it states; None: none was seen.
        newer: the same of the one that the log shows now.

    Raises:
        Caught: the log went back, or has two histories.
        CannotFetch: a tile cannot be fetched.
        Damaged: the tiles do not lead to the root of the newer checkpoint.
    """
    note, stated = newer
    seen = older[1] if older else None
    if older and seen and stated.size < seen.size:
        raise Caught(Rollback(larger=older[0], smaller=note))
    if older and seen and stated.size == seen.size and stated.root != seen.root:
        raise Caught(Fork(older=older[0], newer=note))
    at = log.at(stated.size)
    if root(stated.size, at) != stated.root:
        raise Damaged(f"{log.url}: the tiles do not lead to the root of the signed checkpoint")
    path = consistency(seen.size if seen else 0, stated.size, at)
    if older and seen and 0 < seen.size < stated.size:
        begins_with = root(seen.size, at)
        check_consistency(seen.size, begins_with, stated.size, stated.root, path)
        if begins_with != seen.root:
            spelled = tuple(map(b64, path))
            raise Caught(Fork(older=older[0], newer=note, begins_with=b64(begins_with), path=spelled))
    return path


def bare(note: str, keys: Iterable[VerifyingKey]) -> str:
    """Return a checkpoint with the signatures of these keys alone, so that strangers cannot make it grow."""
    parsed = Note.parse(note)
    labels = {key.label for key in keys}
    lines = note[len(parsed.text) + 1 :].splitlines(keepends=True)
    kept = [line for line, one in zip(lines, parsed.signatures, strict=True) if one.label in labels]
    return f"{parsed.text}\n{''.join(kept)}"
