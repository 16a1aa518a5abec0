"""Questions about the map: influence, control, and which countries fit a description."""

from __future__ import annotations

from msgspec import Struct

from domain.kernel import Picks, Seat
from domain.twilight_struggle.components import BATTLEGROUNDS, MAP, MEMBERS, OTHER, US, USSR, WORLD
from domain.twilight_struggle.state import State


class Where(Struct, frozen=True, gc=False, omit_defaults=True):
    """A description of countries; a country must meet every condition that is given.

    `regions` and `countries`: it lies in one of these, or is one of these.  `outside`: it does not lie there.
    `holding`: that side has influence there.  `not_controlled_by`: that side does not control it.
    `neither`: neither side controls it.  `empty`: neither side has influence there.  `peripheral`: it is not
    a battleground.  `stability`: its stability is at most this (0: any).  `barred`: it is none of these.
    """

    regions: tuple[str, ...] = ()
    countries: tuple[str, ...] = ()
    outside: str = ""
    holding: Seat = ""
    not_controlled_by: Seat = ""
    neither: bool = False
    empty: bool = False
    peripheral: bool = False
    stability: int = 0
    barred: tuple[str, ...] = ()


ANYWHERE = Where()


def fits(s: State, where: Where, country: str) -> bool:
    """Whether a country fits the description now."""
    space = MAP[country]
    if where.regions and not any(space.lies_in(region) for region in where.regions):
        return False
    if where.countries and country not in where.countries:
        return False
    if country in where.barred or (where.outside and space.lies_in(where.outside)):
        return False
    if (where.peripheral and space.battleground) or (where.stability and space.stability > where.stability):
        return False
    return _stands(s, where, country)


def _stands(s: State, where: Where, country: str) -> bool:
    """The part of `fits` that depends on the influence."""
    if where.holding and country not in s.influence[where.holding]:
        return False
    if where.not_controlled_by and controls(s, where.not_controlled_by, country):
        return False
    if where.neither and controller(s, country) is not None:
        return False
    return not where.empty or (country not in s.influence[US] and country not in s.influence[USSR])


def matching(s: State, where: Where) -> Picks:
    """The countries that fit, in the order of the map."""
    if where.countries:
        among = where.countries
    elif where.holding:
        among = tuple(country for country in s.influence[where.holding] if country in MAP)
    elif len(where.regions) == 1:
        among = MEMBERS[where.regions[0]]
    else:
        among = MEMBERS[WORLD]
    return tuple(country for country in among if fits(s, where, country))


def influence(s: State, side: Seat, country: str) -> int:
    """How much influence a side has there."""
    return s.influence[side].get(country, 0)


def controls(s: State, side: Seat, country: str) -> bool:
    """2.1.7: influence of at least the stability, and as much more than the opponent's."""
    own = s.influence[side].get(country, 0)
    stability = MAP[country].stability
    return own >= stability and own - s.influence[OTHER[side]].get(country, 0) >= stability


def controller(s: State, country: str) -> Seat | None:
    """The side that controls a country (2.1.7); None if neither does."""
    us, ussr = s.influence[US].get(country, 0), s.influence[USSR].get(country, 0)
    if abs(us - ussr) < MAP[country].stability:
        return None
    return US if us > ussr else USSR


def controlled(s: State, side: Seat, among: tuple[str, ...]) -> tuple[str, ...]:
    """Those countries that a side controls."""
    return tuple(country for country in among if controls(s, side, country))


def controlled_battlegrounds(s: State, side: Seat, region: str = WORLD) -> int:
    """How many battlegrounds of a region a side controls."""
    return len(controlled(s, side, BATTLEGROUNDS[region]))


def controlled_neighbours(s: State, side: Seat, country: str) -> int:
    """How many countries next to this one a side controls."""
    return sum(controls(s, side, neighbour) for neighbour in MAP[country].neighbours)


def touches(side: Seat, country: str) -> bool:
    """Whether the country lies next to that side's superpower (2.1.5)."""
    return MAP[country].superpower == side


def in_force(s: State, card: str) -> bool:
    """Whether a card lies beside the board."""
    return card in s.beside


def effects(s: State, card: str, seat: Seat) -> int:
    """How often an effect of this turn is in force for a seat."""
    if not s.effects:
        return 0
    return sum(item.card == card and item.seat == seat for item in s.effects)
