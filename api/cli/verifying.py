"""`glasnost verify`: four questions to each match, on its file alone or in a store."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click

from api.cli.common import (
    FOUND_WRONG,
    NOT_DONE,
    Advance,
    CannotBeDone,
    file_argument,
    json_option,
    named_store,
    print_json,
    progress,
    read_bytes,
    store_option,
)
from api.cli.fetching import MOST, fetched, is_address
from api.cli.proving import proved

if TYPE_CHECKING:
    from api.store.location import Location
    from domain.notes import VerifyingKey
    from replay.report import Report

MOST_KEYS = 1 << 20  # bytes of a trust file
MOST_RECEIPT = 1 << 16


@click.command()
@file_argument(many=True, required=False)
@store_option(required=False, help="Verify every match of this store.")
@click.option("--key", "keys", metavar="VKEY", multiple=True, help="Whose signature counts; repeatable.")
@click.option(
    "--trust",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="A file of such keys, one a line; lines with # are comments.",
)
@click.option(
    "--against",
    metavar="NOTE_OR_URL",
    help="Compare the one FILE with another checkpoint of its match: a file, or its address at a server.",
)
@click.option(
    "--receipt",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="What the server gave when the one match was opened.",
)
@json_option
def verify(
    files: Sequence[Path],
    store: Location | None,
    keys: Sequence[str],
    trust: Path | None,
    against: str | None,
    receipt: Path | None,
    as_json: bool,
) -> int:
    """Check match FILEs, or all matches of a store: log, chance, fold and rules.

    Of a store it is also told where moves, or whole matches, are missing; and, where its key folder is at
    hand (GLASNOST_KEYS), whether those are its own keys and every match goes on with them.

    A signature that names a key that is given, or lies in the key folder at hand, must fit; of one by a key
    that is not known here it is said: "names KEY, not checked".

    Nothing in a file shows whether its match went on.  With --against, a later checkpoint does: it is told
    how many moves are signed, and from a server also whether they begin with those of the file.  An earlier
    one must be of the same log.

    Prints for each match "ok: N moves ...", or what is wrong: the check, the move and the reason; exits with
    1 if anything is wrong.  With a receipt, kept before a salt was sent, it is also shown that the server had
    fixed its secret by then.  A key (NAME+ID+KEY) is printed by `glasnost keys` and served at /v1/keys.

    \b
    Example:
      glasnost verify match.glasnost
      glasnost verify *.glasnost --trust keys.txt
      glasnost verify --store games
      glasnost verify match.glasnost --trust keys.txt --receipt receipt
      glasnost verify match.glasnost --against http://localhost:8000/v1/matches/m7ct2/checkpoint
    """
    if (against is not None or receipt is not None) and (len(files) != 1 or store is not None):
        raise click.UsageError("--against and --receipt are for one match: name its file, and no other")
    if not files and store is None:
        store = named_store()
        if store is None:
            raise click.UsageError("name match files, or a store with --store DIR")
    trusted, known, kept = _keys(keys, trust), _known(store), _kept(receipt)
    with progress("verify", len(files) or None) as advance:
        printer = _Printer(advance, named=len(files) > 1 or store is not None, as_json=as_json)
        for name, report in _reports(files, store, (trusted, known), kept, printer):
            if against is not None and report.ok:
                report = _compared(report, files[0], against, (trusted, known))
            printer.add(name, report)
            advance(1, name)
    return printer.done()


def _keys(texts: Sequence[str], trust: Path | None) -> list[VerifyingKey]:
    from domain.log import Damaged
    from domain.notes import VerifyingKey

    lines = [("--key", text) for text in texts]
    if trust is not None:
        content = read_bytes(trust, limit=MOST_KEYS, what="trust file").decode(errors="replace")
        kept = (
            (number, line.partition("#")[0].strip()) for number, line in enumerate(content.split("\n"), 1)
        )
        lines += [(f"{trust}, line {number}", line) for number, line in kept if line]
    found: list[VerifyingKey] = []
    for where, text in lines:
        try:
            found.append(VerifyingKey.parse(text))
        except Damaged as error:
            raise CannotBeDone(f"{where}: {error}") from error
    if trust is not None and not found:
        raise CannotBeDone(f"{trust}: it holds no key")
    return found


def _known(store: Location | None) -> Sequence[VerifyingKey]:
    """The keys in the folder that GLASNOST_KEYS names, or of the store that is named, if any."""
    from api.store.keys import KeyRing
    from api.store.opening import key_folder
    from api.store.seam import StoreError

    named = os.environ.get("GLASNOST_KEYS")
    try:
        location = None if named else store or named_store()
        folder = Path(named) if named else location and key_folder(location)
        return KeyRing.open(folder).known if folder else ()
    except (StoreError, CannotBeDone):  # of a store it is told there (see `proved`)
        return ()


def _kept(receipt: Path | None) -> str | None:
    if receipt is None:
        return None
    return read_bytes(receipt, limit=MOST_RECEIPT, what="receipt").decode(errors="replace")


def _reports(
    files: Sequence[Path],
    store: Location | None,
    keys: tuple[Sequence[VerifyingKey], Sequence[VerifyingKey]],
    receipt: str | None,
    printer: _Printer,
) -> Iterator[tuple[str, Report]]:
    from replay.verify import verify as verified

    for file in files:
        try:
            if file.is_dir():
                raise CannotBeDone(f"{file} is a directory; name the match files in it, or use --store")
            yield str(file), verified(file, *keys, receipt)
        except OSError as error:
            printer.failed(f"{file}: {error.strerror or error}")
        except CannotBeDone as error:
            printer.failed(error.message)
    if store is not None:
        yield from proved(store, keys[0])


def _compared(
    report: Report, file: Path, against: str, keys: tuple[Sequence[VerifyingKey], Sequence[VerifyingKey]]
) -> Report:
    """The report of a file, with what another checkpoint says of it."""
    from replay import matchfile
    from replay.against import compared

    if not is_address(against):
        note = read_bytes(Path(against), limit=MOST, what="checkpoint").decode(errors="replace")
        return compared(report, matchfile.read(file), note, *keys)

    def over(moves: int) -> str:
        """The checkpoint over the first moves, from the same server; "" where it has none for us."""
        address = urlsplit(against)
        try:
            return fetched(address._replace(query=f"move={moves}", fragment="").geturl())
        except CannotBeDone:
            return ""

    return compared(report, matchfile.read(file), fetched(against), *keys, over=over)


class _Printer:
    """Prints reports as they come, or all of them at the end as JSON; knows the exit code."""

    def __init__(self, bar: Advance, *, named: bool, as_json: bool) -> None:
        self._bar = bar
        self._named, self._as_json = named, as_json
        self._found: list[dict[str, Any]] = []
        self._code = 0

    def add(self, name: str, report: Report) -> None:
        """One match."""
        from replay.plain import one_line
        from replay.report import line

        if not report.ok:
            self._code = FOUND_WRONG
        shown = {"name": name, "ok": report.ok, "match": report.match, "moves": report.moves}
        self._found.append(shown | {"check": report.check, "move": report.move, "reason": report.reason})
        if not self._as_json:
            with self._bar.hidden():
                click.echo(line(report) + (f" [{one_line(name)}]" if self._named else ""))

    def failed(self, reason: str) -> None:
        """Something that could not be looked at; what was found wrong weighs more."""
        from replay.plain import one_line

        self._code = self._code or NOT_DONE
        with self._bar.hidden():
            click.echo(f"glasnost: {one_line(reason)}", err=True)

    def done(self) -> int:
        """The exit code."""
        if self._as_json:
            print_json({"ok": self._code == 0, "matches": self._found})
        return self._code
