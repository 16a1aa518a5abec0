"""A tiny game whose two players may change places, for the tests of who plays which seat.

Both wish in secret for a seat; where each wants the other's, they change places.  Each seat is dealt a card
in secret, and the seats take turns: nod, swap (change places at once, openly), win.  Whoever grabs instead
of wishing changes places while the other seat is still asked.  With the option `lots` a draw of the set-up
decides who plays what, before anybody is asked.
"""

from __future__ import annotations

from typing import Any, ClassVar

from msgspec.structs import replace

from domain.game import Game, Option
from domain.game import Options as GivenOptions
from domain.kernel import Draw, Ended, Fact, Picks, Resolution, Seat, SeatsSettled, Step, Table
from domain.piles import Pile
from domain.texts import LANGUAGES, Texts

DARK, LIGHT = SEATS = ("dark", "light")
OTHER = {DARK: LIGHT, LIGHT: DARK}
CARDS = tuple(f"card-{n}" for n in range(1, 9))


class State(Table, frozen=True, kw_only=True, omit_defaults=True):
    lots: bool = False
    wishes: dict[str, str] = {}
    hands: dict[str, tuple[str, ...]]
    pile: Pile = Pile()


class WishMade(Fact[State], frozen=True):
    conceals = ("wish",)
    seat: Seat
    wish: str

    def apply(self, s: State) -> State:
        return replace(s, wishes={**s.wishes, self.seat: self.wish})


class WishesOpened(Fact[State], frozen=True):
    reveals: ClassVar[bool] = True
    wishes: dict[str, str]

    def apply(self, s: State) -> State:
        return replace(s, wishes=self.wishes)


class PlacesSettled(SeatsSettled[State], frozen=True):
    """Nothing but what the kernel's fact says."""


class Dealt(Fact[State], frozen=True):
    conceals = ("card",)
    seat: Seat
    card: str

    def apply(self, s: State) -> State:
        hands = {**s.hands, self.seat: (*s.hands[self.seat], self.card)}
        return replace(s, hands=hands, pile=s.pile.drawn((self.card,)))


class Nodded(Fact[State], frozen=True):
    seat: Seat


class Lot(Draw[State], frozen=True):
    def label(self, s: State) -> str:
        return "lot"

    def face_up(self, s: State) -> bool:
        return True

    def options(self, s: State, seat: Seat) -> Picks:
        return ("exchange",)

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        yield PlacesSettled(True)


class Wish(Step[State], frozen=True):
    secret: ClassVar[bool] = True
    waiting: tuple[Seat, ...]

    def asks(self, s: State) -> tuple[Seat, ...]:
        return self.waiting

    def options(self, s: State, seat: Seat) -> Picks:
        return (*SEATS, "grab")

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if picks == ("grab",):
            s = yield PlacesSettled(not s.exchanged)
            s = yield WishMade(seat, seat)
        else:
            s = yield WishMade(seat, picks[0])
        if rest := tuple(name for name in self.waiting if name != seat):
            yield Wish(rest)
            return
        s = yield WishesOpened(s.wishes)
        yield PlacesSettled(s.exchanged != all(s.wishes[name] == OTHER[name] for name in SEATS))
        for name in SEATS:
            yield Deal(name)
        yield Turn(DARK)


class Deal(Draw[State], frozen=True):
    seat: Seat

    def label(self, s: State) -> str:
        return f"deal/{self.seat}"

    def options(self, s: State, seat: Seat) -> Picks:
        return s.pile.cards

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        yield Dealt(self.seat, picks[0])


class Turn(Step[State], frozen=True):
    seat: Seat

    def asks(self, s: State) -> tuple[Seat, ...]:
        return (self.seat,)

    def options(self, s: State, seat: Seat) -> Picks:
        return ("nod", "swap", "win")

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if picks == ("nod",):
            yield Nodded(seat)
            yield Turn(OTHER[seat])
        elif picks == ("swap",):
            yield PlacesSettled(not s.exchanged)
            yield self
        else:
            yield Ended(seat, "won", {seat: 1, OTHER[seat]: 0})


SwapFact: Any = WishMade | WishesOpened | PlacesSettled | Dealt | Nodded | Ended
SwapStep = Lot | Wish | Deal | Turn


def table(edition: str, options: GivenOptions) -> State:
    nothing: dict[str, tuple[str, ...]] = dict.fromkeys(SEATS, ())
    return State(lots=options["lots"] is True, hands=nothing, pile=Pile.of(CARDS))


def first(s: State) -> tuple[Step[State], ...]:
    return (Lot(), Wish(SEATS)) if s.lots else (Wish(SEATS),)


GAME = Game(
    name="swap",
    seats=SEATS,
    editions=("first",),
    options=(Option("lots", False, choices=(True, False)),),
    table=table,
    first=first,
    state=State,
    facts=SwapFact,
    steps=SwapStep,
    score=lambda s: dict.fromkeys(SEATS, 0),
    components=lambda: {"cards": CARDS},
)
GAME.rules = "swap-rules"  # it is no package of `domain`, so there is nothing to hash
GAME.texts = {
    language: Texts(
        language,
        {
            "names": {"swap": "Swapping", "dark": "Dark", "light": "Light", "won": "a win"},
            "facts": {
                name: [{"says": f"{name}."}]
                for name in ("WishMade", "WishesOpened", "PlacesSettled", "Dealt", "Nodded", "Ended")
            },
            "asks": {"Wish": {"why": "Which seat?"}, "Turn": {"why": "What now?"}},
            "options": {"lots": {"about": "A draw decides."}},
        },
    )
    for language in LANGUAGES
}
