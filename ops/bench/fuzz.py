"""Random legal play on the kernel (claim: 25,000 answers/s; of the two Struggles 20,000 and 10,000).

The floor is folding the facts that it brings.
"""

from __future__ import annotations

import itertools

from _bench import LONG, QUICK, compared, long_name, rate, say, sees_last_turn

from api.cli.fuzz import Count, Match
from domain import kernel
from domain.game import Game
from domain.games import GAMES

MATCHES = 2 if QUICK else 40
CLAIMS = {"twilight_struggle": 20_000, "imperial_struggle": 10_000}
CLAIM = 25_000


def main() -> None:
    """One line for each game, and one for each long match."""
    for game in GAMES.values():
        _measure(game, game.name, [f"bench/{number}" for number in range(MATCHES)])
    for name in LONG:
        _measure(GAMES[name], long_name(name), [_long(GAMES[name])])


def _long(game: Game) -> str:
    """The seed of the first match that sees the last turn (in a quick run: of the first match)."""
    for number in itertools.count():
        match = Match(game, *game.settle(None, {}), f"bench/{number}")
        match.play(Count())
        if QUICK or sees_last_turn(game, match.table):
            return match.seed
    raise AssertionError("never reached")


def _measure(game: Game, name: str, seeds: list[str]) -> None:
    settled = game.settle(None, {})
    kept = [Match(game, *settled, seed, keep=True) for seed in seeds]
    count = Count()
    for match in kept:
        match.play(count)

    def ours_task() -> None:
        for seed in seeds:
            Match(game, *settled, seed).play(Count())

    def floor_task() -> None:
        for match in kept:
            kernel.fold(match.empty, match.facts)

    floor, ours = compared(floor_task, ours_task)
    say(
        f"fuzz, {name}",
        f"{rate(count.all / ours)} answers/s, {count.chance / count.all:.0%} of them by chance"
        f" (claim: {rate(CLAIMS.get(game.name, CLAIM))}); {rate(len(seeds) / ours)} matches/s,"
        f" {count.all / len(seeds):.0f} answers each; floor: fold alone {rate(count.all / floor)} answers/s;"
        f" ratio {ours / floor:.1f}",
    )


if __name__ == "__main__":
    main()
