"""The positions of a match: patches that fold back to every scene, in bounded pieces."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as some
from msgspec import UNSET

from domain.game import Game
from domain.games import GAMES
from domain.log import canonical
from domain.match import Match
from replay.positions import NoView, position
from replay.scenes import positions as module
from replay.scenes.positions import patch, positions, scene_at
from replay.scenes.vocabulary import Data, Panel, Scene, plain_scene
from tests.matches import finished
from tests.replay.files import with_everything
from tests.replay.scenes.matches import late_war, patched, viewers, whole

values = some.recursive(
    some.integers(-2, 2) | some.booleans() | some.text("ab", max_size=2),
    lambda inner: (
        some.lists(inner, max_size=2) | some.dictionaries(some.text("xyz", max_size=1), inner, max_size=3)
    ),
    max_leaves=8,
)
data = some.dictionaries(some.text("xyz", max_size=1), values, max_size=3)


@given(data, data)
def test_a_patch_leads_from_one_to_the_other(before: Data, after: Data) -> None:
    assert canonical(patched(before, patch(before, after))) == canonical(after)


@given(data)
def test_a_patch_between_the_same_is_empty(before: Data) -> None:
    assert patch(before, before) == {}


@pytest.mark.parametrize(
    ("before", "changes", "after"),
    [
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": "foo"}, {"a": {"b": "c", "d": None}}, {"a": {"b": "c"}}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
    ],
)
def test_patches_are_applied_as_the_examples_of_the_rfc_say(before: Data, changes: Data, after: Data) -> None:
    assert patched(before, changes) == after


def folded(moves: tuple[module.ShownMove, ...], before: Data) -> list[Data]:
    """The scene after each move."""
    scenes = [before]
    for move in moves:
        assert move.scene is not UNSET
        scenes.append(patched(scenes[-1], move.scene))
    return scenes[1:]


MATCHES = [*GAMES, "late war"]


def match_of(name: str) -> Match:
    return late_war() if name == "late war" else whole(name)


@pytest.mark.parametrize("name", MATCHES)
def test_patches_fold_back_to_the_scene_of_every_move(name: str) -> None:
    match = match_of(name)
    for viewer in viewers(match):
        told = positions(match, viewer)
        assert [move.move for move in told.moves] == [*range(1, match.move + 1)]
        for move, scene in zip(told.moves, folded(told.moves, {}), strict=True):
            assert canonical(scene) == canonical(plain_scene(scene_at(match, move.move, viewer)))


@pytest.mark.parametrize("name", MATCHES)
def test_a_part_of_the_positions_goes_on_from_the_scene_before_it(name: str) -> None:
    match = match_of(name)
    half = match.move // 2
    told = positions(match, None, after=half)
    last = folded(told.moves, plain_scene(scene_at(match, half, None)))[-1]
    assert told.moves[0].move == half + 1
    assert canonical(last) == canonical(plain_scene(scene_at(match, match.move, None)))


@pytest.mark.parametrize("name", MATCHES)
def test_a_scene_is_what_its_vocabulary_allows_and_holds_no_null(name: str) -> None:
    match = match_of(name)
    orders: set[tuple[str, ...]] = set()
    for viewer in viewers(match):
        for move in range(1, match.move + 1):
            scene = scene_at(match, move, viewer)
            plain = msgspec.json.encode(scene)
            assert msgspec.json.decode(plain, type=Scene) == scene
            assert b"null" not in plain
            assert {panel.partition(".")[0] for panel in scene.panels} <= set(scene.order)
            assert len(set(scene.order)) == len(scene.order)
            orders.add(scene.order)
    assert len(orders) == 1


def test_there_are_eight_kinds_of_panels() -> None:
    tags = {kind.__struct_config__.tag for kind in Panel.__args__}
    assert tags == {"status", "track", "pair", "cards", "rows", "lanes", "gauge", "note"}


def test_moves_that_were_taken_back_are_there_and_say_so(toy_game: Game) -> None:
    match = with_everything(toy_game)
    told = positions(match)
    assert [move.stands for move in told.moves] == [
        position(match, move).stands for move in range(1, match.move + 1)
    ]
    for move, scene in zip(told.moves, folded(told.moves, {}), strict=True):
        assert scene == plain_scene(scene_at(match, move.move, None))
        shown = position(match, move.move)
        assert (move.kind, move.at) == (shown.kind, shown.at)
        assert move.asked == (tuple(shown.asked.seats) if shown.asked else ())


def test_turns_are_numbered_from_one() -> None:
    match = whole("twilight_struggle")
    numbers = [move.turn for move in positions(match).moves]
    assert numbers[0] == 1
    assert sorted(numbers) == numbers
    assert numbers[-1] == match.table_at(match.move, None).turn


def test_an_answer_is_bounded_and_says_where_the_rest_begins(
    toy_game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = finished(toy_game).match
    monkeypatch.setattr(module, "MOST", 3)
    seen: list[int] = []
    after: int | None = 0
    while after is not None:
        told = positions(match, None, after)
        assert len(told.moves) <= 3
        seen += [move.move for move in told.moves]
        after = told.next
    assert seen == [*range(1, match.move + 1)]


@pytest.mark.parametrize("after", [-1, 10_000])
def test_positions_behind_no_move_are_refused(toy_game: Game, after: int) -> None:
    match = finished(toy_game).match
    with pytest.raises(NoView, match=f"no move {after}; the match has the moves 1 to {match.move}"):
        positions(match, None, after)


def test_the_end_of_the_positions_can_be_chosen(toy_game: Game) -> None:
    match = finished(toy_game).match
    told = positions(match, None, 1, 2)
    assert [move.move for move in told.moves] == [2]
    assert told.next is None
    empty: Any = positions(match, None, match.move)
    assert (empty.moves, empty.next) == ((), None)


def test_the_positions_of_a_long_match_are_small() -> None:
    """W9 of the brief: at most 60 kB of scenes for 437 moves, so at most 140 bytes a move."""
    match = whole("twilight_struggle")
    for viewer in viewers(match):
        scenes = msgspec.json.encode([move.scene for move in positions(match, viewer).moves])
        assert len(scenes) <= 140 * match.move
