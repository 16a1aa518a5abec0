"""`glasnost tournament extend`, `adjourn`, `pause` and `resume`: the time that boards of a round have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypedDict, TypeVar, Unpack

import click

from api.cli.common import CannotBeDone, json_option, language_option
from api.cli.tournament_backend import Backend, converted, print_added
from api.cli.tournament_options import backend_options

F = TypeVar("F", bound=Callable[..., Any])

_until = click.option(
    "--until", required=True, metavar="TIME", help="Such as 2026-12-05T20:00, in the time zone of the terms."
)


class _Options(TypedDict):
    """The parameters of each of these commands."""

    backend: Backend
    tournament: str
    round_number: int
    boards: tuple[int, ...]
    reason: str
    as_json: bool
    language: str


def _on_boards(command: F) -> F:
    """The parameters of a command about boards of a round."""
    for parameter in (
        language_option,
        json_option,
        click.option("--reason", required=True, help="The reason, for everybody to read."),
        click.option(
            "--board",
            "boards",
            type=int,
            multiple=True,
            help="A board; may be repeated.  None named: all of the round.",
        ),
        click.argument("round_number", metavar="ROUND", type=int),
        click.argument("tournament", metavar="TOURNAMENT"),
        backend_options(),
    ):
        command = parameter(command)
    return command


def _command(what: str, about: str, *own: Callable[[Any], Any]) -> click.Command:
    """Return the command that does this to boards, with its help and its own parameters."""

    def command(until: str | None = None, **options: Unpack[_Options]) -> None:
        _measure(what, until, options)

    made: Callable[..., None] = command
    for parameter in own:
        made = parameter(made)
    return click.command(what, help=about)(_on_boards(made))


extend = _command(
    "extend",
    """Let boards of a round be played until a later time.

    The date of their clocks moves, for both players.  Time banks and days for each stretch stay as they are.

    \b
    Example:
      glasnost tournament extend --store games TOURNAMENT 2 --until 2026-12-05T20:00 --reason "a storm"
    """,
    _until,
)
adjourn = _command(
    "adjourn",
    """Stop the clocks of boards that run; at a later time the server lets them go on.

    `resume` lets them go on before that time.

    \b
    Example:
      glasnost tournament adjourn --store games TOURNAMENT 2 --until 2026-12-05T20:00 --reason "a strike"
    """,
    _until,
)
pause = _command(
    "pause",
    """Stop the clocks of boards of a round, until `resume`.

    \b
    Example:
      glasnost tournament pause --store games TOURNAMENT 2 --board 3 --reason "no electricity"
    """,
)
resume = _command(
    "resume",
    """Let boards go on that were paused or adjourned.

    \b
    Example:
      glasnost tournament resume --store games TOURNAMENT 2 --board 3 --reason "electricity is back"
    """,
)


def _measure(what: str, until: str | None, options: _Options) -> None:
    """Send one of these commands.  Raises CannotBeDone: it is none, or it is refused."""
    from domain.tournaments import commands as c

    backend, name = options["backend"], options["tournament"]
    kind: Any = c.Extend | c.Adjourn | c.Pause | c.Resume
    plain: dict[str, object] = {"do": what, "round": options["round_number"]}
    plain |= {"boards": options["boards"], "reason": options["reason"]}
    if until is not None:
        plain["until"] = _moment(until, backend.time_zone(name))
    order: c.Measure = converted(kind, **plain)
    print_added(backend.measure(name, order), options["as_json"], options["language"])


def _moment(text: str, zone: str) -> int:
    """Return a time in microseconds UTC.  Raises CannotBeDone: it is none."""
    from domain.kernel import Refused
    from replay.local_time import moment

    try:
        return moment(text, zone)
    except Refused as error:
        raise CannotBeDone(f"--until: {error}") from error
