"""Which store: the words of GLASNOST_STORE and of `--store`.

DIR, sqlite:DIR          the embedded store in a directory
postgresql://...         the shared store in a database; libpq's variables and ~/.pgpass count, too
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from api.store.schema import FILE
from api.store.seam import StoreError

if TYPE_CHECKING:
    from api.store.base import SqlStore

SQLITE = "sqlite:"
REPLICA = "GLASNOST_STORE_REPLICA"  # a replica of the database, to read from
_DATABASE = re.compile("postgres(ql)?://")
_SCHEME = re.compile("([a-z][a-z0-9+.-]+):(//)?", re.IGNORECASE)

Location = Path | str  # a directory, or the URL of a database


def located(words: str) -> Location:
    """What these words mean.

    Raises:
        StoreError: nothing that this version knows.
    """
    if _DATABASE.match(words):
        return words
    if words.startswith(SQLITE):
        return Path(words.removeprefix(SQLITE) or ".")
    scheme = _SCHEME.match(words)
    if scheme and scheme[2]:
        raise StoreError(
            f"{scheme[0]} is no store that this version knows: it is DIR, sqlite:DIR or"
            " postgresql://USER@HOST:PORT/DATABASE"
        )
    return Path(words)


def is_there(location: Location) -> bool:
    """Is there a store, or a database that may hold one?"""
    return isinstance(location, str) or (location / FILE).exists()


def shown(location: Location) -> str:
    """The location without what is secret in it."""
    if isinstance(location, Path):
        return str(location)
    from api.store.postgres import Address

    return str(Address(location))


def open_store(
    location: Location, *, keys: Path | None = None, write: bool = True, name: str | None = None
) -> SqlStore:
    """The store at this location; see `SqliteStore.open` and `PostgresStore.open`.

    Raises:
        StoreError: it cannot be opened; the text says the way out.
    """
    if isinstance(location, Path):
        from api.store.store import SqliteStore

        return SqliteStore.open(location, keys=keys, write=write, name=name)
    from api.store.postgres_store import PostgresStore

    store = PostgresStore.open(location, keys=keys, write=write, name=name)
    try:
        if replica := os.environ.get(REPLICA):
            store.read_from(replica)
    except StoreError:
        store.close()
        raise
    return store
