"""Which store: the words of GLASNOST_STORE and of `--store`.

DIR, sqlite:DIR          the embedded store in a directory
postgresql://...         the shared store in a database; libpq's variables and ~/.pgpass count, too
shards:FILE              several of these, over which the matches are divided as a map says (`shard_map`)
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from api.store.schema import FILE
from api.store.seam import StoreError

if TYPE_CHECKING:
    from api.store.base import SqlStore
    from api.store.sharded import ShardedStore

SQLITE, SHARDS = "sqlite:", "shards:"
REPLICA = "GLASNOST_STORE_REPLICA"  # a replica of the database, to read from
_DATABASE = re.compile("postgres(ql)?://")
_SCHEME = re.compile("([a-z][a-z0-9+.-]+):(//)?", re.IGNORECASE)


class MapFile(Struct, frozen=True):
    """The file of a map of shards."""

    path: Path

    def __str__(self) -> str:
        return f"{SHARDS}{self.path}"


Place = Path | str  # of one store: a directory, or the URL of a database
Location = Place | MapFile
OpenStore: TypeAlias = "SqlStore | ShardedStore"


def located(words: str) -> Location:
    """What these words mean.

    Raises:
        StoreError: nothing that this version knows.
    """
    if _DATABASE.match(words):
        return words
    if words.startswith(SHARDS):
        return MapFile(Path(words.removeprefix(SHARDS)))
    if words.startswith(SQLITE):
        return Path(words.removeprefix(SQLITE) or ".")
    scheme = _SCHEME.match(words)
    if scheme and scheme[2]:
        raise StoreError(
            f"{scheme[0]} is no store that this version knows: it is DIR, sqlite:DIR,"
            " postgresql://USER@HOST:PORT/DATABASE or shards:FILE"
        )
    return Path(words)


def is_there(location: Location) -> bool:
    """Is there a store, or a database or map that may hold one?"""
    return not isinstance(location, Path) or (location / FILE).exists()


def shown(location: Location) -> str:
    """The location without what is secret in it."""
    if isinstance(location, str):
        from api.store.postgres_address import Address

        return str(Address(location))
    return str(location)


def open_store(
    location: Location, *, keys: Path | None = None, write: bool = True, name: str | None = None
) -> OpenStore:
    """The store at this location; see `SqliteStore.open`, `PostgresStore.open` and `ShardedStore.open`.

    Raises:
        StoreError: it cannot be opened, or is a shard of a divided store and cannot be written by itself; the
            text says the way out.
    """
    if isinstance(location, MapFile):
        from api.store.sharded import ShardedStore

        return ShardedStore.open(location.path, keys=keys, write=write, name=name)
    from api.store.shard_bonds import must_stand_alone

    store = open_one(location, keys=keys, write=write, name=name, replica=os.environ.get(REPLICA))
    try:
        if write:
            must_stand_alone(store, shown(location))
    except StoreError:
        store.close()
        raise
    return store


def open_one(
    place: Place,
    *,
    keys: Path | None = None,
    write: bool = True,
    name: str | None = None,
    replica: str | None = None,
) -> SqlStore:
    """The store at this place, a shard or not; `replica` is a replica of its database, to read from.

    Raises:
        StoreError: see `open_store`.
    """
    if isinstance(place, Path):
        from api.store.store import SqliteStore

        return SqliteStore.open(place, keys=keys, write=write, name=name)
    from api.store.postgres_store import PostgresStore

    store = PostgresStore.open(place, keys=keys, write=write, name=name)
    try:
        if replica:
            store.read_from(replica)
    except StoreError:
        store.close()
        raise
    return store


def key_folder(location: Location) -> Path | None:
    """Where the keys of a store lie, as far as nobody names them; None: somebody must.

    Raises:
        StoreError: its map cannot be read.
    """
    if named := os.environ.get("GLASNOST_KEYS"):
        return Path(named)
    if isinstance(location, MapFile):
        from api.store.shard_map import ShardMap

        map = ShardMap.read(location.path)
        location = map.place(map.home)
    if isinstance(location, str):
        return None
    from api.store.store import key_folder as beside

    return beside(location)
