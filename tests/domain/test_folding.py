"""A log folds without rules, for ever (architecture, section 2)."""

from __future__ import annotations

import pytest

from domain.folding import tables
from domain.game import Game
from domain.games import GAMES
from domain.log import Damaged
from tests.matches import Sitting, finished


@pytest.mark.parametrize("name", sorted(GAMES))
def test_the_tables_of_a_log_are_those_of_its_match(name: str) -> None:
    match = finished(GAMES[name], 3).match
    folded = tables(GAMES[name], [record.stored for record in match.records])
    assert folded == [position.table for position in match.positions]


def test_a_takeback_restores_the_table(toy_game: Game) -> None:
    sitting = Sitting(toy_game).seat_all()
    sitting.answer("left", "3")
    sitting.accept(sitting.match.rule(sitting.context, "p9", "mis-click", back_to=3))
    folded = tables(toy_game, [record.stored for record in sitting.match.records])
    assert folded[-1] == folded[2] != folded[3]


def test_the_log_of_another_game_is_refused(toy_game: Game) -> None:
    stored = [record.stored for record in finished(toy_game).match.records]
    with pytest.raises(Damaged):
        tables(GAMES["cia_vs_kgb"], stored)
