"""DEFCON, victory points, Military Operations and the Space Race."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from domain.kernel import Fact, Seat
from domain.twilight_struggle.state import State


class DefconSet(Fact[State], frozen=True):
    """DEFCON stands at `now`; `was` is where it stood."""

    was: int
    now: int

    def marks(self) -> tuple[tuple[str, int], ...]:
        return (("defcon", self.was), ("defcon", self.now))

    def apply(self, s: State) -> State:
        return replace(s, defcon=self.now, reached_two=s.reached_two or self.now == 2)


class ScoreMoved(Fact[State], frozen=True):
    """`seat` gains `points`; the marker stands at `now` (above 0 for the US).  `why`: a card or a reason."""

    seat: Seat
    points: int
    now: int
    why: str

    def marks(self) -> tuple[tuple[str, int], ...]:
        return (("vp", self.now),)

    def apply(self, s: State) -> State:
        return replace(s, vp=self.now)


class MilitarySet(Fact[State], frozen=True):
    """The marker of a side's Military Operations stands at `now`."""

    side: Seat
    now: int

    def marks(self) -> tuple[tuple[str, int], ...]:
        return ((f"military/{self.side}", self.now),)

    def apply(self, s: State) -> State:
        return replace(s, military={**s.military, self.side: self.now})


class MilitaryChecked(Fact[State], frozen=True):
    """At the end of the turn: how much each side fell short of the required Military Operations."""

    required: int
    short: dict[Seat, int]

    def marks(self) -> tuple[tuple[str, int], ...]:
        return (("military/us", 0), ("military/ussr", 0))

    def apply(self, s: State) -> State:
        return replace(s, military={"us": 0, "ussr": 0})


class SpaceRolled(Fact[State], frozen=True):
    """An attempt at a box of the Space Race: a `roll` of at most `need` succeeds."""

    seat: Seat
    card: str
    box: int
    roll: int
    need: int

    def apply(self, s: State) -> State:
        return replace(s, spaced={**s.spaced, self.seat: s.spaced[self.seat] + 1})


class SpaceDeclined(Fact[State], frozen=True):
    """A card was spent on the Space Race without a roll (an optional rule)."""

    seat: Seat
    card: str

    def apply(self, s: State) -> State:
        return replace(s, spaced={**s.spaced, self.seat: s.spaced[self.seat] + 1})


class SpaceSet(Fact[State], frozen=True):
    """The marker of a side stands in box `now` of the Space Race."""

    turning = True
    side: Seat
    now: int

    def marks(self) -> tuple[tuple[str, int], ...]:
        return ((f"space/{self.side}", self.now),)

    def apply(self, s: State) -> State:
        return replace(s, space={**s.space, self.side: self.now})


class Tally(Struct, frozen=True, gc=False, omit_defaults=True):
    """The working of one side in a scoring.

    `status`: none, presence, domination or control.  `countries` are those it controls, `battlegrounds` those
    among them that count as such, `adjacent` those next to the enemy superpower; `points` are the victory
    points for all of this.
    """

    status: str
    points: int
    countries: tuple[str, ...] = ()
    battlegrounds: tuple[str, ...] = ()
    adjacent: tuple[str, ...] = ()


class RegionScored(Fact[State], frozen=True):
    """A region was scored, with the working of both sides; `net` is above 0 for the US."""

    turning = True
    region: str
    us: Tally
    ussr: Tally
    net: int


class CountryLeftOut(Fact[State], frozen=True):
    """Shuttle Diplomacy: this battleground is not counted for the USSR ("" if it controls none)."""

    country: str


class ArmsCompared(Fact[State], frozen=True):
    """Arms Race: the Military Operations of both sides."""

    seat: Seat
    military: dict[Seat, int]
    required: int


class ContestRolled(Fact[State], frozen=True):
    """Both sides rolled (Olympic Games, Summit); `modifiers` are added.  `winner` None: a tie."""

    card: str
    rolls: dict[Seat, int]
    modifiers: dict[Seat, int]
    winner: Seat | None
