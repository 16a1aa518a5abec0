"""Fills a store with many moves: copies of some matches under other names, as if all were played at once.

A copy differs only in its name, so its log can be read like any other, but proves nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from _bench import PLAYER, QUICK, played

from api.store.interface import Append
from api.store.sql import SqlStore
from domain.games import GAMES
from domain.log import Record, codec
from domain.match import Match

AT_ONCE = 4 if QUICK else 32  # matches that are played at the same time
_SLICE = 8  # moves of one match in a row


def fill(store: SqlStore, moves: int, *, seeds: int = 6) -> int:
    """Write matches until the store holds at least so many moves; return how many it holds.

    Args:
        seeds: how many matches of each game are played; the others are copies.
    """
    matches = itertools.cycle(played(game, seed)[0] for seed in range(seeds) for game in GAMES.values())
    numbers = itertools.count()
    while store.last() < moves:
        some = [_copied(next(matches), f"m{next(numbers):016x}") for _ in range(AT_ONCE)]
        waiting = [store.submit(append) for append in _mixed(some)]
        for future in waiting:
            future.result()
    return store.last()


def copied(match: Match, name: str, moves: int, player: str = PLAYER) -> list[Record]:
    """Return the first moves of a match under another name, as if this player had played them."""
    known, new = codec(match.game), {match.id.encode(): name.encode(), PLAYER.encode(): player.encode()}
    found = []
    for record in match.records[:moves]:
        stored = record.stored
        for old, text in new.items():
            stored = stored.replace(old, text)
        found.append(Record(known, name, record.move, stored, record.audiences))
    return found


def _mixed(matches: list[list[Append]]) -> Iterator[Append]:
    """Yield an append of each match in turn."""
    for appends in itertools.zip_longest(*matches):
        yield from (append for append in appends if append is not None)


def _copied(match: Match, name: str) -> list[Append]:
    records = copied(match, name, len(match.records))
    slices = [records[start : start + _SLICE] for start in range(0, len(records), _SLICE)]
    return [Append(some, secret=bytes(32) if some[0].move == 1 else None) for some in slices]
