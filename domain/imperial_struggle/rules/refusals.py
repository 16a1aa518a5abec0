"""Why something cannot be done in an action round, and which section of the book says so.

Asked only after an answer was refused; `menu` says what can be done.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from domain.imperial_struggle.components import (
    ADVANTAGES,
    BOARD,
    DIPLOMATIC,
    ECONOMIC,
    FORTS,
    INVESTMENTS,
    LAST_TURN,
    NAVAL,
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
    FLAG,
    REPAIR,
    SEIZE,
    SHIFT,
    UNFLAG,
    Purchase,
)
from domain.imperial_struggle.rules import menu
from domain.imperial_struggle.rules.advantages import MOST_USED, paid_uses
from domain.imperial_struggle.rules.board import connected, is_open, opposing
from domain.imperial_struggle.rules.paying import barred_to_minor, has_action, payers
from domain.imperial_struggle.rules.prices import price
from domain.imperial_struggle.rules.purchases import (
    MOST_BOUGHT,
    besieged,
    deployments,
    may_build,
    rooms,
)
from domain.kernel import Pick, Seat

if TYPE_CHECKING:
    from domain.imperial_struggle.state import State

Reason = tuple[str, str]
"""The reason in words, and the section."""


def why_not(s: State, me: Seat, pick: Pick) -> Reason:
    """Why the active player may not do that now."""
    verb, _, id = pick.partition(":")
    if verb in SHIFT:
        return _shift(s, me, verb, id)
    found = _REASONS.get(verb)
    return found(s, me, id) if found else ("there is no such action", "5.0")


def _unpaid(s: State, me: Seat, bought: Purchase) -> Reason:
    """Nothing is in the way but the points."""
    cost = price(s, me, bought)
    if not has_action(s, cost.type):
        return f"this round has no {cost.type} action to pay with", "5.3.1"
    minor = payers(s, bought, cost.type, minor=True)
    if payers(s, bought, cost.type, minor=False) or (minor and not barred_to_minor(s, me, bought)):
        return f"it costs {cost.total}, which points, Treaty Points and Debt do not reach", "6.3"
    if minor:
        return "a Minor action removes no opposing Squadron, nor a flag without a Conflict marker", "5.3.2"
    return "the points of this round are restricted to something else", "5.2"


# --------------------------------------------------------------------------- flags


_NOT_SHIFTED = {
    "territory": ("a Territory changes hands in wars only", "3.2.3"),
    "naval": ("a naval space is taken by a Squadron", "3.2.4"),
    "fort": ("a Fort is built, repaired or seized", "3.2.5"),
}


def _shift(s: State, me: Seat, verb: str, space: str) -> Reason:
    kind = BOARD[space].kind if space in BOARD else ""
    if kind not in ("market", "political"):
        return _NOT_SHIFTED.get(kind, ("there is no such space", "3.2"))
    if not is_open(s, space):
        return "this space is not open yet", "3.2.1"
    if s.flags.get(space) == USA:
        return "a flag of the USA stays", "10.0"
    if verb == FLAG and space in s.flags:
        return "a flag stands there already", "3.2.7"
    if verb == UNFLAG and not opposing(s, me, space):
        return "no opposing flag stands there", "3.2.8"
    bought = Purchase(verb, space)
    if not has_action(s, price(s, me, bought).type):
        return _unpaid(s, me, bought)
    if kind == "market" and not connected(s, me, space):
        return "no own Territory, Fort, Squadron or fitting market is connected to it", "5.4.1"
    return _unpaid(s, me, bought)


# --------------------------------------------------------------------------- military actions


def _buy(s: State, me: Seat, id: str) -> Reason:
    assert s.round is not None
    if not s.war:
        return "no war follows this turn", "5.6.1"
    if s.round.bought >= MOST_BOUGHT:
        return "two Bonus War tiles were bought in this round", "5.6.1"
    if not rooms(s, me):
        return "every theatre has two Bonus War tiles of this side", "5.6.1"
    return _unpaid(s, me, Purchase(BUY))


def _exchange(s: State, me: Seat, kind: str) -> Reason:
    assert s.round is not None
    if s.turn != LAST_TURN or kind not in (ECONOMIC, DIPLOMATIC):
        return "military points are exchanged for others on turn 6", "5.6.1"
    if s.round.exchanged not in ("", kind):
        return "points of the other type were exchanged in this round", "5.6.1"
    return _unpaid(s, me, Purchase(EXCHANGE, via=kind))


def _clear(s: State, me: Seat, space: str) -> Reason:
    if space not in s.conflicts:
        return "no Conflict marker lies there", "5.6.2"
    return _unpaid(s, me, Purchase(CLEAR, space))


def _build(s: State, me: Seat, space: str) -> Reason:
    if space not in FORTS or space in s.flags:
        return "only an empty Fort space is built on", "5.6.3"
    if not may_build(s, me, space):
        return (
            "no market, Territory or Squadron that was own when the round began is connected to it",
            "5.6.3",
        )
    return _unpaid(s, me, Purchase(BUILD, space))


def _restore(verb: str) -> Callable[[State, Seat, str], Reason]:
    def reason(s: State, me: Seat, space: str) -> Reason:
        if space not in s.damaged:
            return "only a damaged Fort is repaired or seized", "5.6.4"
        if (s.flags.get(space) == me) != (verb == REPAIR):
            return "an own Fort is repaired, an opposing one seized", "5.6.4"
        if verb == SEIZE and not besieged(s, me, space):
            return "no own Squadron or market is connected to it", "5.6.4"
        return _unpaid(s, me, Purchase(verb, space))

    return reason


def _construct(s: State, me: Seat, id: str) -> Reason:
    if not s.unbuilt[me]:
        return "a side has at most eight Squadrons", "3.6"
    return _unpaid(s, me, Purchase(CONSTRUCT))


def _deploy(s: State, me: Seat, space: str) -> Reason:
    if space not in NAVAL:
        return "Squadrons stand in naval spaces only", "3.6"
    if s.flags.get(space) == me:
        return "an own Squadron stands there", "3.2.7"
    ready = tuple(deployments(s, me, space))
    if not ready:
        return "each Squadron is deployed once in a round, and none is left", "5.6.6"
    return _unpaid(s, me, ready[-1])


# --------------------------------------------------------------------------- cards, tiles and the rest


def _draw(s: State, me: Seat, id: str) -> Reason:
    return _unpaid(s, me, Purchase(DRAW)) if s.deck.size else ("the draw pile is empty", "5.5.3")


def _event(s: State, me: Seat, card: str) -> Reason:
    assert s.round is not None
    if card not in s.hands[me]:
        return "this card is not in the hand", "5.2"
    if s.round.event:
        return "an event was played in this round", "5.2"
    if s.round.acted:
        return "an event comes before everything else that the tile brings", "5.2"
    if not INVESTMENTS[s.round.tile].event:
        return "the tile does not show the event symbol", "5.2"
    return "the event asks for a Major action of another type", "3.4.4"


def _advantage(s: State, me: Seat, tile: str) -> Reason:
    assert s.round is not None
    now = s.round
    if s.advantages.get(tile) != me:
        return "this side does not hold the advantage", "8.1"
    if any(space in s.conflicts for space in ADVANTAGES[tile].spaces):
        return "a Conflict marker lies in a space that it needs", "8.1"
    if tile in s.exhausted:
        return "the advantage is Exhausted", "8.2"
    if tile in now.taken:
        return "the advantage was taken in this round", "8.2"
    if len(now.used) >= MOST_USED:
        return "two advantages were used in this round", "8.2"
    if ADVANTAGES[tile].region in {ADVANTAGES[used].region for used in now.used}:
        return "an advantage of this Region was used in this round", "8.2"
    bought = next(paid_uses(s, me, tile), None)
    return _unpaid(s, me, bought) if bought else ("there is nothing to use it on", "8.2")


def _ability(s: State, me: Seat, id: str) -> Reason:
    return "no open ministry offers this now, or it is Exhausted", "3.5.2"


def _reveal(s: State, me: Seat, ministry: str) -> Reason:
    return "no such ministry lies face down before this side", "3.5.1"


def _rise(s: State, me: Seat, space: str) -> Reason:
    return "Jacobite Uprisings does not allow this now", "3.5.2"


def _upgrade(s: State, me: Seat, id: str) -> Reason:
    return "the tile shows no military upgrade, or it is used", "5.3.3"


def _pass(s: State, me: Seat, debt: str) -> Reason:
    assert s.round is not None
    if s.round.acted:
        return "who has used something of the tile does not pass", "6.2"
    return "who passes pays back at most 2 Debt, and none that he does not have", "6.2"


def _end(s: State, me: Seat, id: str) -> Reason:
    return "who uses nothing of the tile passes", "5.1"


_REASONS: dict[str, Callable[[State, Seat, str], Reason]] = {
    BUY: _buy,
    EXCHANGE: _exchange,
    CLEAR: _clear,
    BUILD: _build,
    REPAIR: _restore(REPAIR),
    SEIZE: _restore(SEIZE),
    CONSTRUCT: _construct,
    DEPLOY: _deploy,
    DRAW: _draw,
    menu.EVENT: _event,
    menu.ADVANTAGE: _advantage,
    menu.ABILITY: _ability,
    menu.REVEAL: _reveal,
    menu.RISE: _rise,
    menu.UPGRADE: _upgrade,
    menu.PASS: _pass,
    menu.END: _end,
}
