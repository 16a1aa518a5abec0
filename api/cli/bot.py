"""`glasnost bot`: a bot that plays on any server through its public HTTP API."""

from __future__ import annotations

import itertools
import os
import random
import re
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from api.cli.common import CannotBeDone

if TYPE_CHECKING:
    from api.bots.client import Account, Player
    from api.server_client import Server

MATCH_ID = re.compile(r"[a-z0-9-]{1,64}")
MOST_TOKEN_BYTES = 4096


@click.command()
@click.option("--url", metavar="URL", required=True, help="The server, such as http://127.0.0.1:8000.")
@click.option(
    "--level", metavar="LEVEL", default="easy", show_default=True, help="How it plays: random, easy or hard."
)
@click.option("--match", metavar="M", help="Play this match to its end; a free seat is taken.")
@click.option(
    "--lobby", is_flag=True, help="Play every match in which it sits; if there is none, take a free seat."
)
@click.option("--name", metavar="NAME", default="glasnost bot", show_default=True, help="Of a new player.")
@click.option(
    "--token-file",
    metavar="F",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Keeps the player and the token, so that the command can be started again.",
)
@click.option(
    "--takebacks", type=click.Choice(["yes", "no"]), default="yes", show_default=True, help="Agree to them?"
)
def bot(
    url: str, level: str, match: str | None, lobby: bool, name: str, token_file: Path | None, takebacks: str
) -> None:
    """Play on the server at URL as a player that is marked as a bot, until Ctrl-C or the end of the match.

    Without --token-file, or if the file is missing, a new player is made.  If the server is away, or wants
    fewer requests, the command waits for it.

    \b
    Example:
      glasnost bot --url http://127.0.0.1:8000 --level easy --lobby --token-file bot.token
    """
    from api.bots.client import Player
    from api.bots.levels import LEVELS
    from api.server_client import Server, ServerError

    if level not in LEVELS:
        raise CannotBeDone(f"--level {level}: there is no such level; there are: {', '.join(LEVELS)}")
    if (match is None) != lobby:
        raise CannotBeDone("name a match with --match, or give --lobby, and not both")
    if match is not None and not MATCH_ID.fullmatch(match):
        raise CannotBeDone(f"--match {match!r}: this is no id of a match")
    try:
        with closing(Server(url)) as server:
            account = _account(server, name, token_file)
        with closing(Server(url, account.token, waiting=_say_so)) as server:
            player = Player(server, account, level, random.Random(), agrees=takebacks == "yes")
            player.must_be_a_bot()
            click.echo(f"plays as {level}")
            _play_one(player, match) if match else _play_all(player)
    except ValueError as error:
        raise CannotBeDone(f"--url {url!r}: this is no address of a server") from error
    except ServerError as error:
        raise CannotBeDone(str(error)) from error


def _say_so() -> None:
    click.echo("waiting for the server", err=True)


def _account(server: Server, name: str, kept: Path | None) -> Account:
    """The account of the file; if there is none, a new one, which is written into it.

    Raises:
        CannotBeDone: the file holds no account, or cannot be written.
    """
    from api.bots.client import Account, register

    if kept is None:
        return register(server, name)
    try:
        with kept.open("rb") as file:
            return msgspec.json.decode(file.read(MOST_TOKEN_BYTES), type=Account)
    except FileNotFoundError:
        pass
    except (OSError, msgspec.DecodeError) as error:
        raise CannotBeDone(f"{kept} holds no account of a bot: {type(error).__name__}") from error
    try:  # before the player is made: a token that cannot be kept is lost
        file_number = os.open(kept, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise CannotBeDone(f"{kept} cannot be written: {error.strerror}") from error
    try:
        account = register(server, name)
    except BaseException:
        os.close(file_number)
        kept.unlink()
        raise
    with os.fdopen(file_number, "wb") as new:
        new.write(msgspec.json.encode(account))
    return account


def _play_one(player: Player, match: str) -> None:
    if not player.sit(match):
        raise CannotBeDone(f"{match} has no free seat that this bot may take")
    _until_over(lambda: player.step(match))
    click.echo(f"{match} is over")


def _until_over(step: Callable[[], str]) -> None:
    """Repeat a step, with longer and longer pauses while nothing is to be done."""
    pauses = _pauses()
    while (done := step()) != "over":
        if done == "acted":
            pauses = _pauses()
        else:
            time.sleep(next(pauses))


def _play_all(player: Player) -> None:
    """Play until Ctrl-C."""
    _until_over(lambda: _round(player))


def _round(player: Player) -> str:
    """One step in each match that waits for the bot; if it sits in none, it takes a free seat."""
    lobby = player.lobby()
    if not (lobby.mine or lobby.theirs or lobby.open):
        for row in lobby.seats:
            if player.plays(row.game) and player.sit(row.match, row.free):
                click.echo("took a free seat")
                return "acted"
    done = [player.step(row.match) for row in lobby.mine]
    return "acted" if "acted" in done else "waits"


def _pauses() -> Iterator[float]:
    from api.bots.client import WAITS

    return itertools.chain(WAITS, itertools.repeat(WAITS[-1]))
