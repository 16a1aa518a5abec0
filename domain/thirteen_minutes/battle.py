"""A battle from the shuffled deck to its result, and the campaign of battles (book 002, Set-up, Campaign)."""

from __future__ import annotations

from typing import ClassVar

from domain.kernel import Draw, Picks, Resolution, Seat, Step
from domain.piles import sorted_cards
from domain.thirteen_minutes.board import HAND, SIDES, US, USSR, Side
from domain.thirteen_minutes.facts import (
    BattleBegan,
    BidMade,
    BidsLost,
    BidsOpened,
    CubaDealt,
    FirstPlayerChosen,
    FirstPlayerDrawn,
    HandDealt,
)
from domain.thirteen_minutes.rules import battle_winner, card_ids, higher, outcome, totals
from domain.thirteen_minutes.scoring import scoring
from domain.thirteen_minutes.scoring_facts import BattleEnded
from domain.thirteen_minutes.state import State
from domain.thirteen_minutes.turns import Turns


class BeginBattle(Step[State], frozen=True):
    """Collect and shuffle everything, deal, bid, play, score."""

    rule: ClassVar[str] = "book 002, Set-up"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        card_set = s.options.card_set if isinstance(s.options.card_set, str) else "own"
        yield BattleBegan(s.battle + 1, _seats(s), card_ids(s), card_set)
        yield Deal(US)
        yield Deal(USSR)
        yield DealCuba()
        yield Bid(1, SIDES)
        yield Turns()
        yield from scoring()
        yield EndBattle()


def _seats(s: State) -> dict[Side, Seat]:
    """Who plays which side: in the first battle the seat of that name (option campaign_sides)."""
    if not s.seats:
        return {US: US, USSR: USSR}
    return {US: s.seats[USSR], USSR: s.seats[US]} if s.options.campaign_sides == "swapped" else s.seats


class Deal(Draw[State], frozen=True):
    """Two cards to a side."""

    spelling = ("{card}",)
    rule: ClassVar[str] = "book 002, Set-up"

    side: Side

    def label(self, s: State) -> str:
        return f"deal/b{s.battle}/{s.seats[self.side]}"

    def options(self, s: State, seat: Seat) -> Picks:
        return s.deck.cards

    def bounds(self, s: State, seat: Seat) -> tuple[int, int]:
        return HAND, HAND

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        yield HandDealt(s.seats[self.side], self.side, sorted_cards(picks))


class DealCuba(Draw[State], frozen=True):
    """The next card, unseen by both, becomes Cuba."""

    spelling = ("{card}",)
    rule: ClassVar[str] = "book 002, Set-up; T-CUBA"

    def label(self, s: State) -> str:
        return f"deal/b{s.battle}/cuba"

    def options(self, s: State, seat: Seat) -> Picks:
        return s.deck.cards

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        yield CubaDealt(picks[0])


class Bid(Step[State], frozen=True):
    """How many cubes to bid?  Both sides at once, in secret; the sides in `waiting` have not bid yet."""

    spelling = ("{number}",)
    secret: ClassVar[bool] = True
    rule: ClassVar[str] = "book 002, Initiative; T-BID"

    round: int
    waiting: tuple[Side, ...]

    def asks(self, s: State) -> tuple[Seat, ...]:
        return tuple(s.seats[side] for side in self.waiting)

    def options(self, s: State, seat: Seat) -> Picks:
        return tuple(str(cubes) for cubes in range(s.supply[self._side(s, seat)] + 1))

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"side": self._side(s, seat), "round": self.round}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        side = self._side(s, seat)
        yield BidMade(seat, side, self.round, int(picks[0]))
        rest = tuple(other for other in self.waiting if other != side)
        yield Bid(self.round, rest) if rest else OpenBids(self.round)

    def _side(self, s: State, seat: Seat) -> Side:
        return US if s.seats[US] == seat else USSR


class OpenBids(Step[State], frozen=True):
    """Equal bids cost nothing, and both bid again; else both bids are lost, and the higher bidder chooses.

    If the bids are equal as often as the option equal_bids says, they cost nothing, and chance chooses.
    """

    rule: ClassVar[str] = "book 002, Initiative; T-BID"

    round: int

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        us, ussr = int(s.bids[US]), int(s.bids[USSR])
        winner = higher(us, ussr)
        yield BidsOpened(self.round, us, ussr, winner)
        if winner is None:
            yield Bid(self.round + 1, SIDES) if self.round < s.options.equal_bids else DrawFirst()
            return
        yield BidsLost(s.supply[US] - us, s.supply[USSR] - ussr)
        yield ChooseFirst(winner)


class ChooseFirst(Step[State], frozen=True):
    """The higher bidder says who goes first."""

    spelling = ("{seat}",)
    rule: ClassVar[str] = "book 002, Initiative; T-BID"

    side: Side

    def asks(self, s: State) -> tuple[Seat, ...]:
        return (s.seats[self.side],)

    def options(self, s: State, seat: Seat) -> Picks:
        return SIDES

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"side": self.side}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        yield FirstPlayerChosen(self.side, picks[0])


class DrawFirst(Draw[State], frozen=True):
    """Which side goes first, after too many equal bids."""

    spelling = ("{seat}",)
    rule: ClassVar[str] = "a reading of our own: the option equal_bids"

    def label(self, s: State) -> str:
        return f"first/b{s.battle}"

    def face_up(self, s: State) -> bool:
        return True

    def options(self, s: State, seat: Seat) -> Picks:
        return SIDES

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        yield FirstPlayerDrawn(picks[0])


class EndBattle(Step[State], frozen=True):
    """The result of the battle; in a campaign the next one follows, unless it decides everything."""

    rule: ClassVar[str] = "book 002, Campaign; T-CAMPAIGN, T-TIE"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        s = yield BattleEnded(s.battle, battle_winner(s), s.vp[US], s.vp[USSR], totals(s))
        end = outcome(s)
        if end is None:
            yield BeginBattle()
        else:
            yield end
