"""`glasnost data`: data sets of matches, as tables for SQL and for notebooks."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from api.cli.common import (
    CannotBeDone,
    FoundWrong,
    json_option,
    opened_store,
    print_json,
    progress,
    read_bytes,
    store_option,
)
from api.garbage import collect_less
from api.settings import ANALYSIS, missing, product, read
from replay.sanitize import one_line

if TYPE_CHECKING:
    from api.store.open import Location
    from replay.dataset.build import Builder, Built

_MOST_LICENCE = 1024 * 1024  # bytes
_LOOK = 1.0  # seconds between two looks at the store with --follow
_folder = click.argument("folder", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))


@click.group()
def data() -> None:
    """Build data sets: every match that is over, as tables for SQL and notebooks.

    A data set is a folder of Parquet files with a manifest.  It holds only what everybody may see now:
    matches that are over, without names.  DuckDB, Polars and pandas read it, and in Python `replay.dataset`.

    \b
    Example:
      glasnost data build club --store games
      glasnost data snapshot club club-may --store games
      glasnost data check club-may
    """


@data.command()
@_folder
@store_option()
@click.option("--follow", is_flag=True, help="Go on: each match is added some seconds after it closes.")
@click.option(
    "--running",
    is_flag=True,
    help="Matches that run, as a spectator sees them, instead of those over; without the tables of a game.",
)
@click.option("--coarse-times", is_flag=True, help="Cut times to the day, and leave out think times.")
@click.option(
    "--without",
    type=click.Choice(["decisions"]),
    multiple=True,
    help="Leave this table out; the options of each decision take most of the time.",
)
@json_option
def build(
    folder: Path,
    store: Location,
    follow: bool,
    running: bool,
    coarse_times: bool,
    without: tuple[str, ...],
    as_json: bool,
) -> None:
    """Build the data set in DIR, or bring it up to date, also while the store is served.

    Only what is new is read.  A build can be interrupted at any moment and started again: the files are the
    same, byte for byte, as those of a build from nothing.  Matches that are withdrawn later leave the data
    set with the next build, players who are forgotten get another id in all rows, and matches that a ruling
    of a tournament rates again get their new ratings.

    The folder DIR.state beside DIR belongs to the build.  It can be deleted while no build runs.

    \b
    Example:
      glasnost data build club --store games
      glasnost data build club --store postgresql://reader@replica/games --follow
    """
    from replay.dataset.build import Builder, alone
    from replay.dataset.manifest import Settings

    must_have_packages()
    settings = Settings(running, coarse_times, tuple(sorted(set(without))))
    folder = folder.resolve()
    state = folder.with_name(f"{folder.name}.state")
    with opened_store(store, write=False) as opened, data_set_errors(folder), alone(state):
        from api.store.data_source import DataSource

        with closing(DataSource(opened, state, _say)) as source, progress("build") as advance:
            collect_less()
            builder = Builder(folder, state, source, settings, product(), report=_say, advance=advance)
            _print(builder.build(), as_json)
            while follow:
                _follow(builder, as_json)


def _follow(builder: Builder, as_json: bool) -> None:
    """Wait a moment; build if a match has closed."""
    time.sleep(_LOOK)
    if builder.is_behind():
        _print(builder.build(), as_json)


@data.command()
@_folder
@click.argument("target", metavar="NEW", type=click.Path(path_type=Path))
@store_option()
@click.option(
    "--licence",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="A text that says what may be done with the data; it becomes the file LICENCE.",
)
@json_option
def snapshot(folder: Path, target: Path, store: Location, licence: Path | None, as_json: bool) -> None:
    """Make a snapshot of the data set in DIR as the new folder NEW, signed with the key of the store.

    A snapshot never changes: its identifier is the SHA-256 of its manifest, which names every part by its
    own SHA-256.  The parts are linked, so a snapshot takes hardly any space beside DIR.  DICTIONARY.md says
    what was seen in each column, and CITE how to name the snapshot.

    \b
    Example:
      glasnost data snapshot club club-may --store games --licence CC-BY-4.0.txt
    """
    from api.store.interface import StoreError
    from replay.dataset import snapshot as snapshots

    must_have_packages()
    text = None if licence is None else _text(licence)
    with opened_store(store, write=False) as opened, data_set_errors(folder):
        try:
            key = opened.own_keys().signing
        except StoreError as error:
            raise CannotBeDone(str(error)) from error
        made = snapshots.make(folder.resolve(), target.resolve(), key, text)
    about = {
        "snapshot": made.manifest.snapshot,
        "matches": made.manifest.matches,
        "to": made.manifest.to,
        "key": key.verifying.text,
        "copied": made.copied,
    }
    if as_json:
        print_json(about)
        return
    click.echo(f"{target}: {made.manifest.snapshot}, {made.manifest.matches} matches")
    click.echo(f"signed; check it anywhere: glasnost data check {target} --key {key.verifying.text}")


@data.command()
@_folder
@click.option(
    "--key", "keys", metavar="VKEY", multiple=True, help="A key whose signature counts; repeatable."
)
@json_option
def check(folder: Path, keys: tuple[str, ...], as_json: bool) -> None:
    """Compare every file of a data set or a snapshot with its manifest, and check the signature.

    It needs neither a store nor a network.  `glasnost keys` prints the key of a store.

    \b
    Example:
      glasnost data check club-may --key games.example+...
    """
    from api.cli.verify import trusted_keys
    from replay.dataset import snapshot as snapshots

    must_have_packages()
    with data_set_errors(folder):
        found = snapshots.check(folder, trusted_keys(keys, None))
    signers = found.signed.text() if found.signed else "no signature"
    if as_json:
        about = {"snapshot": found.manifest.snapshot, "wrong": found.wrong, "signed": found.signed}
        print_json({**about, "matches": found.manifest.matches, "parts": len(found.manifest.parts)})
    else:
        for line in found.wrong:
            click.echo(line)
        parts = len(found.manifest.parts)
        click.echo(f"{found.manifest.snapshot}: {parts} parts, {found.manifest.matches} matches; {signers}")
    if found.wrong:
        raise FoundWrong(f"{folder}: {len(found.wrong)} files are not as the manifest says")
    if keys and not (found.signed and found.signed.by):
        raise FoundWrong(f"{folder}: none of these keys signed it")


@data.command()
@click.argument("one", metavar="A", type=click.Path(file_okay=False, path_type=Path))
@click.argument("two", metavar="B", type=click.Path(file_okay=False, path_type=Path))
@json_option
def changes(one: Path, two: Path, as_json: bool) -> None:
    """Say which matches differ between the data sets A and B, and how.

    + a match that only B has, - one that only A has, ~ one that differs.  Parts that both have are not read,
    so snapshots of the same data set are compared quickly.

    \b
    Example:
      glasnost data changes club-april club-may
    """
    import msgspec

    from replay.dataset import snapshot as snapshots

    must_have_packages()
    with data_set_errors(one):
        found = snapshots.differences(one, two)
    if as_json:
        print_json(msgspec.to_builtins(found))
        return
    lines = [f"table {table}: not in both, or with other columns" for table in found.tables]
    lines += [f"+ {match}" for match in found.added] + [f"- {match}" for match in found.removed]
    lines += [f"~ {match}: {'; '.join(how)}" for match, how in found.changed.items()]
    lines += [f"change: {line}" for line in found.changes]
    for line in lines or ["no difference"]:
        click.echo(one_line(line))


@data.command()
@_folder
@click.option(
    "--socket",
    "path",
    metavar="PATH",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Listen at this Unix socket, for a server on this machine.",
)
@click.option(
    "--port", type=click.IntRange(0, 65535), help="Listen on this port of this machine; 0 for a free one."
)
@click.option(
    "--work",
    metavar="FOLDER",
    type=click.Path(file_okay=False, exists=True, path_type=Path),
    help="An empty folder for the copy that SQL reads, with room for some three times the data set.",
)
@click.option("--attached", is_flag=True, hidden=True, help="End when standard input is closed.")
def serve(folder: Path, path: Path | None, port: int | None, work: Path | None, attached: bool) -> None:
    """Answer from the data set in DIR over HTTP: saved queries, positions, downloads.

    This process opens the data set and nothing else: no store, no keys, no people.  It follows DIR while
    that is built on.  `glasnost serve` starts it by itself if GLASNOST_DATA names DIR, and passes requests
    on to it; so you need this command only to run it apart, as ops/systemd/glasnost-data.service does.

    With GLASNOST_SQL=on it answers SQL, too.  Behind --socket the server says who asks; with --port the
    process prints a token when it starts, and only requests with it are answered in SQL.

    \b
    Example:
      glasnost data serve club --port 8100
      glasnost data serve club --socket /run/glasnost-data/socket
    """
    must_have_packages()
    if (path is None) == (port is None):
        raise click.UsageError("name either --socket PATH or --port N")
    from api.data import serving

    sql = _sql_is_on()
    with data_set_errors(folder):
        try:
            with (
                serving.listening_on_socket(path) if path else serving.listening_on_port(port or 0)
            ) as listener:
                where = str(path) if path else f"http://127.0.0.1:{listener.getsockname()[1]}"
                token = secrets.token_urlsafe(32) if sql and not path else ""
                said = f"listening on {where}\n"
                said += f"to ask in SQL, send the header Authorization: Bearer {token}\n" if token else ""
                is_left = serving.serve(
                    folder.resolve(),
                    listener,
                    log_level=read(os.environ).log_level,
                    attached=attached,
                    sql=sql,
                    token=token,
                    work=work,
                    ready=lambda: print(said, end="", flush=True),
                )
            if is_left and path:
                serving.leave_nothing(path, work)
        except serving.CannotListen as error:
            raise CannotBeDone(str(error)) from error


def _sql_is_on() -> bool:
    """Does the environment switch SQL on?  Raises CannotBeDone."""
    from api.http.data_process import SQL

    said = os.environ.get(SQL, "off")
    if said not in ("on", "off"):
        raise CannotBeDone(f"{SQL} is on or off, not {said!r}")
    return said == "on"


def _text(path: Path) -> str:
    """The text of a licence.  Raises CannotBeDone."""
    try:
        return read_bytes(path, limit=_MOST_LICENCE, what="licence").decode()
    except UnicodeDecodeError as error:
        raise CannotBeDone(f"{path}: not UTF-8 at byte {error.start}; save it as UTF-8") from error


def must_have_packages() -> None:
    """Check that the extra for analysts is installed.  Raises CannotBeDone."""
    if lack := missing(ANALYSIS, "`glasnost data`"):
        raise CannotBeDone(lack)


@contextmanager
def data_set_errors(folder: Path) -> Iterator[None]:
    """Raise CannotBeDone for a data set that is damaged, in use, or cannot be written."""
    from replay.dataset.build import Busy
    from replay.dataset.manifest import BadDataSet

    try:
        yield
    except BadDataSet as error:
        raise CannotBeDone(str(error)) from error
    except Busy as error:
        raise CannotBeDone(f"{folder}: {error}") from error
    except OSError as error:
        raise CannotBeDone(
            f"{error.filename or folder}: {error.strerror or error}; the data set is as it was before"
        ) from error


def _print(built: Built, as_json: bool) -> None:
    manifest = built.manifest
    left_out = sum(len(one.left_out) for one in manifest.slices)
    size = sum(part.bytes for part in manifest.parts)
    if as_json:
        print_json(
            {
                "snapshot": manifest.snapshot,
                "to": manifest.to,
                "matches": manifest.matches,
                "built": built.matches,
                "left_out": left_out,
                "parts": len(manifest.parts),
                "bytes": size,
            }
        )
        return
    click.echo(
        f"{manifest.matches} matches, {built.matches} of them built now, in {len(manifest.parts)} parts"
        f" of {size:,} bytes, up to record {manifest.to} of the store; {manifest.snapshot}"
    )


def _say(line: str) -> None:
    click.echo(one_line(line), err=True)
