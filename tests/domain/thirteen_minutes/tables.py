"""Tables to start a scenario from, and an owner's card set that uses the whole event language."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from domain.piles import Pile
from domain.thirteen_minutes import GAME
from domain.thirteen_minutes.board import SIDES, US, USSR, Territory
from domain.thirteen_minutes.state import State

PLAIN: dict[str, Any] = {
    "battle": 1,
    "seats": {US: US, USSR: USSR},
    "deck": Pile.of(("us-4", "us-5", "ussr-4", "ussr-5", "un-1", "un-2")),
    "hands": {US: ("us-1", "ussr-2"), USSR: ("ussr-1", "un-3")},
    "supply": {US: 10, USSR: 10},
    "first": US,
    "cuba": "us-3",
    "territories": {"cuba": Territory("neutral")},
}


def empty(options: dict[str, Any] | None = None) -> State:
    """The table before the first fact."""
    s = GAME.table(*GAME.settle(None, options or {}))
    assert isinstance(s, State)
    return s


def table(options: dict[str, Any] | None = None, **changes: Any) -> State:
    """A battle under way: ten cubes each, the US goes first, only Cuba on the table; `changes` as named."""
    return replace(empty(options), **{**PLAIN, **changes})


def lying(**territories: tuple[str, int, int]) -> dict[str, Territory]:
    """Territories by id ("_" for "-"): zone ("n", "us", "ussr" for short), US cubes, USSR cubes."""
    zones = {"n": "neutral", "us": "us_sphere", "ussr": "ussr_sphere"}
    return {
        name.replace("_", "-"): Territory(zones[zone], us, ussr)
        for name, (zone, us, ussr) in territories.items()
    }


def own_card(number: int, alignment: str, *steps: dict[str, Any]) -> dict[str, Any]:
    """One card of an owner's file; colours and numbers go round."""
    return {
        "id": f"card-{number}",
        "title": {"en": f"Card {number}", "ru": f"Карта {number}"},
        "alignment": alignment,
        "command": number % 3 + 1,
        "defcon": ("military", "political", "world_opinion")[number % 3],
        "event": {"text": f"Event {number}.", "steps": list(steps)},
    }


def own_set() -> dict[str, Any]:
    """An owner's file in which every op stands, with every filter, also on cards of a superpower."""
    swap, peek = {"op": "swap_with_deck_top"}, {"op": "peek_hand"}
    place = {"op": "place", "per_territory": 2, "territories": 3}
    remove = {"op": "remove", "cubes_of": "opponent", "per_territory": 2, "territories": 2}
    effects: list[list[dict[str, Any]]] = [
        [place],
        [peek, swap],
        [remove],
        [{**remove, "cubes_of": "executor", "filter": {"zone": ["opponent", "neutral"]}}],
        [swap, peek, swap],
        [{"op": "shift", "territories": 3, "direction": "toward_executor"}, peek],
        [{"op": "shift", "territories": 2, "direction": "toward_opponent", "filter": {"cuba": False}}],
        [{"op": "transfer", "up_to": 3, "filter": {"has_opponent_cubes": True}}, swap],
        [{"op": "command", "cubes": 4, "filter": {"colour": ["political", "military"]}}, {"op": "peek_cuba"}],
        [{"op": "shift", "territories": 3, "direction": "either", "filter": {"zone": ["neutral"]}}],
        [swap, {"op": "transfer", "up_to": 2}],
        [peek, {**place, "filter": {"cuba": True}}],
        [],
    ]
    return {
        "label": "every op",
        "cards": [
            own_card(i + 1, (*SIDES, US, *SIDES, USSR, *SIDES, US, USSR, "un", "un", "un")[i], *steps)
            for i, steps in enumerate(effects)
        ],
    }
