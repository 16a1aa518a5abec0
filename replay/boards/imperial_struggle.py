"""The board of Imperial Struggle: four regions, 112 spaces of five kinds."""

from __future__ import annotations

from collections.abc import Mapping

from domain.imperial_struggle.components import BOARD, REGIONS, SIDES
from replay.boards.board import Board, Line, Point, Route, Shape, Space, Spot, inland_of, is_near, read_layout

SHAPES: dict[str, Shape] = {
    "political": "diamond",
    "market": "circle",
    "territory": "square",
    "naval": "hexagon",
    "fort": "hexagon",
}
NEAR = 120
SLOTS = ("owner", "conflicts", "damaged")


def board(options: Mapping[str, object]) -> Board:
    """The board; no option changes it."""
    layout = read_layout("imperial_struggle")
    ashore = [route for route in layout.lines if _kind(route) != "sea-lane" and is_near(route, NEAR)]
    lands: dict[str, list[Point]] = {region: [] for region in REGIONS}
    bridges: dict[str, list[tuple[Point, ...]]] = {region: [] for region in REGIONS}
    for spot in layout.spaces:
        if BOARD[spot.id].kind != "naval":
            lands[BOARD[spot.id].region].append((spot.x, spot.y))
    for route in ashore:
        bridges[BOARD[route.a].region].append(route.points)
    return Board(
        "imperial_struggle",
        SIDES,
        layout,
        tuple(_space(spot) for spot in layout.spaces),
        tuple(Line(_kind(route), route.points) for route in layout.lines),
        {land: tuple(points) for land, points in lands.items()},
        inland_of(layout),
        {land: tuple(points) for land, points in bridges.items()},
        {},
    )


def _space(spot: Spot) -> Space:
    space = BOARD[spot.id]
    kinds = tuple(kind for kind in ("prestige", "local") if getattr(space, kind))
    about = (space.kind, *((space.good,) if space.good else ()), *kinds)
    land = "" if space.kind == "naval" else space.region
    return Space(
        spot,
        SHAPES[space.kind],
        land,
        space.cost or None,
        ("flagged", space.kind, *kinds),
        about,
        SLOTS,
        space.good,
        (space.region, *((space.subregion,) if space.subregion else ())),
        space.lines,
        tuple(id for id in space.routes if id not in space.lines),
    )


def _kind(route: Route) -> str:
    """A connection, or a military route, along which a war conquers."""
    one, two = BOARD[route.a], BOARD[route.b]
    if "naval" in (one.kind, two.kind):
        return "sea-lane"
    return "inside" if route.b in one.lines or route.a in two.lines else "across"
