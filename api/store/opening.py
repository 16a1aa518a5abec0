"""Any store: embedded or shared."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from api.store.location import Location, Place, ShardsFile, shown
from api.store.seam import StoreError

if TYPE_CHECKING:
    from api.store.base import SqlStore

REPLICA = "GLASNOST_STORE_REPLICA"  # a replica of the database, to read from


def open_store(
    location: Location, *, keys: Path | None = None, write: bool = True, name: str | None = None
) -> SqlStore:
    """The store at this location; see `SqliteStore.open` and `PostgresStore.open`.

    Raises:
        StoreError: it cannot be opened, or was divided into shards by an older version; the text says the way
            out.
    """
    from api.store.shards import must_stand_alone

    place = _one(location)
    store = open_one(place, keys=keys, write=write, name=name, replica=os.environ.get(REPLICA))
    try:
        if write:
            must_stand_alone(store, shown(place))
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
    """The store at this place, also one that was a shard; `replica`: one of its database, to read from.

    Raises:
        StoreError: see `SqliteStore.open` and `PostgresStore.open`; or a directory is said to have a replica.
    """
    if isinstance(place, Path):
        if replica:
            raise StoreError(f"{place} is an embedded store and has no replica: unset {REPLICA}")
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
    """Where the keys of a store lie, as far as they are not named; None: they must be.

    Raises:
        StoreError: it was divided into shards.
    """
    if named := os.environ.get("GLASNOST_KEYS"):
        return Path(named)
    place = _one(location)
    if isinstance(place, str):
        return None
    from api.store.store import key_folder as beside

    return beside(place)


def own_key_folder(location: Location) -> Path:
    """Where the keys of a store lie that another process holds: surely its own, and not another store's.

    Raises:
        StoreError: nobody said where, there are none, or they are those of another store.
    """
    with closing(open_one(_one(location), keys=key_folder(location), write=False)) as store:
        store.own_keys()
        return store.key_folder


def _one(location: Location) -> Place:
    if isinstance(location, ShardsFile):
        raise StoreError(
            f"{location.path} divides a store into shards, which this version does not: `glasnost migrate"
            f" --from {location} --to STORE` takes them back into one store"
        )
    return location
