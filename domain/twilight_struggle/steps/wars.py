"""The wars: Military Operations, the die, and the spoils (7.6)."""

from __future__ import annotations

from typing import ClassVar

from domain.kernel import Draw, Picks, Resolution, Seat, Step
from domain.twilight_struggle.components import OTHER
from domain.twilight_struggle.facts.board import WarRolled
from domain.twilight_struggle.rules.board import influence
from domain.twilight_struggle.rules.wars import WARS, minus
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps.deeds import add, clear, gain, military
from domain.twilight_struggle.steps.dice import DICE, coordinates


class FightWar(Step[State], frozen=True):
    """7.6: a war event; Military Operations first, then the die."""

    rule: ClassVar[str] = "book 003, 7.6: wars"
    seat: Seat
    card: str
    country: str

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        yield from military(s, self.seat, WARS[self.card].military)
        yield RollWar(self.seat, self.card, self.country)


class RollWar(Draw[State], frozen=True):
    """The die of a war."""

    spelling = ("{number}",)
    rule: ClassVar[str] = "book 003, 7.6: wars"
    seat: Seat
    card: str
    country: str

    def options(self, s: State, seat: Seat) -> Picks:
        return DICE

    def label(self, s: State) -> str:
        return coordinates(s, self.seat, "war")

    def face_up(self, s: State) -> bool:
        return True

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        war, roll, less = WARS[self.card], int(picks[0]), minus(s, self.seat, self.card, self.country)
        won = roll - less >= war.need
        s = yield WarRolled(self.seat, self.card, self.country, roll, less, war.need, won)
        if won:
            spoils = influence(s, OTHER[self.seat], self.country)
            s = yield from clear(s, OTHER[self.seat], self.country)
            s = yield from add(s, self.seat, self.country, spoils)
            yield from gain(s, self.seat, war.points, self.card)
