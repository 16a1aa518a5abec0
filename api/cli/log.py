"""`glasnost log`: export the server's transparency log, and say that it was restored."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from api.cli.common import (
    CannotBeDone,
    json_option,
    must_hold_a_store,
    opened_store,
    print_json,
    progress,
    store_option,
    write_file,
)

if TYPE_CHECKING:
    from api.store.open import Location
    from api.store.transparency import SqlTransparency


@click.group()
def log() -> None:
    """The transparency log: one Merkle tree over all openings and ends of matches, tournaments and keys.

    A server keeps it by itself, and serves it under /log/.

    \b
    Example:
      glasnost log export public/log --store games
    """


@log.command()
@click.argument("directory", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@store_option()
@json_option
def export(directory: Path, store: Location, as_json: bool) -> None:
    """Write the log as static files into DIR: the checkpoint, tiles and leaves (C2SP tlog-tiles).

    Any web server can serve DIR.  A later run adds what is new; the checkpoint is written last.

    \b
    Example:
      glasnost log export public/log --store games
    """
    must_hold_a_store(store)
    with opened_store(store, write=False) as opened:
        transparency = opened.transparency
        latest = transparency.latest()
        if latest is None:
            raise CannotBeDone("no checkpoint of the log is signed yet: serve the store once")
        written = _write_tiles(transparency, latest.size, directory)
        write_file(directory / "checkpoint", latest.text.encode())
    if as_json:
        print_json({"directory": str(directory), "leaves": latest.size, "written": written})
    else:
        click.echo(f"{directory}: {latest.size} leaves, {written} new files, and the checkpoint")


def _write_tiles(transparency: SqlTransparency, size: int, directory: Path) -> int:
    """Write the tiles and bundles that are not there; return how many."""
    from replay.transparency.tiles import tiles

    wanted, written = list(tiles(size)), 0
    with progress("export", len(wanted)) as bar:
        for tile in wanted:
            path = directory / "tile" / tile.path
            if not path.exists():
                content = transparency.served(tile)
                if content is None:
                    raise CannotBeDone(f"the tile {tile.path} is missing in the store")
                path.parent.mkdir(parents=True, exist_ok=True)
                write_file(path, content)
                written += 1
            bar(1)
    return written


@log.command()
@store_option()
@click.option("--reason", metavar="TEXT", required=True, help="Why signed leaves are lost; it is public.")
@json_option
def restored(store: Location, reason: str, as_json: bool) -> None:
    """Say why leaves that this server signed are lost, so that it signs again.

    A store that was restored from an older backup is behind the last checkpoint of its log: the server then
    signs nothing and takes no move.  The statement becomes a leaf of the log for ever.  No server may run on
    an embedded store meanwhile.

    \b
    Example:
      glasnost log restored --store games --reason "the disk failed; back to the backup of 3 March, 04:00"
    """
    from api.store.interface import StoreError
    from api.store.log_writer import LogWriter
    from replay.sanitize import one_line
    from replay.transparency.leaf import MOST_REASON

    said = reason.strip()
    if not 1 <= len(said) <= MOST_REASON or one_line(said) != said:
        raise CannotBeDone(f"--reason: one line of 1 to {MOST_REASON} characters")
    must_hold_a_store(store)
    with opened_store(store) as opened:
        try:
            leaf = LogWriter(opened, opened.keys, lambda: time.time_ns() // 1_000).restored(said)
        except StoreError as error:
            raise CannotBeDone(str(error)) from error
    if as_json:
        print_json({"leaves": leaf.size, "lost": leaf.lost, "signed": leaf.signed, "reason": said})
    else:
        click.echo(
            f"restored to {leaf.size} leaves, {leaf.lost} lost of the {leaf.signed} that were signed;"
            f" leaf {leaf.size} says why"
        )
