"""The crosstable: what a cell is worth, who sits at a board, and which tables contradict themselves."""

from __future__ import annotations

import msgspec
import pytest
from msgspec.structs import replace

from domain.tournaments.crosstable import (
    OPEN,
    Cell,
    Crosstable,
    Line,
    Points,
    boards,
    cell_of,
    points_of,
    problem,
    rounds_paired,
    score,
)
from domain.tournaments.crosstables import crosstable
from domain.tournaments.events import Unfinished
from domain.tournaments.state import Entrant
from domain.tournaments.terms import Terms
from tests.domain.tournaments.hall import Hall

WIN, LOSS = Cell("played", 2, "w", "win"), Cell("played", 1, "b", "loss")
FIRST = Line("a", 1, 1800, (WIN,))
SECOND = Line("b", 2, 1700, (LOSS,))
THIRD = Line("c", 3, 0, (Cell("pairing_bye"), Cell("half_bye")))
TABLE = Crosstable(3, (FIRST, SECOND, THIRD), "w")


@pytest.mark.parametrize(
    ("cell", "worth"),
    [
        (WIN, 6),
        (Cell("played", 2, "w", "draw"), 2),
        (LOSS, 1),
        (Cell("forfeit", 2, "w", "win"), 6),
        (Cell("forfeit", 2, "w", "loss"), 0),
        (Cell("pairing_bye"), 4),
        (Cell("full_bye"), 6),
        (Cell("half_bye"), 2),
        (Cell("zero_bye"), 0),
        (Cell("absent"), 0),
        (Cell("pending", 2, "w"), 0),
        (OPEN, 0),
    ],
    ids=lambda value: f"{value.kind}-{value.outcome}" if isinstance(value, Cell) else str(value),
)
def test_a_cell_is_worth_what_the_scheme_says(cell: Cell, worth: int) -> None:
    assert points_of(Points(win=6, draw=2, loss=1, pairing_bye=4), cell) == worth


def test_a_table_gives_scores_boards_and_rounds() -> None:
    assert [score(TABLE, line) for line in TABLE.lines] == [2, 0, 3]
    assert score(TABLE, THIRD, through=1) == 2
    assert [(w.entrant, b.entrant) for w, b in boards(TABLE, 1)] == [("a", "b")]
    assert list(boards(TABLE, 2)) == []
    assert (cell_of(FIRST, 2), cell_of(THIRD, 2).kind) == (OPEN, "half_bye")
    assert rounds_paired(TABLE) == 1
    assert rounds_paired(Crosstable(3, ())) == 0


def test_a_table_that_was_read_before_follows_new_numbers_and_new_terms() -> None:
    hall = Hall(Terms(game="cia_vs_kgb", format="round_robin", rounds=3), 4)
    hall.play()
    first, *others = hall.s.rounds[0].boards
    adjourned_first = replace(first, ruling=None, policy=Unfinished(first.number, "adjourn"))
    s = replace(hall.s, rounds=(replace(hall.s.rounds[0], boards=(adjourned_first, *others)),))
    best = Entrant("n9", "q9", "active", rating=4_000, first_round=2)
    for later in (
        s,
        replace(s, entrants={**s.entrants, "n9": best}),
        replace(s, terms=replace(s.terms, rated=not s.terms.rated)),
        s,
    ):
        for adjourned in (False, True, False):
            unread = replace(later, rounds=tuple(map(replace, later.rounds)))
            assert crosstable(later, adjourned=adjourned) == crosstable(unread, adjourned=adjourned)


def test_a_table_goes_through_json() -> None:
    encoded = msgspec.json.encode(TABLE)
    assert msgspec.json.decode(encoded, type=Crosstable) == TABLE


WRONG = {
    "numbers": replace(TABLE, lines=(SECOND, FIRST, THIRD)),
    "entrants": replace(TABLE, lines=(FIRST, replace(SECOND, entrant="a"), THIRD)),
    "rounds": replace(TABLE, rounds=1),
    "cells": replace(TABLE, lines=(FIRST, SECOND, replace(THIRD, cells=(Cell("absent", 1, "w"),)))),
    "mirror": replace(TABLE, lines=(FIRST, replace(SECOND, cells=(Cell("absent"),)), THIRD)),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_table_that_contradicts_itself_is_found_out(what: str) -> None:
    assert problem(TABLE) is None
    assert problem(WRONG[what]) == what


@pytest.mark.parametrize(
    "other",
    [
        replace(LOSS, outcome="win"),
        replace(LOSS, outcome="draw"),
        replace(LOSS, colour="w"),
        replace(LOSS, opponent=3),
        replace(LOSS, opponent=2),
        replace(LOSS, opponent=0),
        replace(LOSS, opponent=99),
        replace(LOSS, kind="forfeit"),
    ],
    ids=str,
)
def test_two_cells_of_a_board_must_agree(other: Cell) -> None:
    assert problem(replace(TABLE, lines=(FIRST, replace(SECOND, cells=(other,)), THIRD))) == "mirror"


def test_both_may_lose_but_only_a_played_game_is_drawn() -> None:
    lost = replace(TABLE, lines=(replace(FIRST, cells=(replace(WIN, outcome="loss"),)), SECOND, THIRD))
    assert problem(lost) is None
    drawn = (Cell("forfeit", 2, "w", "draw"), Cell("forfeit", 1, "b", "draw"))
    lines = (replace(FIRST, cells=drawn[:1]), replace(SECOND, cells=drawn[1:]), THIRD)
    assert problem(replace(TABLE, lines=lines)) == "cells"
