"""What a purchase costs, with its working: printed, set to 1, reductions, then increases (5.4.2, 5.5.2).

The parts of a working add up to the price.
"""

from __future__ import annotations

from collections.abc import Iterable

from domain.imperial_struggle.components import (
    ADVANTAGES,
    BOARD,
    BR,
    COUNTRIES,
    DIPLOMATIC,
    ECONOMIC,
    FR,
    MARKETS_IN,
    MILITARY,
    NAVY_BOX,
    REGIONS,
    USA,
)
from domain.imperial_struggle.points import (
    BUILD,
    BUY,
    CLEAR,
    CONSTRUCT,
    DEPLOY,
    DRAW,
    EXCHANGE,
    EXPEL,
    REPAIR,
    SCORE,
    SEIZE,
    SHIFT,
    UNFLAG,
    Price,
    Purchase,
)
from domain.imperial_struggle.rules.board import in_play, protected
from domain.imperial_struggle.rules.remembering import remembered
from domain.imperial_struggle.state import State
from domain.kernel import Picks, Seat

Working = list[tuple[str, int]]
HUGUENOTS = "new_world_huguenots"
CHEAP_SHIFTS = {  # effects of a round: whose removal of which flags costs 1 less
    "pacte_de_famille": ("spain", "austria"),
    "charles_hanbury_williams": ("prussia", "german_states", "russia"),
}
PRINTED = {BUY: 2, EXCHANGE: 2, SCORE: 3, DRAW: 3}  # what costs the same everywhere
SPECULATION = "south_sea_speculation"
MOST_DEPLOYED = 3  # from the Navy Box, where another Squadron is displaced


def price(s: State, me: Seat, bought: Purchase) -> Price:
    """What it costs `me` now."""
    working = _working(s, me, bought)
    return Price(type_of(bought), _total(working), tuple(working))


def points_of(s: State, me: Seat, bought: Purchase) -> int:
    """The points of its price alone, for those who ask of many things whether they can be paid."""
    return _total(_shift(s, me, bought) if bought.verb in SHIFT else _other(s, bought))


def _working(s: State, me: Seat, bought: Purchase) -> Working:
    return _shift(s, me, bought) if bought.verb in SHIFT else _other(s, bought)


def _total(working: Working) -> int:
    total = 0
    for _, points in working:
        total += points
    return total


def type_of(bought: Purchase) -> str:
    """The type of the points that it costs."""
    if bought.verb in SHIFT and not bought.with_military:
        return ECONOMIC if BOARD[bought.space].kind == "market" else DIPLOMATIC
    return DIPLOMATIC if bought.verb == DRAW else MILITARY


def at_most(s: State, me: Seat, among: Iterable[Purchase], most: int) -> list[Purchase]:
    """Those of these that cost no more than this; of most of them no price has to be worked out.

    A shift costs at most what is printed and every increase; without a reduction, at least what is printed.
    """
    now = s.round
    increase = bool(now and now.payments)
    cheaper = {*s.conflicts, *now.isolated} if now else s.conflicts.keys()
    reduced = bool(_reduced(s, me))
    found: list[Purchase] = []
    for bought in among:
        if bought.verb in SHIFT:
            printed, via = BOARD[bought.space].cost, bought.via
            if printed + (bought.verb == UNFLAG) + increase <= most:
                found.append(bought)
                continue
            if printed > most and not (reduced or via or bought.space in cheaper):
                continue
        elif bought.verb == DEPLOY and most >= MOST_DEPLOYED:
            found.append(bought)
            continue
        if points_of(s, me, bought) <= most:
            found.append(bought)
    return found


def _shift(s: State, me: Seat, bought: Purchase) -> Working:
    """Reductions may lead below 1 before increases follow (8.2), but the end is never below 1."""
    space, via, face, now = bought.space, bought.via, BOARD[bought.space], s.round
    by_advantage = ADVANTAGES[via].does if via else ""
    working = [("printed", face.cost)]
    if set_to_1 := via if by_advantage == "fixed" else _set_to_1(s, space):
        working.append((set_to_1, 1 - face.cost))
    if by_advantage == "discount":
        working.append((via, -1))
    for reason, spaces in _reduced(s, me):
        if space in spaces:
            working.append((reason, -1))
    if by_advantage != "fixed" or s.options.fixed_price != "exact":
        if bought.verb == UNFLAG and protected(s, space):
            working.append(("protected", 1))
        is_first = now is None or not now.payments
        if not (is_first or bought.with_military) and face.region in _further(s, type_of(bought)):
            working.append(("region", 1))
    total = _total(working)
    if total < 1:
        working.append(("least", 1 - total))
    return working


def _set_to_1(s: State, space: str) -> str:
    """What makes a shift of this space cost 1 (3.8; 5.4.1: isolated when the action round began)."""
    if space in s.conflicts:
        return "conflict"
    now = s.round
    isolated = now is not None and space in now.isolated and space not in now.changed
    return "isolated" if isolated else ""


@remembered
def _reduced(s: State, me: Seat) -> list[tuple[str, Picks]]:
    """What lets a side shift spaces for 1 less now, and which spaces."""
    effects = s.round.effects if s.round else ()
    found: list[tuple[str, Picks]] = []
    for effect in effects:
        card, _, region = effect.partition("/")
        if card == HUGUENOTS:
            found.append((HUGUENOTS, MARKETS_IN[region]))
    if me == BR:
        for effect, friends in CHEAP_SHIFTS.items():
            if effect in effects:
                found.append((effect, tuple(space for space in _in(friends) if s.flags.get(space) == FR)))
        if in_play(s, "jonathan_swift"):
            empty = tuple(space for space in _in(("ireland", "scotland")) if space not in s.flags)
            found.append(("jonathan_swift", empty))
        if in_play(s, "edmund_burke"):
            found.append(("edmund_burke", _in(("sons_of_liberty", USA))))
    return found


def _in(countries: tuple[str, ...]) -> Picks:
    return tuple(space for country in countries for space in COUNTRIES[country])


@remembered
def _further(s: State, kind: str) -> Picks:
    """5.3.4: the Regions where the next purchase of a type costs 1 more; military points travel freely."""
    payments = s.round.payments if s.round else ()
    visited = [item.region for item in payments if item.type == kind and item.region]
    if s.options.region_switch == "per_change":
        visited = visited[-1:]
    return tuple([region for region in REGIONS if region not in visited]) if visited else ()


def _other(s: State, bought: Purchase) -> Working:
    """5.5.3, 5.6.1 to 5.6.6."""
    verb, space = bought.verb, bought.space
    if verb == DEPLOY:
        if space not in s.flags:
            return [("printed", 1)]
        return [("displace", MOST_DEPLOYED if bought.origin == NAVY_BOX else 2)]
    if verb in PRINTED:
        return [("printed", PRINTED[verb])]
    if verb == CLEAR:
        return _clearing(s, space)
    if verb == EXPEL:
        return [(bought.via, 1)]
    if verb == BUILD:
        return [("printed", BOARD[space].cost)]
    if verb == REPAIR:
        return [("printed", BOARD[space].cost), ("repair", -1)]
    if verb == SEIZE:
        return [("printed", BOARD[space].cost), ("seize", 1)]
    assert verb == CONSTRUCT
    working: Working = [(bought.via, 2)] if bought.via else [("printed", 4)]
    if s.round and SPECULATION in s.round.effects:
        working.append((SPECULATION, -2))
    return working


def _clearing(s: State, space: str) -> Working:
    """5.6.2: 2, or 1 where the space is protected; some markers cost 1 more."""
    working: Working = [("protected_marker", 1)] if protected(s, space) else [("printed", 2)]
    if s.conflicts[space]:
        working.append(("plus_one", s.conflicts[space]))
    return working
