"""Twilight Struggle: what influence in a country is worth, in victory points, as rules of thumb.

A country counts in full for the side that controls it, and in part for the side that is on its way.
"""

from __future__ import annotations

from functools import lru_cache

from domain.kernel import Seat
from domain.twilight_struggle.components import MAP, OTHER, SPACES
from domain.twilight_struggle.rules.operations import (
    Ops,
    cost,
    coup_modifier,
    crisis,
    lowers_defcon,
    realignment_modifier,
    value,
)
from domain.twilight_struggle.state import State

BATTLEGROUND = {
    "europe": 3.6,
    "asia": 3.2,
    "middle_east": 2.8,
    "central_america": 2.4,
    "south_america": 2.6,
    "africa": 2.4,
}
OTHERS = 0.7  # a country that is no battleground: it counts for Domination
THIRD_WORLD = ("central_america", "south_america", "africa")
EARLY = 0.5  # what those count before their scoring cards join the deck
ON_THE_WAY = 0.45  # the part that counts at one point less than control
CUSHION = 0.12  # what each of the first points beyond control adds: they guard it
CUSHIONS = 2
DICE = range(1, 7)
DIFFERENCES = {by: 6 - abs(by) for by in range(-5, 6)}  # of two dice, with the ways to throw each
REMEMBERED = 16_384  # values of each kind: playouts ask for the same ones again and again
LOST = 1_000.0  # far more than a country


@lru_cache
def weight(country: str, early: bool) -> float:
    """What control of a country is worth."""
    space = SPACES[country]
    worth = BATTLEGROUND[space.region] if space.battleground else OTHERS
    if country == "thailand" or (space.lies_in("southeast_asia") and not space.battleground):
        worth += 0.3
    return worth * (EARLY if early and space.region in THIRD_WORLD else 1.0)


@lru_cache(1_024)
def held(margin: int, stability: int) -> float:
    """How far a side with so much more influence controls a country: from -1.2 to 1.2."""
    if margin < 0:
        return -held(-margin, stability)
    if margin >= stability:
        return 1 + CUSHION * min(CUSHIONS, margin - stability)
    return ON_THE_WAY * margin / stability


def change(s: State, me: Seat, country: str, mine: int, theirs: int) -> float:
    """What it is worth to `me` if both sides' influence in a country changes by so much."""
    own, other = s.influence[me].get(country, 0), s.influence[OTHER[me]].get(country, 0)
    return _change(country, own, other, mine, theirs, s.turn < 4)


@lru_cache(REMEMBERED)
def _change(country: str, own: int, other: int, mine: int, theirs: int, early: bool) -> float:
    stability = SPACES[country].stability
    after = held(max(0, own + mine) - max(0, other + theirs), stability)
    presence = 0.1 * ((own + mine > 0) - (own > 0))
    return weight(country, early) * (after - held(own - other, stability)) + presence


def best_rate(s: State, me: Seat, country: str, points: int) -> float:
    """What a point of Operations brings at best, if up to `points` of them are spent in a country."""
    own, other = s.influence[me].get(country, 0), s.influence[OTHER[me]].get(country, 0)
    return _best_rate(country, own, other, points, cost(s, me, country), s.turn < 4)


@lru_cache(REMEMBERED)
def _best_rate(country: str, own: int, other: int, points: int, price: int, early: bool) -> float:
    most = min(points // price, SPACES[country].stability + 2)
    rates = (_change(country, own, other, add, 0, early) / (add * price) for add in range(1, most + 1))
    return max(rates, default=-1.0)


def coup_value(s: State, me: Seat, country: str, ops: Ops) -> float:
    """The mean over the die of what a Coup brings.

    At DEFCON 2 a Coup in a battleground starts the nuclear war, which the phasing player loses.
    """
    if crisis(s, me):
        return -LOST
    if s.defcon == 2 and lowers_defcon(s, me, country):
        return war_value(s, me)
    points = value(s, me, ops) + coup_modifier(s, me, country) - 2 * MAP[country].stability
    own, theirs = s.influence[me].get(country, 0), s.influence[OTHER[me]].get(country, 0)
    return _coup_value(country, own, theirs, points, s.turn < 4)


@lru_cache(REMEMBERED)
def _coup_value(country: str, own: int, theirs: int, points: int, early: bool) -> float:
    swings = [max(0, roll + points) for roll in DICE]
    found = (_change(country, own, theirs, max(0, by - theirs), -min(by, theirs), early) for by in swings)
    return sum(found) / len(swings)


def realign_value(s: State, me: Seat, country: str) -> float:
    """One realignment roll: the mean over both dice of what it changes."""
    other = OTHER[me]
    modifier = realignment_modifier(s, me, country) - realignment_modifier(s, other, country)
    own, theirs = s.influence[me].get(country, 0), s.influence[other].get(country, 0)
    return _realign_value(country, own, theirs, modifier, s.turn < 4)


@lru_cache(REMEMBERED)
def _realign_value(country: str, own: int, theirs: int, modifier: int, early: bool) -> float:
    total = 0.0
    for difference, ways in DIFFERENCES.items():
        by = difference + modifier
        total += ways * _change(country, own, theirs, min(0, by), -max(0, by), early)
    return total / 36


def war_value(s: State, me: Seat) -> float:
    """What DEFCON 1 is worth now: the phasing player loses, who in a headline is its owner."""
    return -LOST if s.phasing == me else LOST


def needed(s: State, me: Seat) -> int:
    """How many Military Operations the side is short of."""
    return max(0, s.defcon - s.military[me])
