"""The leaves of the server's log: what each one states, and its bytes (canonical JSON, RFC 8785).

A leaf holds ids, sizes and roots, and nothing that is hidden.  What is in it:

- `opened`: every match that was opened here, with the commitment to its secret;
- `closed`: every match that ended here, with its number of moves and the root over them;
- `tournament`: every entry of every tournament (all of them are public; their private parts are not in the
  root's leaves but as commitments);
- `key`: every rotation of the server's key;
- `restored`: the statement of an operator that leaves which were signed are lost.

Uploaded and imported matches are not in the log: this server did not write their logs.

A private match appears without its id and its opener: the root over its first move stands for it, which only
those can compute who have that move.  So does a tournament that no list shows.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from domain.events import Opened
from domain.imported import IMPORTED
from domain.log import Damaged, Record, b64, canonical
from domain.merkle import Tree
from domain.refusals import Sentence
from domain.tournaments.events import Announced

MOST_BYTES = 4096  # of one leaf
MOST_REASON = 500  # characters of the reason of an operator


class _Leaf(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """`at` is in microseconds UTC, None if the time is unknown; roots and commitments are in base64."""

    at: int | None = None

    @property
    def bytes(self) -> bytes:
        """The bytes that are hashed."""
        return canonical(self)


class OpenedLeaf(_Leaf, frozen=True, kw_only=True, tag_field="kind", tag="opened"):
    """A match was opened: the root over its first move, and the commitment to its secret.

    match: its id; of a private match "".
    opener: the random id of the player who opened it; "" if the house did, or the match is private.
    """

    match: str = ""
    opener: str = ""
    commitment: str
    root: str


class ClosedLeaf(_Leaf, frozen=True, kw_only=True, tag_field="kind", tag="closed"):
    """A match ended: its number of moves, and the root over them.

    match: its id; of a private match "".
    opening: the root over its first move.
    """

    match: str = ""
    opening: str
    size: int
    root: str


class TournamentLeaf(_Leaf, frozen=True, kw_only=True, tag_field="kind", tag="tournament"):
    """An entry of a tournament: its number, its kind, and the root over the entries up to it.

    tournament: its id; "" if it was announced for those alone who have its address.
    opening: the root over its first entry.
    """

    tournament: str = ""
    opening: str
    entry: str
    size: int
    root: str


class KeyLeaf(_Leaf, frozen=True, kw_only=True, tag_field="kind", tag="key"):
    """The server's key was replaced.

    number: of the rotation, from 1.
    before, key: the ids of the two keys, in hex.
    note: the SHA-256 of the signed rotation note, in base64.
    """

    number: int
    before: str
    key: str
    note: str


class RestoredLeaf(_Leaf, frozen=True, kw_only=True, tag_field="kind", tag="restored"):
    """The log went back: an operator says why.

    size: how many leaves the log had before this one.
    lost: how many leaves of the last signed checkpoint are missing, or differ from `size` on.
    signed, root: the size and the root of that checkpoint.
    """

    size: int
    lost: int
    signed: int
    root: str
    reason: str


AnyLeaf = OpenedLeaf | ClosedLeaf | TournamentLeaf | KeyLeaf | RestoredLeaf
_decode = msgspec.json.Decoder(AnyLeaf).decode


def read(leaf: bytes) -> AnyLeaf:
    """Return what a leaf states.

    Raises:
        Damaged: these are not the bytes of a leaf of this version.
    """
    if len(leaf) > MOST_BYTES:
        raise Damaged(Sentence("leaf-not-canonical"))
    try:
        found: AnyLeaf = _decode(leaf)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Damaged(Sentence("leaf-not-canonical")) from error
    if found.bytes != leaf:
        raise Damaged(Sentence("leaf-not-canonical"))
    return found


def is_logged(opened: Opened) -> bool:
    """Is a match of this log's kind, if it was not uploaded?  An imported one is not."""
    return opened.origin != IMPORTED


def opened_leaf(first: Record) -> OpenedLeaf:
    """Return the leaf of the opening of a match, from its first record."""
    opened: Opened = first.entry
    return OpenedLeaf(
        at=opened.at,
        match="" if opened.private else opened.match,
        opener="" if opened.private else opened.opener or "",
        commitment=opened.chance.commitment,
        root=_first_root(first),
    )


def closed_leaf(first: Record, last: Record, root: bytes) -> ClosedLeaf:
    """Return the leaf of the end of a match, from its first and last record and the root over all moves."""
    opened: Opened = first.entry
    return ClosedLeaf(
        at=last.entry.at,
        match="" if opened.private else opened.match,
        opening=_first_root(first),
        size=last.move,
        root=b64(root),
    )


def tournament_leaf(first: Record, record: Record, root: bytes) -> TournamentLeaf:
    """Return the leaf of an entry of a tournament.

    Args:
        first: its first entry.
        root: over the entries up to `record`.
    """
    announced: Announced = first.entry
    return TournamentLeaf(
        at=record.entry.at,
        tournament=record.match if announced.terms.visibility == "public" else "",
        opening=_first_root(first),
        entry=record.kind,
        size=record.move,
        root=b64(root),
    )


def _first_root(first: Record) -> str:
    tree = Tree()
    tree.add(first.leaf)
    return b64(tree.root)
