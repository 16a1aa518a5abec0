"""How strong the levels of the bots are, and how long they think.

`easy` plays against `random`, and `hard` against `easy`.  By itself it plays a few matches of each game.
With --accept it plays as many as the claims need, some of each game in turn, which takes hours: stop it at
any time, and it goes on where it was stopped.  Its outcomes are kept in --results, by the agent,
which is the version of its code and its playouts; a changed one begins anew.  With --kept it plays none,
reports those that are kept, and records them with --record.

The floor of the times is the weaker level, in the same matches.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from _bench import QUICK, say

from api.bots.arena import Outcome, Pairing, pairings, standings
from api.bots.arena_results import Results, line_of, milliseconds, play_missing, processor_milliseconds
from api.bots.levels import EASY, HARD, RANDOM, agent_of, method_of, version_of
from api.bots.strengths import Strength, record
from domain.agents import AGENTS

Kind = tuple[str, str]  # a level and a game
SEED = "1"
FEW = 2 if QUICK else 6
FEWEST = 4  # matches of a strength that is recorded
IN_TURN = 4  # matches of a game before those of the next one
ACCEPTED = {  # matches of each game, by the level that is measured
    EASY: 400,  # the lower end of the interval is then above 0.95 from 97.5 % of points
    HARD: 200,  # above 0.70 from 77 %
}
AGAINST = {EASY: RANDOM, HARD: EASY}
RESULTS = Path.home() / ".cache" / "glasnost-bots"
QUICKEST = ("twilight_struggle",)  # the games of the quick run, in which only `easy` is measured


def main() -> None:
    """Play the matches of each level and game, then print their lines."""
    given = _arguments()
    games = given.games or (QUICKEST if QUICK else list(AGENTS))
    levels = given.levels or ((EASY,) if QUICK else tuple(AGAINST))
    kinds = [(level, game) for level in levels for game in games]
    results = {kind: Results(_file(given.results, *kind) if given.accept else None) for kind in kinds}
    wanted = {kind: _wanted(*kind, given) for kind in kinds}
    for kind, some in _in_turn(wanted) if not given.kept else ():
        for _ in play_missing(some, results[kind], given.workers):
            pass
    for level, game in kinds:
        known = results[level, game].outcomes
        outcomes = [known[pairing] for pairing in wanted[level, game] if pairing in known]
        if outcomes:
            _report(level, game, outcomes, whole=given.accept)
        if len(outcomes) >= FEWEST and given.record:
            record(_strength(level, game, outcomes))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure the bots.")
    parser.add_argument("games", nargs="*", choices=[*AGENTS, []])
    parser.add_argument("--levels", nargs="*", choices=list(AGAINST), help="the levels that are measured")
    parser.add_argument("--accept", action="store_true", help="as many matches as the claims need")
    parser.add_argument("--matches", type=int, default=0)
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--kept", action="store_true", help="play none, report those that are kept")
    parser.add_argument("--record", action="store_true", help="note the strengths in api/bots/strengths.json")
    return parser.parse_args()


def _wanted(level: str, game: str, given: argparse.Namespace) -> list[Pairing]:
    matches = given.matches or (ACCEPTED[level] if given.accept else FEW)
    return list(pairings(game, (level, AGAINST[level]), matches, SEED))


def _in_turn(wanted: dict[Kind, list[Pairing]]) -> Iterator[tuple[Kind, list[Pairing]]]:
    """Some matches of each kind, then some more of each."""
    for first in range(0, max(map(len, wanted.values())), IN_TURN):
        for kind, every in wanted.items():
            yield kind, every[first : first + IN_TURN]


def _file(folder: Path, level: str, game: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{game}-{agent_of(level, game).replace('/', '-')}-{SEED}.ndjson"


def _report(level: str, game: str, outcomes: list[Outcome], *, whole: bool) -> None:
    """The lines of one game; claims B1 and B2: the lower end of the interval above 95 % and above 70 %."""
    weaker = AGAINST[level]
    total, *seats = standings(outcomes, (level, weaker))
    ours, floor = milliseconds(outcomes, level), milliseconds(outcomes, weaker)
    action = processor_milliseconds(outcomes, level)
    decisions = sum(len(outcome.seconds[level]) for outcome in outcomes)
    actions = sum(len(outcome.processor[level]) for outcome in outcomes)
    times = (
        f"{ours['mean']:.2f} ms a decision (p99 {ours['p99']:.1f}, most {ours['most']:.1f} of {decisions});"
        f" CPU {action['mean']:.2f} ms an action (p99 {action['p99']:.1f}, most {action['most']:.1f}"
        f" of {actions}); floor: {weaker} {floor['mean']:.3f} ms a decision"
    )
    ratio = ours["mean"] / max(0.001, floor["mean"])
    say(
        f"{game}, agent {agent_of(level, game)}, seed {SEED}",
        f"{line_of(total)}; {times}, ratio {ratio:.0f}",
    )
    if whole:
        for row in (row for row in seats if row.matches):
            say(game, line_of(row))
        endings = sorted(total.endings.items(), key=lambda item: (-item[1], item[0]))
        say(f"{game}, endings", ", ".join(f"{count} {ending}" for ending, count in endings))


def _strength(level: str, game: str, outcomes: list[Outcome]) -> Strength:
    total, *seats = standings(outcomes, (level, AGAINST[level]))
    times, action = milliseconds(outcomes, level), processor_milliseconds(outcomes, level)
    return Strength(
        level,
        game,
        version_of(level, game),
        AGAINST[level],
        total.matches,
        total.points,
        round(total.interval[0], 6),
        round(total.interval[1], 6),
        times["mean"],
        times["p99"],
        SEED,
        dict(sorted(total.endings.items())),
        {row.seat: round(row.points / row.matches, 4) for row in seats},
        action["mean"],
        action["p99"],
        method_of(level, game).budget.playouts,
        agent_of(AGAINST[level], game),
    )


if __name__ == "__main__":
    main()
