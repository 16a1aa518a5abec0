"""`glasnost serve`: the HTTP API over one store."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from api.cli.common import CannotBeDone, named_store, store_option

if TYPE_CHECKING:
    from api.store.location import Location


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
    """Serve the HTTP API until Ctrl-C; print "listening on http://..." when the server is ready.

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
