"""Reads a transparency log at its URL: checkpoint, tiles and entries (C2SP `tlog-tiles`).

The server may lie, stall or send without end.  Each answer has a bound in bytes and in seconds, no redirect
is followed, and what a tile holds counts only when it leads to the root of a signed checkpoint.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from urllib.parse import urlsplit

from domain.log import Damaged
from domain.signed_notes import Checkpoint, Note, VerifyingKey, visible
from replay.fetching import SCHEMES, CannotFetch, fetched
from replay.transparency import tiles, tree
from replay.transparency.policy import MOST_NOTE, signs_for
from replay.transparency.tiles import ENTRIES, HASH, MOST_BUNDLE, WIDTH, Tile

SECONDS = 10.0  # for one answer
MOST_LEAVES = 1 << 32  # of a log that is followed: a larger size in a checkpoint is refused


class LogReader:
    """Reads the log at a URL prefix, such as `https://games.example.org/log`.

    Raises:
        CannotFetch: it is not an HTTP URL.
    """

    def __init__(self, url: str, seconds: float = SECONDS) -> None:
        if urlsplit(url).scheme not in SCHEMES:
            raise CannotFetch(f"{url}: only http:// and https:// are fetched")
        self.url, self._seconds = url.rstrip("/"), seconds

    def latest(self) -> str:
        """The latest checkpoint with its signatures.

        Raises:
            CannotFetch: it cannot be fetched.
        """
        try:
            return self._fetched("checkpoint", MOST_NOTE).decode()
        except UnicodeDecodeError as error:
            raise CannotFetch(f"{self.url}/checkpoint: not UTF-8") from error

    def at(self, size: int) -> tree.At:
        """Return the hashes of the tree of `size` leaves, as its tiles give them.

        The function raises CannotFetch if a tile cannot be fetched, and Damaged if one is cut off.
        """
        return tiles.hash_at(partial(self._tile, size))

    def leaves(self, first: int, size: int) -> Iterator[bytes]:
        """Yield the leaves from number `first` on, of the tree of `size` leaves.

        Raises:
            CannotFetch: a bundle cannot be fetched.
            Damaged: a bundle is cut off, or holds more or fewer leaves than it should.
        """
        for number in range(first // WIDTH, (size + WIDTH - 1) // WIDTH):
            count = tiles.width(ENTRIES, number, size)
            found = tiles.entries(self._fetched_tile(Tile(ENTRIES, number, count), MOST_BUNDLE))
            if len(found) < count:
                raise Damaged(f"{self.url}: bundle {number} has {len(found)} leaves, not {count}")
            yield from found[max(first - number * WIDTH, 0) : count]

    def _tile(self, size: int, level: int, number: int) -> bytes:
        width = tiles.width(level, number, size)
        return self._fetched_tile(Tile(level, number, width), WIDTH * HASH)[: width * HASH] if width else b""

    def _fetched_tile(self, tile: Tile, most: int) -> bytes:
        """The bytes of a tile; a partial one may have become a full one meanwhile."""
        try:
            return self._fetched(f"tile/{tile.path}", most)
        except CannotFetch:
            if tile.width == WIDTH:
                raise
            return self._fetched(f"tile/{Tile(tile.level, tile.number).path}", most)

    def _fetched(self, path: str, most: int) -> bytes:
        return fetched(f"{self.url}/{path}", most=most, seconds=self._seconds, redirects=False)


def signed_checkpoint(note: str, keys: Iterable[VerifyingKey]) -> Checkpoint:
    """Return what a checkpoint states, if one of these keys signed it for a log of its own.

    Raises:
        Damaged: it is no signed checkpoint, is too large, or no such key signed it.
    """
    if len(note.encode()) > MOST_NOTE:
        raise Damaged(f"longer than the {MOST_NOTE} bytes of a checkpoint")
    known = list(keys)
    parsed = Note.parse(note)
    stated = Checkpoint.parse(parsed.text)
    if parsed.signed_by([key for key in known if signs_for(key, stated.origin)]) is None:
        raise Damaged(
            f"the checkpoint of {visible(stated.origin[:120])!r} is signed by none of the given keys"
            f" ({', '.join(key.label for key in known)}); it names {parsed.names}"
        )
    if stated.size > MOST_LEAVES:
        raise Damaged(f"a log of {stated.size} leaves is not followed")
    return stated
