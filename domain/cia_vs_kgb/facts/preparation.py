"""Briefing and Planning: the objective, the balance token, the group deck, the two Agents X."""

from __future__ import annotations

from typing import ClassVar

from msgspec.structs import replace

from domain.cia_vs_kgb.facts.decks import added, less, taken
from domain.cia_vs_kgb.state import State
from domain.kernel import Fact, Seat
from domain.piles import Cards


class TurnBegan(Fact[State], frozen=True):
    """A turn begins, with its Briefing."""

    turn: int

    def apply(self, s: State) -> State:
        return replace(s, turn=self.turn)


class PhaseBegan(Fact[State], frozen=True):
    """A phase of the turn begins."""

    phase: str

    def apply(self, s: State) -> State:
        return replace(s, phase=self.phase)


class HandClosed(Fact[State], frozen=True):
    """A player hid the balance token in a hand, or guessed the hand, in secret."""

    conceals = ("hand",)
    seat: Seat
    hand: str

    def apply(self, s: State) -> State:
        return replace(s, fists={**s.fists, self.seat: self.hand})


class HandsOpened(Fact[State], frozen=True):
    """Where the token was, and what was guessed."""

    reveals: ClassVar[bool] = True
    hidden: str
    guess: str

    def apply(self, s: State) -> State:
        return replace(s, fists={})


class BalanceGiven(Fact[State], frozen=True):
    """`seat` holds the balance token.  `why`: guess, draw, fewer_points, lost or unchanged."""

    seat: Seat
    why: str
    cia: int = 0
    kgb: int = 0

    def apply(self, s: State) -> State:
        return replace(s, balance=self.seat)


class PromiseKept(Fact[State], frozen=True):
    """What an agent of the turn before prepared happens now ("watch" or "analyst")."""

    seat: Seat
    promise: str

    def apply(self, s: State) -> State:
        return replace(s, promises=less(s.promises, self.promise))


class AgentSent(Fact[State], frozen=True):
    """A player chose an Agent X, face down."""

    conceals = ("agent",)
    seat: Seat
    agent: str

    def apply(self, s: State) -> State:
        return replace(s, sent={**s.sent, self.seat: self.agent})


class NobodySent(Fact[State], frozen=True):
    """A side has no agent at headquarters, and so no Agent X in this turn."""

    seat: Seat


class AgentRevealed(Fact[State], frozen=True):
    """Agent X lies face up.  `why`: double_agent, summit_meeting, disorder or debriefing."""

    reveals: ClassVar[bool] = True
    seat: Seat
    agent: str
    why: str

    def apply(self, s: State) -> State:
        return replace(
            s,
            headquarters=taken(s.headquarters, self.seat, self.agent),
            sent=less(s.sent, self.seat),
            exposed={**s.exposed, self.seat: self.agent},
        )


class LeaveEnded(Fact[State], frozen=True):
    """The agents of one side who were on leave are at headquarters again."""

    seat: Seat
    agents: Cards

    def apply(self, s: State) -> State:
        home = added(s.headquarters, self.seat, *self.agents)
        return replace(s, headquarters=home, leave={**s.leave, self.seat: ()})
