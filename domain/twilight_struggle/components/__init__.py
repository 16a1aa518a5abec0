"""The map, the regions and the Space Race of Twilight Struggle.  The cards stand in `cards`.

The data stands in the JSON files beside this module; names and sentences stand in `texts.<language>.toml`.
`MAP` holds the 84 countries; `SPACES` also holds the box of the Chinese Civil War, which is not a country.
"""

from __future__ import annotations

import importlib.resources
from typing import Any

import msgspec
from msgspec import Struct

US, USSR = "us", "ussr"
SIDES = (US, USSR)
OTHER = {US: USSR, USSR: US}

CIVIL_WAR = "chinese_civil_war"
WORLD = "world"
SUBREGIONS = {"europe": ("western_europe", "eastern_europe"), "asia": ("southeast_asia",)}
SOUTHEAST_ASIA_POINTS = {
    "burma": 1,
    "laos_cambodia": 1,
    "vietnam": 1,
    "malaysia": 1,
    "indonesia": 1,
    "philippines": 1,
    "thailand": 2,
}


class Country(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A space of the map; `superpower` is the superpower that it lies beside, if any."""

    id: str
    region: str
    stability: int
    neighbours: tuple[str, ...]
    subregions: tuple[str, ...] = ()
    battleground: bool = False
    superpower: str | None = None

    def lies_in(self, region: str) -> bool:
        """Whether the country belongs to a region or a part of one."""
        return region == self.region or region in self.subregions or region == WORLD


class Region(Struct, frozen=True, forbid_unknown_fields=True):
    """What a region scores, in VP; `control` is None if Control wins the game."""

    presence: int
    domination: int
    control: int | None


class Box(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A box of the Space Race: what it needs (`min_ops`, a roll of at most `success`) and what it gives."""

    box: int
    min_ops: int
    success: int
    vp_first: int
    vp_second: int
    ability: str | None = None


def _read(name: str, kind: Any) -> Any:
    return msgspec.json.decode((importlib.resources.files(__name__) / name).read_bytes(), type=kind)


MAP: dict[str, Country] = {country.id: country for country in _read("countries.json", tuple[Country, ...])}
SPACES: dict[str, Country] = {**MAP, CIVIL_WAR: Country(CIVIL_WAR, "asia", 3, (), (), False, USSR)}
REGIONS: dict[str, Region] = _read("regions.json", dict[str, Region])
SPACE: dict[int, Box] = {box.box: box for box in _read("space.json", tuple[Box, ...])}
SETUP: dict[str, dict[str, dict[str, int]]] = _read("setup.json", dict[str, dict[str, dict[str, int]]])
MEMBERS: dict[str, tuple[str, ...]] = {
    region: tuple(id for id, country in MAP.items() if country.lies_in(region))
    for region in (*REGIONS, "western_europe", "eastern_europe", "southeast_asia", WORLD)
}
BATTLEGROUNDS: dict[str, tuple[str, ...]] = {
    region: tuple(id for id in members if MAP[id].battleground) for region, members in MEMBERS.items()
}
"""The countries, and the battlegrounds, of every region, of every part of one, and of the world."""
BESIDE: dict[str, tuple[str, ...]] = {
    side: tuple(id for id, country in SPACES.items() if country.superpower == side) for side in SIDES
}
"""The spaces next to each superpower."""
AROUND: dict[str, frozenset[str]] = {id: frozenset((id, *SPACES[id].neighbours)) for id in SPACES}
"""Each space with its neighbours."""
