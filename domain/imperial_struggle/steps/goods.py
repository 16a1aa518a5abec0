"""Global Demand in the middle of a turn: a good is drawn and takes the place of another (Co-Hong System)."""

from __future__ import annotations

from typing import ClassVar

from domain.imperial_struggle.components import GOODS
from domain.imperial_struggle.facts.cards import DemandReplaced, DemandSeen
from domain.imperial_struggle.state import State
from domain.imperial_struggle.steps.choices import CARD_TEXT, Choosing
from domain.imperial_struggle.steps.tiles import place
from domain.kernel import Draw, Picks, Resolution, Seat


class DrawGood(Draw[State], frozen=True):
    """One of the goods that are not in demand this turn; then `seat` says which good makes room for it."""

    spelling = ("{good}",)
    rule: ClassVar[str] = CARD_TEXT
    seat: Seat
    card: str

    def options(self, s: State, seat: Seat) -> Picks:
        return tuple(good for good in GOODS if good not in s.demand)

    def label(self, s: State) -> str:
        return f"demand/{place(s)}/{self.seat}"

    def face_up(self, s: State) -> bool:
        return True

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if picks:
            yield DemandSeen(picks[0])
            yield ReplaceDemand(self.seat, self.card, picks[0])


class ReplaceDemand(Choosing, frozen=True):
    """Which of the goods in demand makes room for `good`."""

    spelling = ("{good}",)
    good: str

    def options(self, s: State, seat: Seat) -> Picks:
        return s.demand

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"card": self.card, "good": self.good}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if picks:
            yield DemandReplaced(picks[0], self.good)
