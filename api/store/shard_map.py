"""The map of shards: over which stores the matches are divided, and in which of them a match lies.

A match lies where its id says: `m-east-...` in the shard `east`, and every other one, so all that are older
than the map, in the first, which is called home.  So a shard can be added, and its share of the new matches
changed, without moving any match.  Moving one is what could not be done: a log is never shortened.

    [[shard]]
    name = "home"
    store = "postgresql://glasnost@one/league"

    [[shard]]
    name = "east"
    store = "postgresql://glasnost@other/league"
    share = 2                                       # twice as many new matches as home; 0: none
    replica = "postgresql://glasnost@replica/league"
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from api.store.location import Location, MapFile, Place, located, shown
from api.store.seam import StoreError

_NAME = re.compile("[a-z][a-z0-9]{0,15}")
_NAMED = re.compile("m-([a-z][a-z0-9]{0,15})-")  # how an id begins that names its shard
_MOST_SHARE = 1_000_000


class Shard(Struct, frozen=True, forbid_unknown_fields=True):
    """One shard.

    name: what ids say.
    store: where it lies, in the words of `--store`; a directory is meant from the map's own on.
    share: how many of the new matches are opened there, against the shares of the others.
    replica: a replica of its database, to read from.
    """

    name: str
    store: str
    share: int = 1
    replica: str = ""


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    shard: list[Shard]


class ShardMap:
    """A map that was read from a file.

    Args:
        file: where it was read.
        shards: the shards, home first.

    Raises:
        StoreError: it has no shard, or one that cannot be meant; the text says which.
    """

    def __init__(self, file: Path, shards: Sequence[Shard]) -> None:
        self.file, self.shards = file, tuple(shards)
        self._names = {shard.name for shard in shards}
        wrong = self._wrong()
        if wrong:
            raise StoreError(f"{file}: {wrong}")

    @classmethod
    def read(cls, file: Path) -> ShardMap:
        """The map in `file`.

        Raises:
            StoreError: it cannot be read, is no TOML, or no map; the text says where.
        """
        try:
            return cls(file, msgspec.toml.decode(file.read_bytes(), type=_File).shard)
        except OSError as error:
            raise StoreError(f"{file}: the map of shards cannot be read: {error.strerror}") from error
        except RecursionError as error:
            raise StoreError(
                f"{file}: nested too deeply; a map has [[shard]] with name, store, share"
            ) from error
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise StoreError(f"{file}: {error}; a map has [[shard]] with name, store, share") from error

    def _wrong(self) -> str:
        if not self.shards:
            return "it names no shard: begin with [[shard]], name and store of what is there already"
        for shard in self.shards:
            if not _NAME.fullmatch(shard.name):
                return (
                    f"shard {shard.name[:40]!r}: a name has 1 to 16 small letters and digits, a letter first"
                )
            if not 0 <= shard.share <= _MOST_SHARE:
                return f"shard {shard.name}: a share is 0 to {_MOST_SHARE}"
            if shard.replica and not isinstance(self._located(shard, shard.replica), str):
                return f"shard {shard.name}: a replica is a database: postgresql://USER@HOST:PORT/DATABASE"
        if twice := _twice([shard.name for shard in self.shards]):
            return f"two shards are called {twice}: each match must lie in one place"
        stores = [_same(self.place(shard)) for shard in self.shards]
        if twice := _twice(stores):
            both = [shard.name for shard, store in zip(self.shards, stores, strict=True) if store == twice]
            return f"the shards {' and '.join(both)} name the same store"
        return (
            "" if any(shard.share for shard in self.shards) else "every share is 0: new matches have no place"
        )

    def place(self, shard: Shard) -> Place:
        """Where the store of a shard lies.

        Raises:
            StoreError: its words cannot be meant.
        """
        place = self._located(shard, shard.store)
        if isinstance(place, MapFile):
            raise StoreError(f"{self.file}: shard {shard.name}: a shard is one store, not another map")
        return place if isinstance(place, str) else self.file.parent / place

    def _located(self, shard: Shard, words: str) -> Location:
        try:
            location = located(words)
            shown(location)  # what cannot be shown cannot be reached
        except StoreError as error:
            raise StoreError(f"{self.file}: shard {shard.name}: {error}") from error
        return location

    @property
    def home(self) -> Shard:
        """The first shard: it also holds what is of no match, and matches whose ids name no shard."""
        return self.shards[0]

    def of(self, match: str) -> str:
        """The name of the shard in which the match lies, if there is such a match."""
        name = named_by(match)
        return name if name in self._names and name is not None else self.home.name

    def named(self, match: str) -> str:
        """The id for a new match that chance has named: it says in which shard the match is opened.

        The same given id gives the same one, as long as the shares stay.
        """
        digest = int.from_bytes(hashlib.sha256(match.encode()).digest()[:8], "big")
        place = digest % sum(shard.share for shard in self.shards)
        for shard in self.shards:
            if place < shard.share:
                return match if shard is self.home else f"m-{shard.name}-{match.removeprefix('m')}"
            place -= shard.share
        raise AssertionError("the shares are all there is")


def named_by(match: str) -> str | None:
    """The shard that an id names, whether there is one or not."""
    found = _NAMED.match(match)
    return found[1] if found else None


def _same(place: Place) -> str:
    """What is equal for two places that are the same."""
    return os.path.realpath(place) if isinstance(place, Path) else shown(place).rpartition("@")[2]


def _twice(words: Sequence[str]) -> str:
    return next((word for word, count in Counter(words).items() if count > 1), "")
