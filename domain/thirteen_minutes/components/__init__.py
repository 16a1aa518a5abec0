"""Cards as data: the language of events, the reconstruction, and the cards of a match.

The texts of the published cards of 13 Minutes are not public.  `reconstruction.json` is an invented set, and
all texts call it so; its titles and texts are in texts.<language>.toml.  An owner of the game gives the real
cards as the option `card_set`, checked by `card_sets.checked`.

Every step of an event is "up to" and may be declined.  Its executor is the player of the card's superpower;
for a UN card, the player who plays it.
"""

from __future__ import annotations

import importlib.resources
from collections.abc import Mapping
from typing import Any, Literal

import msgspec
from msgspec import Struct

from domain.thirteen_minutes.board import CAMPAIGN_TARGET, COLOURS, CUBES, HAND, SIDES, WAR_SYMBOLS, ZONES

Alignment = Literal["us", "ussr", "un"]
Colour = Literal["military", "political", "world_opinion"]
Place = Literal["neutral", "executor", "opponent"]
Direction = Literal["either", "toward_executor", "toward_opponent", "toward_neutral"]


class Filter(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Which territories a step may touch; a condition that is not given does not restrict.

    `colour`: face-up territories of these colours (never the hidden Cuba).  `zone`: where the territory lies
    before the step, as the executor sees it.  `cuba`: only Cuba, or all but Cuba.
    """

    colour: tuple[Colour, ...] = ()
    zone: tuple[Place, ...] = ()
    cuba: bool | None = None
    has_opponent_cubes: bool = False


class Op(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, tag_field="op"):
    """One step of an event."""


class PlaceOp(Op, frozen=True, tag="place"):
    """1 to `per_territory` own cubes on each of up to `territories` different territories."""

    per_territory: int
    territories: int
    cubes_of: Literal["executor"] = "executor"
    filter: Filter = Filter()


class RemoveOp(Op, frozen=True, tag="remove"):
    """Removes cubes of `cubes_of` in the same way, back to their owner's supply."""

    cubes_of: Literal["executor", "opponent"]
    per_territory: int
    territories: int
    filter: Filter = Filter()


class TransferOp(Op, frozen=True, tag="transfer"):
    """1 to `up_to` own cubes from one territory, all of them onto one other; both pass the filter."""

    up_to: int
    cubes_of: Literal["executor"] = "executor"
    filter: Filter = Filter()


class ShiftOp(Op, frozen=True, tag="shift"):
    """Up to `territories` different territories slide one step; no cubes move."""

    territories: int
    direction: Direction
    filter: Filter = Filter()


class CommandOp(Op, frozen=True, tag="command"):
    """A Command of `cubes` strength."""

    cubes: int
    filter: Filter = Filter()


class PeekCubaOp(Op, frozen=True, tag="peek_cuba"):
    """The executor alone sees the Cuba card."""


class PeekHandOp(Op, frozen=True, tag="peek_hand"):
    """The executor alone sees the opponent's hand."""


class SwapOp(Op, frozen=True, tag="swap_with_deck_top"):
    """The executor sees the top card of the deck and may exchange it with a card of their hand."""


AnyOp = PlaceOp | RemoveOp | TransferOp | ShiftOp | CommandOp | PeekCubaOp | PeekHandOp | SwapOp


class Event(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What a card's event does, step by step; `text` by language (empty in the reconstruction)."""

    steps: tuple[AnyOp, ...]
    text: dict[str, str] = {}


class Card(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One card: `command` is the number printed at its top, `defcon` the colour of its symbol."""

    id: str
    alignment: Alignment
    command: int
    defcon: Colour
    event: Event
    title: dict[str, str] = {}


class CardSet(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Thirteen cards; `label`: the owner's name for the set, if any; `warnings`: what is unusual about it."""

    cards: tuple[Card, ...]
    label: str = ""
    warnings: tuple[str, ...] = ()


_DATA = importlib.resources.files(__package__) / "reconstruction.json"
RECONSTRUCTION = msgspec.json.decode(_DATA.read_bytes(), type=CardSet)


def describe_components() -> Mapping[str, Any]:
    """What a client needs to show a table; names and event texts ("<card>.event") are in the texts."""
    return {
        "card_set": {"id": "reconstruction", **msgspec.to_builtins(RECONSTRUCTION)},
        "sides": list(SIDES),
        "zones": list(ZONES),
        "colours": list(COLOURS),
        "cubes": CUBES,
        "hand": HAND,
        "war_symbols": WAR_SYMBOLS,
        "campaign_target": CAMPAIGN_TARGET,
    }
