"""Why something cannot be done in an action round, and which section of the book says so.

Asked only after an answer was refused; `menu` says what can be done.  A reason's `rule` is the section alone,
and its sentence stands in the texts under [refusals].
"""

from __future__ import annotations

from collections.abc import Callable

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
from domain.imperial_struggle.rules.registry import ABILITIES, EVENTS
from domain.imperial_struggle.state import State
from domain.kernel import Pick, Reason, Seat

_IN_SPACES = (*SHIFT, CLEAR, BUILD, REPAIR, SEIZE, DEPLOY, menu.RISE)
_BARE = (DRAW, BUY, CONSTRUCT, menu.UPGRADE, menu.END)  # what names nothing besides


def why_not(s: State, me: Seat, pick: Pick) -> Reason:
    """Why the active player may not do that now."""
    verb, _, id = pick.partition(":")
    if unknown := _no_such(verb, id):
        return unknown
    if verb in SHIFT:
        return _shift(s, me, verb, id)
    found = _REASONS.get(verb)
    return found(s, me, id) if found else Reason("no_such_action", "5.0")


def _no_such(verb: str, id: str) -> Reason | None:
    """What is named does not exist in the game."""
    if verb in _IN_SPACES:
        return None if id in BOARD else Reason("no_such_space", "3.2")
    if verb == menu.ADVANTAGE:
        return None if id in ADVANTAGES else Reason("no_such_advantage", "8.1")
    if verb == menu.EVENT:
        return None if id in EVENTS else Reason("no_such_event", "5.2")
    if verb == menu.ABILITY:
        return None if id in ABILITIES else Reason("no_such_ability", "3.5.2")
    return Reason("no_such_action", "5.0") if id and verb in _BARE else None


def _no_action(s: State, type: str) -> Reason:
    """The round has no action of this type, or has it no more: Minor points serve once."""
    assert s.round is not None
    used = any(payment.minor and payment.type == type for payment in s.round.payments)
    return Reason("minor_used" if used else "no_action", "5.3.1", {"type": type})


def _unpaid(s: State, me: Seat, bought: Purchase) -> Reason:
    """Nothing is in the way but the points."""
    cost = price(s, me, bought)
    if not has_action(s, cost.type):
        return _no_action(s, cost.type)
    minor = payers(s, bought, cost.type, minor=True)
    if payers(s, bought, cost.type, minor=False) or (minor and not barred_to_minor(s, me, bought)):
        return Reason("too_dear", "6.3", {"cost": cost.total})
    if minor:
        return Reason("major_only", "5.3.2")
    return Reason("restricted", "5.2")


# --------------------------------------------------------------------------- flags


_NOT_SHIFTED = {
    "territory": Reason("territory", "3.2.3"),
    "naval": Reason("naval_space", "3.2.4"),
    "fort": Reason("fort", "3.2.5"),
}


def _shift(s: State, me: Seat, verb: str, space: str) -> Reason:
    kind = BOARD[space].kind if space in BOARD else ""
    if kind not in ("market", "political"):
        return _NOT_SHIFTED.get(kind, Reason("no_such_space", "3.2"))
    if not is_open(s, space):
        return Reason("not_open", "3.2.1")
    if s.flags.get(space) == USA:
        return Reason("usa_flag", "10.0")
    if verb == FLAG and space in s.flags:
        return Reason("flagged", "3.2.7")
    if verb == UNFLAG and not opposing(s, me, space):
        return Reason("no_opposing_flag", "3.2.8")
    bought = Purchase(verb, space)
    if not has_action(s, price(s, me, bought).type):
        return _unpaid(s, me, bought)
    if kind == "market" and not connected(s, me, space):
        return Reason("not_connected", "5.4.1")
    return _unpaid(s, me, bought)


# --------------------------------------------------------------------------- military actions


def _buy(s: State, me: Seat, id: str) -> Reason:
    assert s.round is not None
    if not s.war:
        return Reason("no_war", "5.6.1")
    if s.round.bought >= MOST_BOUGHT:
        return Reason("two_tiles_bought", "5.6.1")
    if not rooms(s, me):
        return Reason("theatres_full", "5.6.1")
    return _unpaid(s, me, Purchase(BUY))


def _exchange(s: State, me: Seat, kind: str) -> Reason:
    assert s.round is not None
    if s.turn != LAST_TURN or kind not in (ECONOMIC, DIPLOMATIC):
        return Reason("not_exchanged", "5.6.1")
    if s.round.exchanged not in ("", kind):
        return Reason("other_exchange", "5.6.1")
    return _unpaid(s, me, Purchase(EXCHANGE, via=kind))


def _clear(s: State, me: Seat, space: str) -> Reason:
    if space not in s.conflicts:
        return Reason("no_conflict", "5.6.2")
    return _unpaid(s, me, Purchase(CLEAR, space))


def _build(s: State, me: Seat, space: str) -> Reason:
    if space not in FORTS or space in s.flags:
        return Reason("not_an_empty_fort", "5.6.3")
    if not may_build(s, me, space):
        return Reason("fort_not_connected", "5.6.3")
    return _unpaid(s, me, Purchase(BUILD, space))


def _restore(verb: str) -> Callable[[State, Seat, str], Reason]:
    def reason(s: State, me: Seat, space: str) -> Reason:
        if space not in s.damaged:
            return Reason("not_damaged", "5.6.4")
        if (s.flags.get(space) == me) != (verb == REPAIR):
            return Reason("whose_fort", "5.6.4")
        if verb == SEIZE and not besieged(s, me, space):
            return Reason("not_besieged", "5.6.4")
        return _unpaid(s, me, Purchase(verb, space))

    return reason


def _construct(s: State, me: Seat, id: str) -> Reason:
    if not s.unbuilt[me]:
        return Reason("eight_squadrons", "3.6")
    return _unpaid(s, me, Purchase(CONSTRUCT))


def _deploy(s: State, me: Seat, space: str) -> Reason:
    if space not in NAVAL:
        return Reason("not_naval", "3.6")
    if s.flags.get(space) == me:
        return Reason("own_squadron", "3.2.7")
    ready = deployments(s, me, space)
    if not ready:
        return Reason("none_to_deploy", "5.6.6")
    return _unpaid(s, me, ready[-1])


# --------------------------------------------------------------------------- cards, tiles and the rest


def _draw(s: State, me: Seat, id: str) -> Reason:
    return _unpaid(s, me, Purchase(DRAW)) if s.deck.size else Reason("deck_empty", "5.5.3")


def _event(s: State, me: Seat, card: str) -> Reason:
    assert s.round is not None
    if card not in s.hands[me]:
        return Reason("not_in_hand", "5.2")
    if s.round.event:
        return Reason("event_played", "5.2")
    if s.round.acted:
        return Reason("event_first", "5.2")
    if not INVESTMENTS[s.round.tile].event:
        return Reason("no_event_symbol", "5.2")
    return Reason("event_of_other_type", "3.4.4")


def _advantage(s: State, me: Seat, tile: str) -> Reason:
    assert s.round is not None
    now = s.round
    if s.advantages.get(tile) != me:
        return Reason("not_held", "8.1")
    if any(space in s.conflicts for space in ADVANTAGES[tile].spaces):
        return Reason("in_conflict", "8.1")
    if tile in s.exhausted:
        return Reason("exhausted", "8.2")
    if tile in now.taken:
        return Reason("taken_now", "8.2")
    if len(now.used) >= MOST_USED:
        return Reason("two_advantages", "8.2")
    if ADVANTAGES[tile].region in {ADVANTAGES[used].region for used in now.used}:
        return Reason("region_used", "8.2")
    bought = next(paid_uses(s, me, tile), None)
    return _unpaid(s, me, bought) if bought else Reason("no_use", "8.2")


def _ability(s: State, me: Seat, id: str) -> Reason:
    return Reason("not_offered", "3.5.2")


def _reveal(s: State, me: Seat, ministry: str) -> Reason:
    return Reason("not_face_down", "3.5.1")


def _rise(s: State, me: Seat, space: str) -> Reason:
    return Reason("no_uprising", "3.5.2")


def _upgrade(s: State, me: Seat, id: str) -> Reason:
    return Reason("no_upgrade", "5.3.3")


def _pass(s: State, me: Seat, debt: str) -> Reason:
    assert s.round is not None
    if s.round.acted:
        return Reason("not_passing", "6.2")
    return Reason("pass_debt", "6.2")


def _end(s: State, me: Seat, id: str) -> Reason:
    return Reason("nothing_used", "5.1")


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
