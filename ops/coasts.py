"""Writes the coasts of the boards anew: the outlines of their lands, as data in `replay/boards/*.json`.

    python ops/coasts.py

Land is what lies near its spaces, between them (`inland`), below its lines, and in `outlines`: land without
spaces.  Its edge is bent by waves that depend on the place alone, so the same layout gives the same coast.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from replay.boards.board import Board, Point
from replay.boards.drawing import BOARDS

FOLDER = Path(__file__).resolve().parent.parent / "replay" / "boards"
STEP = 8  # units between two places that are looked at
REACH, LINE = 17.0, 34.0  # how far land reaches beyond a box, and from a line
WAVES = ((0.031, 5.0), (0.083, 3.0), (0.17, 1.5))  # how often, and how far they bend a coast
STRAIGHT = 1.6  # units by which a coast may leave its place when points are left out
Place = tuple[float, float]


def main() -> None:
    """Write the coasts of all boards."""
    for game, make in BOARDS.items():
        path = FOLDER / f"{game}.json"
        lines = ",\n".join(f'  "{land}": {json.dumps(coast)}' for land, coast in coasts(make({})).items())
        text = re.sub(r' "coasts": \{\n.*?\n \},\n', "", path.read_text("utf-8"), flags=re.DOTALL)
        path.write_text(
            text.replace(' "spaces": [', f' "coasts": {{\n{lines}\n }},\n "spaces": [', 1), "utf-8"
        )


def coasts(board: Board) -> dict[str, str]:
    """The outline of each land, as the data of an SVG path."""
    return {land: "".join(map(path_of, rings(Land(board, land)))) for land in board.lands}


class Land:
    """Where one land is: `depth` is above 0 on it, about the way to its coast."""

    def __init__(self, board: Board, land: str) -> None:
        self.width, self.height = board.layout.width, board.layout.height
        self._half = (board.layout.cell[0] / 2, board.layout.cell[1] / 2)
        self._boxes, self._lines = board.lands[land], board.bridges.get(land, ())
        self._areas = (*board.inland.get(land, ()), *board.layout.outlines.get(land, ()))

    def depth(self, x: float, y: float) -> float:
        """How far a place lies behind the coast; below 0: in the sea."""
        found = max((REACH - self._from_box(x, y, box) for box in self._boxes), default=-math.inf)
        for line in self._lines:
            found = max(found, LINE - min(_from_segment(x, y, a, b) for a, b in pairwise(line)))
        for area in self._areas:
            edge = min(_from_segment(x, y, a, b) for a, b in zip(area, (*area[1:], area[0]), strict=True))
            found = max(found, REACH + (edge if _inside(x, y, area) else -edge))
        return found + sum(
            far * math.sin(often * (x + 2 * y)) * math.cos(often * (2 * x - y)) for often, far in WAVES
        )

    def _from_box(self, x: float, y: float, box: Point) -> float:
        across, along = abs(x - box[0]) - self._half[0], abs(y - box[1]) - self._half[1]
        return math.hypot(max(across, 0), max(along, 0)) + min(max(across, along), 0)


def _from_segment(x: float, y: float, a: Point, b: Point) -> float:
    dx, dy = b[0] - a[0], b[1] - a[1]
    part = ((x - a[0]) * dx + (y - a[1]) * dy) / (dx * dx + dy * dy or 1)
    part = min(max(part, 0.0), 1.0)
    return math.hypot(x - a[0] - part * dx, y - a[1] - part * dy)


def _inside(x: float, y: float, area: Sequence[Point]) -> bool:
    found = False
    for (ax, ay), (bx, by) in zip(area, (*area[1:], area[0]), strict=True):
        if (ay > y) != (by > y) and x < (bx - ax) * (y - ay) / (by - ay) + ax:
            found = not found
    return found


def rings(land: Land) -> Iterator[list[Place]]:
    """The coasts of a land, each a closed ring with the land on the same side (marching squares)."""
    across, along = range(-2, land.width // STEP + 3), range(-2, land.height // STEP + 3)
    depth = {(i, j): land.depth(i * STEP, j * STEP) for i in across for j in along}

    def crossing(a: tuple[int, int], b: tuple[int, int]) -> Place:
        part = depth[a] / (depth[a] - depth[b])
        return ((a[0] + part * (b[0] - a[0])) * STEP, (a[1] + part * (b[1] - a[1])) * STEP)

    follows: dict[Place, Place] = {}
    for i in across[:-1]:
        for j in along[:-1]:
            corners = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)]
            ways = list(zip(corners, [*corners[1:], corners[0]], strict=True))
            leaves = [crossing(a, b) for a, b in ways if depth[a] > 0 >= depth[b]]
            enters = [crossing(b, a) for a, b in ways if depth[b] > 0 >= depth[a]]
            follows.update(zip(leaves, enters, strict=True))
    while follows:
        first, at = follows.popitem()
        ring = [first]
        while at != first:
            ring.append(at)
            at = follows.pop(at)
        if len(ring) > 12:
            yield ring


def path_of(ring: list[Place]) -> str:
    """A ring as a curve through the middles of its sides, in whole units."""
    half = len(ring) // 2
    kept = _fewer(ring[: half + 1])[:-1] + _fewer([*ring[half:], ring[0]])[:-1]
    points = [(round(x), round(y)) for x, y in kept]
    x, y = ((a + b) // 2 for a, b in zip(points[-1], points[0], strict=True))
    parts = [f"M{x} {y}"]
    for (ax, ay), (bx, by) in zip(points, [*points[1:], points[0]], strict=True):
        to_x, to_y = (ax + bx) // 2, (ay + by) // 2
        parts.append(f"q{ax - x} {ay - y} {to_x - x} {to_y - y}")
        x, y = to_x, to_y
    return "".join(parts).replace(" -", "-") + "z"


def _fewer(line: list[Place]) -> list[Place]:
    """The line without points from which it hardly bends (Douglas and Peucker)."""
    first, last = line[0], line[-1]
    (dx, dy), far, at = (last[0] - first[0], last[1] - first[1]), 0.0, 0
    for i, (x, y) in enumerate(line[1:-1], 1):
        away = abs((x - first[0]) * dy - (y - first[1]) * dx) / (math.hypot(dx, dy) or 1)
        if away > far:
            far, at = away, i
    return [first, last] if far <= STRAIGHT else _fewer(line[: at + 1])[:-1] + _fewer(line[at:])


if __name__ == "__main__":
    main()
