"""`glasnost tournament close`, `rule`, `freeze`, `tasks` and `report`: what arbiters do."""

from __future__ import annotations

import csv

import click

from api.cli.common import json_option, language_option, print_json
from api.cli.tournament_backend import Backend, converted, print_added
from api.cli.tournament_options import backend_options

_TASKS = {
    "en": {
        "none": "nothing to do",
        "board": "round {round}, board {board}",
        "answer": "answer the call of entry {call}",
        "time": "the time is up: {seats}; rule, or give time",
        "conflict": "the match does not end as it was recorded; rule",
        "verify": "the match could not be verified ({error}); confirm, or rule",
    },
    "ru": {
        "none": "делать нечего",
        "board": "тур {round}, доска {board}",
        "answer": "ответьте на обращение (запись {call})",
        "time": "время истекло: {seats}; примите решение или добавьте время",
        "conflict": "партия кончилась не так, как записано; примите решение",
        "verify": "партию не удалось проверить ({error}); подтвердите результат или примите решение",
    },
}
_id = click.argument("tournament", metavar="TOURNAMENT")


@click.command()
@backend_options()
@_id
@click.option(
    "--adjourn", "adjourned", type=int, multiple=True, help="A board that goes on; may be repeated."
)
@click.option(
    "--forfeit",
    "forfeits",
    type=(int, str),
    multiple=True,
    metavar="BOARD RESULT",
    help="A board that is forfeited: +-, -+ or --; may be repeated.",
)
@click.option("--reason", default="", help="The reason.")
@json_option
@language_option
def close(
    backend: Backend,
    tournament: str,
    adjourned: tuple[int, ...],
    forfeits: tuple[tuple[int, str], ...],
    reason: str,
    as_json: bool,
    language: str,
) -> None:
    """Close the latest round.

    \b
    Example:
      glasnost tournament close --store games TOURNAMENT --forfeit 3 +-
    """
    boards: list[dict[str, object]] = [{"board": board, "policy": "adjourn"} for board in adjourned]
    boards += [{"board": board, "policy": "forfeit", "result": result} for board, result in forfeits]
    print_added(backend.close_round(tournament, boards, reason), as_json, language)


@click.command()
@backend_options()
@_id
@click.argument("round_number", metavar="ROUND", type=int)
@click.argument("board", metavar="BOARD", type=int)
@click.argument("result", metavar="RESULT")
@click.option("--reason", default="other", show_default=True, help="The reason, by its name.")
@click.option("--text", required=True, help="What happened, for everybody to read.")
@click.option("--rule", "cited", default="", help="The rule of the terms.")
@click.option("--reported", is_flag=True, help="The result comes from elsewhere: nothing proves it.")
@click.option("--preview", is_flag=True, help="Show as JSON what the ruling would change; store nothing.")
@click.option("--seen", default="", metavar="SHA256", help="The hash of its preview, for a closed round.")
@json_option
@language_option
def rule(
    backend: Backend,
    tournament: str,
    round_number: int,
    board: int,
    result: str,
    reason: str,
    text: str,
    cited: str,
    reported: bool,
    preview: bool,
    seen: str,
    as_json: bool,
    language: str,
) -> None:
    """Decide the result of a board: 1-0, 0-1, ½, 0-0, +-, -+ or --.

    \b
    Example:
      glasnost tournament rule --store games TOURNAMENT 1 3 +- --reason no_show --text "did not come"
    """
    from domain.tournaments import commands as c

    about = {"round": round_number, "board": board, "result": result}
    order = converted(c.Rule, do="rule", **about, reason=reason, text=text, rule=cited, reported=reported)
    if preview:
        print_json(backend.preview(tournament, order))
    else:
        print_added(backend.rule(tournament, order, seen), as_json, language)


@click.command()
@backend_options()
@_id
@click.argument("match", metavar="MATCH")
@click.option("--reason", required=True, help="The reason, for everybody to read.")
@click.option("--release", is_flag=True, help="Let the match go on.")
@json_option
@language_option
def freeze(
    backend: Backend, tournament: str, match: str, reason: str, release: bool, as_json: bool, language: str
) -> None:
    """Freeze a match: it takes no move, and its clocks stand.

    \b
    Example:
      glasnost tournament freeze --store games TOURNAMENT MATCH --reason "a doubt about a hand"
    """
    from domain.tournaments import commands as c

    order = (c.ReleaseMatch if release else c.FreezeMatch)(match=match, reason=reason)
    print_added(backend.measure(tournament, order), as_json, language)


@click.command()
@backend_options()
@_id
@json_option
@language_option
def tasks(backend: Backend, tournament: str, as_json: bool, language: str) -> None:
    """Show what officials have to do: calls, times that are up, results that no verification confirms.

    \b
    Example:
      glasnost tournament tasks --store games TOURNAMENT
    """
    found, words = backend.tasks(tournament), _TASKS[language]
    if as_json:
        print_json({"tournament": tournament, "tasks": found})
        return
    for one in found:
        where = words["board"].format(round=one.round, board=one.board) if one.board else ""
        about = {"call": one.call, "seats": ", ".join(one.flagged or ()), "error": one.error}
        click.echo("\t".join(filter(None, (where, words[one.kind].format(**about), one.match or ""))))
    if not found:
        click.echo(words["none"])


@click.command()
@backend_options(acts=False)
@_id
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
@json_option
@language_option
def report(backend: Backend, tournament: str, as_csv: bool, as_json: bool, language: str) -> None:
    """Show the integrity table: lights for each match, takebacks, longest thinks, faces of dice.

    \b
    Example:
      glasnost tournament report --store games TOURNAMENT --csv > integrity.csv
    """
    from api.gate.tournament_integrity import as_csv as csv_of

    found = backend.integrity(tournament)
    if as_json:
        print_json(found)
        return
    text = csv_of(found)
    if as_csv:
        click.echo(text, nl=False)
    else:
        for row in csv.reader(text.splitlines()):
            click.echo("\t".join(row))
