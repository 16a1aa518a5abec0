"""Any store: embedded, shared or divided."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from api.store import single
from api.store.location import Location, MapFile, Place, shown
from api.store.seam import StoreError

if TYPE_CHECKING:
    from api.store.base import SqlStore
    from api.store.sharded import ShardedStore

OpenStore: TypeAlias = "SqlStore | ShardedStore"


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

    store = single.open_one(
        location, keys=keys, write=write, name=name, replica=os.environ.get(single.REPLICA)
    )
    try:
        if write:
            must_stand_alone(store, shown(location))
    except StoreError:
        store.close()
        raise
    return store


def key_folder(location: Location) -> Path | None:
    """Where the keys of a store lie, as far as nobody names them; None: somebody must.

    Raises:
        StoreError: its map cannot be read.
    """
    return single.key_folder(_home(location))


def own_key_folder(location: Location) -> Path:
    """Where the keys of a store lie that another process holds: surely its own, and not another store's.

    Raises:
        StoreError: nobody said where, there are none, or they are those of another store.
    """
    with closing(single.open_one(_home(location), keys=key_folder(location), write=False)) as store:
        store.own_keys()
        return store.key_folder


def _home(location: Location) -> Place:
    """The store itself, or the one in which a divided one keeps what is of no match."""
    if not isinstance(location, MapFile):
        return location
    from api.store.shard_map import ShardMap

    map = ShardMap.read(location.path)
    return map.place(map.home)
