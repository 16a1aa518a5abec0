"""`glasnost data`: data sets of matches, as tables for SQL and for notebooks."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from api.cli.common import CannotBeDone, json_option, opened_store, print_json, progress, store_option
from api.settings import ANALYSIS, missing, product

if TYPE_CHECKING:
    from api.store.open import Location
    from replay.dataset.build import Builder, Built

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
    "--running", is_flag=True, help="Matches that run, as a spectator sees them, instead of those over."
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
    set with the next build, and players who are forgotten get another id in all rows.

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
            builder = Builder(folder, state, source, settings, product(), report=_say, advance=advance)
            _print(builder.build(), as_json)
            while follow:
                _follow(builder, as_json)


def _follow(builder: Builder, as_json: bool) -> None:
    """Wait a moment; build if a match has closed."""
    time.sleep(_LOOK)
    if builder.is_behind():
        _print(builder.build(), as_json)


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
    from replay.sanitize import one_line

    click.echo(one_line(line), err=True)
