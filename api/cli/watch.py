"""`glasnost watch`: look whether a server keeps its log as it says, for a player or an organizer."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from api.cli.common import (
    FOUND_WRONG,
    NOT_DONE,
    CannotBeDone,
    every_option,
    json_option,
    key_options,
    print_json,
    read_bytes,
)
from api.cli.verify import MOST_RECEIPT, trusted_keys

if TYPE_CHECKING:
    from domain.signed_notes import VerifyingKey
    from replay.transparency.watch import Seen, Watcher

MOST_FINDINGS = 100  # files that are written
DAY = 86_400_000_000  # microseconds
SHOWN = 10  # openers that are printed


@click.command()
@click.argument("url")
@click.option("--player", default="", metavar="ID", help="Watch the matches of this player; else all listed.")
@click.option(
    "--state",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("glasnost-watch.json"),
    show_default=True,
    help="What the watcher remembers; findings are written to FILE.findings/.",
)
@key_options("A key of the server")
@click.option(
    "--receipt",
    "receipts",
    metavar="FILE",
    multiple=True,
    type=click.Path(path_type=Path),
    help="The receipt of a match that must be in the log; repeatable.",
)
@click.option("--once", is_flag=True, help="Look once, and end: for cron.")
@every_option(10, 600)
@click.option("--quiet", is_flag=True, help="Print only what is wrong.")
@json_option
def watch(
    url: str,
    player: str,
    state: Path,
    keys: Sequence[str],
    trust: Path | None,
    receipts: Sequence[Path],
    once: bool,
    every: float,
    quiet: bool,
    as_json: bool,
) -> int:
    """Look whether the server at URL keeps its log: run it weekly, or leave it running.

    It checks that the log only grew; that each match is in it; that the log says of each end what the match
    itself says, and no match went on after its end; that the server still shows what the log holds; and that
    no new key claims to be older than it is.  It counts the openings without an end by who opened them: a
    server that opens many matches and keeps the luckiest is seen by these numbers.

    Give the server's key with --key (from a place that you trust).  Without it the watcher trusts the key
    that the server shows at the first look, and says so.  New keys are taken in if an old one signed them.

    What proves a lie is written as a file that `glasnost evidence` checks anywhere.  Exit codes: 0 all is
    well, 1 something is wrong, 2 the server could not be asked.

    \b
    Example:
      glasnost watch https://games.example.org --player p7ct2 --once --quiet
    """
    from domain.log import Damaged
    from replay.fetching import CannotFetch
    from replay.transparency.watch import Memory, Watcher

    if as_json and not once:
        raise click.UsageError("--json is for one look: add --once")
    try:
        memory = Memory.read(state)
        kept = [_receipt(path) for path in receipts]
        found = trusted_keys(keys, trust)
        code = 0
        while True:
            watcher = Watcher(url, player, memory, lambda: time.time_ns() // 1_000)
            try:
                _trust(watcher, found, memory.keys, quiet)
                watcher.remember(kept)
                seen = watcher.look()
            except (CannotFetch, Damaged) as error:
                if once:
                    raise CannotBeDone(str(error)) from error
                click.echo(f"glasnost: {_line(str(error))}", err=True)
                code = code or NOT_DONE
            else:
                memory.write(state)
                code = FOUND_WRONG if _reported(seen, state, quiet, as_json) else code
            if once:
                return code
            time.sleep(every)
    except KeyboardInterrupt:
        return code
    except Damaged as error:
        raise CannotBeDone(str(error)) from error
    except OSError as error:
        raise CannotBeDone(f"{state}: {error.strerror or error}") from error


def _receipt(path: Path) -> str:
    return read_bytes(path, limit=MOST_RECEIPT, what="receipt").decode(errors="replace")


def _trust(watcher: Watcher, keys: Sequence[VerifyingKey], known: Sequence[str], quiet: bool) -> None:
    watcher.trust(keys)
    if not known and not keys:
        key = watcher.offered()
        watcher.trust([key])
        if not quiet:
            click.echo(f"no key was given: from now on {_line(key.text)} is trusted, which the server shows")


def _reported(seen: Seen, state: Path, quiet: bool, as_json: bool) -> bool:
    """Print what was seen, and write the findings; return whether anything is wrong."""
    from replay.transparency.findings import saved

    folder = state.with_name(f"{state.name}.findings")
    wrong = list[dict[str, str | None]]()
    for what, finding in seen.wrong:
        path = saved(finding, folder, MOST_FINDINGS)[0] if finding is not None else None
        wrong.append({"what": what, "proof": str(path) if path else None})
    if as_json:
        unclosed = [{"opener": who, "openings": count, "oldest": at} for who, count, at in seen.unclosed]
        about = {"ok": not wrong, "leaves": seen.size, "matches": seen.matches, "lost": seen.restored}
        print_json({**about, "wrong": wrong, "unclosed": unclosed})
        return bool(wrong)
    for one in wrong:
        proof = f"; the proof is in {one['proof']}" if one["proof"] else "; there is no proof but your word"
        click.echo(f"glasnost: WRONG: {_line(one['what'] or '')}{proof}", err=True)
    if not quiet:
        _summed(seen)
    return bool(wrong)


def _summed(seen: Seen) -> None:
    click.echo(
        f"{'wrong' if seen.wrong else 'ok'}: {seen.size} leaves in the log, {seen.matches} matches watched"
    )
    if seen.restored:
        click.echo(f"the operator has said that {seen.restored} leaves were lost")
    now = time.time_ns() // 1_000
    for opener, count, oldest in seen.unclosed[:SHOWN]:
        days = max(now - oldest, 0) // DAY
        who = _line(opener) or "the server itself, or private"
        click.echo(f"openings without an end: {count} by {who}, the oldest {days} days old")


def _line(text: str) -> str:
    from replay.sanitize import one_line

    return one_line(text)
