"""The cost of a move without transport and store: to judge it, to make its record, and to take that in.

Played matches are played again, answer by answer, so that nothing else is measured.
"""

from __future__ import annotations

import time

from _bench import QUICK, accept, played

from api.settings import product
from domain.drafts import Context
from domain.events import Played
from domain.game import Game
from domain.games import GAMES
from domain.match import Match

_MATCHES = 1 if QUICK else 20


def judged(name: str) -> float:
    """Microseconds of CPU for a move of the game of this name."""
    seconds, moves = 0.0, 0
    for seed in range(_MATCHES):
        took, answered = _again(GAMES[name], seed)
        seconds, moves = seconds + took, moves + answered
    return seconds / moves * 1e6


def _again(game: Game, seed: int) -> tuple[float, int]:
    """Seconds of CPU for all answers of a match, and how many there were."""
    whole, secret = played(game, seed)
    first = next(at for at, record in enumerate(whole.records) if isinstance(record.entry, Played))
    answers = [record for record in whole.records[first:] if isinstance(record.entry, Played)]
    match = Match.project(None, whole.records[:first])
    assert match is not None, "a match begins before it is played"
    match.rest()  # as it lies at the gate
    said = [(Context(secret, one.entry.at, product()), one.entry.seat, one.picks or ()) for one in answers]
    began = time.process_time()
    for context, seat, picks in said:
        accept(match, match.play(context, seat, [picks]))
    took = time.process_time() - began
    assert match.roots == whole.roots[: match.move], "the same answers, the same match"
    return took, len(answers)
