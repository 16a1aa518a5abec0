"""Cease-fire and Debriefing: which side prevails, and what the agents do, in order of their initiative."""

from __future__ import annotations

from typing import ClassVar

from domain.cia_vs_kgb.facts.decks import BottomClaimed, ObjectiveBuried
from domain.cia_vs_kgb.facts.outcome import (
    AgentTerminated,
    AgentWentHome,
    AgentWentOnLeave,
    DisorderBroke,
    IconCompared,
    InfluenceCounted,
    NobodyPrevailed,
    ObjectiveClaimed,
    PromiseMade,
    TokenPlaced,
    TokenReturned,
)
from domain.cia_vs_kgb.facts.preparation import AgentRevealed, PhaseBegan
from domain.cia_vs_kgb.rules import (
    DEPUTY,
    OTHER,
    POINTS,
    SEATS,
    analysts,
    compared,
    contested,
    double_agents,
    influence,
    is_fixed_below,
    leader,
    score,
    senders,
    unruly,
)
from domain.cia_vs_kgb.state import State
from domain.cia_vs_kgb.steps.struggle import used
from domain.kernel import CHANCE, Draw, Picks, Resolution, Seat, Step

NOBEL = "nobel_peace_prize"


def claimed(s: State, seat: Seat, why: str) -> ObjectiveClaimed:
    """A side wins the contested objective."""
    objective = contested(s)
    return ObjectiveClaimed(seat, objective.id, why, objective.points, score(s)[seat] + objective.points)


# ── cease-fire ──


class CeaseFire(Step[State], frozen=True):
    """Influence is counted; a side that exceeds the stability has to face civil disorder."""

    rule: ClassVar[str] = "book 004, 4 Cease-fire"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        yield PhaseBegan("cease_fire")
        stability = contested(s).stability
        s = yield InfluenceCounted(influence(s, "cia"), influence(s, "kgb"), stability)
        for side in unruly(s):
            s = yield DisorderBroke(side, influence(s, side), stability)
            if side in s.sent:
                s = yield AgentRevealed(side, s.sent[side], "disorder")
        for side in unruly(s):
            yield FaceDisorder(side)
        yield Judge()


class FaceDisorder(Step[State], frozen=True):
    """Agent X of a side in civil disorder is terminated, except a Deputy Director, and unless the side uses
    the Nobel Peace Prize."""

    spelling = ("event:{objective}", "decline")
    rule: ClassVar[str] = "book 004, 4 Cease-fire, civil disorder"
    seat: Seat

    def asks(self, s: State) -> tuple[Seat, ...]:
        saves = NOBEL in s.won[self.seat] and s.exposed.get(self.seat, DEPUTY) != DEPUTY
        return (self.seat,) if saves else ()

    def options(self, s: State, seat: Seat) -> Picks:
        return (f"event:{NOBEL}", "decline")

    def why(self, s: State, seat: Seat) -> dict[str, str | int]:
        return {"agent": s.exposed[seat]}

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        agent = s.exposed.get(self.seat)
        if agent is None:
            return
        if agent == DEPUTY:
            yield AgentWentHome(self.seat, agent, "disorder")
        elif picks == (f"event:{NOBEL}",):
            yield used(s, self.seat, NOBEL)
            yield AgentWentOnLeave(self.seat, agent, NOBEL)
        else:
            yield AgentTerminated(self.seat, agent, "disorder")


class Judge(Step[State], frozen=True):
    """Which side places its domination token: R-DISORDER-BOTH, R-DISORDER-ONE, R-TIE, R-TIE-COMPLETE."""

    rule: ClassVar[str] = "book 004, 4 Cease-fire"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        guilty = unruly(s)
        if len(guilty) == 2:
            yield from _nobody(s, "disorder")
        elif guilty:
            s = yield TokenPlaced(OTHER[guilty[0]], "disorder")
            if s.options.disorder_claim == "immediate":
                yield claimed(s, OTHER[guilty[0]], "disorder")
        else:
            ahead = leader({side: influence(s, side) for side in SEATS})
            yield from _tie(s) if ahead is None else _prevail(ahead)


def _prevail(side: Seat) -> Resolution[State]:
    yield TokenPlaced(side, "influence")


def _nobody(s: State, why: str) -> Resolution[State]:
    yield NobodyPrevailed(why)
    yield ObjectiveBuried(contested(s).id, why)


def _tie(s: State) -> Resolution[State]:
    """The icons from the largest down; the first one on which the sides differ decides."""
    by = "sum" if s.options.tie_break == "faction_sum" else "highest"
    for faction in contested(s).icons:
        weights = compared(s, faction)
        yield IconCompared(faction, by, **weights)
        ahead = leader(weights)
        if ahead is not None:
            yield TokenPlaced(ahead, "icon")
            return
    if s.options.complete_tie == "non_balance_player" and s.balance is not None:
        yield TokenPlaced(OTHER[s.balance], "balance")
    else:
        yield from _nobody(s, "complete_tie")


# ── debriefing ──


class Debrief(Step[State], frozen=True):
    """Living agents are revealed and act by their initiative; then the token's owner claims what is left."""

    rule: ClassVar[str] = "book 004, 5 Debriefing"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        s = yield PhaseBegan("debriefing")
        for side in SEATS:
            if side in s.sent:
                s = yield AgentRevealed(side, s.sent[side], "debriefing")
        yield MasterSpies()  # initiative 1; 2 is the Deputy Director, who does nothing
        yield DoubleAgents()
        yield Analysts()
        yield Assassins()
        yield Directors()
        yield Award()


class MasterSpies(Step[State], frozen=True):
    """The side without its token claims; two Master Spies are still one claim."""

    rule: ClassVar[str] = "book 004, 5 Debriefing, Master Spy"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if s.token is not None and s.objective is not None and senders(s, "master_spy"):
            yield claimed(s, OTHER[s.token], "master_spy")


class DoubleAgents(Step[State], frozen=True):
    """Each side whose Double Agent acts says what the agent does."""

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        for side in double_agents(s):
            yield InstructDoubleAgent(side)


class InstructDoubleAgent(Step[State], frozen=True):
    """Send an agent from the other headquarters on leave, or watch the next choice (R-DA-TARGET)."""

    spelling = ("leave:{agent}", "watch")
    rule: ClassVar[str] = "book 004, 5 Debriefing, Double Agent"
    seat: Seat

    def asks(self, s: State) -> tuple[Seat, ...]:
        return (self.seat,)

    def options(self, s: State, seat: Seat) -> Picks:
        targets = s.headquarters[OTHER[seat]]
        if s.options.double_agent_target == "not_deputy_director":
            targets = tuple(agent for agent in targets if agent != DEPUTY)
        return ("watch", *(f"leave:{agent}" for agent in targets))

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if picks == ("watch",):
            yield PromiseMade(seat, "watch")
        else:
            yield AgentWentOnLeave(OTHER[seat], picks[0].removeprefix("leave:"), "double_agent")


class Analysts(Step[State], frozen=True):
    """An Analyst will look at the groups at the end of the next Briefing."""

    rule: ClassVar[str] = "book 004, 5 Debriefing, Analyst"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        for side in analysts(s):
            yield PromiseMade(side, "analyst")


class Assassins(Step[State], frozen=True):
    """With the side's own token on the objective: the opposing Agent X dies, and an unclaimed objective goes
    under its deck."""

    rule: ClassVar[str] = "book 004, 5 Debriefing, Assassin"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if s.token is None or s.token not in senders(s, "assassin"):
            return
        foe = OTHER[s.token]
        if s.exposed.get(foe, DEPUTY) != DEPUTY:
            yield AgentTerminated(foe, s.exposed[foe], "assassin")
        if s.objective is not None:
            yield ObjectiveBuried(s.objective, "assassin")


class Directors(Step[State], frozen=True):
    """With the side's own token on the objective: it also claims the bottom card of the objective deck
    (R-DIRECTOR-LAST-CARD)."""

    rule: ClassVar[str] = "book 004, 5 Debriefing, Director"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if s.token is not None and s.token in senders(s, "director") and s.objectives.size:
            yield ClaimBottom(s.token)


class ClaimBottom(Draw[State], frozen=True):
    """The undermost objective is claimed: by a draw, unless its position is fixed."""

    spelling = ("{objective}",)
    rule: ClassVar[str] = "book 004, 5 Debriefing, Director"
    seat: Seat

    def asks(self, s: State) -> tuple[Seat, ...]:
        return () if is_fixed_below(s.objectives) else (CHANCE,)

    def options(self, s: State, seat: Seat) -> Picks:
        return s.objectives.cards

    def label(self, s: State) -> str:
        return f"director/t{s.turn}/{self.seat}"

    def face_up(self, s: State) -> bool:
        """Not after Space Race: then one side knows cards on top, so the candidates are not public."""
        return not s.objectives.top

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        fixed = s.objectives.bottom or s.objectives.top
        card = picks[0] if picks else fixed[-1]
        yield BottomClaimed(self.seat, card, POINTS[card], score(s)[self.seat] + POINTS[card])


class Award(Step[State], frozen=True):
    """The owner of the token claims the objective, if it is unclaimed, and gets the token back."""

    rule: ClassVar[str] = "book 004, 5 Debriefing"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution[State]:
        if s.token is None:
            return
        if s.objective is not None:
            yield claimed(s, s.token, "token")
        yield TokenReturned(s.token)
