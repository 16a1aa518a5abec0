"""The map of Twilight Struggle: six regions, 84 countries, the two superpowers."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from domain.twilight_struggle.components import CIVIL_WAR, MAP, REGIONS, SIDES, SPACES
from replay.boards.board import Board, Line, Point, Route, Space, Spot, inland_of, is_near, read_layout

NEAR = 100


def board(options: Mapping[str, object]) -> Board:
    """The map; the box of the Chinese Civil War only where that variant is played."""
    layout = read_layout("twilight_struggle")
    spots = [spot for spot in layout.spaces if spot.id in MAP or options.get(CIVIL_WAR)]
    shown = {spot.id for spot in spots} | set(SIDES)
    routes = [route for route in layout.lines if {route.a, route.b} <= shown]
    return Board(
        "twilight_struggle",
        SIDES,
        layout,
        tuple(_space(spot, shown) for spot in spots),
        tuple(Line(_kind(route), route.points) for route in routes),
        _lands(spots),
        inland_of(layout),
        _bridges(routes),
        {region: _worth(region) for region in REGIONS},
    )


def _space(spot: Spot, shown: Collection[str]) -> Space:
    space = SPACES[spot.id]
    kinds = ("battleground",) if space.battleground else ()
    land = _land(spot.id)
    powers = (space.superpower,) if space.superpower else ()
    near = tuple(id for id in (*powers, *space.neighbours) if id in shown)
    places = (space.region, *space.subregions)
    return Space(spot, "box", land, space.stability, kinds, kinds, SIDES, places=places, near=near)


def _land(country: str) -> str:
    """The region whose colour lies under a country; of Europe and Asia, the part of it."""
    space = SPACES[country]
    if len(space.subregions) > 1:
        return "both_europes"
    return space.subregions[0] if space.subregions else space.region


def _kind(route: Route) -> str:
    if route.a in SIDES or route.b in SIDES:
        return f"power {route.a if route.a in SIDES else route.b}"
    return "inside" if SPACES[route.a].region == SPACES[route.b].region else "across"


def _lands(spots: list[Spot]) -> dict[str, tuple[Point, ...]]:
    lands: dict[str, list[Point]] = {side: [] for side in SIDES}
    for spot in spots:
        lands.setdefault(_land(spot.id), []).append((spot.x, spot.y))
    return {land: tuple(points) for land, points in lands.items()}


def _bridges(routes: list[Route]) -> dict[str, tuple[tuple[Point, ...], ...]]:
    """The lines between near spaces of one region, below which its land goes on; others cross the sea."""
    bridges: dict[str, list[tuple[Point, ...]]] = {}
    for route in routes:
        if _kind(route) == "inside" and is_near(route, NEAR):
            bridges.setdefault(_land(route.a), []).append(route.points)
    return {land: tuple(points) for land, points in bridges.items()}


def _worth(region: str) -> dict[str, int | None]:
    """What Presence, Domination and Control score."""
    worth = REGIONS[region]
    return {"presence": worth.presence, "domination": worth.domination, "control": worth.control}
