"""Tiles and bundles: the examples of C2SP tlog-tiles, and growth that never changes what was there."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.log import Damaged
from domain.merkle import Tree, leaf_hash
from replay.transparency.tiles import (
    ENTRIES,
    WIDTH,
    ReadTile,
    Tile,
    bundle,
    entries,
    grown,
    hash_at,
    tiles,
    width,
)
from replay.transparency.tree import root


@pytest.mark.parametrize(
    ("tile", "path"),
    [
        (Tile(0, 1234067), "0/x001/x234/067"),  # the example of the specification
        (Tile(0, 0), "0/000"),
        (Tile(2, 999, 1), "2/999.p/1"),
        (Tile(1, 1000, 255), "1/x001/000.p/255"),
        (Tile(ENTRIES, 1234067, 17), "entries/x001/x234/067.p/17"),
        (Tile(63, 5), "63/005"),
    ],
)
def test_names(tile: Tile, path: str) -> None:
    assert tile.path == path
    assert Tile.parse(path) == tile


@pytest.mark.parametrize(
    "path",
    [
        "",
        "0",
        "0/",
        "0/0",
        "0/0001",
        "00/000",
        "64/000",
        "-1/000",
        "0/x000/001",  # zeroes in front
        "0/001/002",
        "0/x001/x002",
        "0/000.p/0",
        "0/000.p/256",
        "0/000.p/007",
        "0/000.p/",
        "0/000.q/1",
        "0/000/",
        "/0/000",
        "../0/000",
        "0/%30",
        "0/٠٠٠",
        "entries",
        "entries/000.p/300",
        "0/" + "x999/" * 40 + "999",
        "0/000\n",
    ],
)
def test_what_is_no_name_of_a_tile(path: str) -> None:
    assert Tile.parse(path) is None


@pytest.mark.parametrize(
    ("size", "expected"),
    [  # both are examples of the specification
        (70_000, {0: [273, 112], 1: [1, 17], 2: [0, 1]}),
        (256, {0: [1, 0], 1: [0, 1]}),
    ],
)
def test_the_tiles_of_a_tree(size: int, expected: dict[int, list[int]]) -> None:
    found = [tile for tile in tiles(size) if tile.level != ENTRIES]
    full = Counter(tile.level for tile in found if tile.width == WIDTH)
    partial = {tile.level: tile.width for tile in found if tile.width < WIDTH}
    assert {
        level: [full[level], partial.get(level, 0)] for level in {tile.level for tile in found}
    } == expected


def test_only_new_tiles_are_written_again() -> None:
    old, new = set(tiles(70_000)), set(tiles(70_001))
    assert set(tiles(70_001, 70_000)) == new - old == {Tile(0, 273, 113), Tile(ENTRIES, 273, 113)}
    assert list(tiles(300, 300)) == []


def reading(kept: dict[tuple[int, int], bytes]) -> ReadTile:
    return lambda *name: kept.get(name, b"")


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(1, 400), min_size=1, max_size=6))
def test_tiles_grow_and_never_change(batches: list[int]) -> None:
    tree, kept, size = Tree(), dict[tuple[int, int], bytes](), 0
    for count in batches:
        leaves = [f"leaf {size + number}".encode() for number in range(count)]
        changed = grown(size, [leaf_hash(leaf) for leaf in leaves], reading(kept))
        assert all(content.startswith(kept.get(name, b"")) for name, content in changed.items())
        kept |= changed
        size += count
        for leaf in leaves:
            tree.add(leaf)
        assert {name: len(content) // 32 for name, content in kept.items()} == {
            (tile.level, tile.number): tile.width for tile in tiles(size) if tile.level != ENTRIES
        }
        assert root(size, hash_at(reading(kept))) == tree.root


def test_a_missing_tile_is_named() -> None:
    with pytest.raises(Damaged, match="tile 0/000 "):
        root(3, hash_at(lambda level, number: b""))


def test_the_width_of_a_tile_of_any_tree() -> None:
    assert [width(0, 273, 70_000), width(0, 274, 70_000), width(1, 1, 70_000)] == [112, 0, 17]
    assert width(ENTRIES, 273, 70_000) == 112


def test_bundles() -> None:
    leaves = [b"", b"a", b"b" * 4096]
    assert bundle(leaves)[:5] == b"\0\0\0\1a"
    assert entries(bundle(leaves)) == leaves
    assert entries(b"") == []


@pytest.mark.parametrize("data", [b"\0", b"\0\5abc", bundle([b"a"] * 257), bundle([b"a"]) + b"\0"])
def test_a_damaged_bundle(data: bytes) -> None:
    with pytest.raises(Damaged):
        entries(data)
