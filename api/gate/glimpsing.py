"""Looks at earlier moves of matches that lie on no desk: no such match is read whole for that."""

from __future__ import annotations

from msgspec import Struct

from api.store.seam import Store, StoreError
from domain.glimpse import Glimpse
from domain.log import Damaged


class Glimpsed(Struct, frozen=True):
    """What one look at an earlier move is told from: in place of a desk, and nobody can play there."""

    match: Glimpse


def glimpsed(store: Store, match: str, move: int) -> Glimpsed | None:
    """The match as far as a move before the latest one is to be told; reads the store, so it is called in a
    thread.

    None where it cannot be told like this.  Whoever then reads the match whole hears why: there is no such
    match or move, its log is damaged, or the store is away and has a replica.
    """
    try:
        found = store.glimpse(match, move)
        return None if found is None else Glimpsed(found)
    except (StoreError, Damaged):
        return None
