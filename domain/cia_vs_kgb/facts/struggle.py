"""The Influence Struggle: which player has which groups, in which state."""

from __future__ import annotations

from msgspec.structs import replace

from domain.cia_vs_kgb.facts.decks import added, taken
from domain.cia_vs_kgb.state import State
from domain.kernel import Fact, Seat
from domain.piles import without


class FirstChosen(Fact[State], frozen=True):
    """The holder of the balance token said which side acts first."""

    seat: Seat
    first: Seat


class DiscardRecruited(Fact[State], frozen=True):
    """The top group of the discard pile joins a player, ready."""

    seat: Seat
    group: str

    def apply(self, s: State) -> State:
        recruited = added(s.recruited, self.seat, self.group)
        return replace(s, discards=without(s.discards, self.group), recruited=recruited)


class GroupActivated(Fact[State], frozen=True):
    """A player mobilized one of their groups to use its power."""

    seat: Seat
    group: str

    def apply(self, s: State) -> State:
        return replace(s, mobilized=(*s.mobilized, self.group))


class GroupTurned(Fact[State], frozen=True):
    """The economic power mobilized or readied a group; `now` is "mobilized" or "ready"."""

    seat: Seat
    owner: Seat
    group: str
    now: str

    def apply(self, s: State) -> State:
        others = tuple(group for group in s.mobilized if group != self.group)
        return replace(s, mobilized=(*others, self.group) if self.now == "mobilized" else others)


class GroupDestroyed(Fact[State], frozen=True):
    """A group leaves its owner for the discard pile.  `why`: military or nuclear_escalation."""

    seat: Seat
    owner: Seat
    group: str
    why: str

    def apply(self, s: State) -> State:
        return replace(
            s,
            recruited=taken(s.recruited, self.owner, self.group),
            mobilized=tuple(group for group in s.mobilized if group != self.group),
            discards=(*s.discards, self.group),
        )


class GroupTransferred(Fact[State], frozen=True):
    """The political power moved a group, which stays as it was.  `how`: steal or give."""

    seat: Seat
    giver: Seat
    taker: Seat
    group: str
    how: str

    def apply(self, s: State) -> State:
        left = taken(s.recruited, self.giver, self.group)
        return replace(s, recruited=added(left, self.taker, self.group))


class TopLeft(Fact[State], frozen=True):
    """The media power left the top group where it was."""

    seat: Seat


class Passed(Fact[State], frozen=True):
    """A player passed; `row` is how many passes now stand in a row."""

    seat: Seat
    row: int


class EventUsed(Fact[State], frozen=True):
    """A player used an event: it leaves the game.  `points` are lost, `total` remain."""

    seat: Seat
    event: str
    points: int
    total: int

    def apply(self, s: State) -> State:
        return replace(s, won=taken(s.won, self.seat, self.event), spent=(*s.spent, self.event))
