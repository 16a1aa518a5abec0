"""A toy game that uses all that the kernel offers, for the tests of kernel, log and store.

Two seats, two rounds.  Each is dealt a card in secret, both bid in secret (a tie is bid again), the higher
bidder plays cards until he stops: an open die for each.  The higher total wins.
"""

from __future__ import annotations

from typing import Any, ClassVar

from msgspec.structs import replace

from domain.game import Game, Option
from domain.game import Options as GivenOptions
from domain.kernel import Draw, Ended, Fact, Picks, Resolution, Seat, Step, Table
from domain.piles import Pile, without

SEATS = ("left", "right")
CARDS = tuple(f"card-{n}" for n in range(1, 7))


class State(Table, frozen=True, kw_only=True, omit_defaults=True):
    round: int = 0
    rounds: int = 2
    pile: Pile = Pile()
    hands: dict[str, tuple[str, ...]]
    bids: dict[str, int] = {}
    points: dict[str, int]


class RoundBegan(Fact[State], frozen=True):
    round: int

    def apply(self, s: State) -> State:
        return replace(s, round=self.round, bids={})


class RoundEnded(Fact[State], frozen=True):
    ends_period: ClassVar[bool] = True
    round: int


class Dealt(Fact[State], frozen=True):
    conceals = ("card",)
    seat: Seat
    card: str

    def apply(self, s: State) -> State:
        hands = {**s.hands, self.seat: (*s.hands[self.seat], self.card)}
        return replace(s, hands=hands, pile=s.pile.drawn((self.card,)))


class BidPlaced(Fact[State], frozen=True):
    seat: Seat
    bid: int | None

    def known_to(self) -> tuple[Seat, ...]:
        return (self.seat,)

    def outside(self) -> Fact[State]:
        return replace(self, bid=None)

    def apply(self, s: State) -> State:
        return s if self.bid is None else replace(s, bids={**s.bids, self.seat: self.bid})


class BidsOpened(Fact[State], frozen=True):
    reveals: ClassVar[bool] = True
    bids: dict[str, int]

    def apply(self, s: State) -> State:
        return replace(s, bids=self.bids)


class CardPlayed(Fact[State], frozen=True):
    reveals: ClassVar[bool] = True
    seat: Seat
    card: str

    def apply(self, s: State) -> State:
        hands = {**s.hands, self.seat: without(s.hands[self.seat], self.card)}
        return replace(s, hands=hands, pile=s.pile.located(self.card))


class Rolled(Fact[State], frozen=True):
    seat: Seat
    die: int
    now: int

    def apply(self, s: State) -> State:
        return replace(s, points={**s.points, self.seat: self.now})


class Waved(Fact[State], frozen=True):
    seat: Seat


class Round(Step[State], frozen=True):
    number: int

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        yield RoundBegan(self.number)
        for name in SEATS:
            yield Deal(name)
        yield Bid(SEATS)
        yield Close(self.number)


class Deal(Draw[State], frozen=True):
    seat: Seat

    def label(self, s: State) -> str:
        return f"deal/r{s.round}/{self.seat}"

    def options(self, s: State, seat: Seat) -> Picks:
        return s.pile.cards

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        yield Dealt(self.seat, picks[0])


class Bid(Step[State], frozen=True):
    secret: ClassVar[bool] = True
    waiting: tuple[Seat, ...]
    again: int = 0

    def asks(self, s: State) -> tuple[Seat, ...]:
        return self.waiting

    def options(self, s: State, seat: Seat) -> Picks:
        return ("0", "1", "2", "3")

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        s = yield BidPlaced(seat, int(picks[0]))
        if rest := tuple(name for name in self.waiting if name != seat):
            yield replace(self, waiting=rest)
            return
        s = yield BidsOpened(s.bids)
        left, right = s.bids["left"], s.bids["right"]
        yield Bid(SEATS, self.again + 1) if left == right else Turn("left" if left > right else "right")


class Turn(Step[State], frozen=True):
    """Wave as often as you like, then play a card (a die follows) or stop."""

    seat: Seat

    def asks(self, s: State) -> tuple[Seat, ...]:
        return (self.seat,)

    def options(self, s: State, seat: Seat) -> Picks:
        return ("stop", "wave", *s.hands[self.seat])

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if picks == ("stop",):
            return
        if picks == ("wave",):
            yield Waved(seat)
        else:
            yield CardPlayed(seat, picks[0])
            yield Roll(seat)
        yield self


class Roll(Draw[State], frozen=True):
    seat: Seat

    def label(self, s: State) -> str:
        return f"die/r{s.round}/{self.seat}"

    def face_up(self, s: State) -> bool:
        return True

    def options(self, s: State, seat: Seat) -> Picks:
        return ("1", "2", "3", "4", "5", "6")

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        yield Rolled(self.seat, int(picks[0]), s.points[self.seat] + int(picks[0]))


class Close(Step[State], frozen=True):
    number: int

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        yield RoundEnded(self.number)
        if self.number < s.rounds:
            yield Round(self.number + 1)
            return
        left, right = s.points["left"], s.points["right"]
        winner = None if left == right else "left" if left > right else "right"
        yield Ended(winner, "points", dict(s.points))


ToyFact: Any = RoundBegan | RoundEnded | Dealt | BidPlaced | BidsOpened | CardPlayed | Rolled | Waved | Ended
ToyStep = Round | Deal | Bid | Turn | Roll | Close


def table(edition: str, options: GivenOptions) -> State:
    rounds = options["rounds"]
    assert isinstance(rounds, int)
    nothing = dict.fromkeys(SEATS, 0)
    return State(pile=Pile.of(CARDS), rounds=rounds, hands=dict.fromkeys(SEATS, ()), points=nothing)


GAME = Game(
    name="toy",
    seats=SEATS,
    editions=("first",),
    options=(Option("rounds", 2, least=1, most=3),),
    table=table,
    first=lambda s: (Round(1),),
    state=State,
    facts=ToyFact,
    steps=ToyStep,
    score=lambda s: dict(s.points),
    components=lambda: {"cards": CARDS},
)
GAME.rules = "toy-rules"  # it is no package of `domain`, so there is nothing to hash
