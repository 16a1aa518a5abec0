"""What a question costs: `prompt` (claim: at most 1.5 times `decide`), in random play.

The floor is `decide`, which carries out an answer to the question that was just asked, as in a match.  Draws
of chance are not counted.
"""

from __future__ import annotations

import random
import time
from typing import Any

from _bench import LEAST, QUICK, SECONDS, say

from domain import kernel
from domain.game import Game
from domain.games import GAMES
from domain.kernel import CHANCE, Answer

MATCHES = 1 if QUICK else 12


def main() -> None:
    """One line for each game."""
    for game in GAMES.values():
        _measure(game)


def _measure(game: Game) -> None:
    asked = [one for seed in range(MATCHES) for one in _played(game, seed)]
    passes: list[tuple[float, float]] = []
    while len(passes) < LEAST or sum(map(sum, passes)) < SECONDS:
        passes.append(_pass(asked))
    floor, ours = (min(times) / len(asked) * 1e6 for times in zip(*passes, strict=True))
    say(
        f"questions, {game.name}",
        f"prompt {ours:.1f} us (claim: within 1.5 x decide);"
        f" floor: decide {floor:.1f} us; ratio {ours / floor:.2f}",
    )


def _pass(asked: list[tuple[Any, Answer]]) -> tuple[float, float]:
    """The seconds of all decisions, and of all questions."""
    decisions = questions = 0.0
    for table, answer in asked:
        began = time.perf_counter()
        question = kernel.prompt(table, answer.seat)
        put = time.perf_counter()
        kernel.decide(table, answer, question)
        questions += put - began
        decisions += time.perf_counter() - put
    return decisions, questions


def _played(game: Game, seed: int) -> list[tuple[Any, Answer]]:
    """The table and the answer at each answer of a seat in a random match."""
    luck = random.Random(seed)
    empty = game.table(*game.settle(None, {}))
    table = kernel.begin(empty, game.first(empty)).table
    found: list[tuple[Any, Answer]] = []
    while seats := kernel.asked(table):
        question = kernel.prompt(table, seats[0])
        assert question is not None
        count = luck.randint(question.least, min(question.most, len(question.options)))
        answer = Answer(question.seat, tuple(luck.sample(question.options, count)))
        if question.seat != CHANCE:
            found.append((table, answer))
        table = kernel.decide(table, answer, question).table
    return found


if __name__ == "__main__":
    main()
