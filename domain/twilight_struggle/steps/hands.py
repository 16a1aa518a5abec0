"""Dealing, and everything that a card draws at random from a hand or looks at in the deck."""

from __future__ import annotations

from typing import ClassVar

from domain.kernel import Draw, Picks, Resolution, Seat, Step
from domain.piles import sorted_cards
from domain.twilight_struggle.components import OTHER, US, USSR
from domain.twilight_struggle.facts.cards import (
    CardDiscarded,
    CardRevived,
    CardsDealt,
    CardSeen,
    DiscardsReshuffled,
    TopSeen,
)
from domain.twilight_struggle.rules.board import effects
from domain.twilight_struggle.rules.hand import hand_size
from domain.twilight_struggle.rules.registry import CARDS, CONTESTS
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps.choices import Choose
from domain.twilight_struggle.steps.deeds import charge_war
from domain.twilight_struggle.steps.dice import PAIRS, coordinates
from domain.twilight_struggle.steps.play import Event, PlayTaken

AMES = ("aldrich_ames_remix", "aldrich_ames_2nd")  # both leave the US hand open for the turn


class Deal(Step[State], frozen=True):
    """4.3: one card at a time, the USSR first; what is left of the old deck first, then the discards.

    The share of each side in the old deck is counted (`shares`); its cards are then drawn at once.
    """

    rule: ClassVar[str] = "book 003, 4.3 and 4.5 B: dealing"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        needs = {side: max(0, hand_size(s.turn) - len(s.hands[side])) for side in (USSR, US)}
        now = shares(needs, s.deck.size)
        for side in (USSR, US):
            if now[side]:
                yield DealTo(side, now[side])
        if sum(needs.values()) > s.deck.size and s.discards:
            yield Reshuffle()
            yield Deal()


def shares(needs: dict[Seat, int], cards: int) -> dict[Seat, int]:
    """How many of these cards each side gets if they are dealt in turn, up to what it needs."""
    got = dict.fromkeys(needs, 0)
    while cards and any(got[side] < needs[side] for side in needs):
        for side in needs:
            if cards and got[side] < needs[side]:
                got[side] += 1
                cards -= 1
    return got


class Reshuffle(Step[State], frozen=True):
    """4.3.1: the discards become a new deck."""

    rule: ClassVar[str] = "book 003, 4.3.1: reshuffling"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if s.discards:
            yield DiscardsReshuffled(len(s.discards))


class DealTo(Draw[State], frozen=True):
    """A number of cards from the deck into a hand."""

    spelling = ("{card}",)
    rule: ClassVar[str] = "book 003, 4.5 B: dealing"
    seat: Seat
    count: int

    def options(self, s: State, seat: Seat) -> Picks:
        return s.deck.cards

    def bounds(self, s: State, seat: Seat) -> tuple[int, int]:
        return self.count, self.count

    def label(self, s: State) -> str:
        return f"deal/t{s.turn}/{self.seat}"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        watched = self.seat == US and any(effects(s, card, US) for card in AMES)
        yield CardsDealt(self.seat, sorted_cards(picks), watched)


class Replenish(Step[State], frozen=True):
    """Cards drawn during a turn; if the deck runs out, the discards are reshuffled (4.3)."""

    rule: ClassVar[str] = "book 003, 4.3: drawing"
    seat: Seat
    count: int

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        now = min(self.count, s.deck.size)
        if now:
            yield DealTo(self.seat, now)
        if now < self.count and s.discards:
            yield Reshuffle()
            yield Replenish(self.seat, self.count - now)


class FromHand(Draw[State], frozen=True):
    """A random card of `seat`'s hand."""

    spelling = ("{card}",)
    seat: Seat
    card: str

    def options(self, s: State, seat: Seat) -> Picks:
        return s.hands[self.seat]

    def label(self, s: State) -> str:
        return f"hand/t{s.turn}/r{s.round}/{self.seat}"


class LoseCard(FromHand, frozen=True):
    """Terrorism: a random card is discarded."""

    rule: ClassVar[str] = "the card Terrorism"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if picks:
            yield CardDiscarded(self.seat, picks[0], self.card)


class LosePlanned(FromHand, frozen=True):
    """Five-Year Plan: a random card of the USSR; a US event happens as if the US had played it."""

    rule: ClassVar[str] = "the card Five-Year Plan"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if not picks:
            return
        s = yield CardDiscarded(self.seat, picks[0], self.card)
        if CARDS[picks[0]].side == US:
            s = yield CardRevived(US, picks[0])
            yield from charge_war(s, US, picks[0])
            yield Event(US, picks[0])


class TakeCard(FromHand, frozen=True):
    """Grain Sales to Soviets: the US looks at a random card of the USSR."""

    rule: ClassVar[str] = "the card Grain Sales to Soviets"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        yield CardSeen(self.seat, picks[0])
        yield PlayTaken(OTHER[self.seat], picks[0], self.seat)


class LookAtTop(Draw[State], frozen=True):
    """Our Man in Tehran: the top cards of the deck."""

    spelling = ("{card}",)
    rule: ClassVar[str] = "the card Our Man in Tehran"
    seat: Seat
    card: str
    count: int

    def options(self, s: State, seat: Seat) -> Picks:
        return s.deck.cards

    def bounds(self, s: State, seat: Seat) -> tuple[int, int]:
        count = min(self.count, s.deck.size)
        return count, count

    def label(self, s: State) -> str:
        return f"top/t{s.turn}/r{s.round}/{self.seat}"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        yield TopSeen(self.seat, sorted_cards(picks))
        yield Choose(self.seat, self.card)


class Contest(Draw[State], frozen=True):
    """Olympic Games, Summit: both sides roll a die."""

    spelling = ("{number}",)
    rule: ClassVar[str] = "the cards Olympic Games and Summit"
    seat: Seat
    card: str

    def options(self, s: State, seat: Seat) -> Picks:
        return PAIRS

    def label(self, s: State) -> str:
        return coordinates(s, self.seat, "contest")

    def face_up(self, s: State) -> bool:
        return True

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        rolls = {US: int(picks[0][0]), USSR: int(picks[0][1])}
        yield from CONTESTS[self.card](s, self.seat, rolls)
