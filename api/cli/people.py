"""`glasnost people`: commands for the people of a store, and the audit log of what was done."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from api.cli.common import (
    CannotBeDone,
    json_option,
    must_hold_a_store,
    opened_store,
    print_json,
    store_option,
)

if TYPE_CHECKING:
    from api.store.interface import Act, People
    from api.store.open import Location

_MOST = 200  # players or actions that are shown
_player = click.argument("player", metavar="PLAYER")
_reason = click.option(
    "--reason", default="", help="The reason, for the audit log; it must not contain the name."
)


@click.group()
def people() -> None:
    """Forget, rename or lock out people, give them a new token, find them.

    PLAYER is an id, which `find` shows.  Each change makes an entry without names in the audit log, which
    `audit` shows.  While a server runs on a directory, its people are changed over HTTP through that server;
    those of a database can be changed at any time.

    \b
    Example:
      glasnost people find --store games Ann
    """


@people.command()
@store_option()
@_player
@_reason
@json_option
def forget(store: Location, player: str, reason: str, as_json: bool) -> None:
    """Delete a name for ever and revoke the tokens.  The matches and their proofs stay.

    Backups that were made before still contain the name.

    \b
    Example:
      glasnost people forget --store games p2x7qk3ym5t4hzbae
    """
    with _changing(store) as them:
        forgotten = them.forget(player, _act(reason))
        _print(them, player, "forgotten" if forgotten else "was forgotten before", as_json)


@people.command()
@store_option()
@_player
@click.argument("name")
@_reason
@json_option
def rename(store: Location, player: str, name: str, reason: str, as_json: bool) -> None:
    """Change a player's name to NAME; the old name is deleted.

    \b
    Example:
      glasnost people rename --store games p2x7qk3ym5t4hzbae "Ann B."
    """
    from api.http.app_state import checked
    from domain.kernel import Refused

    if len(name) > 64:
        raise CannotBeDone("a name has 64 letters at most")
    try:
        name = checked(name)
    except Refused as error:
        raise CannotBeDone(str(error).removesuffix(" - at `$.name`")) from error
    with _changing(store) as them:
        renamed = them.rename(player, name, _act(reason))
        _print(them, player, "renamed" if renamed else "has that name already", as_json)


@people.command()
@store_option()
@_player
@_reason
@json_option
def revoke(store: Location, player: str, reason: str, as_json: bool) -> None:
    """Revoke all tokens of a player; the name stays.

    \b
    Example:
      glasnost people revoke --store games p2x7qk3ym5t4hzbae --reason stolen
    """
    with _changing(store) as them:
        revoked = them.revoke(player, _act(reason))
        _print(them, player, "revoked" if revoked else "had no token", as_json)


@people.command("new-token")
@store_option()
@_player
@_reason
@json_option
def new_token(store: Location, player: str, reason: str, as_json: bool) -> None:
    """Make a new token for a player and print it, only once; all other tokens stop at once.

    \b
    Example:
      glasnost people new-token --store games p2x7qk3ym5t4hzbae --reason lost
    """
    with _changing(store) as them:
        token = them.new_token(player, _act(reason))
    if as_json:
        print_json({"player": player, "token": token})
        return
    click.echo(token)
    click.echo(f"the token of {player}; it is shown only once, and the old ones no longer work", err=True)


@people.command()
@store_option()
@click.argument("name")
@click.option("--prefix", is_flag=True, help="Find names that begin with NAME.")
@json_option
def find(store: Location, name: str, prefix: bool, as_json: bool) -> None:
    """Find players by NAME, in capital or small letters.

    \b
    Example:
      glasnost people find --store games --prefix an
    """
    from replay.sanitize import one_line

    with opened_store(store, write=False) as opened:
        found = opened.people.find(name, whole=not prefix, after=(), limit=_MOST + 1)
    for one in found[:_MOST]:
        if as_json:
            print_json({"player": one.id, "name": one.name})
        else:
            click.echo(f"{one.id}  {one_line(one.name)}")
    if len(found) > _MOST:
        click.echo(f"and more: these are the first {_MOST}; give more of the name", err=True)


@people.command()
@store_option()
@_player
@json_option
def show(store: Location, player: str, as_json: bool) -> None:
    """Show a player's name, role and number of tokens.

    \b
    Example:
      glasnost people show --store games p2x7qk3ym5t4hzbae
    """
    with opened_store(store, write=False) as opened:
        _print(opened.people, player, "", as_json)


@people.command()
@store_option()
@json_option
def audit(store: Location, as_json: bool) -> None:
    """Show the audit log of people, the latest entry first: when, what, whose, by whom, why.

    \b
    Example:
      glasnost people audit --store games
    """
    from replay.sanitize import one_line

    with opened_store(store, write=False) as opened:
        found = opened.people.audit_log((), _MOST)
    for one in found:
        if as_json:
            told = {"at": one.at, "action": one.action, "player": one.person, "by": one.by or None}
            print_json({**told, "reason": one.reason})
        else:
            why = f": {one_line(one.reason)}" if one.reason else ""
            by = one.by or "the owner of the store"
            click.echo(f"{_time(one.at)}  {one.action}  {one.person}  by {by}{why}")


@contextmanager
def _changing(store: Location) -> Iterator[People]:
    """Open the people of a store for changes.

    Raises:
        CannotBeDone: another process holds the store, or the change is not possible.
    """
    from api.store.interface import InUse

    must_hold_a_store(store)
    try:
        with opened_store(store) as opened:
            yield opened.people
    except CannotBeDone as error:
        if isinstance(error.__cause__, InUse):
            raise CannotBeDone(
                f"{error}; an administrator does the same over HTTP: POST /v1/players/PLAYER/forgetting,"
                " name, revocation or token"
            ) from error
        raise


def _act(reason: str) -> Act:
    from api.store.interface import Act

    if len(reason) > 500 or not reason.isprintable():
        raise CannotBeDone("--reason: up to 500 printable characters")
    return Act("", time.time_ns() // 1000, reason)


def _time(at: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(at // 1_000_000))


def _print(people: People, player: str, done: str, as_json: bool) -> None:
    from replay.sanitize import one_line

    known = people.known(player)
    if known is None:
        raise CannotBeDone(f"there is no player {player!r} in this store")
    if as_json:
        told = {"player": known.id, "name": known.name, "forgotten": known.forgotten}
        print_json({**told, "role": known.role, "tokens": known.tokens})
        return
    name = "(name forgotten)" if known.name is None else one_line(known.name)
    line = f"{known.id}  {name}, {known.role}, tokens: {known.tokens}"
    click.echo(f"{done}: {line}" if done else line)
