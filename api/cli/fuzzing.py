"""`glasnost fuzz`: random legal play, looking for errors in the rules."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from api.cli.common import FoundWrong, json_option, print_json, progress
from api.cli.games import edition_options, game_argument, game_named, settled

if TYPE_CHECKING:
    from api.cli.random_play import Count
    from domain.game import Game, Options

CHECKED = 16  # every so many matches one is folded again and encoded: it costs as much as playing it


@click.command()
@game_argument
@click.option("--matches", metavar="N", type=click.IntRange(1), default=1000, show_default=True)
@click.option("--seed", metavar="S", default="1", show_default=True, help="Any text; it decides every match.")
@click.option("--vary", is_flag=True, help="Draw each match's options at random, save those given.")
@edition_options
@click.option(
    "--leave",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, writable=True, path_type=Path),
    default=".",
    help="Where a failure leaves its match file; default: here.",
)
@json_option
def fuzz(
    game: str,
    matches: int,
    seed: str,
    vary: bool,
    edition: str | None,
    given: Sequence[str],
    leave: Path,
    as_json: bool,
) -> None:
    """Play random legal matches of GAME, and report answers per second.

    A failure is played again into a match file (what happened until then) and a script (its last answer is
    the one that failed), and ends the run with exit code 1.

    \b
    Example:
      glasnost fuzz cia_vs_kgb --matches 1000 --seed 7
      glasnost fuzz thirteen_minutes --vary
    """
    from api.cli.random_play import Count

    found = game_named(game)
    settled(found, edition, given)
    count, began = Count(), time.perf_counter()
    with progress(f"fuzz {game}", matches) as advance:
        for number in range(1, matches + 1):
            options = settled(
                found, edition, [*given, *(_varied(found, seed, number, given) if vary else ())]
            )
            _one(found, *options, f"{seed}/{number}", number % CHECKED == 1, count, leave)
            advance(1, f"{count.all / (time.perf_counter() - began):,.0f} answers/s")
    _report(game, matches, seed, count, time.perf_counter() - began, as_json)


def _varied(game: Game, seed: str, number: int, given: Sequence[str]) -> list[str]:
    """Options at random, as they are typed, for those that were not given."""
    from api.cli.games import typed
    from api.cli.random_play import random_options

    value = random_options(game, f"{seed}/{number}")
    fixed = {word.partition("=")[0] for word in given}
    return [f"{o.name}={typed(value(o.name))}" for o in game.options if o.name not in fixed]


def _one(
    game: Game, edition: str, options: Options, seed: str, checked: bool, count: Count, leave: Path
) -> None:
    from api.cli.random_play import Match, check

    match = Match(game, edition, options, seed, keep=checked)
    try:
        match.play(count)
        if checked:
            check(match)
    except Exception as error:
        left = _leave(game, edition, options, seed, leave)
        reason = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise FoundWrong(f"match {seed}: {reason}; {left}") from error


def _leave(game: Game, edition: str, options: Options, seed: str, folder: Path) -> str:
    """Play the failing match again, and write down what happened; gives the words that say where."""
    from api.cli.random_play import Count, Match
    from replay.recorded import content_of

    match = Match(game, edition, options, seed, keep=True)
    try:
        match.play(Count())
    except Exception:
        failed = f"answer {len(match.answers)}"
    else:
        failed = "the check at the end"
    script = content_of(game.name, edition, options, match.answers)
    path = folder / f"fuzz-{game.name}-{re.sub('[^0-9A-Za-z]+', '-', seed)[:40]}.glasnost"
    path.with_suffix(".json").write_bytes(script)
    path.write_bytes(_match_file(game, edition, options, script, match.answers))
    return f"{failed} failed; it is left in {path}, and as a script in {path.with_suffix('.json')}"


def _match_file(game: Game, edition: str, options: Options, script: bytes, answers: Sequence[Any]) -> bytes:
    from api.cli.files import SeededKeys, match_file, note_by
    from api.settings import product
    from replay.recorded import RecordedMatch

    scripted = RecordedMatch(game, edition, options, script, product())
    try:
        scripted.begin()
        for answer in answers:
            scripted.answer(answer.seat, answer.picks)
    except Exception:  # the very failure: what led to it stands
        pass
    scripted.close()
    return match_file(scripted.match.records, note_by(SeededKeys().signing, scripted.match))


def _report(game: str, matches: int, seed: str, count: Count, seconds: float, as_json: bool) -> None:
    from replay.plain import counted

    rate = round(count.all / seconds)
    if as_json:
        answers = {"answers": count.all, "chance": count.chance, "answers_per_second": rate}
        print_json({"game": game, "matches": matches, "seed": seed, **answers, "ok": True})
        return
    click.echo(
        f"ok: {counted(matches, 'random match', 'random matches')} of {game} (seed {seed}),"
        f" {count.all} answers ({count.chance} by chance), {rate:,} answers/s"
    )
