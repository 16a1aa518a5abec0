"""What points could buy in this action round: every purchase that the rules allow and that can be paid."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from domain.imperial_struggle.components import (
    BOARD,
    COUNTRIES,
    DIPLOMATIC,
    ECONOMIC,
    FORTS,
    LAST_TURN,
    MARKETS,
    MILITARY,
    NAVAL,
    NAVY_BOX,
    POLITICAL,
    SUPPLIES,
    TYPES,
    USA,
    WARS,
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
    UNFLAG,
    Purchase,
)
from domain.imperial_struggle.rules.board import connected_markets, open_political, opposing, squadrons
from domain.imperial_struggle.rules.paying import may_hold, payable, purse
from domain.imperial_struggle.rules.remembering import remembered
from domain.imperial_struggle.state import State
from domain.kernel import Seat

FLAGGED = {space: Purchase(FLAG, space) for space in (*MARKETS, *POLITICAL)}
UNFLAGGED = {space: Purchase(UNFLAG, space) for space in (*MARKETS, *POLITICAL)}
MOST_BOUGHT = 2  # Bonus War tiles in a round, 5.6.1
MOST_BONUSES = 2  # of a side in a theatre
RISING = "jacobite_uprisings.shift"


def purchases(s: State, me: Seat) -> list[Purchase]:
    """What can be bought and paid now, without advantages and abilities."""
    found: list[Purchase] = []
    for kind in TYPES:
        if may_hold(purse(s, me, kind)):
            found += payable(s, me, allowed(s, me, kind), kind)
    return found


def allowed(s: State, me: Seat, kind: str) -> Iterable[Purchase]:
    """What the rules allow for points of a type, whatever it costs."""
    if kind == ECONOMIC:
        return shifts(s, me, connected_markets(s, me))
    if kind == MILITARY:
        return _military(s, me)
    drawn = s.deck.size or (s.options.card_draw == "reshuffle" and s.discards)
    return (*shifts(s, me, open_political(s)), *((Purchase(DRAW),) if drawn else ()))


def shifts(s: State, me: Seat, among: Iterable[str]) -> list[Purchase]:
    """5.4.1, 5.5.1: flag an empty space or remove an opposing flag, in open and connected spaces."""
    flags, closed = s.flags, (me, USA)
    return [
        UNFLAGGED[space] if space in flags else FLAGGED[space]
        for space in among
        if flags.get(space) not in closed
    ]


def _military(s: State, me: Seat) -> list[Purchase]:
    assert s.round is not None
    found: list[Purchase] = []
    if s.war and s.round.bought < MOST_BOUGHT and has_room(s, me):
        found.append(Purchase(BUY))
    if s.turn == LAST_TURN:  # 5.6.1: two military points for one of another type, the same all round
        for kind in (ECONOMIC, DIPLOMATIC):
            if s.round.exchanged in ("", kind):
                found.append(Purchase(EXCHANGE, via=kind))
    found += [Purchase(CLEAR, space) for space in s.conflicts]
    found += _forts(s, me)
    if s.unbuilt[me]:
        found.append(Purchase(CONSTRUCT))
    found += _deployments_from_last(s, me)
    if RISING in s.round.effects:
        for country in ("ireland", "scotland"):
            for bought in shifts(s, me, COUNTRIES[country]):
                found.append(Purchase(bought.verb, bought.space, with_military=True))
    return found


def _deployments_from_last(s: State, me: Seat) -> list[Purchase]:
    """5.6.6: one deployment to each space, from the last place: from the Navy Box alone it can cost more."""
    origins = _to_deploy(s, me)
    if not origins:
        return []
    flags, sailing = s.flags, _deployed_from(origins[-1])
    return [sailing[space] for space in NAVAL if flags.get(space) != me]


@cache
def _deployed_from(origin: str) -> dict[str, Purchase]:
    """The deployment from one place to each naval space."""
    return {space: Purchase(DEPLOY, space, origin=origin) for space in NAVAL}


def has_room(s: State, me: Seat) -> bool:
    """5.6.1: a theatre with fewer than two Bonus tiles of this side, and a tile to draw."""
    return bool(s.bonuses[me].size) and bool(rooms(s, me))


def rooms(s: State, me: Seat) -> tuple[str, ...]:
    """The theatres of the next war with fewer than two Bonus tiles of this side."""
    if not s.war:
        return ()
    held = s.reinforcements[me]
    return tuple(
        [theatre.id for theatre in WARS[s.war].theatres if len(held.get(theatre.id, ())) < MOST_BONUSES]
    )


def _forts(s: State, me: Seat) -> list[Purchase]:
    """5.6.3, 5.6.4."""
    found: list[Purchase] = []
    for space in FORTS:
        if space not in s.flags:
            if may_build(s, me, space):
                found.append(Purchase(BUILD, space))
        elif space in s.damaged:
            if s.flags[space] == me:
                found.append(Purchase(REPAIR, space))
            elif opposing(s, me, space) and besieged(s, me, space):
                found.append(Purchase(SEIZE, space))
    return found


def may_build(s: State, me: Seat, space: str) -> bool:
    """5.6.3: connected to a market, Territory or Squadron that was this side's when the round began."""
    assert s.round is not None
    flags, at_start = s.flags, s.round.at_start
    return me in [flags.get(line) for line in SUPPLIES[space] if at_start.get(line) == me]


def besieged(s: State, me: Seat, space: str) -> bool:
    """5.6.4: connected to a Squadron or a market of this side."""
    return any(
        s.flags.get(line) == me and BOARD[line].kind in ("market", "naval") for line in BOARD[space].lines
    )


def deployments(s: State, me: Seat, space: str) -> list[Purchase]:
    """5.6.6: the Squadrons that may be deployed to a naval space."""
    return [_deployed_from(origin)[space] for origin in _to_deploy(s, me)]


@remembered
def _to_deploy(s: State, me: Seat) -> tuple[str, ...]:
    """5.6.6: from the Navy Box, or from another naval space; each Squadron once in a round."""
    home = [NAVY_BOX] if s.navy[me] > s.sailed.count(f"{NAVY_BOX}/{me}") else []
    return (*home, *[origin for origin in squadrons(s, me) if origin not in s.sailed])
