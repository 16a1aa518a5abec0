"""What a board is made of before anything lies on it: land, lines, and spaces with the places of their slots.

Positions come from the layout beside this module, which is our own drawing; what a space is (its stability,
its neighbours) comes from the game.  `replay.boards.drawing` turns a board and a scene into SVG.
"""

from __future__ import annotations

import importlib.resources
from typing import Literal

import msgspec
from msgspec import Struct

from domain.kernel import Seat

Shape = Literal["box", "diamond", "circle", "square", "hexagon"]
Point = tuple[int, int]


class Spot(Struct, frozen=True, forbid_unknown_fields=True):
    """Where a space lies: its middle; `en` and `ru` where its name does not fit there."""

    id: str
    x: int
    y: int
    en: str = ""
    ru: str = ""

    def short(self, language: str) -> str:
        """The name that fits, where the full one does not."""
        return self.ru if language == "ru" else self.en


class Area(Struct, frozen=True, forbid_unknown_fields=True):
    """A region: the part of the board (x, y, width, height) that shows it, and where its name stands.

    `parts`: smaller ones that show all its spaces, for screens on which the region is too small to be read.
    `turned`: the name runs upwards.  `narrow`: each word of it stands on a line of its own.
    """

    id: str
    view: tuple[int, int, int, int]
    label: Point
    parts: tuple[tuple[int, int, int, int], ...] = ()
    turned: bool = False
    narrow: bool = False


class Place(Struct, frozen=True, forbid_unknown_fields=True):
    """Where a picture that stands alone shows a panel: its upper left corner, and its width."""

    panel: str
    x: int
    y: int
    w: int


class Power(Struct, frozen=True, forbid_unknown_fields=True):
    """A superpower that lies on the map itself: its middle and its size."""

    id: str
    x: int
    y: int
    w: int
    h: int


class Route(Struct, frozen=True, forbid_unknown_fields=True):
    """A line between two spaces, or a stub of one that leaves the map."""

    a: str
    b: str
    points: tuple[Point, ...]


class Layout(Struct, frozen=True, forbid_unknown_fields=True):
    """The positions of everything on one board.

    `cell` is the land of a space, `inland` names spaces of a land that it fills between them, and `outlines`
    are polygons of land without spaces.  `coasts` are the paths of the lands that follow (`ops/coasts.py`).
    """

    width: int
    height: int
    cell: tuple[int, int]
    regions: tuple[Area, ...]
    spaces: tuple[Spot, ...]
    lines: tuple[Route, ...]
    title: Point
    inland: dict[str, tuple[tuple[str, ...], ...]] = {}
    outlines: dict[str, tuple[tuple[Point, ...], ...]] = {}
    coasts: dict[str, str] = {}
    powers: tuple[Power, ...] = ()
    panels: tuple[Place, ...] = ()


class Space(Struct, frozen=True):
    """A space as it is drawn.

    `land` is the class of the land below it, empty at sea.  `number` stands in its corner (stability, cost);
    `symbol` is an id that is shown by its first letters (a good); `kinds` are classes of style; `about` names
    ids that a reader sees with its name; `slots` those that it shows.  `places` are the regions in which it
    lies, the widest first; `near` what it is connected to, and `routes` where military routes lead.
    """

    spot: Spot
    shape: Shape
    land: str
    number: int | None
    kinds: tuple[str, ...]
    about: tuple[str, ...]
    slots: tuple[str, ...]
    symbol: str = ""
    places: tuple[str, ...] = ()
    near: tuple[str, ...] = ()
    routes: tuple[str, ...] = ()


class Line(Struct, frozen=True):
    """A connection as it is drawn; `kind` is its style."""

    kind: str
    points: tuple[Point, ...]


class Board(Struct, frozen=True):
    """A board without anything on it.

    A land is where its spaces lie (`lands`), what lies between spaces (`inland`), and below lines
    (`bridges`).  `worth` stands below the name of a region: what each state of it scores (None: it wins the
    game).
    """

    game: str
    seats: tuple[Seat, ...]
    layout: Layout
    spaces: tuple[Space, ...]
    lines: tuple[Line, ...]
    lands: dict[str, tuple[Point, ...]]
    inland: dict[str, tuple[tuple[Point, ...], ...]]
    bridges: dict[str, tuple[tuple[Point, ...], ...]]
    worth: dict[str, dict[str, int | None]]


def read_layout(game: str) -> Layout:
    """The layout of a game's board."""
    file = importlib.resources.files("replay.boards") / f"{game}.json"
    return msgspec.json.decode(file.read_bytes(), type=Layout)


def inland_of(layout: Layout) -> dict[str, tuple[tuple[Point, ...], ...]]:
    """The land that lies between spaces, as polygons."""
    at = {spot.id: (spot.x, spot.y) for spot in layout.spaces}
    return {
        land: tuple(tuple(at[id] for id in part) for part in parts) for land, parts in layout.inland.items()
    }


def is_near(route: Route, most: int) -> bool:
    """Does a line go no further than this, up and across?"""
    (x, y), (to_x, to_y) = route.points[0], route.points[-1]
    return abs(x - to_x) <= most and abs(y - to_y) <= most
