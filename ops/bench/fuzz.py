"""Random legal play on the kernel (claim: 25,000 answers/s), against folding the facts that it brings."""

from __future__ import annotations

from _bench import QUICK, compared, rate, say

from api.cli.random_play import Count, Match
from domain import kernel
from domain.game import Game
from domain.games import GAMES

MATCHES = 2 if QUICK else 40


def main() -> None:
    """One line for each game."""
    for game in GAMES.values():
        _measure(game)


def _measure(game: Game) -> None:
    settled = game.settle(None, {})
    kept = [Match(game, *settled, f"bench/{number}", keep=True) for number in range(MATCHES)]
    count = Count()
    for match in kept:
        match.play(count)

    def ours_task() -> None:
        for number in range(MATCHES):
            Match(game, *settled, f"bench/{number}").play(Count())

    def floor_task() -> None:
        for match in kept:
            kernel.fold(match.empty, match.facts)

    floor, ours = compared(floor_task, ours_task)
    say(
        f"fuzz, {game.name}",
        f"{rate(count.all / ours)} answers/s, {count.chance / count.all:.0%} of them by chance"
        f" (claim: 25,000); floor: fold alone {rate(count.all / floor)} answers/s; ratio {ours / floor:.1f}",
    )


if __name__ == "__main__":
    main()
