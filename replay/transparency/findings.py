"""What a witness or a watcher caught a server at, as a file that anyone can check without a network.

A finding holds what the server itself signed, and proofs that these statements contradict each other.  To
check one you need the file and the server's public keys; `docs/trust.md` says which lie each kind shows.

    fork            two checkpoints of one log, of which the later does not begin with the earlier
    rollback        a log that was shown smaller than it had been
    missing         a match (by the receipt of its opening), or a new key, that the log does not hold
    contradiction   a match that the log says is closed otherwise than the match's own checkpoint says
    backdated       a key that claims to be older than what the log had before it
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from domain.log import Damaged, b64, said_of, unb64
from domain.merkle import Tree, leaf_hash
from domain.signed_notes import Checkpoint, Note, VerifyingKey, visible
from replay.transparency import leaf as leaves
from replay.transparency.client import signed_checkpoint
from replay.transparency.leaf import ClosedLeaf, KeyLeaf, OpenedLeaf
from replay.transparency.tree import check_consistency, check_inclusion

MOST_BYTES = 1 << 28  # of a finding's file: a `missing` one holds the whole log
LATE = 60_000_000  # microseconds: what happened so long before a later leaf must be in the log
SKEW = 600_000_000  # microseconds by which the times of neighbours in a log may differ without a lie
VERSION = 1

Keys = Sequence[VerifyingKey]


class _Finding(Struct, frozen=True, kw_only=True, tag_field="kind", forbid_unknown_fields=True):
    """Texts are notes, hashes and leaves are base64; times are in microseconds UTC."""

    format: str = "glasnost finding"
    version: int = VERSION
    found_at: int = 0
    """When it was found: the word of the finder."""

    def check(self, keys: Keys) -> str:
        """Return in words what this proves against the server with these keys.

        Raises:
            Damaged: it proves nothing; the text says why.
        """
        raise NotImplementedError


class Fork(_Finding, frozen=True, kw_only=True, tag="fork"):
    """Two checkpoints of one log: the tree of `newer` does not begin with that of `older`.

    begins_with: the root over the first leaves of `newer`, as many as `older` has.
    path: the proof that `newer` begins with that (RFC 6962); empty if both have the same size.
    """

    older: str
    newer: str
    begins_with: str = ""
    path: tuple[str, ...] = ()

    def check(self, keys: Keys) -> str:
        """See `_Finding`."""
        older, newer = signed_checkpoint(self.older, keys), signed_checkpoint(self.newer, keys)
        _must(older.origin == newer.origin, "the checkpoints are of two logs")
        _must(older.size <= newer.size, "the older checkpoint is the larger one")
        begins_with = newer.root if older.size == newer.size else unb64(self.begins_with)
        if older.size < newer.size:
            path = [unb64(one) for one in self.path]
            check_consistency(older.size, begins_with, newer.size, newer.root, path)
        _must(begins_with != older.root, "the checkpoints are consistent")
        return (
            f"fork: {visible(older.origin)} signed two histories: over its first {older.size} leaves the root"
            f" {b64(older.root)}, and in the log of {newer.size} leaves {b64(begins_with)}"
        )


class Rollback(_Finding, frozen=True, kw_only=True, tag="rollback"):
    """A checkpoint that the log showed, and a smaller one that it showed later."""

    larger: str
    smaller: str

    def check(self, keys: Keys) -> str:
        """See `_Finding`."""
        larger, smaller = signed_checkpoint(self.larger, keys), signed_checkpoint(self.smaller, keys)
        _must(larger.origin == smaller.origin, "the checkpoints are of two logs")
        _must(smaller.size < larger.size, "the later checkpoint is not the smaller one")
        return (
            f"rollback: {visible(larger.origin)} signed {larger.size} leaves and {smaller.size} leaves;"
            f" that the smaller log was shown later is the word of the finder"
        )


class Missing(_Finding, frozen=True, kw_only=True, tag="missing"):
    """The whole log, and what the server signed that is not in it.

    signed: the receipt over the first move of a match, or a rotation note.
    opening: the leaf of that first move; "" for a rotation.
    checkpoint, entries: the log up to that checkpoint.
    """

    signed: str
    opening: str = ""
    point: str
    entries: tuple[str, ...]

    def check(self, keys: Keys) -> str:
        """See `_Finding`."""
        stated = signed_checkpoint(self.point, keys)
        entries = [unb64(entry) for entry in self.entries]
        tree = Tree()
        for entry in entries:
            tree.add(entry)
        _must((tree.size, tree.root) == (stated.size, stated.root), "the leaves are not those of the log")
        read = [leaves.read(entry) for entry in entries]
        latest = max((one.at or 0 for one in read), default=0)
        if self.opening:
            what, at = self._opened(keys, read)
        else:
            what, at = self._rotated(keys, read)
        _must(latest > at + LATE, "the log may not have come so far: it has no leaf that is a minute younger")
        return f"missing: {what}, and the log of {stated.size} leaves, up to a later time, does not hold that"

    def _opened(self, keys: Keys, read: Sequence[leaves.AnyLeaf]) -> tuple[str, int]:
        opening = unb64(self.opening)
        match, stated = signed_match(self.signed, keys)
        _must(stated.size == 1 and stated.root == leaf_hash(opening), "the receipt is not over this opening")
        held = {one.root for one in read if isinstance(one, OpenedLeaf)}
        _must(b64(stated.root) not in held, "the log holds this opening")
        at = msgspec.json.decode(opening, type=_Timed).at
        _must(at is not None, "the opening has no time")
        return f"the server signed the opening of match {visible(match)}", at or 0

    def _rotated(self, keys: Keys, read: Sequence[leaves.AnyLeaf]) -> tuple[str, int]:
        new, at = signed_rotation(self.signed, keys)
        held = {one.note for one in read if isinstance(one, KeyLeaf)}
        _must(note_hash(self.signed) not in held, "the log holds this rotation")
        return f"the server signed that {new} is its new key", at


class Contradiction(_Finding, frozen=True, kw_only=True, tag="contradiction"):
    """The leaf of the end of a match, and a checkpoint of the match that says otherwise.

    leaf, index, path, point: the leaf and the proof that it is in the log of that checkpoint.
    match: the checkpoint of the match.
    """

    leaf: str
    index: int
    path: tuple[str, ...]
    point: str
    match: str

    def check(self, keys: Keys) -> str:
        """See `_Finding`."""
        closed = included(self.leaf, self.index, self.path, self.point, keys)
        match, stated = signed_match(self.match, keys)
        _must(isinstance(closed, ClosedLeaf) and closed.match == match, "the leaf is not of this match's end")
        assert isinstance(closed, ClosedLeaf)
        _must(stated.size >= closed.size, "the checkpoint of the match is of an earlier move")
        _must((stated.size, b64(stated.root)) != (closed.size, closed.root), "the two agree")
        return (
            f"contradiction: the log says that match {visible(match)} ended with move {closed.size} and root"
            f" {closed.root}, and the server signed {stated.size} moves with root {b64(stated.root)}"
        )


class Backdated(_Finding, frozen=True, kw_only=True, tag="backdated"):
    """The leaf of a rotation, and a leaf before it that is younger than the rotation claims to be.

    Each proof is a leaf, its index and its path; `rotation` is the signed note.
    """

    rotation: str
    leaf: str
    index: int
    path: tuple[str, ...]
    before: str
    before_index: int
    before_path: tuple[str, ...]
    point: str

    def check(self, keys: Keys) -> str:
        """See `_Finding`."""
        rotated = included(self.leaf, self.index, self.path, self.point, keys)
        before = included(self.before, self.before_index, self.before_path, self.point, keys)
        _must(self.before_index < self.index, "the other leaf does not come before")
        new, at = signed_rotation(self.rotation, keys)
        _must(
            isinstance(rotated, KeyLeaf) and rotated.note == note_hash(self.rotation),
            "the leaf is not of this rotation",
        )
        _must((before.at or 0) > at + SKEW, "the rotation is not older than the leaf before it")
        late = ((before.at or 0) - at) // 60_000_000
        return (
            f"backdated: the server signed that {new} is its key since a time {late} minutes before a leaf"
            f" (number {self.before_index}) that was in the log before the key"
        )


AnyFinding = Fork | Rollback | Missing | Contradiction | Backdated
_decode = msgspec.json.Decoder(AnyFinding).decode


class _Timed(Struct):
    at: int | None = None


def encoded(finding: AnyFinding) -> bytes:
    """The bytes of a finding's file."""
    return msgspec.json.format(msgspec.json.encode(finding), indent=1) + b"\n"


def read(data: bytes) -> AnyFinding:
    """Read the file of a finding.

    Raises:
        Damaged: it is none, or one of a newer version.
    """
    if len(data) > MOST_BYTES:
        raise Damaged(f"longer than the {MOST_BYTES} bytes of a finding")
    try:
        found: AnyFinding = _decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Damaged(f"not a finding: {error}") from error
    _must((found.format, found.version) == ("glasnost finding", VERSION), "not a finding of this version")
    return found


def checked(data: bytes, keys: Keys) -> str:
    """Return in words what the file of a finding proves against the server with these keys.

    Raises:
        Damaged: it proves nothing; the text says why.
    """
    finding = read(data)
    try:
        return finding.check(keys)
    except (msgspec.DecodeError, UnicodeDecodeError, ValueError) as error:
        raise Damaged(f"this proves nothing: {said_of(error)}") from error


def saved(finding: AnyFinding, folder: Path, most: int) -> tuple[Path, bool]:
    """Write a finding into a folder; return its file, and whether it is a new one.

    One lie has one file, however often it is seen, and a folder gets at most so many files.
    """
    whole = msgspec.structs.replace(finding, found_at=0)
    digest = hashlib.sha256(msgspec.json.encode(whole)).hexdigest()[:16]
    path = folder / f"{type(finding).__name__.lower()}-{digest}.json"
    if path.exists() or (folder.is_dir() and sum(1 for _ in folder.iterdir()) >= most):
        return path, False
    folder.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.part")
    fresh.write_bytes(encoded(finding))
    fresh.replace(path)
    return path, True


# ── what a server signs ──


def included(leaf: str, index: int, path: Iterable[str], point: str, keys: Keys) -> leaves.AnyLeaf:
    """Return what a leaf states, if it is in the log of this checkpoint.  Raises Damaged."""
    stated, data = signed_checkpoint(point, keys), unb64(leaf)
    check_inclusion(leaf_hash(data), index, stated.size, [unb64(one) for one in path], stated.root)
    return leaves.read(data)


def signed_match(note: str, keys: Keys) -> tuple[str, Checkpoint]:
    """Return the match of a checkpoint that one of these keys signed, and what it states.  Raises Damaged."""
    parsed = Note.parse(note)
    stated = Checkpoint.parse(parsed.text)
    signer = parsed.signed_by(keys)
    _must(signer is not None, f"no given key signed the match's checkpoint; it names {parsed.names}")
    server, between, match = stated.origin.rpartition("/match/")
    _must(bool(between) and signer is not None and server == signer.name, "not a checkpoint of a match")
    return match, stated


def signed_rotation(note: str, keys: Keys) -> tuple[str, int]:
    """Return the label of the new key that a rotation names, and the time, if the old key signed it.

    Raises Damaged if it is no rotation note, or not signed by the key that it names as the old one.
    """
    parsed = Note.parse(note)
    lines = parsed.text.split("\n")
    right = len(lines) == 5 and lines[0] == "glasnost key rotation" and lines[3].isdecimal()
    _must(right, "not a rotation note")
    old = VerifyingKey.parse(lines[1])
    _must(old in keys, f"{visible(old.label)} is none of the given keys")
    _must(parsed.signed_by([old]) is not None, "the old key did not sign the rotation")
    return VerifyingKey.parse(lines[2]).label, int(lines[3])


def note_hash(note: str) -> str:
    """The SHA-256 of a signed note, as the leaf of a rotation holds it."""
    return b64(hashlib.sha256(note.encode()).digest())


def _must(holds: Any, otherwise: str) -> None:
    if not holds:
        raise Damaged(otherwise)
