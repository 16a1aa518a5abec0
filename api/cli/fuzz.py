"""`glasnost fuzz` and `glasnost bench`: random legal matches that look for errors, and the benchmarks."""

from __future__ import annotations

import random
import re
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec
from msgspec import Struct

from api.cli.common import FOUND_WRONG, CannotBeDone, FoundWrong, json_option, print_json, progress
from api.cli.games import edition_options, game_argument, game_named, settled
from api.settings import TEST, missing
from domain import kernel
from domain.game import Game, Option, Options
from domain.kernel import CHANCE, Answer, AnyFact, Picks, Prompt, Table

if TYPE_CHECKING:
    from domain.game import Game, Options

CHECKED = 16  # one match of so many is folded again and encoded, which costs as much as to play it


@click.command()
@game_argument
@click.option("--matches", metavar="N", type=click.IntRange(1), default=1000, show_default=True)
@click.option(
    "--seed", metavar="S", default="1", show_default=True, help="Any text; it determines every match."
)
@click.option("--vary", is_flag=True, help="Choose each match's options at random, except the given ones.")
@edition_options
@click.option(
    "--leave",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, writable=True, path_type=Path),
    default=".",
    help="The folder for the files of a failed match; default: the current one.",
)
@json_option
def fuzz(
    game: str,
    matches: int,
    seed: str,
    vary: bool,
    edition: str | None,
    option_words: Sequence[str],
    leave: Path,
    as_json: bool,
) -> None:
    """Play random legal matches of GAME, and report answers per second.

    If a match fails, the run ends with exit code 1, and the match is written to a match file (up to the
    failure) and to a script (its last answer is the one that failed).

    \b
    Example:
      glasnost fuzz cia_vs_kgb --matches 1000 --seed 7
      glasnost fuzz thirteen_minutes --vary
    """

    found = game_named(game)
    settled(found, edition, option_words)
    count, began = Count(), time.perf_counter()
    with progress(f"fuzz {game}", matches) as advance:
        for number in range(1, matches + 1):
            options = settled(
                found, edition, [*option_words, *(_varied(found, seed, number, option_words) if vary else ())]
            )
            _one(found, *options, f"{seed}/{number}", number % CHECKED == 1, count, leave)
            advance(1, f"{count.all / (time.perf_counter() - began):,.0f} answers/s")
    _report(game, matches, seed, count, time.perf_counter() - began, as_json)


def _varied(game: Game, seed: str, number: int, option_words: Sequence[str]) -> list[str]:
    """Random values for the options that were not given, as they are typed."""
    from api.cli.games import typed

    value = random_options(game, f"{seed}/{number}")
    fixed = {word.partition("=")[0] for word in option_words}
    return [f"{o.name}={typed(value(o.name))}" for o in game.options if o.name not in fixed]


def _one(
    game: Game, edition: str, options: Options, seed: str, checked: bool, count: Count, leave: Path
) -> None:

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
    """Play the failed match again, and write its files; return a text that names them."""
    from replay.scripted import content_of

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
    from api.seeded import SeededKeys, match_file, note_by
    from api.settings import product
    from replay.scripted import RecordedMatch

    scripted = RecordedMatch(game, edition, options, script, product())
    try:
        scripted.begin()
        for answer in answers:
            scripted.answer(answer.seat, answer.picks)
    except Exception:  # the failure itself: the moves before it are written
        pass
    scripted.close()
    return match_file(scripted.match.records, note_by(SeededKeys().signing, scripted.match))


def _report(game: str, matches: int, seed: str, count: Count, seconds: float, as_json: bool) -> None:
    from replay.sanitize import counted

    rate = round(count.all / seconds)
    if as_json:
        answers = {"answers": count.all, "chance": count.chance, "answers_per_second": rate}
        print_json({"game": game, "matches": matches, "seed": seed, **answers, "ok": True})
        return
    click.echo(
        f"ok: {counted(matches, 'random match', 'random matches')} of {game} (seed {seed}),"
        f" {count.all} answers ({count.chance} by chance), {rate:,} answers/s"
    )


# ── Random legal play on the kernel alone, as fast as possible: for `glasnost fuzz` and the benchmarks ──
#
# A match is a function of the game, its options and a seed, so every failure can be played again.

MOST_ANSWERS = 100_000  # a match with more answers counts as endless


class Stuck(Exception):
    """The rules ask a question without a legal answer, or never end."""


class Count(Struct):
    """Answers so far: of the seats, and of chance."""

    seats: int = 0
    chance: int = 0

    @property
    def all(self) -> int:
        """Both."""
        return self.seats + self.chance


class Match:
    """One random match: `table` is the table now.

    Args:
        edition, options: complete, as `Game.settle` returns them.
        seed: determines every pick, those of chance included.
        keep: whether the facts and answers are kept.
    """

    def __init__(self, game: Game, edition: str, options: Options, seed: str, *, keep: bool = False) -> None:
        self.game, self.seed, self._keep = game, seed, keep
        self.answers: list[Answer] = []
        self.facts: list[AnyFact] = []
        self.empty: Table = game.table(edition, options)
        self.table = self.empty
        self._luck = random.Random(seed)

    def play(self, count: Count) -> None:
        """Play to the end, counting.

        Raises:
            Stuck: a question has no legal answer, or the match does not end.
            Exception: any error of the rules.
        """
        table = self._begun()
        for _ in range(MOST_ANSWERS):
            if not table.agenda:
                return
            answer, question = self._answer(table)
            if self._keep:
                self.answers.append(answer)
            decision = kernel.decide(table, answer, question)
            if self._keep:
                self.facts += decision.facts
            self.table = table = decision.table
            if answer.seat == CHANCE:
                count.chance += 1
            else:
                count.seats += 1
        raise Stuck(f"no end after {MOST_ANSWERS} answers")

    def _begun(self) -> Table:
        begun = kernel.begin(self.empty, self.game.first(self.empty))
        self.facts += begun.facts
        self.table = begun.table
        return self.table

    def _answer(self, table: Table) -> tuple[Answer, Prompt]:
        seats = kernel.asked(table)
        seat = seats[0] if len(seats) == 1 else self._luck.choice(seats)
        question = kernel.prompt(table, seat)
        if question is None:
            raise Stuck(f"{seat} is to answer {type(table.agenda[-1]).__name__}, but is not asked")
        return Answer(seat, self._picks(question)), question

    def _picks(self, question: Prompt) -> Picks:
        options, most = question.options, question.most
        if question.least > len(options):
            raise Stuck(f"{question.ask} wants {question.least} picks of {len(options)} options")
        if question.least == most == 1:
            return (options[int(self._luck.random() * len(options))],)
        count = self._luck.randint(question.least, min(most, len(options)))
        return tuple(self._luck.sample(options, count))


def check(match: Match) -> None:
    """Check that the facts of a finished match fold to its table, and that the table survives encoding.

    Raises:
        AssertionError: one of these is not so.
    """
    if kernel.fold(match.empty, match.facts) != match.table:
        raise AssertionError("the facts do not fold to the table at the end")
    again = msgspec.json.decode(msgspec.json.encode(match.table), type=match.game.state)
    if again != match.table:
        raise AssertionError("the table at the end does not survive encoding")


def random_options(game: Game, seed: str) -> Callable[[str], Any]:
    """Return a function that gives, for the name of an option, a random legal value (or its default)."""
    luck = random.Random(f"options {seed}")
    values = {option.name: _value(option, luck) for option in game.options}
    return values.__getitem__


def _value(option: Option, luck: random.Random) -> Any:
    values: list[Any] = [option.default, *option.choices]
    if option.least is not None and option.most is not None:
        values += [option.least, option.most, luck.randint(option.least, option.most)]
    return luck.choice(values)


# ── `glasnost bench`: runs the benchmarks of `ops/bench`, each in its own process ──

FOLDER = Path(__file__).parents[2] / "ops" / "bench"


@click.command()
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option("--list", "only_list", is_flag=True, help="List the benchmarks, and run none.")
def bench(names: Sequence[str], only_list: bool) -> int:
    """Run benchmarks (default: all).  Each prints a line for each claim, with a floor from the same run.

    \b
    Example:
      glasnost bench
      glasnost bench fold fuzz
    """
    known = _known()
    for name in names:
        if name not in known:
            raise CannotBeDone(f"there is no benchmark {name!r}; there are: {', '.join(known)}")
    if only_list:
        for name in known:
            click.echo(name)
        return 0
    if lack := missing(TEST, "a benchmark"):
        raise CannotBeDone(lack)
    failed = [name for name in names or known if subprocess.run([sys.executable, known[name]]).returncode]
    if failed:
        click.echo(f"glasnost: failed: {', '.join(failed)}", err=True)
    return FOUND_WRONG if failed else 0


def _known() -> dict[str, Path]:
    """Return the benchmarks by name.

    Raises:
        CannotBeDone: this installation has none.
    """
    paths = sorted(path for path in FOLDER.glob("*.py") if not path.name.startswith("_"))
    if not paths:
        raise CannotBeDone("the benchmarks are part of the source checkout: run ./ops/glasnost bench there")
    return {path.stem: path for path in paths}
