"""Victory points, Debt, Debt Limits and Treaty Points: each fact says where the marker stands now."""

from __future__ import annotations

from msgspec.structs import replace

from domain.imperial_struggle.state import State
from domain.kernel import Fact, Seat


class ScoreMoved(Fact[State], frozen=True):
    """A side gained `points` victory points; the marker stands at `now` (France counts upwards)."""

    side: Seat
    points: int
    now: int
    why: str

    def apply(self, s: State) -> State:
        return replace(s, vp=self.now)

    def marks(self) -> tuple[tuple[str, int], ...]:
        return (("vp", self.now),)


class DebtSet(Fact[State], frozen=True):
    """A side's Debt changed by `by`."""

    side: Seat
    by: int
    now: int
    why: str

    def apply(self, s: State) -> State:
        return replace(s, debt={**s.debt, self.side: self.now})

    def marks(self) -> tuple[tuple[str, int], ...]:
        return ((f"debt/{self.side}", self.now),)


class LimitSet(Fact[State], frozen=True):
    """A side's Debt Limit changed by `by`."""

    side: Seat
    by: int
    now: int
    why: str

    def apply(self, s: State) -> State:
        return replace(s, limit={**s.limit, self.side: self.now})

    def marks(self) -> tuple[tuple[str, int], ...]:
        return ((f"limit/{self.side}", self.now),)


class TreatySet(Fact[State], frozen=True):
    """A side's Treaty Points changed by `by`."""

    side: Seat
    by: int
    now: int
    why: str

    def apply(self, s: State) -> State:
        return replace(s, treaty={**s.treaty, self.side: self.now})

    def marks(self) -> tuple[tuple[str, int], ...]:
        return ((f"treaty/{self.side}", self.now),)
