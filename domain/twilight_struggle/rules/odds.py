"""The exact chance of every outcome of a die, shown with the options of a question.

An outcome names what changes: influence by side, victory points (`vp`), whether something is `won`, or that
the game ends (`nuclear_war`, `cuban_missile_crisis`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from domain.kernel import Chance, Detail, Seat
from domain.twilight_struggle.components import MAP, OTHER, SPACE, US, USSR
from domain.twilight_struggle.rules.board import influence
from domain.twilight_struggle.rules.operations import (
    Ops,
    coup_modifier,
    crisis,
    lowers_defcon,
    narrowed,
    realignment_modifier,
    value,
)
from domain.twilight_struggle.rules.wars import WARS, minus
from domain.twilight_struggle.state import State

FACES = range(1, 7)
Outcome = dict[str, int]


def detail(outcomes: Iterable[Outcome]) -> Detail:
    """The distinct outcomes of equally likely throws."""
    counted = Counter(tuple(sorted(outcome.items())) for outcome in outcomes)
    of = counted.total()
    return Detail(None, tuple(Chance(ways, of, dict(outcome)) for outcome, ways in sorted(counted.items())))


def coup_odds(s: State, seat: Seat, ops: Ops, country: str) -> Detail:
    """6.3.2: what a Coup does to the influence there, or that it ends the game before the roll."""
    if crisis(s, seat):
        return detail([{"cuban_missile_crisis": 1}])
    if s.defcon == 2 and lowers_defcon(s, seat, country):
        return detail([{"nuclear_war": 1}])
    points = value(s, seat, ops, narrowed("", country))
    base = points + coup_modifier(s, seat, country) - 2 * MAP[country].stability
    enemy = influence(s, OTHER[seat], country)
    return detail(_coup(seat, enemy, roll + base) for roll in FACES)


def _coup(seat: Seat, enemy: int, net: int) -> Outcome:
    lost = max(0, min(net, enemy))
    changes = {OTHER[seat]: -lost, seat: max(0, net - lost)}
    return {side: change for side, change in changes.items() if change}


def realignment_odds(s: State, seat: Seat, country: str) -> Detail:
    """6.2.2: what one realignment roll does."""
    head_start = realignment_modifier(s, US, country) - realignment_modifier(s, USSR, country)
    return detail(_realignment(s, seat, country, us - ussr + head_start) for us in FACES for ussr in FACES)


def _realignment(s: State, seat: Seat, country: str, margin: int) -> Outcome:
    loser = USSR if margin > 0 else US
    if loser == seat and s.options.realignment_phasing_player_safe:
        return {}
    lost = min(abs(margin), influence(s, loser, country))
    return {loser: -lost} if lost else {}


def war_odds(s: State, seat: Seat, card: str, country: str) -> Detail:
    """7.6: whether a war is won, and the victory points for it."""
    war, less = WARS[card], minus(s, seat, card, country)
    return detail({"won": 1, "vp": war.points} if roll - less >= war.need else {"won": 0} for roll in FACES)


def space_odds(s: State, seat: Seat) -> Detail:
    """6.4: whether the next box is reached, and what it scores."""
    box = SPACE[s.space[seat] + 1]
    points = box.vp_first if s.space[OTHER[seat]] < box.box else box.vp_second
    return detail({"box": box.box, "vp": points} if roll <= box.success else {} for roll in FACES)


def trap_odds() -> Detail:
    """Quagmire, Bear Trap: a roll of 1 to 4 escapes."""
    return detail({"escaped": int(roll <= 4)} for roll in FACES)
