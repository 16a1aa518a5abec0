"""Sequences of facts that several steps share, as generators; each returns the table after them.

Steps use them so: `s = yield from add(s, ...)`.
"""

from __future__ import annotations

from collections.abc import Generator

from domain.kernel import Ended, Fact, Seat, Step
from domain.twilight_struggle.components import CIVIL_WAR, MAP, OTHER, SPACE, US, USSR
from domain.twilight_struggle.facts.board import CivilWarEnded, InfluenceSet
from domain.twilight_struggle.facts.cards import CardDiscarded, CardPutAway, ChinaPassed, MarkerEnded
from domain.twilight_struggle.facts.flow import EffectBegan, EffectEnded, HeadlineCancelled
from domain.twilight_struggle.facts.tracks import (
    ContestRolled,
    DefconSet,
    MilitarySet,
    RegionScored,
    ScoreMoved,
    SpaceSet,
)
from domain.twilight_struggle.rules.board import effects, influence
from domain.twilight_struggle.rules.operations import civil_war
from domain.twilight_struggle.rules.registry import CARDS
from domain.twilight_struggle.rules.scoring import MOST, final_winner, score, winner_of_europe
from domain.twilight_struggle.state import State

Deed = Generator[Fact[State] | Step[State], State, State]

# --------------------------------------------------------------------------- influence


def add(s: State, side: Seat, country: str, count: int) -> Deed:
    """A side gains influence."""
    if count > 0:
        s = yield InfluenceSet(side, country, count, influence(s, side, country) + count)
    if country == CIVIL_WAR and influence(s, USSR, CIVIL_WAR) >= 3 and civil_war(s):
        s = yield CivilWarEnded(USSR)
    return s


def remove(s: State, side: Seat, country: str, count: int) -> Deed:
    """A side loses influence, at most as much as it has there."""
    count = min(count, influence(s, side, country))
    if count > 0:
        s = yield InfluenceSet(side, country, -count, influence(s, side, country) - count)
    return s


def clear(s: State, side: Seat, country: str) -> Deed:
    """A side loses all its influence in a country."""
    return (yield from remove(s, side, country, influence(s, side, country)))


def take_control(s: State, side: Seat, country: str) -> Deed:
    """A side gains the influence that it lacks for control; it never loses any."""
    needed = MAP[country].stability + influence(s, OTHER[side], country)
    return (yield from add(s, side, country, needed - influence(s, side, country)))


# --------------------------------------------------------------------------- tracks


def degrade(s: State, by: int = 1) -> Deed:
    """DEFCON falls; at 1 the phasing player has lost, even if the other side moved it (8.1.3)."""
    return (yield from set_defcon(s, max(1, s.defcon - by)))


def improve(s: State, by: int = 1) -> Deed:
    """DEFCON rises, never above 5 (8.1.2)."""
    return (yield from set_defcon(s, min(5, s.defcon + by)))


def set_defcon(s: State, now: int) -> Deed:
    """DEFCON moves to a level."""
    if now != s.defcon:
        s = yield DefconSet(s.defcon, now)
    if s.defcon == 1:
        assert s.phasing is not None
        s = yield Ended(OTHER[s.phasing], "nuclear_war", score(s))
    return s


def gain(s: State, side: Seat, points: int, why: str, *, bounded: bool = True) -> Deed:
    """A side gains victory points; the track ends at 20, except in final scoring (10.2)."""
    if points > 0:
        now = s.vp + (points if side == US else -points)
        s = yield ScoreMoved(side, points, max(-MOST, min(MOST, now)) if bounded else now, why)
    return s


def swing(s: State, net: int, why: str, *, bounded: bool = True) -> Deed:
    """The marker moves by `net`, above 0 for the US (10.2.3)."""
    return (yield from gain(s, US if net > 0 else USSR, abs(net), why, bounded=bounded))


def check_victory(s: State) -> Deed:
    """10.3.1: 20 points win at once, after everything that one event or card scores."""
    if abs(s.vp) >= MOST:
        s = yield Ended(US if s.vp > 0 else USSR, "victory_points", score(s))
    return s


def military(s: State, side: Seat, by: int) -> Deed:
    """8.2: the marker of Military Operations, at most 5."""
    return (yield MilitarySet(side, min(5, s.military[side] + by)))


def advance(s: State, side: Seat, boxes: int, why: str) -> Deed:
    """A marker moves on the Space Race; only the last box scores (6.4.3)."""
    now = min(max(SPACE), s.space[side] + boxes)
    if now == s.space[side]:
        return s
    first = s.space[OTHER[side]] < now
    s = yield SpaceSet(side, now)
    return (yield from gain(s, side, SPACE[now].vp_first if first else SPACE[now].vp_second, why))


def record(s: State, working: RegionScored, *, bounded: bool = True) -> Deed:
    """A region scores; Control of Europe wins the game (10.3.1)."""
    s = yield working
    victor = winner_of_europe(working)
    if victor is not None:
        s = yield Ended(victor, "europe_controlled", score(s))
    return (yield from swing(s, working.net, working.region, bounded=bounded))


def record_contest(
    s: State, card: str, rolls: dict[Seat, int], modifiers: dict[Seat, int]
) -> Generator[Fact[State], State, tuple[State, Seat | None]]:
    """Both sides rolled; returns the table and the side with the higher total (None: a tie)."""
    margin = rolls[US] + modifiers[US] - rolls[USSR] - modifiers[USSR]
    winner = None if margin == 0 else US if margin > 0 else USSR
    s = yield ContestRolled(card, rolls, modifiers, winner)
    return s, winner


def finish(s: State, reason: str) -> Deed:
    """The points decide."""
    return (yield Ended(final_winner(s, s.vp), reason, score(s)))


# --------------------------------------------------------------------------- cards


def put_away(s: State, card: str, *, happened: bool) -> Deed:
    """2.2.4, 2.2.5: a resolved card goes where it belongs; if it has gone elsewhere, it stays there."""
    if all(item.card != card for item in s.playing):
        return s
    face = CARDS[card]
    to = "beside" if happened and face.lasting else "removed" if happened and face.starred else "discards"
    return (yield CardPutAway(card, to))


def discard(s: State, side: Seat, card: str, why: str) -> Deed:
    """A card of a hand is discarded; its event does not happen (5.4)."""
    return (yield CardDiscarded(side, card, why))


def end_marker(s: State, card: str) -> Deed:
    """A card beside the board is no longer in force."""
    if card in s.beside:
        s = yield MarkerEnded(card, "removed" if CARDS[card].starred else "discards")
    return s


def begin_effect(s: State, card: str, side: Seat, region: str = "") -> Deed:
    """Something is in force for the rest of the turn."""
    return (yield EffectBegan(card, side, region))


def end_effect(s: State, card: str, side: Seat, why: str) -> Deed:
    """Something of this turn is no longer in force."""
    if effects(s, card, side):
        s = yield EffectEnded(card, side, why)
    return s


def cancel_headline(s: State, side: Seat) -> Deed:
    """Defectors: a headline that is still to come is discarded."""
    return (yield HeadlineCancelled(side, s.headlines[side]))


def take_china(s: State, to: Seat, *, ready: bool) -> Deed:
    """An event moves the China Card (9.4)."""
    return (yield ChinaPassed(to, ready))


def charge_war(s: State, player: Seat, card: str) -> Deed:
    """Flower Power: 2 points for the USSR when the US plays a war card whose event is not barred.

    They are due when the card is played, before all that it does, so 20 points win right here (10.3.1).
    """
    blocked = any(other in s.beside for other in CARDS[card].barred_by)
    if player == US and CARDS[card].war and "flower_power" in s.beside and not blocked:
        s = yield from gain(s, USSR, 2, "flower_power")
        s = yield from check_victory(s)
    return s
