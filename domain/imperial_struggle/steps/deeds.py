"""What often happens, as generators of facts; each returns the table after it.

`s = yield from unflag(s, ...)` reads like the sentence on a card.  What follows from a change of flags by
itself (markers that leave, advantages that come and go) follows here, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Generator

from domain.imperial_struggle.components import (
    ADVANTAGES,
    BR,
    FR,
    GONE,
    LINKED,
    NAVY_BOX,
    OTHER,
    TURN_TRACK,
    UNBUILT,
)
from domain.imperial_struggle.facts.board import (
    AdvantageReturned,
    AdvantageTaken,
    AdvantageUsed,
    ConflictPlaced,
    ConflictRemoved,
    FlagPlaced,
    FlagRemoved,
    FortDamaged,
    FortRepaired,
    HuguenotsRemoved,
    SquadronMoved,
)
from domain.imperial_struggle.facts.flow import EffectBegan, PointsGranted
from domain.imperial_struggle.facts.tracks import DebtSet, LimitSet, ScoreMoved, TreatySet
from domain.imperial_struggle.points import Limit, Pool
from domain.imperial_struggle.rules.board import available_debt, in_play
from domain.imperial_struggle.state import State
from domain.kernel import Fact, Seat, Step

Deed = Generator[Fact[State] | Step[State], State, State]

# --------------------------------------------------------------------------- flags


def flag(s: State, side: Seat, space: str) -> Deed:
    """A flag (a player's, of Spain, of the USA) comes into an empty space."""
    s = yield from clear_conflict(s, space)
    s = yield FlagPlaced(side, space)
    if space in s.huguenots and side == BR:
        s = yield HuguenotsRemoved(space)
    return (yield from _settle_advantages(s, space))


def unflag(s: State, space: str) -> Deed:
    """The owner of the flag there loses it."""
    if space not in s.flags:
        return s
    s = yield from clear_conflict(s, space)
    s = yield FlagRemoved(s.flags[space], space)
    return (yield from _settle_advantages(s, space))


def shift(s: State, me: Seat, space: str) -> Deed:
    """3.2.8: an empty space is flagged, an opposing flag removed."""
    if space in s.flags:
        return (yield from unflag(s, space))
    return (yield from flag(s, me, space))


def take_control(s: State, me: Seat, space: str) -> Deed:
    """3.2.8: any flag that stands there goes, and `me` has the space."""
    s = yield from unflag(s, space)
    return (yield from flag(s, me, space))


def _settle_advantages(s: State, space: str) -> Deed:
    """8.1: a side that flags every linked space takes the tile; a side that loses one of them returns it."""
    for tile in LINKED[space]:
        owners = {s.flags.get(linked) for linked in ADVANTAGES[tile].spaces}
        holder = owners.pop() if len(owners) == 1 else None
        before = s.advantages.get(tile)
        if before is not None and before != holder:
            s = yield AdvantageReturned(before, tile)
        if holder in (BR, FR) and before != holder:
            assert holder is not None
            s = yield AdvantageTaken(holder, tile)
    return s


def conflict(s: State, space: str, why: str, extra: int = 0) -> Deed:
    """A Conflict marker comes into a space that has none (3.8)."""
    if space not in s.conflicts:
        s = yield ConflictPlaced(space, extra, why)
    return s


def clear_conflict(s: State, space: str) -> Deed:
    """3.8.2: the marker leaves."""
    if space in s.conflicts:
        s = yield ConflictRemoved(space)
    return s


# --------------------------------------------------------------------------- Forts and Squadrons


def damage(s: State, space: str) -> Deed:
    """A Fort is damaged; it stays its owner's (3.2.5)."""
    if space not in s.damaged:
        s = yield FortDamaged(s.flags[space], space)
    return s


def repair(s: State, space: str) -> Deed:
    """A Fort is whole again."""
    if space in s.damaged:
        s = yield FortRepaired(space)
    return s


def move_squadron(s: State, side: Seat, origin: str, to: str, *, sails: bool = False) -> Deed:
    """A Squadron goes elsewhere; one of the other side in its way goes to the Navy Box."""
    if to in s.flags:
        s = yield from send_home(s, to)
    return (yield SquadronMoved(side, origin, to, sails))


def send_home(s: State, space: str) -> Deed:
    """The Squadron in a naval space returns to the Navy Box of its side."""
    return (yield SquadronMoved(s.flags[space], space, NAVY_BOX))


def build_squadron(s: State, side: Seat) -> Deed:
    """A new Squadron in the Navy Box, while there is one to build."""
    if s.unbuilt[side]:
        s = yield SquadronMoved(side, UNBUILT, NAVY_BOX)
    return s


def suspend_squadron(s: State, side: Seat, origin: str) -> Deed:
    """A Squadron waits on the Turn Track until the next reset phase."""
    return (yield SquadronMoved(side, origin, TURN_TRACK))


def unbuild_squadron(s: State, side: Seat, origin: str) -> Deed:
    """A Squadron is taken apart, and may be built again."""
    return (yield SquadronMoved(side, origin, UNBUILT))


def lose_squadron(s: State, side: Seat, origin: str) -> Deed:
    """A Squadron leaves the game."""
    return (yield SquadronMoved(side, origin, GONE))


# --------------------------------------------------------------------------- tracks


def gain(s: State, side: Seat, points: int, why: str) -> Deed:
    """A side gains victory points; the marker is kept exactly, below 0 and above 30 too (4.1.12)."""
    if points > 0:
        now = s.vp + (points if side == FR else -points)
        s = yield ScoreMoved(side, points, now, why)
    return s


def reduce_debt(s: State, side: Seat, by: int, why: str) -> Deed:
    """Debt falls, not below 0."""
    by = min(by, s.debt[side])
    if by > 0:
        s = yield DebtSet(side, -by, s.debt[side] - by, why)
    return s


def take_debt(s: State, side: Seat, by: int, why: str) -> Deed:
    """Debt taken by choice: the caller has seen that there is room (6.3)."""
    if by > 0:
        s = yield DebtSet(side, by, s.debt[side] + by, why)
    return s


def force_debt(s: State, side: Seat, by: int, why: str) -> Deed:
    """6.3: beyond the Debt Limit each point is one victory point for the opponent (not with James Watt)."""
    room = max(0, min(by, available_debt(s, side)))
    s = yield from take_debt(s, side, room, why)
    if by > room and not (side == BR and in_play(s, "james_watt")):
        s = yield from gain(s, OTHER[side], by - room, "debt_limit")
    return s


def change_limit(s: State, side: Seat, by: int, why: str) -> Deed:
    """The Debt Limit changes."""
    return (yield LimitSet(side, by, s.limit[side] + by, why))


def treaty(s: State, side: Seat, by: int, why: str) -> Deed:
    """Treaty Points change, not below 0."""
    by = max(by, -s.treaty[side])
    if by:
        s = yield TreatySet(side, by, s.treaty[side] + by, why)
    return s


# --------------------------------------------------------------------------- points and effects


def grant(s: State, me: Seat, card: str, type: str, points: int, limit: Limit | None = None) -> Deed:
    """Action points of an event; those under another restriction are a pool of their own (3.4.5, 5.2)."""
    if points <= 0 or s.round is None:
        return s
    name, other = card, 2
    held = {pool.name: pool for pool in s.round.pools}
    while name in held and (held[name].type, held[name].limit) != (type, limit):
        name, other = f"{card}.{other}", other + 1
    return (yield PointsGranted(me, Pool(name, type, "event", points, limit)))


def attach(s: State, me: Seat, ministry: str, type: str, points: int, limit: Limit | None = None) -> Deed:
    """Extra points of a ministry, which go with an action of their type (3.5.4)."""
    return (yield PointsGranted(me, Pool(ministry, type, "extra", points, limit)))


def begin_effect(s: State, me: Seat, effect: str) -> Deed:
    """Something holds for the rest of the action round."""
    return (yield EffectBegan(me, effect))


def use_advantage(s: State, me: Seat, tile: str, *, exhausts: bool = True) -> Deed:
    """8.2; the first use of a round pays Pompadour & Du Barry (in Europe) and James Watt (of France)."""
    europe = ADVANTAGES[tile].region == "europe"
    s = yield AdvantageUsed(me, tile, exhausts)
    if not exhausts or me != FR:
        return s
    for ministry, side, due in (
        ("pompadour_and_du_barry", FR, europe),
        ("james_watt", BR, True),
    ):
        if due and in_play(s, ministry) and s.round and ministry not in s.round.effects:
            s = yield from begin_effect(s, me, ministry)
            s = yield from treaty(s, side, 1, ministry)
    return s
