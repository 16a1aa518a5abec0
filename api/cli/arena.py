"""`glasnost arena`: how strong the levels of the bots are, measured by matches against one another."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from api.cli.common import CannotBeDone, json_option, print_json, progress
from api.cli.games import game_argument, game_named, must_be_levels

if TYPE_CHECKING:
    from api.bots.arena import Outcome, Pairing, Standing

MOST_MATCHES = 100_000


@click.command()
@game_argument
@click.option(
    "--bots", metavar="B,B", default="easy,random", show_default=True, help="The levels to compare."
)
@click.option(
    "--matches",
    metavar="N",
    type=click.IntRange(2, MOST_MATCHES),
    default=40,
    show_default=True,
    help="Matches of every two levels, half of them with the seats changed.",
)
@click.option("--seed", metavar="S", default="1", show_default=True, help="Any text; it decides every match.")
@click.option("--workers", metavar="W", type=click.IntRange(1, 64), default=1, show_default=True)
@click.option(
    "--kept",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Note every match in this file; started again, the command goes on with those that are missing.",
)
@json_option
def arena(
    game: str, bots: str, matches: int, seed: str, workers: int, kept: Path | None, as_json: bool
) -> None:
    """Let the bots of GAME play one another, and print wins with their 95 % Wilson intervals.

    Every two levels play each seed twice, with the seats changed.  The number of workers, and the order in
    which the matches end, change nothing in the table but its times.

    \b
    Example:
      glasnost arena thirteen_minutes --matches 20
      glasnost arena twilight_struggle --bots easy,random --matches 400 --workers 2 --kept arena.ndjson
    """
    from api.bots.arena import pairings

    found, levels = game_named(game), bots.split(",")
    must_be_levels(levels, found)
    if len(set(levels)) < 2:
        raise CannotBeDone(f"--bots {bots}: name at least two levels, such as easy,random")
    wanted = list(pairings(game, levels, matches, seed))
    outcomes = _all(wanted, workers, kept)
    (_print_json if as_json else _print)(outcomes, levels)


def _all(wanted: Sequence[Pairing], workers: int, kept: Path | None) -> list[Outcome]:
    """The outcomes of all matches; those that the file holds are not played again."""
    from api.bots.arena_results import BadResults, Results, play_missing

    try:
        results = Results(kept)
        with progress("arena", len(wanted)) as advance:
            advance(sum(pairing in results.outcomes for pairing in wanted))
            for _ in play_missing(wanted, results, workers):
                advance(1)
    except (BadResults, OSError) as error:
        raise CannotBeDone(f"--kept: {error}") from error
    return [results.outcomes[pairing] for pairing in wanted]


def _print(outcomes: Sequence[Outcome], levels: Sequence[str]) -> None:
    from api.bots.arena import standings
    from api.bots.arena_results import answers_a_second, line_of, milliseconds

    for row in standings(outcomes, levels):
        click.echo(line_of(row))
        for ending, count in sorted(row.endings.items()) if not row.seat else ():
            click.echo(f"    {count} {ending}")
    for level in dict.fromkeys(levels):
        found = milliseconds(outcomes, level)
        mean, p99, most = found["mean"], found["p99"], found["most"]
        click.echo(f"{level}: {mean:.1f} ms a decision, p99 {p99:.1f}, most {most:.1f}")
    answers = sum(outcome.answers for outcome in outcomes)
    click.echo(f"{answers} answers, {answers_a_second(outcomes):.1f} answers a second of thinking")


def _print_json(outcomes: Sequence[Outcome], levels: Sequence[str]) -> None:
    from api.bots.arena import standings
    from api.bots.arena_results import answers_a_second, milliseconds

    times = {level: milliseconds(outcomes, level) for level in dict.fromkeys(levels)}
    print_json(
        {
            "standings": [_plain(row) for row in standings(outcomes, levels)],
            "milliseconds": times,
            "answers": sum(outcome.answers for outcome in outcomes),
            "answers_a_second": answers_a_second(outcomes),
        }
    )


def _plain(row: Standing) -> dict[str, Any]:
    low, high = row.interval
    return {**msgspec.to_builtins(row), "points": row.points, "low": round(low, 4), "high": round(high, 4)}
