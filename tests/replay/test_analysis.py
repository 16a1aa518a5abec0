"""Analyses of finished matches: sums that add up, views that stay apart, nothing about a running match."""

from __future__ import annotations

from collections.abc import Callable
from math import isclose
from random import Random
from typing import Any

import pytest

from api.bots.agent_bot import observation_of
from domain import kernel
from domain.agents import AGENTS
from domain.agents.observation import table_of
from domain.agents.spec import Budget
from domain.events import Played
from domain.game import Game
from domain.games import GAMES
from domain.kernel import CHANCE, Answer, Refused
from domain.match import Match
from replay import analysis
from replay.analysis import MoveAnalysis, Suggestion, analyse, answers, summary, turning_points
from tests.matches import Sitting, finished
from tests.replay.files import recorded_match

ALONE, FEW = Budget(0), Budget(6)


def adds_up(match: Match, moves: list[MoveAnalysis]) -> bool:
    """Do start, luck, choices and ending lead to the result?"""
    found = summary(match, AGENTS[match.game.name], moves)
    total = found.start + found.luck + sum(found.choices.values()) + found.ending
    return isclose(total, found.result, abs_tol=1e-9)


@pytest.mark.parametrize("game", AGENTS)
def test_luck_and_choices_add_up_to_the_result(game: str) -> None:
    """B24: of each game, with evaluation alone."""
    match, spec = finished(GAMES[game], 3).match, AGENTS[game]
    moves = list(analyse(match, spec, ALONE, Random(1)))
    found = summary(match, spec, moves)
    assert adds_up(match, moves)
    assert abs(found.ending) < 1e-9
    assert [one.move for one in moves] == answers(match)
    assert all(0 <= chance <= 1 for one in moves for chance in (one.before, one.after))
    assert moves[-1].after == found.result
    assert [one.best for one in moves] == [()] * len(moves)


def test_what_ends_a_match_otherwise_is_neither_luck_nor_choice() -> None:
    """Given a resignation in a position that says nothing, then the ending bears the rest of the result."""
    sitting = Sitting(GAMES["cia_vs_kgb"], 2).seat_all().play_on(5)
    sitting.accept(sitting.match.resign(sitting.context, "kgb"))
    moves = list(analyse(sitting.match, AGENTS["cia_vs_kgb"], ALONE, Random(1)))
    found = summary(sitting.match, AGENTS["cia_vs_kgb"], moves)
    assert (found.result, adds_up(sitting.match, moves)) == (1.0, True)
    assert found.ending == pytest.approx(1 - moves[-1].after)


def test_moves_that_were_taken_back_are_left_out() -> None:
    sitting = Sitting(GAMES["cia_vs_kgb"], 2).seat_all().play_on(3)
    kept = answers(sitting.match)
    to, seat = sitting.match.move, sitting.match.game.seats[0]
    sitting.play_on(1)
    request = sitting.accept(sitting.match.ask_takeback(sitting.context, seat, to)).records[0].move
    sitting.accept(sitting.match.answer_takeback(sitting.context, "kgb", request, agree=True))
    sitting.play_on()
    moves = [one.move for one in analyse(sitting.match, AGENTS["cia_vs_kgb"], ALONE, Random(1))]
    assert to + 1 not in moves
    assert moves[: len(kept)] == kept
    assert adds_up(sitting.match, list(analyse(sitting.match, AGENTS["cia_vs_kgb"], ALONE, Random(1))))


def test_an_analysis_repeats_with_its_seed_and_leaves_the_log_as_it_is() -> None:
    match, spec = finished(GAMES["thirteen_minutes"], 5).match, AGENTS["thirteen_minutes"]
    stored = [record.stored for record in match.records]
    one, other = (list(analyse(match, spec, FEW, Random(7))) for _ in range(2))
    assert one == other
    assert any(move.best for move in one)
    assert [record.stored for record in match.records] == stored
    for move in one:
        assert move.loss >= 0
        assert len(move.best) <= analysis.SHOWN
        assert list(move.best) == sorted(move.best, key=lambda best: -best.win_probability)


def test_suggestions_follow_from_what_the_seat_observed_and_from_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A spy: each table that the search fills in is what a bot would have observed at that move."""
    game = GAMES["thirteen_minutes"]
    sitting, spec = Sitting(game, 5).seat_all(), AGENTS["thirteen_minutes"]
    observed: dict[int, Any] = {}
    while sitting.match.asked is not None:
        asked = sitting.match.asked
        seen = {seat: observation_of(sitting.match, seat) for seat in asked.seats}
        draft = sitting.random_answer()
        observed[draft.records[0].move] = table_of(game, seen[draft.records[0].entry.seat])
    filled = list[Any]()

    def noting(view: Any, rng: Any) -> Any:
        filled.append(view)
        return determinize(view, rng)

    determinize = spec.determinize
    monkeypatch.setattr(spec, "determinize", noting)
    for move in analyse(sitting.match, spec, FEW, Random(7)):
        assert filled
        assert all(view == observed[move.move] for view in filled)
        filled.clear()


def test_only_the_answers_of_one_seat_are_compared_if_one_is_asked_for() -> None:
    match, spec = finished(GAMES["thirteen_minutes"], 5).match, AGENTS["thirteen_minutes"]
    moves = list(analyse(match, spec, FEW, Random(7), "us"))
    assert {one.seat for one in moves if one.compared} == {"us"}
    assert {one.seat for one in moves} == {"us", "ussr"}
    assert adds_up(match, moves)


def test_the_lucks_of_all_results_of_a_die_add_up_to_nothing() -> None:
    """Given a die of Twilight Struggle, when each face is taken as the one that fell, luck has mean 0."""
    match, spec = finished(GAMES["twilight_struggle"], 3).match, AGENTS["twilight_struggle"]
    found = 0
    for move in answers(match):
        table: Any = match.table_with_agenda(move - 1)
        picks = match.records[move - 1].picks or ()
        table = kernel.decide(table, Answer(match.entry_at(move).seat, picks)).table
        question = kernel.prompt(table, CHANCE)
        if question is not None and len(question.options) == 6 and question.most == 1:
            lucks = [analysis._luck_of_draw(spec, table, (pick,), Random(1)) for pick in question.options]
            assert sum(lucks) == pytest.approx(0)
            found += any(lucks)
    assert found


@pytest.mark.parametrize("broken", ["decide", "prompt"])
def test_rules_that_cannot_read_a_move_any_more_leave_luck_and_suggestions_out(
    broken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A forger: an uploaded log may hold tables on which today's rules raise anything."""
    match, spec = finished(GAMES["thirteen_minutes"], 5).match, AGENTS["thirteen_minutes"]

    def fails(*_: Any) -> Any:
        raise KeyError("an old card")

    monkeypatch.setattr(kernel, broken, fails)
    moves = list(analyse(match, spec, FEW, Random(1)))
    assert adds_up(match, moves)
    assert not any(one.luck for one in moves)
    assert any(one.compared for one in moves) == (broken == "decide")


def running(toy: Game) -> Match:
    return Sitting(GAMES["cia_vs_kgb"], 2).seat_all().play_on(3).match


def of_toy(toy: Game) -> Match:
    return finished(toy, 8).match


@pytest.mark.parametrize(
    ("match", "kind", "id"),
    [
        (running, "unfinished", "analysis-of-running"),
        (of_toy, "not-found", "analysis-without-agent"),
    ],
)
def test_what_cannot_be_analysed_is_refused(
    match: Callable[[Game], Match], kind: str, id: str, toy_game: Game
) -> None:
    with pytest.raises(Refused) as refused:
        next(analyse(match(toy_game), AGENTS["cia_vs_kgb"], ALONE, Random(1)))
    assert (refused.value.kind, refused.value.id) == (kind, id)


def test_an_imported_match_and_one_without_end_are_refused(
    toy_game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(AGENTS, "toy", AGENTS["cia_vs_kgb"])
    with pytest.raises(Refused) as refused:
        analysis.must_be_analysable(recorded_match(toy_game))
    assert refused.value.id == "analysis-of-imported"
    monkeypatch.setattr(analysis, "MOST_MOVES", 5)
    with pytest.raises(Refused) as refused:
        analysis.must_be_analysable(finished(toy_game, 8).match)
    assert refused.value.id == "analysis-too-long"


def moved(move: int, change: float) -> MoveAnalysis:
    return MoveAnalysis(move, "us", "Bid", ("2",), 0.5, 0.5 + change, 0.0)


def test_turning_points_are_the_five_greatest_changes_and_every_great_one() -> None:
    moves = [moved(number, number / 100) for number in range(1, 9)]
    assert turning_points(moves) == (4, 5, 6, 7, 8)
    moves = [moved(number, -0.2) for number in range(1, 9)]
    assert turning_points(moves) == (1, 2, 3, 4, 5, 6, 7, 8)
    assert turning_points([moved(1, 0.0), moved(2, 0.01)]) == (2,)


def test_among_equals_the_answer_that_was_played_comes_first() -> None:
    """An agent that sees no difference suggests nothing else."""
    match, spec = finished(GAMES["thirteen_minutes"], 5).match, AGENTS["thirteen_minutes"]
    for one in analyse(match, spec, FEW, Random(7)):
        if one.best and not one.loss:
            assert set(one.best[0].picks) == set(one.picks)
            assert isinstance(one.best[0], Suggestion)


def test_every_played_move_of_the_line_is_an_answer() -> None:
    match = finished(GAMES["cia_vs_kgb"], 2).match
    played = [record.move for record in match.records if isinstance(record.entry, Played)]
    assert answers(match) == played
