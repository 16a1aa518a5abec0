"""13 Minutes: the action space.  A match with a card set of its own has its own space."""

from __future__ import annotations

from functools import cache

from domain.agents.actions import ActionSpace, numbers, spelt
from domain.game import Options
from domain.thirteen_minutes.board import CUBA, CUBES, SIDES, ZONES
from domain.thirteen_minutes.components import RECONSTRUCTION

NAME = "thirteen_minutes/1"
FORMS = (
    "{number}",
    "{seat}",
    "event",
    "command",
    "{territory}",
    "{zone}:{territory}",
    "place:{cubes}",
    "remove:{cubes}",
    "{cubes}:{territory}",
)


def actions(options: Options) -> ActionSpace:
    """The action space of matches with the card set of these options."""
    return _space(card_ids(options))


def card_ids(options: Options) -> tuple[str, ...]:
    """The ids of the cards that a match uses, in their order."""
    own = options.get("card_set")
    if isinstance(own, dict):
        return tuple(card["id"] for card in own["cards"])
    return tuple(card.id for card in RECONSTRUCTION.cards)


@cache
def _space(cards: tuple[str, ...]) -> ActionSpace:
    words = {
        "number": numbers(0, CUBES),
        "seat": SIDES,
        "territory": (CUBA, *cards),
        "zone": ZONES,
        "cubes": numbers(1, CUBES),
    }
    return ActionSpace(NAME, spelt(FORMS, words))
