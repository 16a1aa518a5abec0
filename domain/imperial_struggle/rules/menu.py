"""What an active player may do next, as picks: "unflag:antigua", "event:calico_acts", "end" (5.0).

A pick is a word, or a word, a colon and an id.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from domain.imperial_struggle.components import (
    ECONOMIC,
    INVESTMENTS,
    LAST_TURN,
    MINISTRIES,
)
from domain.imperial_struggle.points import EXCHANGE, Purchase
from domain.imperial_struggle.rules.advantages import usable_advantages
from domain.imperial_struggle.rules.board import in_play
from domain.imperial_struggle.rules.purchases import purchases
from domain.imperial_struggle.rules.registry import ABILITIES, EVENTS, Ability
from domain.imperial_struggle.rules.remembering import remembered
from domain.imperial_struggle.state import State
from domain.kernel import Picks, Seat

RISE, PASS, END, UPGRADE = "rise", "pass", "end", "upgrade"
EVENT, REVEAL, ABILITY, ADVANTAGE = "event", "reveal", "ability", "advantage"
ANY_EVENT, ECONOMIC_EVENT = "marquis_de_condorcet", "bank_of_england.event"
MOST_FORGIVEN = 2  # Debt that a passing player may pay back


def tiles(s: State) -> Picks:
    """5.1: the open investment tiles that neither side has taken."""
    taken = {tile for picked in s.picked.values() for tile in picked}
    return tuple(tile for tile in s.shown if tile not in taken)


def reveals(s: State, me: Seat) -> Picks:
    """3.5: the ministries of a side that lie face down; a viewer who may not know them sees nothing here."""
    return tuple(f"{REVEAL}:{card}" for card in s.ministries[me] if card not in s.revealed)


def abilities(s: State, me: Seat, *, early: bool) -> Picks:
    """3.5.2: what open ministries offer; `early`: before a tile is taken."""
    return tuple(
        [
            f"{ABILITY}:{item.id}"
            for item in _abilities_of(me, s.revealed)
            if (item.early or not early) and item.id not in s.exhausted and item.usable(s, me)
        ]
    )


@lru_cache(maxsize=1024)  # few ministries are open at once
def _abilities_of(side: Seat, revealed: Picks) -> list[Ability]:
    """Those of its open ministries, and those that last."""
    return [
        item
        for item in ABILITIES.values()
        if MINISTRIES[item.ministry].side == side and (item.ministry in revealed or item.lasting)
    ]


def events(s: State, me: Seat) -> Picks:
    """3.4.4, 5.2: the events of a hand that may be played: one, and before anything else of the tile."""
    now = s.round
    if now is None or now.acted:
        return ()
    tile = INVESTMENTS[now.tile]
    if not tile.event and not open_ability(s, ANY_EVENT):
        return ()
    return tuple(f"{EVENT}:{card}" for card in s.hands[me] if fits_tile(s, card) or by_bank(s, card))


def fits_tile(s: State, card: str) -> bool:
    """The tile's Major action is of the type that the event asks for."""
    assert s.round is not None
    return EVENTS[card].requires in ("", INVESTMENTS[s.round.tile].major)


def by_bank(s: State, card: str) -> bool:
    """Bank of England plays an economic event with any tile that shows the symbol."""
    assert s.round is not None
    return (
        EVENTS[card].requires == ECONOMIC
        and INVESTMENTS[s.round.tile].event
        and open_ability(s, ECONOMIC_EVENT)
    )


def open_ability(s: State, ability: str) -> bool:
    """An ability that is used by playing an event: its ministry is open, of this side, and not Exhausted."""
    ministry = ability.partition(".")[0]
    assert s.round is not None
    return in_play(s, ministry) and MINISTRIES[ministry].side == s.round.seat and ability not in s.exhausted


def upgrades(s: State, me: Seat) -> Picks:
    """5.3.3: a military upgrade, where there is a tile to draw or (12.2) two to swap."""
    assert s.round is not None
    if not s.round.upgrade:
        return ()
    useful = s.turn == LAST_TURN or s.basics[me].size or s.options.planned_upgrades
    return (UPGRADE,) if useful else ()


@remembered
def bought_as(s: State, me: Seat) -> Mapping[str, Purchase]:
    """What can be bought, by pick; a deployment asks afterwards where the Squadron comes from."""
    return {pick_of(bought): bought for bought in purchases(s, me)}


@lru_cache(maxsize=1024)  # as many as there are, except those that an advantage makes cheaper
def pick_of(bought: Purchase) -> str:
    """How a purchase is called in an answer."""
    if bought.space:
        return f"{RISE if bought.with_military else bought.verb}:{bought.space}"
    return f"{EXCHANGE}:{bought.via}" if bought.verb == EXCHANGE else bought.verb


def closing(s: State, me: Seat) -> Picks:
    """5.0: ending the round, or passing, which pays back up to 2 Debt, while nothing has been done."""
    assert s.round is not None
    if s.round.acted:
        return (END,)
    return tuple(f"{PASS}:{debt}" for debt in range(min(MOST_FORGIVEN, s.debt[me]) + 1))


def menu(s: State, me: Seat) -> Picks:
    """Everything that the active player may do now, after taking a tile."""
    return (
        *events(s, me),
        *bought_as(s, me),
        *(f"{ADVANTAGE}:{tile}" for tile in usable_advantages(s, me)),
        *abilities(s, me, early=False),
        *upgrades(s, me),
        *reveals(s, me),
        *closing(s, me),
    )
