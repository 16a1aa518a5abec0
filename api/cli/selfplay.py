"""`glasnost selfplay`: many matches between bots, as match files with a manifest."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from api.cli.common import CannotBeDone, json_option, print_json, progress
from api.cli.games import edition_options, game_argument, game_named, must_be_levels, settled, show_warnings
from api.cli.play import MOST_MATCHES, Seed

if TYPE_CHECKING:
    from api.research.selfplay import Plan, PlayedFile

MOST_WORKERS = 64


@click.command()
@game_argument
@edition_options
@click.option("--bots", metavar="B,B", default="easy,easy", show_default=True, help="A level for each seat.")
@click.option("--matches", metavar="N", type=click.IntRange(1, MOST_MATCHES), default=100, show_default=True)
@click.option(
    "--seed",
    metavar="HEX",
    type=Seed(),
    default="1",
    show_default=True,
    help="1 to 64 hex digits; every match follows from it.",
)
@click.option(
    "--out",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    help="The folder for the match files and manifest.json.",
)
@click.option(
    "--workers",
    metavar="W",
    type=click.IntRange(1, MOST_WORKERS),
    default=1,
    show_default=True,
    help="How many processes play.",
)
@json_option
def selfplay(
    game: str,
    edition: str | None,
    option_words: Sequence[str],
    bots: str,
    matches: int,
    seed: str,
    out: Path,
    workers: int,
    as_json: bool,
) -> None:
    """Play matches of GAME between bots and write one match file each into a folder.

    The folder also gets manifest.json, which names every file with its hash, and the versions that played.
    If the command was stopped, the same command goes on; neither that nor the number of workers changes the
    files.

    \b
    Example:
      glasnost selfplay thirteen_minutes --matches 1000 --out games --workers 2
      glasnost selfplay twilight_struggle --bots easy,random --seed 2a --out games
    """
    found, levels = game_named(game), tuple(bots.split(","))
    must_be_levels(levels, found)
    if len(levels) != len(found.seats):
        raise CannotBeDone(f"--bots {bots}: name one level for each seat ({', '.join(found.seats)})")
    edition, options = settled(found, edition, option_words)
    show_warnings(options)
    from api.research.selfplay import Plan

    files = _played(Plan(game, edition, options, levels, seed, matches), out, workers)
    _print(files, out, as_json)


def _played(plan: Plan, out: Path, workers: int) -> list[PlayedFile]:
    from api.research.selfplay import BadFolder, run

    files: list[PlayedFile] = []
    try:
        out.mkdir(parents=True, exist_ok=True)
        with progress("selfplay", plan.matches) as advance:
            for file in run(plan, out, workers):
                files.append(file)
                advance(1, file.file)
    except BadFolder as error:
        raise CannotBeDone(str(error)) from error
    except OSError as error:
        raise CannotBeDone(f"--out {out}: {error.strerror or error}") from error
    return files


def _print(files: Sequence[PlayedFile], out: Path, as_json: bool) -> None:
    from collections import Counter

    from api.research.selfplay import MANIFEST
    from replay.sanitize import counted

    won = Counter(file.result.winner or "drawn" if file.result else "drawn" for file in files)
    moves = sum(file.moves for file in files)
    if as_json:
        print_json(
            {"matches": len(files), "moves": moves, "won": dict(sorted(won.items())), "folder": str(out)}
        )
        return
    shares = ", ".join(f"{name} {count}" for name, count in won.most_common())
    click.echo(
        f"{counted(len(files), 'match', 'matches')}, {moves} moves: {shares}; {out / MANIFEST} names them"
    )
