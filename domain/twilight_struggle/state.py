"""The table of Twilight Struggle: influence, tracks, where every card lies, what is in force."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct, field

from domain.kernel import Seat, Table
from domain.piles import Cards, Pile

Influence = dict[Seat, dict[str, int]]


class InPlay(Struct, frozen=True, gc=False):
    """A card that is being resolved, and the side that plays it."""

    card: str
    seat: Seat


class Effect(Struct, frozen=True, gc=False, omit_defaults=True):
    """What a card changes for the rest of the turn: for `seat`, in `region` if one was named."""

    card: str
    seat: Seat
    region: str = ""


class Readings(Struct, frozen=True):
    """The options of a match; `editions.OPTIONS` says what each of them decides."""

    optional_cards: bool = True
    chinese_civil_war: bool = False
    scenario: Literal["standard", "late_war"] = "standard"
    tournament: bool = False
    bid: Literal["none", "victory_points", "influence"] = "none"
    handicap: int = 0
    realignment_ignores_defcon: bool = False
    realignment_phasing_player_safe: bool = False
    realignment_mixed: bool = False
    space_without_roll: bool = False
    event_ops_modified: bool = True
    junta_regions: Literal["either", "one"] = "either"
    south_african_unrest: Literal["split", "single"] = "split"
    missile_envy: Literal["printed", "modified"] = "printed"
    drawn_defectors: Literal["nothing", "score"] = "nothing"
    un_intervention_space: bool = True
    late_war_defcon: Literal["kept", "improved"] = "kept"
    finlandization: Literal[False] = False


def _no_influence() -> Influence:
    return {"us": {}, "ussr": {}}


def _zero() -> dict[Seat, int]:
    return {"us": 0, "ussr": 0}


def _nothing() -> dict[Seat, Cards]:
    return {"us": (), "ussr": ()}


class State(Table, frozen=True, kw_only=True, omit_defaults=True):
    """Everything that lies on the table.

    `influence` and `at_start` (the influence when the action round, or the headline event, began: what
    Operations can reach) hold only countries where a side has some.  `vp` is above 0 for the US and below 0
    for the USSR.  `round` is 0 outside the action rounds; `phasing` is whose round, or headline, it is.

    A card lies in `hands`, in the deck, in `discards`, is `removed`, lies `beside` the board while it is in
    force, was turned up as a headline (`headlines`), or is being resolved (`playing`, the latest last).
    `chosen` marks the headline that still lies in a hand, face down.  The China Card has fields of its own:
    `china` is the side that has it (None: the variant of the Chinese Civil War), `china_ready` whether it is
    face up.

    `effects` end with the turn.  `reached_two`: DEFCON moved to 2 in this round (NORAD).  `buries`: "We Will
    Bury You" waits for the next US round.  `envy`: the side that owes Missile Envy.  `order`: the US cards as
    Aldrich Ames ordered them.  `bids` are those for the sides, and `gift` is the extra influence that
    `gift_to` got with them.
    """

    edition: str = ""
    options: Readings = Readings()
    turn: int = 0
    phase: str = ""
    round: int = 0
    phasing: Seat | None = None
    influence: Influence = field(default_factory=_no_influence)
    at_start: Influence = field(default_factory=_no_influence)
    defcon: int = 5
    vp: int = 0
    military: dict[Seat, int] = field(default_factory=_zero)
    space: dict[Seat, int] = field(default_factory=_zero)
    spaced: dict[Seat, int] = field(default_factory=_zero)
    china: Seat | None = None
    china_ready: bool = True
    hands: dict[Seat, Cards] = field(default_factory=_nothing)
    chosen: dict[Seat, str] = {}
    headlines: dict[Seat, str] = {}
    playing: tuple[InPlay, ...] = ()
    deck: Pile = Pile()
    discards: Cards = ()
    removed: Cards = ()
    beside: Cards = ()
    effects: tuple[Effect, ...] = ()
    reached_two: bool = False
    buries: bool = False
    envy: Seat | None = None
    order: Cards = ()
    bids: dict[Seat, str] = {}
    gift: int = 0
    gift_to: Seat = ""
