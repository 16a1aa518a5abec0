"""The table of Imperial Struggle: flags, Squadrons, tracks, where every card and tile lies."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct, field

from domain.imperial_struggle.points import ActionRound
from domain.kernel import Seat, Table
from domain.piles import Cards, Pile


class Readings(Struct, frozen=True):
    """The options of a match; `editions.OPTIONS` says what each of them decides."""

    bid: Literal["none", "br", "fr"] = "none"
    spanish_empire: bool = False
    planned_upgrades: bool = False
    planned_layout: bool = False
    tougher_forts: bool = False
    region_switch: Literal["beyond_first", "per_change"] = "beyond_first"
    usa_isolation: Literal["optional", "automatic"] = "optional"
    last_upgrade: Literal["used", "taken"] = "used"
    fixed_price: Literal["with_increases", "exact"] = "with_increases"
    conflicted_flags: Literal["ignored", "counted"] = "ignored"
    carnatic_fort: Literal["india", "anywhere"] = "india"
    immediate_advantage: Literal["free", "limited"] = "free"
    austro_spanish_india: Literal["both", "economic"] = "both"
    european_refresh: Literal["own", "any"] = "own"
    townshend_goods: Literal["in_demand", "any"] = "in_demand"
    voltaire: Literal["always", "when_given"] = "always"
    turgot: Literal["after", "before"] = "after"
    conquered_damage: Literal["kept", "repaired"] = "kept"
    card_draw: Literal["deck", "reshuffle"] = "deck"


def _zero() -> dict[Seat, int]:
    return {"br": 0, "fr": 0}


def _nothing() -> dict[Seat, Cards]:
    return {"br": (), "fr": ()}


def _nowhere() -> dict[Seat, dict[str, str]]:
    return {"br": {}, "fr": {}}


def _no_tiles() -> dict[Seat, dict[str, Cards]]:
    return {"br": {}, "fr": {}}


def _no_piles() -> dict[Seat, Pile]:
    return {"br": Pile(), "fr": Pile()}


class State(Table, frozen=True, kw_only=True, omit_defaults=True):
    """Everything that lies on the table.

    `vp` is above 15 when France leads.  `flags` holds who has which space, Squadrons on naval spaces
    included; `navy`, `unbuilt` and `away` (on the Turn Track) count the Squadrons elsewhere, and those that
    are nowhere have left the game.  `sailed`: where the Squadrons are that were deployed in this round, or
    took a space in this war.  `conflicts`: space -> points more to remove the marker (0 or 1).

    `shown` are the investment tiles of the turn, `picked` those that a side took; `laid` is an award by
    region.  A war tile lies in a pool (`basics`, `bonuses`), on the display of the next war (`front`,
    `reinforcements`), is being placed (`drawn`) or is out of the game (`gone`).

    `ministries` are those in play, `revealed` the open ones; `third`: Jacobite Uprisings is a third one.
    `exhausted` holds advantages and abilities.  `refused` counts the resistance of this war, and `resisted`
    are the Territories that held out.  `fought` and `margins`: who won its theatres, and by how much.
    `owed`: shifts in Spain (12.1).
    """

    edition: str = ""
    options: Readings = Readings()
    turn: int = 0
    phase: str = ""
    war: str = ""
    initiative: Seat = ""
    first: Seat = ""
    round: ActionRound | None = None
    vp: int = 15
    debt: dict[Seat, int] = field(default_factory=_zero)
    limit: dict[Seat, int] = field(default_factory=_zero)
    treaty: dict[Seat, int] = field(default_factory=_zero)
    flags: dict[str, Seat] = {}
    conflicts: dict[str, int] = {}
    damaged: tuple[str, ...] = ()
    navy: dict[Seat, int] = field(default_factory=_zero)
    unbuilt: dict[Seat, int] = field(default_factory=_zero)
    away: dict[Seat, int] = field(default_factory=_zero)
    sailed: tuple[str, ...] = ()
    advantages: dict[str, Seat] = {}
    exhausted: tuple[str, ...] = ()
    deck: Pile = Pile()
    discards: Cards = ()
    removed: Cards = ()
    hands: dict[Seat, Cards] = field(default_factory=_nothing)
    dropped: dict[Seat, Cards] = field(default_factory=_nothing)
    stack: Pile = Pile()
    shown: Cards = ()
    picked: dict[Seat, Cards] = field(default_factory=_nothing)
    used: Cards = ()
    awards: Pile = Pile()
    laid: dict[str, str] = {}
    given: Cards = ()
    demand: tuple[str, ...] = ()
    swept: dict[Seat, int] = field(default_factory=_zero)
    basics: dict[Seat, Pile] = field(default_factory=_no_piles)
    bonuses: dict[Seat, Pile] = field(default_factory=_no_piles)
    front: dict[Seat, dict[str, str]] = field(default_factory=_nowhere)
    reinforcements: dict[Seat, dict[str, Cards]] = field(default_factory=_no_tiles)
    drawn: dict[Seat, Cards] = field(default_factory=_nothing)
    gone: Cards = ()
    carried: dict[Seat, int] = field(default_factory=_zero)
    byng: str = ""
    dominance: Seat = ""
    ministries: dict[Seat, Cards] = field(default_factory=_nothing)
    revealed: Cards = ()
    third: bool = False
    uprisings: bool = False
    defeated: bool = False
    victories: int = 0
    huguenots: dict[str, bool] = {}
    townshend: str = ""
    merchants: int = 0
    refused: dict[Seat, int] = field(default_factory=_zero)
    resisted: tuple[str, ...] = ()
    fought: dict[str, Seat] = {}
    margins: dict[str, int] = {}
    owed: dict[Seat, int] = field(default_factory=_zero)
    bids: dict[Seat, str] = {}
