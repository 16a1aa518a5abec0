"""Everything that is printed, as plain data for clients; importing it registers events and ministries."""

from __future__ import annotations

from typing import Any

import msgspec

from domain.imperial_struggle import components as printed
from domain.imperial_struggle.events import EVENTS
from domain.imperial_struggle.ministries import ABILITIES
from domain.imperial_struggle.rules.registry import Event


def describe_components() -> dict[str, Any]:
    """Spaces, advantages, investment tiles, awards, demand, ministries, events, war tiles and wars."""
    cards = sorted(EVENTS.values(), key=lambda card: card.number)
    tables = {
        "spaces": tuple(printed.BOARD.values()),
        "advantages": tuple(printed.ADVANTAGES.values()),
        "investments": tuple(printed.INVESTMENTS.values()),
        "awards": tuple(printed.AWARDS.values()),
        "demand": printed.DEMAND,
        "war_tiles": tuple(printed.WAR_TILES.values()),
        "wars": tuple(printed.WARS.values()),
    }
    return {
        **msgspec.to_builtins(tables),
        "events": [_event(card) for card in cards],
        "ministries": [_ministry(card) for card in printed.MINISTRIES.values()],
    }


def _event(card: Event) -> dict[str, Any]:
    return {
        "id": card.id,
        "number": card.number,
        "era": card.era,
        "requires": card.requires or None,
        "bonus_if": card.bonus_if.id if card.bonus_if else None,
    }


def _ministry(card: printed.Ministry) -> dict[str, Any]:
    mine = [item.id for item in ABILITIES.values() if item.ministry == card.id]
    return {**msgspec.to_builtins(card), "abilities": mine}
