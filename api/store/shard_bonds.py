"""What each shard remembers of the map that it was first opened with, so that it is not mistaken for another.

In `meta` of each shard stand the league, a random id that all shards of a map share, and the shard's name;
home keeps the names of all others, too.  A map that calls a shard otherwise, leaves one out or takes in one
of another league is refused: matches would be looked for where they are not.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping

from api.store.base import SqlStore
from api.store.people import Cursor
from api.store.seam import StoreError
from api.store.shard_map import Shard, ShardMap, named_by

LEAGUE, NAME, OTHER = "league", "shard", "shard:"  # names in `meta`; OTHER comes before a shard's name
_KEPT = (
    f"SELECT name, value FROM meta WHERE name IN ('{LEAGUE}', '{NAME}')"
    f" OR substr(name, 1, {len(OTHER)}) = '{OTHER}'"
)
_ENTER = "INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING"


def bonds(store: SqlStore) -> dict[str, str]:
    """What a store remembers of its map; nothing where it never was a shard."""
    return dict(tuple(row) for row in store.rows(_KEPT))


def must_stand_alone(store: SqlStore, where: str) -> None:
    """A store that is to be written by itself must be no shard.

    Raises:
        StoreError: it is one.
    """
    if name := bonds(store).get(NAME):
        raise StoreError(
            f"{where} is the shard {name} of a divided store, and cannot be used by itself: name the map,"
            " as shards:FILE"
        )


def may_become(map: ShardMap, shard: Shard, home: SqlStore, store: SqlStore) -> None:
    """See that a store can become a shard, before the first one becomes home: that is for ever.

    Raises:
        StoreError: it belongs to another map, or holds matches that would not be found.
    """
    kept = bonds(store)
    if not kept:
        _must_be_new(map, shard, home, store)
    elif kept[LEAGUE] != bonds(home).get(LEAGUE):  # another worker may have bound both a moment ago
        raise _of_another_map(map, shard)


def bind_home(map: ShardMap, home: SqlStore, *, write: bool) -> None:
    """See that the first shard of the map is what it was; a store that never was a shard becomes home.

    Raises:
        StoreError: it is another one; the text says what to do.
    """
    kept = bonds(home)
    if not kept:
        if not write:
            raise _never_opened(map, map.home)
        kept = _enter(home, {LEAGUE: secrets.token_hex(8), NAME: map.home.name, OTHER + map.home.name: ""})
    if OTHER + kept[NAME] not in kept:
        raise StoreError(f"{map.file}: the first shard must be home; this is {kept[NAME]}: put home first")
    _must_be_called(map, map.home, kept)
    must_name_all(map, home)


def must_name_all(map: ShardMap, home: SqlStore) -> None:
    """The map leaves out no shard that home knows; another worker may have added one since it was read.

    Raises:
        StoreError: it does.
    """
    names = {shard.name for shard in map.shards}
    missing = [name for name in _others(bonds(home)) if name not in names]
    if missing:
        raise StoreError(
            f"{map.file}: the shard {missing[0]} is missing, and its matches would not be found: put it back,"
            " with share = 0 if no new match is to be opened there"
        )


def bind(map: ShardMap, shard: Shard, home: SqlStore, store: SqlStore, *, write: bool) -> None:
    """See that another shard of the map is what it was; an empty store becomes the shard.

    Raises:
        StoreError: it is another one, or holds matches that would not be found; the text says what to do.
    """
    kept, league = bonds(store), bonds(home)[LEAGUE]
    if not kept:
        if not write:
            raise _never_opened(map, shard)
        _must_be_new(map, shard, home, store)
        kept = _enter(store, {LEAGUE: league, NAME: shard.name})
    if kept[LEAGUE] != league:
        raise _of_another_map(map, shard)
    _must_be_called(map, shard, kept)
    if write and OTHER + shard.name not in bonds(home):
        _enter(home, {OTHER + shard.name: ""})


def _must_be_called(map: ShardMap, shard: Shard, kept: Mapping[str, str]) -> None:
    if kept[NAME] != shard.name:
        raise StoreError(
            f"{map.file}: what is called {shard.name} there is the shard {kept[NAME]}: give it its name back"
        )


def _must_be_new(map: ShardMap, shard: Shard, home: SqlStore, store: SqlStore) -> None:
    """A store that becomes a shard holds nothing, and home no match that would be looked for in it."""
    if count := store.last():
        raise StoreError(
            f"{map.file}: the store of shard {shard.name} holds {count} moves already: take an empty one;"
            " only the first shard may be a store that was used before"
        )
    foreign = [match for match in home.matches() if named_by(match) == shard.name]
    if foreign:
        raise StoreError(
            f"{map.file}: home holds the match {foreign[0]}, which would be looked for in the new shard"
            f" {shard.name}: choose another name"
        )


def _of_another_map(map: ShardMap, shard: Shard) -> StoreError:
    return StoreError(
        f"{map.file}: the store of shard {shard.name} belongs to another map: take that map, or an empty"
        " store"
    )


def _never_opened(map: ShardMap, shard: Shard) -> StoreError:
    return StoreError(f"{map.file}: shard {shard.name} was never opened with this map: serve it once")


def _others(kept: Mapping[str, str]) -> list[str]:
    return sorted(name.removeprefix(OTHER) for name in kept if name.startswith(OTHER))


def _enter(store: SqlStore, rows: Mapping[str, str]) -> dict[str, str]:
    """Write what is to be remembered; gives what is, for somebody else may have been faster."""

    def work(cursor: Cursor) -> None:
        for row in rows.items():
            cursor.execute(_ENTER, row)

    store.write(work)
    return bonds(store)
