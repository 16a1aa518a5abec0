"""Knock-out: the printed brackets, byes for the best seeds, and contests of one, two and three games."""

from __future__ import annotations

import pytest

from domain.tournaments.formats.knockout import (
    BestOf,
    Decided,
    Meeting,
    NextGame,
    Tied,
    contest,
    final_places,
    first_round,
    next_round,
    rounds,
)

PRINTED = {  # the seeds from top to bottom of a bracket
    4: [1, 4, 2, 3],
    8: [1, 8, 4, 5, 2, 7, 3, 6],
    16: [1, 16, 8, 9, 4, 13, 5, 12, 2, 15, 7, 10, 3, 14, 6, 11],
    32: [
        *(1, 32, 16, 17, 8, 25, 9, 24, 4, 29, 13, 20, 5, 28, 12, 21),
        *(2, 31, 15, 18, 7, 26, 10, 23, 3, 30, 14, 19, 6, 27, 11, 22),
    ],
    64: [
        *(1, 64, 32, 33, 16, 49, 17, 48, 8, 57, 25, 40, 9, 56, 24, 41),
        *(4, 61, 29, 36, 13, 52, 20, 45, 5, 60, 28, 37, 12, 53, 21, 44),
        *(2, 63, 31, 34, 15, 50, 18, 47, 7, 58, 26, 39, 10, 55, 23, 42),
        *(3, 62, 30, 35, 14, 51, 19, 46, 6, 59, 27, 38, 11, 54, 22, 43),
    ],
}


@pytest.mark.parametrize("count", range(2, 65))
def test_a_bracket_is_the_printed_one_with_byes_for_the_best(count: int) -> None:
    size = 1 << rounds(count)
    meetings = first_round(count)
    seeds = [seed for one in meetings for seed in (one.better, one.worse)]
    printed = PRINTED.get(size, [1, 2])
    assert seeds == [seed if seed <= count else None for seed in printed]
    assert sorted(one.better for one in meetings if one.worse is None) == [*range(1, size - count + 1)]


@pytest.mark.parametrize("count", [5, 8, 33, 64])
def test_if_the_better_always_wins_the_sums_of_all_meetings_of_a_round_are_equal(count: int) -> None:
    meetings, won = first_round(count), []
    for left in range(rounds(count), 0, -1):
        assert {one.better + one.worse for one in meetings if one.worse} == {2**left + 1}
        won.append([one.better for one in meetings])
        meetings = next_round(won[-1])
    assert meetings == ()
    places = final_places(count, won)
    assert [seed for _, seed in places] == [*range(1, count + 1)]
    assert [place for place, _ in places][:5] == [1, 2, 3, 3, 5]


def test_surprises_move_on_and_their_victims_share_a_place() -> None:
    assert first_round(5) == (Meeting(1, None), Meeting(4, 5), Meeting(2, None), Meeting(3, None))
    assert next_round([1, 5, 2, 3]) == (Meeting(1, 5), Meeting(2, 3))
    assert final_places(5, [[1, 5, 2, 3], [5, 3], [3]]) == ((1, 3), (2, 5), (3, 1), (3, 2), (5, 4))


@pytest.mark.parametrize(
    ("best_of", "games", "follows"),
    [
        (1, [], NextGame(1, "w")),
        (1, [2], Decided(True)),
        (1, [0], Decided(False)),
        (1, [1], NextGame(2, "b", by_bid=True)),
        (1, [1, 0], Decided(False)),
        (1, [1, 1], Tied()),
        (2, [], NextGame(1, "w")),
        (2, [2], NextGame(2, "b")),
        (2, [2, 1], Decided(True)),
        (2, [0, 0], Decided(False)),
        (2, [2, 0], NextGame(3, "w", by_bid=True)),
        (2, [1, 1], NextGame(3, "w", by_bid=True)),
        (2, [2, 0, 0], Decided(False)),
        (2, [2, 0, 1], Tied()),
        (3, [2], NextGame(2, "b")),
        (3, [2, 2], Decided(True)),
        (3, [2, 1], NextGame(3, "w", by_bid=True)),
        (3, [2, 1, 0], Tied()),
        (3, [0, 2, 2], Decided(True)),
    ],
)
def test_a_contest_goes_on_until_it_is_decided_or_tied(
    best_of: BestOf, games: list[int], follows: object
) -> None:
    assert contest(best_of, games) == follows


def test_the_better_seeds_begin_with_both_colours_in_turn() -> None:
    assert [contest(2, [], index) for index in range(3)] == [
        NextGame(1, "w"),
        NextGame(1, "b"),
        NextGame(1, "w"),
    ]


def test_what_is_no_bracket_is_refused() -> None:
    for count in (-1, 0, 1, 65):
        with pytest.raises(ValueError, match="2 to 64"):
            first_round(count)
    with pytest.raises(ValueError, match="3 winners"):
        next_round([1, 2, 3])
    with pytest.raises(ValueError, match="did not play"):
        final_places(4, [[1, 1], [1]])
    with pytest.raises(ValueError, match="final"):
        final_places(4, [[1, 2]])
