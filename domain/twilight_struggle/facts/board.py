"""Influence, Coups, realignments and wars."""

from __future__ import annotations

from msgspec.structs import replace

from domain.kernel import Fact, Seat
from domain.twilight_struggle.state import State


class InfluenceSet(Fact[State], frozen=True):
    """A side has `now` influence in a country, `by` more than before (less if negative)."""

    side: Seat
    country: str
    by: int
    now: int

    def apply(self, s: State) -> State:
        held = dict(s.influence[self.side])
        if self.now:
            held[self.country] = self.now
        else:
            held.pop(self.country, None)
        return replace(s, influence={**s.influence, self.side: held})


class CoupRolled(Fact[State], frozen=True):
    """A Coup: `roll` + `ops` + `modifier` - 2 x `stability` = `net`; it succeeds above 0."""

    seat: Seat
    country: str
    roll: int
    ops: int
    modifier: int
    stability: int
    net: int


class RealignmentRolled(Fact[State], frozen=True):
    """Both sides rolled; `modifiers` are added to `rolls`, and the lower total loses the difference."""

    seat: Seat
    country: str
    rolls: dict[Seat, int]
    modifiers: dict[Seat, int]


class WarRolled(Fact[State], frozen=True):
    """A war: `roll` - `minus` must reach `need`."""

    seat: Seat
    card: str
    country: str
    roll: int
    minus: int
    need: int
    won: bool


class CivilWarEnded(Fact[State], frozen=True):
    """The USSR completed the Chinese Civil War: the markers return, and it gets the China Card."""

    turning = True
    side: Seat

    def apply(self, s: State) -> State:
        held = {
            country: now for country, now in s.influence["ussr"].items() if country != "chinese_civil_war"
        }
        return replace(s, influence={**s.influence, "ussr": held}, china=self.side, china_ready=True)
