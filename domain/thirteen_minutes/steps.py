"""The closed union of everything that can remain to be done, from the first deal to the last check."""

from __future__ import annotations

from domain.thirteen_minutes.battle import (
    BeginBattle,
    Bid,
    ChooseFirst,
    Deal,
    DealCuba,
    DrawFirst,
    EndBattle,
    OpenBids,
)
from domain.thirteen_minutes.commands import Command, CommandCubes
from domain.thirteen_minutes.events import (
    DrawTop,
    ExchangeTop,
    LookAtCuba,
    LookAtHand,
    LookAtTop,
    Place,
    PlaceCount,
    Remove,
    RemoveCount,
    Shift,
    TransferFrom,
    TransferTo,
)
from domain.thirteen_minutes.scoring import (
    CheckWar,
    MatchLastCards,
    RevealLastCards,
    ScoreAftermath,
    ScoreMilitary,
    ScoreTerritories,
    TurnCuba,
)
from domain.thirteen_minutes.turns import ChooseAction, DrawCard, OpponentEvent, PlayCard, Refill, Turns

AnyStep = (
    BeginBattle
    | Deal
    | DealCuba
    | Bid
    | OpenBids
    | ChooseFirst
    | DrawFirst
    | Turns
    | PlayCard
    | ChooseAction
    | OpponentEvent
    | Command
    | CommandCubes
    | Place
    | PlaceCount
    | Remove
    | RemoveCount
    | TransferFrom
    | TransferTo
    | Shift
    | LookAtCuba
    | LookAtHand
    | LookAtTop
    | DrawTop
    | ExchangeTop
    | Refill
    | DrawCard
    | ScoreTerritories
    | TurnCuba
    | ScoreMilitary
    | RevealLastCards
    | ScoreAftermath
    | MatchLastCards
    | CheckWar
    | EndBattle
)
