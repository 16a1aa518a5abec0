"""What can have happened in Imperial Struggle.

`flow` is the course of a match, `tracks` the markers beside the board, `board` what lies on it, `cards` where
cards and tiles go, `wars` the war tiles and the wars.  A fact says what it changes (`apply`) and who may know
it; sums and reasons in it are there for the reader.
"""

from __future__ import annotations

from domain.imperial_struggle.facts.board import (
    AdvantageExhausted,
    AdvantageRefreshed,
    AdvantageReturned,
    AdvantageTaken,
    AdvantageUsed,
    ConflictPlaced,
    ConflictRemoved,
    FlagPlaced,
    FlagRemoved,
    FortDamaged,
    FortRepaired,
    HuguenotsPlaced,
    HuguenotsRemoved,
    HuguenotsTurned,
    SquadronMoved,
)
from domain.imperial_struggle.facts.cards import (
    AbilityUsed,
    AwardsLaid,
    AwardsShuffled,
    CardDiscarded,
    CardsDealt,
    CardsDropped,
    DebtIgnored,
    DemandAdded,
    DemandReplaced,
    DemandSeen,
    DemandSet,
    DiscardsReshuffled,
    DropsShown,
    EventPlayed,
    EventsAdded,
    EventsRetired,
    InvestmentsReshuffled,
    InvestmentsShown,
    InvestmentsUsed,
    JacobitesDefeated,
    JacobiteVictory,
    MinistriesChosen,
    MinistriesReturned,
    MinistryRevealed,
    TownshendSet,
    UprisingsAdded,
    UprisingsAllowed,
    UprisingsDeclined,
)
from domain.imperial_struggle.facts.flow import (
    AwardScored,
    BidMade,
    BidsOpened,
    ChoiceMade,
    DebtCompared,
    EffectBegan,
    EffectEnded,
    FirstChosen,
    GoodScored,
    InitiativeSet,
    MarkersReset,
    PointsExchanged,
    PointsGranted,
    PointsPaid,
    PointsRaised,
    PrestigeScored,
    RoundBegan,
    RoundEnded,
    RoundPassed,
    SidesCounted,
    SidesSettled,
    TerritoriesCounted,
    TileTaken,
    TurnBegan,
    TurnEnded,
    UpgradeUsed,
)
from domain.imperial_struggle.facts.tracks import (
    DebtSet,
    LimitSet,
    ScoreMoved,
    TreatySet,
)
from domain.imperial_struggle.facts.wars import (
    BasicKept,
    BasicRemoved,
    BasicsDrawn,
    BasicsLaid,
    BasicsSwapped,
    BonusDrawn,
    BonusMoved,
    BonusPlaced,
    BonusReturned,
    ByngPlaced,
    CaptureResisted,
    ConquestDeclined,
    DominanceWon,
    ShiftOwed,
    ShiftSettled,
    SpaceConquered,
    SpoilsTaken,
    TheatreFought,
    TilesRevealed,
    WarBegan,
    WarEnded,
    WarSet,
)
from domain.kernel import Ended

AnyFact = (
    BidMade
    | BidsOpened
    | SidesSettled
    | TurnBegan
    | MarkersReset
    | InitiativeSet
    | FirstChosen
    | TurnEnded
    | RoundBegan
    | TileTaken
    | RoundPassed
    | PointsGranted
    | PointsRaised
    | PointsPaid
    | PointsExchanged
    | EffectBegan
    | EffectEnded
    | UpgradeUsed
    | ChoiceMade
    | RoundEnded
    | AwardScored
    | PrestigeScored
    | GoodScored
    | DebtCompared
    | TerritoriesCounted
    | SidesCounted
    | ScoreMoved
    | DebtSet
    | LimitSet
    | TreatySet
    | FlagPlaced
    | FlagRemoved
    | ConflictPlaced
    | ConflictRemoved
    | FortDamaged
    | FortRepaired
    | SquadronMoved
    | AdvantageTaken
    | AdvantageReturned
    | AdvantageUsed
    | AdvantageExhausted
    | AdvantageRefreshed
    | HuguenotsPlaced
    | HuguenotsTurned
    | HuguenotsRemoved
    | EventsAdded
    | EventsRetired
    | CardsDealt
    | DiscardsReshuffled
    | CardsDropped
    | DropsShown
    | CardDiscarded
    | EventPlayed
    | InvestmentsShown
    | InvestmentsUsed
    | InvestmentsReshuffled
    | AwardsShuffled
    | AwardsLaid
    | DemandSet
    | DemandAdded
    | DemandReplaced
    | DemandSeen
    | MinistriesChosen
    | MinistriesReturned
    | MinistryRevealed
    | AbilityUsed
    | UprisingsAdded
    | UprisingsDeclined
    | UprisingsAllowed
    | JacobitesDefeated
    | JacobiteVictory
    | TownshendSet
    | DebtIgnored
    | WarSet
    | BasicsLaid
    | BasicsDrawn
    | BasicKept
    | BasicRemoved
    | BasicsSwapped
    | BonusDrawn
    | BonusPlaced
    | BonusMoved
    | BonusReturned
    | ByngPlaced
    | WarBegan
    | TilesRevealed
    | TheatreFought
    | SpoilsTaken
    | DominanceWon
    | SpaceConquered
    | CaptureResisted
    | ShiftOwed
    | ShiftSettled
    | ConquestDeclined
    | WarEnded
    | Ended
)

__all__ = [
    "AbilityUsed",
    "AdvantageExhausted",
    "AdvantageRefreshed",
    "AdvantageReturned",
    "AdvantageTaken",
    "AdvantageUsed",
    "AnyFact",
    "AwardScored",
    "AwardsLaid",
    "AwardsShuffled",
    "BasicKept",
    "BasicRemoved",
    "BasicsDrawn",
    "BasicsLaid",
    "BasicsSwapped",
    "BidMade",
    "BidsOpened",
    "BonusDrawn",
    "BonusMoved",
    "BonusPlaced",
    "BonusReturned",
    "ByngPlaced",
    "CaptureResisted",
    "CardDiscarded",
    "CardsDealt",
    "CardsDropped",
    "ChoiceMade",
    "ConflictPlaced",
    "ConflictRemoved",
    "ConquestDeclined",
    "DebtCompared",
    "DebtIgnored",
    "DebtSet",
    "DemandAdded",
    "DemandReplaced",
    "DemandSeen",
    "DemandSet",
    "DiscardsReshuffled",
    "DominanceWon",
    "DropsShown",
    "EffectBegan",
    "EffectEnded",
    "Ended",
    "EventPlayed",
    "EventsAdded",
    "EventsRetired",
    "FirstChosen",
    "FlagPlaced",
    "FlagRemoved",
    "FortDamaged",
    "FortRepaired",
    "GoodScored",
    "HuguenotsPlaced",
    "HuguenotsRemoved",
    "HuguenotsTurned",
    "InitiativeSet",
    "InvestmentsReshuffled",
    "InvestmentsShown",
    "InvestmentsUsed",
    "JacobiteVictory",
    "JacobitesDefeated",
    "LimitSet",
    "MarkersReset",
    "MinistriesChosen",
    "MinistriesReturned",
    "MinistryRevealed",
    "PointsExchanged",
    "PointsGranted",
    "PointsPaid",
    "PointsRaised",
    "PrestigeScored",
    "RoundBegan",
    "RoundEnded",
    "RoundPassed",
    "ScoreMoved",
    "ShiftOwed",
    "ShiftSettled",
    "SidesCounted",
    "SidesSettled",
    "SpaceConquered",
    "SpoilsTaken",
    "SquadronMoved",
    "TerritoriesCounted",
    "TheatreFought",
    "TileTaken",
    "TilesRevealed",
    "TownshendSet",
    "TreatySet",
    "TurnBegan",
    "TurnEnded",
    "UpgradeUsed",
    "UprisingsAdded",
    "UprisingsAllowed",
    "UprisingsDeclined",
    "WarBegan",
    "WarEnded",
    "WarSet",
]
