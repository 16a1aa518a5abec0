"""The cards, by periods: each is a function that carries out its event, under a decorator with its face."""

from __future__ import annotations

from typing import Any

import msgspec

from domain.twilight_struggle.cards import early, late, mid_first_half, mid_second_half
from domain.twilight_struggle.components import MAP, REGIONS, SPACE
from domain.twilight_struggle.rules.registry import CARDS, Card

MODULES = (early, mid_first_half, mid_second_half, late)


def describe_components() -> dict[str, Any]:
    """Cards, countries, regions and the Space Race as plain data for clients."""
    return {
        "cards": [_face(card) for card in sorted(CARDS.values(), key=lambda card: (card.number, card.id))],
        "countries": msgspec.to_builtins(list(MAP.values())),
        "regions": msgspec.to_builtins(REGIONS),
        "space": msgspec.to_builtins(list(SPACE.values())),
    }


def _face(card: Card) -> dict[str, Any]:
    hidden = ("event", "needs", "barred_by")
    return {name: getattr(card, name) for name in card.__struct_fields__ if name not in hidden}
