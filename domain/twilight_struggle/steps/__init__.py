"""What can remain to be done in Twilight Struggle.

`setup`, `flow` and `play` string a match together; `operations` and `choices` ask; `hands`, `wars` and `dice`
are left to chance; `deeds` holds what often happens.
"""

from __future__ import annotations

from domain.twilight_struggle.steps.choices import (
    AddEach,
    Choose,
    Double,
    Drain,
    OrderHand,
    Relocate,
    RemoveEach,
    Spread,
)
from domain.twilight_struggle.steps.flow import (
    Act,
    CheckHands,
    CheckMilitary,
    ChooseHeadline,
    CloseTurn,
    Decide,
    DropCard,
    EndRound,
    EndTurn,
    FinalScoring,
    Headlines,
    OrderHeadlines,
    ResolveHeadline,
    Round,
    ShowHeadlines,
    ShowHeld,
    Turn,
)
from domain.twilight_struggle.steps.hands import (
    Contest,
    Deal,
    DealTo,
    LookAtTop,
    LoseCard,
    LosePlanned,
    Replenish,
    Reshuffle,
    TakeCard,
)
from domain.twilight_struggle.steps.operations import (
    Coup,
    Operate,
    PlaceInfluence,
    Realign,
    RollCoup,
    RollRealignment,
    RollSpace,
    TrySpace,
)
from domain.twilight_struggle.steps.play import (
    EndEvent,
    EndPlay,
    Event,
    PassChina,
    PlayCard,
    PlayTaken,
    RollTrap,
)
from domain.twilight_struggle.steps.setup import (
    Bid,
    BreakTie,
    FirstBidder,
    GiveBid,
    OpenBids,
    PlaceExtra,
    PlaceFree,
    SealBid,
    SetUp,
)
from domain.twilight_struggle.steps.wars import FightWar, RollWar

AnyStep = (
    SetUp
    | PlaceExtra
    | PlaceFree
    | SealBid
    | OpenBids
    | BreakTie
    | GiveBid
    | FirstBidder
    | Bid
    | Turn
    | Headlines
    | ChooseHeadline
    | ShowHeadlines
    | OrderHeadlines
    | ResolveHeadline
    | Round
    | Act
    | EndRound
    | EndTurn
    | DropCard
    | CheckMilitary
    | Decide
    | ShowHeld
    | CheckHands
    | CloseTurn
    | FinalScoring
    | PlayCard
    | PassChina
    | EndPlay
    | Event
    | EndEvent
    | RollTrap
    | PlayTaken
    | Operate
    | PlaceInfluence
    | Realign
    | RollRealignment
    | Coup
    | RollCoup
    | TrySpace
    | RollSpace
    | FightWar
    | RollWar
    | AddEach
    | RemoveEach
    | Spread
    | Drain
    | Double
    | Choose
    | OrderHand
    | Relocate
    | Deal
    | Reshuffle
    | DealTo
    | Replenish
    | LoseCard
    | LosePlanned
    | TakeCard
    | LookAtTop
    | Contest
)

__all__ = [
    "Act",
    "AddEach",
    "AnyStep",
    "Bid",
    "BreakTie",
    "CheckHands",
    "CheckMilitary",
    "Choose",
    "ChooseHeadline",
    "CloseTurn",
    "Contest",
    "Coup",
    "Deal",
    "DealTo",
    "Decide",
    "Double",
    "Drain",
    "DropCard",
    "EndEvent",
    "EndPlay",
    "EndRound",
    "EndTurn",
    "Event",
    "FightWar",
    "FinalScoring",
    "FirstBidder",
    "GiveBid",
    "Headlines",
    "LookAtTop",
    "LoseCard",
    "LosePlanned",
    "OpenBids",
    "Operate",
    "OrderHand",
    "OrderHeadlines",
    "PassChina",
    "PlaceExtra",
    "PlaceFree",
    "PlaceInfluence",
    "PlayCard",
    "PlayTaken",
    "Realign",
    "Relocate",
    "RemoveEach",
    "Replenish",
    "Reshuffle",
    "ResolveHeadline",
    "RollCoup",
    "RollRealignment",
    "RollSpace",
    "RollTrap",
    "RollWar",
    "Round",
    "SealBid",
    "SetUp",
    "ShowHeadlines",
    "ShowHeld",
    "Spread",
    "TakeCard",
    "TrySpace",
    "Turn",
]
