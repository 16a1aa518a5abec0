"""`glasnost arena`: how strong the levels of the bots are, measured by matches against one another."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
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
    _print(outcomes, levels, as_json)


def _all(wanted: Sequence[Pairing], workers: int, kept: Path | None) -> list[Outcome]:
    """The outcomes of all matches; those that the file holds are not played again."""
    known = {outcome.pairing: outcome for outcome in _read(kept)}
    missing = [pairing for pairing in wanted if pairing not in known]
    with progress("arena", len(wanted)) as advance:
        advance(len(wanted) - len(missing))
        for outcome in _played(missing, workers):
            known[outcome.pairing] = outcome
            _keep(kept, outcome)
            advance(1)
    return [known[pairing] for pairing in wanted]


def _read(kept: Path | None) -> list[Outcome]:
    """The matches of a file; a last line that was cut short is left out."""
    from api.bots.arena import Outcome

    if kept is None or not kept.exists():
        return []
    lines = kept.read_bytes().split(b"\n")
    try:
        return [msgspec.json.decode(line, type=Outcome) for line in lines[:-1] if line]
    except msgspec.DecodeError as error:
        raise CannotBeDone(f"{kept}: this file holds no matches of the arena: {error}") from error


def _keep(kept: Path | None, outcome: Outcome) -> None:
    if kept is None:
        return
    try:
        whole = kept.read_bytes() if kept.exists() else b""
        if whole and not whole.endswith(b"\n"):  # the line at which the command was stopped
            kept.write_bytes(whole[: whole.rfind(b"\n") + 1])
        with kept.open("ab") as file:
            file.write(msgspec.json.encode(outcome) + b"\n")
    except OSError as error:
        raise CannotBeDone(f"{kept}: {error.strerror or error}") from error


def _played(pairings: Sequence[Pairing], workers: int) -> Iterator[Outcome]:
    from api.bots.arena import outcome_of

    if workers == 1:
        yield from map(outcome_of, pairings)
        return
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        try:
            for done in as_completed([pool.submit(outcome_of, pairing) for pairing in pairings]):
                yield done.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _print(outcomes: Sequence[Outcome], levels: Sequence[str], as_json: bool) -> None:
    from api.bots.arena import standings

    rows = standings(outcomes, levels)
    for row in [] if as_json else rows:
        click.echo(_line(row))
        for ending, count in sorted(row.endings.items()) if not row.seat else ():
            click.echo(f"    {count} {ending}")
    times = {level: _times(outcomes, level) for level in dict.fromkeys(levels)}
    for level, found in {} if as_json else times.items():
        click.echo(
            f"{level}: {found['mean']:.1f} ms a decision, p99 {found['p99']:.1f}, most {found['most']:.1f}"
        )
    if as_json:
        print_json({"standings": [_plain(row) for row in rows], "milliseconds": times})


def _line(row: Standing) -> str:
    low, high = row.interval
    seat = f" as {row.seat}" if row.seat else ""
    score = f"{row.wins} won, {row.draws} drawn, {row.losses} lost of {row.matches}"
    share = f"{100 * row.points / row.matches:.1f} % ({100 * low:.1f} to {100 * high:.1f})"
    return f"{row.level} against {row.against}{seat}: {score}: {share}"


def _plain(row: Standing) -> dict[str, Any]:
    low, high = row.interval
    return {**msgspec.to_builtins(row), "points": row.points, "low": round(low, 4), "high": round(high, 4)}


def _times(outcomes: Sequence[Outcome], level: str) -> dict[str, float]:
    """Milliseconds of the decisions of a level: mean, p99 and most."""
    times = sorted(1000 * one for outcome in outcomes for one in outcome.seconds.get(level, ()))
    if not times:
        return {"mean": 0.0, "p99": 0.0, "most": 0.0}
    p99 = times[min(len(times) - 1, len(times) * 99 // 100)]
    return {"mean": round(sum(times) / len(times), 3), "p99": round(p99, 3), "most": round(times[-1], 3)}
