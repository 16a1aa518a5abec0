"""Where a command of `glasnost tournament` is carried out: over a store, or by a server over HTTP.

Both are a `Desk`; a command knows only that.  `desk_options` adds the options that name it.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Protocol, TypeVar

import click
from msgspec import Struct

from api.cli.common import STORE, CannotBeDone, named_store, print_json, read_bytes, store_option

if TYPE_CHECKING:
    from api.gate.tournament_integrity import Integrity
    from api.store.open import Location
    from domain.tournaments import commands as c
    from domain.tournaments.terms import Terms
    from replay.tournaments.entrant_list import ListedEntrant
    from replay.tournaments.exports import Wanted
    from replay.tournaments.standings import Explained, Standings

WORDS = {
    "en": {
        "entry": "entry",
        "place": "place",
        "entrant": "entrant",
        "boards": "boards",
        "bye": "without a board",
    },
    "ru": {"entry": "запись", "place": "место", "entrant": "участник", "boards": "доски", "bye": "без доски"},
}
_MOST_TOKEN_BYTES = 4096
_TOKEN = re.compile(rb"[\x21-\x7e]{1,1024}")
F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")


class Added(Struct, frozen=True):
    """What a command added: the latest entry, the root after it, and the kinds of the entries."""

    tournament: str
    entry: int
    root: str
    kinds: tuple[str, ...]


class InvitationCode(Struct, frozen=True):
    """A kept place: the person has no account but this code."""

    name: str
    person: str
    code: str


class Drafted(Struct, frozen=True):
    """A pairing that is not stored, for the state after `entry`."""

    entry: int
    draft: Any  # see `domain.tournaments.commands.PairingDraft`; of a server without the engine's input
    sha256: str
    boards: tuple[tuple[str, str, str, str], ...]
    byes: dict[str, str]


class Table(Struct, frozen=True):
    """Standings after an entry.  `names`: of the entrants, those that are known; `why`: of one entrant."""

    title: str
    entry: int
    standings: Standings
    names: dict[str, str]
    why: tuple[Explained, ...] | None


class Desk(Protocol):
    """Carries out commands.  Each raises CannotBeDone: it is refused, or the store or server is away."""

    def announce(self, title: str, terms: Terms) -> Added:
        """Announce a tournament; who acts is its director."""

    def enter(self, tournament: str, listed: list[ListedEntrant]) -> tuple[Added, tuple[InvitationCode, ...]]:
        """Enter all of a list, or nobody."""

    def draft(self, tournament: str) -> Drafted:
        """Pair the next round, and store nothing."""

    def pair(self, tournament: str) -> Added:
        """Pair the next round; the lot for the first colour is drawn before the first one."""

    def publish_round(self, tournament: str) -> Added:
        """Publish the latest round."""

    def publish_standings(self, tournament: str, *, final: bool) -> Added:
        """Publish the standings."""

    def close_round(self, tournament: str, boards: list[dict[str, object]], reason: str) -> Added:
        """Close the latest round; `boards`: see `domain.tournaments.commands.BoardPolicy`."""

    def rule(self, tournament: str, order: c.Rule, seen: str) -> Added:
        """Decide the result of a board; `seen`: the hash of its preview, for a closed round."""

    def preview(self, tournament: str, order: c.Rule) -> object:
        """What a ruling would change; see `api.gate.tournament_previews.Preview`."""

    def advance(self, tournament: str, order: c.Advance) -> Added:
        """Let those go on who have qualified."""

    def measure(self, tournament: str, order: c.FreezeMatch | c.ReleaseMatch) -> Added:
        """Freeze or release a match."""

    def standings(self, tournament: str, at: int | None, entrant: str | None, *, named: bool) -> Table:
        """The standings after an entry (None: the latest); `named`: with title and names."""

    def integrity(self, tournament: str) -> Integrity:
        """The integrity table."""

    def export(self, tournament: str, wanted: Wanted, into: IO[bytes], *, with_proofs: bool = False) -> None:
        """Write an export to an empty file; `with_proofs`: with those from the server's log (bundle)."""

    def close(self) -> None:
        """Hang up."""


def converted(kind: type[T], **plain: object) -> T:
    """Return a command from plain data.  Raises CannotBeDone: it is none."""
    import msgspec

    try:
        return msgspec.convert(plain, kind)
    except msgspec.ValidationError as error:
        raise CannotBeDone(str(error)) from error


def desk_options(*, acts: bool = True) -> Callable[[F], F]:
    """`--store`, or `--url` and `--token-file`; the command gets a `desk`.

    Args:
        acts: an official acts, whom `--as` names for a store; a server knows them by the token.
    """

    def decorate(command: F) -> F:
        @functools.wraps(command)
        def at_desk(
            store: Location | None, url: str | None, token_file: Path | None, person: str = "", **given: Any
        ) -> Any:
            with closing(_desk(store, url, token_file, person, given["language"])) as desk:
                return command(desk=desk, **given)

        found: Any = at_desk
        if acts:
            help = "The id of the official who acts on a store; else the opener."
            found = click.option("--as", "person", default="", help=help)(found)
        for option in (_token_file, _url, store_option(required=False, help=_STORE_HELP)):
            found = option(found)
        wrapped: F = found
        return wrapped

    return decorate


_STORE_HELP = f"The store: its directory or postgresql://...; else {STORE} names it."
_url = click.option("--url", metavar="URL", help="A server that does it, such as http://127.0.0.1:8000.")
_token_file = click.option(
    "--token-file",
    metavar="F",
    type=click.Path(path_type=Path),
    help="With --url: a file with the token of who acts.",
)


def _desk(
    store: Location | None, url: str | None, token_file: Path | None, person: str, language: str
) -> Desk:
    """The desk that these options name.

    Raises:
        CannotBeDone: none or two are named, the file holds no token, or there is no such address.
    """
    if url is None:
        from api.cli.tournament_gate import StoreDesk

        place = store or named_store()
        if token_file is not None:
            raise CannotBeDone("--token-file: it is for a server; name that with --url")
        if place is None:
            raise CannotBeDone(f"name a store with --store (or {STORE}), or a server with --url")
        return StoreDesk(place, person, language)
    from api.cli.tournament_remote import RemoteDesk
    from api.server_client import Server

    if store is not None:
        raise CannotBeDone("name a store with --store, or a server with --url, and not both")
    if person:
        raise CannotBeDone("--as: on a server the token says who acts")
    token = read_token(token_file) if token_file else ""
    try:
        return RemoteDesk(Server(url, token, waiting=_say_so, attempts=_ATTEMPTS, language=language))
    except ValueError as error:
        raise CannotBeDone(f"--url {url!r}: this is no address of a server") from error


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


def print_added(added: Added, as_json: bool, language: str, **more: object) -> None:
    """Print what a command added."""
    if as_json:
        told: dict[str, object] = {"tournament": added.tournament, "entry": added.entry}
        print_json(told | {"root": added.root, "kinds": added.kinds} | more)
        return
    kinds = ", ".join(dict.fromkeys(added.kinds))
    click.echo(f"{added.tournament}: {WORDS[language]['entry']} {added.entry}: {kinds}")


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
