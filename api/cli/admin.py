"""`glasnost serve`, `admin-token`, `keys`, `backup`, `restore`, `withdraw`: commands for a store's owner."""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from api.cli.common import (
    CannotBeDone,
    file_argument,
    json_option,
    must_hold_a_store,
    named_store,
    opened_store,
    print_json,
    progress,
    store_option,
)
from domain.bounds import Reason

if TYPE_CHECKING:
    from api.store.interface import Person
    from api.store.open import Location


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="The port; 0: a free one."
)
@store_option(
    required=False,
    help="The store: DIR or postgresql://...; default: GLASNOST_STORE, else var/store.",
)
@click.option("--empty", is_flag=True, help="Do not play one bot match of each game on an empty store.")
def serve(host: str, port: int, store: Location | None, empty: bool) -> None:
    """Serve the HTTP API until Ctrl-C; prints "listening on http://..." when it answers.

    The documentation of the API is at /docs.  Settings are environment variables (GLASNOST_...).

    \b
    Example:
      glasnost serve --store games
      glasnost serve --store games --port 0 --empty
    """
    from api.http.server import CannotServe
    from api.http.server import serve as served
    from api.settings import BadSetting
    from api.store.interface import StoreError

    location = store or named_store() or Path("var/store")
    try:
        served(location, host, port, empty=empty, tell=lambda line: click.echo(line))
    except (CannotServe, BadSetting, StoreError) as error:
        raise CannotBeDone(str(error)) from error


@click.command("admin-token")
@store_option()
@click.option("--name", default="admin", show_default=True, help="The administrator's name.")
@json_option
def admin_token(store: Location, name: str, as_json: bool) -> None:
    """Make an administrator and print the token.  It is printed only once: the store keeps its hash.

    A server may be running on the store: it accepts the token at once.

    \b
    Example:
      glasnost admin-token --store games
    """
    if not 1 <= len(name) <= 64 or not name.isprintable():
        raise CannotBeDone("--name: 1 to 64 printable characters")
    must_hold_a_store(store)
    person, token = _administrator(store, name)
    if as_json:
        print_json({"player": person.id, "token": token, "role": "admin"})
        return
    click.echo(token)
    click.echo(f"the token of {name} ({person.id}); it is shown only once, keep it safe", err=True)


def _administrator(store: Location, name: str) -> tuple[Person, str]:
    from api.store.accounts import appoint
    from api.store.interface import StoreError
    from api.store.open import own_key_folder

    try:
        return _entered(store, name) or appoint(own_key_folder(store), name)
    except StoreError as error:
        raise CannotBeDone(str(error)) from error


def _entered(store: Location, name: str) -> tuple[Person, str] | None:
    """Add an administrator to a store; return None if another process holds it (only a directory is held)."""
    from api.store.interface import InUse
    from api.store.open import open_store

    try:
        with closing(open_store(store)) as opened:
            return opened.people.add(name, "admin")
    except InUse:
        return None


@click.command()
@store_option()
@click.option(
    "--rotate",
    is_flag=True,
    help="Make a new key, which signs from now on; no server may run on an embedded store.",
)
@json_option
def keys(store: Location, rotate: bool, as_json: bool) -> None:
    """Print the keys that sign a store's matches, for `glasnost verify --key` or a trust file.

    The first line is the key that signs now; retired keys follow.

    \b
    Example:
      glasnost keys --store games > trusted.txt
      glasnost verify match.glasnost --trust trusted.txt
    """
    must_hold_a_store(store)
    with opened_store(store, write=rotate) as opened:
        ring = opened.keys
        if rotate:
            ring.rotate(time.time_ns() // 1000)
            opened.note_signing()
        present, retired = ring.present.text, [key.text for key in reversed(ring.retired)]
        rotations = list(ring.rotations)
    if as_json:
        print_json({"present": present, "retired": retired, "rotations": rotations})
        return
    for key in (present, *retired):
        click.echo(key)


@click.command()
@store_option(help="The directory of an embedded store.")
@file_argument(required=False)
@click.option("--out", metavar="FILE", type=click.Path(path_type=Path), help="Another way to name FILE.")
@click.option("--without-secrets", is_flag=True, help="Leave the matches' wrapped secrets out of the copy.")
@json_option
def backup(
    store: Location, file: Path | None, out: Path | None, without_secrets: bool, as_json: bool
) -> None:
    """Copy an embedded store, also while it is served, to the new FILE (default: its name and the time).

    The key folder is not in the copy.  Keep a copy of it elsewhere: with both, the hands and dice to come can
    be computed.

    \b
    Example:
      glasnost backup --store games games.backup
    """
    from api.store.backup import backup as copied
    from api.store.interface import StoreError

    if file and out:
        raise click.UsageError("name the file once")
    now, folder = time.strftime("%Y%m%d-%H%M%SZ", time.gmtime()), _directory(store)
    target = file or out or Path(f"{folder.absolute().name}-{now}.backup")
    try:
        with progress("backup") as bar:
            content = copied(folder, target, with_vault=not without_secrets, advance=bar)
    except StoreError as error:
        raise CannotBeDone(str(error)) from error
    _print("backup", target, folder, content.matches, content.moves, as_json)


@click.command()
@store_option(help="The new store's directory: empty or new.")
@file_argument()
@json_option
def restore(store: Location, file: Path, as_json: bool) -> None:
    """Make a new store from the backup FILE.

    Put the key folder of the old store beside it, as DIR.keys, or name it with GLASNOST_KEYS.

    \b
    Example:
      glasnost restore --store games-again games.backup
    """
    from api.store.backup import restore as restored
    from api.store.interface import StoreError

    folder = _directory(store)
    try:
        with progress("restore") as bar:
            content = restored(file, folder, advance=bar)
    except StoreError as error:
        raise CannotBeDone(str(error)) from error
    _print("restored", file, folder, content.matches, content.moves, as_json)


def _directory(store: Location) -> Path:
    """The directory of an embedded store.

    Raises:
        CannotBeDone: it is a database, which PostgreSQL's own tools back up, or several stores.
    """
    from api.store.open import ShardsFile

    if isinstance(store, ShardsFile):
        raise CannotBeDone(
            f"{store.path} divides a store into shards, which this version does not: `glasnost migrate"
            f" --from {store} --to STORE` takes them back into one store"
        )
    if isinstance(store, str):
        raise CannotBeDone(
            "a PostgreSQL store is backed up by PostgreSQL's own means (pg_basebackup, pg_dump); `glasnost"
            " migrate` copies it into the directory of an embedded store"
        )
    return store


def _print(done: str, file: Path, store: Path, matches: int, moves: int, as_json: bool) -> None:
    from replay.sanitize import amount

    if as_json:
        print_json({"file": str(file), "store": str(store), "matches": matches, "moves": moves})
        return
    where = f"{store} to {file}" if done == "backup" else f"{file} to {store}"
    click.echo(f"{done}: {where}, {amount(matches, moves)}")


# ── `glasnost withdraw` ──

_OPERATOR = "command line"  # who withdrew, because there is no administrator's token


@click.command()
@click.argument("match")
@click.option(
    "--reason", required=True, help="The reason; it is shown to every client that asks for the match."
)
@store_option()
@json_option
def withdraw(match: str, reason: str, store: Location, as_json: bool) -> None:
    """Withdraw the uploaded MATCH, so that no list, board, history or export shows it.

    Its moves stay in the log, and its id cannot be used again.  No server may run on an embedded store; if
    one does, POST /v1/matches/MATCH/withdrawal does the same.

    \b
    Example:
      glasnost withdraw m7ct2 --store games --reason "an advertisement, not a match"
    """
    from api.store.interface import StoreError, Withdrawal

    try:
        msgspec.convert(reason, Reason)
    except msgspec.ValidationError as error:
        raise CannotBeDone("--reason: 1 to 2000 characters") from error
    must_hold_a_store(store)
    with opened_store(store) as opened:
        try:
            if opened.signer(match) is None:
                raise CannotBeDone(f"there is no uploaded match {match!r} in this store")
            now = time.time_ns() // 1_000
            kept = opened.uploads.withdraw(Withdrawal(match, now, _OPERATOR, reason))
        except StoreError as error:
            raise CannotBeDone(str(error)) from error
    if as_json:
        print_json({"match": kept.match, "at": kept.at, "by": kept.by, "reason": kept.reason})
        return
    click.echo(f"withdrawn: {kept.match}, by {kept.by}: {kept.reason}")
