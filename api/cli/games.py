"""`glasnost games`, and the arguments of other commands about a game: its name, edition and options."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from api.cli.common import CannotBeDone, decoded, json_option, language_option, print_json, read_bytes

if TYPE_CHECKING:
    from domain.game import Game, Option, Options

MOST_DATA = 1 << 20  # bytes that an option's data file may have

F = TypeVar("F", bound=Callable[..., Any])


def game_argument(function: F) -> F:
    """`GAME`."""
    return click.argument("game", metavar="GAME")(function)


def edition_options(function: F) -> F:
    """`--edition E` and `--option K=V`, repeatable."""
    function = click.option(
        "--option",
        "option_words",
        metavar="K=V",
        multiple=True,
        help="A variant or reading; repeatable. `glasnost games GAME` lists them.",
    )(function)
    return click.option("--edition", metavar="E", help="The edition; default: the game's first.")(function)


def game_named(name: str) -> Game:
    """Return the game with this name.

    Raises:
        CannotBeDone: there is none; the text lists the games.
    """
    from domain.games import GAMES

    if name not in GAMES:
        raise CannotBeDone(f"there is no game {name!r}; there are: {', '.join(GAMES)}")
    return GAMES[name]


def settled(game: Game, edition: str | None, option_words: Sequence[str]) -> tuple[str, Options]:
    """Return the edition and the complete options for the words K=V.

    Raises:
        CannotBeDone: the game does not know an edition, option or value; the text lists what it knows.
    """
    from domain.kernel import Refused

    options = {option.name: option for option in game.options}
    values: dict[str, Any] = {}
    for word in option_words:
        name, equals, text = word.partition("=")
        if not equals:
            raise CannotBeDone(f"--option {word}: write it as NAME=VALUE")
        if name in values:
            raise CannotBeDone(f"--option {name} is given twice")
        values[name] = _read(options[name], text) if name in options else text
    try:
        return game.settle(edition, values)
    except Refused as error:
        raise CannotBeDone(str(error)) from error


def show_warnings(options: Options) -> None:
    """Print on standard error what is unusual, but not wrong, in the data of an option."""
    for name, value in options.items():
        for warning in value.get("warnings", ()) if isinstance(value, dict) else ():
            click.echo(f"glasnost: warning: option {name}: {warning}", err=True)


def _read(option: Option, text: str) -> Any:
    """The value of a word; for an option that takes data, the word is the name of a JSON file."""
    from domain.kernel import Refused

    if option.data is None or text in option.choices:
        return option.read(text)
    path = Path(text)
    if not path.exists():
        known = ", ".join(map(str, option.choices))
        raise CannotBeDone(f"option {option.name}: {text!r} is neither a file nor one of: {known}")
    value = decoded(path, read_bytes(path, limit=MOST_DATA, what=f"{option.name} file"), dict[str, Any])
    try:
        return option.check(value)
    except Refused as error:
        problems = str(error).split("; ")
        raise CannotBeDone("\n".join(f"{path}: {problem}" for problem in problems)) from error


@click.command()
@click.argument("game", metavar="[GAME]", required=False)
@json_option
@language_option
def games(game: str | None, as_json: bool, language: str) -> None:
    """List the games; for one GAME, list its seats, its editions, and every option with an explanation.

    \b
    Example:
      glasnost games
      glasnost games cia_vs_kgb --lang ru
    """
    from domain.games import GAMES

    chosen = [game_named(game)] if game else list(GAMES.values())
    if as_json:
        print_json({"games": [_described(each, language) for each in chosen]})
        return
    for each in chosen:
        _show(each, language, full=game is not None)


def _described(game: Game, language: str) -> dict[str, Any]:
    texts = game.texts[language]
    options = [
        {"name": o.name, "default": o.default, "legal": o.legal, "texts": texts.option(o.name)}
        for o in game.options
    ]
    return {
        "game": game.name,
        "title": texts.name(game.name),
        "seats": game.seats,
        "editions": game.editions,
        "options": options,
    }


def _show(game: Game, language: str, *, full: bool) -> None:
    texts = game.texts[language]
    click.echo(f"{game.name}  {texts.name(game.name)}")
    click.echo(f"  seats     {', '.join(game.seats)}")
    click.echo(f"  editions  {', '.join(game.editions)}")
    if not full:
        click.echo(f"  options   {', '.join(option.name for option in game.options)}")
        return
    for option in game.options:
        words = texts.option(option.name)
        click.echo(f"\n  --option {option.name}={typed(option.default)}\n      {words.pop('about', '')}")
        click.echo(f"      legal: {option.legal}")
        for choice, text in words.items():
            click.echo(f"      {choice}: {text}")


def typed(value: Any) -> str:
    """Return a value as it is typed."""
    if value is None:
        return "none"
    return str(value).lower() if isinstance(value, bool) else str(value)


def must_be_levels(names: Sequence[str], game: Game) -> None:
    """Check that each of these bots can play a game.

    Raises:
        CannotBeDone: one cannot; the text lists those that can.
    """
    from api.bots.levels import names as known

    for name in names:
        if name not in known(game.name):
            given = ",".join(names)
            raise CannotBeDone(
                f"--bots {given}: there is no bot {name!r}; there is: {', '.join(known(game.name))}"
            )
