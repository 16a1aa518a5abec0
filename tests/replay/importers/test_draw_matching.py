"""Cards into draws."""

from __future__ import annotations

from itertools import product
from random import Random

from replay.importers.twilight_struggle.deal import match


def test_a_card_takes_its_best_draw() -> None:
    assert match([[1, 0], [1]], [1, 2]) == [1, 1]


def test_a_card_is_moved_where_another_has_no_choice() -> None:
    assert match([[0, 1], [0]], [1, 1]) == [1, 0]


def test_cards_are_moved_one_after_another() -> None:
    assert match([[0, 1], [1, 2], [0]], [1, 1, 1]) == [1, 2, 0]


def test_the_least_important_card_has_no_place() -> None:
    assert match([[0], [0], [0]], [2]) == [0, 0, None]


def test_a_card_without_any_draw_has_no_place() -> None:
    assert match([[], [0]], [1]) == [None, 0]


def test_the_places_of_an_earlier_answer_are_kept_and_the_rest_is_tried_again() -> None:
    first = match([[0], [0], []], [1, 1])
    assert first == [0, None, None]
    assert match([[0], [0, 1], []], [1, 1], first) == [0, 1, None]


def test_no_draw_is_ever_too_full_and_no_better_answer_exists() -> None:
    luck = Random(5)
    for _ in range(200):
        room = [luck.randint(0, 2) for _ in range(3)]
        options = [luck.sample(range(3), luck.randint(0, 3)) for _ in range(5)]
        places = match(options, room)
        assert all(place is None or place in draws for place, draws in zip(places, options, strict=True))
        assert all(places.count(draw) <= size for draw, size in enumerate(room))
        assert sum(place is not None for place in places) == _most(options, room)


def _most(options: list[list[int]], room: list[int]) -> int:
    """How many cards can have a place, by trying every way."""
    return max(
        sum(place is not None for place in places)
        for places in product(*([*draws, None] for draws in options))
        if all(places.count(draw) <= size for draw, size in enumerate(room))
    )
