"""A match scored as it stands: the final scoring of its game, on what a spectator sees."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from domain.kernel import begin
from domain.match import Match
from domain.twilight_struggle.steps.flow import FinalScoring
from replay.final_scoring import scored_now
from replay.words import Words
from tests.replay.scenes.matches import late_war, whole


def running(match: Match, move: int) -> Match:
    """The match as it was after a move."""
    found = Match.project(None, match.records[:move])
    assert found is not None
    return found


@pytest.mark.parametrize("language", ["en", "ru"])
def test_the_final_scoring_of_a_spectator_is_that_of_the_whole_table(language: str) -> None:
    whole_match = late_war()
    for move in (whole_match.move // 3, whole_match.move // 2):
        match = running(whole_match, move)
        found = scored_now(match, Words(match, language))
        table: Any = replace(match.table_with_agenda(move), agenda=())
        true = begin(table, [FinalScoring()]).table.result
        assert true is not None
        assert (found.winner, found.score, found.move) == (true.winner, true.score, move)
        assert len(found.working) >= 6  # a line for each region at least
        assert match.move == move
        assert match.closed is None


def test_a_game_of_wars_is_scored_with_its_goods_and_debts() -> None:
    match = running(whole("imperial_struggle"), 60)
    found = scored_now(match, Words(match, "en"))
    assert set(found.score) == set(match.seats)
    assert found.working


def test_a_game_without_final_scoring_is_compared_by_its_score() -> None:
    match = running(whole("thirteen_minutes"), 12)
    found = scored_now(match, Words(match, "en"))
    assert found.score == match.game.score(match.table_at(12, None))
    best = [seat for seat, points in found.score.items() if points == max(found.score.values())]
    assert found.winner == (best[0] if len(best) == 1 else None)
    assert found.working == ()
