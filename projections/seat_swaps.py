"""Who plays which seat, for the folds that follow people (see `domain.kernel.SeatsSettled`).

A fold remembers of a match the moves with which the two players changed places, and so can tell for any
move whether they sat on each other's seats after it: that is where a takeback or a ruling may lead.
"""

from __future__ import annotations

from typing import Any, TypeVar

from domain.events import TakenBack
from domain.games import GAMES
from domain.kernel import Seat, SeatsSettled

Exchanges = tuple[int, ...]  # moves, in order

V = TypeVar("V")


def settles(entry: Any) -> bool:
    """May this entry have changed who plays which seat?"""
    return isinstance(entry, TakenBack) or any(
        isinstance(fact, SeatsSettled) for fact in getattr(entry, "facts", ())
    )


def exchanged(so_far: Exchanges, entry: Any) -> bool:
    """Did the players change places with this entry, the next after those of `so_far`?"""
    return _are_exchanged(so_far, entry.move - 1) != _settled(so_far, entry)


def across(game: str, by_seat: dict[Seat, V]) -> dict[Seat, V]:
    """What belongs to the players, by seat, after they changed places."""
    pairs = GAMES[game].across.items()
    return {seat: by_seat[other] for seat, other in pairs if other in by_seat}


def _settled(so_far: Exchanges, entry: Any) -> bool:
    """Do the players sit on each other's seats after this entry?"""
    if isinstance(entry, TakenBack):
        return _are_exchanged(so_far, entry.to)
    told = [fact.exchanged for fact in entry.facts if isinstance(fact, SeatsSettled)]
    return told[-1] if told else _are_exchanged(so_far, entry.move - 1)


def _are_exchanged(moves: Exchanges, after: int) -> bool:
    return sum(move <= after for move in moves) % 2 == 1
