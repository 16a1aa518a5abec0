"""Cease-fire, Debriefing and Detente: which side prevails, what becomes of agents and objectives."""

from __future__ import annotations

from typing import ClassVar

from msgspec.structs import replace

from domain.cia_vs_kgb.facts.decks import added, less, taken
from domain.cia_vs_kgb.state import State
from domain.kernel import Fact, Seat


class InfluenceCounted(Fact[State], frozen=True):
    """The influence of both sides, ready and mobilized groups alike, against the objective's stability."""

    cia: int
    kgb: int
    stability: int


class DisorderBroke(Fact[State], frozen=True):
    """A side exceeded the stability: civil disorder."""

    turning: ClassVar[bool] = True
    seat: Seat
    influence: int
    stability: int


class IconCompared(Fact[State], frozen=True):
    """A tie is compared on an icon's faction; `by` is sum or highest."""

    faction: str
    by: str
    cia: int
    kgb: int


class TokenPlaced(Fact[State], frozen=True):
    """A side lays its domination token on the objective.  `why`: influence, icon, disorder or balance."""

    seat: Seat
    why: str

    def apply(self, s: State) -> State:
        return replace(s, token=self.seat, prevailed=self.seat)


class NobodyPrevailed(Fact[State], frozen=True):
    """No token is placed.  `why`: disorder or complete_tie."""

    why: str

    def apply(self, s: State) -> State:
        return replace(s, prevailed=None)


class AgentTerminated(Fact[State], frozen=True):
    """Agent X is out of the game.  `why`: disorder or assassin."""

    turning: ClassVar[bool] = True
    seat: Seat
    agent: str
    why: str

    def apply(self, s: State) -> State:
        fallen = added(s.fallen, self.seat, self.agent)
        return replace(s, exposed=less(s.exposed, self.seat), fallen=fallen)


class AgentWentHome(Fact[State], frozen=True):
    """Agent X, a Deputy Director, is at headquarters again.  `why`: disorder or detente."""

    seat: Seat
    agent: str
    why: str

    def apply(self, s: State) -> State:
        home = added(s.headquarters, self.seat, self.agent)
        return replace(s, exposed=less(s.exposed, self.seat), headquarters=home)


class AgentWentOnLeave(Fact[State], frozen=True):
    """Agent X, or an agent at headquarters, misses the next Planning.

    `why`: nobel_peace_prize, double_agent (only then the agent comes from headquarters) or detente.
    """

    seat: Seat
    agent: str
    why: str

    def apply(self, s: State) -> State:
        leave = added(s.leave, self.seat, self.agent)
        if self.agent in s.headquarters[self.seat]:
            return replace(s, leave=leave, headquarters=taken(s.headquarters, self.seat, self.agent))
        return replace(s, leave=leave, exposed=less(s.exposed, self.seat))


class ObjectiveClaimed(Fact[State], frozen=True):
    """A side wins the contested objective.  `why`: token, disorder or master_spy; `total`: its score."""

    seat: Seat
    objective: str
    why: str
    points: int
    total: int

    def apply(self, s: State) -> State:
        return replace(s, objective=None, won=added(s.won, self.seat, self.objective))


class PromiseMade(Fact[State], frozen=True):
    """An agent prepared the next turn: "watch" (Double Agent) or "analyst"."""

    seat: Seat
    promise: str

    def apply(self, s: State) -> State:
        return replace(s, promises={**s.promises, self.promise: self.seat})


class TokenReturned(Fact[State], frozen=True):
    """The domination token goes back to its owner."""

    seat: Seat

    def apply(self, s: State) -> State:
        return replace(s, token=None)


# ── detente ──


class AgentRevived(Fact[State], frozen=True):
    """Olympic Games: a terminated agent comes back, on leave."""

    seat: Seat
    agent: str

    def apply(self, s: State) -> State:
        leave = added(s.leave, self.seat, self.agent)
        return replace(s, fallen=taken(s.fallen, self.seat, self.agent), leave=leave)


class TurnEnded(Fact[State], frozen=True):
    """The turn is over and scored."""

    ends_period: ClassVar[bool] = True
    turn: int
    cia: int
    kgb: int
