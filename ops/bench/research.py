"""Steps of the environment for people who train agents: arrays and masks of random matches (B16).

Processor time of one core.  The floor is bare random play on the kernel, in answers of seats: what a step
costs without a fold for its seat, without arrays and with dice that prove nothing.  If GLASNOST_OPEN_SPIEL
names a Python that has open_spiel, its gin rummy is measured in the same run, in the same way.
"""

from __future__ import annotations

import os
import random
import subprocess
import time
from collections.abc import Callable, Sequence

from _bench import QUICK, rate, say

from api.cli.fuzz import Count, Match
from api.research import aec
from domain.game import Game
from domain.games import GAMES

AIMS = {
    "thirteen_minutes": 8_000,
    "cia_vs_kgb": 8_000,
    "twilight_struggle": 4_000,
    "imperial_struggle": 2_000,
}
SHARE = 0.4  # of bare random play
TURNS = 1 if QUICK else 12  # of floor and environment, so that a busy moment slows both
MATCHES = {
    "thirteen_minutes": 200,
    "cia_vs_kgb": 25,
    "twilight_struggle": 25,
    "imperial_struggle": 6,
}  # of each

GIN_RUMMY = """
import random, time, pyspiel
import numpy as np
game, luck = pyspiel.load_game("gin_rummy"), random.Random(1)
best = 0.0
for _ in range(8):
    steps, began = 0, time.process_time()
    for _ in range(200):
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                actions = state.chance_outcomes()
                state.apply_action(actions[int(luck.random() * len(actions))][0])
                continue
            seen = np.asarray(state.observation_tensor(), np.float32)
            legal = state.legal_actions()
            state.apply_action(legal[int(luck.random() * len(legal))])
            steps += 1
    best = max(best, steps / (time.process_time() - began))
print(best)
"""


def main() -> None:
    """One line for each game, and one of gin rummy if it can be had."""
    for name, game in GAMES.items():
        floors, ours = zip(*(_turn(game, number) for number in range(TURNS)), strict=True)
        floor, steps = max(floors), max(ours)
        say(
            f"research, {name}",
            f"{rate(steps)} agent steps/s, arrays and masks included (claim: {rate(AIMS[name])});"
            f" floor: bare random play {rate(floor)} answers of seats/s;"
            f" ratio {floor / steps:.1f}, which is {steps / floor:.0%} (claim: {SHARE:.0%})",
        )
    if python := os.environ.get("GLASNOST_OPEN_SPIEL"):
        found = subprocess.run([python, "-c", GIN_RUMMY], capture_output=True, text=True, check=True)
        say("research, gin rummy of OpenSpiel", f"{rate(float(found.stdout))} agent steps/s, arrays included")


def _turn(game: Game, number: int) -> tuple[float, float]:
    """Rates of one turn of each: bare answers and steps of the environment, a second of processor time."""
    count = 1 if QUICK else MATCHES[game.name]
    seeds = range(count * number, count * (number + 1))
    return _rate(lambda: _bare(game, seeds)), _rate(lambda: _steps(game.name, seeds))


def _rate(task: Callable[[], int]) -> float:
    began = time.process_time()
    done = task()
    return done / (time.process_time() - began)


def _bare(game: Game, seeds: Sequence[int]) -> int:
    """Play random matches on the kernel; gives the answers of seats."""
    count, settled = Count(), game.settle(None, {})
    for seed in seeds:
        Match(game, *settled, f"bench/{seed}").play(count)
    return count.seats


def _steps(name: str, seeds: Sequence[int]) -> int:
    """Play random matches in the environment, as its users do; gives the steps."""
    env, luck, steps = aec.env(name), random.Random(1), 0
    for seed in seeds:
        env.reset(seed=seed)
        for _ in env.agent_iter():
            observation, _, terminated, _, _ = env.last()
            if terminated:
                break
            legal = observation["action_mask"].nonzero()[0]
            env.step(int(legal[int(luck.random() * len(legal))]))
            steps += 1
    return steps


if __name__ == "__main__":
    main()
