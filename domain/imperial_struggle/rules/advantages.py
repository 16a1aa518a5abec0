"""Which advantages a side may use now, and on what (8.2)."""

from __future__ import annotations

from collections.abc import Iterator

from domain.imperial_struggle.components import ADVANTAGES, BOARD, MILITARY, OTHER
from domain.imperial_struggle.points import CONSTRUCT, EXPEL, UNFLAG, Purchase
from domain.imperial_struggle.rules.board import (
    connected,
    finds_trouble,
    matching,
    opposing,
    squadrons,
    to_trouble,
)
from domain.imperial_struggle.rules.paying import affordable, may_hold, payable, purse
from domain.imperial_struggle.rules.remembering import remembered
from domain.imperial_struggle.state import State
from domain.kernel import Picks, Seat

DECLINE = "decline"
MOST_USED = 2  # advantages in an action round


def usable_advantages(s: State, me: Seat) -> tuple[str, ...]:
    """8.2: held, not Exhausted, not taken in this round, two a round, and never two in one Region."""
    return tuple([tile for tile in _within_limits(s, me) if tile not in s.exhausted and works(s, me, tile)])


def _within_limits(s: State, me: Seat) -> tuple[str, ...]:
    """Those that a side holds and that this round still allows, Exhausted or not."""
    now = s.round
    if now is None or len(now.used) >= MOST_USED:
        return ()
    regions = {ADVANTAGES[tile].region for tile in now.used}
    return tuple(
        [
            tile
            for tile, side in s.advantages.items()
            if side == me and tile not in now.taken and ADVANTAGES[tile].region not in regions
        ]
    )


def ready_advantages(s: State, me: Seat, *, at_once: bool = False) -> tuple[str, ...]:
    """Those that an event lets a side use although Exhausted (6, 33); `at_once`: even one taken just now.

    Option `immediate_advantage`: whether such a use is free of the limits of a round, or one of the two.
    """
    if s.options.immediate_advantage == "limited":
        return tuple(tile for tile in _within_limits(s, me) if works(s, me, tile))
    taken = s.round.taken if s.round and not at_once else ()
    return tuple(
        tile for tile, side in s.advantages.items() if side == me and tile not in taken and works(s, me, tile)
    )


def to_use(tiles: Picks) -> Picks:
    """What an event that lets a side use one of these asks: what costs nothing must be used.

    Where every one of them costs points, none need be, for neither points nor Debt are ever compulsory.
    """
    must = not tiles or any(ADVANTAGES[tile].does in ("conflict", "debt") for tile in tiles)
    return tiles if must else (*tiles, DECLINE)


def works(s: State, me: Seat, tile: str) -> bool:
    """Whether no Conflict marker blocks an advantage (3.8), and there is something that it does."""
    face = ADVANTAGES[tile]
    if not s.conflicts.keys().isdisjoint(face.spaces):
        return False
    if face.does == "debt":
        return True
    if face.does == "conflict":
        return finds_trouble(s, me, face.where)
    kind = face.type or MILITARY
    return may_hold(purse(s, me, kind)) and bool(payable(s, me, paid_uses(s, me, tile), kind))


def paid_uses(s: State, me: Seat, tile: str, *, free: bool = False) -> Iterator[Purchase]:
    """What an advantage lets a side buy, whether it can be paid or not; `free`: it will not be Exhausted."""
    face = ADVANTAGES[tile]
    if face.does == "construct":
        if s.unbuilt[me]:
            yield Purchase(CONSTRUCT, via=tile, free=free)
    elif face.does == "squadron":
        for space in squadrons(s, OTHER[me]):
            yield Purchase(EXPEL, space, via=tile, free=free)
    elif face.does in ("fixed", "discount"):
        for space in matching(s, me, face.where):
            if opposing(s, me, space) and (BOARD[space].kind != "market" or connected(s, me, space)):
                yield Purchase(UNFLAG, space, tile, free=free)


@remembered
def targets(s: State, me: Seat, tile: str) -> Picks:
    """The spaces among which the user of an advantage chooses; () where it needs none."""
    face = ADVANTAGES[tile]
    if face.does == "conflict":
        return to_trouble(s, me, face.where)
    if face.does in ("fixed", "discount", "squadron"):
        return tuple(bought.space for bought in paid_uses(s, me, tile) if affordable(s, me, bought))
    return ()
