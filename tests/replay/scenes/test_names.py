"""Everything that a scene names has a name in both languages."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from domain.kernel import HIDDEN
from domain.match import Match
from domain.texts import LANGUAGES
from replay.scenes.positions import SCENES, scene_at
from replay.scenes.vocabulary import Cards, Gauge, Lanes, Note, Pair, Rows, Scene, Status, Track, Value
from replay.words import Words
from tests.replay.scenes.matches import whole


def named(scene: Scene) -> Iterator[str | Value]:
    """Every id of a panel, a field, a thing or a value in a scene."""
    for slots in scene.board.values():
        yield from (*slots, *slots.values())
    yield from scene.board
    for id, panel in scene.panels.items():
        yield from id.split(".")
        if isinstance(panel, Status):
            yield from (*panel.items, *panel.items.values())
        elif isinstance(panel, Track):
            yield from (*panel.at, *panel.notes.values())
        elif isinstance(panel, Pair):
            yield from panel.seats
        elif isinstance(panel, Cards):
            yield from panel.cards
        elif isinstance(panel, Rows):
            yield from (*panel.columns, *panel.rows)
            yield from (value for row in panel.rows.values() for value in row.values())
        elif isinstance(panel, Lanes):
            yield from (*panel.lanes, *panel.at)
            yield from (value for slots in panel.slots.values() for value in (*slots, *slots.values()))
        elif isinstance(panel, Gauge):
            yield from panel.parts
        else:
            assert isinstance(panel, Note)
            yield panel.text


def nameless(match: Match, language: str) -> set[str]:
    """The ids in the scenes of a match for which there are no words."""
    words = Words(match, language)
    ids = {
        value
        for viewer in (None, "all")
        for move in range(1, match.move + 1)
        for value in named(scene_at(match, move, viewer))
        if isinstance(value, str) and value != HIDDEN and not value.isdigit()
    }
    return {id for id in ids if not words.knows(id)}


@pytest.mark.parametrize("game", SCENES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_whatever_a_scene_names_has_a_name(game: str, language: str) -> None:
    assert not nameless(whole(game), language)
