"""What can happen in the scoring of a battle, in the rulebook's order.  Each part carries its working."""

from __future__ import annotations

from typing import ClassVar

from msgspec.structs import replace

from domain.kernel import Fact, Seat
from domain.thirteen_minutes.board import SPHERE, US, USSR, Side, Territory
from domain.thirteen_minutes.state import State


class TerritoriesScored(Fact[State], frozen=True):
    """Who controls which territory, and the VP of each side for them."""

    us: tuple[str, ...]
    ussr: tuple[str, ...]
    nobody: tuple[str, ...]
    us_vp: int
    ussr_vp: int

    def apply(self, s: State) -> State:
        return replace(s, vp={US: self.us_vp, USSR: self.ussr_vp})


class CubaTurned(Fact[State], frozen=True):
    """Cuba lies face up: everybody knows its card and colour."""

    reveals: ClassVar[bool] = True

    card: str
    colour: str

    def apply(self, s: State) -> State:
        return replace(s, cuba=self.card, cuba_open=True, deck=s.deck.located(self.card))


class MilitaryScored(Fact[State], frozen=True):
    """Which military territories count for each side; `winner` (None: equal) gains 1 VP; the VP now."""

    us: tuple[str, ...]
    ussr: tuple[str, ...]
    winner: Side | None
    us_vp: int
    ussr_vp: int

    def apply(self, s: State) -> State:
        return replace(s, vp={US: self.us_vp, USSR: self.ussr_vp})


class LastCardsRevealed(Fact[State], frozen=True):
    """The card that each side kept to the end."""

    reveals: ClassVar[bool] = True

    us: str
    ussr: str

    def apply(self, s: State) -> State:
        deck = s.deck.located(self.us).located(self.ussr)
        return replace(s, deck=deck, hands={US: (self.us,), USSR: (self.ussr,)})


class AftermathScored(Fact[State], frozen=True):
    """Cubes printed on the last cards of each superpower; `winner` (None: equal) gains 1 VP."""

    us: int
    ussr: int
    winner: Side | None
    us_vp: int
    ussr_vp: int

    def apply(self, s: State) -> State:
        return replace(s, vp={US: self.us_vp, USSR: self.ussr_vp})


class LastCardsPlaced(Fact[State], frozen=True):
    """The last cards show the same colour: each lies in the sphere of the side that kept it."""

    turning: ClassVar[bool] = True
    colour: str
    us: str
    ussr: str

    def apply(self, s: State) -> State:
        placed = {self.us: Territory(SPHERE[US]), self.ussr: Territory(SPHERE[USSR])}
        return replace(s, hands={US: (), USSR: ()}, territories={**s.territories, **placed})


class LastCardsScored(Fact[State], frozen=True):
    """The last cards are scored as territories (option matched_cards_rescore); the VP now."""

    us_vp: int
    ussr_vp: int

    def apply(self, s: State) -> State:
        return replace(s, vp={US: self.us_vp, USSR: self.ussr_vp})


class WarChecked(Fact[State], frozen=True):
    """How many symbols of each colour lie in each sphere; `started`: "us", "ussr", "both" or "" (peace)."""

    us: dict[str, int]
    ussr: dict[str, int]
    started: str

    def apply(self, s: State) -> State:
        return replace(s, war=self.started)


class BattleEnded(Fact[State], frozen=True):
    """The result of a battle; `winner` (None: equal, or both started the war); `totals`: the VP of each seat
    over all battles."""

    ends_period: ClassVar[bool] = True

    battle: int
    winner: Side | None
    us_vp: int
    ussr_vp: int
    totals: dict[Seat, int]

    def apply(self, s: State) -> State:
        return replace(s, totals=self.totals, over=True)
