"""The military upgrade of an investment tile (5.3.3), and what planning makes of it (12.2)."""

from __future__ import annotations

from typing import ClassVar

from domain.imperial_struggle.components import LAST_TURN, WARS
from domain.imperial_struggle.facts.flow import UpgradeUsed
from domain.imperial_struggle.facts.wars import BasicKept, BasicRemoved, BasicsDrawn, BasicsSwapped
from domain.imperial_struggle.rules.menu import UPGRADE
from domain.imperial_struggle.state import State
from domain.imperial_struggle.steps.deeds import treaty
from domain.kernel import Draw, Picks, Resolution, Seat, Step

FEWEST_BASICS = 4  # the Basic tiles that a side keeps in the game
SWAP = "swap"
RETURN, REMOVE = "return", "remove"


def upgrade(s: State, me: Seat) -> Resolution[State]:
    """A new Basic tile for one on the display; on turn 6 a Treaty Point."""
    s = yield UpgradeUsed(me)
    if s.turn == LAST_TURN:
        yield from treaty(s, me, 1, UPGRADE)
    else:
        yield Upgrade(me)


class Upgrade(Step[State], frozen=True):
    """5.3.3: the theatre whose Basic tile may be replaced; with 12.2 two of them may be swapped."""

    spelling = ("swap", "{theatre}")
    rule: ClassVar[str] = "book 001, 5.3.3: the military upgrade"
    seat: Seat

    def asks(self, s: State) -> tuple[Seat, ...]:
        return (self.seat,)

    def options(self, s: State, seat: Seat) -> Picks:
        theatres = tuple(theatre.id for theatre in WARS[s.war].theatres) if s.basics[seat].size else ()
        return (*theatres, SWAP) if s.options.planned_upgrades else theatres

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"war": s.war}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        yield SwapBasics(seat) if picks[0] == SWAP else DrawBasic(seat, picks[0])


class SwapBasics(Step[State], frozen=True):
    """12.2: the two theatres whose Basic tiles change places."""

    spelling = ("{theatre}",)
    rule: ClassVar[str] = "book 001, 12.2: military planning"
    seat: Seat

    def asks(self, s: State) -> tuple[Seat, ...]:
        return (self.seat,)

    def options(self, s: State, seat: Seat) -> Picks:
        return tuple(theatre.id for theatre in WARS[s.war].theatres)

    def bounds(self, s: State, seat: Seat) -> tuple[int, int]:
        return 2, 2

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        yield BasicsSwapped(seat, picks)


class DrawBasic(Draw[State], frozen=True):
    """5.3.3: a new Basic tile for a theatre."""

    spelling = ("{tile}",)
    rule: ClassVar[str] = "book 001, 5.3.3: the military upgrade"
    seat: Seat
    theatre: str

    def options(self, s: State, seat: Seat) -> Picks:
        return s.basics[self.seat].cards

    def label(self, s: State) -> str:
        assert s.round is not None
        return f"upgrade/t{s.turn}/r{s.round.number}/{self.seat}"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        yield BasicsDrawn(self.seat, picks)
        yield KeepBasic(self.seat, self.theatre)


class KeepBasic(Step[State], frozen=True):
    """5.3.3: the old tile or the new one stays; the other returns to the pool or leaves the game."""

    spelling = ("{tile}:remove", "{tile}:return")
    rule: ClassVar[str] = "book 001, 5.3.3: the military upgrade; four Basic tiles stay in the game"
    secret: ClassVar[bool] = True
    seat: Seat
    theatre: str

    def asks(self, s: State) -> tuple[Seat, ...]:
        return (self.seat,)

    def options(self, s: State, seat: Seat) -> Picks:
        left = s.basics[seat].size + len(s.front[seat])
        fates = (RETURN, REMOVE) if left >= FEWEST_BASICS else (RETURN,)
        return tuple(f"{kept}:{fate}" for kept in self._tiles(s) for fate in fates)

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"theatre": self.theatre}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        kept, _, fate = picks[0].partition(":")
        other = next(tile for tile in self._tiles(s) if tile != kept)
        if fate == REMOVE:
            yield BasicRemoved(self.seat, self.theatre, kept, other)
        else:
            yield BasicKept(self.seat, self.theatre, kept, other)

    def _tiles(self, s: State) -> tuple[str, str]:
        return s.front[self.seat][self.theatre], s.drawn[self.seat][0]
