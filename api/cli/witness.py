"""`glasnost witness`: follow the log of a server from another machine, and cosign it."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from api.cli.common import FOUND_WRONG, NOT_DONE, CannotBeDone, every_option, trust_option
from api.cli.verify import trusted_keys

if TYPE_CHECKING:
    from replay.transparency.client import LogReader

LISTEN = "HOST:PORT"


@click.command()
@click.option("--follow", "urls", metavar="URL", multiple=True, help="The URL of a log; repeatable.")
@click.option("--log", "keys", metavar="VKEY", multiple=True, help="The key of a log; repeatable.")
@trust_option()
@click.option(
    "--state",
    metavar="FILE",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="What the witness remembers; findings are written to FILE.findings/.",
)
@click.option(
    "--key",
    "key",
    metavar="FILE",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="The private key of the witness; with --name it is made if there is none.",
)
@click.option("--name", help="The name of a new witness, such as witness.example.org.")
@click.option("--listen", metavar=LISTEN, help="Also answer over HTTP: add-checkpoint, and what is cosigned.")
@every_option(1, 60)
@click.option("--once", is_flag=True, help="Look once, and end.")
def witness(
    urls: Sequence[str],
    keys: Sequence[str],
    trust: Path | None,
    state: Path,
    key: Path,
    name: str | None,
    listen: str | None,
    every: float,
    once: bool,
) -> int:
    """Follow the logs of servers, and cosign each checkpoint that goes on from the one before.

    Run it on a machine that the server's owner does not control.  A cosignature says: this log has shown me
    one history.  A server that shows two people two histories, or goes back to an older one, is caught: the
    witness says so, does not cosign, and keeps the signed checkpoints as a proof that `glasnost evidence`
    checks anywhere.

    The witness needs the key of each log (`glasnost keys`, or /v1/keys of the server).  It keeps one small
    file.  Copy it with the key or not at all: a witness that forgot what it cosigned could cosign a second
    history.

    Exit codes: 0 done, 1 a log was caught, 2 it could not be done.

    \b
    Example:
      glasnost witness --follow https://games.example.org/log --log VKEY --state w.state --key w.key --name w1
    """
    from api.witness.memory import CannotRemember, Memory
    from api.witness.program import Program, now, opened_key
    from api.witness.witness import Witness

    known = trusted_keys(keys, trust, option="--log")
    if not known:
        raise click.UsageError("name the key of each log with --log or --trust")
    if not urls and listen is None:
        raise click.UsageError("name a log with --follow, or an address with --listen")
    logs = [_log(url) for url in urls]
    listener = _listening(listen) if listen else None
    try:
        cosigner, is_new = opened_key(key, name)
        memory = Memory(state, cosigner.verifying.label, new=is_new)
        try:
            click.echo(f"witness {cosigner.verifying.text}")
            one = Witness(cosigner, memory, known, now)
            program = Program(one, logs, state.with_name(f"{state.name}.findings"), _say, _say_loud)
            program.run(None if once else every, listener)
        finally:
            memory.close()
    except CannotRemember as error:
        raise CannotBeDone(str(error)) from error
    if program.caught_any:
        return FOUND_WRONG
    return NOT_DONE if once and program.failed else 0


def _log(url: str) -> LogReader:
    from replay.fetching import CannotFetch
    from replay.transparency.client import LogReader

    try:
        return LogReader(url)
    except CannotFetch as error:
        raise click.UsageError(f"--follow: {error}") from error


def _listening(text: str) -> socket.socket:
    host, colon, port = text.rpartition(":")
    if not colon or not port.isdecimal() or int(port) > 65_535:
        raise click.UsageError(f"--listen: {text!r} is not {LISTEN}")
    try:
        return socket.create_server((host.strip("[]"), int(port)), backlog=128)
    except OSError as error:
        raise CannotBeDone(f"--listen: {text}: {error.strerror or error}") from error


def _say(text: str) -> None:
    from replay.sanitize import one_line

    click.echo(one_line(text))


def _say_loud(text: str) -> None:
    from replay.sanitize import one_line

    click.echo(f"glasnost: {one_line(text)}", err=True)
