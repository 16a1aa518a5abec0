"""The board, the tiles, the ministries and the wars of Imperial Struggle.  The events stand in `events`.

The data stands in the JSON files beside this module; names and sentences stand in `texts.<language>.toml`.
"""

from __future__ import annotations

import importlib.resources
from collections.abc import Callable
from typing import Any, Literal

import msgspec
from msgspec import Struct

BR, FR = "br", "fr"
SIDES = (BR, FR)
OTHER = {BR: FR, FR: BR}
SPAIN, USA = "spain", "usa"  # whose flags may stand on the board besides (10.0, 12.1)
REGIONS = ("north_america", "europe", "caribbean", "india")
ECONOMIC, DIPLOMATIC, MILITARY = "economic", "diplomatic", "military"
TYPES = (ECONOMIC, DIPLOMATIC, MILITARY)
NAVY_BOX, UNBUILT, TURN_TRACK, GONE = "navy_box", "unbuilt", "turn_track", "removed"
LAST_TURN = 6
MOST_SQUADRONS = 8
ERAS = {
    1: "succession",
    2: "succession",
    3: "empire",
    4: "empire",
    5: "revolution",
    6: "revolution",
}


class Space(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A space of the board.

    `cost` is printed in points of its kind (a naval space has none); `opens` is the turn from which it may be
    used; `flag` is its owner at the start.  `lines` are connections; `routes` are military routes, and
    `fort_routes` those that only option `tougher_forts` opens.
    """

    id: str
    kind: Literal["political", "market", "territory", "naval", "fort"]
    region: str
    subregion: str = ""
    cost: int = 0
    good: str = ""
    country: str = ""
    prestige: bool = False
    alliance: bool = False
    local: bool = False
    opens: int = 0
    flag: str = ""
    spanish: bool = False
    lines: tuple[str, ...] = ()
    routes: tuple[str, ...] = ()
    fort_routes: tuple[str, ...] = ()


class Where(Struct, frozen=True, gc=False, omit_defaults=True, cache_hash=True):
    """A description of spaces; a space must meet every condition that is given.

    `owner`: that side has its flag there.  `near_own`: it is connected to a market of the acting side.
    `ordinary`: it is no prestige space.  `unprotected`: no Squadron and no undamaged Fort of its owner is
    connected to it.
    """

    kinds: tuple[str, ...] = ()
    regions: tuple[str, ...] = ()
    subregions: tuple[str, ...] = ()
    countries: tuple[str, ...] = ()
    spaces: tuple[str, ...] = ()
    goods: tuple[str, ...] = ()
    not_countries: tuple[str, ...] = ()
    owner: str = ""
    alliance: bool = False
    local: bool = False
    ordinary: bool = False
    near_own: bool = False
    unprotected: bool = False


class Advantage(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """An advantage tile: who flags all of `spaces` holds it.

    `does`: "debt" (reduce by `points`), "fixed" (remove a flag for `points`), "discount" (one point less for
    that), "conflict" (place a marker), "squadron" (send one home for `points`), "construct" (for `points`).
    """

    id: str
    region: str
    spaces: tuple[str, ...]
    does: Literal["debt", "fixed", "discount", "conflict", "squadron", "construct"]
    where: Where = Where()
    points: int = 0
    type: str = ""


class Investment(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """An investment tile; the Minor action always has 2 points."""

    id: str
    major: str
    points: int
    minor: str
    event: bool = False
    upgrade: bool = False


class Award(Struct, frozen=True, forbid_unknown_fields=True):
    """An award tile; the winner must be `lead` spaces ahead."""

    id: str
    vp: int
    treaty_points: int
    lead: int


class Reward(Struct, frozen=True, forbid_unknown_fields=True):
    """What a good in demand brings; `debt` may be below 0."""

    vp: int
    debt: int
    treaty_points: int


class Ministry(Struct, frozen=True, forbid_unknown_fields=True):
    """A ministry card; what it does stands in `ministries`."""

    id: str
    number: int
    side: str
    eras: tuple[str, ...]
    keywords: tuple[str, ...]


class WarTile(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A war tile; a Bonus tile belongs to a `war`, a Basic tile to none."""

    id: str
    side: str
    value: int
    symbol: Literal["", "debt", "strike", "unflag"] = ""
    war: str = ""


class Spoils(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a win by at least `margin` brings.

    To the winner: `vp`, conquest points (`cp`), a flag to remove (`unflag`), or a special award.  To the
    loser: `treaty_points`, and Squadrons to take apart (`unbuilt`) or to lose for ever (`removed`).
    """

    margin: int
    vp: int = 0
    cp: int = 0
    unflag: Where | None = None
    treaty_points: int = 0
    unbuilt: int = 0
    removed: int = 0
    dominance: bool = False
    jacobite_victory: bool = False
    uprisings: bool = False
    jacobite_defeat: bool = False
    usa: bool = False
    canada: bool = False


class Theatre(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A theatre: where it lies, what adds strength there, what it brings, where else it conquers.

    `conflicts`, `forts` and `squadrons` are the regions in which these count.
    """

    id: str
    regions: tuple[str, ...]
    spoils: dict[str, tuple[Spoils, ...]]
    alliances: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    forts: tuple[str, ...] = ()
    squadrons: tuple[str, ...] = ()
    territories: tuple[str, ...] = ()


class War(Struct, frozen=True, forbid_unknown_fields=True):
    """A war, fought after a peace turn."""

    id: str
    number: int
    turn: int
    theatres: tuple[Theatre, ...]

    def theatre(self, id: str) -> Theatre:
        """One of its theatres."""
        return next(theatre for theatre in self.theatres if theatre.id == id)


def _read(name: str, kind: Any) -> Any:
    return msgspec.json.decode((importlib.resources.files(__name__) / name).read_bytes(), type=kind)


def _spaces(fits: Callable[[Space], bool]) -> tuple[str, ...]:
    return tuple(id for id, space in BOARD.items() if fits(space))


BOARD: dict[str, Space] = {space.id: space for space in _read("spaces.json", tuple[Space, ...])}
ADVANTAGES: dict[str, Advantage] = {tile.id: tile for tile in _read("advantages.json", tuple[Advantage, ...])}
INVESTMENTS: dict[str, Investment] = {
    tile.id: tile for tile in _read("investments.json", tuple[Investment, ...])
}
AWARDS: dict[str, Award] = {tile.id: tile for tile in _read("awards.json", tuple[Award, ...])}
DEMAND: dict[str, dict[str, Reward]] = _read("demand.json", dict[str, dict[str, Reward]])
GOODS: tuple[str, ...] = tuple(DEMAND["succession"])
"""The goods, from the top of the table of Global Demand to its bottom."""
MINISTRIES: dict[str, Ministry] = {card.id: card for card in _read("ministries.json", tuple[Ministry, ...])}
WAR_TILES: dict[str, WarTile] = {tile.id: tile for tile in _read("war_tiles.json", tuple[WarTile, ...])}
WARS: dict[str, War] = {war.id: war for war in _read("wars.json", tuple[War, ...])}
WAR_AFTER: dict[int, str] = {war.turn: war.id for war in WARS.values()}

MEMBERS: dict[str, tuple[str, ...]] = {
    region: tuple(id for id, space in BOARD.items() if space.region == region) for region in REGIONS
}
MARKETS: tuple[str, ...] = _spaces(lambda space: space.kind == "market")
POLITICAL: tuple[str, ...] = _spaces(lambda space: space.kind == "political")
NAVAL: tuple[str, ...] = _spaces(lambda space: space.kind == "naval")
FORTS: tuple[str, ...] = _spaces(lambda space: space.kind == "fort")
TERRITORIES: tuple[str, ...] = _spaces(lambda space: space.kind == "territory")
PRESTIGE: tuple[str, ...] = _spaces(lambda space: space.prestige)
MARKETS_IN: dict[str, tuple[str, ...]] = {
    region: tuple(id for id in MARKETS if BOARD[id].region == region) for region in REGIONS
}
MARKETS_OF: dict[str, tuple[str, ...]] = {
    good: tuple(id for id in MARKETS if BOARD[id].good == good) for good in GOODS
}
COUNTRIES: dict[str, tuple[str, ...]] = {
    country: tuple(id for id in POLITICAL if BOARD[id].country == country)
    for country in dict.fromkeys(BOARD[id].country for id in POLITICAL)
    if country
}


def _lines(*kinds: str) -> dict[str, tuple[str, ...]]:
    """The spaces of these kinds that each space is connected to."""
    return {
        id: tuple(line for line in space.lines if BOARD[line].kind in kinds) for id, space in BOARD.items()
    }


BASES: tuple[str, ...] = _spaces(lambda space: space.kind in ("territory", "fort", "naval"))
"""What connects markets (5.4.1)."""
GUARDS = _lines("fort", "naval")
"""What may protect each space (3.2.8)."""
TRADE = _lines("market")
"""The markets that each space is connected to."""
SUPPLIES = _lines("market", "territory", "naval")
"""What a Fort may be built from (5.6.3)."""
LINKED: dict[str, tuple[str, ...]] = {
    space: tuple(tile.id for tile in ADVANTAGES.values() if space in tile.spaces) for space in BOARD
}
"""The advantages that need each space."""
