"""The options that name where a command of `glasnost tournament` is carried out.

`backend_options` adds them and hands over the `Backend`; `only_on_a_store` refuses those of a server.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from api.cli.common import STORE, CannotBeDone, named_store, read_bytes, store_option
from api.cli.tournament_backend import Backend

if TYPE_CHECKING:
    from api.store.open import Location

_MOST_TOKEN_BYTES = 4096
_TOKEN = re.compile(rb"[\x21-\x7e]{1,1024}")
F = TypeVar("F", bound=Callable[..., Any])


def backend_options(*, acts: bool = True, expects: bool = True) -> Callable[[F], F]:
    """`--store`, or `--url` and `--token-file`; the command gets a `backend`.

    Args:
        acts: an official acts, whom `--as` names for a store; a server knows them by the token.
        expects: if one acts, `--expect` may name the latest entry that they have seen.
    """

    def decorate(command: F) -> F:
        @functools.wraps(command)
        def on_backend(
            store: Location | None,
            url: str | None,
            token_file: Path | None,
            person: str = "",
            expect: int | None = None,
            **options: Any,
        ) -> Any:
            with closing(_backend(store, url, token_file, person, options["language"], expect)) as backend:
                return command(backend=backend, **options)

        found: Any = on_backend
        if acts:
            help = "The id of the official who acts on a store; else the opener."
            found = click.option("--as", "person", default="", help=help)(found)
        if acts and expects:
            found = click.option("--expect", type=click.IntRange(0), metavar="N", help=_EXPECT_HELP)(found)
        for option in (_token_file, _url, store_option(required=False, help=_STORE_HELP)):
            found = option(found)
        wrapped: F = found
        return wrapped

    return decorate


_STORE_HELP = f"The store: its directory or postgresql://...; else {STORE} names it."
_EXPECT_HELP = "The latest entry that you have seen; the command is refused if the tournament went on."
_url = click.option("--url", metavar="URL", help="A server that does it, such as http://127.0.0.1:8000.")
_token_file = click.option(
    "--token-file",
    metavar="F",
    type=click.Path(path_type=Path),
    help="With --url: a file with the token of who acts.",
)


def _backend(
    store: Location | None,
    url: str | None,
    token_file: Path | None,
    person: str,
    language: str,
    expect: int | None,
) -> Backend:
    """The backend that these options name.

    Raises:
        CannotBeDone: none or two are named, the file holds no token, or there is no such address.
    """
    if url is None:
        from api.cli.tournament_gate import StoreBackend

        place = store or named_store()
        if token_file is not None:
            raise CannotBeDone("--token-file: it is for a server; name that with --url")
        if place is None:
            raise CannotBeDone(f"name a store with --store (or {STORE}), or a server with --url")
        return StoreBackend(place, person, language, expect)
    from api.cli.tournament_remote import ServerBackend
    from api.server_client import Server

    if store is not None:
        raise CannotBeDone("name a store with --store, or a server with --url, and not both")
    if person:
        raise CannotBeDone("--as: on a server the token says who acts")
    token = read_token(token_file) if token_file else ""
    try:
        server = Server(url, token, waiting=_say_so, attempts=_ATTEMPTS, language=language)
    except ValueError as error:
        raise CannotBeDone(f"--url {url!r}: this is no address of a server") from error
    return ServerBackend(server, expect)


_ATTEMPTS = 5  # with a second or less between them, if the server does not ask for more


def _say_so() -> None:
    click.echo("waiting for the server", err=True)


def read_token(path: Path) -> str:
    """Return the token in a file: the token alone, or the account that `glasnost bot` keeps.

    Raises:
        CannotBeDone: the file cannot be read, or holds no token.  The content is not shown.
    """
    import msgspec

    from api.bots.client import Account

    content = read_bytes(path, limit=_MOST_TOKEN_BYTES, what="token").strip()
    if content.startswith(b"{"):
        try:
            content = msgspec.json.decode(content, type=Account).token.encode()
        except (msgspec.DecodeError, RecursionError) as error:
            raise CannotBeDone(f"{path} holds no token") from error
    if not _TOKEN.fullmatch(content):
        raise CannotBeDone(f"{path} holds no token")
    return content.decode("ascii")


def only_on_a_store(instead: str) -> Callable[[F], F]:
    """`--url` and `--token-file`, which this command refuses with one line.

    Args:
        instead: what does the same on a server, such as "see the page /t".
    """

    def refuse(ctx: click.Context, parameter: click.Parameter, value: object) -> None:
        if value is not None and not ctx.resilient_parsing:
            raise CannotBeDone(f"{parameter.opts[0]}: this command works on a store only; {instead}")

    def decorate(command: F) -> F:
        for name in ("--url", "--token-file"):
            option = click.option(name, hidden=True, expose_value=False, is_eager=True, callback=refuse)
            command = option(command)
        return command

    return decorate
