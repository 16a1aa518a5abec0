"""The ministries of the Revolution era.

Elsewhere: James Watt (`steps.deeds`), Edmund Burke and Turgot (`rules.paying`), what the Townshend Acts allow
(`rules.paying`), and the event that Marquis de Condorcet plays (`rules.menu`).
"""

from __future__ import annotations

from domain.imperial_struggle.components import (
    BR,
    DIPLOMATIC,
    ECONOMIC,
    FR,
    GOODS,
    INVESTMENTS,
    MARKETS_OF,
    Where,
)
from domain.imperial_struggle.facts.board import HuguenotsTurned
from domain.imperial_struggle.facts.cards import JacobitesDefeated, TownshendSet
from domain.imperial_struggle.facts.flow import PointsRaised
from domain.imperial_struggle.points import SHIFT, ActionRound, Limit, Pool
from domain.imperial_struggle.rules.registry import ability, choice, when_acting, when_revealed
from domain.imperial_struggle.state import State
from domain.imperial_struggle.steps.choices import Choose
from domain.imperial_struggle.steps.deeds import Deed, attach, begin_effect
from domain.kernel import Picks, Resolution, Seat

# --------------------------------------------------------------------------- 20 Papacy-Hanover Negotiations

HANOVER = "papacy_hanover_negotiations"


@when_revealed(HANOVER)
def hanover_recognized(s: State, me: Seat) -> Resolution[State]:
    """Jacobite Uprisings leaves the game, wherever it is."""
    if not s.defeated:
        yield JacobitesDefeated("jacobite_uprisings" in s.ministries[FR])


def _negotiates(s: State, me: Seat) -> bool:
    """Points from an exchange of turn 6 are no action that others could join (5.6.1)."""
    now = s.round
    kinds = ("major", "minor", "event")
    return now is not None and any(pool.type == DIPLOMATIC and pool.kind in kinds for pool in now.pools)


@ability(HANOVER, _negotiates)
def papacy_hanover_negotiations(s: State, me: Seat) -> Resolution[State]:
    """2 diplomatic points more, for Scotland and Ireland."""
    british_isles = Limit(verbs=SHIFT, where=Where(countries=("scotland", "ireland")))
    yield from attach(s, me, HANOVER, DIPLOMATIC, 2, british_isles)


# --------------------------------------------------------------------------- 21 Townshend Acts


def _taxable(s: State, me: Seat) -> Picks:
    """The goods of the turn's demand, or (option `townshend_goods`) every good of the display."""
    return s.demand if s.options.townshend_goods == "in_demand" else GOODS


def _opening(s: State, me: Seat) -> bool:
    """The round has just begun: nothing was done with the tile, if there is one."""
    return s.round is not None and not s.round.acted and bool(_taxable(s, me))


@ability("townshend_acts", _opening, early=True)
def townshend_acts(s: State, me: Seat) -> Resolution[State]:
    """The marker comes onto a good for this turn."""
    yield Choose(me, "townshend_acts")


@choice("townshend_acts", _taxable)
def townshend_tax(s: State, me: Seat, picks: Picks) -> Resolution[State]:
    """The good that was chosen."""
    for good in picks:
        yield TownshendSet(good)


# --------------------------------------------------------------------------- 24 North American Trade

TRADE = "north_american_trade"
FURS_AND_FISH = (*MARKETS_OF["furs"], *MARKETS_OF["fish"])


@when_revealed(TRADE)
def huguenots_again(s: State, me: Seat) -> Resolution[State]:
    """Every Huguenots marker may be used once more."""
    for space, ready in s.huguenots.items():
        if not ready:
            yield HuguenotsTurned(space, True)


@when_acting(TRADE)
def north_american_trade(s: State, me: Seat) -> Resolution[State]:
    """With more furs and fish at the start of the round, economic actions grow by a point."""
    now = s.round
    assert now is not None
    if TRADE in now.effects or _at_start(now, FR) <= _at_start(now, BR):
        return
    mine = tuple(pool for pool in now.pools if pool.type == ECONOMIC)
    tile = INVESTMENTS[now.tile]
    if ECONOMIC in (tile.major, tile.minor):
        raised = tuple(pool for pool in mine if pool.kind in ("major", "minor"))
    else:  # an event may open an economic action that the tile lacks
        raised = tuple(pool for pool in mine if pool.kind == "event")[:1]
    yield from _raise(s, me, raised, TRADE)


def _at_start(now: ActionRound, side: Seat) -> int:
    """The markets of both goods that counted for a side when the round began."""
    return sum(now.at_start.get(space) == side and space not in now.troubled for space in FURS_AND_FISH)


def _raise(s: State, me: Seat, pools: tuple[Pool, ...], ministry: str) -> Deed:
    """A point more for each of these; the effect notes that it was done in this round."""
    if pools:
        s = yield from begin_effect(s, me, ministry)
    for pool in pools:
        s = yield PointsRaised(me, pool.name, 1, ministry)
    return s


# --------------------------------------------------------------------------- 26 Lavoisier


@when_acting("lavoisier")
def lavoisier(s: State, me: Seat) -> Resolution[State]:
    """With the bonus of an event, both actions of the tile grow by a point."""
    now = s.round
    assert now is not None
    if now.bonus and "lavoisier" not in now.effects:
        tile = tuple(pool for pool in now.pools if pool.kind in ("major", "minor"))
        yield from _raise(s, me, tile, "lavoisier")
