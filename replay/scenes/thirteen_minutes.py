"""The scene of 13 Minutes: territories in three zones with their cubes, bids, supply and hands."""

from __future__ import annotations

from domain.thirteen_minutes.board import CAMPAIGN_TARGET, CUBES, SIDES, ZONES
from domain.thirteen_minutes.state import State
from replay.scenes.generic import YES, bids_of, cards_of, pile_of
from replay.scenes.vocabulary import Lanes, Pair, Panel, Scene, Slots, Status, Value, scene_of


def scene(s: State) -> Scene:
    """How the table looks to the viewer whose table it is."""
    panels: dict[str, Panel] = {
        "status": Status(_status(s)),
        "seats": Status(dict(s.seats) if s.options.campaign else {}),
        "bids": bids_of(s.bids),
        "supply": Pair(s.supply, CUBES),
        "territories": Lanes(ZONES, {id: card.zone for id, card in s.territories.items()}, _cubes(s)),
        **{f"hands.{side}": cards_of(s.hands.get(side, ()), side) for side in SIDES},
        "deck": pile_of(s.deck),
        "vp": Pair(s.vp),
        "totals": Pair(s.totals, CAMPAIGN_TARGET) if s.options.campaign else Pair({}),
    }
    return scene_of(panels)


def _status(s: State) -> dict[str, Value]:
    items: dict[str, Value] = {"battle": s.battle, "plays": s.plays}
    named = {"first": s.first, "war": s.war, "cuba": s.cuba, "over": YES if s.over else ""}
    return items | {name: value for name, value in named.items() if value}


def _cubes(s: State) -> dict[str, Slots]:
    """The cubes on each territory; none is no slot."""
    found: dict[str, Slots] = {}
    for id, card in s.territories.items():
        cubes: Slots = {side: card.cubes(side) for side in SIDES if card.cubes(side)}
        if cubes:
            found[id] = cubes
    return found
