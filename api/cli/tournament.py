"""`glasnost tournament`: the organizer's backend on the command line, over a store or a server.

Each command goes through the same gate as over HTTP.  While a server runs on a directory, its tournaments are
run over HTTP (`--url`); those of a database at any time.
"""

from __future__ import annotations

from pathlib import Path

import click

from api.cli import tournament_files
from api.cli.common import CannotBeDone, json_option, language_option, print_json, read_bytes
from api.cli.tournament_arbiter import close, freeze, report, rule
from api.cli.tournament_backend import WORDS, Backend, Drafted, converted, print_added
from api.cli.tournament_bids import bids
from api.cli.tournament_options import backend_options
from api.cli.tournament_room import room
from api.cli.tournament_simulation import simulate
from api.cli.tournament_times import adjourn, extend, pause, resume

_id = click.argument("tournament", metavar="TOURNAMENT")


@click.group()
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
@click.option("--draft", is_flag=True, help="Show the pairing, and store nothing.")
@json_option
@language_option
def pair(backend: Backend, tournament: str, draft: bool, as_json: bool, language: str) -> None:
    """Pair the next round; the lot for the first colour is drawn before the first one.

    \b
    Example:
      glasnost tournament pair --store games TOURNAMENT --draft
    """
    if draft:
        _print_draft(backend.draft(tournament), as_json, language)
    else:
        print_added(backend.pair(tournament), as_json, language)


@tournament.command()
@backend_options()
@_id
@click.option("--standings", is_flag=True, help="Publish the standings instead of a round.")
@click.option("--final", is_flag=True, help="Publish the final standings: the tournament is over.")
@json_option
@language_option
def publish(
    backend: Backend, tournament: str, standings: bool, final: bool, as_json: bool, language: str
) -> None:
    """Publish the round that is paired, which opens its matches; or the standings.

    \b
    Example:
      glasnost tournament publish --store games TOURNAMENT
    """
    if standings or final:
        added = backend.publish_standings(tournament, final=final)
    else:
        added = backend.publish_round(tournament)
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
    click.echo(f"{found.title}, {words['entry']} {found.entry} ({table.rules})")
    click.echo("\t".join([words["place"], words["entrant"], *(one.name for one in table.criteria)]))
    for place in table.places:
        name = found.names.get(place.entrant) or place.entrant
        click.echo("\t".join([str(place.place), name, *(value or "-" for value in place.values)]))
    for one in found.why or ():
        parts = ", ".join(f"{part.round}: {part.value}{' (cut)' if part.cut else ''}" for part in one.addends)
        click.echo(f"{one.name} = {one.value}: {parts}")


tournament.add_command(close)
tournament.add_command(rule)
tournament.add_command(freeze)
for _measure in (extend, adjourn, pause, resume):
    tournament.add_command(_measure)
tournament.add_command(report)
tournament.add_command(tournament_files.verify)
tournament.add_command(tournament_files.export)


def _print_draft(found: Drafted, as_json: bool, language: str) -> None:
    if as_json:
        print_json({"entry": found.entry, "draft": found.draft, "sha256": found.sha256})
        return
    words = WORDS[language]
    click.echo(f"{words['boards']}:")
    for place, (w, b, floats, colour) in enumerate(found.boards, 1):
        click.echo(f"{place}\t{w}\t{b}\t{floats}\t{colour}".rstrip())
    for name, why in found.byes.items():
        click.echo(f"{words['bye']}: {name} ({why})")
