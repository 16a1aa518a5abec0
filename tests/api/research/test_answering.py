"""Answers of several picks, one pick at a time: every legal set has exactly one way (B18)."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations

import pytest

from api.research.answering import Answering
from domain.agents.actions import ActionSpace
from domain.kernel import CHANCE, Picks, Prompt

SPACE = ActionSpace("toy/1", "abcdef")


def ways(question: Prompt) -> Counter[Picks]:
    """How many ways lead to each answer."""
    found = Counter[Picks]()

    def go_on(answering: Answering) -> None:
        assert len(set(answering.legal)) == len(answering.legal) > 0
        for action in answering.legal:
            answer = answering.ended_by(action)
            if answer is None:
                go_on(answering.with_action(action))
            else:
                found[answer] += 1

    go_on(Answering(question, SPACE))
    return found


CASES = [
    (options, least, most)
    for options in ("a", "fbd", "abcde")
    for most in (1, 2, 3, 9)
    for least in range(min(most, len(options)) + 1)
]


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize(("options", "least", "most"), CASES)
def test_every_legal_answer_has_exactly_one_way(options: str, least: int, most: int, ordered: bool) -> None:
    kind = permutations if ordered else combinations
    legal = [
        picks
        for count in range(least, min(most, len(options)) + 1)
        for picks in kind(options if ordered else sorted(options), count)
    ]
    assert ways(Prompt("us", "Toy", tuple(options), least, most, ordered)) == Counter(legal)


def test_chance_draws_one_at_a_time_in_every_order() -> None:
    assert ways(Prompt(CHANCE, "Toy", ("a", "b", "c"), 2, 2)) == Counter(permutations("abc", 2))
