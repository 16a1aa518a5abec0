"""`glasnost evidence`: check what a witness or a watcher caught a server at."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from api.cli.common import FoundWrong, file_argument, json_option, key_options, print_json, read_bytes
from api.cli.verify import trusted_keys


@click.command()
@file_argument()
@key_options("A key of the server")
@json_option
def evidence(file: Path, keys: Sequence[str], trust: Path | None, as_json: bool) -> None:
    """Check, without a network, that FILE proves a lie of the server with these keys.

    `glasnost witness` and `glasnost watch` write such files.  The command prints what is proved.  Exit codes:
    0 it is proved, 1 the file proves nothing against these keys, 2 it could not be checked.

    \b
    Example:
      glasnost evidence fork-3f0a6c1d2e4b5a69.json --key VKEY
    """
    from domain.log import Damaged
    from replay.sanitize import one_line
    from replay.transparency import findings

    known = trusted_keys(keys, trust)
    if not known:
        raise click.UsageError("name the keys of the server with --key or --trust")
    data = read_bytes(file, limit=findings.MOST_BYTES, what="finding")
    try:
        proved = findings.checked(data, known)
    except Damaged as error:
        raise FoundWrong(f"{file}: {error}") from error
    if as_json:
        print_json({"proved": proved})
    else:
        click.echo(f"proved: {one_line(proved)}")
