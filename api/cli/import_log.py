"""`glasnost import-log`: imports logs of games played elsewhere, and checks each line against our rules."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from api.cli.common import (
    FOUND_WRONG,
    NOT_DONE,
    Advance,
    CannotBeDone,
    file_argument,
    json_option,
    language_option,
    opened_store,
    our_error,
    print_json,
    progress,
    read_bytes,
    store_option,
)

if TYPE_CHECKING:
    from api.store.open import Location
    from api.store.sql import SqlStore
    from replay.importers.twilight_struggle.report import Imported


@click.command("import-log")
@file_argument(many=True)
@store_option(required=False, help="Keep each match in this store.")
@click.option(
    "--out",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write a match file for each log into this folder.",
)
@click.option(
    "--names", is_flag=True, help="Keep the players' names; by default they become Player A and Player B."
)
@json_option
@language_option
def import_log(
    files: Sequence[Path], store: Location | None, out: Path | None, names: bool, as_json: bool, language: str
) -> int:
    """Check logs of Twilight Struggle games that were played elsewhere, and import them.

    FILE is a log in the format of the commercial edition's export.  The command finds a deal that fits, plays
    the log by our rules with its dice, and compares every number that the log states: influence after each
    change, DEFCON, points, military operations, space race, every roll.  It prints the values that differ,
    with their lines, and the lines that it does not understand.

    An imported match is always marked as imported and unverified.  The hands are not in a log, so they are
    shown to no viewer.  The same log is stored only once, however often it is imported.

    Every game is followed to its end: if the rules cannot follow an entry, or come to another position than
    the log states, the match goes on from the stated position, and the report says so.

    With --json, it prints one object for each log: file, entries, plays, checked, mismatches (line, what,
    stated, ours), unread, deal_problems, followed, resynchronised, lost, missing, faults, result.  Exit code
    0: every log was understood and agrees.

    \b
    Example:
      glasnost import-log game.txt
      glasnost import-log logs/*.txt --store games
      glasnost import-log game.txt --out files
    """
    with ExitStack() as stack, progress("import", len(files)) as advance:
        printer = _Printer(advance, as_json=as_json, language=language)
        shelf = _Target(store, out, stack)
        for file in files:
            found = _imported(file, names, printer)
            if found is not None:
                done = shelf.keep(found)
                with advance.hidden():
                    printer.add(file, found, done)
            advance(1, str(file))
    return printer.done(len(files))


def _imported(file: Path, names: bool, printer: _Printer) -> Imported | None:
    """Import one log; return None if it cannot be read, after printing why."""
    from api.settings import product
    from replay.importers.twilight_struggle.report import imported
    from replay.importers.twilight_struggle.sections import MOST
    from replay.importers.twilight_struggle.structure import BadLog

    try:
        return imported(read_bytes(file, limit=MOST, what="log"), product(), names=names)
    except BadLog as error:
        printer.failed(f"{file}: {error}")
    except CannotBeDone as error:
        printer.failed(error.message)
    except Exception as error:  # an error of the program on one log does not stop the others
        if os.environ.get("GLASNOST_DEBUG"):
            raise
        printer.failed(f"{file}: {our_error(error)}")
    return None


class _Target:
    """Where imported matches go: a store, a folder, both or neither.

    Nothing is created before there is a match to keep.  An existing store is opened at once, so that the
    command fails before any work if the store is in use.
    """

    def __init__(self, store: Location | None, out: Path | None, stack: ExitStack) -> None:
        from api.store.open import is_there

        self._location, self._out, self._stack = store, out, stack
        self._store: SqlStore | None = None
        if store is not None and is_there(store):
            self._opened(store)

    def keep(self, found: Imported) -> list[tuple[str, str]]:
        """Keep a match, as a whole or not at all; return the results, as phrases with their values."""
        from api.cli.common import keep_in, write_file
        from api.seeded import SeededKeys, match_file, note_by

        if self._location is None and self._out is None:
            return []
        done, match = [], found.match
        if found.lost or found.resynchronised or found.missing:
            done.append(("incomplete", ""))
        note = note_by(SeededKeys().signing, match)
        if self._location is not None:
            note, known = keep_in(self._opened(self._location), match, found.secret)
            done.append(("known" if known else "stored", match.id))
        if self._out is not None:
            _make(self._out)
            file = write_file(self._out / f"{match.id}.glasnost", match_file(match.records, note))
            done.append(("written", str(file)))
        return done

    def _opened(self, location: Location) -> SqlStore:
        from api.store.interface import InUse

        if self._store is None:
            try:
                self._store = self._stack.enter_context(opened_store(location))
            except CannotBeDone as error:
                if not isinstance(error.__cause__, InUse):
                    raise
                way = "write match files with --out DIR, and send each with POST /v1/replays"
                raise CannotBeDone(f"{error.message}; or {way}") from error
        return self._store


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotBeDone(f"{folder}: cannot be written: {error.strerror or error}") from error


class _Printer:
    """Prints the result for each file as it comes; computes the exit code."""

    def __init__(self, bar: Advance, *, as_json: bool, language: str) -> None:
        self._bar, self._as_json, self._language = bar, as_json, language
        self._clean = self._wrong = self._bad = 0

    def add(self, file: Path, found: Imported, done: list[tuple[str, str]]) -> None:
        """Print one log.  With --json, where the match was kept goes to standard error."""
        from replay.importers.twilight_struggle.report import lines

        if found.clean:
            self._clean += 1
        else:
            self._wrong += 1
        if self._as_json:
            print_json(_data(file, found))
        else:
            for line in lines(str(file), found, self._language):
                click.echo(line)
        for phrase, value in done:
            text = self._said(phrase, value)
            click.echo(f"{file}: {text}" if self._as_json else f"  {text}", err=self._as_json)

    def failed(self, reason: str) -> None:
        """Print that a file is not a log."""
        from replay.sanitize import one_line

        self._bad += 1
        with self._bar.hidden():
            click.echo(f"glasnost: {one_line(reason)}", err=True)

    def done(self, files: int) -> int:
        """Print the sum of several files; return the exit code, 1 before 2."""
        from replay.importers.twilight_struggle.report import summed

        if files > 1 and not self._as_json:
            click.echo(summed(self._clean, self._wrong, self._bad, self._language))
        if self._wrong:
            return FOUND_WRONG
        return NOT_DONE if self._bad else 0

    def _said(self, phrase: str, value: str) -> str:
        from replay.importers.twilight_struggle.report import kept

        return kept(phrase, value, self._language)


def _data(file: Path, found: Imported) -> dict[str, Any]:
    """Return what `--json` prints about a log."""
    result = found.result
    return {
        "file": os.fsencode(file).decode(errors="replace"),
        "entries": found.entries,
        "plays": found.plays,
        "checked": found.checked,
        "mismatches": found.mismatches,
        "unread": [one.line for one in found.unread],
        "deal_problems": found.deal_problems,
        "followed": found.followed,
        "resynchronised": found.resynchronised,
        "lost": found.lost,
        "missing": [{"turn": turn, "round": number, "side": side} for turn, number, side in found.missing],
        "faults": found.faults,
        "result": result and {"winner": result.winner, "reason": result.reason, "score": result.score},
    }
