"""The table of CIA vs. KGB: where every card lies, who has which token, and the readings in force."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct, field

from domain.kernel import Seat, Table
from domain.piles import Cards, Pile


class Readings(Struct, frozen=True):
    """The options of a match; `editions.OPTIONS` says what each of them decides.

    A match that was opened before an option existed is played with the value that stands here.
    """

    disorder_claim: Literal["immediate", "at_debriefing"] = "immediate"
    tie_break: Literal["faction_sum", "highest_group"] = "faction_sum"
    double_analyst: Literal["token_owner", "other_side"] = "token_owner"
    complete_tie: Literal["under_deck", "non_balance_player"] = "under_deck"
    idle_activation: Literal["forbidden", "allowed"] = "forbidden"
    political_ban: Literal["gifts", "every_use"] = "gifts"
    first_balance: Literal["guess", "draw"] = "guess"
    double_agent_target: Literal["any", "not_deputy_director"] = "not_deputy_director"
    score_limit: int = 100
    turn_limit: int = 50


def _nothing() -> dict[Seat, Cards]:
    return {"cia": (), "kgb": ()}


class State(Table, frozen=True, kw_only=True, omit_defaults=True):
    """Everything that lies on the table.

    Groups lie in `groups` (the deck), in `discards` (the last one uppermost) or in front of a player
    (`recruited`; those turned sideways are also in `mobilized`).  Objectives lie in `objectives` (the deck),
    are contested (`objective`, face up on that deck), were won, or are `spent` events, out of the game.

    The whole discard pile is public: the rulebook forbids players to browse it, but each card went there face
    up.

    Agents stay in `headquarters` until they leave it face up: `sent` marks the one that a player chose face
    down, and only a revealed agent moves to `exposed`.  So headquarters look the same to every viewer.
    Agents in `leave` come home during Planning; `fallen` agents are terminated.

    `balance` is the holder of the balance token; `token` is the owner of the domination token that lies on
    the objective; `prevailed` is the side that placed its own at the latest Cease-fire (None after double
    disorder or a complete tie); `promises` are the sides for which an agent of the turn before still works
    ("watch", "analyst").
    """

    options: Readings = Readings()
    turn: int = 0
    phase: str = ""
    balance: Seat | None = None
    token: Seat | None = None
    prevailed: Seat | None = None
    fists: dict[Seat, str] = {}
    promises: dict[str, Seat] = {}
    objectives: Pile = Pile()
    objective: str | None = None
    won: dict[Seat, Cards] = field(default_factory=_nothing)
    spent: Cards = ()
    groups: Pile = Pile()
    discards: Cards = ()
    recruited: dict[Seat, Cards] = field(default_factory=_nothing)
    mobilized: Cards = ()
    headquarters: dict[Seat, Cards] = field(default_factory=_nothing)
    sent: dict[Seat, str] = {}
    exposed: dict[Seat, str] = {}
    leave: dict[Seat, Cards] = field(default_factory=_nothing)
    fallen: dict[Seat, Cards] = field(default_factory=_nothing)
