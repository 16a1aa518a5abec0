"""The value of Operations, their costs and their reach (books 000 and 003, section 6)."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from domain.kernel import Picks, Seat
from domain.twilight_struggle.components import AROUND, BESIDE, CIVIL_WAR, MAP, OTHER, SPACE, SPACES, US, USSR
from domain.twilight_struggle.rules.board import (
    ANYWHERE,
    Where,
    controls,
    effects,
    fits,
    in_force,
    touches,
)
from domain.twilight_struggle.state import State

INFLUENCE, COUP, REALIGN, SPACE_RACE = "influence", "coup", "realign", "space"
KINDS = (INFLUENCE, COUP, REALIGN)
SCOPES = ("southeast_asia", "asia", "world")
CHINA = "china_card"
SCOPE_OF = {
    id: 0 if space.lies_in("southeast_asia") else 1 if space.region == "asia" else 2
    for id, space in SPACES.items()
}
CHANGES = {"containment": 1, "brezhnev_doctrine": 1, "red_scare_purge": -1}  # of every card's value
LOCKED = {5: (), 4: ("europe",), 3: ("europe", "asia"), 2: ("europe", "asia", "middle_east"), 1: ()}


class Ops(Struct, frozen=True, gc=False, omit_defaults=True):
    """Operations that a side conducts.

    `card` names them; `printed` is their value before all modifiers, which count unless `plain`.  `free`
    Coups and realignments ignore the geography of DEFCON and bring no Military Operations (6.3.5, 8.2.5).
    `granted`: an event gives them.  `where`: they may be used only there.
    """

    card: str
    printed: int
    plain: bool = False
    free: bool = False
    granted: bool = False
    where: Where = ANYWHERE


def value(s: State, seat: Seat, ops: Ops, scope: str = "world") -> int:
    """7.4: how many points, if all of them are spent within `scope` ("": where they are worth most).

    Containment and Brezhnev Doctrine raise the value to 4 at most, Red Scare/Purge lowers it; then the China
    Card and Vietnam Revolts add theirs in their regions; the sum is at least 1.
    """
    if ops.plain or not (s.effects or ops.card == CHINA):
        return ops.printed
    changed = sum([CHANGES.get(item.card, 0) for item in s.effects if item.seat == seat])
    points = min(4, ops.printed + changed)
    if ops.card == CHINA and scope != "world":
        points += 1
    if scope in ("", SCOPES[0]):
        points += effects(s, "vietnam_revolts", seat)
    return max(1, points)


def narrowed(scope: str, country: str) -> str:
    """The narrowest scope that holds `scope` ("": nothing yet) and a country."""
    return SCOPES[max(SCOPES.index(scope) if scope else 0, SCOPE_OF[country])]


# --------------------------------------------------------------------------- influence


def reach(s: State, seat: Seat) -> set[str]:
    """6.1.1: where the side had influence when the round began, next to it, and next to the superpower."""
    near = set(BESIDE[seat]).union(*[AROUND[country] for country in s.at_start[seat]])
    if not civil_war(s):
        near.discard(CIVIL_WAR)
    return near


def civil_war(s: State) -> bool:
    """Whether the box of the Chinese Civil War is open (book 003, 12)."""
    return s.options.chinese_civil_war and s.china is None


def cost(s: State, seat: Seat, country: str) -> int:
    """6.1.2: 2 points in a country that the enemy controls, else 1."""
    return 2 if country != CIVIL_WAR and controls(s, OTHER[seat], country) else 1


def placeable(s: State, seat: Seat, ops: Ops, spent: int = 0, scope: str = "", barred: Picks = ()) -> Picks:
    """Where the next point of influence may go."""
    return tuple(_places(s, seat, ops, spent, scope, barred))


def _places(s: State, seat: Seat, ops: Ops, spent: int, scope: str, barred: Picks) -> Iterator[str]:
    left = [value(s, seat, ops, wide) - spent for wide in SCOPES]
    closed = [item.region for item in s.effects if item.card == "chernobyl"] if seat == USSR else []
    at, near = SCOPES.index(scope) if scope else 0, reach(s, seat)
    if left[0] == left[2] > 1 and not closed and not barred:
        return (country for country in SPACES if country in near)
    return (
        country
        for country, space in SPACES.items()
        if country in near
        and (points := left[max(at, SCOPE_OF[country])]) > 0
        and (points > 1 or cost(s, seat, country) == 1)
        and country not in barred
        and not any(space.lies_in(region) for region in closed)
    )


# --------------------------------------------------------------------------- Coups and realignments


def protected(s: State, seat: Seat, country: str, kind: str) -> bool:
    """Whether an event keeps `seat` from a Coup or a realignment there."""
    if seat != USSR:
        return False
    if country == "japan" and in_force(s, "us_japan_mutual_defense_pact"):
        return True
    if MAP[country].region != "europe":
        return False
    return (kind == COUP and in_force(s, "the_reformer")) or under_nato(s, country)


def under_nato(s: State, country: str) -> bool:
    """NATO: US-controlled Europe, except France after De Gaulle and West Germany under Willy Brandt."""
    if not in_force(s, "nato") or MAP[country].region != "europe" or not controls(s, US, country):
        return False
    if country == "france" and in_force(s, "de_gaulle_leads_france"):
        return False
    return not (country == "west_germany" and in_force(s, "willy_brandt"))


def targets(s: State, seat: Seat, ops: Ops, kind: str) -> Picks:
    """Where a Coup or a realignment may be attempted."""
    return tuple(_targets(s, seat, ops, kind))


def _targets(s: State, seat: Seat, ops: Ops, kind: str) -> Iterator[str]:
    everywhere = ops.free or (kind == REALIGN and s.options.realignment_ignores_defcon)
    locked = () if everywhere else LOCKED[s.defcon]
    enemy = s.influence[OTHER[seat]]
    return (
        country
        for country in MAP
        if country in enemy
        and MAP[country].region not in locked
        and (ops.where is ANYWHERE or fits(s, ops.where, country))
        and not protected(s, seat, country, kind)
    )


def coup_modifier(s: State, seat: Seat, country: str) -> int:
    """What is added to the die: SALT Negotiations, Latin American Death Squads."""
    modifier = -effects(s, "salt_negotiations", US) - effects(s, "salt_negotiations", USSR)
    if MAP[country].region in ("central_america", "south_america"):
        squads = "latin_american_death_squads"
        modifier += effects(s, squads, seat) - effects(s, squads, OTHER[seat])
    return modifier


def lowers_defcon(s: State, seat: Seat, country: str) -> bool:
    """A Coup in a battleground lowers DEFCON, except one of the US under Nuclear Subs."""
    return MAP[country].battleground and not (seat == US and effects(s, "nuclear_subs", US) > 0)


def realignment_modifier(s: State, side: Seat, country: str) -> int:
    """6.2.2: adjacent controlled countries, more influence there, the side's own superpower next to it."""
    modifier = sum(controls(s, side, neighbour) for neighbour in MAP[country].neighbours)
    modifier += s.influence[side].get(country, 0) > s.influence[OTHER[side]].get(country, 0)
    modifier += touches(side, country)
    return modifier - (effects(s, "iran_contra_scandal", US) if side == US else 0)


def crisis(s: State, seat: Seat) -> bool:
    """Whether the Cuban Missile Crisis forbids this seat a Coup."""
    return effects(s, "cuban_missile_crisis", seat) > 0


def ransoms(s: State, seat: Seat) -> Picks:
    """The countries where `seat` can pay 2 influence to end the Cuban Missile Crisis for itself."""
    if not crisis(s, seat):
        return ()
    places = ("cuba",) if seat == USSR else ("west_germany", "turkey")
    return tuple(country for country in places if s.influence[seat].get(country, 0) >= 2)


def kinds(s: State, seat: Seat, ops: Ops, among: tuple[str, ...] = KINDS) -> Picks:
    """Which kinds of Operations are possible."""
    return tuple(kind for kind in among if _possible(s, seat, ops, kind))


def _possible(s: State, seat: Seat, ops: Ops, kind: str) -> bool:
    if kind == SPACE_RACE:
        return may_space(s, seat, ops)
    found = _places(s, seat, ops, 0, "", ()) if kind == INFLUENCE else _targets(s, seat, ops, kind)
    return next(found, None) is not None


# --------------------------------------------------------------------------- the Space Race


def holds_box(s: State, seat: Seat, box: int) -> bool:
    """6.4.4: the first side in a box has its ability, until the other side reaches it."""
    return s.space[seat] >= box > s.space[OTHER[seat]]


def may_space(s: State, seat: Seat, ops: Ops) -> bool:
    """6.4: one card a turn (two with box 2), whose modified value meets the next box."""
    box = SPACE.get(s.space[seat] + 1)
    if box is None or s.spaced[seat] >= (2 if holds_box(s, seat, 2) else 1):
        return False
    return value(s, seat, ops) >= box.min_ops


def grant(
    s: State, card: str, printed: int, *, own_value: bool = True, free: bool = False, where: Where = ANYWHERE
) -> Ops:
    """Operations that an event gives; `own_value`: "with the value of this card".

    Modifiers count (7.4.3), except for a fixed number in the 2nd edition (FAQ 4.2), and except under the
    option `event_ops_modified=false`.
    """
    modified = s.options.event_ops_modified and (own_value or s.edition == "deluxe")
    return Ops(card, printed, plain=not modified, free=free, granted=True, where=where)
