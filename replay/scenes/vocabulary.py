"""What a scene may hold: slots of the spaces of a board, and eight kinds of panels.

A scene is how one viewer's table looks, as plain data; clients draw these kinds and know no game.  A value
is a number, a short text or an id of the game's vocabulary, so a scene has no language.  The id of a panel
and that of a column are made of the ids of fields, seats and things, joined by dots: `hands.us`.

What is absent is empty: no part is ever null, so a merge patch (RFC 7396) between two scenes loses nothing.
What changes often is an object and no list, so that a patch names what changed alone.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from domain.kernel import Seat

Value = str | int
Slots = dict[str, Value]
Data = dict[str, Any]  # a scene, or a merge patch, as JSON has it


class Kind(Struct, frozen=True, omit_defaults=True, tag_field="kind"):
    """What the kinds of panels have in common."""


class Status(Kind, frozen=True, tag="status"):
    """A line of names and values."""

    items: dict[str, Value]


class Track(Kind, frozen=True, tag="track"):
    """Marks on a bar from `least` to `most`; `notes` say what stands at a place of it."""

    least: int
    most: int
    at: dict[str, int]
    notes: dict[str, Value] = {}


class Pair(Kind, frozen=True, tag="pair"):
    """A number of each seat, side by side; `most` is the largest there can be."""

    seats: dict[Seat, int]
    most: int = 0


class Cards(Kind, frozen=True, tag="cards"):
    """Cards, or what else lies like cards: each with its place in the order, equal places by id.

    `hidden`: how many more lie here face down.  `folded`: shown as one line until somebody opens it.
    """

    cards: dict[str, int] = {}
    hidden: int = 0
    seat: Seat = ""
    folded: bool = False


class Rows(Kind, frozen=True, tag="rows"):
    """A table: of each row the values of its columns."""

    columns: tuple[str, ...]
    rows: dict[str, dict[str, Value]]


class Lanes(Kind, frozen=True, tag="lanes"):
    """Tiles that lie in lanes, and the numbers that lie on each."""

    lanes: tuple[str, ...]
    at: dict[str, str]
    slots: dict[str, dict[str, Value]] = {}


class Gauge(Kind, frozen=True, tag="gauge"):
    """A bar that fills up to its limit, and of what it is made."""

    value: int
    limit: int
    parts: dict[str, int] = {}


class Note(Kind, frozen=True, tag="note"):
    """One thing to know: an id of the vocabulary."""

    text: str


Panel = Status | Track | Pair | Cards | Rows | Lanes | Gauge | Note


class Scene(Struct, frozen=True):
    """How a table looks to one viewer.

    `order` tells how panels follow one another, by their ids up to the first dot; those that share it stand
    by their ids.  It names absent panels as well, so it is the same in every scene of a game.
    """

    board: dict[str, Slots]
    panels: dict[str, Panel]
    order: tuple[str, ...]


def scene_of(panels: dict[str, Panel], board: dict[str, Slots] | None = None) -> Scene:
    """A scene whose panels follow one another as they are given; empty ones are left out."""
    order = tuple(dict.fromkeys(name.partition(".")[0] for name in panels))
    return Scene(board or {}, {name: panel for name, panel in panels.items() if not _is_empty(panel)}, order)


def _is_empty(panel: Panel) -> bool:
    if isinstance(panel, Status):
        return not panel.items
    if isinstance(panel, Pair):
        return not panel.seats
    if isinstance(panel, Rows):
        return not panel.rows
    if isinstance(panel, Lanes):
        return not panel.at
    if isinstance(panel, Gauge):
        return not panel.limit
    return isinstance(panel, Cards) and not (panel.cards or panel.hidden)


def plain_scene(scene: Scene) -> Data:
    """A scene as plain data, which shares no part with it that changes."""
    data: Data = msgspec.to_builtins(scene)
    return data
