"""What a purchase costs, with its working: printed, set to 1, reductions, then increases (5.4.2, 5.5.2).

The parts of a working add up to the price.
"""

from __future__ import annotations

from domain.imperial_struggle.components import (
    ADVANTAGES,
    BOARD,
    BR,
    DIPLOMATIC,
    ECONOMIC,
    FR,
    MILITARY,
    NAVY_BOX,
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
    FLAG,
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
from domain.kernel import Seat

Working = list[tuple[str, int]]
HUGUENOTS = "new_world_huguenots"
CHEAP_SHIFTS = {  # effects of a round: whose removal of which flags costs 1 less
    "pacte_de_famille": ("spain", "austria"),
    "charles_hanbury_williams": ("prussia", "german_states", "russia"),
}
SPECULATION = "south_sea_speculation"
MOST_DEPLOYED = 3  # from the Navy Box, where another Squadron is displaced


def price(s: State, me: Seat, bought: Purchase) -> Price:
    """What it costs `me` now."""
    if bought.verb in SHIFT:
        return _shift(s, me, bought)
    working = [("printed", 3)] if bought.verb == DRAW else _military(s, bought)
    return Price(type_of(bought), sum([points for _, points in working]), tuple(working))


def type_of(bought: Purchase) -> str:
    """The type of the points that it costs."""
    if bought.verb in SHIFT and not bought.with_military:
        return ECONOMIC if BOARD[bought.space].kind == "market" else DIPLOMATIC
    return DIPLOMATIC if bought.verb == DRAW else MILITARY


def _shift(s: State, me: Seat, bought: Purchase) -> Price:
    """Reductions may lead below 1 before increases follow (8.2), but the end is never below 1."""
    kind = type_of(bought)
    working = [*_base(s, bought), *_reductions(s, me, bought), *_increases(s, bought, kind)]
    total = sum([points for _, points in working])
    if total < 1:
        working.append(("least", 1 - total))
    return Price(kind, max(1, total), tuple(working))


def dearest(s: State, bought: Purchase) -> int:
    """The most that a shift or a deployment can cost now, which never cost less than 1; 0: anything else.

    A shift costs what is printed and every increase: for protection, and for a further Region.
    """
    if bought.verb == DEPLOY:
        return MOST_DEPLOYED if bought.space in s.flags else 1
    if bought.verb not in SHIFT:
        return 0
    payments = s.round.payments if s.round else ()
    return BOARD[bought.space].cost + (bought.verb == UNFLAG) + bool(payments)


def _base(s: State, bought: Purchase) -> Working:
    """The printed cost, and what sets it to 1."""
    cost = BOARD[bought.space].cost
    if bought.via and ADVANTAGES[bought.via].does == "fixed":
        return [("printed", cost), (bought.via, 1 - cost)]
    if bought.space in s.conflicts:
        return [("printed", cost), ("conflict", 1 - cost)]
    if is_isolated(s, bought.space):
        return [("printed", cost), ("isolated", 1 - cost)]
    return [("printed", cost)]


def is_isolated(s: State, space: str) -> bool:
    """5.4.1: isolated when the action round began, and the flag still stands."""
    now = s.round
    return now is not None and space in now.isolated and space not in now.changed


def _reductions(s: State, me: Seat, bought: Purchase) -> Working:
    effects = s.round.effects if s.round else ()
    if me == FR and not bought.via and not effects:
        return []
    face, verb = BOARD[bought.space], bought.verb
    found: Working = []
    if bought.via and ADVANTAGES[bought.via].does == "discount":
        found.append((bought.via, -1))
    if face.kind == "market" and f"{HUGUENOTS}/{face.region}" in effects:
        found.append((HUGUENOTS, -1))
    for effect, countries in CHEAP_SHIFTS.items():
        french = verb == UNFLAG and s.flags.get(bought.space) == FR
        if effect in effects and french and face.country in countries and me == BR:
            found.append((effect, -1))
    swift = me == BR and verb == FLAG and in_play(s, "jonathan_swift")
    if swift and face.country in ("ireland", "scotland"):
        found.append(("jonathan_swift", -1))
    if face.country in ("sons_of_liberty", USA) and me == BR and in_play(s, "edmund_burke"):
        found.append(("edmund_burke", -1))
    return found


def _increases(s: State, bought: Purchase, kind: str) -> Working:
    """Protection, and the first purchase in each further Region (5.3.4); military points travel freely."""
    if bought.via and ADVANTAGES[bought.via].does == "fixed" and s.options.fixed_price == "exact":
        return []
    found: Working = []
    if bought.verb == UNFLAG and protected(s, bought.space):
        found.append(("protected", 1))
    if kind != MILITARY and _travels(s, kind, BOARD[bought.space].region):
        found.append(("region", 1))
    return found


def _travels(s: State, kind: str, region: str) -> bool:
    visited = visits(s, kind)
    if s.options.region_switch == "per_change":
        return bool(visited) and visited[-1] != region
    return bool(visited) and region not in visited


@remembered
def visits(s: State, kind: str) -> tuple[str, ...]:
    """The Regions where points of a type went in this action round, in order."""
    payments = s.round.payments if s.round else ()
    return tuple(item.region for item in payments if item.type == kind and item.region)


def _military(s: State, bought: Purchase) -> Working:
    """5.6.1 to 5.6.6."""
    verb, space = bought.verb, bought.space
    if verb in (BUY, EXCHANGE):
        return [("printed", 2)]
    if verb == SCORE:
        return [("printed", 3)]
    if verb == EXPEL:
        return [(bought.via, 1)]
    if verb == CLEAR:
        return _clearing(s, space)
    if verb == BUILD:
        return [("printed", BOARD[space].cost)]
    if verb == REPAIR:
        return [("printed", BOARD[space].cost), ("repair", -1)]
    if verb == SEIZE:
        return [("printed", BOARD[space].cost), ("seize", 1)]
    if verb == DEPLOY:
        if space not in s.flags:
            return [("printed", 1)]
        return [("displace", MOST_DEPLOYED if bought.origin == NAVY_BOX else 2)]
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
