"""Spending action points: how something is paid, and what then happens (5.3 to 5.6, 6.1, 9.1)."""

from __future__ import annotations

from typing import ClassVar

from domain.imperial_struggle.components import ADVANTAGES, BOARD, COUNTRIES, FR
from domain.imperial_struggle.facts.cards import DebtIgnored
from domain.imperial_struggle.facts.flow import EffectEnded, PointsExchanged, PointsPaid
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
    Purchase,
)
from domain.imperial_struggle.rules.board import held
from domain.imperial_struggle.rules.paying import Way, affordable, region, ways
from domain.imperial_struggle.rules.prices import HUGUENOTS, SPECULATION, price
from domain.imperial_struggle.rules.purchases import deployments
from domain.imperial_struggle.state import State
from domain.imperial_struggle.steps.deeds import (
    Deed,
    attach,
    build_squadron,
    clear_conflict,
    flag,
    gain,
    move_squadron,
    repair,
    send_home,
    shift,
    take_control,
    take_debt,
    treaty,
    use_advantage,
)
from domain.imperial_struggle.steps.tiles import DrawBonus, DrawCards, ReshuffleEvents
from domain.kernel import Detail, Pick, Picks, Resolution, Seat, Step

MOST_JACOBITE_POINTS = 4


def detail(s: State, me: Seat, bought: Purchase) -> Detail:
    """What a purchase costs now, and why; and what pays for it, where no question follows about that."""
    cost, found = price(s, me, bought), ways(s, me, bought)
    pays = found[0].working if len(found) == 1 else {}
    return Detail(cost.total, working=dict(cost.working), pays=pays)


class Sail(Step[State], frozen=True):
    """5.6.6: which Squadron is deployed to a naval space."""

    spelling = ("navy_box", "{naval}")
    rule: ClassVar[str] = "book 001, 5.6.6: deploying a Squadron"
    seat: Seat
    space: str

    def asks(self, s: State) -> tuple[Seat, ...]:
        return (self.seat,) if len(self.options(s, self.seat)) > 1 else ()

    def options(self, s: State, seat: Seat) -> Picks:
        return tuple(
            bought.origin
            for bought in deployments(s, self.seat, self.space)
            if affordable(s, self.seat, bought)
        )

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"space": self.space}

    def details(self, s: State, seat: Seat) -> dict[Pick, Detail]:
        return {bought.origin: detail(s, seat, bought) for bought in deployments(s, seat, self.space)}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        origin = (picks or self.options(s, self.seat))[0]
        yield Pay(self.seat, Purchase(DEPLOY, self.space, origin=origin))


class Pay(Step[State], frozen=True):
    """5.2, 5.3, 6.1, 9.1: how a purchase is paid, where there are several ways; then it takes effect."""

    spelling = ("major:{number}", "minor:{number}")
    rule: ClassVar[str] = "book 001, 5.3.2, 6.1 and 9.1: paying with points, Debt and Treaty Points"
    seat: Seat
    bought: Purchase

    def asks(self, s: State) -> tuple[Seat, ...]:
        return (self.seat,) if len(ways(s, self.seat, self.bought)) > 1 else ()

    def options(self, s: State, seat: Seat) -> Picks:
        return tuple(way.pick for way in ways(s, self.seat, self.bought))

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        cost = price(s, self.seat, self.bought)
        what = self.bought.space or self.bought.via or self.bought.verb
        return {"verb": self.bought.verb, "what": what, "cost": cost.total, "type": cost.type}

    def details(self, s: State, seat: Seat) -> dict[Pick, Detail]:
        return {
            way.pick: Detail(way.price.total, working=way.working, pays=way.working)
            for way in ways(s, seat, self.bought)
        }

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        found = ways(s, self.seat, self.bought)
        way = next(way for way in found if not picks or way.pick == picks[0])
        s = yield from _pay(s, self.seat, self.bought, way)
        if self.bought.via in ADVANTAGES:
            s = yield from use_advantage(s, self.seat, self.bought.via, exhausts=not self.bought.free)
        yield from _carry_out(s, self.seat, self.bought)


def _pay(s: State, me: Seat, bought: Purchase, way: Way) -> Deed:
    cost = way.price
    s = yield PointsPaid(
        me,
        bought.verb,
        bought.space,
        cost.type,
        cost.total,
        way.used,
        way.minor,
        region(bought),
        way.debts,
    )
    s = yield from treaty(s, me, -way.treaty, bought.verb)
    if way.ignored:
        s = yield DebtIgnored(me, way.ignored, s.merchants + way.ignored)
    s = yield from take_debt(s, me, way.debts - way.ignored, bought.verb)
    if way.spare:
        s = yield from attach(s, me, "turgot", cost.type, way.spare)
    return s


def _carry_out(s: State, me: Seat, bought: Purchase) -> Resolution[State]:
    """What was bought happens."""
    verb, space = bought.verb, bought.space
    if verb in SHIFT:
        yield from _use_huguenots(s, me, space)
        yield from shift(s, me, space)
    elif verb == DRAW:
        if not s.deck.size:
            yield ReshuffleEvents()
        yield DrawCards(me, 1)
    elif verb == BUY:
        yield DrawBonus(me, bought=True)
    elif verb == CONSTRUCT:
        if s.round and SPECULATION in s.round.effects:
            s = yield EffectEnded(me, SPECULATION)
        yield from build_squadron(s, me)
    elif verb == SCORE:
        yield from _score_uprisings(s)
    elif verb == EXCHANGE:
        yield PointsExchanged(me, bought.via)
    else:
        yield from _on_the_map(s, me, bought)


def _on_the_map(s: State, me: Seat, bought: Purchase) -> Resolution[State]:
    """Forts, Squadrons and Conflict markers."""
    verb, space = bought.verb, bought.space
    if verb == CLEAR:
        yield from clear_conflict(s, space)
    elif verb == BUILD:
        yield from flag(s, me, space)
    elif verb == REPAIR:
        yield from repair(s, space)
    elif verb == SEIZE:
        s = yield from repair(s, space)
        yield from take_control(s, me, space)
    elif verb == DEPLOY:
        yield from move_squadron(s, me, bought.origin, space, sails=True)
    else:
        assert verb == EXPEL
        yield from send_home(s, space)


def _use_huguenots(s: State, me: Seat, space: str) -> Deed:
    """The marker that was turned for one market of its Region is used up."""
    effect = f"{HUGUENOTS}/{BOARD[space].region}"
    if s.round and BOARD[space].kind == "market" and effect in s.round.effects:
        s = yield EffectEnded(me, effect)
    return s


def _score_uprisings(s: State) -> Resolution[State]:
    """The second ability of Jacobite Uprisings: French flags in both countries and victories, at most 4."""
    flags = len(held(s, FR, (*COUNTRIES["ireland"], *COUNTRIES["scotland"])))
    yield from gain(s, FR, min(MOST_JACOBITE_POINTS, flags + s.victories), "jacobite_uprisings")
