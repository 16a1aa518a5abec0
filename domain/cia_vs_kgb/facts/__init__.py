"""What can have happened in CIA vs. KGB.

`decks` holds the facts that turn up, look at or put back cards of the two decks; the others follow the turn:
`preparation` (Briefing, Planning), `struggle`, `outcome` (Cease-fire, Debriefing, Detente).

A fact says what it changes (`apply`) and who may know it.  Sums, scores and reasons in a fact are there for
the reader: the table's score follows from the objectives won, so nothing is counted twice.
"""

from __future__ import annotations

from domain.cia_vs_kgb.facts.decks import (
    BottomClaimed,
    GroupRecruited,
    GroupsArranged,
    GroupsReshuffled,
    GroupsSeen,
    ObjectiveBuried,
    ObjectivesArranged,
    ObjectivesSeen,
    ObjectiveTurnedUp,
    TopDiscarded,
)
from domain.cia_vs_kgb.facts.outcome import (
    AgentRevived,
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
    TurnEnded,
)
from domain.cia_vs_kgb.facts.preparation import (
    AgentRevealed,
    AgentSent,
    BalanceGiven,
    HandClosed,
    HandsOpened,
    LeaveEnded,
    NobodySent,
    PhaseBegan,
    PromiseKept,
    TurnBegan,
)
from domain.cia_vs_kgb.facts.struggle import (
    DiscardRecruited,
    EventUsed,
    FirstChosen,
    GroupActivated,
    GroupDestroyed,
    GroupTransferred,
    GroupTurned,
    Passed,
    TopLeft,
)
from domain.kernel import Ended

AnyFact = (
    TurnBegan
    | PhaseBegan
    | ObjectiveTurnedUp
    | HandClosed
    | HandsOpened
    | BalanceGiven
    | GroupsReshuffled
    | PromiseKept
    | GroupsSeen
    | GroupsArranged
    | AgentSent
    | NobodySent
    | AgentRevealed
    | LeaveEnded
    | FirstChosen
    | GroupRecruited
    | DiscardRecruited
    | GroupActivated
    | GroupTurned
    | GroupDestroyed
    | GroupTransferred
    | TopDiscarded
    | TopLeft
    | Passed
    | EventUsed
    | InfluenceCounted
    | DisorderBroke
    | IconCompared
    | TokenPlaced
    | NobodyPrevailed
    | AgentTerminated
    | AgentWentHome
    | AgentWentOnLeave
    | ObjectiveClaimed
    | ObjectiveBuried
    | BottomClaimed
    | PromiseMade
    | TokenReturned
    | ObjectivesSeen
    | ObjectivesArranged
    | AgentRevived
    | TurnEnded
    | Ended
)

__all__ = [
    "AgentRevealed",
    "AgentRevived",
    "AgentSent",
    "AgentTerminated",
    "AgentWentHome",
    "AgentWentOnLeave",
    "AnyFact",
    "BalanceGiven",
    "BottomClaimed",
    "DiscardRecruited",
    "DisorderBroke",
    "Ended",
    "EventUsed",
    "FirstChosen",
    "GroupActivated",
    "GroupDestroyed",
    "GroupRecruited",
    "GroupTransferred",
    "GroupTurned",
    "GroupsArranged",
    "GroupsReshuffled",
    "GroupsSeen",
    "HandClosed",
    "HandsOpened",
    "IconCompared",
    "InfluenceCounted",
    "LeaveEnded",
    "NobodyPrevailed",
    "NobodySent",
    "ObjectiveBuried",
    "ObjectiveClaimed",
    "ObjectiveTurnedUp",
    "ObjectivesArranged",
    "ObjectivesSeen",
    "Passed",
    "PhaseBegan",
    "PromiseKept",
    "PromiseMade",
    "TokenPlaced",
    "TokenReturned",
    "TopDiscarded",
    "TopLeft",
    "TurnBegan",
    "TurnEnded",
]
