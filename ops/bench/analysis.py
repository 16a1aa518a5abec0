"""How long the analysis of a match takes, with playouts and without (B24).

Processor time of one core, of a match of `easy` against itself.  The floor is the analysis with evaluation
alone: the win probability of every move, and luck.  `ops/win_probability.py check` says how good these are.
"""

from __future__ import annotations

import random
import time

from _bench import QUICK, say

from api.bots.opinion import opinion
from api.research.selfplay import Plan, played
from domain.agents import AGENTS
from domain.agents.spec import Budget
from domain.match import Match
from replay import matchfile

PLAYOUTS = 2 if QUICK else 64
GAMES = ("cia_vs_kgb",) if QUICK else tuple(AGENTS)
CLAIM = 60  # seconds, with 64 playouts
SEED = "b".rjust(64, "0")


def main() -> None:
    """Print one line for each game."""
    for game in GAMES:
        edition, options = AGENTS[game].game.settle(None, {})
        match = matchfile.read(played(Plan(game, edition, options, ("easy", "easy"), SEED, 1), 0)).match()
        floor, ours = _seconds(match, 0), _seconds(match, PLAYOUTS)
        say(
            f"analysis of {game}, {match.move} moves, {PLAYOUTS} playouts for each answer",
            f"{ours:.1f} s (claim: at most {CLAIM} s); floor: evaluation alone {floor:.1f} s,"
            f" ratio {ours / floor:.1f}",
        )


def _seconds(match: Match, playouts: int) -> float:
    began = time.process_time()
    for _ in opinion(match, Budget(playouts), random.Random(1)):
        pass
    return time.process_time() - began


if __name__ == "__main__":
    main()
