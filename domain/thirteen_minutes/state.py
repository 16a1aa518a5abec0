"""The table of 13 Minutes: the readings in force, and where every card and cube lies."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from domain.kernel import Seat, Table
from domain.piles import Cards, Pile
from domain.thirteen_minutes.board import Cubes, Side, Territory
from domain.thirteen_minutes.components import CardSet


class Settings(Struct, frozen=True):
    """The options of a match; see `editions.OPTIONS` for what each one decides."""

    card_set: Literal["reconstruction"] | CardSet = "reconstruction"
    max_cubes_per_territory: int | None = None
    military_by: str = "control"
    matched_cards_rescore: bool = False
    equal_vp: str = "draw"
    campaign: bool = False
    campaign_sides: str = "fixed"
    campaign_equal: str = "play_on"
    equal_bids: int = 10
    campaign_battles: int = 13


class State(Table, frozen=True, kw_only=True, omit_defaults=True):
    """One moment of a match.

    `seats`: which seat plays each side.  `cuba`: the card that is Cuba.  `supply`: how many cubes each side
    has left.  `plays`: cards played in this battle.  `territories`: by card id, Cuba as "cuba", in the order
    of play.  `vp`: the points of this battle, once it is scored.  `war`: which side started one ("both", ""
    none).  `over`: this battle has ended and counts in `totals` (VP by seat).
    """

    options: Settings = Settings()
    battle: int = 0
    seats: dict[Side, Seat] = {}
    deck: Pile = Pile()
    hands: dict[Side, Cards] = {}
    cuba: str = ""
    cuba_open: bool = False
    bids: dict[Side, Cubes] = {}
    supply: dict[Side, int] = {}
    first: Side = ""
    plays: int = 0
    territories: dict[str, Territory] = {}
    vp: dict[Side, int] = {}
    war: str = ""
    over: bool = False
    totals: dict[Seat, int] = {}
