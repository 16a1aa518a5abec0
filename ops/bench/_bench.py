"""What the benchmarks share: matches to measure with, timing, and the one line per claim.

Every floor is measured in the same run as what stands beside it, so that a slow machine slows both.
"""

from __future__ import annotations

import gc
import hashlib
import itertools
import os
import random
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from api.gate.bots import RandomBot
from api.settings import product
from domain.chance import Secret
from domain.drafts import Context, Draft
from domain.game import Game
from domain.games import GAMES
from domain.match import Match, open_match

QUICK = os.environ.get("GLASNOST_BENCH") == "quick"  # only check that everything runs: the tests do so
SECONDS = 0.02 if QUICK else 3.0  # for one claim
LEAST = 1 if QUICK else 3  # times that a task is carried out for it
MOST = 40 if QUICK else None  # answers of a match; then a seat resigns
LONG = {"twilight_struggle": 10, "imperial_struggle": 6}  # turns of a whole match, which is measured, too
PLAYER = "pabcdefghijklmnop"  # the player of every seat
START = 1_790_000_000_000_000  # microseconds UTC: the time of the first move


def compared(floor: Callable[[], object], ours: Callable[[], object]) -> tuple[float, float]:
    """Return the shortest times of two tasks in seconds, run in turn, so that a busy moment slows both."""
    gc.collect()
    gc.freeze()  # the collector need not scan the benchmark's own objects
    floors: list[float] = []
    times: list[float] = []
    while len(times) < LEAST or sum(times) + sum(floors) < SECONDS:
        floors.append(seconds(floor))
        times.append(seconds(ours))
    return min(floors), min(times)


def milliseconds(times: Sequence[float], share: float) -> float:
    """The time in ms that this share of all times (in seconds) does not exceed: 0.99 gives the p99."""
    return sorted(times)[min(len(times) - 1, int(len(times) * share))] * 1000


def percentiles(times: Sequence[float]) -> str:
    """The median and the p99."""
    return f"p50 {milliseconds(times, 0.5):.2f} ms, p99 {milliseconds(times, 0.99):.2f} ms"


def ratios(ours: Sequence[float], floor: Sequence[float]) -> str:
    """The ratios to the floor: of the medians and of the p99s."""
    return " and ".join(
        f"{milliseconds(ours, share) / milliseconds(floor, share):.1f}" for share in (0.5, 0.99)
    )


def seconds(task: Callable[[], object]) -> float:
    """Return how long a task takes, in seconds."""
    began = time.perf_counter()
    task()
    return time.perf_counter() - began


def say(claim: str, text: str) -> None:
    """Print the line of a claim."""
    sys.stdout.write(f"{claim}: {text}\n")
    sys.stdout.flush()


def rate(value: float) -> str:
    """Return a rate as text."""
    return f"{value:,.0f}"


def played(game: Game, seed: int) -> tuple[Match, Secret]:
    """Return a whole match between random bots, as the gate would record it live, and its secret."""
    name = f"m{hashlib.sha256(f'{game.name} {seed}'.encode()).hexdigest()[:16]}"
    secret = Secret(hashlib.sha256(f"bench {seed}".encode()).digest(), name)
    bot, now = RandomBot(random.Random(seed)), START

    def context() -> Context:
        nonlocal now
        now += 7_654_321
        return Context(secret, now, product())

    opening = open_match(context(), game, *game.settle(None, {}), match=name, origin="bots", opener=PLAYER)
    match = Match(opening.records[0].entry)
    match.accept(opening.records[0])
    for seat in game.seats:
        accept(match, match.sit(context(), seat, PLAYER, salt=None, bot="", source=None))
    answers = 0
    while match.status == "running":
        assert match.asked is not None
        if answers == MOST:
            accept(match, match.resign(context(), game.seats[0]))
            break
        answers += 1
        seat = next(iter(match.asked.seats))
        standing = match.prompt(seat)
        assert standing is not None
        accept(match, match.play(context(), seat, [bot.answer(standing[1])]))
    return match, secret


def many(matches: int) -> dict[str, list[tuple[Match, Secret]]]:
    """Return so many matches of each game, by its name; and one long match of some games, by its own name.

    Random play of Twilight Struggle mostly starts a nuclear war long before the tenth turn, so a match is
    searched that reaches it; and so is a match of Imperial Struggle that reaches the sixth.
    """
    found = {
        name: [played(game, seed) for seed in range(1 if QUICK else matches)] for name, game in GAMES.items()
    }
    for name in LONG:
        found[long_name(name)] = found[name][:1] if QUICK else [long_match(GAMES[name])]
    return found


def long_name(game: str) -> str:
    """Return the name for the line of a long match."""
    return f"{game}, {LONG[game]} turns"


def long_match(game: Game) -> tuple[Match, Secret]:
    """Return the first match that reaches the last turn (in a quick run: the first match)."""
    for seed in itertools.count():
        match, secret = played(game, seed)
        if QUICK or sees_last_turn(game, match.positions[-1].table):
            return match, secret
    raise AssertionError("never reached")


def sees_last_turn(game: Game, table: Any) -> bool:
    """Does a match last until the last turn of its game?"""
    return bool(table.turn == LONG[game.name])


def length(matches: Sequence[tuple[Match, Secret]]) -> str:
    """Return the average length of these matches, as text."""
    return f"{sum(match.move for match, _ in matches) / len(matches):.0f} moves each"


def accept(match: Match, draft: Draft) -> None:
    """Add the records of a draft to the match, as the gate does after the commit."""
    match.add(draft)
