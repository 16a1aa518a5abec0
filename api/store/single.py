"""A store that is one: embedded or shared, by itself or a shard of a divided one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from api.store.location import Place
from api.store.seam import StoreError

if TYPE_CHECKING:
    from api.store.base import SqlStore

REPLICA = "GLASNOST_STORE_REPLICA"  # a replica of the database, to read from


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
        StoreError: see `SqliteStore.open` and `PostgresStore.open`; or a directory is said to have a replica.
    """
    if isinstance(place, Path):
        if replica:
            raise StoreError(
                f"{place} is an embedded store and has no replica: unset {REPLICA}, or take `replica` out of"
                " the map"
            )
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


def key_folder(place: Place) -> Path | None:
    """Where the keys of a store lie, as far as nobody names them; None: somebody must."""
    if named := os.environ.get("GLASNOST_KEYS"):
        return Path(named)
    if isinstance(place, str):
        return None
    from api.store.store import key_folder as beside

    return beside(place)
