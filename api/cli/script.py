"""`glasnost script`: plays a scripted match, answer by answer, those of chance included."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct

from api.cli.common import (
    CannotBeDone,
    FoundWrong,
    decoded,
    file_argument,
    heading,
    json_option,
    language_option,
    print_json,
    read_bytes,
    store_option,
)
from api.cli.games import game_named

if TYPE_CHECKING:
    from api.store.open import Location
    from domain.game import Game, Options
    from domain.kernel import AnyFact, Prompt, Table
    from replay.scripted import RecordedMatch
    from replay.words import Words

CHANCE = "chance"
MOST_BYTES = 16 << 20  # of a script; the longest matches need far less


class Line(Struct, forbid_unknown_fields=True):
    """One answer of a script."""

    seat: str
    picks: tuple[str, ...]


class Script(Struct, forbid_unknown_fields=True):
    """The file."""

    game: str
    answers: tuple[Line, ...]
    edition: str | None = None
    options: dict[str, Any] = {}


@click.command()
@file_argument()
@click.option(
    "--out", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path), help="Write a match file."
)
@store_option(required=False, help="Keep the match in this store.")
@json_option
@language_option
def script(file: Path, out: Path | None, store: Location | None, as_json: bool, language: str) -> None:
    """Play the scripted match in FILE and print the position after each answer.

    FILE is JSON: {game, edition, options, answers: [{seat, picks}, ...]}.  Answers of chance are among the
    others, with "seat": "chance".  A script may end before the game does.  With --json, it prints a line for
    each answer (answer, seat, picks, facts, table, asked), and a last line with the result.

    \b
    Example:
      echo '{"game": "cia_vs_kgb", "answers": []}' > short.json
      glasnost script short.json
    """
    from api.cli.common import must_be_writable
    from api.settings import product
    from replay.scripted import RecordedMatch

    must_be_writable(out)
    content = read_bytes(file, limit=MOST_BYTES, what="script")
    script = decoded(file, content, Script)
    game = game_named(script.game)
    settled = _settled(file, game, script)
    match = RecordedMatch(game, *settled, content, product())
    _play(file, match, script.answers, _Printer(match, as_json, language))
    _finish(match, out, store, as_json, language)


def _settled(file: Path, game: Game, script: Script) -> tuple[str, Options]:
    from domain.kernel import Refused

    try:
        return game.settle(script.edition, script.options)
    except Refused as error:
        raise CannotBeDone(f"{file}: {error}") from error


def _play(file: Path, match: RecordedMatch, answers: Sequence[Line], printer: _Printer) -> None:
    from replay.scripted import Wrong

    for number, line in enumerate(answers, 1):
        try:
            facts = match.answer(line.seat, line.picks).facts
        except Wrong as error:
            picks = ", ".join(line.picks)
            raise FoundWrong(f"{file}: answer {number} ({line.seat}: {picks}): {error}") from error
        printer.position(number, line, facts)
    printer.end()
    match.close()


class _Printer:
    """Prints positions; the set-up comes with the first position, or by itself if there is none."""

    def __init__(self, match: RecordedMatch, as_json: bool, language: str) -> None:
        self._match, self._as_json = match, as_json
        self._language = language
        self._before, self._none_yet = match.begin(), True

    def position(self, number: int, line: Line, facts: list[AnyFact]) -> None:
        """Print the position after answer `number`, which brought `facts`."""
        facts, self._before, self._none_yet = [*self._before, *facts], [], False
        (self._json if self._as_json else self._text)(number, line, facts)

    def end(self) -> None:
        """Print the end of the script, which may come before the first answer or in the middle of a move."""
        if self._as_json:
            return
        if self._none_yet:
            self._table(self._before)
        if not self._match.whole:
            move = self._match.match.move + 1
            click.echo(self._words.shown("unfinished_move", move=move) + "\n")

    @cached_property
    def _words(self) -> Words:
        from replay.words import Words

        return Words(self._match.match, self._language)

    def _json(self, number: int, line: Line, facts: list[AnyFact]) -> None:
        asked = [_question(question) for question in self._match.questions()]
        answer = {"answer": number, "seat": line.seat, "picks": line.picks, "facts": facts}
        print_json({**answer, "table": _shown(self._match.live), "asked": asked})

    def _text(self, number: int, line: Line, facts: list[AnyFact]) -> None:
        words = self._words
        heading(f"── {number} · {words.name(line.seat)}: {', '.join(line.picks) or '—'} ──")
        self._table(facts)

    def _table(self, facts: list[AnyFact]) -> None:
        from replay.terminal import as_text, table_picture

        words, live = self._words, self._match.live
        for fact in facts:
            click.echo(f"  {words.fact(fact).text}")
        click.echo(as_text(table_picture(live, words)))
        if live.result is not None:
            click.echo(words.result(live.result))
        for question in self._match.questions():
            why = _why(words, question, live)
            click.echo(f"→ {words.name(question.seat)}: {question.ask} {why}".rstrip())
        click.echo()


def _why(words: Words, question: Prompt, table: Table) -> str:
    """The question to a seat in words; for chance, the draw and its options."""
    from replay.scripted import which

    return which(question, table) if question.seat == CHANCE else words.texts.why(question)


def _question(question: Prompt) -> dict[str, Any]:
    shown = {"seat": question.seat, "ask": question.ask, "options": question.options}
    return {**shown, "least": question.least, "most": question.most, "why": question.why}


def _shown(table: Any) -> dict[str, Any]:
    """The table as the API shows it: every field but the agenda."""
    from replay.positions import fields, plain

    return {name: plain(value) for name, value in [*fields(table), ("result", table.result)]}


def _finish(
    match: RecordedMatch, out: Path | None, store: Location | None, as_json: bool, language: str
) -> None:
    from api.cli.common import in_words, keep, summary, write_file
    from api.seeded import SeededKeys, match_file, note_by

    known = False
    if store:
        note, known = keep(match.match, match.secret, store)
    else:
        note = note_by(SeededKeys().signing, match.match)
    file = write_file(out, match_file(match.match.records, note)) if out else None
    if as_json:
        print_json(summary(match.match, file))
        return
    click.echo(in_words(match.match, language, file))
    if known:
        click.echo(f"the store has this match already: {match.match.id}")
