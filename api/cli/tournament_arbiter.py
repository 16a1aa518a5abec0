"""`glasnost tournament close`, `rule`, `freeze`, `tasks` and `report`: what arbiters do."""

from __future__ import annotations

import csv
from pathlib import Path

import click

from api.cli.common import CannotBeDone, json_option, language_option, print_json, read_bytes
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
@click.argument("result", metavar="[RESULT]", required=False)
@click.option("--back-to", metavar="MOVE", type=int, help="The match goes on from the table after this move.")
@click.option("--void", is_flag=True, help="The match is over without a result.")
@click.option("--winner", metavar="SEAT", help="The match is over, and this seat wins (`none`: none does).")
@click.option(
    "--score", type=(str, int), multiple=True, metavar="SEAT POINTS", help="With --winner: may be repeated."
)
@click.option("--last", metavar="MOVE", type=int, help="The latest move of the match that you have seen.")
@click.option("--reason", default="other", show_default=True, help="The reason, by its name.")
@click.option("--text", required=True, help="What happened, for everybody to read.")
@click.option("--rule", "cited", default="", help="The rule of the terms.")
@click.option("--reported", is_flag=True, help="The result comes from elsewhere: nothing proves it.")
@click.option("--statement", default="", help="What both players stated, for each of them to confirm.")
@click.option(
    "--file",
    "match_file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The match file of a game that was played elsewhere (--reported).",
)
@click.option("--preview", is_flag=True, help="Show as JSON what the ruling would change; store nothing.")
@click.option("--seen", default="", metavar="SHA256", help="The hash of its preview, for a closed round.")
@json_option
@language_option
def rule(
    backend: Backend,
    tournament: str,
    round_number: int,
    board: int,
    result: str | None,
    back_to: int | None,
    void: bool,
    winner: str | None,
    score: tuple[tuple[str, int], ...],
    last: int | None,
    reason: str,
    text: str,
    cited: str,
    reported: bool,
    statement: str,
    match_file: Path | None,
    preview: bool,
    seen: str,
    as_json: bool,
    language: str,
) -> None:
    """Decide the result of a board: 1-0, 0-1, ½, 0-0, +-, -+ or --.

    Without RESULT rule on its match, which runs: --back-to, --void or --winner.

    \b
    Example:
      glasnost tournament rule --store games TOURNAMENT 1 3 +- --reason no_show --text "did not come"
      glasnost tournament rule --store games TOURNAMENT 1 3 --back-to 40 --text "a wrong die"
      glasnost tournament rule --store games TOURNAMENT 1 4 1-0 --text "in the hall" --reported --file FILE
    """
    from api.gate.reported_files import MOST_FILE
    from domain.tournaments import commands as c

    about: dict[str, object] = {"round": round_number, "board": board, "result": result}
    on_match = _on_match(back_to, void, winner, score, last)
    if on_match:
        about["match"] = on_match
    about |= {"reason": reason, "text": text, "rule": cited, "reported": reported, "statement": statement}
    order = converted(c.Rule, do="rule", **about)
    if match_file is not None:
        if not reported:
            raise CannotBeDone("--file: nothing proves who played it, so name --reported, too")
        content = read_bytes(match_file, limit=MOST_FILE, what="match file")
        order = converted(c.Rule, do="rule", **about, file=backend.upload(tournament, content))
    if preview:
        print_json(backend.preview(tournament, order))
    else:
        print_added(backend.rule(tournament, order, seen), as_json, language)


def _on_match(
    back_to: int | None,
    void: bool,
    winner: str | None,
    score: tuple[tuple[str, int], ...],
    last: int | None,
) -> dict[str, object]:
    """The ruling on a match that options give; empty if they give none."""
    given: dict[str, object] = {"back_to": back_to, "void": void or None, "expect": last}
    if winner is not None or score:
        given["result"] = {"winner": None if winner in (None, "none") else winner, "score": dict(score)}
    return {name: value for name, value in given.items() if value is not None}


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
