"""Train an agent for 13 Minutes with numpy alone, and say how it fares (docs/research.md).

    nice ./.venv/bin/python ops/learn.py --minutes 30 --out agent.npz

A network with one hidden layer gives the chances of all actions and what the match is worth.  Matches are
played side by side, half of them against itself and half against random actions; then the network follows
what won (proximal policy optimization: Schulman et al., 2017).  At the end it plays seeds that it never saw,
every seed on both seats.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from api.bots.arena import wilson
from api.bots.levels import act
from api.research.episode import Setting
from api.research.state import State

Floats = NDArray[np.float32]
GAME = "thirteen_minutes"
HIDDEN = 128
SIDE_BY_SIDE = 64  # matches of one round
EPOCHS, BATCH = 4, 512
CLIP, ENTROPY, RATE = 0.2, 0.01, 1e-3
FAR = 0.95  # how far a gain is traced back: lambda of generalized advantage estimation
NEVER_SEEN = 1 << 64  # seeds of the matches that measure begin here


class Network:
    """What the agent has learnt: weights by name, with the moments of Adam."""

    def __init__(self, numbers: int, actions: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        sizes = {"w": (numbers, HIDDEN), "b": (HIDDEN,), "p": (HIDDEN, actions), "q": (actions,)}
        sizes |= {"v": (HIDDEN, 1), "u": (1,)}
        self.weights: dict[str, Floats] = {
            name: (
                rng.standard_normal(size) * 0.7 / size[0] ** 0.5 if len(size) > 1 else np.zeros(size)
            ).astype(np.float32)
            for name, size in sizes.items()
        }
        self._means = {name: np.zeros_like(weight) for name, weight in self.weights.items()}
        self._squares = {name: np.zeros_like(weight) for name, weight in self.weights.items()}
        self._updates = 0

    def forward(self, seen: Floats, masks: NDArray[np.int8]) -> tuple[Floats, Floats, Floats]:
        """The hidden layer, the chances of all actions, and the values, for n observations."""
        w = self.weights
        hidden = np.maximum(seen @ w["w"] + w["b"], 0)
        scores = np.where(masks != 0, hidden @ w["p"] + w["q"], np.float32(-1e9))
        chances = np.exp(scores - scores.max(1, keepdims=True))
        chances /= chances.sum(1, keepdims=True)
        return hidden, chances, (hidden @ w["v"] + w["u"])[:, 0]

    def learn(self, batch: Batch) -> None:
        """One step of Adam toward what won."""
        hidden, chances, values = self.forward(batch.seen, batch.masks)
        rows, n = np.arange(len(values)), np.float32(len(values))
        ratio = chances[rows, batch.actions] / batch.chances
        clipped = np.where(batch.gains > 0, ratio > 1 + CLIP, ratio < 1 - CLIP)
        pull = np.where(clipped, 0, batch.gains * ratio)[:, None]
        logs = np.log(np.maximum(chances, 1e-12))
        scores = chances * pull + ENTROPY * chances * (logs - (chances * logs).sum(1, keepdims=True))
        scores[rows, batch.actions] -= pull[:, 0]
        errors: Floats = (values - batch.returns)[:, None]
        back = (scores @ self.weights["p"].T + errors @ self.weights["v"].T) * (hidden > 0)
        self._step(
            {
                "w": batch.seen.T @ back / n,
                "b": back.mean(0),
                "p": hidden.T @ scores / n,
                "q": scores.mean(0),
                "v": hidden.T @ errors / n,
                "u": errors.mean(0),
            }
        )

    def _step(self, gradients: dict[str, Floats]) -> None:
        self._updates += 1
        first, second = 1 - 0.9**self._updates, 1 - 0.999**self._updates
        for name, gradient in gradients.items():
            self._means[name] += 0.1 * (gradient - self._means[name])
            self._squares[name] += 0.001 * (gradient**2 - self._squares[name])
            scale = np.sqrt(self._squares[name] / second) + 1e-8
            self.weights[name] -= (RATE / first * self._means[name] / scale).astype(np.float32)


class Batch:
    """n decisions: what was seen and allowed, what was done with which chance, and what came of it."""

    def __init__(
        self, seen: Floats, masks: NDArray[np.int8], actions: NDArray[np.int64], chances: Floats
    ) -> None:
        self.seen, self.masks, self.actions, self.chances = seen, masks, actions, chances
        self.returns: Floats = np.zeros(len(actions), np.float32)
        self.gains: Floats = self.returns

    def part(self, rows: NDArray[np.int64]) -> Batch:
        """Some of these decisions."""
        part = Batch(self.seen[rows], self.masks[rows], self.actions[rows], self.chances[rows])
        part.returns, part.gains = self.returns[rows], self.gains[rows]
        return part


def looked(states: list[State]) -> tuple[Floats, NDArray[np.int8]]:
    """What the acting seats see, and what they may do."""
    size, actions = states[0].observation_size, states[0].num_actions
    seen = np.zeros((len(states), size), np.float32)
    masks = np.zeros((len(states), actions), np.int8)
    for row, state in enumerate(states):
        state.observation_tensor(state.current_player(), seen[row])
        masks[row, state.legal_actions()] = 1
    return seen, masks


def chosen(chances: Floats, rng: np.random.Generator) -> NDArray[np.int64]:
    """An action of each row, by its chances."""
    sums = chances.cumsum(1)
    picked: NDArray[np.int64] = (sums < rng.random((len(sums), 1)) * sums[:, -1:]).sum(1)
    return picked


def played(network: Network, states: list[State], rng: np.random.Generator, luck: random.Random) -> Batch:
    """Play these matches to their ends; gives the decisions of the network.

    In every second match one seat acts at random; its decisions teach nothing.
    """
    at_random = [states[n].players[n // 2 % 2] if n % 2 else "" for n in range(len(states))]
    rows: list[tuple[int, str]] = []
    parts: list[tuple[Floats, NDArray[np.int8], NDArray[np.int64], Floats]] = []
    running = list(range(len(states)))
    while running:
        own = [n for n in running if states[n].current_player() != at_random[n]]
        for n in set(running) - set(own):
            states[n].apply_action(luck.choice(states[n].legal_actions()))
        if own:
            seen, masks = looked([states[n] for n in own])
            chances = network.forward(seen, masks)[1]
            actions = chosen(chances, rng)
            parts.append((seen, masks, actions, chances[np.arange(len(own)), actions]))
            rows += [(n, states[n].current_player()) for n in own]
            for n, action in zip(own, actions, strict=True):
                states[n].apply_action(int(action))
        running = [n for n in running if not states[n].is_terminal()]
    batch = Batch(*(np.concatenate(part) for part in zip(*parts, strict=True)))
    trace(batch, network.forward(batch.seen, batch.masks)[2], rows, [state.returns() for state in states])
    return batch


def trace(batch: Batch, values: Floats, rows: list[tuple[int, str]], ends: list[dict[str, float]]) -> None:
    """Note what came of each decision: from the end of its match backwards, as its seat saw it coming."""
    after: dict[tuple[int, str], tuple[float, float]] = {}
    for row in reversed(range(len(rows))):
        n, seat = rows[row]
        value, gain = after.get(rows[row], (ends[n][seat], 0.0))
        batch.gains[row] = gain = value - values[row] + FAR * gain
        after[rows[row]] = float(values[row]), gain
    batch.returns = batch.gains + values
    batch.gains = (batch.gains - batch.gains.mean()) / (batch.gains.std() + 1e-6)


def training(network: Network, setting: Setting, seed: int) -> Iterator[int]:
    """Train round by round; gives the number of matches so far."""
    rng, luck = np.random.default_rng(seed), random.Random(seed)
    for number in count():
        seeds = range(number * SIDE_BY_SIDE, (number + 1) * SIDE_BY_SIDE)
        batch = played(network, [State.of(setting, one) for one in seeds], rng, luck)
        for _ in range(EPOCHS):
            order = rng.permutation(len(batch.actions))
            for start in range(0, len(order), BATCH):
                network.learn(batch.part(order[start : start + BATCH]))
        yield seeds.stop


def measured(network: Network, setting: Setting, matches: int, other: Callable[[State], None]) -> float:
    """The points of the network in so many matches, each seed on both seats; a draw counts a half."""
    points = 0.0
    for number in range(matches):
        state = State.of(setting, NEVER_SEEN + number // 2)
        own = state.players[number % 2]
        while not state.is_terminal():
            if state.current_player() == own:
                chances = network.forward(*looked([state]))[1]
                state.apply_action(int(chances[0].argmax()))
            else:
                other(state)
        points += (state.returns()[own] + 1) / 2
    return points


def at_random(seed: int) -> Callable[[State], None]:
    """An opponent that takes any legal action."""
    luck = random.Random(seed)
    return lambda state: state.apply_action(luck.choice(state.legal_actions()))


def of_level(level: str, seed: int) -> Callable[[State], None]:
    """An opponent of the server's own."""
    luck = random.Random(seed)

    def answer(state: State) -> None:
        seat = state.current_player()
        state.answer(act(level, state.observation(seat), luck))

    return answer


def report(network: Network, setting: Setting, level: str, matches: int) -> None:
    """Print how the network fares against a level of the server."""
    other = at_random(1) if level == "random" else of_level(level, 1)
    points = measured(network, setting, matches, other)
    low, high = wilson(points, matches)
    sys.stdout.write(f"against {level}: {points} of {matches}, 95 % interval {low:.3f} to {high:.3f}\n")
    sys.stdout.flush()


def main() -> None:
    """Train for some minutes, then measure."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument(
        "--matches", type=int, default=400, help="matches that measure, against each opponent"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--easy", type=int, default=100, help="the same against easy, which is slow")
    parser.add_argument("--out", type=Path, help="write the weights here")
    given = parser.parse_args()
    setting = Setting(GAME, "", {})
    network = Network(setting.encoding.size, setting.actions.size, given.seed)
    began = told = time.monotonic()
    for matches in training(network, setting, given.seed):
        now = time.monotonic()
        if now - told > 60 or now - began > 60 * given.minutes:
            told = now
            if given.out:
                np.savez(given.out, allow_pickle=False, **network.weights)
            worked = f"{(now - began) / 60:.0f} minutes ({time.process_time() / 60:.1f} of one core)"
            sys.stdout.write(f"{worked}, {matches} matches; ")
            report(network, setting, "random", min(100, given.matches))
        if now - began > 60 * given.minutes:
            break
    for level, count_of in (("random", given.matches), ("easy", given.easy)):
        report(network, setting, level, count_of)


if __name__ == "__main__":
    main()
