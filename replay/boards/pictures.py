"""A position as a picture that stands alone: the board of its game with everything that lies on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from domain.kernel import Seat
from domain.match_base import Outline
from replay.boards import imperial_struggle, twilight_struggle
from replay.boards.board import Board
from replay.boards.drawing import draw
from replay.scenes.positions import scene_at
from replay.words import Words

BOARDS: dict[str, Callable[[Mapping[str, object]], Board]] = {
    "twilight_struggle": twilight_struggle.board,
    "imperial_struggle": imperial_struggle.board,
}
"""The games that are played on a board."""


def svg(match: Outline, move: int, viewer: Seat | None, words: Words) -> str | None:
    """The board after `move` as `viewer` was told it; None where the game has no board.

    Raises:
        NoView: see `replay.positions`.
    """
    board = BOARDS.get(match.game.name)
    if board is None:
        return None
    scene = scene_at(match, move, viewer)
    title = " · ".join(
        (
            words.game,
            words.shown("move", move=move, last=match.move),
            words.shown("viewer", viewer=words.viewer(match.effective_viewer(viewer))),
        )
    )
    return draw(board(match.opened.options), scene, words, title, alone=True)
