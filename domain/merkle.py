"""The Merkle tree (RFC 6962, section 2.1) over the leaves of a log: its hashes, and the tree that grows.

`replay.transparency.tree` makes and checks proofs from the same hashes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

EMPTY = hashlib.sha256(b"").digest()
"""The root of a tree without leaves."""


def leaf_hash(leaf: bytes) -> bytes:
    """The hash of a leaf's bytes."""
    return hashlib.sha256(b"\x00" + leaf).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of an inner node over those of its two children."""
    return hashlib.sha256(b"\x01" + left + right).digest()


class Tree:
    """The Merkle tree (RFC 6962, SHA-256) over the leaves so far; it keeps the frontier, O(log n) hashes."""

    def __init__(self) -> None:
        self.size = 0
        self._peaks: list[bytes] = []
        self._root: bytes | None = None

    def copy(self) -> Tree:
        """A tree with the same leaves, which grows without changing this one."""
        other = Tree()
        other.size, other._peaks, other._root = self.size, self._peaks.copy(), self._root
        return other

    @classmethod
    def resumed(cls, size: int, peaks: Sequence[bytes]) -> Tree:
        """The tree over `size` leaves from its `peaks`, which grows as the one did that gave them.

        Raises:
            ValueError: a tree of this size has another number of peaks.
        """
        if size < 0 or len(peaks) != size.bit_count():
            raise ValueError(f"a tree of {size} leaves does not have {len(peaks)} peaks")
        tree = cls()
        tree.size, tree._peaks = size, list(peaks)
        return tree

    @property
    def peaks(self) -> tuple[bytes, ...]:
        """The roots of the complete subtrees, the largest first: the frontier."""
        return tuple(self._peaks)

    def add(self, leaf: bytes) -> None:
        """Append a leaf's bytes."""
        peak, rest = leaf_hash(leaf), self.size
        while rest & 1:
            peak, rest = node_hash(self._peaks.pop(), peak), rest >> 1
        self._peaks.append(peak)
        self.size += 1
        self._root = None

    @property
    def root(self) -> bytes:
        """The root over all leaves, 32 bytes; without leaves the SHA-256 of no bytes."""
        if self._root is None:
            self._root = self._folded()
        return self._root

    def _folded(self) -> bytes:
        if not self._peaks:
            return EMPTY
        root = self._peaks[-1]
        for peak in reversed(self._peaks[:-1]):
            root = node_hash(peak, root)
        return root
