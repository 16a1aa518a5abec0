"""Which player plays which seat, for the folds that follow players (see `domain.kernel.SeatsSettled`).

A fold remembers the moves with which the two players of a match changed places.  So it can say for any move
whether they held each other's seats after it; it needs that if a takeback or a ruling leads there.
"""

from __future__ import annotations

from typing import Any, TypeVar

from domain.events import TakenBack
from domain.games import GAMES
from domain.kernel import Seat, SeatsSettled

Exchanges = tuple[int, ...]  # moves, in order

V = TypeVar("V")


def settles(entry: Any) -> bool:
    """Can this entry have changed which player plays which seat?"""
    return isinstance(entry, TakenBack) or any(
        isinstance(fact, SeatsSettled) for fact in getattr(entry, "facts", ())
    )


def exchanged(so_far: Exchanges, entry: Any) -> bool:
    """Did the players change places with this entry, which comes after those of `so_far`?"""
    return _are_exchanged(so_far, entry.move - 1) != _settled(so_far, entry)


def across(game: str, by_seat: dict[Seat, V]) -> dict[Seat, V]:
    """Return the values of the players, by seat, after the players have changed places."""
    pairs = GAMES[game].across.items()
    return {seat: by_seat[other] for seat, other in pairs if other in by_seat}


def _settled(so_far: Exchanges, entry: Any) -> bool:
    """Do the players hold each other's seats after this entry?"""
    if isinstance(entry, TakenBack):
        return _are_exchanged(so_far, entry.to)
    settled = [fact.exchanged for fact in entry.facts if isinstance(fact, SeatsSettled)]
    return settled[-1] if settled else _are_exchanged(so_far, entry.move - 1)


def _are_exchanged(moves: Exchanges, after: int) -> bool:
    return sum(move <= after for move in moves) % 2 == 1
