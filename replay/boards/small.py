"""A board as a small picture for a list: land, and on it who holds which space; it has no texts."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from domain.match_base import Outline
from replay.boards.board import Board, Space
from replay.boards.drawing import BOARDS, FIELD, HATCH, HEIGHT, WIDTH, stylesheet
from replay.scenes.positions import scene_at
from replay.scenes.vocabulary import Scene, Slots


def small_svg(match: Outline, move: int) -> str | None:
    """The board after `move` as a spectator saw it; None if the game has no board.

    Raises:
        NoView: see `replay.positions`.
    """
    board = BOARDS.get(match.game.name)
    return _drawn(board(match.opened.options), scene_at(match, move, None)) if board else None


def _drawn(board: Board, scene: Scene) -> str:
    width, height = board.layout.width, board.layout.height
    coasts = (f'<path class="land {land}" d="{board.layout.coasts[land]}"/>' for land in board.lands)
    spaces = (_space(space, scene.board.get(space.spot.id, {})) for space in board.spaces)
    return "".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="board {board.game}"',
            f' viewBox="0 0 {width} {height}">',
            f"<style>{stylesheet(board)}</style>{HATCH}",
            f'<rect class="sea" width="{width}" height="{height}"/>',
            *coasts,
            *spaces,
            "</svg>",
        )
    )


def _space(space: Space, slots: Slots) -> str:
    """A box with a field for each seat, or a disc where one flag is all that lies on a space."""
    data = "".join(f' data-{slot}="{escape(str(value), quote=True)}"' for slot, value in slots.items())
    at = f'transform="translate({space.spot.x} {space.spot.y})"'
    kinds = escape(" ".join(("space", *space.kinds)), quote=True)
    inside = "".join(_fields()) if space.shape == "box" else '<circle class="body" cy="-12" r="27"/>'
    return f'<g class="{kinds}" {at}{data}>{inside}</g>'


def _fields() -> Iterator[str]:
    left, top = -WIDTH // 2, -HEIGHT // 2
    yield f'<rect class="body" x="{left}" y="{top}" width="{WIDTH}" height="{HEIGHT}" rx="5"/>'
    for place, kind in enumerate(("first", "second")):
        x = left + 2 + place * (WIDTH - 2 - FIELD - 2)
        size = f'width="{FIELD}" height="{HEIGHT - 4}"'
        yield f'<rect class="field {kind}" x="{x}" y="{top + 2}" {size} rx="3"/>'
