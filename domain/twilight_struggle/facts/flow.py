"""The course of a match: bids, turns, headlines, action rounds, and which events happen."""

from __future__ import annotations

from msgspec.structs import replace

from domain.kernel import Fact, Seat, SeatsSettled
from domain.piles import sorted_cards, without
from domain.twilight_struggle.facts.cards import ordered
from domain.twilight_struggle.state import Effect, InPlay, State


class TurnBegan(Fact[State], frozen=True):
    """Turn `turn` begins."""

    turn: int

    def apply(self, s: State) -> State:
        return replace(s, turn=self.turn, phase="deal", round=0, phasing=None)

    def opens(self) -> tuple[str, int]:
        return "turn", self.turn  # the Late War scenario begins with turn 8


class HeadlinesBegan(Fact[State], frozen=True):
    """The headline phase begins."""

    def apply(self, s: State) -> State:
        return replace(s, phase="headline")


class HeadlineChosen(Fact[State], frozen=True):
    """A player chose a headline; the card stays in the hand, face down, until it is shown."""

    conceals = ("card",)
    seat: Seat
    card: str

    def apply(self, s: State) -> State:
        return replace(s, chosen={**s.chosen, self.seat: self.card})


class HeadlineShown(Fact[State], frozen=True):
    """A headline is turned up."""

    reveals = True
    seat: Seat
    card: str

    def apply(self, s: State) -> State:
        return replace(
            s,
            chosen={seat: card for seat, card in s.chosen.items() if seat != self.seat},
            headlines={**s.headlines, self.seat: self.card},
            hands={**s.hands, self.seat: without(s.hands[self.seat], self.card)},
            deck=s.deck.located(self.card),
            order=ordered(s, self.card),
        )


class HeadlineSkipped(Fact[State], frozen=True):
    """A player holds no card that can be a headline."""

    seat: Seat

    def apply(self, s: State) -> State:
        return replace(s, chosen={seat: card for seat, card in s.chosen.items() if seat != self.seat})


class HeadlineCancelled(Fact[State], frozen=True):
    """Defectors: the USSR headline is discarded unresolved."""

    seat: Seat
    card: str

    def apply(self, s: State) -> State:
        headlines = {seat: card for seat, card in s.headlines.items() if seat != self.seat}
        return replace(s, headlines=headlines, discards=(*s.discards, self.card))


class HeadlineBegan(Fact[State], frozen=True):
    """A headline is resolved; its owner is the phasing player."""

    seat: Seat
    card: str

    def apply(self, s: State) -> State:
        return replace(
            s,
            headlines={seat: card for seat, card in s.headlines.items() if seat != self.seat},
            playing=(*s.playing, InPlay(self.card, self.seat)),
            phasing=self.seat,
            at_start=s.influence,
        )


class RoundBegan(Fact[State], frozen=True):
    """An action round of `seat` begins."""

    round: int
    seat: Seat

    def apply(self, s: State) -> State:
        return replace(
            s,
            phase="rounds",
            round=self.round,
            phasing=self.seat,
            at_start=s.influence,
            reached_two=False,
        )


class RoundPassed(Fact[State], frozen=True):
    """A player plays nothing in this round."""

    seat: Seat


class EventBegan(Fact[State], frozen=True):
    """An event happens; `seat` makes its choices."""

    card: str
    seat: Seat


class EventBarred(Fact[State], frozen=True):
    """An event does not happen.  `why`: the card that forbids it, or the condition that is not met."""

    card: str
    why: str


class EffectBegan(Fact[State], frozen=True):
    """Something is in force for the rest of the turn, for `seat`."""

    card: str
    seat: Seat
    region: str = ""

    def apply(self, s: State) -> State:
        return replace(s, effects=(*s.effects, Effect(self.card, self.seat, self.region)))


class EffectEnded(Fact[State], frozen=True):
    """Something is no longer in force; `why` is what ended it."""

    card: str
    seat: Seat
    why: str

    def apply(self, s: State) -> State:
        left = tuple(item for item in s.effects if (item.card, item.seat) != (self.card, self.seat))
        return replace(s, effects=left)


class BurialBegan(Fact[State], frozen=True):
    """ "We Will Bury You" waits for what the US plays in its next action round."""

    def apply(self, s: State) -> State:
        return replace(s, buries=True)


class BurialEnded(Fact[State], frozen=True):
    """The US answered "We Will Bury You", with UN Intervention or without it."""

    averted: bool

    def apply(self, s: State) -> State:
        return replace(s, buries=False)


class ChoiceMade(Fact[State], frozen=True):
    """A card let a side choose, and this is what it chose."""

    seat: Seat
    card: str
    choice: str


class TrapRolled(Fact[State], frozen=True):
    """Quagmire or Bear Trap: a roll of at most 4 escapes."""

    seat: Seat
    trap: str
    roll: int
    escaped: bool


class HandsChecked(Fact[State], frozen=True):
    """The hands were checked for scoring cards; `held` are the sides that still hold one."""

    reveals = True
    held: tuple[Seat, ...]


class HeldCardsShown(Fact[State], frozen=True):
    """Tournament: a player shows the cards held at the end of the turn."""

    reveals = True
    seat: Seat
    cards: tuple[str, ...]

    def apply(self, s: State) -> State:
        deck = s.deck
        for card in self.cards:
            deck = deck.located(card)
        return replace(s, hands={**s.hands, self.seat: sorted_cards(self.cards)}, deck=deck)


class TurnEnded(Fact[State], frozen=True):
    """The turn is over: the counts of Space Race attempts are 0 again, and the China Card lies face up."""

    ends_period = True
    turning = True
    turn: int
    vp: int
    defcon: int

    def apply(self, s: State) -> State:
        return replace(s, phase="end", round=0, phasing=None, spaced={"us": 0, "ussr": 0}, china_ready=True)


class EffectsLapsed(Fact[State], frozen=True):
    """The effects of the turn end."""

    cards: tuple[str, ...]

    def apply(self, s: State) -> State:
        return replace(s, effects=(), order=(), phase="end")


class BidMade(Fact[State], frozen=True):
    """A sealed bid, which only the bidder sees: a superpower and a number, "us:3"."""

    conceals = ("bid",)
    seat: Seat
    bid: str

    def apply(self, s: State) -> State:
        return replace(s, bids={**s.bids, self.seat: self.bid})


class BidsOpened(Fact[State], frozen=True):
    """The sealed bids are opened."""

    reveals = True
    us: str
    ussr: str

    def apply(self, s: State) -> State:
        return replace(s, bids={"us": self.us, "ussr": self.ussr})


class BidRaised(Fact[State], frozen=True):
    """An open bid: `points` victory points to play `side`."""

    seat: Seat
    side: Seat
    points: int


class BidPassed(Fact[State], frozen=True):
    """A player does not raise."""

    seat: Seat


class SidesSettled(SeatsSettled[State], frozen=True):
    """Which player plays which side.  `exchanged`: the two players change seats; `gift` goes to `to`.

    By now the bids are open and no card is dealt, so a player learns nothing from taking over a seat.
    """

    to: Seat
    gift: int

    def apply(self, s: State) -> State:
        return replace(s, exchanged=self.exchanged, bids={}, gift=self.gift, gift_to=self.to)
