"""What chance deals: event cards, investment tiles, awards, demand, war tiles; and where war tiles go."""

from __future__ import annotations

from itertools import zip_longest
from typing import ClassVar

from domain.imperial_struggle.components import GOODS, REGIONS, WARS
from domain.imperial_struggle.facts.cards import (
    AwardsLaid,
    CardsDealt,
    DemandSet,
    DiscardsReshuffled,
    InvestmentsReshuffled,
    InvestmentsShown,
)
from domain.imperial_struggle.facts.wars import BasicsDrawn, BasicsLaid, BonusDrawn, BonusMoved, BonusPlaced
from domain.imperial_struggle.rules.purchases import MOST_BONUSES, rooms
from domain.imperial_struggle.state import State
from domain.kernel import Draw, Picks, Resolution, Seat, Step
from domain.piles import sorted_cards

SHOWN, IN_DEMAND = 9, 3
PLACES = ("first", "second", "third", "fourth")  # of the theatres of a war, of which one has but three
NO_THEATRE = "no_theatre"


def place(s: State) -> str:
    """The place in the match at which something is drawn, for the label of the draw."""
    return f"t{s.turn}/r{s.round.number}" if s.round else f"t{s.turn}"


# --------------------------------------------------------------------------- event cards


class DealTo(Step[State], frozen=True):
    """4.1.6: so many event cards to a side; where the draw pile runs out, the discards are reshuffled."""

    rule: ClassVar[str] = "book 001, 4.1.6: dealing event cards"
    seat: Seat
    count: int

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        now = min(self.count, s.deck.size)
        if now:
            yield DrawCards(self.seat, now)
        if now < self.count and s.discards:
            yield ReshuffleEvents()
            yield DealTo(self.seat, self.count - now)


class ReshuffleEvents(Step[State], frozen=True):
    """The discards become a new draw pile."""

    rule: ClassVar[str] = "book 001, 4.1.6: reshuffling"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if s.discards:
            yield DiscardsReshuffled(len(s.discards))


class DrawCards(Draw[State], frozen=True):
    """Event cards from the draw pile; no more than there are."""

    spelling = ("{event}",)
    rule: ClassVar[str] = "book 001, 4.1.6 and 5.5.3: drawing event cards"
    seat: Seat
    count: int

    def options(self, s: State, seat: Seat) -> Picks:
        return s.deck.cards

    def bounds(self, s: State, seat: Seat) -> tuple[int, int]:
        count = min(self.count, s.deck.size)
        return count, count

    def label(self, s: State) -> str:
        return f"deal/{place(s)}/{self.seat}"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if picks:
            yield CardsDealt(self.seat, sorted_cards(picks))


# --------------------------------------------------------------------------- tiles of the turn


class ShowInvestments(Draw[State], frozen=True):
    """4.1.6: nine tiles lie open; where the stack runs out, the used ones are reshuffled."""

    spelling = ("{investment}",)
    rule: ClassVar[str] = "book 001, 4.1.6: investment tiles"

    def options(self, s: State, seat: Seat) -> Picks:
        return s.stack.cards

    def bounds(self, s: State, seat: Seat) -> tuple[int, int]:
        count = min(SHOWN - len(s.shown), s.stack.size)
        return count, count

    def label(self, s: State) -> str:
        return f"investments/t{s.turn}"

    def face_up(self, s: State) -> bool:
        return True

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if picks:
            s = yield InvestmentsShown(picks)
        if len(s.shown) < SHOWN:
            yield InvestmentsReshuffled(len(s.used))
            yield ShowInvestments()


class LayAwards(Draw[State], frozen=True):
    """4.1.3: an award for each Region, in the order of the Regions."""

    spelling = ("{award}",)
    rule: ClassVar[str] = "book 001, 4.1.3: awards"

    def options(self, s: State, seat: Seat) -> Picks:
        return s.awards.cards

    def bounds(self, s: State, seat: Seat) -> tuple[int, int]:
        return len(REGIONS), len(REGIONS)

    def label(self, s: State) -> str:
        return f"awards/t{s.turn}"

    def face_up(self, s: State) -> bool:
        return True

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        yield AwardsLaid(dict(zip(REGIONS, picks, strict=True)))


class DrawDemand(Draw[State], frozen=True):
    """4.1.4: three of the six goods."""

    spelling = ("{good}",)
    rule: ClassVar[str] = "book 001, 4.1.4: Global Demand"

    def options(self, s: State, seat: Seat) -> Picks:
        return GOODS

    def bounds(self, s: State, seat: Seat) -> tuple[int, int]:
        return IN_DEMAND, IN_DEMAND

    def label(self, s: State) -> str:
        return f"demand/t{s.turn}"

    def face_up(self, s: State) -> bool:
        return True

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        yield DemandSet(tuple(good for good in GOODS if good in picks))


# --------------------------------------------------------------------------- Basic war tiles


class LayBasics(Draw[State], frozen=True):
    """7.6: a Basic tile face down in each theatre, in order; with 12.2 the side lays them out itself."""

    spelling = ("{tile}",)
    rule: ClassVar[str] = "book 001, 7.6: the layout of a war"
    seat: Seat

    def options(self, s: State, seat: Seat) -> Picks:
        return s.basics[self.seat].cards

    def bounds(self, s: State, seat: Seat) -> tuple[int, int]:
        count = len(WARS[s.war].theatres)
        return count, count

    def label(self, s: State) -> str:
        return f"basics/{s.war}/{self.seat}"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if s.options.planned_layout:
            yield BasicsDrawn(self.seat, sorted_cards(picks))
        else:
            yield BasicsLaid(self.seat, in_theatres(s, picks))


def in_theatres(s: State, tiles: tuple[str, ...]) -> dict[str, str]:
    """These tiles, one for each theatre of the next war, in order."""
    return {theatre.id: tile for theatre, tile in zip(WARS[s.war].theatres, tiles, strict=True)}


class PlanLayout(Step[State], frozen=True):
    """12.2: each of `waiting` lays its drawn Basic tiles out, the first for the first theatre."""

    spelling = ("{tile}",)
    rule: ClassVar[str] = "book 001, 12.2: military planning"
    secret: ClassVar[bool] = True
    ordered: ClassVar[bool] = True
    waiting: tuple[Seat, ...]

    def asks(self, s: State) -> tuple[Seat, ...]:
        return self.waiting

    def options(self, s: State, seat: Seat) -> Picks:
        return s.drawn[seat]

    def bounds(self, s: State, seat: Seat) -> tuple[int, int]:
        return len(s.drawn[seat]), len(s.drawn[seat])

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        theatres = [theatre.id for theatre in WARS[s.war].theatres]
        return {"war": s.war, **dict(zip_longest(PLACES, theatres, fillvalue=NO_THEATRE))}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        yield BasicsLaid(seat, in_theatres(s, picks))
        rest = tuple(side for side in self.waiting if side != seat)
        if rest:
            yield PlanLayout(rest)


# --------------------------------------------------------------------------- Bonus war tiles


class DrawBonus(Draw[State], frozen=True):
    """5.6.1: a Bonus tile of a side, which then places it; `theatre` where a card says which.

    Nothing is drawn where no theatre has room for one more tile.
    """

    spelling = ("{tile}",)
    rule: ClassVar[str] = "book 001, 5.6.1: Bonus War tiles"
    seat: Seat
    bought: bool = False
    theatre: str = ""

    def asks(self, s: State) -> tuple[Seat, ...]:
        return super().asks(s) if rooms(s, self.seat) and s.bonuses[self.seat].size else ()

    def options(self, s: State, seat: Seat) -> Picks:
        return s.bonuses[self.seat].cards

    def label(self, s: State) -> str:
        return f"bonus/{place(s)}/{s.war}/{self.seat}"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if picks:
            yield BonusDrawn(self.seat, picks[0], self.bought)
            yield PlaceBonus(self.seat, self.theatre)


class PlaceBonus(Step[State], frozen=True):
    """5.6.1: the drawn tile goes to a theatre; where two lie already, one of them makes room first."""

    spelling = ("{theatre}",)
    rule: ClassVar[str] = "book 001, 5.6.1: at most two Bonus War tiles of a side in a theatre"
    seat: Seat
    theatre: str = ""

    def asks(self, s: State) -> tuple[Seat, ...]:
        return (self.seat,) if not self.theatre else ()

    def options(self, s: State, seat: Seat) -> Picks:
        return tuple(theatre.id for theatre in WARS[s.war].theatres)

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"war": s.war}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        to = picks[0] if picks else self.theatre
        if len(s.reinforcements[self.seat].get(to, ())) < MOST_BONUSES:
            yield BonusPlaced(self.seat, s.drawn[self.seat][0], to)
        else:
            yield MakeRoom(self.seat, to)


class MakeRoom(Step[State], frozen=True):
    """5.6.1: one of the two tiles there goes to a theatre with room: "tile:theatre"."""

    spelling = ("{tile}:{theatre}",)
    rule: ClassVar[str] = "book 001, 5.6.1: a Bonus War tile makes room for another"
    secret: ClassVar[bool] = True
    seat: Seat
    theatre: str

    def asks(self, s: State) -> tuple[Seat, ...]:
        return (self.seat,)

    def options(self, s: State, seat: Seat) -> Picks:
        tiles = s.reinforcements[seat][self.theatre]
        return tuple(f"{tile}:{to}" for tile in tiles for to in rooms(s, seat))

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"theatre": self.theatre}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        tile, _, to = picks[0].partition(":")
        s = yield BonusMoved(self.seat, tile, self.theatre, to)
        yield BonusPlaced(self.seat, s.drawn[self.seat][0], self.theatre)
