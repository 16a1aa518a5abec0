"""What can have happened in Twilight Struggle.

`flow` is the course of a match, `cards` where the cards go, `board` what happens on the map, `tracks` what
happens beside it.  A fact says what it changes (`apply`) and who may know it; dice, sums and reasons in it
are there for the reader.
"""

from __future__ import annotations

from domain.kernel import Ended
from domain.twilight_struggle.facts.board import (
    CivilWarEnded,
    CoupRolled,
    InfluenceSet,
    RealignmentRolled,
    WarRolled,
)
from domain.twilight_struggle.facts.cards import (
    CardDiscarded,
    CardKept,
    CardPlayed,
    CardPutAway,
    CardRetrieved,
    CardRevived,
    CardsAdded,
    CardsDealt,
    CardSeen,
    CardsShown,
    ChinaPassed,
    ChinaPlayed,
    DeckShuffled,
    DiscardsReshuffled,
    EnvyEnded,
    HandOrdered,
    HandShown,
    MarkerEnded,
    PositionStated,
    TopDiscarded,
    TopSeen,
)
from domain.twilight_struggle.facts.flow import (
    BidMade,
    BidPassed,
    BidRaised,
    BidsOpened,
    BurialBegan,
    BurialEnded,
    ChoiceMade,
    EffectBegan,
    EffectEnded,
    EffectsLapsed,
    EventBarred,
    EventBegan,
    HandsChecked,
    HeadlineBegan,
    HeadlineCancelled,
    HeadlineChosen,
    HeadlinesBegan,
    HeadlineShown,
    HeadlineSkipped,
    HeldCardsShown,
    RoundBegan,
    RoundPassed,
    SidesSettled,
    TrapRolled,
    TurnBegan,
    TurnEnded,
)
from domain.twilight_struggle.facts.tracks import (
    ArmsCompared,
    ContestRolled,
    CountryLeftOut,
    DefconSet,
    MilitaryChecked,
    MilitarySet,
    RegionScored,
    ScoreMoved,
    SpaceDeclined,
    SpaceRolled,
    SpaceSet,
)

AnyFact = (
    TurnBegan
    | HeadlinesBegan
    | HeadlineChosen
    | HeadlineShown
    | HeadlineSkipped
    | HeadlineCancelled
    | HeadlineBegan
    | RoundBegan
    | RoundPassed
    | EventBegan
    | EventBarred
    | EffectBegan
    | EffectEnded
    | BurialBegan
    | BurialEnded
    | ChoiceMade
    | TrapRolled
    | HandsChecked
    | HeldCardsShown
    | TurnEnded
    | EffectsLapsed
    | BidMade
    | BidsOpened
    | BidRaised
    | BidPassed
    | SidesSettled
    | CardsDealt
    | CardsAdded
    | DiscardsReshuffled
    | TopSeen
    | TopDiscarded
    | DeckShuffled
    | HandShown
    | CardsShown
    | CardSeen
    | CardPlayed
    | ChinaPlayed
    | ChinaPassed
    | CardPutAway
    | CardKept
    | EnvyEnded
    | CardDiscarded
    | CardRetrieved
    | CardRevived
    | MarkerEnded
    | HandOrdered
    | PositionStated
    | InfluenceSet
    | CoupRolled
    | RealignmentRolled
    | WarRolled
    | CivilWarEnded
    | DefconSet
    | ScoreMoved
    | MilitarySet
    | MilitaryChecked
    | SpaceRolled
    | SpaceDeclined
    | SpaceSet
    | RegionScored
    | CountryLeftOut
    | ArmsCompared
    | ContestRolled
    | Ended
)

__all__ = [
    "AnyFact",
    "ArmsCompared",
    "BidMade",
    "BidPassed",
    "BidRaised",
    "BidsOpened",
    "BurialBegan",
    "BurialEnded",
    "CardDiscarded",
    "CardKept",
    "CardPlayed",
    "CardPutAway",
    "CardRetrieved",
    "CardRevived",
    "CardSeen",
    "CardsAdded",
    "CardsDealt",
    "CardsShown",
    "ChinaPassed",
    "ChinaPlayed",
    "ChoiceMade",
    "CivilWarEnded",
    "ContestRolled",
    "CountryLeftOut",
    "CoupRolled",
    "DeckShuffled",
    "DefconSet",
    "DiscardsReshuffled",
    "EffectBegan",
    "EffectEnded",
    "EffectsLapsed",
    "Ended",
    "EnvyEnded",
    "EventBarred",
    "EventBegan",
    "HandOrdered",
    "HandShown",
    "HandsChecked",
    "HeadlineBegan",
    "HeadlineCancelled",
    "HeadlineChosen",
    "HeadlineShown",
    "HeadlineSkipped",
    "HeadlinesBegan",
    "HeldCardsShown",
    "InfluenceSet",
    "MarkerEnded",
    "MilitaryChecked",
    "MilitarySet",
    "PositionStated",
    "RealignmentRolled",
    "RegionScored",
    "RoundBegan",
    "RoundPassed",
    "ScoreMoved",
    "SidesSettled",
    "SpaceDeclined",
    "SpaceRolled",
    "SpaceSet",
    "TopDiscarded",
    "TopSeen",
    "TrapRolled",
    "TurnBegan",
    "TurnEnded",
    "WarRolled",
]
