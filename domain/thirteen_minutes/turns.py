"""A player's turn: play a card, carry out Event or Command, draw (book 002, "Play and draw a card")."""

from __future__ import annotations

from typing import ClassVar

from domain.kernel import Draw, Picks, Resolution, Seat, Step
from domain.thirteen_minutes.board import NEUTRAL, OPPONENT, SPHERE, Side
from domain.thirteen_minutes.commands import Command
from domain.thirteen_minutes.events import event_steps
from domain.thirteen_minutes.facts import CardDrawn, CardPlayed, EventDeclined, EventUsed
from domain.thirteen_minutes.rules import all_played, card, is_opponents, side_to_move
from domain.thirteen_minutes.state import State


class Turns(Step[State], frozen=True):
    """Turn after turn, until the deck is empty and each side holds its last card."""

    rule: ClassVar[str] = "book 002, Play and draw a card; T-ORDER, T-DRAW"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if not all_played(s):
            me = side_to_move(s)
            yield PlayCard(me)
            yield Refill(me)
            yield Turns()


class PlayCard(Step[State], frozen=True):
    """Which card, and into which zone: neutral, or the player's own sphere?"""

    spelling = ("neutral:{card}", "us_sphere:{card}", "ussr_sphere:{card}")
    rule: ClassVar[str] = "book 002, Play and draw a card; T-PLACE"

    side: Side

    def asks(self, s: State) -> tuple[Seat, ...]:
        return (s.seats[self.side],)

    def options(self, s: State, seat: Seat) -> Picks:
        return tuple(f"{zone}:{held}" for held in s.hands[self.side] for zone in (NEUTRAL, SPHERE[self.side]))

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"side": self.side, "play": s.plays // 2 + 1}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        zone, _, played = picks[0].partition(":")
        s = yield CardPlayed(self.side, played, zone, s.plays + 1)
        if is_opponents(s, self.side, played):
            yield OpponentEvent(OPPONENT[self.side], played)
            yield Command(self.side, played, None)
        else:
            yield ChooseAction(self.side, played)


class ChooseAction(Step[State], frozen=True):
    """After playing a card of one's own or of the UN: Event or Command?"""

    spelling = ("command", "event")
    rule: ClassVar[str] = "book 002, Event; T-OWN"

    side: Side
    card: str

    def asks(self, s: State) -> tuple[Seat, ...]:
        return (s.seats[self.side],)

    def options(self, s: State, seat: Seat) -> Picks:
        return "event", "command"

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"side": self.side, "card": self.card, "cubes": card(s, self.card).command}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if picks == ("command",):
            yield Command(self.side, self.card, None)
            return
        s = yield EventUsed(self.side, self.card)
        yield from event_steps(s, self.side, self.card)


class OpponentEvent(Step[State], frozen=True):
    """The opponent has played a card of `side`: does `side` carry out the event?  No pick: it does not."""

    spelling = ("event",)
    rule: ClassVar[str] = "book 002, Commands (Important!); T-OPP"

    side: Side
    card: str

    def asks(self, s: State) -> tuple[Seat, ...]:
        return (s.seats[self.side],)

    def options(self, s: State, seat: Seat) -> Picks:
        return ("event",)

    def bounds(self, s: State, seat: Seat) -> tuple[int, int]:
        return 0, 1

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"side": self.side, "card": self.card}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if not picks:
            yield EventDeclined(self.side, self.card)
            return
        s = yield EventUsed(self.side, self.card)
        yield from event_steps(s, self.side, self.card)


class Refill(Step[State], frozen=True):
    """One new card at the end of the turn, while the deck lasts; if its top card is fixed, without chance."""

    rule: ClassVar[str] = "book 002, Draw a new card; T-DRAW"

    side: Side

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if s.deck.top:
            yield CardDrawn(s.seats[self.side], self.side, s.deck.top[0])
        elif s.deck.size:
            yield DrawCard(self.side)


class DrawCard(Draw[State], frozen=True):
    """Which card is drawn?"""

    spelling = ("{card}",)
    side: Side

    def label(self, s: State) -> str:
        return f"draw/b{s.battle}/{s.seats[self.side]}/{s.plays}"

    def options(self, s: State, seat: Seat) -> Picks:
        return s.deck.cards

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        yield CardDrawn(s.seats[self.side], self.side, picks[0])
