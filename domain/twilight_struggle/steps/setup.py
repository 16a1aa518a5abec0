"""Setting up: bids for the sides, the first deal, the free influence, a handicap (section 3 and 11)."""

from __future__ import annotations

from typing import ClassVar

from domain.kernel import CHANCE, Draw, Picks, Resolution, Seat, Step
from domain.twilight_struggle.components import MAP, OTHER, US, USSR
from domain.twilight_struggle.facts.flow import BidMade, BidPassed, BidRaised, BidsOpened, SidesSettled
from domain.twilight_struggle.rules.board import Where, influence
from domain.twilight_struggle.state import State
from domain.twilight_struggle.steps.choices import Adding
from domain.twilight_struggle.steps.deeds import add, gain
from domain.twilight_struggle.steps.flow import Turn
from domain.twilight_struggle.steps.hands import Deal

SETUP = "setup"
MOST_BID = 20
MOST_POINTS = 19  # of an auction: the twentieth would be the opponent's victory (10.3.1)
EASTERN, WESTERN = Where(regions=("eastern_europe",)), Where(regions=("western_europe",))
LATE_WAR_TURN = 8


class SetUp(Step[State], frozen=True):
    """3: the sides, the first hands, the free influence; the scenario has its influence printed."""

    rule: ClassVar[str] = "book 003, 3: setting up"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if s.options.bid == "influence":
            yield SealBid((US, USSR))
        elif s.options.bid == "victory_points":
            yield FirstBidder()
        late = s.options.scenario == "late_war"
        if not late:
            yield Deal()
            yield PlaceFree(USSR, SETUP, USSR, EASTERN, 6, 6, 6)
            yield PlaceFree(US, SETUP, US, WESTERN, 7, 7, 7)
        yield GiveBid()
        yield from _handicap(s)
        yield Turn(LATE_WAR_TURN if late else 1)


class PlaceFree(Adding, frozen=True):
    """The free influence of the set-up; a country has no limit, so `most` is all of it."""

    rule: ClassVar[str] = "book 003, 3.2 and 3.3: free influence of the set-up"


def _handicap(s: State) -> Resolution[State]:
    """A fixed amount of extra influence: above 0 for the US, below 0 for the USSR."""
    count = s.options.handicap
    if count:
        yield PlaceExtra(US if count > 0 else USSR, "handicap", abs(count), abs(count))


class PlaceExtra(Step[State], frozen=True):
    """Book 003, 11.4.1: extra influence, only where the side has some, at most 2 more than control needs."""

    spelling = ("{country}",)
    rule: ClassVar[str] = "book 003, 11.4.1: extra influence"
    seat: Seat
    card: str
    left: int
    of: int

    def asks(self, s: State) -> tuple[Seat, ...]:
        return (self.seat,)

    def options(self, s: State, seat: Seat) -> Picks:
        return tuple(
            country
            for country, count in s.influence[seat].items()
            if count < MAP[country].stability + influence(s, OTHER[seat], country) + 2
        )

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"card": self.card, "left": self.left, "of": self.of}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if picks:
            yield from add(s, self.seat, picks[0], 1)
            if self.left > 1:
                yield PlaceExtra(self.seat, self.card, self.left - 1, self.of)


# --------------------------------------------------------------------------- sealed bids (book 003, 11.4)


class SealBid(Step[State], frozen=True):
    """Each writes a superpower and a number: "us:3"."""

    spelling = ("{seat}:{number}",)
    rule: ClassVar[str] = "book 003, 11.4: bidding for sides"
    secret: ClassVar[bool] = True
    waiting: tuple[Seat, ...]

    def asks(self, s: State) -> tuple[Seat, ...]:
        return self.waiting

    def options(self, s: State, seat: Seat) -> Picks:
        return tuple(f"{side}:{points}" for side in (US, USSR) for points in range(MOST_BID + 1))

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        yield BidMade(seat, picks[0])
        rest = tuple(side for side in self.waiting if side != seat)
        yield SealBid(rest) if rest else OpenBids()


class OpenBids(Step[State], frozen=True):
    """Different superpowers: each player gets theirs; the same one: the higher number decides, or chance."""

    rule: ClassVar[str] = "book 003, 11.4: bidding for sides"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        s = yield BidsOpened(s.bids[US], s.bids[USSR])
        (mine, own), (yours, other) = (_bid(s, chair) for chair in (US, USSR))
        if mine != yours:
            yield SidesSettled(mine != US, US, 0)
        elif own == other:
            yield BreakTie(mine, own)
        else:
            yield settled(US if own > other else USSR, mine, max(own, other))


def _bid(s: State, chair: Seat) -> tuple[Seat, int]:
    side, _, points = s.bids[chair].partition(":")
    return side, int(points)


def settled(chair: Seat, side: Seat, gift: int) -> SidesSettled:
    """The player on `chair` gets `side`; the other side gets the gift."""
    return SidesSettled(chair != side, OTHER[side], gift)


class BreakTie(Draw[State], frozen=True):
    """Equal bids for the same superpower: chance gives it to one of the chairs."""

    spelling = ("{seat}",)
    rule: ClassVar[str] = "book 003, 11.4: equal bids"
    side: Seat
    points: int

    def options(self, s: State, seat: Seat) -> Picks:
        return (US, USSR)

    def label(self, s: State) -> str:
        return "bid/tie"

    def face_up(self, s: State) -> bool:
        return True

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        yield settled(picks[0], self.side, self.points)


class GiveBid(Step[State], frozen=True):
    """The extra influence of a sealed bid, after the ordinary set-up."""

    rule: ClassVar[str] = "book 003, 11.4.1: extra influence"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if s.gift:
            yield PlaceExtra(s.gift_to, "bid", s.gift, s.gift)


# --------------------------------------------------------------------------- the auction (book 000, 11.1.3)


class FirstBidder(Draw[State], frozen=True):
    """Chance says which player bids first."""

    spelling = ("{seat}",)
    rule: ClassVar[str] = "book 000, 11.1.3: the auction"

    def asks(self, s: State) -> tuple[Seat, ...]:
        return (CHANCE,)

    def options(self, s: State, seat: Seat) -> Picks:
        return (US, USSR)

    def label(self, s: State) -> str:
        return "bid/first"

    def face_up(self, s: State) -> bool:
        return True

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        yield Bid(picks[0])


class Bid(Step[State], frozen=True):
    """An open bid of victory points for a superpower; the other may raise, until both have passed.

    `chair` made the standing bid ("": there is none yet), of `points` for `side`.
    """

    spelling = ("pass", "{seat}:{number}")
    rule: ClassVar[str] = "book 000, 11.1.3: the auction"
    seat: Seat
    holder: Seat = ""
    side: Seat = ""
    points: int = -1
    passes: int = 0

    def asks(self, s: State) -> tuple[Seat, ...]:
        return (self.seat,)

    def options(self, s: State, seat: Seat) -> Picks:
        sides = (self.side,) if self.side else (US, USSR)
        higher = range(self.points + 1, MOST_POINTS + 1)
        return (*(f"{side}:{points}" for side in sides for points in higher), "pass")

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"side": self.side, "points": max(0, self.points)}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        other = OTHER[self.seat]
        if picks[0] != "pass":
            side, _, points = picks[0].partition(":")
            yield BidRaised(self.seat, side, int(points))
            yield Bid(other, self.seat, side, int(points))
        elif self.holder:
            yield BidPassed(self.seat)
            s = yield SidesSettled(self.holder != self.side, OTHER[self.side], 0)
            yield from gain(s, OTHER[self.side], self.points, "bid")
        else:
            yield BidPassed(self.seat)
            yield Bid(other, passes=1) if not self.passes else SidesSettled(False, US, 0)
