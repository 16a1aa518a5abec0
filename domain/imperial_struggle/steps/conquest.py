"""What conquest points take (7.2.1), resistance (7.2.2), the shift in Spain (12.1), and the USA (7.3)."""

from __future__ import annotations

from typing import ClassVar

from domain.imperial_struggle.components import BOARD, FR, OTHER, SIDES, USA, Where
from domain.imperial_struggle.facts.wars import (
    CaptureResisted,
    ConquestDeclined,
    ShiftOwed,
    ShiftSettled,
    SpaceConquered,
)
from domain.imperial_struggle.rules.board import isolated, to_shift
from domain.imperial_struggle.rules.wars import (
    INDEPENDENCE,
    RESISTANCE,
    SPANISH_TERRITORIES,
    fleets,
    may_resist,
    newly_isolated,
    targets,
)
from domain.imperial_struggle.state import State
from domain.imperial_struggle.steps.deeds import (
    Deed,
    gain,
    move_squadron,
    repair,
    shift,
    take_control,
    unflag,
)
from domain.kernel import Detail, Pick, Picks, Resolution, Seat, Step

DONE, DECLINE = "done", "decline"
RESIST, GIVE_UP = "resist", "give_up"
SPAIN = Where(countries=("spain",))


class Single(Step[State], frozen=True):
    """`seat` picks one of the options for a theatre; what leaves no choice happens without a question."""

    seat: Seat
    theatre: str

    def asks(self, s: State) -> tuple[Seat, ...]:
        return (self.seat,) if len(self.options(s, self.seat)) > 1 else ()

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"theatre": self.theatre}

    def chosen(self, s: State, picks: Picks) -> Picks:
        """What was picked, or the only option; () where there is none."""
        return picks or self.options(s, self.seat)


# --------------------------------------------------------------------------- conquest points


class Conquer(Step[State], frozen=True):
    """7.2.1: the winner of a theatre takes one space, or leaves the `points` unspent."""

    spelling = ("done", "{space}")
    rule: ClassVar[str] = "book 001, 7.2.1: conquest points"
    seat: Seat
    theatre: str
    points: int

    def asks(self, s: State) -> tuple[Seat, ...]:
        return (self.seat,) if targets(s, self.seat, self.theatre, self.points) else ()

    def options(self, s: State, seat: Seat) -> Picks:
        return (*targets(s, self.seat, self.theatre, self.points), DONE)

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"theatre": self.theatre, "points": self.points}

    def details(self, s: State, seat: Seat) -> dict[Pick, Detail]:
        costs = targets(s, self.seat, self.theatre, self.points)
        return {space: Detail(cost=cost) for space, cost in costs.items()}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if picks in ((), (DONE,)):
            yield ConquestDeclined(self.seat, self.points)
            return
        space = picks[0]
        cost = targets(s, self.seat, self.theatre, self.points)[space]
        s = yield SpaceConquered(self.seat, space, cost, s.flags.get(space))
        yield from self._take(s, space)
        if self.points > cost:
            yield Conquer(self.seat, self.theatre, self.points - cost)

    def _take(self, s: State, space: str) -> Resolution[State]:
        if may_resist(s, OTHER[self.seat], space):
            yield Resist(OTHER[self.seat], self.theatre, space)
        elif BOARD[space].kind == "naval":
            yield SendSquadron(self.seat, self.theatre, space)
        else:
            yield from capture(s, self.seat, space)


def capture(s: State, me: Seat, space: str) -> Deed:
    """The space changes hands.

    The book does not say what becomes of a damage marker: option `conquered_damage`.  12.1: for an empty
    Spanish Territory the opponent is owed a shift in Spain.
    """
    was_empty = space not in s.flags
    s = yield from take_control(s, me, space)
    if s.options.conquered_damage == "repaired":
        s = yield from repair(s, space)
    if s.options.spanish_empire and was_empty and space in SPANISH_TERRITORIES:
        s = yield ShiftOwed(OTHER[me])
    return s


class SendSquadron(Single, frozen=True):
    """7.2.1.1: which Squadron takes a naval space; an opposing one there goes to the Navy Box."""

    spelling = ("navy_box", "{naval}")
    rule: ClassVar[str] = "book 001, 7.2.1.1: taking a naval space"
    space: str

    def options(self, s: State, seat: Seat) -> Picks:
        return fleets(s, self.seat, self.theatre)

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"theatre": self.theatre, "space": self.space}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        yield from move_squadron(s, self.seat, self.chosen(s, picks)[0], self.space, sails=True)


class Resist(Step[State], frozen=True):
    """7.2.2: the owner of a Territory may keep it; the point stays spent, and the opponent gains."""

    spelling = ("give_up", "resist")
    rule: ClassVar[str] = "book 001, 7.2.2: resisting the capture of a Territory"
    seat: Seat
    theatre: str
    space: str

    def asks(self, s: State) -> tuple[Seat, ...]:
        return (self.seat,)

    def options(self, s: State, seat: Seat) -> Picks:
        return RESIST, GIVE_UP

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"theatre": self.theatre, "space": self.space, "points": RESISTANCE[s.refused[self.seat]]}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if picks == (GIVE_UP,):
            yield from capture(s, OTHER[self.seat], self.space)
            return
        points = RESISTANCE[s.refused[self.seat]]
        s = yield CaptureResisted(self.seat, self.space)
        yield from gain(s, OTHER[self.seat], points, "resistance")


# --------------------------------------------------------------------------- 12.1 the Spanish Empire


class SettleSpain(Step[State], frozen=True):
    """12.1: a theatre is over, and a side that is owed shifts in Spain makes them."""

    rule: ClassVar[str] = "book 001, 12.1: the Spanish Empire"
    theatre: str

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        for side in SIDES:
            for _ in range(s.owed[side]):
                yield ShiftSpain(side, self.theatre)


class ShiftSpain(Step[State], frozen=True):
    """12.1: a side may shift one political space of Spain."""

    spelling = ("decline", "{political}")
    rule: ClassVar[str] = "book 001, 12.1: the Spanish Empire"
    seat: Seat
    theatre: str

    def asks(self, s: State) -> tuple[Seat, ...]:
        return (self.seat,) if to_shift(s, self.seat, SPAIN) else ()

    def options(self, s: State, seat: Seat) -> Picks:
        return (*to_shift(s, self.seat, SPAIN), DECLINE)

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"theatre": self.theatre}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        space = picks[0] if picks and picks != (DECLINE,) else ""
        s = yield ShiftSettled(self.seat, space)
        if space:
            yield from shift(s, self.seat, space)


# --------------------------------------------------------------------------- 7.3 USA and Canada


class French(Step[State], frozen=True):
    """France goes through an award of the American War, `award`: any number of the options, or none."""

    theatre: str
    award: str

    def asks(self, s: State) -> tuple[Seat, ...]:
        return (FR,)

    def bounds(self, s: State, seat: Seat) -> tuple[int, int]:
        return 0, len(self.options(s, seat))

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"theatre": self.theatre, "award": self.award}


class PlaceUsaFlags(French, frozen=True):
    """7.3: USA flags in Territories of either side; no side resists, and no side takes them back (10.0).

    No book says what becomes of a Huguenots marker there; it stays, and may still be turned.
    """

    spelling = ("{territory}",)
    rule: ClassVar[str] = "book 001, 7.3: USA and Canada"

    def options(self, s: State, seat: Seat) -> Picks:
        found = INDEPENDENCE[self.award].territories
        return tuple(space for space in found if s.flags.get(space) != USA)

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        before = isolated(s.flags, s.conflicts)
        for space in picks:
            s = yield from take_control(s, USA, space)
        yield ClearForts(self.theatre, self.award, before)


class ClearForts(French, frozen=True):
    """7.3: Forts of the Northern Colonies lose their flags, and their damage with them."""

    spelling = ("{fort}",)
    rule: ClassVar[str] = "book 001, 7.3: USA, the Forts of the Northern Colonies"
    before: tuple[str, ...]

    def options(self, s: State, seat: Seat) -> Picks:
        return tuple(fort for fort in INDEPENDENCE[self.award].forts if fort in s.flags)

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        for fort in picks:
            s = yield from repair(s, fort)
            s = yield from unflag(s, fort)
        yield ClearMarkets(self.theatre, self.award, self.before)


class ClearMarkets(French, frozen=True):
    """7.3: markets that this award isolated lose their flags: those that France names, or all of them.

    The Russian book lets France choose, the English one does not: option `usa_isolation`.
    """

    spelling = ("{market}",)
    rule: ClassVar[str] = "book 001, 7.3: USA and Canada, isolated markets"
    before: tuple[str, ...]

    def asks(self, s: State) -> tuple[Seat, ...]:
        return (FR,) if s.options.usa_isolation == "optional" else ()

    def options(self, s: State, seat: Seat) -> Picks:
        return newly_isolated(s, self.award, self.before)

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        spaces = picks if self.asks(s) else self.options(s, FR)
        for space in spaces:
            s = yield from unflag(s, space)
