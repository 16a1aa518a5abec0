"""How strong the levels of the bots are, and how long they think.

By itself it plays a few matches of each game.  With --accept it plays as many as the claims need, which takes
hours: stop it at any time, and it goes on where it was stopped.  Its outcomes are kept in --results, by the
version of the agent; a changed agent begins anew.

The floor of the times is `random`, in the same matches.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from _bench import QUICK, say

from api.bots.arena import Outcome, pairings, standings
from api.bots.arena_results import Results, line_of, milliseconds, play_missing
from api.bots.levels import EASY, RANDOM
from api.bots.strengths import Strength, record
from domain.agents import AGENTS

SEED = "1"
FEW = 2 if QUICK else 6
ACCEPTED = 400  # matches of each game: the lower end of the interval is then above 0.95 from 97.5 % of points
RESULTS = Path.home() / ".cache" / "glasnost-bots"
QUICKEST = ("twilight_struggle",)  # the games of the quick run


def main() -> None:
    """Play the matches of each game, then print its lines."""
    given = _arguments()
    games = given.games or (QUICKEST if QUICK else list(AGENTS))
    for game in games:
        version = AGENTS[game].version
        results = Results(_file(given.results, game, version) if given.accept else None)
        wanted = list(
            pairings(game, (EASY, RANDOM), given.matches or (ACCEPTED if given.accept else FEW), SEED)
        )
        for _ in play_missing(wanted, results, given.workers):
            pass
        outcomes = [results.outcomes[pairing] for pairing in wanted]
        _report(game, version, outcomes, whole=given.accept)
        if given.record:
            record(_strength(game, version, outcomes))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure the bots.")
    parser.add_argument("games", nargs="*", choices=[*AGENTS, []])
    parser.add_argument("--accept", action="store_true", help="as many matches as the claims need")
    parser.add_argument("--matches", type=int, default=0)
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--record", action="store_true", help="note the strengths in api/bots/strengths.json")
    return parser.parse_args()


def _file(folder: Path, game: str, version: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{game}-{version}-{SEED}.ndjson"


def _report(game: str, version: str, outcomes: list[Outcome], *, whole: bool) -> None:
    """The lines of one game; claim B1: the lower end of the interval above 95 %."""
    total, *seats = standings(outcomes, (EASY, RANDOM))
    ours, floor = milliseconds(outcomes, EASY), milliseconds(outcomes, RANDOM)
    times = (
        f"{ours['mean']:.2f} ms a decision (p99 {ours['p99']:.1f}); floor: {RANDOM} {floor['mean']:.3f} ms"
    )
    ratio = ours["mean"] / max(0.001, floor["mean"])
    say(f"{game}, agent {version}, seed {SEED}", f"{line_of(total)}; {times}, ratio {ratio:.0f}")
    if whole:
        for row in seats:
            say(game, line_of(row))
        endings = sorted(total.endings.items(), key=lambda item: (-item[1], item[0]))
        say(f"{game}, endings", ", ".join(f"{count} {ending}" for ending, count in endings))


def _strength(game: str, version: str, outcomes: list[Outcome]) -> Strength:
    total, *seats = standings(outcomes, (EASY, RANDOM))
    times = milliseconds(outcomes, EASY)
    return Strength(
        EASY,
        game,
        version,
        RANDOM,
        total.matches,
        total.points,
        round(total.interval[0], 6),
        round(total.interval[1], 6),
        times["mean"],
        times["p99"],
        SEED,
        dict(sorted(total.endings.items())),
        {row.seat: round(row.points / row.matches, 4) for row in seats},
    )


if __name__ == "__main__":
    main()
