"""`glasnost export`: matches of a store as match files, or as tables for analysis."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from api.cli.common import CannotBeDone, json_option, opened_store, print_json, store_option, tracked
from api.settings import PARQUET, missing

if TYPE_CHECKING:
    from api.store.open import Location
    from api.store.sql import SqlStore
    from domain.match import Match

_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")


@click.command()
@click.argument("matches", metavar="[MATCH]...", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Every match of the store.")
@store_option()
@click.option(
    "--format",
    "kind",
    type=click.Choice(["glasnost", "ndjson", "parquet"]),
    default="glasnost",
    show_default=True,
    help="A match file for each match, or tables of all matches: seats, moves, facts, draws, options.",
)
@click.option(
    "--out",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("."),
    help="The folder for the files; default: the current one.",
)
@json_option
def export(
    matches: Sequence[str], everything: bool, store: Location, kind: str, out: Path, as_json: bool
) -> None:
    """Write MATCHes of a store to files, also while the store is served.

    Format glasnost: one match file for each match.  Formats ndjson and parquet: the files seats (who plays
    each seat at the end), moves, facts, draws and options (what each seat could have answered).  Of a match
    that is still running, only what a spectator sees is written.  Tables of all matches leave out private
    matches, unless they are named.

    \b
    Example:
      glasnost export m7ct2 --store games
      glasnost export --all --store games --format parquet --out analysis
    """
    if bool(matches) == everything:
        raise click.UsageError("name matches, or say --all")
    if kind == "parquet" and (lack := missing(PARQUET, "--format parquet")):
        raise CannotBeDone(lack)
    with opened_store(store, write=False) as opened:
        withdrawn = opened.uploads.withdrawn()
        if named := sorted(withdrawn.intersection(matches)):
            raise CannotBeDone(f"match {named[0]} was withdrawn")
        names = (
            [name for name in opened.matches() if name not in withdrawn]
            if everything
            else [*dict.fromkeys(matches)]
        )
        leaves_private_out, exported = everything and kind != "glasnost", list[str]()
        found = _read(opened, names, exported, leaves_private_out)
        try:
            out.mkdir(parents=True, exist_ok=True)
            written = _files(opened, found, out) if kind == "glasnost" else _tables(found, out, kind)
        except OSError as error:
            raise CannotBeDone(f"{out}: cannot be written: {error.strerror or error}") from error
    if as_json:
        print_json({"matches": len(exported), "format": kind, "files": written})
        return
    for file, rows in written.items():
        click.echo(f"{file}: {rows} {'moves' if kind == 'glasnost' else 'rows'}")


def _read(
    store: SqlStore, names: Sequence[str], exported: list[str], leaves_private_out: bool
) -> Iterator[Match]:
    """Yield the matches, one after the other, and add their ids to `exported`."""
    from domain.log import Damaged

    for name in tracked("export", names, len(names)):
        try:
            match = store.match(name)
        except Damaged as error:
            raise CannotBeDone(f"match {name} is damaged: {error}; verify --store tells more") from error
        if match is None:
            raise CannotBeDone(f"there is no match {name!r} in this store")
        if not (match.private and leaves_private_out):
            exported.append(name)
            yield match


def _files(store: SqlStore, matches: Iterator[Match], out: Path) -> dict[str, int]:
    """Write a match file for each match; return the number of moves by file."""
    from api.cli.common import write_file
    from api.seeded import match_file, note_by
    from domain.signed_notes import NotSignedHere

    written: dict[str, int] = {}
    for match in matches:
        try:
            note = store.note(match.id) or note_by(store.keys.signing, match)
        except NotSignedHere as error:
            raise CannotBeDone(str(error)) from error
        path = write_file(out / f"{_file_name(match.id)}.glasnost", match_file(match.records, note))
        written[str(path)] = match.move
    return written


def _file_name(match: str) -> str:
    """The match's id, or a hash of it if the id (of an uploaded match) is not safe as the name of a file."""
    if _SAFE.fullmatch(match):
        return match
    return f"match-{hashlib.sha256(match.encode()).hexdigest()[:24]}"


def _tables(matches: Iterator[Match], out: Path, kind: str) -> dict[str, int]:
    """Write the tables; return the number of rows by file."""
    from replay.export import export as exported

    return {str(out / f"{table}.{kind}"): rows for table, rows in exported(matches, out, kind).items()}
