"""A log folds without rules, for ever (architecture, section 2)."""

from __future__ import annotations

import re
from random import Random

import pytest

from domain.events import TakenBack
from domain.folding import tables
from domain.game import Game
from domain.games import GAMES
from domain.kernel import Table, fold
from domain.log import Damaged
from domain.match import Match
from tests.matches import Sitting, finished
from tests.replay.files import with_everything
from tests.wild import wild


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


def told(match: Match, viewer: str | None) -> list[Table]:
    """The table after each move, folded from what a viewer may see of it."""
    found: list[Table] = [match.game.table(match.opened.edition, match.opened.options)]
    for record in match.records:
        if isinstance(record.entry, TakenBack):
            found.append(found[record.entry.to])
        else:
            found.append(fold(found[-1], match.facts_for(record, viewer)))
    return found[1:]


@pytest.mark.parametrize("name", sorted(GAMES))
def test_a_viewers_tables_are_folded_from_what_they_may_see_in_any_order(name: str) -> None:
    match = wild(GAMES[name], 5, 150).match
    looks = [(move, viewer) for viewer in (None, *match.game.seats) for move in range(1, match.move + 1)]
    tables = {viewer: told(match, viewer) for viewer in (None, *match.game.seats)}
    for move, viewer in Random(1).sample(looks, len(looks)):
        assert match.table_at(move, viewer) == tables[viewer][move - 1]


def test_a_move_in_the_place_of_another_is_damage(toy_game: Game) -> None:
    stored = [record.stored for record in finished(toy_game).match.records]
    stored[4], stored[5] = stored[5], stored[4]
    with pytest.raises(Damaged, match="the entry of move 6 stands in the place of move 5"):
        tables(toy_game, stored)


def test_a_move_goes_back_to_one_that_is_there(toy_game: Game) -> None:
    stored = [record.stored for record in with_everything(toy_game).records]
    with pytest.raises(Damaged, match="goes back to move"):
        tables(toy_game, [re.sub(rb',"to":\d+', b',"to":99', state) for state in stored])


def test_the_log_of_another_game_is_refused(toy_game: Game) -> None:
    stored = [record.stored for record in finished(toy_game).match.records]
    with pytest.raises(Damaged):
        tables(GAMES["cia_vs_kgb"], stored)
