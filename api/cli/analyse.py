"""`glasnost analyse`: what an agent thinks of a match that is over."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from api.cli.common import CannotBeDone, json_option, language_option, print_json, tracked
from api.cli.play import Seed
from api.cli.replay import match_in

if TYPE_CHECKING:
    from domain.kernel import Picks
    from domain.match import Match
    from replay.analysis import MoveAnalysis, Summary
    from replay.words import Words

MOST_PLAYOUTS = 10_000
LISTED = 10  # answers that the agent would have given otherwise
LEAST = 0.02  # that they cost, so that it is worth a line
ACROSS = 40  # characters of an answer in words


@click.command()
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option(
    "--playouts",
    metavar="N",
    type=click.IntRange(0, MOST_PLAYOUTS),
    default=64,
    show_default=True,
    help="For each answer; 0: only win probabilities and luck, which is quick.",
)
@click.option("--seat", metavar="SEAT", help="Look for better answers of this seat only.")
@click.option(
    "--seed",
    metavar="HEX",
    type=Seed(),
    default="1",
    show_default=True,
    help="1 to 64 hex digits; the same seed gives the same analysis.",
)
@click.option("--all", "every", is_flag=True, help="Print every answer.")
@language_option
@json_option
def analyse(
    file: Path, playouts: int, seat: str | None, seed: str, every: bool, language: str, as_json: bool
) -> None:
    """Say what an agent thinks of the match in FILE, which is over.

    It prints the win probability at the beginning, what luck and choices changed, the turning points, and
    the answers that the agent would have given otherwise.  It is the opinion of an agent, which is often
    wrong; nothing of it enters the match.

    Win probabilities and turning points are those of the whole table.  What the agent would have played
    follows from what the seat knew.  Luck is what draws brought, less what they bring on average.

    A match takes some seconds up to a minute.  With --json it prints everything as one object on one line.

    \b
    Example:
      glasnost analyse match.glasnost
      glasnost analyse match.glasnost --seat us --playouts 256
      glasnost analyse match.glasnost --playouts 0 --all
      glasnost analyse match.glasnost --lang ru
    """
    import random

    from api.bots.opinion import opinion
    from domain.agents import AGENTS
    from domain.agents.spec import Budget
    from domain.kernel import Refused
    from replay.analysis import answers, must_be_analysable, summary
    from replay.words import Words

    match = match_in(file)
    try:
        must_be_analysable(match)
    except Refused as error:
        raise CannotBeDone(f"{file}: {error.text(language)}") from error
    if seat not in (None, *match.game.seats):
        raise CannotBeDone(f"--seat {seat}: {match.game.name} has {', '.join(match.game.seats)}")
    spec, budget = AGENTS[match.game.name], Budget(playouts)
    course = opinion(match, budget, random.Random(seed), seat)
    moves = list(tracked("analyse", course, len(answers(match))))
    found = summary(match, spec, moves)
    if as_json:
        print_json(_data(match, found, moves, playouts, seed))
        return
    for line in _lines(match, Words(match, language), found, moves, playouts, every=every):
        click.echo(line)


def _data(
    match: Match, found: Summary, moves: Sequence[MoveAnalysis], playouts: int, seed: str
) -> dict[str, Any]:
    import msgspec

    from api.bots.opinion import ADVISER
    from domain.agents import AGENTS

    version = AGENTS[match.game.name].judging_version
    agent = {"level": ADVISER, "version": version, "playouts": playouts, "seed": seed.lstrip("0") or "0"}
    return {
        "match": match.id,
        "game": match.game.name,
        "agent": agent,
        **msgspec.to_builtins(found),
        "moves": msgspec.to_builtins(moves),
    }


def _lines(
    match: Match,
    words: Words,
    found: Summary,
    moves: Sequence[MoveAnalysis],
    playouts: int,
    *,
    every: bool,
) -> list[str]:
    first = words.name(found.first)
    turning = [one for one in moves if one.move in found.turning_points]
    costly = sorted((one for one in moves if one.loss >= LEAST), key=lambda one: -one.loss)[:LISTED]
    lines = [*_head(match, words, found, playouts), *_sums(match, words, found, moves)]
    lines += ["", words.analysis("turning", seat=first), *_table(words, turning)]
    if costly:
        lines += ["", words.analysis("costly"), *_table(words, sorted(costly, key=lambda one: one.move))]
    if every:
        lines += ["", words.analysis("every", seat=first), *_table(words, moves)]
    return lines


def _head(match: Match, words: Words, found: Summary, playouts: int) -> list[str]:
    from api.bots.opinion import ADVISER
    from api.bots.strengths import strength_of

    about = "about" if playouts else "about_alone"
    lines = [words.analysis(about, game=words.game, match=match.id, level=ADVISER, playouts=playouts)]
    measured = strength_of(ADVISER, match.game.name)
    if measured:
        share = f"{100 * measured.points / measured.matches:.1f} %"
        lines.append(
            words.analysis(
                "strength", level=ADVISER, share=share, matches=measured.matches, against=measured.against
            )
        )
    result = words.result(match.result) if match.result else words.analysis("no_result")
    start = {"seat": words.name(found.first), "start": percent(found.start), "result": result}
    return [*lines, words.analysis("start", **start)]


def _sums(match: Match, words: Words, found: Summary, moves: Sequence[MoveAnalysis]) -> list[str]:
    rows = [
        (
            words.name(seat),
            points(found.luck if seat == found.first else -found.luck),
            points(found.choices[seat] if seat == found.first else -found.choices[seat]),
        )
        for seat in match.game.seats
    ]
    head = words.analysis("side"), words.analysis("luck"), words.analysis("choices")
    lines = ["", *aligned([head, *rows]), words.analysis("note")]
    if abs(found.ending) > 1e-9:
        lines.append(words.analysis("ending", ending=points(found.ending)))
    return lines


def _table(words: Words, moves: Sequence[MoveAnalysis]) -> list[str]:
    keys = ("move", "side", "picked", "before", "after", "luck", "cost", "instead")
    return aligned([tuple(map(words.analysis, keys)), *(_row(words, one) for one in moves)])


def _row(words: Words, one: MoveAnalysis) -> tuple[str, ...]:
    best = one.best[0] if one.best else None
    instead = "" if best is None else words.analysis("same")
    if best is not None and set(best.picks) != set(one.picks):
        instead = _said(words, one.ask, best.picks)
    return (
        str(one.move),
        words.name(one.seat),
        _said(words, one.ask, one.picks),
        percent(one.before),
        percent(one.after),
        points(one.luck) if one.luck else "",
        points(-one.loss) if one.best and one.loss else "",
        instead,
    )


def _said(words: Words, ask: str, picks: Picks) -> str:
    """An answer in words, cut to `ACROSS` characters; a dash if nothing was picked."""
    text = words.picks(ask, picks).text or words.shown("nothing")
    return text if len(text) <= ACROSS else f"{text[: ACROSS - 1]}…"


def percent(share: float) -> str:
    """A share in per cent."""
    return f"{100 * share:.0f} %"


def points(change: float) -> str:
    """A change in percentage points, with its sign."""
    return f"{100 * change:+.1f}".replace("-", "−")


def aligned(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Rows as lines, numbers at the right of their columns."""
    columns = list(zip(*rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    right = [all(cell[:1] in "+−0123456789" for cell in column[1:]) for column in columns]
    return [
        "  ".join(
            f"{cell:>{width}}" if numbers else f"{cell:<{width}}"
            for cell, width, numbers in zip(row, widths, right, strict=True)
        ).rstrip()
        for row in rows
    ]
