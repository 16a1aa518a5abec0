"""The tiles of a transparency log (C2SP tlog-tiles): their names, what they hold, and how they grow.

A tile of level 0 holds the hashes of 256 leaves; one of level L holds the roots of 256 full tiles of level
L - 1.  A bundle of entries holds the leaves themselves.  The last tile of each level may be partial; it is
the beginning of the full tile that it becomes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from msgspec import Struct

from domain.log import Damaged
from domain.merkle import node_hash
from domain.refusals import Sentence
from replay.transparency.leaf import MOST_BYTES
from replay.transparency.tree import At

WIDTH = 256  # hashes of a full tile, and leaves of a full bundle
HASH = 32  # bytes
HEIGHT = 8  # levels of the tree in a tile
ENTRIES = -1  # stands for the level of a bundle of entries
MOST_LEVEL = 63
MOST_PATH = 64  # characters of the name of a tile
MOST_BUNDLE = WIDTH * (2 + MOST_BYTES)  # bytes of a bundle of this log
_PATH = re.compile(r"(entries|0|[1-9][0-9]?)((?:/x[0-9]{3}){0,5}/[0-9]{3})(?:\.p/([1-9][0-9]{0,2}))?")

ReadTile = Callable[[int, int], bytes]
"""Returns the hashes of a tile, one behind the other, by its level and number; b"" if there is none."""


class Tile(Struct, frozen=True):
    """The name of a tile: its level (or `ENTRIES`), its number in that level, and how many hashes it has."""

    level: int
    number: int
    width: int = WIDTH

    @property
    def path(self) -> str:
        """The name as in an address, after `tile/`, such as `0/x001/234.p/17`."""
        digits = f"{self.number:03}"
        digits = digits.zfill((len(digits) + 2) // 3 * 3)
        parts = [digits[place : place + 3] for place in range(0, len(digits), 3)]
        number = "/".join([*(f"x{part}" for part in parts[:-1]), parts[-1]])
        level = "entries" if self.level == ENTRIES else str(self.level)
        return f"{level}/{number}" + (f".p/{self.width}" if self.width < WIDTH else "")

    def is_in(self, size: int) -> bool:
        """Does a tree of `size` leaves have this tile, as wide as this or wider?"""
        return self.width <= width(self.level, self.number, size)

    @classmethod
    def parse(cls, path: str) -> Tile | None:
        """Read such a name; None if it is none, or not the one spelling of a tile."""
        found = _PATH.fullmatch(path) if len(path) <= MOST_PATH and path.isascii() else None
        if found is None:
            return None
        level = ENTRIES if found[1] == "entries" else int(found[1])
        number = int(found[2].replace("/", "").replace("x", ""))
        tile = cls(level, number, int(found[3] or WIDTH))
        return tile if level <= MOST_LEVEL and tile.path == path else None


def width(level: int, number: int, size: int) -> int:
    """Return how many hashes a tile has in a tree of `size` leaves; of bundles, how many leaves."""
    whole = size >> (HEIGHT * max(level, 0))
    return min(max(whole - number * WIDTH, 0), WIDTH)


def tiles(size: int, old: int = 0) -> Iterator[Tile]:
    """Yield the tiles and bundles of a tree of `size` leaves that the tree of `old` leaves does not have."""
    for level in (ENTRIES, *range(MOST_LEVEL + 1)):
        whole, before = size >> (HEIGHT * max(level, 0)), old >> (HEIGHT * max(level, 0))
        if not whole:
            return
        for number in range(before // WIDTH, (whole - 1) // WIDTH + 1):
            found = Tile(level, number, width(level, number, size))
            if found.width > width(level, number, old):
                yield found


def grown(size: int, hashes: Sequence[bytes], read: ReadTile) -> dict[tuple[int, int], bytes]:
    """Return the new contents of all tiles that change when leaves are appended.

    Args:
        size: the number of leaves before.
        hashes: the hashes of the new leaves, in order.
        read: returns the tiles as they are before.

    Returns:
        The hashes of each changed tile, by level and number.
    """
    changed: dict[tuple[int, int], bytearray] = {}
    level, first, new = 0, size, list(hashes)
    while new:
        above: list[bytes] = []
        for place, one in enumerate(new, first):
            name = level, place // WIDTH
            if name not in changed:
                changed[name] = bytearray(read(*name)[: place % WIDTH * HASH])
            changed[name] += one
            if place % WIDTH == WIDTH - 1:
                above.append(_top(bytes(changed[name])))
        level, first, new = level + 1, first // WIDTH, above
    return {name: bytes(content) for name, content in changed.items()}


def hash_at(read: ReadTile) -> At:
    """Return the function `at` of `replay.transparency.tree` over tiles.

    It raises `Damaged` if a tile is missing or too short.
    """
    kept = lru_cache(maxsize=64)(read)  # a proof asks for the same few tiles several times

    def at(level: int, index: int) -> bytes:
        tile_level, inner = divmod(level, HEIGHT)
        first, count = (index << inner) % WIDTH, 1 << inner
        number = (index << inner) // WIDTH
        found = kept(tile_level, number)[first * HASH : (first + count) * HASH]
        if len(found) != count * HASH:
            raise Damaged(Sentence("tile-missing", {"tile": Tile(tile_level, number).path}))
        return _top(found)

    return at


def _top(hashes: bytes) -> bytes:
    """The root over the hashes of a complete subtree."""
    row = [hashes[place : place + HASH] for place in range(0, len(hashes), HASH)]
    while len(row) > 1:
        row = [node_hash(row[place], row[place + 1]) for place in range(0, len(row), 2)]
    return row[0]


def bundle(leaves: Sequence[bytes]) -> bytes:
    """Return a bundle of entries: each leaf after its length in two bytes, the higher one first."""
    return b"".join(len(leaf).to_bytes(2) + leaf for leaf in leaves)


def entries(data: bytes) -> list[bytes]:
    """Return the leaves of a bundle.

    Raises:
        Damaged: it is cut off, or holds more than 256 leaves.
    """
    found, place = list[bytes](), 0
    while place < len(data):
        start = place + 2
        place = start + int.from_bytes(data[place:start])
        if place > len(data) or start > len(data) or len(found) == WIDTH:
            raise Damaged(Sentence("bundle-damaged"))
        found.append(data[start:place])
    return found
