"""Proofs in a Merkle tree (RFC 6962, sections 2.1.1 and 2.1.2): made, and checked.

A proof is made from `at`, which returns the hash of a complete subtree: `at(level, index)` is the root over
the `2**level` leaves from leaf `index * 2**level` on.  Checking needs nothing but the proof.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from domain.log import Damaged
from domain.merkle import EMPTY, node_hash
from domain.refusals import Sentence

At = Callable[[int, int], bytes]
MOST_HASHES = 64  # of one inclusion proof; a consistency proof has at most one more
MOST_LEAVES = 1 << 53  # numbers in JSON are exact up to here


def root(size: int, at: At) -> bytes:
    """Return the root over the first `size` leaves, 32 bytes."""
    return _range(0, size, at) if size else EMPTY


def inclusion(index: int, size: int, at: At) -> list[bytes]:
    """Return the proof that leaf `index` is in the tree over `size` leaves: the audit path, from the leaf up.

    Raises:
        ValueError: the tree has no such leaf.
    """
    if not 0 <= index < size:
        raise ValueError(f"leaf {index} is not in a tree of {size}")
    first, end, path = 0, size, list[bytes]()
    while end - first > 1:
        middle = first + _split(end - first)
        if index < middle:
            path.append(_range(middle, end, at))
            end = middle
        else:
            path.append(_range(first, middle, at))
            first = middle
    return path[::-1]


def consistency(old: int, size: int, at: At) -> list[bytes]:
    """Return the proof that the tree over `size` leaves begins with the tree over the first `old` of them.

    The proof is empty if `old` is 0 or `size`.

    Raises:
        ValueError: the older tree is larger than the newer one.
    """
    if not 0 <= old <= size:
        raise ValueError(f"a tree of {size} does not begin with one of {old}")
    if old in (0, size):
        return []
    first, end, is_whole, path = 0, size, True, list[bytes]()
    while end != old:  # `end - first` leaves, of which the older tree has `old - first`
        middle = first + _split(end - first)
        if old <= middle:
            path.append(_range(middle, end, at))
            end = middle
        else:
            path.append(_range(first, middle, at))
            first, is_whole = middle, False
    if not is_whole:
        path.append(_range(first, end, at))
    return path[::-1]


def check_inclusion(leaf: bytes, index: int, size: int, path: Sequence[bytes], expected: bytes) -> None:
    """Check that a leaf is in a tree.

    Args:
        leaf: the hash of the leaf, 32 bytes.
        index: its place, from 0.
        size: the number of leaves of the tree.
        path: see `inclusion`.
        expected: the root of the tree.

    Raises:
        Damaged: the proof does not lead to that root.
    """
    if not 0 <= index < size <= MOST_LEAVES or len(path) > MOST_HASHES or not _are_hashes(path):
        raise Damaged(Sentence("inclusion-does-not-fit", {"index": index, "size": size}))
    found, place, last = leaf, index, size - 1
    for sibling in path:
        if last == 0:
            raise Damaged(Sentence("inclusion-does-not-fit", {"index": index, "size": size}))
        if place & 1 or place == last:
            found = node_hash(sibling, found)
            while place and not place & 1:
                place, last = place >> 1, last >> 1
        else:
            found = node_hash(found, sibling)
        place, last = place >> 1, last >> 1
    if last or found != expected:
        raise Damaged(Sentence("inclusion-does-not-fit", {"index": index, "size": size}))


def check_consistency(old: int, old_root: bytes, size: int, new_root: bytes, path: Sequence[bytes]) -> None:
    """Check that the tree over `size` leaves with the root `new_root` begins with an older tree.

    Raises:
        Damaged: the proof does not lead to both roots.
    """
    wrong = Damaged(Sentence("consistency-does-not-fit", {"old": old, "size": size}))
    if not 0 <= old <= size <= MOST_LEAVES or len(path) > MOST_HASHES + 1 or not _are_hashes(path):
        raise wrong
    if old in (0, size):
        same = old_root == (EMPTY if old == 0 else new_root)
        if path or not same or (size == 0 and new_root != EMPTY):
            raise wrong
        return
    hashes = list(path) if old & (old - 1) else [old_root, *path]
    if not hashes:
        raise wrong
    place, last = old - 1, size - 1
    while place & 1:
        place, last = place >> 1, last >> 1
    older = newer = hashes[0]
    for sibling in hashes[1:]:
        if last == 0:
            raise wrong
        if place & 1 or place == last:
            older, newer = node_hash(sibling, older), node_hash(sibling, newer)
            while place and not place & 1:
                place, last = place >> 1, last >> 1
        else:
            newer = node_hash(newer, sibling)
        place, last = place >> 1, last >> 1
    if last or older != old_root or newer != new_root:
        raise wrong


def _are_hashes(path: Sequence[bytes]) -> bool:
    return all(len(one) == 32 for one in path)


def _split(count: int) -> int:
    """The largest power of two that is smaller than `count`."""
    return 1 << ((count - 1).bit_length() - 1)


def _range(first: int, end: int, at: At) -> bytes:
    """The root over the leaves from `first` up to `end`, which are a subtree of the tree."""
    count = end - first
    if count & (count - 1) == 0:
        level = count.bit_length() - 1
        return at(level, first >> level)
    middle = first + _split(count)
    return node_hash(_range(first, middle, at), _range(middle, end, at))
