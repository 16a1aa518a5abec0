"""Leagues and stages: who is above a line, who moves, and who has to play it off."""

from __future__ import annotations

import pytest

from domain.tournaments.formats.cut import Cut, Ranked, cut, settled
from domain.tournaments.formats.league import divided, moves, next_season
from domain.tournaments.formats.stages import qualified


def ranked(*groups: str) -> list[Ranked]:
    """Standings from groups of equal entrants, each with one letter."""
    found: list[Ranked] = []
    for group in groups:
        place = len(found) + 1
        found += [Ranked(place, entrant) for entrant in group]
    return found


def test_a_line_between_two_places_leaves_nothing_open() -> None:
    assert cut(ranked("a", "bc", "d"), 3) == Cut(("a", "b", "c"), (), 0, ("d",))
    assert cut(ranked("ab", "c"), 0) == Cut((), (), 0, ("a", "b", "c"))
    assert cut(ranked("ab"), 5) == Cut(("a", "b"), (), 0, ())


def test_a_shared_place_across_the_line_is_contested_until_it_is_settled() -> None:
    line = cut(ranked("a", "bcd", "e"), 3)
    assert line == Cut(("a",), ("b", "c", "d"), 2, ("e",))
    assert settled(line, ("d", "b")) == Cut(("a", "d", "b"), (), 0, ("c", "e"))
    for winners in ((), ("b",), ("b", "b"), ("b", "e"), ("b", "c", "d")):
        with pytest.raises(ValueError, match="2 of b, c, d"):
            settled(line, winners)


def test_entrants_are_divided_by_strength() -> None:
    assert divided("abcdefg", [2, 2, 2]) == (("a", "b"), ("c", "d"), ("e", "f", "g"))
    for sizes in ([], [1, 2], [6, 2], [7, 0], [-2, 9], [2] * 65):
        with pytest.raises(ValueError, match="division"):
            divided("abcdefg", sizes)


# Eight divisions of twelve: "3k" is the entrant who came in eleventh in the third division.
LETTERS = "abcdefghijkl"
SEASON = [
    [Ranked(place, f"{division}{letter}") for place, letter in enumerate(LETTERS, 1)]
    for division in range(1, 9)
]
NEXT = """
    1a 1b 1c 1d 1e 1f 1g 1h 1i 1j 2a 2b
    1k 1l 2c 2d 2e 2f 2g 2h 2i 2j 3a 3b
    2k 2l 3c 3d 3e 3f 3g 3h 3i 3j 4a 4b
    3k 3l 4c 4d 4e 4f 4g 4h 4i 4j 5a 5b
    4k 4l 5c 5d 5e 5f 5g 5h 5i 5j 6a 6b
    5k 5l 6c 6d 6e 6f 6g 6h 6i 6j 7a 7b
    6k 6l 7c 7d 7e 7f 7g 7h 7i 7j 8a 8b
    7k 7l 8c 8d 8e 8f 8g 8h 8i 8j 8k 8l
"""


def test_promotions_of_eight_divisions_are_those_of_the_table_made_by_hand() -> None:
    lines = moves(SEASON, 2, 2)
    assert [one.play_offs for one in lines] == [()] * 8
    assert next_season(SEASON, lines, {}) == tuple(tuple(row.split()) for row in NEXT.strip().split("\n"))


def test_a_corrected_result_changes_exactly_the_entrants_whose_places_it_changes() -> None:
    corrected = [list(division) for division in SEASON]
    second, third = corrected[3][1], corrected[3][2]
    corrected[3][1], corrected[3][2] = Ranked(2, third.entrant), Ranked(3, second.entrant)
    before, after = (next_season(one, moves(one, 2, 2), {}) for one in (SEASON, corrected))
    changed = [index for index in range(8) if before[index] != after[index]]
    assert changed == [2, 3]
    assert {*before[2]} ^ {*after[2]} == {"4b", "4c"} == {*before[3]} ^ {*after[3]}


def test_a_tie_over_a_place_that_moves_has_to_be_played_off() -> None:
    season = [ranked("a", "b", "cd"), ranked("ef", "g", "h")]
    lines = moves(season, 1, 1)
    assert [one.play_offs for one in lines] == [(("c", "d"),), (("e", "f"),)]
    with pytest.raises(ValueError, match="c, d"):
        next_season(season, lines, {})
    assert next_season(season, lines, {"d": 1, "c": 2, "f": 1, "e": 2}) == (
        ("a", "b", "d", "f"),
        ("c", "e", "g", "h"),
    )


def test_more_cannot_move_than_there_are() -> None:
    with pytest.raises(ValueError, match="division 2"):
        moves([ranked("abc"), ranked("de"), ranked("fgh")], 2, 1)


def test_who_qualifies_takes_the_seeds_of_the_next_stage_and_gaps_are_filled() -> None:
    standings = ranked("a", "b", "cd", "e")
    assert qualified(standings, 2).certain == ("a", "b")
    assert qualified(standings, 2, gone=("b",)).contested == ("c", "d")
    assert qualified(standings, 4, gone=("c",)).certain == ("a", "b", "d", "e")
