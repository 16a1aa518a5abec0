"""What a match file or a tournament file carries to show that it is in the server's log.

A proof holds a signed checkpoint of that log and, for the opening and the end of a match or for each entry of
a tournament, the leaf, its place, and the hashes that lead from it to the root of the checkpoint.  Who signed
and cosigned the checkpoint is for the caller to check (`domain.signed_notes.Note`).
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from domain.events import Closed
from domain.log import Damaged, Record, b64, canonical, unb64
from domain.merkle import Tree, leaf_hash
from domain.refusals import Sentence
from domain.signed_notes import Checkpoint, Note
from replay.transparency.leaf import closed_leaf, opened_leaf, tournament_leaf
from replay.transparency.tree import At, check_inclusion, inclusion

MEMBER = "transparency.json"  # the name in a file
MOST_LEAVES = 2  # of a match
MOST_ENTRIES = 40_000  # of a tournament
_MOST_NOTE, _MOST_PROOF = 48 * 1024, 8 * 1024  # bytes


class LogProof(Struct, frozen=True, forbid_unknown_fields=True):
    """That a leaf is in the log: its text, its place (from 0), the audit path from the leaf up (base64)."""

    leaf: str
    index: int
    hashes: tuple[str, ...]


class Evidence(Struct, frozen=True, forbid_unknown_fields=True):
    """The proof of a file: a signed checkpoint with its cosignatures, and a proof for each leaf."""

    checkpoint: str
    proofs: tuple[LogProof, ...]

    @property
    def bytes(self) -> bytes:
        """The bytes in a file: canonical JSON and a newline."""
        return canonical(self) + b"\n"


_decode = msgspec.json.Decoder(Evidence).decode


def read(data: bytes, most: int = MOST_LEAVES) -> Evidence:
    """Return the proof that the bytes of a file hold, for at most so many leaves.

    Raises:
        Damaged: they hold none, or not in its one spelling.
    """
    wrong = Damaged(Sentence("log-proof-unread"))
    if len(data) > _MOST_NOTE + most * _MOST_PROOF:
        raise wrong
    try:
        found = _decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise wrong from error
    if found.bytes != data or not 1 <= len(found.proofs) <= most:
        raise wrong
    return found


def make(checkpoint: str, size: int, leaves: Sequence[tuple[int, bytes]], at: At) -> Evidence:
    """Return the proof for some leaves, each with its place, under a signed checkpoint over `size` leaves."""
    proofs = [
        LogProof(leaf.decode(), index, tuple(map(b64, inclusion(index, size, at)))) for index, leaf in leaves
    ]
    return Evidence(checkpoint, tuple(proofs))


def match_leaves(records: Sequence[Record]) -> list[bytes]:
    """Return the leaves that a match must have in the log: of its opening and, if it is over, of its end."""
    first, last = records[0], records[-1]
    leaves = [opened_leaf(first).bytes]
    if isinstance(last.entry, Closed):
        leaves.append(closed_leaf(first, last, _root(records)).bytes)
    return leaves


def tournament_leaves(records: Sequence[Record]) -> list[bytes]:
    """Return the leaves that a tournament must have in the log: one for each of these, its first entries."""
    tree, leaves = Tree(), list[bytes]()
    for record in records:
        tree.add(record.leaf)
        leaves.append(tournament_leaf(records[0], record, tree.root).bytes)
    return leaves


def check(evidence: Evidence, leaves: Sequence[bytes]) -> Checkpoint:
    """Check a proof against the leaves that the file itself demands; return the checkpoint that covers them.

    A proof may lack the leaf of the end (the file was written before the log had it); compare the number of
    proofs with that of the leaves.  Signatures are not checked here.

    Raises:
        Damaged: a leaf is another one, or its hashes do not lead to the checkpoint.
    """
    checkpoint = Checkpoint.parse(Note.parse(evidence.checkpoint).text)
    if not 1 <= len(evidence.proofs) <= len(leaves):
        raise Damaged(Sentence("log-proof-unread"))
    before = -1
    for proof, leaf in zip(evidence.proofs, leaves, strict=False):
        if proof.leaf.encode() != leaf or proof.index <= before:
            raise Damaged(Sentence("log-proof-foreign", {"index": proof.index}))
        before, path = proof.index, [unb64(one) for one in proof.hashes]
        check_inclusion(leaf_hash(leaf), proof.index, checkpoint.size, path, checkpoint.root)
    return checkpoint


def _root(records: Sequence[Record]) -> bytes:
    tree = Tree()
    for record in records:
        tree.add(record.leaf)
    return tree.root
