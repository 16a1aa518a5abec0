"""What can happen in a battle, in the order of play.

A fact names the side (the superpower) that it is about.  A fact with a secret also names the seat that knows
it in full.  The facts of the final scoring are in `scoring_facts`.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec.structs import replace

from domain.kernel import HIDDEN, Fact, Seat
from domain.piles import Cards, Pile, sorted_cards, without
from domain.thirteen_minutes.board import CUBA, CUBES, NEUTRAL, US, USSR, Cubes, Side, Territory, Zone
from domain.thirteen_minutes.state import State


class BattleBegan(Fact[State], frozen=True):
    """All cards are collected and shuffled, all cubes are back; `seats`: the seat that plays each side."""

    battle: int
    seats: dict[Side, Seat]
    cards: Cards
    card_set: str

    def apply(self, s: State) -> State:
        return replace(
            s,
            battle=self.battle,
            seats=self.seats,
            deck=Pile.of(self.cards),
            hands={US: (), USSR: ()},
            cuba="",
            cuba_open=False,
            bids={},
            supply={US: CUBES, USSR: CUBES},
            first="",
            plays=0,
            territories={},
            vp={},
            war="",
            over=False,
        )


class _Private(Fact[State], frozen=True):
    """A fact that only `seat` knows in full."""

    seat: Seat

    def known_to(self) -> tuple[Seat, ...]:
        return (self.seat,)


class HandDealt(_Private, frozen=True):
    """The two cards of a side at the beginning."""

    reveals: ClassVar[bool] = True
    conceals = ("cards",)

    side: Side
    cards: Cards

    def apply(self, s: State) -> State:
        return replace(
            s, deck=s.deck.drawn(self.cards), hands={**s.hands, self.side: sorted_cards(self.cards)}
        )


class CubaDealt(Fact[State], frozen=True):
    """The card that becomes Cuba, face down; no player knows it."""

    conceals = ("card",)
    card: str

    def apply(self, s: State) -> State:
        territories = {**s.territories, CUBA: Territory(NEUTRAL)}
        return replace(s, deck=s.deck.drawn((self.card,)), cuba=self.card, territories=territories)

    def known_to(self) -> tuple[Seat, ...]:
        return ()


class BidMade(_Private, frozen=True):
    """A side has bid some cubes, in secret."""

    conceals = ("cubes",)
    side: Side
    round: int
    cubes: Cubes

    def apply(self, s: State) -> State:
        return replace(s, bids={**s.bids, self.side: self.cubes})


class BidsOpened(Fact[State], frozen=True):
    """Both bids are opened; `higher` is None if they are equal."""

    reveals: ClassVar[bool] = True

    round: int
    us: int
    ussr: int
    higher: Side | None

    def apply(self, s: State) -> State:
        return replace(s, bids={})


class BidsLost(Fact[State], frozen=True):
    """Both bids leave the game; `us` and `ussr` are what the supplies hold now."""

    us: int
    ussr: int

    def apply(self, s: State) -> State:
        return replace(s, supply={US: self.us, USSR: self.ussr})


class FirstPlayerChosen(Fact[State], frozen=True):
    """The higher bidder, `side`, has said who goes first."""

    side: Side
    first: Side

    def apply(self, s: State) -> State:
        return replace(s, first=self.first)


class FirstPlayerDrawn(Fact[State], frozen=True):
    """The bids were equal too often: chance has said who goes first."""

    first: Side

    def apply(self, s: State) -> State:
        return replace(s, first=self.first)


class CardPlayed(Fact[State], frozen=True):
    """A card leaves the hand and lies face up on the table; `play` counts the plays of the battle."""

    reveals: ClassVar[bool] = True

    side: Side
    card: str
    zone: Zone
    play: int

    def apply(self, s: State) -> State:
        return replace(
            s,
            deck=s.deck.located(self.card),
            hands={**s.hands, self.side: without(s.hands[self.side], self.card)},
            territories={**s.territories, self.card: Territory(self.zone)},
            plays=self.play,
        )


class EventUsed(Fact[State], frozen=True):
    """`side` carries out the event of a card; the next facts say what it brings."""

    side: Side
    card: str


class EventDeclined(Fact[State], frozen=True):
    """`side` declines the event of its card, which the opponent has played."""

    side: Side
    card: str


class CommandDeclined(Fact[State], frozen=True):
    """A Command of no cubes: nothing moves."""

    side: Side
    card: str


class CubesPlaced(Fact[State], frozen=True):
    """`side` has put `cubes` of its own on a territory, where it now has `now`; `supply` are left."""

    side: Side
    territory: str
    cubes: int
    now: int
    supply: int

    def apply(self, s: State) -> State:
        return _with_cubes(s, self.side, self.territory, self.now, self.supply)


class CubesRemoved(Fact[State], frozen=True):
    """`by` has taken `cubes` of `side` off a territory, back to that side's supply; `now` are left there."""

    by: Side
    side: Side
    territory: str
    cubes: int
    now: int
    supply: int

    def apply(self, s: State) -> State:
        return _with_cubes(s, self.side, self.territory, self.now, self.supply)


def _with_cubes(s: State, side: Side, territory: str, now: int, supply: int) -> State:
    changed = s.territories[territory].with_cubes(side, now)
    return replace(s, territories={**s.territories, territory: changed}, supply={**s.supply, side: supply})


class TerritorySlid(Fact[State], frozen=True):
    """A territory has moved one step along the line and lies in `zone` now."""

    territory: str
    zone: Zone

    def apply(self, s: State) -> State:
        changed = replace(s.territories[self.territory], zone=self.zone)
        return replace(s, territories={**s.territories, self.territory: changed})


class CubaSeen(_Private, frozen=True):
    """One player has looked at the Cuba card."""

    reveals: ClassVar[bool] = True
    conceals = ("card",)

    side: Side
    card: str

    def apply(self, s: State) -> State:
        return s if self.card == HIDDEN else replace(s, cuba=self.card, deck=s.deck.located(self.card))


class HandSeen(_Private, frozen=True):
    """`side` has looked at the hand of the other side, `of`."""

    reveals: ClassVar[bool] = True
    conceals = ("cards",)

    side: Side
    of: Side
    cards: Cards

    def apply(self, s: State) -> State:
        if HIDDEN in self.cards:
            return s
        deck = s.deck
        for card in self.cards:
            deck = deck.located(card)
        return replace(s, deck=deck, hands={**s.hands, self.of: sorted_cards(self.cards)})


class TopSeen(_Private, frozen=True):
    """One player has looked at the top card of the deck; its position is fixed from now on."""

    reveals: ClassVar[bool] = True
    conceals = ("card",)

    side: Side
    card: str

    def apply(self, s: State) -> State:
        if not s.deck.top:
            return replace(s, deck=s.deck.drawn((self.card,)).put_on_top((self.card,)))
        if self.card == HIDDEN:
            return s
        return replace(s, deck=replace(s.deck.located(self.card), top=(self.card, *s.deck.top[1:])))


class TopExchanged(_Private, frozen=True):
    """The top card of the deck, `taken`, and a card of the hand, `given`, have changed places."""

    conceals = ("given", "taken")
    side: Side
    given: str
    taken: str

    def apply(self, s: State) -> State:
        hand, top = s.hands[self.side], s.deck.top
        taken = top[0] if self.taken == HIDDEN else self.taken
        given = hand[0] if self.given == HIDDEN and len(hand) == 1 else self.given
        if (
            given == HIDDEN
        ):  # any card of the hand may have gone: what this viewer knew of it is unknown again
            rest, open_again = (HIDDEN,) * (len(hand) - 1), set(hand) - {HIDDEN}
        else:
            rest, open_again = without(hand, given), set()
        cards = tuple(sorted(({*s.deck.cards} | open_again) - {given, taken}))
        deck = replace(s.deck, cards=cards, top=(given, *top[1:]))
        return replace(s, deck=deck, hands={**s.hands, self.side: sorted_cards(rest, (taken,))})


class CardDrawn(_Private, frozen=True):
    """A new card for the hand at the end of a turn."""

    reveals: ClassVar[bool] = True
    conceals = ("card",)

    side: Side
    card: str

    def apply(self, s: State) -> State:
        if s.deck.top:  # a viewer who knew the top card knows where it went
            card = s.deck.top[0] if self.card == HIDDEN else self.card
            deck = s.deck.without_top(card)
        else:
            card, deck = self.card, s.deck.drawn((self.card,))
        hand = sorted_cards(s.hands[self.side], (card,))
        return replace(s, deck=deck, hands={**s.hands, self.side: hand})
