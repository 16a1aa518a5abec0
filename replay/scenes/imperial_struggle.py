"""The scene of Imperial Struggle: flags on the board; tracks, investments, ministries, wars and Squadrons."""

from __future__ import annotations

from msgspec.structs import replace

from domain.imperial_struggle import GAME
from domain.imperial_struggle.rules.scoring import BRITAIN_WINS, FRANCE_WINS
from domain.imperial_struggle.state import State
from replay.scenes.generic import YES, generic_scene
from replay.scenes.vocabulary import Cards, Panel, Rows, Scene, Slots, Status, Track, Value

FIRST = ("status", "vp", "debt", "limit", "treaty", "shown", "picked", "hands", "ministries", "revealed")
WARS = ("war", "front", "reinforcements", "drawn", "fought", "margins", "refused", "resisted")
THEN = ("laid", "demand", "navy", "advantages")
IN_ROWS = ("front", "fought", "margins", "advantages", "exhausted")
FOLDED = ("used", "discards", "removed", "given", "gone", "dropped")


def scene(s: State) -> Scene:
    """How the table looks to the viewer whose table it is."""
    plain = generic_scene(replace(s, flags={}, conflicts={}, damaged=(), edition=""), GAME)
    panels = {name: _changed(name, panel) for name, panel in plain.panels.items()}
    panels["vp"] = Track(BRITAIN_WINS, FRANCE_WINS, {"vp": s.vp})
    for name in IN_ROWS:
        panels.pop(name, None)
    panels |= {name: rows for name, rows in (("war", _war(s)), ("advantages", _advantages(s))) if rows.rows}
    return Scene(_board(s), panels, tuple(dict.fromkeys((*FIRST, *WARS, *THEN, *plain.order))))


def _changed(name: str, panel: Panel) -> Panel:
    """A panel of the generic scene without what has a panel of its own; folded if it grows long."""
    if isinstance(panel, Status):
        return replace(panel, items={item: value for item, value in panel.items.items() if item != "vp"})
    if isinstance(panel, Cards) and name.partition(".")[0] in FOLDED:
        return replace(panel, folded=True)
    return panel


def _board(s: State) -> dict[str, Slots]:
    """The spaces on which something lies: a flag, a Conflict marker, the mark of a damaged Fort."""
    board: dict[str, Slots] = {space: {"owner": owner} for space, owner in s.flags.items()}
    for space, points in s.conflicts.items():
        board.setdefault(space, {})["conflicts"] = points
    for space in s.damaged:
        board.setdefault(space, {})["damaged"] = YES
    return board


def _war(s: State) -> Rows:
    """The theatres of the next war: the Basic tile of each side, and who won it by how much."""
    rows: dict[str, dict[str, Value]] = {}
    for side, tiles in s.front.items():
        for theatre, tile in tiles.items():
            rows.setdefault(theatre, {})[side] = tile
    for theatre, winner in s.fought.items():
        if winner:
            rows.setdefault(theatre, {})["fought"] = winner
    for theatre, margin in s.margins.items():
        rows.setdefault(theatre, {})["margins"] = margin
    return Rows((*s.front, "fought", "margins"), rows)


def _advantages(s: State) -> Rows:
    """Who holds which advantage, and what is Exhausted, abilities of ministries as well."""
    rows: dict[str, dict[str, Value]] = {tile: {"owner": side} for tile, side in s.advantages.items()}
    for tile in s.exhausted:
        rows.setdefault(tile, {})["exhausted"] = YES
    return Rows(("owner", "exhausted"), rows)
