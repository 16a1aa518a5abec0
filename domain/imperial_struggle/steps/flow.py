"""The course of a match: bids, set-up, the phases of a peace turn, what follows it (4.0, 4.1)."""

from __future__ import annotations

from typing import ClassVar

from domain.imperial_struggle.components import (
    AWARDS,
    BR,
    ERAS,
    FR,
    LAST_TURN,
    MINISTRIES,
    OTHER,
    SIDES,
    WAR_AFTER,
)
from domain.imperial_struggle.facts.cards import (
    AwardsShuffled,
    CardsDropped,
    DropsShown,
    EventsAdded,
    EventsRetired,
    InvestmentsUsed,
    MinistriesChosen,
    MinistriesReturned,
    UprisingsAdded,
    UprisingsDeclined,
)
from domain.imperial_struggle.facts.flow import (
    BidMade,
    BidsOpened,
    FirstChosen,
    InitiativeSet,
    MarkersReset,
    SidesSettled,
    TurnBegan,
)
from domain.imperial_struggle.rules.registry import EVENTS, REVOLUTION, SUCCESSION
from domain.imperial_struggle.rules.scoring import EVEN
from domain.imperial_struggle.state import State
from domain.imperial_struggle.steps.deeds import change_limit, treaty
from domain.imperial_struggle.steps.rounds import Round
from domain.imperial_struggle.steps.scoring import CheckVictory, EndTurn, FinalScoring
from domain.imperial_struggle.steps.tiles import DealTo, DrawDemand, LayAwards, ShowInvestments
from domain.imperial_struggle.steps.wars import Layout, War
from domain.kernel import Draw, Picks, Resolution, Seat, Step
from domain.piles import sorted_cards

MOST_BID = 30  # Treaty Points are kept on the track of 30 spaces; the book sets no limit
NEW_EVENTS, HAND = 3, 3
ROUNDS = 8
MINISTRIES_EACH = 2
LIMIT_RISES = 4
UPRISINGS = "jacobite_uprisings"
YES, NO = "yes", "no"

# --------------------------------------------------------------------------- set-up


class SetUp(Step[State], frozen=True):
    """Who plays which side, and the layout of the first war; the board is set up as it is printed."""

    rule: ClassVar[str] = "book 001, 7.4: bidding for sides; the set-up of the reference book"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if s.options.bid != "none":
            yield SealBid(SIDES)
        yield Layout("wss")
        yield Turn(1)


class SealBid(Step[State], frozen=True):
    """Each player writes down the Treaty Points that they would give for the side which both want."""

    spelling = ("{number}",)
    rule: ClassVar[str] = "book 001, 7.4: bidding for sides"
    secret: ClassVar[bool] = True
    waiting: tuple[Seat, ...]

    def asks(self, s: State) -> tuple[Seat, ...]:
        return self.waiting

    def options(self, s: State, seat: Seat) -> Picks:
        return tuple(str(points) for points in range(MOST_BID + 1))

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"side": s.options.bid}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        yield BidMade(seat, picks[0])
        rest = tuple(side for side in self.waiting if side != seat)
        yield SealBid(rest) if rest else OpenBids()


class OpenBids(Step[State], frozen=True):
    """The higher bid plays the side; the other gets the Treaty Points of that bid, and the other side."""

    rule: ClassVar[str] = "book 001, 7.4: bidding for sides"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        s = yield BidsOpened(s.bids[BR], s.bids[FR])
        bids = {chair: int(s.bids[chair]) for chair in SIDES}
        if bids[BR] == bids[FR]:
            yield BreakTie()
        else:
            yield from settle(s, max(SIDES, key=lambda chair: bids[chair]))


def settle(s: State, chair: Seat) -> Resolution[State]:
    """The player on `chair` plays the side that both bid for."""
    side = s.options.bid
    points = int(s.bids[chair])
    s = yield SidesSettled(chair != side, OTHER[side], points)
    yield from treaty(s, OTHER[side], points, "bid")


class BreakTie(Draw[State], frozen=True):
    """Equal bids: chance says who plays the side."""

    spelling = ("{seat}",)
    rule: ClassVar[str] = "book 001, 7.4: equal bids"

    def options(self, s: State, seat: Seat) -> Picks:
        return SIDES

    def label(self, s: State) -> str:
        return "bid/tie"

    def face_up(self, s: State) -> bool:
        return True

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        yield from settle(s, picks[0])


# --------------------------------------------------------------------------- a peace turn


class Turn(Step[State], frozen=True):
    """4.1: the phases of a peace turn, in order, and what follows it."""

    rule: ClassVar[str] = "book 001, 4.1: the peace turn"
    turn: int

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        s = yield TurnBegan(self.turn, ERAS[self.turn])
        yield from _open_era(s, self.turn)
        yield LayAwards()
        yield DrawDemand()
        yield ResetMarkers()
        yield ShowInvestments()
        for side in SIDES:
            yield DealTo(side, NEW_EVENTS)
        yield DropCards(SIDES)
        if self.turn > 1 and _new_era(self.turn):
            yield ReturnMinistries()
        yield OfferUprisings()
        yield ChooseMinistries(SIDES)
        yield TakeInitiative()
        yield EndTurn()
        yield CheckVictory()
        yield Follow()


def _new_era(turn: int) -> bool:
    return ERAS.get(turn - 1) != ERAS[turn]


def _open_era(s: State, turn: int) -> Resolution[State]:
    """4.1.1 to 4.1.3: what the first turn of an era brings before anything else."""
    if not _new_era(turn):
        return
    era = ERAS[turn]
    if era == REVOLUTION:
        s = yield _retired(s)
    if turn > 1:
        s = yield EventsAdded(era, events_of(era))
        for side in SIDES:
            s = yield from change_limit(s, side, LIMIT_RISES, era)
    yield AwardsShuffled(tuple(AWARDS))


def events_of(era: str) -> tuple[str, ...]:
    """The events of an era, by number."""
    cards = sorted(EVENTS.values(), key=lambda card: card.number)
    return tuple(card.id for card in cards if card.era == era)


def _retired(s: State) -> EventsRetired:
    """4.1.1: the Succession events that are still about."""
    old = {card for card in EVENTS if EVENTS[card].era == SUCCESSION}
    return EventsRetired(
        tuple(card for card in s.deck.cards if card in old),
        sorted_cards(card for card in s.discards if card in old),
        {side: tuple(card for card in s.hands[side] if card in old) for side in SIDES},
    )


class ResetMarkers(Step[State], frozen=True):
    """4.1.5: nothing is Exhausted any more, Squadrons return, the tiles of the last turn are used."""

    rule: ClassVar[str] = "book 001, 4.1.5: the reset phase"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        s = yield MarkersReset(dict(s.away))
        if s.shown:
            yield InvestmentsUsed()


class DropCards(Step[State], frozen=True):
    """4.1.6: each of `waiting` lays cards aside, face down, until three are left; then all are shown."""

    spelling = ("{event}",)
    rule: ClassVar[str] = "book 001, 4.1.6: a hand of three event cards"
    secret: ClassVar[bool] = True
    waiting: tuple[Seat, ...]

    def asks(self, s: State) -> tuple[Seat, ...]:
        return tuple(side for side in self.waiting if len(s.hands[side]) > HAND)

    def options(self, s: State, seat: Seat) -> Picks:
        return s.hands[seat]

    def bounds(self, s: State, seat: Seat) -> tuple[int, int]:
        count = len(s.hands[seat]) - HAND
        return count, count

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"count": len(s.hands[seat]) - HAND}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if picks:
            s = yield CardsDropped(seat, sorted_cards(picks))
        rest = tuple(side for side in self.waiting if side != seat)
        if picks and any(len(s.hands[side]) > HAND for side in rest):
            yield DropCards(rest)
        elif any(s.dropped.values()):
            yield DropsShown(s.dropped)


# --------------------------------------------------------------------------- ministries


class ReturnMinistries(Step[State], frozen=True):
    """4.1.7: on the first turn of a new era every ministry goes back to its side, open or not."""

    rule: ClassVar[str] = "book 001, 4.1.7: the ministry phase"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        yield MinistriesReturned()


class OfferUprisings(Step[State], frozen=True):
    """Won by France in the Austrian Succession: Jacobite Uprisings as a third ministry, face up.

    Not offered while it is the third already; where it lies open as one of the two, it gives its place up.
    """

    spelling = ("no", "yes")
    rule: ClassVar[str] = "book 001, 7.3, and the war display: Jacobite Uprisings as a third ministry"

    def asks(self, s: State) -> tuple[Seat, ...]:
        offered = s.uprisings and not s.defeated and not s.third
        return (FR,) if offered else ()

    def options(self, s: State, seat: Seat) -> Picks:
        return (YES, NO)

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if picks:
            yield UprisingsAdded(FR) if picks[0] == YES else UprisingsDeclined(FR)


class ChooseMinistries(Step[State], frozen=True):
    """4.1.7: each of `waiting` lays ministries of the era face down; open ones stay."""

    spelling = ("{ministry}",)
    rule: ClassVar[str] = "book 001, 4.1.7: the ministry phase"
    secret: ClassVar[bool] = True
    waiting: tuple[Seat, ...]

    def asks(self, s: State) -> tuple[Seat, ...]:
        return tuple(side for side in self.waiting if free_places(s, side))

    def options(self, s: State, seat: Seat) -> Picks:
        return eligible(s, seat)

    def bounds(self, s: State, seat: Seat) -> tuple[int, int]:
        return free_places(s, seat), free_places(s, seat)

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"era": ERAS[s.turn], "count": free_places(s, seat)}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if picks:
            yield MinistriesChosen(seat, sorted_cards(picks))
        rest = tuple(side for side in self.waiting if side != seat)
        if picks and rest:
            yield ChooseMinistries(rest)


def free_places(s: State, side: Seat) -> int:
    """How many of a side's two ministries are not open yet; a third one takes no place."""
    kept = sum(MINISTRIES[card].side == side for card in s.revealed)
    return MINISTRIES_EACH - kept + (s.third and side == FR)


def eligible(s: State, side: Seat) -> Picks:
    """The ministries of the era that a side may lay down."""
    return tuple(
        card.id
        for card in MINISTRIES.values()
        if card.side == side
        and ERAS[s.turn] in card.eras
        and card.id not in s.revealed
        and not (card.id == UPRISINGS and s.defeated)
    )


# --------------------------------------------------------------------------- who plays first


class TakeInitiative(Step[State], frozen=True):
    """4.1.8: the side that is behind holds the initiative; on the first turn France has it."""

    rule: ClassVar[str] = "book 001, 4.1.8: the initiative"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if s.turn > 1 and s.vp != EVEN:
            s = yield InitiativeSet(FR if s.vp < EVEN else BR)
        yield ChooseFirst(s.initiative)


class ChooseFirst(Step[State], frozen=True):
    """4.1.8: the holder of the initiative says which side plays first."""

    spelling = ("{seat}",)
    rule: ClassVar[str] = "book 001, 4.1.8: who plays first"
    seat: Seat

    def asks(self, s: State) -> tuple[Seat, ...]:
        return (self.seat,)

    def options(self, s: State, seat: Seat) -> Picks:
        return SIDES

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"turn": s.turn}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        s = yield FirstChosen(seat, picks[0])
        for number in range(1, ROUNDS + 1):
            yield Round(s.first if number % 2 else OTHER[s.first], number)


class Follow(Step[State], frozen=True):
    """2.1: a war where one is due, the next turn, or final scoring."""

    rule: ClassVar[str] = "book 001, 2.1: turns and wars"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if s.turn == LAST_TURN:
            yield FinalScoring()
            return
        if s.turn in WAR_AFTER:
            yield War(WAR_AFTER[s.turn])
        yield Turn(s.turn + 1)
