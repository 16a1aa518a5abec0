"""Round robin by Berger's tables: everybody meets everybody, and the sides are balanced."""

from __future__ import annotations

from itertools import groupby

import pytest
from gacrux.berger import bergertables

from domain.tournaments.formats.round_robin import Round, berger, double_berger


def sides(rounds: tuple[Round, ...], number: int) -> str:
    """The sides that an entrant has, round by round."""
    return "".join("w" if w == number else "b" for one in rounds for w, b in one.boards if number in (w, b))


@pytest.mark.parametrize("count", range(3, 17))
def test_everyone_meets_everyone_once_and_sides_differ_by_at_most_one(count: int) -> None:
    rounds = berger(count)
    met = [frozenset(board) for one in rounds for board in one.boards]
    assert len(met) == len(set(met)) == count * (count - 1) // 2
    free = [one.free for one in rounds if one.free is not None]
    assert sorted(free) == ([*range(1, count + 1)] if count % 2 else [])
    for one in rounds:
        named = [number for board in one.boards for number in board]
        assert sorted([*named, *([] if one.free is None else [one.free])]) == [*range(1, count + 1)]
    for number in range(1, count + 1):
        had = sides(rounds, number)
        assert abs(had.count("w") - had.count("b")) <= 1


def test_the_tables_are_those_that_are_printed() -> None:
    assert [one.boards for one in berger(6)] == [
        ((1, 6), (2, 5), (3, 4)),
        ((6, 4), (5, 3), (1, 2)),
        ((2, 6), (3, 1), (4, 5)),
        ((6, 5), (1, 4), (2, 3)),
        ((3, 6), (4, 2), (5, 1)),
    ]
    nine = berger(9)
    assert nine[0] == Round(((2, 9), (3, 8), (4, 7), (5, 6)), 1)
    assert nine[1] == Round(((7, 5), (8, 4), (9, 3), (1, 2)), 6)
    assert nine[8] == Round(((6, 4), (7, 3), (8, 2), (9, 1)), 5)


@pytest.mark.parametrize("count", [2, 3, 8, 15, 64])
def test_the_tables_are_those_of_the_engine(count: int) -> None:
    even = count + count % 2
    printed = bergertables(count)["pairing"]
    for number, one in enumerate(berger(count), 1):
        boards = [(board["white"], board["black"]) for board in printed[number].values()]
        assert one.boards == tuple(board for board in boards if even == count or even not in board)


@pytest.mark.parametrize("count", range(2, 17))
def test_twice_everyone_has_both_sides_against_everyone_and_none_three_times_running(count: int) -> None:
    rounds = double_berger(count)
    boards = [board for one in rounds for board in one.boards]
    assert sorted(boards) == sorted(
        (w, b) for w in range(1, count + 1) for b in range(1, count + 1) if w != b
    )
    for number in range(1, count + 1):
        had = sides(rounds, number)
        assert had.count("w") == had.count("b")
        assert max(len([*run]) for _, run in groupby(had)) <= 2


@pytest.mark.parametrize("count", [-1, 0, 1, 65, 10**9])
def test_a_table_of_another_size_is_refused(count: int) -> None:
    with pytest.raises(ValueError, match="2 to 64"):
        berger(count)
