"""Where a store is, and how it is opened: the values of GLASNOST_STORE and of `--store`.

DIR, sqlite:DIR          the embedded store in a directory
postgresql://...         the shared store in a database; libpq's variables and ~/.pgpass count, too
shards:FILE              several of these, which an older version divided: for `glasnost migrate --from` alone
"""

from __future__ import annotations

import os
import re
from contextlib import closing
from pathlib import Path

import msgspec
from msgspec import Struct

from api.settings import POSTGRES, missing
from api.store.interface import StoreError
from api.store.sql import SqlStore
from api.store.sqlite_schema import FILE

SQLITE, SHARDS = "sqlite:", "shards:"
_DATABASE = re.compile("postgres(ql)?://")
_SCHEME = re.compile("[a-z][a-z0-9+.-]+://", re.IGNORECASE)
# A value that is a mistake and not a directory: a file of variables may keep the quotes around a value.
_SLIP = re.compile(
    r"""\Z | ["'\s] | .*\s\Z | .*:// | (sqlite|shards|postgres(ql)?):""",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
_KNOWN = "DIR, sqlite:DIR or postgresql://USER@HOST:PORT/DATABASE"


class ShardsFile(Struct, frozen=True):
    """The map of the shards into which an older version divided a store (`api.store.open`)."""

    path: Path

    def __str__(self) -> str:
        return f"{SHARDS}{self.path}"


Place = Path | str  # a directory, or the URL of a database
Location = Place | ShardsFile


def located(words: str) -> Location:
    """Parse the location of a store.

    Raises:
        StoreError: this version does not know the form; the text does not show it, for it may hold a
        password.
    """
    if _DATABASE.match(words) and words == words.strip():
        return words
    if words.startswith(SHARDS):
        return ShardsFile(Path(words.removeprefix(SHARDS)))
    if words.startswith(SQLITE):
        return Path(words.removeprefix(SQLITE) or ".")
    scheme = _SCHEME.match(words)
    if scheme and not _DATABASE.match(words):
        raise StoreError(f"{scheme[0]} is no store that this version knows: it is {_KNOWN}")
    if _SLIP.match(words):
        raise StoreError(
            f"this names no store: it is {_KNOWN}, in small letters, without quotes or blanks around it"
        )
    return Path(words)


def is_there(location: Location) -> bool:
    """Is there a store, or a database that may hold one?"""
    return not isinstance(location, Path) or (location / FILE).exists()


def shown(location: Location) -> str:
    """Return the location without a password."""
    if isinstance(location, str):
        from api.store.postgres_connection import Address

        return str(Address(location))
    return str(location)


# ── Any store: embedded or shared ──


REPLICA = "GLASNOST_STORE_REPLICA"  # a replica of the database, to read from


def open_store(
    location: Location, *, keys: Path | None = None, write: bool = True, name: str | None = None
) -> SqlStore:
    """Open the store at this location; see `SqliteStore.open` and `PostgresStore.open`.

    Raises:
        StoreError: it cannot be opened, or an older version divided it into shards; the text says what to do.
    """

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
    """Open the store at this place, also one that was a shard; `replica`: a replica of its database.

    Raises:
        StoreError: see `SqliteStore.open` and `PostgresStore.open`; or a replica is given for a directory; or
            the packages for a database are not installed.
    """
    if isinstance(place, Path):
        if replica:
            raise StoreError(f"{place} is an embedded store and has no replica: unset {REPLICA}")
        from api.store.sqlite import SqliteStore

        return SqliteStore.open(place, keys=keys, write=write, name=name)
    if lack := missing(POSTGRES, "a store in PostgreSQL"):
        raise StoreError(lack)
    from api.store.postgres import PostgresStore

    store = PostgresStore.open(place, keys=keys, write=write, name=name)
    try:
        if replica:
            store.read_from(replica)
    except StoreError:
        store.close()
        raise
    return store


def key_folder(location: Location) -> Path | None:
    """Return the default key folder of a store; None if the folder must be named.

    Raises:
        StoreError: the store was divided into shards.
    """
    if named := os.environ.get("GLASNOST_KEYS"):
        return Path(named)
    place = _one(location)
    if isinstance(place, str):
        return None
    from api.store.sqlite import key_folder as beside

    return beside(place)


def own_key_folder(location: Location) -> Path:
    """Return the key folder of a store that another process holds, after a check that it is that store's own.

    Raises:
        StoreError: no folder was named, it has no keys, or they are those of another store.
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


# ── Stores that an older version divided into shards: how `glasnost migrate` takes them back into one ──
#
# A map names the shards; the first one, home, holds people and everything else that belongs to no match:
#
#     [[shard]]
#     name = "home"
#     store = "postgresql://glasnost@one/league"
#
#     [[shard]]
#     name = "east"
#     store = "../games"                              # a directory, relative to that of the map
#
# `meta` of each shard holds the id that all shards of a map share, and the shard's name; home has the names
# of all shards, too.


_LEAGUE, _NAME, _OTHER = "league", "shard", "shard:"  # names in `meta`; _OTHER comes before a shard's name
_KEPT = (
    f"SELECT name, value FROM meta WHERE name IN ('{_LEAGUE}', '{_NAME}')"
    f" OR substr(name, 1, {len(_OTHER)}) = '{_OTHER}'"
)


class Shard(Struct, frozen=True):
    """A shard in the map; its other fields (`share`, `replica`) were only for new matches."""

    name: str
    store: str


class _File(Struct, frozen=True):
    shard: list[Shard]


def read_map(file: Path) -> dict[str, Place]:
    """Return the place of each shard by its name; home comes first.

    Raises:
        StoreError: the map cannot be read, or names no store.
    """
    try:
        shards = msgspec.toml.decode(file.read_bytes(), type=_File).shard
        places = {shard.name: located(shard.store) for shard in shards}
    except OSError as error:
        raise StoreError(f"{file} cannot be read: {error.strerror}") from error
    except RecursionError as error:
        raise StoreError(f"{file}: nested too deeply; a map has [[shard]] with name, store") from error
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise StoreError(f"{file}: {error}; a map has [[shard]] with name, store") from error
    if not places or len(places) != len(shards):
        raise StoreError(f"{file}: a map names at least one shard, and none of them twice")
    return {name: _from(file, place) for name, place in places.items()}


def _from(file: Path, place: Place | ShardsFile) -> Place:
    if isinstance(place, ShardsFile):
        raise StoreError(f"{file}: a shard is one store, not another map")
    return place if isinstance(place, str) else file.parent / place


def must_be_the_shards(file: Path, stores: dict[str, SqlStore]) -> None:
    """Check that these open stores, by their names in the map, are all shards of one map.

    Raises:
        StoreError: a shard is missing, a store is another shard, or it never was a shard.
    """
    home = next(iter(stores))
    kept = {name: _kept(store) for name, store in stores.items()}
    for name, found in kept.items():
        if found.get(_NAME) != name or found.get(_LEAGUE) != kept[home].get(_LEAGUE):
            raise StoreError(f"{file}: the store of shard {name} is not that shard of this map")
    if _OTHER + home not in kept[home]:
        raise StoreError(f"{file}: the first shard must be home; this is {home}: put home first")
    known = sorted(name.removeprefix(_OTHER) for name in kept[home] if name.startswith(_OTHER))
    if missing := [name for name in known if name not in stores]:
        raise StoreError(f"{file}: the shard {missing[0]} is missing: its matches would not be copied")


def must_stand_alone(store: SqlStore, where: str) -> None:
    """Check that a store that is to be written is not a shard.

    Raises:
        StoreError: it is a shard.
    """
    if name := _kept(store).get(_NAME):
        raise StoreError(
            f"{where} is the shard {name} of a divided store, and cannot be used by itself: `glasnost migrate"
            " --from shards:FILE --to STORE` takes all shards of the map FILE back into one store"
        )


def _kept(store: SqlStore) -> dict[str, str]:
    """The rows of `meta` about the map of shards; none if the store never was a shard."""
    return dict(tuple(row) for row in store.rows(_KEPT))
