"""A question about the same table is computed once, and its answer is never given for another table."""

from __future__ import annotations

from msgspec.structs import replace

from domain.games import GAMES
from domain.imperial_struggle.components import BR, FR
from domain.imperial_struggle.rules.remembering import remembered
from domain.imperial_struggle.state import State

GAME = GAMES["imperial_struggle"]


def test_a_question_is_worked_out_once_for_a_table_and_again_for_another() -> None:
    worked_out = []

    @remembered
    def debt(s: State, side: str) -> int:
        worked_out.append((s.debt[side], side))
        return s.debt[side]

    table = GAME.table(*GAME.settle(None, {}))
    assert isinstance(table, State)
    later = replace(table, debt={BR: 2, FR: 1})
    asked = [debt(s, side) for s, side in ((table, BR), (table, BR), (later, BR), (later, FR), (table, BR))]
    assert asked == [0, 0, 2, 1, 0]
    assert worked_out == [(0, BR), (2, BR), (1, FR), (0, BR)]


def test_a_table_that_is_equal_but_not_the_same_is_another() -> None:
    worked_out = []

    @remembered
    def turn(s: State) -> int:
        worked_out.append(s)
        return s.turn

    table = GAME.table(*GAME.settle(None, {}))
    assert isinstance(table, State)
    assert turn(table) == turn(replace(table))
    assert len(worked_out) == 2
