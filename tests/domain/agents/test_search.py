"""Searching: candidates, playouts on equal terms, halving, the budget and the time."""

from __future__ import annotations

from math import comb
from random import Random
from typing import Any

import pytest

from domain.agents import AGENTS
from domain.agents.determinization import sample, shuffle
from domain.agents.observation import table_of
from domain.agents.search import Tape, candidates, greedy, random_picks, search
from domain.agents.spec import AgentSpec, Budget
from domain.kernel import Prompt
from tests.domain.agents.laws import Question
from tests.domain.agents.test_determinization import GAMES, asked_of

SETS = Prompt("us", "Any", ("a", "b", "c", "d"), 1, 2)


def first(spec: AgentSpec[Any], options: int = 2) -> Question:
    """A question of a match that has so many options, or more, and one pick."""
    return next(
        one
        for one in asked_of(spec, 2)[4:]
        if len(one.observation.prompt.options) >= options and one.observation.prompt.most == 1
    )


def test_all_answers_are_compared_if_they_are_few() -> None:
    spec = AGENTS["thirteen_minutes"]
    found = candidates(spec, None, SETS, 64, Random(1))
    assert len(found) == len(set(found)) == comb(4, 1) + comb(4, 2)


def test_of_many_answers_no_more_are_compared_than_the_budget_allows() -> None:
    spec = AGENTS["thirteen_minutes"]
    question = Prompt("us", "Any", tuple(f"o{number}" for number in range(20)), 5, 5)
    found = candidates(spec, None, question, 16, Random(1))
    assert len(found) == len(set(found)) == 16
    assert all(len(set(picks)) == 5 and set(picks) <= set(question.options) for picks in found)


def test_a_tape_repeats_its_numbers() -> None:
    tape = Tape(Random(1))
    numbers = [tape.random() for _ in range(5)]
    tape.rewind()
    assert [tape.random() for _ in range(7)][:5] == numbers


def test_random_numbers_shuffle_and_sample() -> None:
    cards = list(range(9))
    shuffle(cards, Random(1))
    assert sorted(cards) == list(range(9)) != cards
    assert len(set(sample(range(9), 4, Random(2)))) == 4
    assert {len(random_picks(SETS, Random(seed))) for seed in range(20)} == {1, 2}


@pytest.mark.parametrize("game", GAMES)
def test_a_search_keeps_to_its_budget_and_repeats_with_its_seed(game: str) -> None:
    spec = AGENTS[game]
    question = first(spec)
    view, asked = table_of(spec.game, question.observation), question.observation.prompt
    found = [search(spec, view, asked, Budget(16), Random(3)) for _ in range(2)]
    assert found[0] == found[1]
    assert {action.picks for action in found[0]} == {(option,) for option in asked.options}
    assert sum(action.playouts for action in found[0]) <= max(16, 3 * len(asked.options))
    assert found[0][0].playouts == max(action.playouts for action in found[0])
    assert greedy(spec, view, asked, Budget(1), Random(4)) == greedy(spec, view, asked, Budget(1), Random(4))


def test_a_search_whose_time_is_up_answers_with_what_it_has() -> None:
    spec = AGENTS["cia_vs_kgb"]
    question = first(spec)
    view, asked = table_of(spec.game, question.observation), question.observation.prompt
    found = search(spec, view, asked, Budget(10_000), Random(3), expired=lambda: True)
    assert sum(action.playouts for action in found) == 0
    assert found[0].picks[0] in asked.options


def test_greedy_takes_the_answer_that_is_worth_most() -> None:
    """Britain and France want opposite ends of one track, so the value decides, and nothing else."""
    spec = AGENTS["imperial_struggle"]
    question = first(spec, 6)
    view, asked = table_of(spec.game, question.observation), question.observation.prompt
    best = greedy(spec, view, asked, Budget(1), Random(5))
    upside_down: AgentSpec[Any] = AgentSpec(
        spec.game,
        determinize=spec.determinize,
        policy=spec.policy,
        evaluate=lambda table, seat: -spec.evaluate(table, seat),
        is_quiet=spec.is_quiet,
        actions=spec.actions,
        encoding=spec.encoding,
    )
    assert greedy(upside_down, view, asked, Budget(1), Random(5)) != best
