"""What can remain to be done in CIA vs. KGB, by phases, and the turn that strings the phases together."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from domain.cia_vs_kgb.facts import TurnBegan, TurnEnded
from domain.cia_vs_kgb.rules import leader, score
from domain.cia_vs_kgb.steps.detente import ArrangeObjectives, Detente, LookAtObjectives, UseEvents
from domain.cia_vs_kgb.steps.outcome import (
    Analysts,
    Assassins,
    Award,
    CeaseFire,
    ClaimBottom,
    Debrief,
    Directors,
    DoubleAgents,
    FaceDisorder,
    InstructDoubleAgent,
    Judge,
    MasterSpies,
)
from domain.cia_vs_kgb.steps.preparation import (
    ArrangeGroups,
    Brief,
    ChooseAgents,
    CloseHands,
    DrawBalance,
    EndLeave,
    LookAtGroups,
    Plan,
    PrepareGroups,
    RevealAgent,
    SettleBalance,
    TurnUpObjective,
)
from domain.cia_vs_kgb.steps.struggle import (
    Act,
    ChooseFirst,
    Destroy,
    Escalate,
    Recruit,
    Struggle,
    Transfer,
    TurnGroup,
    UseTop,
)
from domain.kernel import Ended, Picks, Resolution, Seat, Step

if TYPE_CHECKING:
    from domain.cia_vs_kgb.state import State


class Turn(Step, frozen=True):
    """One conflict: six phases."""

    rule: ClassVar[str] = "book 004, the turn"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution:
        yield TurnBegan(s.turn + 1)
        yield Brief()
        yield Plan()
        yield Struggle()
        yield CeaseFire()
        yield Debrief()
        yield Detente()
        yield EndTurn()


class EndTurn(Step, frozen=True):
    """Victory is checked here only (R-VICTORY); without objectives, or turns, the match ends (R-DECK-OUT)."""

    rule: ClassVar[str] = "book 004, 6 Detente and victory"

    def run(self, s: State, seat: Seat, picks: Picks) -> Resolution:
        points = score(s)
        ahead = leader(points)
        yield TurnEnded(s.turn, **points)
        if ahead is not None and points[ahead] >= s.options.score_limit:
            yield Ended(ahead, "score_limit", points)
        elif not s.objectives.size:
            yield Ended(ahead, "deck_out", points)
        elif s.turn >= s.options.turn_limit:
            yield Ended(ahead, "turn_limit", points)
        else:
            yield Turn()


AnyStep = (
    Turn
    | Brief
    | TurnUpObjective
    | SettleBalance
    | CloseHands
    | DrawBalance
    | PrepareGroups
    | LookAtGroups
    | ArrangeGroups
    | Plan
    | ChooseAgents
    | RevealAgent
    | EndLeave
    | Struggle
    | ChooseFirst
    | Act
    | Recruit
    | Destroy
    | TurnGroup
    | Transfer
    | UseTop
    | Escalate
    | CeaseFire
    | FaceDisorder
    | Judge
    | Debrief
    | MasterSpies
    | DoubleAgents
    | InstructDoubleAgent
    | Analysts
    | Assassins
    | Directors
    | ClaimBottom
    | Award
    | Detente
    | UseEvents
    | LookAtObjectives
    | ArrangeObjectives
    | EndTurn
)

__all__ = [
    "Act",
    "Analysts",
    "AnyStep",
    "ArrangeGroups",
    "ArrangeObjectives",
    "Assassins",
    "Award",
    "Brief",
    "CeaseFire",
    "ChooseAgents",
    "ChooseFirst",
    "ClaimBottom",
    "CloseHands",
    "Debrief",
    "Destroy",
    "Detente",
    "Directors",
    "DoubleAgents",
    "DrawBalance",
    "EndLeave",
    "EndTurn",
    "Escalate",
    "FaceDisorder",
    "InstructDoubleAgent",
    "Judge",
    "LookAtGroups",
    "LookAtObjectives",
    "MasterSpies",
    "Plan",
    "PrepareGroups",
    "Recruit",
    "RevealAgent",
    "SettleBalance",
    "Struggle",
    "Transfer",
    "Turn",
    "TurnGroup",
    "TurnUpObjective",
    "UseEvents",
    "UseTop",
]
