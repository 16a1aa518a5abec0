"""How many ways to answer there are: legal answers and lines of so many answers from a table.

Chance answers like a player, so its draws are counted too.  A question of which several options are picked
has as many answers as there are choices; where both players are asked at once, first one answers and then the
other.  Where a line is over before that depth it does not count.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations
from math import comb, perm
from typing import Any

from domain.kernel import Answer, Prompt, asked, decide, prompt


def answers(question: Prompt) -> Iterator[tuple[str, ...]]:
    """Every legal answer to a question."""
    pick = permutations if question.ordered else combinations
    for count in range(question.least, question.most + 1):
        yield from pick(question.options, count)


def how_many(question: Prompt) -> int:
    """The number of legal answers."""
    ways = perm if question.ordered else comb
    options = len(question.options)
    return sum(ways(options, count) for count in range(question.least, question.most + 1))


def count(s: Any, depth: int) -> int:
    """The number of different lines of so many answers."""
    seats = asked(s)
    question = prompt(s, seats[0]) if seats else None
    if question is None:
        return 0
    if depth == 1:
        return how_many(question)
    return sum(
        count(decide(s, Answer(question.seat, picks), question).table, depth - 1)
        for picks in answers(question)
    )
