"""The cost of isolation, connection and protection in a move of Imperial Struggle: their share of random
play.

Every question about them that the rules ask in a match is recorded, and asked once more by itself.  The floor
is one test of a flag for each question.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import ModuleType
from typing import Any

from _bench import QUICK, compared, long_name, say, seconds, sees_last_turn

from api.cli.fuzz import Count, Match
from domain.games import GAMES
from domain.imperial_struggle.components import BOARD
from domain.imperial_struggle.editions import table
from domain.imperial_struggle.rules import board

GAME = GAMES["imperial_struggle"]
SETTLED = GAME.settle(None, {})
MATCHES = 2 if QUICK else 40
QUESTIONS = (board.isolated, board.harmless, board.connected, board.protected)

Asked = tuple[Callable[..., Any], tuple[Any, ...]]


def main() -> None:
    """One line for random matches, and one for a long one."""
    _measure(GAME.name, [f"bench/{number}" for number in range(MATCHES)])
    _measure(long_name(GAME.name), [_long()])


def _long() -> str:
    """The seed of the first match that sees the last turn (in a quick run: of the first match)."""
    for number in itertools.count():
        match = Match(GAME, *SETTLED, f"bench/{number}")
        match.play(Count())
        if QUICK or sees_last_turn(GAME, match.table):
            return match.seed
    raise AssertionError("never reached")


def _measure(name: str, seeds: list[str]) -> None:
    moves = Count()
    with _written_down() as asked:
        _play(seeds, moves)
    flags, space = table(*SETTLED).flags, next(iter(BOARD))

    def ask() -> None:
        for question, about in asked:
            question(*about)

    def floor_task() -> None:
        for _ in asked:
            flags.get(space)

    floor, ours = compared(floor_task, ask)
    whole = min(seconds(partial(_play, seeds, Count())) for _ in range(3))
    say(
        f"isolation and connection, {name}",
        f"{ours / whole:.1%} of a move, {ours / moves.all * 1e6:.1f} of {whole / moves.all * 1e6:.0f} µs;"
        f" {len(asked) / moves.all:.0f} questions each;"
        f" floor: a look at a flag for each {floor / moves.all * 1e6:.1f} µs; ratio {ours / floor:.0f}",
    )


def _play(seeds: list[str], count: Count) -> None:
    for seed in seeds:
        Match(GAME, *SETTLED, seed).play(count)


@contextmanager
def _written_down() -> Iterator[list[Asked]]:
    """Record every such question of the rules in the context, but none that one question asks another."""
    asked: list[Asked] = []
    changed: list[tuple[ModuleType, Callable[..., Any]]] = []

    def noting(question: Callable[..., Any]) -> Callable[..., Any]:
        def note(*about: Any) -> Any:
            asked.append((question, about))
            return question(*about)

        return note

    for name, module in list(sys.modules.items()):
        for question in QUESTIONS if name.startswith(f"domain.{GAME.name}.") else ():
            if module is not board and vars(module).get(question.__name__) is question:
                setattr(module, question.__name__, noting(question))
                changed.append((module, question))
    try:
        yield asked
    finally:
        for module, question in changed:
            setattr(module, question.__name__, question)


if __name__ == "__main__":
    main()
