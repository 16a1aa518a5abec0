"""`glasnost tournament verify` and `export`: what proves a tournament leaves the store, and is verified."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from api.cli.common import (
    FOUND_WRONG,
    NOT_DONE,
    CannotBeDone,
    file_argument,
    json_option,
    key_options,
    language_option,
    print_json,
)
from api.cli.tournament_backend import Backend
from api.cli.tournament_options import backend_options
from api.cli.verify import read_policy, trusted_keys

if TYPE_CHECKING:
    from replay.tournaments.exports import Format, Table
    from replay.tournaments.report import Report

_NEED_ENGINE = ("pairings", "standings")  # the questions that need the pairing engine


@click.command()
@file_argument()
@key_options("A key whose signature counts")
@click.option(
    "--without",
    type=click.Choice(["pairings"]),
    help="Do not run the pairing engine again, or accept that it is not at hand.",
)
@click.option(
    "--processes",
    type=click.IntRange(1, 64),
    default=lambda: os.cpu_count() or 1,
    show_default="the number of cores",
    help="Verify the matches in so many processes.",
)
@click.option(
    "--policy",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Who must have cosigned: the file must hold the proofs that all of it is in the server's log.",
)
@click.option(
    "--against",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="A tournament file that you have kept: FILE may only go on after its entries.",
)
@json_option
def verify(
    file: Path,
    keys: Sequence[str],
    trust: Path | None,
    without: str | None,
    processes: int,
    policy: Path | None,
    against: Path | None,
    as_json: bool,
) -> int:
    """Verify a tournament FILE: log, matches, results, pairings, standings and lots.

    The command needs no network and no store.  It runs the pairing engine again on what it was given; if that
    version of the engine is not installed, it says "not checked" and exits with 2, unless --without pairings
    accepts it.  (Without any engine only the points of the standings are checked.)  It exits with 1 if
    anything is wrong, and names the first bad thing of each question.

    A file that was exported with --log holds the proofs that each entry, and the opening and the end of each
    match, are in the server's log.  With --policy these must be there, and their checkpoint must be signed by
    a log of the policy and cosigned by enough of its witnesses (a file as C2SP tlog-policy has it).

    A server that was restored from a backup, or that hides an entry, has another past than the file that you
    kept.  --against compares both, and says from which entry on the log is forked.

    \b
    Example:
      glasnost tournament verify cup.glasnost-tournament --trust keys.txt
      glasnost tournament verify cup.glasnost-tournament --policy club.policy
      glasnost tournament verify cup.glasnost-tournament --against kept.glasnost-tournament
    """
    from replay.matchfile import BadFile
    from replay.tournaments.leaves import held_leaves
    from replay.tournaments.pairing_twice import pair_once
    from replay.tournaments.verify import verify as verified

    trusted, rules = trusted_keys(keys, trust), read_policy(policy) if policy else None
    if file.is_dir():
        raise CannotBeDone(f"{file} is a directory; name the tournament file in it")
    left_out = (without,) if without else ()
    try:
        held = held_leaves(against) if against else ()
    except OSError as error:
        raise CannotBeDone(f"{against}: {error.strerror or error}") from error
    except BadFile as error:
        raise CannotBeDone(f"{against}: {error}") from error
    try:
        report = verified(
            file, trusted, without=left_out, processes=processes, pairer=pair_once, policy=rules, held=held
        )
    except OSError as error:
        raise CannotBeDone(f"{file}: {error.strerror or error}") from error
    _print(report, as_json)
    if not report.ok:
        return FOUND_WRONG
    accepted = _NEED_ENGINE if without else ()
    return NOT_DONE if report.unchecked.keys() - set(accepted) else 0


def _print(report: Report, as_json: bool) -> None:
    from replay.tournaments.report import lines

    if not as_json:
        for line in lines(report):
            click.echo(line)
        return
    print_json(
        {
            "ok": report.ok,
            "tournament": report.tournament,
            "entries": report.entries,
            "rounds": report.rounds,
            "matches": report.matches,
            "answers": report.answers,
            "signed": report.signed.text(),
            "logged": report.logged,
            "failures": [
                {"question": one.question, "entry": one.entry, "reason": str(one.sentence)}
                for one in report.failures
            ],
            "notes": [str(note) for note in report.notes],
            "unchecked": {question: str(why) for question, why in report.unchecked.items()},
        }
    )


@click.command()
@backend_options(acts=False)
@click.argument("tournament", metavar="TOURNAMENT")
@click.option(
    "--format",
    "kind",
    type=click.Choice(["bundle", "trf", "csv", "json", "ics", "ndjson"]),
    default="bundle",
    show_default=True,
    help="The tournament file (bundle), a TRF, tables, everything, the dates, or the log.",
)
@click.option("--at", type=click.IntRange(1), help="After this entry; else the latest.")
@click.option("--round", "rounds", type=click.IntRange(1), help="Rounds up to this one (trf, csv).")
@click.option(
    "--table",
    type=click.Choice(["standings", "boards", "crosstable"]),
    default="standings",
    show_default=True,
    help="Which table (csv).",
)
@click.option("--entrant", default="", help="The games of this entrant, such as n3 (ics).")
@click.option(
    "--log",
    "with_proofs",
    is_flag=True,
    help="With the proofs from the server's log, of the entries and the matches (bundle).",
)
@click.option("--out", type=click.Path(path_type=Path), help="The file; else standard output.")
@language_option
def export(
    backend: Backend,
    tournament: str,
    kind: Format,
    at: int | None,
    rounds: int | None,
    table: Table,
    entrant: str,
    with_proofs: bool,
    out: Path | None,
    language: str,
) -> None:
    """Write a TOURNAMENT of a store, also while it is served, or of a server to a file.

    \b
    Example:
      glasnost tournament export --store games TOURNAMENT --out cup.glasnost-tournament
      glasnost tournament export --store games TOURNAMENT --log --out cup.glasnost-tournament
      glasnost tournament export --store games TOURNAMENT --format csv --table boards
    """
    from replay.tournaments.exports import Wanted

    if out is None and kind == "bundle" and sys.stdout.isatty():
        raise CannotBeDone("a tournament file is no text: name its file with --out, or redirect the output")
    with file_at(out) as file:
        backend.export(
            tournament,
            Wanted(kind, at, rounds or 0, table, entrant, language),
            file,
            with_proofs=with_proofs,
        )


@contextmanager
def file_at(out: Path | None) -> Iterator[IO[bytes]]:
    """A file that is copied to its place, or to standard output, when it is complete.

    Raises:
        CannotBeDone: it cannot be written.
    """
    with tempfile.TemporaryFile() as file:
        yield file
        file.seek(0)
        if out is None:
            shutil.copyfileobj(file, sys.stdout.buffer)
            return
        fresh = out.with_name(f".{out.name}.part")
        try:
            with fresh.open("wb") as target:
                shutil.copyfileobj(file, target)
            fresh.replace(out)
        except OSError as error:
            raise CannotBeDone(f"{out}: cannot be written: {error.strerror or error}") from error
