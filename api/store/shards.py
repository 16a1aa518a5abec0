"""Stores that an older version divided into shards: how `glasnost migrate` takes them back into one.

A map names the shards, of which the first, home, holds people and all else that belongs to no match:

    [[shard]]
    name = "home"
    store = "postgresql://glasnost@one/league"

    [[shard]]
    name = "east"
    store = "../games"                              # a directory is meant from the map's own on

In `meta` of each shard stand the id that all shards of a map share, and the shard's name; home keeps the
names of all shards, too.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec import Struct

from api.store.base import SqlStore
from api.store.location import Place, ShardsFile, located
from api.store.seam import StoreError

_LEAGUE, _NAME, _OTHER = "league", "shard", "shard:"  # names in `meta`; _OTHER comes before a shard's name
_KEPT = (
    f"SELECT name, value FROM meta WHERE name IN ('{_LEAGUE}', '{_NAME}')"
    f" OR substr(name, 1, {len(_OTHER)}) = '{_OTHER}'"
)


class Shard(Struct, frozen=True):
    """A shard as the map has it; what else stood there (`share`, `replica`) divided new matches."""

    name: str
    store: str


class _File(Struct, frozen=True):
    shard: list[Shard]


def read_map(file: Path) -> dict[str, Place]:
    """By name, where each shard lies; home comes first.

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
    """See that these open stores, by their names in the map, are all shards of one map.

    Raises:
        StoreError: one is missing, is another one, or was never a shard.
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
    """A store that is to be written must be no shard.

    Raises:
        StoreError: it is one.
    """
    if name := _kept(store).get(_NAME):
        raise StoreError(
            f"{where} is the shard {name} of a divided store, and cannot be used by itself: `glasnost migrate"
            " --from shards:FILE --to STORE` takes all shards of the map FILE back into one store"
        )


def _kept(store: SqlStore) -> dict[str, str]:
    """What a store remembers of its map; nothing where it never was a shard."""
    return dict(tuple(row) for row in store.rows(_KEPT))
