"""What can remain to be done in Imperial Struggle.

`flow` strings a match together, `rounds` is an action round, `tiles` what chance deals, `scoring` the end of
a peace turn and `wars` a war; `choices` asks what cards ask, and `deeds` holds what often happens.
"""

from __future__ import annotations

from domain.imperial_struggle.steps.choices import (
    Affect,
    Choose,
)
from domain.imperial_struggle.steps.conquest import (
    ClearForts,
    ClearMarkets,
    Conquer,
    PlaceUsaFlags,
    Resist,
    SendSquadron,
    SettleSpain,
    ShiftSpain,
)
from domain.imperial_struggle.steps.flow import (
    BreakTie,
    ChooseFirst,
    ChooseMinistries,
    DropCards,
    Follow,
    OfferUprisings,
    OpenBids,
    ResetMarkers,
    ReturnMinistries,
    SealBid,
    SetUp,
    TakeInitiative,
    Turn,
)
from domain.imperial_struggle.steps.goods import (
    DrawGood,
    ReplaceDemand,
)
from domain.imperial_struggle.steps.hidden import (
    DrawReturned,
    GiveUp,
    ReturnTheirs,
)
from domain.imperial_struggle.steps.rounds import (
    Act,
    Happen,
    RaiseActions,
    Round,
    TakeTile,
    UseAbility,
    UseAdvantage,
)
from domain.imperial_struggle.steps.scoring import (
    CheckVictory,
    EndTurn,
    FinalScoring,
    ScoreTurn,
)
from domain.imperial_struggle.steps.spending import (
    Pay,
    Sail,
)
from domain.imperial_struggle.steps.tiles import (
    DealTo,
    DrawBonus,
    DrawCards,
    DrawDemand,
    LayAwards,
    LayBasics,
    MakeRoom,
    PlaceBonus,
    PlanLayout,
    ReshuffleEvents,
    ShowInvestments,
)
from domain.imperial_struggle.steps.upgrades import (
    DrawBasic,
    KeepBasic,
    SwapBasics,
    Upgrade,
)
from domain.imperial_struggle.steps.wars import (
    Battle,
    CheckWar,
    CollectSpoils,
    Compare,
    DebtSymbol,
    FlagSymbol,
    Honour,
    Layout,
    LoseSquadrons,
    ResetWar,
    ShareSpoils,
    StrikeSymbol,
    TakeFlag,
    War,
)

AnyStep = (
    DealTo
    | ReshuffleEvents
    | DrawCards
    | ShowInvestments
    | LayAwards
    | DrawDemand
    | LayBasics
    | PlanLayout
    | DrawBonus
    | PlaceBonus
    | MakeRoom
    | Affect
    | Choose
    | Round
    | TakeTile
    | RaiseActions
    | Act
    | UseAbility
    | Happen
    | UseAdvantage
    | Sail
    | Pay
    | Upgrade
    | SwapBasics
    | DrawBasic
    | KeepBasic
    | SetUp
    | SealBid
    | OpenBids
    | BreakTie
    | Turn
    | ResetMarkers
    | ReturnMinistries
    | DropCards
    | OfferUprisings
    | ChooseMinistries
    | TakeInitiative
    | ChooseFirst
    | Follow
    | EndTurn
    | ScoreTurn
    | CheckVictory
    | FinalScoring
    | Layout
    | War
    | Battle
    | CheckWar
    | CollectSpoils
    | Compare
    | DebtSymbol
    | FlagSymbol
    | Honour
    | LoseSquadrons
    | ResetWar
    | ShareSpoils
    | StrikeSymbol
    | TakeFlag
    | ClearForts
    | ClearMarkets
    | Conquer
    | PlaceUsaFlags
    | Resist
    | SendSquadron
    | SettleSpain
    | ShiftSpain
    | ReturnTheirs
    | DrawReturned
    | GiveUp
    | DrawGood
    | ReplaceDemand
)

__all__ = [
    "Act",
    "Affect",
    "AnyStep",
    "Battle",
    "BreakTie",
    "CheckVictory",
    "CheckWar",
    "Choose",
    "ChooseFirst",
    "ChooseMinistries",
    "ClearForts",
    "ClearMarkets",
    "CollectSpoils",
    "Compare",
    "Conquer",
    "DealTo",
    "DebtSymbol",
    "DrawBasic",
    "DrawBonus",
    "DrawCards",
    "DrawDemand",
    "DrawGood",
    "DrawReturned",
    "DropCards",
    "EndTurn",
    "FinalScoring",
    "FlagSymbol",
    "Follow",
    "GiveUp",
    "Happen",
    "Honour",
    "KeepBasic",
    "LayAwards",
    "LayBasics",
    "Layout",
    "LoseSquadrons",
    "MakeRoom",
    "OfferUprisings",
    "OpenBids",
    "Pay",
    "PlaceBonus",
    "PlaceUsaFlags",
    "PlanLayout",
    "RaiseActions",
    "ReplaceDemand",
    "ResetMarkers",
    "ResetWar",
    "ReshuffleEvents",
    "Resist",
    "ReturnMinistries",
    "ReturnTheirs",
    "Round",
    "Sail",
    "ScoreTurn",
    "SealBid",
    "SendSquadron",
    "SetUp",
    "SettleSpain",
    "ShareSpoils",
    "ShiftSpain",
    "ShowInvestments",
    "StrikeSymbol",
    "SwapBasics",
    "TakeFlag",
    "TakeInitiative",
    "TakeTile",
    "Turn",
    "Upgrade",
    "UseAbility",
    "UseAdvantage",
    "War",
]
