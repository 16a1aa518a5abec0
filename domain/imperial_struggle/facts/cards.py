"""Event cards, investment tiles, awards, demand and ministries: where each of them goes."""

from __future__ import annotations

from msgspec.structs import replace

from domain.imperial_struggle.state import State
from domain.kernel import Fact, Seat
from domain.piles import Cards, Pile, sorted_cards, without

# --------------------------------------------------------------------------- event cards


class EventsAdded(Fact[State], frozen=True):
    """The events of an era are shuffled into the draw pile; the discards stay where they are."""

    era: str
    cards: Cards

    def apply(self, s: State) -> State:
        return replace(s, deck=s.deck.shuffled_in(self.cards))


class EventsRetired(Fact[State], frozen=True):
    """The events of an era leave the game, from the draw pile, the discards and the hands."""

    reveals = True
    deck: Cards
    discards: Cards
    hands: dict[Seat, Cards]

    def apply(self, s: State) -> State:
        gone = {*self.deck, *self.discards, *(card for hand in self.hands.values() for card in hand)}
        left = tuple(card for card in s.deck.cards if card not in gone)
        hands = dict(s.hands)
        for seat, cards in self.hands.items():
            for card in cards:
                hands[seat] = without(hands[seat], card)
        return replace(
            s,
            deck=replace(s.deck, cards=left, size=s.deck.size - len(self.deck)),
            discards=tuple(card for card in s.discards if card not in gone),
            hands=hands,
            removed=(*s.removed, *sorted(gone)),
        )


class CardsDealt(Fact[State], frozen=True):
    """Event cards from the draw pile into a hand."""

    conceals = ("cards",)
    seat: Seat
    cards: Cards

    def apply(self, s: State) -> State:
        hands = {**s.hands, self.seat: sorted_cards(s.hands[self.seat], self.cards)}
        return replace(s, hands=hands, deck=s.deck.drawn(self.cards))


class DiscardsReshuffled(Fact[State], frozen=True):
    """The discards become a new draw pile."""

    count: int

    def apply(self, s: State) -> State:
        return replace(s, deck=s.deck.shuffled_in(s.discards), discards=())


class CardsDropped(Fact[State], frozen=True):
    """A side lays cards aside, face down, until both have done so (4.1.6)."""

    conceals = ("cards",)
    seat: Seat
    cards: Cards

    def apply(self, s: State) -> State:
        hand = s.hands[self.seat]
        for card in self.cards:
            hand = without(hand, card)
        return replace(
            s, hands={**s.hands, self.seat: hand}, dropped={**s.dropped, self.seat: sorted_cards(self.cards)}
        )


class DropsShown(Fact[State], frozen=True):
    """What both laid aside is turned up and joins the discards."""

    reveals = True
    cards: dict[Seat, Cards]

    def apply(self, s: State) -> State:
        shown = tuple(card for cards in self.cards.values() for card in cards)
        deck = s.deck
        for card in shown:
            deck = deck.located(card)
        return replace(s, discards=(*s.discards, *shown), dropped={"br": (), "fr": ()}, deck=deck)


class CardDiscarded(Fact[State], frozen=True):
    """A card of a hand joins the discards, for all to see."""

    reveals = True
    seat: Seat
    card: str
    why: str

    def apply(self, s: State) -> State:
        return replace(
            s,
            hands={**s.hands, self.seat: without(s.hands[self.seat], self.card)},
            discards=(*s.discards, self.card),
            deck=s.deck.located(self.card),
        )


class EventPlayed(Fact[State], frozen=True):
    """A side plays an event, which leaves the game; `bonus`: its condition is met."""

    reveals = True
    seat: Seat
    card: str
    bonus: bool

    def apply(self, s: State) -> State:
        s = replace(
            s,
            hands={**s.hands, self.seat: without(s.hands[self.seat], self.card)},
            removed=(*s.removed, self.card),
            deck=s.deck.located(self.card),
        )
        if s.round is None:
            return s
        return replace(s, round=replace(s.round, event=self.card, bonus=self.bonus, acted=True))


# --------------------------------------------------------------------------- tiles


class InvestmentsShown(Fact[State], frozen=True):
    """Investment tiles from the stack lie open."""

    tiles: Cards

    def apply(self, s: State) -> State:
        return replace(s, shown=s.shown + self.tiles, stack=s.stack.drawn(self.tiles))


class InvestmentsUsed(Fact[State], frozen=True):
    """Every open tile, taken or not, goes to the used ones."""

    def apply(self, s: State) -> State:
        return replace(s, used=s.used + s.shown, shown=(), picked={"br": (), "fr": ()})


class InvestmentsReshuffled(Fact[State], frozen=True):
    """The used tiles become a new stack."""

    count: int

    def apply(self, s: State) -> State:
        return replace(s, stack=s.stack.shuffled_in(s.used), used=())


class AwardsShuffled(Fact[State], frozen=True):
    """All eight awards are in the pile again."""

    awards: Cards

    def apply(self, s: State) -> State:
        return replace(s, awards=Pile.of(self.awards), laid={}, given=())


class AwardsLaid(Fact[State], frozen=True):
    """An award for each Region."""

    awards: dict[str, str]

    def apply(self, s: State) -> State:
        laid = dict(sorted(self.awards.items()))  # as they are read again: a log keeps no other order
        return replace(s, laid=laid, awards=s.awards.drawn(tuple(laid.values())))


class DemandSet(Fact[State], frozen=True):
    """The goods that are in Global Demand this turn."""

    goods: Cards

    def apply(self, s: State) -> State:
        return replace(s, demand=self.goods)


class DemandAdded(Fact[State], frozen=True):
    """One more good is in demand this turn."""

    good: str

    def apply(self, s: State) -> State:
        return replace(s, demand=(*s.demand, self.good))


class DemandReplaced(Fact[State], frozen=True):
    """Another good is in demand in the place of one."""

    old: str
    new: str

    def apply(self, s: State) -> State:
        return replace(s, demand=tuple(self.new if good == self.old else good for good in s.demand))


class DemandSeen(Fact[State], frozen=True):
    """A tile of a good that is not in demand was drawn."""

    good: str


# --------------------------------------------------------------------------- ministries


class MinistriesChosen(Fact[State], frozen=True):
    """A side lays ministries face down, beside those that are open."""

    conceals = ("ministries",)
    seat: Seat
    ministries: Cards

    def apply(self, s: State) -> State:
        kept = tuple(card for card in s.ministries[self.seat] if card in s.revealed)
        return replace(s, ministries={**s.ministries, self.seat: sorted_cards(kept, self.ministries)})


class MinistriesReturned(Fact[State], frozen=True):
    """A new era: every ministry goes back to its side."""

    def apply(self, s: State) -> State:
        return replace(s, ministries={"br": (), "fr": ()}, revealed=(), third=False)


class MinistryRevealed(Fact[State], frozen=True):
    """A side turns a ministry up, in its own action round."""

    reveals = True
    seat: Seat
    ministry: str

    def apply(self, s: State) -> State:
        held = without(s.ministries[self.seat], self.ministry)
        return replace(
            s,
            ministries={**s.ministries, self.seat: sorted_cards(held, (self.ministry,))},
            revealed=(*s.revealed, self.ministry),
        )


class AbilityUsed(Fact[State], frozen=True):
    """A side uses an ability of a ministry; `exhausts`: not again in this turn."""

    seat: Seat
    ability: str
    exhausts: bool

    def apply(self, s: State) -> State:
        if not self.exhausts:
            return s
        return replace(s, exhausted=(*s.exhausted, self.ability))


class UprisingsAdded(Fact[State], frozen=True):
    """France takes Jacobite Uprisings as a third ministry, face up; it leaves the two, if it was there."""

    seat: Seat

    def apply(self, s: State) -> State:
        card = "jacobite_uprisings"
        held = tuple(item for item in s.ministries[self.seat] if item in s.revealed and item != card)
        return replace(
            s,
            ministries={**s.ministries, self.seat: sorted_cards(held, (card,))},
            revealed=(*(item for item in s.revealed if item != card), card),
            third=True,
        )


class UprisingsDeclined(Fact[State], frozen=True):
    """France does without the third ministry for now."""

    seat: Seat


class UprisingsAllowed(Fact[State], frozen=True):
    """From now on France may have Jacobite Uprisings as a third ministry."""

    def apply(self, s: State) -> State:
        return replace(s, uprisings=True)


class JacobitesDefeated(Fact[State], frozen=True):
    """Jacobite Uprisings leaves the game; `in_play`: it was one of the French ministries."""

    reveals = True
    in_play: bool

    def apply(self, s: State) -> State:
        s = replace(s, defeated=True, third=False)
        if not self.in_play:
            return s
        card = "jacobite_uprisings"
        return replace(
            s,
            ministries={**s.ministries, "fr": without(s.ministries["fr"], card)},
            revealed=tuple(item for item in s.revealed if item != card),
        )


class JacobiteVictory(Fact[State], frozen=True):
    """France has one more Jacobite Victory marker."""

    turning = True
    now: int

    def apply(self, s: State) -> State:
        return replace(s, victories=self.now)


class TownshendSet(Fact[State], frozen=True):
    """The Townshend Acts marker lies on a good for this turn."""

    good: str

    def apply(self, s: State) -> State:
        return replace(s, townshend=self.good)


class DebtIgnored(Fact[State], frozen=True):
    """Merchant Banks: `count` Debt of this payment was not taken; `now` in this turn."""

    seat: Seat
    count: int
    now: int

    def apply(self, s: State) -> State:
        return replace(s, merchants=self.now)
