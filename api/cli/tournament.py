"""`glasnost tournament`: the organizer's backend on the command line, over a store or a server.

Each command goes through the same gate as over HTTP.  While a server runs on a directory, its tournaments are
run over HTTP (`--url`); those of a database at any time.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from api.cli import tournament_files
from api.cli.common import (
    CannotBeDone,
    json_option,
    language_option,
    print_json,
    read_bytes,
    write_sections,
)
from api.cli.tournament_arbiter import close, freeze, report, rule, tasks
from api.cli.tournament_backend import WORDS, Backend, Drafted, ImportedHere, converted, print_added
from api.cli.tournament_bids import bids
from api.cli.tournament_options import backend_options
from api.cli.tournament_room import room
from api.cli.tournament_simulation import simulate
from api.cli.tournament_times import adjourn, extend, pause, resume

if TYPE_CHECKING:
    from replay.tournaments.standings import Explained

_id = click.argument("tournament", metavar="TOURNAMENT")


SECTIONS = {
    "Prepare": {
        "terms": "Print a file of terms, with comments.",
        "new": "Announce a tournament.",
        "import": "Go on with a tournament that was begun elsewhere.",
        "change": "Change the terms.",
        "enter": "Enter everybody on a list.",
    },
    "Play a round": {
        "pair": "Pair the next round.",
        "publish": "Publish the round, or the standings.",
        "rule": "Decide the result of a board, or rule on its match.",
        "close": "Close the latest round.",
        "advance": "Let those go on who have qualified.",
    },
    "Time and disputes": {
        "extend": "Let boards be played until a later time.",
        "adjourn": "Stop the clocks of boards until a later time.",
        "pause": "Stop the clocks of boards until `resume`.",
        "resume": "Let boards go on.",
        "freeze": "Freeze a match, or release it.",
        "tasks": "Show what officials have to do.",
        "room": "Show the evidence about a match.",
    },
    "Look and prove": {
        "standings": "Show the standings after any entry.",
        "bids": "Show the bids for the sides.",
        "report": "Show the integrity table.",
        "export": "Write the tournament file, a table or a calendar.",
        "verify": "Verify a tournament file.",
    },
    "Try it": {"simulate": "Simulate a tournament."},
}
"""The commands with what they do, as the help lists them: in the order in which an organizer needs them."""


class _InOrder(click.Group):
    """A group whose help lists the commands by section."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands by section."""
        write_sections(formatter, SECTIONS)


@click.group(cls=_InOrder)
def tournament() -> None:
    """Run tournaments: announce, enter, pair, publish, close, rule.

    \b
    Example:
      glasnost tournament terms swiss --game cia_vs_kgb > terms.toml
      glasnost tournament new --store games --as PLAYER terms.toml
    """


tournament.add_command(simulate)
tournament.add_command(room)
tournament.add_command(bids)


@tournament.command()
@click.argument("format", type=click.Choice(["swiss", "round_robin", "knockout", "league", "stages"]))
@click.option("--game", default="cia_vs_kgb", show_default=True, help="The game.")
@language_option
def terms(format: str, game: str, language: str) -> None:
    """Print a file of terms, with every field and a comment.

    \b
    Example:
      glasnost tournament terms swiss > terms.toml
    """
    from api.cli.tournament_terms import template
    from domain.games import GAMES

    if game not in GAMES:
        raise CannotBeDone(f"there is no game {game!r}; there are: {', '.join(GAMES)}")
    click.echo(template(format, game, GAMES[game].editions[0], language), nl=False)


@tournament.command()
@backend_options(expects=False)
@click.argument("file", metavar="TERMS.toml", type=click.Path(path_type=Path))
@json_option
@language_option
def new(backend: Backend, file: Path, as_json: bool, language: str) -> None:
    """Announce a tournament; who acts, an organizer or an admin, is its director.

    \b
    Example:
      glasnost tournament new --store games --as p2x7qk3ym5t4hzbae terms.toml
      glasnost tournament new --url https://games.example --token-file my.token terms.toml
    """
    from api.cli.tournament_terms import read_terms

    given = read_terms(file)
    print_added(backend.announce(given.title, given.terms), as_json, language)


@tournament.command("import")
@backend_options(expects=False)
@click.argument("file", metavar="FILE.trf", type=click.Path(path_type=Path))
@click.option(
    "--terms",
    metavar="TERMS.toml|GAME",
    required=True,
    help="A file of terms, which must fit the TRF; or a game, whose terms follow from the TRF.",
)
@click.option("--title", default="", help="The title; else that of the terms, or of the TRF.")
@json_option
@language_option
def import_(backend: Backend, file: Path, terms: str, title: str, as_json: bool, language: str) -> None:
    """Let a Swiss tournament of another program go on here, from its TRF in UTF-8.

    The players get places that are kept, and codes with which they sign in; these are printed once.  The
    rounds so far are marked as reported: nothing proves them.  Records that are not used are listed, are in
    the log for everybody to read, and are exported again.

    \b
    Example:
      glasnost tournament import --store games --as PLAYER --terms cia_vs_kgb club.trf
    """
    from api.cli.tournament_terms import read_terms
    from domain.games import GAMES
    from domain.kernel import Refused
    from replay.tournaments.trf_import import MOST_BYTES

    listed = None if terms in GAMES else read_terms(Path(terms))
    content = read_bytes(file, limit=MOST_BYTES, what="TRF")
    try:
        if listed is None:
            made = backend.import_trf(content, terms, title)
        else:
            made = backend.import_trf(content, listed.terms, title or listed.title)
    except Refused as error:
        raise CannotBeDone(f"{file}: {error}") from error
    _print_import(made, as_json, language)


@tournament.command()
@backend_options()
@_id
@click.argument("file", metavar="TERMS.toml", type=click.Path(path_type=Path))
@click.option("--reason", required=True, help="The reason, for everybody to read.")
@json_option
@language_option
def change(backend: Backend, tournament: str, file: Path, reason: str, as_json: bool, language: str) -> None:
    """Change the terms to those of a file: all of its fields together, or none.

    Fields that it does not name, and the title, stay.  After the first pairing only the dates, the tie-breaks
    and the engine change.

    \b
    Example:
      glasnost tournament change --store games TOURNAMENT terms.toml --reason "by a vote of the club"
    """
    from domain.kernel import Refused
    from replay.tournaments.changed_terms import MOST_BYTES, read_changes

    try:
        order = read_changes(read_bytes(file, limit=MOST_BYTES, what="file of terms"), reason)
    except Refused as error:
        raise CannotBeDone(f"{file}: {error}") from error
    print_added(backend.change_terms(tournament, order), as_json, language)


@tournament.command()
@backend_options()
@_id
@click.argument("file", metavar="FILE.csv", type=click.Path(path_type=Path))
@json_option
@language_option
def enter(backend: Backend, tournament: str, file: Path, as_json: bool, language: str) -> None:
    """Enter everybody on a list: columns name, player, rating, seed, mail.

    A line with the id of a player enters that player.  Any other name gets a place that is kept, and a code
    with which the person signs in; the codes are printed once.  With --url all lines have an id, or none has,
    and a server that sends mail sends the code to the address of a line instead.

    \b
    Example:
      glasnost tournament enter --store games TOURNAMENT entrants.csv
    """
    from api.mail.settings import is_address
    from domain.kernel import Refused
    from replay.tournaments.entrant_list import MOST_BYTES, read_entrants

    try:
        listed = read_entrants(read_bytes(file, limit=MOST_BYTES, what="list of entrants"), is_address)
    except Refused as error:
        raise CannotBeDone(str(error)) from error
    added, codes = backend.enter(tournament, listed)
    print_added(added, as_json, language, invitations=codes)
    for one in () if as_json else codes:
        click.echo(f"{one.name}\t{WORDS[language]['mailed'] if one.mailed else one.code}")


@tournament.command()
@backend_options()
@_id
@click.option(
    "--draft",
    is_flag=True,
    help="Show the pairing, and store nothing; once the lot for the first colour is drawn.",
)
@json_option
@language_option
def pair(backend: Backend, tournament: str, draft: bool, as_json: bool, language: str) -> None:
    """Pair the next round; the lot for the first colour is drawn before the first one.

    \b
    Example:
      glasnost tournament pair --store games TOURNAMENT --draft
    """
    if draft:
        found = backend.draft(tournament)
        names = {} if as_json else backend.standings(tournament, None, None, named=True).names
        _print_draft(found, names, as_json, language)
    else:
        print_added(backend.pair(tournament), as_json, language)


@tournament.command()
@backend_options()
@_id
@click.option("--standings", is_flag=True, help="Publish the standings instead of a round.")
@click.option("--final", is_flag=True, help="Publish the final standings: the tournament is over.")
@click.option(
    "--despite-calls",
    default="",
    metavar="REASON",
    help="Why calls without an answer do not hold the round; everybody reads it.",
)
@json_option
@language_option
def publish(
    backend: Backend,
    tournament: str,
    standings: bool,
    final: bool,
    despite_calls: str,
    as_json: bool,
    language: str,
) -> None:
    """Publish the round that is paired, which opens its matches; or the standings.

    \b
    Example:
      glasnost tournament publish --store games TOURNAMENT
      glasnost tournament publish --store games TOURNAMENT --despite-calls "it is about the last round"
    """
    if standings or final:
        if despite_calls:
            raise CannotBeDone("--despite-calls: calls hold a round, never the standings")
        added = backend.publish_standings(tournament, final=final)
    else:
        added = backend.publish_round(tournament, despite_calls)
    print_added(added, as_json, language)


@tournament.command()
@backend_options()
@_id
@click.option(
    "--decided",
    metavar="ENTRANT",
    multiple=True,
    help="Who goes on where places or contests are level; may be repeated.",
)
@click.option("--reason", default="", help="The reason of such a decision, for everybody to read.")
@json_option
@language_option
def advance(
    backend: Backend, tournament: str, decided: tuple[str, ...], reason: str, as_json: bool, language: str
) -> None:
    """Let those go on who have qualified: to the next stage, or between the divisions of a league.

    Who goes on in a bracket is written down when its next round is paired.  The director decides what stands
    level.

    \b
    Example:
      glasnost tournament advance --store games TOURNAMENT
      glasnost tournament advance --store games TOURNAMENT --decided n3 --reason "drawn by lot"
    """
    from domain.tournaments import commands as c

    order = converted(c.Advance, do="advance", decided=decided, reason=reason)
    print_added(backend.advance(tournament, order), as_json, language)


@tournament.command()
@backend_options(acts=False)
@_id
@click.option("--at", "at", type=int, help="After this entry; else the latest.")
@click.option("--explain", "entrant", help="Show every addend of this entrant's values.")
@json_option
@language_option
def standings(
    backend: Backend, tournament: str, at: int | None, entrant: str | None, as_json: bool, language: str
) -> None:
    """Show the standings after any entry.

    \b
    Example:
      glasnost tournament standings --store games TOURNAMENT --explain n3
    """
    found = backend.standings(tournament, at, entrant, named=not as_json)
    table = found.standings
    if as_json:
        print_json(
            {"tournament": tournament, "entry": found.entry, "standings": table, "explained": found.why}
        )
        return
    words = WORDS[language]
    rules = words["rules"].format(date=table.rules)
    click.echo(f"{found.title}, {words['entry']} {found.entry} ({rules})")
    click.echo("\t".join([words["place"], words["entrant"], *(one.name for one in table.criteria)]))
    for place in table.places:
        name = _named(place.entrant, found.names)
        click.echo("\t".join([str(place.place), name, *(value or "-" for value in place.values)]))
    for one in found.why or ():
        click.echo(_explained(one, words))


tournament.add_command(close)
tournament.add_command(rule)
tournament.add_command(freeze)
tournament.add_command(tasks)
for _measure in (extend, adjourn, pause, resume):
    tournament.add_command(_measure)
tournament.add_command(report)
tournament.add_command(tournament_files.verify)
tournament.add_command(tournament_files.export)


def _print_import(made: ImportedHere, as_json: bool, language: str) -> None:
    """What was imported: rounds, the codes of the players, and the records that are not used."""
    if as_json:
        more = {"played": made.played, "paired": made.paired, "invitations": made.codes}
        print_added(made.added, True, language, **more, kept=made.kept, left_out=made.left_out)
        return
    words = WORDS[language]
    click.echo(f"{made.added.tournament}: {words['entry']} {made.added.entry}")
    click.echo(words["imported"].format(played=made.played))
    if made.paired > made.played:
        click.echo(words["waiting"].format(round=made.paired))
    for one in made.codes:
        click.echo(f"{one.name}\t{one.code}")
    for record in made.kept:
        click.echo(words["kept" if record.known else "unknown"].format(line=record.line, text=record.text))
    for record in made.left_out:
        click.echo(words["left_out"].format(line=record.line, text=record.text))


def _named(entrant: str, names: Mapping[str, str]) -> str:
    """The name of an entrant with the id, which commands take; the id alone if no name is known."""
    return f"{names[entrant]} ({entrant})" if names.get(entrant) else entrant


def _explained(one: Explained, words: Mapping[str, str]) -> str:
    """A value with what each round gives to it."""
    parts = []
    for part in one.addends:
        where = words["round"].format(round=part.round)
        parts.append(f"{part.value} ({where}{', ' + words['cut'] if part.cut else ''})")
    return f"{one.name} = {one.value or '-'}{': ' if parts else ''}{', '.join(parts)}"


def _print_draft(found: Drafted, names: Mapping[str, str], as_json: bool, language: str) -> None:
    if as_json:
        print_json({"entry": found.entry, "draft": found.draft, "sha256": found.sha256})
        return
    words = WORDS[language]
    click.echo(f"{words['boards']}:")
    for place, (w, b, floats, colour) in enumerate(found.boards, 1):
        pair = f"{_named(w, names)}\t{_named(b, names)}"
        click.echo(f"{place}\t{pair}\t{floats}\t{colour}".rstrip())
    for entrant, why in found.byes.items():
        click.echo(f"{words['bye']}: {_named(entrant, names)}, {why}")
