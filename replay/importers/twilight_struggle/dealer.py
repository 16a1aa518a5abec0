"""Handing out the cards of a deal, draw by draw, while our rules play a foreign log."""

from __future__ import annotations

from domain.kernel import Seat
from domain.twilight_struggle.state import State
from replay.importers.twilight_struggle.deal import Cards, Deal


class Dealer:
    """Deals by the plan; when the game has left the plan, deals what the rest of the log needs."""

    def __init__(self, plan: Deal) -> None:
        self.plan = plan
        self.draws = self.looks = 0

    def deal(self, s: State, seat: Seat, count: int, turn: int) -> Cards:
        """`count` cards of the draw pile for the hand of `seat`."""
        self.draws = self._planned(seat, turn)
        cards = self.plan.draw(self.draws, seat, count, s.deck.cards)
        self.draws += 1
        return cards

    def seen(self, s: State, count: int, shown: Cards) -> Cards:
        """The `count` top cards of the draw pile; `shown` are those that the log names."""
        cards = self.plan.look(self.looks, count, s.deck.cards)
        self.looks += 1
        ordered = dict.fromkeys((*(card for card in shown if card in s.deck.cards), *cards))
        return tuple(ordered)[:count]

    def _planned(self, seat: Seat, turn: int) -> int:
        """The next draw of this side in this turn, or, where the plan has none, the draw that comes next."""
        for number in range(self.draws, len(self.plan.draws)):
            if (self.plan.draws[number].side, self.plan.draws[number].turn) == (seat, turn):
                return number
        return self.draws
