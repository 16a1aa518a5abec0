"""What decides a theatre, what it brings, and what its conquest points can take (7.1 to 7.4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from msgspec import Struct

from domain.imperial_struggle.components import (
    BOARD,
    BR,
    FORTS,
    FR,
    MEMBERS,
    NAVAL,
    NAVY_BOX,
    OTHER,
    POLITICAL,
    SIDES,
    TERRITORIES,
    USA,
    WAR_TILES,
    WARS,
    Spoils,
    Theatre,
)
from domain.imperial_struggle.facts.wars import TheatreFought
from domain.imperial_struggle.rules.board import (
    harmless,
    held,
    isolated,
    keywords,
    opposing,
    squadrons,
)
from domain.imperial_struggle.rules.remembering import remembered
from domain.imperial_struggle.rules.scoring import EVEN, leader
from domain.imperial_struggle.state import State
from domain.kernel import Picks, Seat
from domain.piles import Cards

BYNG_STRENGTH = 2
DOMINANCE_STRENGTH = 2
DOMINATED = "french_and_indian_war"  # where Atlantic Dominance counts
RESISTANCE = (3, 5)  # what the first and the second refusal of a war give the opponent
MOST_VICTORIES = 2  # Jacobite Victory markers
MOST_CARRIED = 3  # Bonus tiles before the Seven Years War
CARRIED_FROM = "was"
SPANISH_TERRITORIES = ("gibraltar", "minorca", "asiento", "san_agustin")


def theatre_of(s: State, theatre: str) -> Theatre:
    """A theatre of the war that is being fought."""
    return WARS[s.war].theatre(theatre)


def tiles(s: State, me: Seat, theatre: str) -> Cards:
    """The tiles of a side in a theatre: the Basic one, then the Bonus tiles by their ids."""
    return (s.front[me][theatre], *s.reinforcements[me].get(theatre, ()))


def order(s: State) -> tuple[Seat, Seat]:
    """7.1.2: who is closer to an instant win comes first; in the middle, who went first last turn."""
    ahead = s.first if s.vp == EVEN else FR if s.vp > EVEN else BR
    return ahead, OTHER[ahead]


# --------------------------------------------------------------------------- symbols of the tiles


def strikes(s: State, me: Seat, theatre: str) -> Picks:
    """Undamaged opposing Forts and opposing Squadrons in the theatre.

    Atlantic Dominance counts Squadrons of three Regions but lies in Europe alone, and so reaches no further.
    """
    regions = theatre_of(s, theatre).regions
    return tuple(
        space
        for region in regions
        for space in MEMBERS[region]
        if s.flags.get(space) == OTHER[me]
        and (BOARD[space].kind == "naval" or (BOARD[space].kind == "fort" and space not in s.damaged))
    )


@remembered
def losable(s: State, me: Seat, theatre: str) -> Picks:
    """Opposing flags without a Conflict marker; of the markets, if possible, those that isolate no other."""
    found = tuple(
        space
        for region in theatre_of(s, theatre).regions
        for space in MEMBERS[region]
        if BOARD[space].kind in ("political", "market")
        and opposing(s, me, space)
        and space not in s.conflicts
    )
    markets = tuple(space for space in found if BOARD[space].kind == "market")
    safe = harmless(s, markets)
    barred = set(markets) - set(safe) if safe else set()
    return tuple(space for space in found if space not in barred)


# --------------------------------------------------------------------------- strength and spoils


def strength(s: State, me: Seat, theatre: str) -> dict[str, int]:
    """7.1.3: the strength of a side by source; sources that give nothing are left out, save the tiles."""
    face = theatre_of(s, theatre)
    dominates = theatre == DOMINATED and s.dominance == me
    found = {
        "alliances": len(held(s, me, _allies(face))),
        "keywords": sum(keywords(s, me, word) for word in face.keywords),
        "conflicts": len(_troubled(s, OTHER[me], face.conflicts)),
        "squadrons": len(squadrons(s, me, face.squadrons)) if face.squadrons else 0,
        "forts": len(_whole_forts(s, me, face.forts)),
        "byng": BYNG_STRENGTH if me == BR and s.byng == theatre else 0,
        "dominance": DOMINANCE_STRENGTH if dominates else 0,
    }
    army = sum(WAR_TILES[tile].value for tile in tiles(s, me, theatre))
    return {"tiles": army, **{source: points for source, points in found.items() if points}}


def _allies(face: Theatre) -> Picks:
    return tuple(
        space for space in POLITICAL if BOARD[space].alliance and BOARD[space].country in face.alliances
    )


def _troubled(s: State, owner: Seat, regions: Iterable[str]) -> Picks:
    """Spaces of a side with a Conflict marker, which strengthens the other; Spain's strengthen neither."""
    return tuple(
        space for space in s.conflicts if s.flags.get(space) == owner and BOARD[space].region in regions
    )


def _whole_forts(s: State, me: Seat, regions: Iterable[str]) -> Picks:
    return tuple(
        space
        for space in FORTS
        if BOARD[space].region in regions and s.flags.get(space) == me and space not in s.damaged
    )


def outcome(s: State, theatre: str) -> TheatreFought:
    """7.1.4: the stronger side wins by the difference; a tie brings neither side anything."""
    working = {side: strength(s, side, theatre) for side in SIDES}
    br, fr = (sum(working[side].values()) for side in SIDES)
    return TheatreFought(theatre, br, fr, leader(br, fr), abs(br - fr), working)


def spoils(s: State, theatre: str) -> Spoils | None:
    """7.2: the row of a theatre that was fought; None for a tie, or for too small a margin."""
    winner = s.fought[theatre]
    if not winner:
        return None
    rows = [row for row in theatre_of(s, theatre).spoils[winner] if row.margin <= s.margins[theatre]]
    return rows[-1] if rows else None


def conqueror(s: State) -> Seat | None:
    """7.4: who won every theatre of the war in its highest row."""
    fought = WARS[s.war].theatres
    for side in SIDES:
        if all(s.fought[face.id] == side and s.margins[face.id] >= _top(face, side) for face in fought):
            return side
    return None


def _top(face: Theatre, side: Seat) -> int:
    return face.spoils[side][-1].margin


def spent_conflicts(s: State) -> Picks:
    """7.5: the Conflict markers that gave strength; those in empty spaces, or in other Regions, stay."""
    regions = {region for face in WARS[s.war].theatres for region in face.conflicts}
    return tuple(space for side in SIDES for space in _troubled(s, side, regions))


def carried(s: State) -> dict[Seat, int]:
    """7.6: how many Bonus tiles each side will draw for the Seven Years War."""
    if s.war != CARRIED_FROM:
        return dict.fromkeys(SIDES, 0)
    laid = {side: sum(map(len, s.reinforcements[side].values())) for side in SIDES}
    return {side: min(MOST_CARRIED, count) for side, count in laid.items()}


# --------------------------------------------------------------------------- conquest


@remembered
def targets(s: State, me: Seat, theatre: str, points: int) -> Mapping[str, int]:
    """7.2.1: what these conquest points can take, empty spaces included, and what each of it costs."""
    costs = {
        space: 1 + (space in s.huguenots)
        for space in _contested(s.war, theatre)
        if s.flags.get(space) not in (me, USA) and _takeable(s, me, theatre, space)
    }
    return {space: cost for space, cost in costs.items() if cost <= points}


@lru_cache
def _contested(war: str, theatre: str) -> Picks:
    """Where a theatre conquers, by the kind of space and where it lies, in the order of the board."""
    face = WARS[war].theatre(theatre)
    return tuple(
        space.id
        for space in BOARD.values()
        if (space.region in face.regions and space.kind != "political")
        or (space.kind == "territory" and space.id in face.territories)
    )


def _takeable(s: State, me: Seat, theatre: str, space: str) -> bool:
    """Whether what leads to a space allows it."""
    kind = BOARD[space].kind
    if kind == "territory":
        return space not in s.resisted and _reached(s, me, BOARD[space].routes)
    if kind == "fort":
        routes = BOARD[space].routes + BOARD[space].fort_routes
        return not s.options.tougher_forts or _reached(s, me, routes)
    return kind == "market" or bool(fleets(s, me, theatre))


def _reached(s: State, me: Seat, routes: Picks) -> bool:
    """7.2.1.2: a military route leads there from an own space, or none leads there at all."""
    return not routes or any(s.flags.get(space) == me for space in routes)


@remembered
def fleets(s: State, me: Seat, theatre: str) -> Picks:
    """7.2.1.1: from where a Squadron may take a naval space: each does it once in a war."""
    regions = theatre_of(s, theatre).regions
    waiting = s.navy[me] > s.sailed.count(f"{NAVY_BOX}/{me}")
    there = tuple(space for space in squadrons(s, me, regions) if space not in s.sailed)
    return (NAVY_BOX, *there) if waiting else there


def may_resist(s: State, me: Seat, space: str) -> bool:
    """7.2.2: a Territory with this side's own flag, twice in a war."""
    return space in TERRITORIES and s.flags.get(space) == me and s.refused[me] < len(RESISTANCE)


def places_of_squadrons(s: State, me: Seat) -> Picks:
    """Where the built Squadrons of a side are."""
    at_sea = tuple(space for space in NAVAL if s.flags.get(space) == me)
    return (*at_sea, NAVY_BOX) if s.navy[me] else at_sea


# --------------------------------------------------------------------------- USA and Canada


class Independence(Struct, frozen=True):
    """A special award of the American War (7.3): Territories for USA flags, then Forts and markets to lose.

    `forts` are those that France may clear, `markets` the Regions where markets may lose their flags.
    """

    territories: tuple[str, ...]
    forts: tuple[str, ...]
    markets: tuple[str, ...]


INDEPENDENCE = {
    "usa": Independence(
        ("northern_colonies", "carolinas", "san_agustin"),
        tuple(fort for fort in FORTS if BOARD[fort].subregion == "northern_colonies"),
        ("north_america", "caribbean"),
    ),
    "canada": Independence(("quebec_and_montreal",), (), ("north_america",)),
}


def newly_isolated(s: State, award: str, before: Picks) -> Picks:
    """Markets of either side in the Regions of the award that were not isolated `before`."""
    return tuple(
        space
        for space in isolated(s.flags, s.conflicts)
        if space not in before and BOARD[space].region in INDEPENDENCE[award].markets
    )
