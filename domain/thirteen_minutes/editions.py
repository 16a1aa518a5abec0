"""Editions and options: every reading and variant by name, the empty table, and how a match begins.

A seat keeps its name for the whole match and stands for the player; with `campaign_sides` = swapped the
players exchange superpowers after each battle, and `State.seats` says which seat plays which side.
"""

from __future__ import annotations

from typing import Any

import msgspec

from domain.game import Option, Options
from domain.kernel import Step
from domain.texts import LANGUAGES
from domain.thirteen_minutes.battle import BeginBattle
from domain.thirteen_minutes.board import CUBES
from domain.thirteen_minutes.components.card_sets import checked
from domain.thirteen_minutes.state import Settings, State

EDITIONS = ("standard",)

OPTIONS = (
    Option("card_set", "reconstruction", choices=("reconstruction",), data=checked),
    # T-CAP: the big sibling game has a limit of cubes; it counts each side's own cubes.
    Option("max_cubes_per_territory", None, least=1, most=CUBES, none=True),
    # T-MILITARY: "under whose influence" read as control, or as the sphere where the territory lies.
    Option("military_by", "control", choices=("control", "sphere")),
    # T-MATCH: matched last cards count for the war check only, or also as territories.
    Option("matched_cards_rescore", False, choices=(False, True)),
    # T-TIE: the rulebook is silent, and no second reading is in use.
    Option("equal_vp", "draw", choices=("draw",)),
    Option("campaign", False, choices=(False, True)),
    Option("campaign_sides", "fixed", choices=("fixed", "swapped")),
    # T-CAMPAIGN: both sides have reached the target with equal sums.
    Option("campaign_equal", "play_on", choices=("play_on", "draw")),
    # Our own readings: the book sets no limit, and a match has to end.
    Option("equal_bids", 10, least=1, most=100),
    Option("campaign_battles", 13, least=1, most=100),
)


def table(edition: str, options: Options) -> State:
    """The empty table; there is only one edition."""
    return State(options=msgspec.convert(options, Settings))


def first(s: State) -> tuple[Step[State], ...]:
    """A match begins with its first battle."""
    return (BeginBattle(),)


def names(edition: str, options: Options, language: str) -> dict[str, str]:
    """The titles and event texts of a match's own card set; there is only one edition."""
    card_set = options.get("card_set")
    if not isinstance(card_set, dict) or language not in LANGUAGES:
        return {}
    label = {"own": card_set["label"]} if "label" in card_set else {}
    return label | {
        name: text for card in card_set["cards"] for name, text in _card_names(card, language).items()
    }


def _card_names(card: dict[str, Any], language: str) -> dict[str, str]:
    """A card's title and event text; "" if the set gives none, for a built-in card may have the same id."""
    text = card["event"].get("text", {}).get(language, "")
    return {card["id"]: card["title"][language], f"{card['id']}.event": text}
