"""The words of the table: superpowers, zones, colours, territories.

A *seat* is a player's chair and keeps its name for a whole campaign.  A *side* is the superpower that the
player has in the current battle.  All that lies on the table belongs to a side; `State.seats` says which seat
plays it.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

Side = str
Zone = str
Cubes = int | Literal["?"]  # a number, or one that this viewer does not know

US, USSR, UN = "us", "ussr", "un"
SIDES: tuple[Side, Side] = (US, USSR)
OPPONENT = {US: USSR, USSR: US}
ALIGNMENTS = (US, USSR, UN)

NEUTRAL = "neutral"
SPHERE = {US: "us_sphere", USSR: "ussr_sphere"}
ZONES: tuple[Zone, ...] = (SPHERE[US], NEUTRAL, SPHERE[USSR])  # one line on the table, from side to side

MILITARY = "military"
COLOURS = (MILITARY, "political", "world_opinion")  # the three kinds of DEFCON symbol

CUBA = "cuba"
CUBES = 13  # of each side
CARDS = 13
HAND = 2
WAR_SYMBOLS = 3  # of one colour in one sphere
CAMPAIGN_TARGET = 13  # VP


class Territory(Struct, frozen=True, omit_defaults=True):
    """A card on the table: where it lies, and how many cubes of each side lie on it."""

    zone: Zone
    us: int = 0
    ussr: int = 0

    def cubes(self, side: Side) -> int:
        """How many cubes of `side` lie here."""
        return self.us if side == US else self.ussr

    def with_cubes(self, side: Side, now: int) -> Territory:
        """The same territory with `now` cubes of `side`."""
        return replace(self, us=now) if side == US else replace(self, ussr=now)
