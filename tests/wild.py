"""Matches in which everything happens to the log: takebacks, agreed or declined, and rulings back."""

from __future__ import annotations

from typing import Any

from domain.game import Game
from domain.kernel import Refused
from tests.matches import Sitting

RARE = 0.06  # the share of commands that are no answers, for each kind of them


def wild(game: Game, seed: int, commands: int, **more: Any) -> Sitting:
    """A random match of at most so many commands."""
    sitting = Sitting(game, seed, **more).seat_all(salts=bool(seed % 2))
    for _ in range(commands):
        if sitting.match.status != "running":
            break
        chosen = sitting.random.random() / RARE
        if chosen < 1:
            _takeback(sitting)
        elif chosen < 2:
            _ruling(sitting)
        else:
            sitting.random_answer()
    return sitting


def _takeback(sitting: Sitting) -> None:
    match, luck = sitting.match, sitting.random
    mover, other = luck.sample([*match.seats], 2)
    if match.request:
        agree, answering = luck.random() < 0.6, next(s for s in match.seats if s != match.request.seat)
        sitting.accept(match.answer_takeback(sitting.context, answering, match.request.move, agree))
        return
    try:
        sitting.accept(match.ask_takeback(sitting.context, mover))
    except Refused:
        return
    if luck.random() < 0.8:  # else a move comes in between, or nothing any more
        sitting.accept(match.answer_takeback(sitting.context, other, match.move, luck.random() < 0.6))


def _ruling(sitting: Sitting) -> None:
    """Back to a table of the running game, which may be on a line that was left."""
    match = sitting.match
    tables = [move for move in range(1, match.move) if match.asked_at(move)]
    if tables:
        back_to = sitting.random.choice(tables)
        sitting.accept(match.rule(sitting.context, "judge", "once more", back_to=back_to))
