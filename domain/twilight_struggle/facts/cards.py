"""Where cards go: dealt, shown, played, discarded, removed.

A card leaves a hand only face up.  A viewer's table may show the opponent's hand with unknown faces; the card
that leaves is one whose face the viewer knows, or one of those.
"""

from __future__ import annotations

from msgspec.structs import replace

from domain.kernel import HIDDEN, Fact, Seat
from domain.piles import Cards, Pile, sorted_cards, without
from domain.twilight_struggle.state import InPlay, State


def taken(s: State, seat: Seat, card: str) -> dict[Seat, Cards]:
    """The hands without `card`."""
    return {**s.hands, seat: without(s.hands[seat], card)}


def ordered(s: State, card: str) -> Cards:
    """The order that Aldrich Ames gave the US cards, without one that leaves the hand."""
    return without(s.order, card) if card in s.order else s.order


class CardsDealt(Fact[State], frozen=True):
    """Cards from the deck into a hand.  `watched`: the opponent sees that hand (Aldrich Ames)."""

    conceals = ("cards",)
    seat: Seat
    cards: Cards
    watched: bool = False

    def known_to(self) -> tuple[Seat, ...]:
        return ("us", "ussr") if self.watched else (self.seat,)

    def apply(self, s: State) -> State:
        hands = {**s.hands, self.seat: sorted_cards(s.hands[self.seat], self.cards)}
        return replace(s, hands=hands, deck=s.deck.drawn(self.cards))


class CardsAdded(Fact[State], frozen=True):
    """The cards of a new period are shuffled into the deck; the discards wait for the next reshuffle."""

    period: str
    cards: Cards

    def apply(self, s: State) -> State:
        return replace(s, deck=s.deck.shuffled_in(self.cards))


class DiscardsReshuffled(Fact[State], frozen=True):
    """The discards become part of the deck again."""

    count: int

    def apply(self, s: State) -> State:
        return replace(s, deck=s.deck.shuffled_in(s.discards), discards=())


class TopSeen(Fact[State], frozen=True):
    """A player looks at the top cards of the deck (Our Man in Tehran)."""

    reveals = True
    conceals = ("cards",)
    seat: Seat
    cards: Cards

    def known_to(self) -> tuple[Seat, ...] | None:
        return (self.seat,) if self.cards else None

    def apply(self, s: State) -> State:
        return replace(s, deck=s.deck.drawn(self.cards).put_on_top(sorted_cards(self.cards)))


class TopDiscarded(Fact[State], frozen=True):
    """One of the cards that were looked at is discarded, face up."""

    reveals = True
    seat: Seat
    card: str

    def apply(self, s: State) -> State:
        top = without(s.deck.top, self.card)
        deck = replace(s.deck, top=top, size=s.deck.size - 1).located(self.card)
        return replace(s, deck=deck, discards=(*s.discards, self.card))


class DeckShuffled(Fact[State], frozen=True):
    """The deck is shuffled; no position in it is known any more."""

    def apply(self, s: State) -> State:
        return replace(s, deck=s.deck.loosened())


class HandShown(Fact[State], frozen=True):
    """A player shows the opponent their whole hand, as it is now."""

    reveals = True
    conceals = ("cards",)
    seat: Seat
    cards: Cards
    why: str

    def known_to(self) -> tuple[Seat, ...] | None:
        return ("us", "ussr") if self.cards else None

    def apply(self, s: State) -> State:
        deck = s.deck
        for card in self.cards:
            deck = deck.located(card)
        hand = s.hands[self.seat] if HIDDEN in self.cards else sorted_cards(self.cards)
        return replace(s, hands={**s.hands, self.seat: hand}, deck=deck)


class CardsShown(Fact[State], frozen=True):
    """A player shows these cards of their hand, and keeps them."""

    reveals = True
    seat: Seat
    cards: Cards
    why: str

    def apply(self, s: State) -> State:
        hand, deck = s.hands[self.seat], s.deck
        for card in self.cards:
            hand, deck = sorted_cards(without(hand, card), (card,)), deck.located(card)
        return replace(s, hands={**s.hands, self.seat: hand}, deck=deck)


class CardSeen(Fact[State], frozen=True):
    """A random card of a hand was looked at by the opponent (Grain Sales to Soviets)."""

    reveals = True
    conceals = ("card",)
    seat: Seat
    card: str

    def known_to(self) -> tuple[Seat, ...]:
        return ("us", "ussr")

    def apply(self, s: State) -> State:
        if self.card == HIDDEN:
            return s
        hand = sorted_cards(without(s.hands[self.seat], self.card), (self.card,))
        return replace(s, hands={**s.hands, self.seat: hand}, deck=s.deck.located(self.card))


class CardPlayed(Fact[State], frozen=True):
    """`seat` plays a card from the hand of `holder`.

    `how`: event, event_first, influence, coup, realign, space, cancelled (with UN Intervention), discard
    (into a trap) or given (Missile Envy).
    """

    reveals = True
    seat: Seat
    card: str
    how: str
    holder: Seat

    def apply(self, s: State) -> State:
        playing = (*s.playing, InPlay(self.card, self.seat))
        return replace(
            s,
            hands=taken(s, self.holder, self.card),
            deck=s.deck.located(self.card),
            playing=playing,
            order=ordered(s, self.card),
        )


class ChinaPlayed(Fact[State], frozen=True):
    """The China Card is played; it goes to the opponent when the round's Operations are done."""

    seat: Seat
    how: str

    def apply(self, s: State) -> State:
        return replace(s, china_ready=False)


class ChinaPassed(Fact[State], frozen=True):
    """The China Card goes to `to`; `ready`: face up, so that it may be played at once."""

    to: Seat
    ready: bool

    def apply(self, s: State) -> State:
        return replace(s, china=self.to, china_ready=self.ready)


class CardPutAway(Fact[State], frozen=True):
    """A card that was resolved goes to the discards, is removed, or lies beside the board."""

    card: str
    to: str

    def apply(self, s: State) -> State:
        playing = tuple([item for item in s.playing if item.card != self.card])
        if self.to == "discards":
            return replace(s, playing=playing, discards=(*s.discards, self.card))
        if self.to == "removed":
            return replace(s, playing=playing, removed=(*s.removed, self.card))
        return replace(s, playing=playing, beside=(*s.beside, self.card))


class CardKept(Fact[State], frozen=True):
    """Missile Envy goes to the opponent, who must play it for Operations in their next action round."""

    card: str
    to: Seat

    def apply(self, s: State) -> State:
        playing = tuple(item for item in s.playing if item.card != self.card)
        hands = {**s.hands, self.to: sorted_cards(s.hands[self.to], (self.card,))}
        return replace(s, playing=playing, hands=hands, envy=self.to)


class EnvyEnded(Fact[State], frozen=True):
    """Missile Envy is no longer owed."""

    def apply(self, s: State) -> State:
        return replace(s, envy=None)


class CardDiscarded(Fact[State], frozen=True):
    """A card from a hand goes to the discards without effect.  `why`: the card, or the rule, that asks it.

    If Missile Envy is discarded, it is no longer owed.
    """

    reveals = True
    seat: Seat
    card: str
    why: str

    def apply(self, s: State) -> State:
        return replace(
            s,
            hands=taken(s, self.seat, self.card),
            deck=s.deck.located(self.card),
            discards=(*s.discards, self.card),
            order=ordered(s, self.card),
            envy=None if self.card == "missile_envy" else s.envy,
        )


class CardRetrieved(Fact[State], frozen=True):
    """A card from the discards goes into a hand (SALT Negotiations)."""

    seat: Seat
    card: str

    def apply(self, s: State) -> State:
        hands = {**s.hands, self.seat: sorted_cards(s.hands[self.seat], (self.card,))}
        return replace(s, hands=hands, discards=without(s.discards, self.card))


class CardRevived(Fact[State], frozen=True):
    """A card from the discards is played (Star Wars; Five-Year Plan discards first)."""

    seat: Seat
    card: str

    def apply(self, s: State) -> State:
        playing = (*s.playing, InPlay(self.card, self.seat))
        return replace(s, discards=without(s.discards, self.card), playing=playing)


class MarkerEnded(Fact[State], frozen=True):
    """A card beside the board is no longer in force; it goes to the discards or is removed."""

    card: str
    to: str

    def apply(self, s: State) -> State:
        s = replace(s, beside=without(s.beside, self.card))
        if self.to == "discards":
            return replace(s, discards=(*s.discards, self.card))
        return replace(s, removed=(*s.removed, self.card))


class PositionStated(Fact[State], frozen=True):
    """The position is the one that the record of an imported match states at `line`; no rule led to it.

    The facts before it say what changed on the board and its tracks; this one says where the cards lie.  No
    card is being resolved any more.  `hands` and `deck` were worked out by the importer, and no seat sees
    them: viewers see how many cards there are.  If `placed` is false the cards lie as before.
    """

    conceals = ("hands", "deck")
    line: int
    placed: bool = False
    hands: dict[Seat, Cards] = {}
    deck: Cards = ()
    size: int = 0
    discards: Cards = ()
    removed: Cards = ()
    beside: Cards = ()

    def known_to(self) -> tuple[Seat, ...] | None:
        return () if self.placed else None

    def outside(self) -> PositionStated:
        hands = {seat: (HIDDEN,) * len(hand) for seat, hand in self.hands.items()}
        unplaced = (*self.deck, *(card for hand in self.hands.values() for card in hand))
        return replace(self, hands=hands, deck=tuple(sorted(unplaced)))

    def apply(self, s: State) -> State:
        s = replace(s, at_start=s.influence)
        if not self.placed:
            return s
        return replace(
            s,
            hands={seat: sorted_cards(hand) for seat, hand in sorted(self.hands.items())},
            deck=Pile(self.deck, self.size),
            discards=self.discards,
            removed=self.removed,
            beside=self.beside,
            playing=(),
            chosen={},
            headlines={},
            order=tuple(card for card in s.order if card in self.hands["us"]),
            envy=s.envy if s.envy and "missile_envy" in self.hands[s.envy] else None,
        )


class HandOrdered(Fact[State], frozen=True):
    """The US hand lies open, and the USSR put it in order (Aldrich Ames, 2nd edition)."""

    reveals = True
    cards: Cards

    def apply(self, s: State) -> State:
        deck = s.deck
        for card in self.cards:
            deck = deck.located(card)
        return replace(s, order=self.cards, hands={**s.hands, "us": sorted_cards(self.cards)}, deck=deck)
