"""Proofs in the Merkle tree: the reference tree of Certificate Transparency, and RFC 6962 taken literally."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import pairwise

import pytest

from domain.log import Damaged
from domain.merkle import EMPTY, Tree, leaf_hash
from replay.transparency.tiles import grown, hash_at
from replay.transparency.tree import (
    At,
    check_consistency,
    check_inclusion,
    consistency,
    inclusion,
    root,
)

# The eight leaves of the reference tree of Certificate Transparency, and its published roots and proofs
# (google/certificate-transparency, merkle_tree_test; transparency-dev/merkle uses the same).
LEAVES = [
    bytes.fromhex(one)
    for one in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]
ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
PATHS = {
    (0, 8): [
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ],
    (5, 8): [
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ],
    (2, 3): ["fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"],
    (1, 5): [
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    ],
}
CONSISTENCIES = {
    (1, 1): [],
    (1, 8): PATHS[0, 8],
    (6, 8): [
        "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ],
    (2, 5): [
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    ],
}
MANY = [f"leaf {number}".encode() for number in range(70)]


def literal(leaves: Sequence[bytes]) -> bytes:
    """MTH of RFC 6962, section 2.1, by its definition."""
    if not leaves:
        return hashlib.sha256().digest()
    if len(leaves) == 1:
        return hashlib.sha256(b"\0" + leaves[0]).digest()
    k = 1
    while 2 * k < len(leaves):
        k *= 2
    return hashlib.sha256(b"\1" + literal(leaves[:k]) + literal(leaves[k:])).digest()


def tiled(leaves: Sequence[bytes]) -> At:
    """The hashes of a tree, by way of tiles."""
    kept = grown(0, [leaf_hash(leaf) for leaf in leaves], lambda level, number: b"")
    return hash_at(lambda level, number: kept.get((level, number), b""))


@pytest.mark.parametrize("size", range(1, 9))
def test_roots_of_the_reference_tree(size: int) -> None:
    tree = Tree()
    for leaf in LEAVES[:size]:
        tree.add(leaf)
    assert root(size, tiled(LEAVES)).hex() == tree.root.hex() == ROOTS[size - 1]


@pytest.mark.parametrize(("index", "size"), PATHS)
def test_inclusion_in_the_reference_tree(index: int, size: int) -> None:
    path = inclusion(index, size, tiled(LEAVES))
    assert [one.hex() for one in path] == PATHS[index, size]
    check_inclusion(leaf_hash(LEAVES[index]), index, size, path, bytes.fromhex(ROOTS[size - 1]))


@pytest.mark.parametrize(("old", "size"), CONSISTENCIES)
def test_consistency_of_the_reference_tree(old: int, size: int) -> None:
    path = consistency(old, size, tiled(LEAVES))
    assert [one.hex() for one in path] == CONSISTENCIES[old, size]
    roots = bytes.fromhex(ROOTS[old - 1]), bytes.fromhex(ROOTS[size - 1])
    check_consistency(old, roots[0], size, roots[1], path)


def test_every_proof_of_every_tree_up_to_70_leaves() -> None:
    at, roots = tiled(MANY), [literal(MANY[:size]) for size in range(len(MANY) + 1)]
    assert [root(size, at) for size in range(len(MANY) + 1)] == roots
    for size in range(1, len(MANY) + 1):
        for index in range(size):
            path = inclusion(index, size, at)
            check_inclusion(leaf_hash(MANY[index]), index, size, path, roots[size])
            check_consistency(index, roots[index], size, roots[size], consistency(index, size, at))
        check_consistency(size, roots[size], size, roots[size], [])


def test_an_empty_tree_is_the_beginning_of_every_tree() -> None:
    check_consistency(0, EMPTY, 5, literal(MANY[:5]), [])
    check_consistency(0, EMPTY, 0, EMPTY, [])
    with pytest.raises(Damaged):
        check_consistency(0, literal(MANY[:1]), 5, literal(MANY[:5]), [])


# ── a forger changes one thing ──


@pytest.mark.parametrize(
    "change", ["leaf", "index", "size", "root", "hash", "order", "cut", "longer", "short"]
)
def test_a_changed_inclusion_proof_is_refused(change: str) -> None:
    size, index, at = 61, 37, tiled(MANY)
    path, expected, leaf = inclusion(index, size, at), literal(MANY[:size]), leaf_hash(MANY[index])
    if change == "leaf":
        leaf = leaf_hash(b"another")
    elif change == "index":
        index += 1
    elif change == "size":
        size += 20
    elif change == "root":
        expected = literal(MANY[:60])
    elif change == "hash":
        path[2] = bytes([path[2][0] ^ 1]) + path[2][1:]
    elif change == "order":
        path[0], path[1] = path[1], path[0]
    elif change == "cut":
        path.pop()
    elif change == "longer":
        path.append(path[-1])
    elif change == "short":
        path[0] = path[0][:31]
    with pytest.raises(Damaged):
        check_inclusion(leaf, index, size, path, expected)


@pytest.mark.parametrize("old", [1, 2, 7, 8, 31, 32, 33, 60])
def test_a_changed_consistency_proof_is_refused(old: int) -> None:
    size, at = 61, tiled(MANY)
    path, roots = consistency(old, size, at), (literal(MANY[:old]), literal(MANY[:size]))
    check_consistency(old, roots[0], size, roots[1], path)
    others = [path[:-1], [*path, path[0]], [bytes(32), *path[1:]], [*path[:-1], bytes(32)], []]
    for other in others:
        with pytest.raises(Damaged):
            check_consistency(old, roots[0], size, roots[1], other)
    for wrong in [(literal(MANY[1 : old + 1]), roots[1]), (roots[0], literal(MANY[:60]))]:
        with pytest.raises(Damaged):
            check_consistency(old, wrong[0], size, wrong[1], path)


def test_a_tree_that_was_rewritten_has_no_proof() -> None:
    other = [*MANY[:20], b"rewritten", *MANY[21:]]
    old_root, new_root = literal(MANY[:30]), literal(other[:61])
    with pytest.raises(Damaged):
        check_consistency(30, old_root, 61, new_root, consistency(30, 61, tiled(other)))


def test_a_flooder_sends_very_many_hashes() -> None:
    path = [bytes(32)] * 100_000
    with pytest.raises(Damaged):
        check_inclusion(bytes(32), 0, 1 << 52, path, bytes(32))
    with pytest.raises(Damaged):
        check_consistency(5, bytes(32), 1 << 52, bytes(32), path)


def test_roots_differ_at_every_size() -> None:
    roots = [literal(MANY[:size]) for size in range(len(MANY) + 1)]
    assert all(one != other for one, other in pairwise(roots))
