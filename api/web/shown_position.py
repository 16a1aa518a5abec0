"""What a page itself shows of one position: the drawn board, the line of status, the latest sentences."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from domain.kernel import Seat
from domain.match import Match
from replay.boards.drawing import BOARDS, draw
from replay.narration import narrate
from replay.scenes.positions import scene_at
from replay.scenes.vocabulary import Data, Scene, plain_scene
from replay.words import Words

LATEST = 12  # moves whose sentences stand in the page itself


class ShownPosition(Struct, frozen=True):
    """What the page itself shows of one position.

    `board`: the drawn one, None where the game has none.  `status`: names and values in words.  `story`: the
    sentences of the latest moves, by number.  `asked`: the names of the seats that are to answer.
    """

    scene: Data
    board: str | None
    status: list[tuple[str, str]]
    story: list[tuple[int, list[str]]]
    asked: list[str]


def shown_position(
    match: Match, move: int, seat: Seat | None, words: Words, names: Mapping[str, str]
) -> ShownPosition:
    """Return what `seat` (None: a spectator; ALL) saw after `move`; `names` are those of players by id."""
    scene = scene_at(match, move, seat)
    make = BOARDS.get(match.game.name)
    asked = match.asked_at(move) if move < match.move or match.closed is None else None
    latest = range(max(1, move - LATEST + 1), move + 1)
    return ShownPosition(
        plain_scene(scene),
        draw(make(match.opened.options), scene, words) if make else None,
        status_items(scene, words),
        [
            (number, [sentence.text for sentence in narrate(match, number, words, seat, names).sentences])
            for number in latest
        ],
        [words.name(seat) for seat in asked.seats] if asked else [],
    )


def status_items(scene: Scene, words: Words) -> list[tuple[str, str]]:
    """The line of status in words."""
    panel = scene.panels.get("status")
    items = getattr(panel, "items", {})
    return [(words.field(name), words.name(value)) for name, value in items.items()]
