"""`glasnost tournament`: the organizer's desk on the command line, over a store.

Each command goes through the same gate as over HTTP.  While a server runs on a directory, its tournaments are
run over HTTP; those of a database at any time.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from api.cli import tournament_files
from api.cli.common import (
    CannotBeDone,
    json_option,
    language_option,
    opened_store,
    print_json,
    read_bytes,
    store_option,
)
from api.cli.tournament_bids import bids
from api.cli.tournament_gate import acting, run_at
from api.cli.tournament_room import room
from api.cli.tournament_simulation import simulate

if TYPE_CHECKING:
    from api.gate.tournament_commands import Accepted
    from api.gate.tournaments import TournamentGate
    from api.store.open import Location

_WORDS = {
    "en": {
        "entry": "entry",
        "place": "place",
        "entrant": "entrant",
        "boards": "boards",
        "bye": "without a board",
    },
    "ru": {"entry": "запись", "place": "место", "entrant": "участник", "boards": "доски", "bye": "без доски"},
}
_id = click.argument("tournament", metavar="TOURNAMENT")
_as = click.option("--as", "person", default="", help="The id of the official who acts; else the opener.")


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
@store_option()
@click.argument("file", metavar="TERMS.toml", type=click.Path(path_type=Path))
@click.option("--as", "person", required=True, help="The id of the director: an organizer or an admin.")
@json_option
@language_option
def new(store: Location, file: Path, person: str, as_json: bool, language: str) -> None:
    """Announce a tournament.

    \b
    Example:
      glasnost tournament new --store games --as p2x7qk3ym5t4hzbae terms.toml
    """
    from api.cli.tournament_terms import read_terms

    given = read_terms(file)

    async def work(gate: TournamentGate) -> Accepted:
        return await gate.commands.announce(await acting(gate, person), given.title, given.terms)

    _report(run_at(store, work), as_json, language)


@tournament.command()
@store_option()
@_id
@click.argument("file", metavar="FILE.csv", type=click.Path(path_type=Path))
@_as
@json_option
@language_option
def enter(store: Location, tournament: str, file: Path, person: str, as_json: bool, language: str) -> None:
    """Enter everybody on a list: columns name, player, rating, seed.

    A line with the id of a player enters that player.  Any other name gets a place that is kept, and a code
    with which the person signs in; the codes are printed once.

    \b
    Example:
      glasnost tournament enter --store games TOURNAMENT entrants.csv
    """
    from replay.tournaments.entrant_list import MOST_BYTES, read_entrants

    listed = read_entrants(read_bytes(file, limit=MOST_BYTES, what="list of entrants"))
    codes: list[dict[str, str]] = []

    async def work(gate: TournamentGate) -> Accepted:
        from domain.tournaments import commands as c
        from domain.tournaments.rules import dry_run

        log = await gate.commands.log(tournament)
        actor = await acting(gate, person, log.state)
        tried = tuple(
            c.Place(one.player or f"?{one.line}", one.seed, one.rating, bool(one.player)) for one in listed
        )
        bots = gate.gate.store.people.bots([one.player for one in listed if one.player])
        dry_run(log.state, c.Invite(places=tried), actor, log.entry, frozenset(bots))
        places = []
        for one in listed:
            who = one.player
            if not who:
                known, code = gate.gate.store.people.add(one.name, "player")
                who = known.id
                codes.append({"name": one.name, "person": who, "code": code})
            places.append(c.Place(who, one.seed, one.rating, bool(one.player)))
        return await gate.commands.command(
            tournament, c.Invite(places=tuple(places)), actor, expect=log.entry
        )

    accepted = run_at(store, work)
    _report(accepted, as_json, language, invitations=codes)
    for one in () if as_json else codes:
        click.echo(f"{one['name']}\t{one['code']}")


@tournament.command()
@store_option()
@_id
@_as
@click.option("--draft", is_flag=True, help="Show the pairing, and store nothing.")
@json_option
@language_option
def pair(store: Location, tournament: str, person: str, draft: bool, as_json: bool, language: str) -> None:
    """Pair the next round; the lot for the first colour is drawn before the first one.

    \b
    Example:
      glasnost tournament pair --store games TOURNAMENT --draft
    """

    async def work(gate: TournamentGate) -> Any:
        from domain.tournaments import commands as c
        from domain.tournaments.crosstables import FIRST_COLOUR, first_colour
        from domain.tournaments.drafts import needs_engine

        log = await gate.commands.log(tournament)
        actor = await acting(gate, person, log.state)
        if needs_engine(log.state) and first_colour(log.state) is None and not draft:
            lot = c.DrawLot(label=FIRST_COLOUR, n=2)
            await gate.commands.command(tournament, lot, actor, expect=log.entry)
        found = await gate.draft(tournament, actor)
        if draft:
            return found
        return await gate.pair(tournament, found.draft.round, found.sha256, actor, found.entry)

    done = run_at(store, work)
    if draft:
        _print_draft(done, as_json, language)
    else:
        _report(done, as_json, language)


@tournament.command()
@store_option()
@_id
@_as
@click.option("--standings", is_flag=True, help="Publish the standings instead of a round.")
@click.option("--final", is_flag=True, help="Publish the final standings: the tournament is over.")
@json_option
@language_option
def publish(
    store: Location, tournament: str, person: str, standings: bool, final: bool, as_json: bool, language: str
) -> None:
    """Publish the round that is paired, which opens its matches; or the standings.

    \b
    Example:
      glasnost tournament publish --store games TOURNAMENT
    """

    async def work(gate: TournamentGate) -> Accepted:
        from domain.tournaments import commands as c

        log = await gate.commands.log(tournament)
        actor = await acting(gate, person, log.state)
        if standings or final:
            return await gate.publish(tournament, c.Publish(final=final), actor, log.entry)
        number = max(len(log.state.rounds), 1)
        return await gate.publish_round(tournament, c.PublishRound(round=number), actor, log.entry)

    _report(run_at(store, work), as_json, language)


@tournament.command()
@store_option()
@_id
@_as
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
    store: Location,
    tournament: str,
    person: str,
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

    async def work(gate: TournamentGate) -> Accepted:
        from domain.tournaments import commands as c

        log = await gate.commands.log(tournament)
        actor = await acting(gate, person, log.state)
        boards = [{"board": board, "policy": "adjourn"} for board in adjourned]
        boards += [{"board": board, "policy": "forfeit", "result": result} for board, result in forfeits]
        number = max(len(log.state.rounds), 1)
        order = _command(c.CloseRound, do="close_round", round=number, boards=boards, reason=reason)
        return await gate.close_round(tournament, order, actor, log.entry)

    _report(run_at(store, work), as_json, language)


@tournament.command()
@store_option()
@_id
@click.argument("round_number", metavar="ROUND", type=int)
@click.argument("board", metavar="BOARD", type=int)
@click.argument("result", metavar="RESULT")
@click.option("--reason", default="other", show_default=True, help="The reason, by its name.")
@click.option("--text", required=True, help="What happened, for everybody to read.")
@click.option("--rule", "cited", default="", help="The rule of the terms.")
@click.option("--preview", is_flag=True, help="Show as JSON what the ruling would change; store nothing.")
@click.option("--seen", default="", metavar="SHA256", help="The hash of its preview, for a closed round.")
@_as
@json_option
@language_option
def rule(
    store: Location,
    tournament: str,
    round_number: int,
    board: int,
    result: str,
    reason: str,
    text: str,
    cited: str,
    preview: bool,
    seen: str,
    person: str,
    as_json: bool,
    language: str,
) -> None:
    """Decide the result of a board: 1-0, 0-1, ½, 0-0, +-, -+ or --.

    \b
    Example:
      glasnost tournament rule --store games TOURNAMENT 1 3 +- --reason no_show --text "did not come"
    """

    async def work(gate: TournamentGate) -> Any:
        from api.gate.tournament_previews import previewed
        from domain.tournaments import commands as c

        log = await gate.commands.log(tournament)
        actor = await acting(gate, person, log.state)
        about = {"round": round_number, "board": board, "result": result}
        order = _command(c.Rule, do="rule", **about, reason=reason, text=text, rule=cited)
        if preview:
            return await previewed(gate, tournament, order, actor, log.entry)
        return await gate.rule(tournament, order, actor, log.entry, preview=seen)

    done = run_at(store, work)
    if preview:
        print_json(done)
    else:
        _report(done, as_json, language)


@tournament.command()
@store_option()
@_id
@click.option(
    "--decided",
    metavar="ENTRANT",
    multiple=True,
    help="Who goes on where places or contests are level; may be repeated.",
)
@click.option("--reason", default="", help="The reason of such a decision, for everybody to read.")
@_as
@json_option
@language_option
def advance(
    store: Location,
    tournament: str,
    decided: tuple[str, ...],
    reason: str,
    person: str,
    as_json: bool,
    language: str,
) -> None:
    """Let those go on who have qualified: to the next stage, or between the divisions of a league.

    Who goes on in a bracket is written down when its next round is paired.  The director decides what stands
    level.

    \b
    Example:
      glasnost tournament advance --store games TOURNAMENT
      glasnost tournament advance --store games TOURNAMENT --decided n3 --reason "drawn by lot"
    """

    async def work(gate: TournamentGate) -> Accepted:
        from domain.tournaments import commands as c

        log = await gate.commands.log(tournament)
        actor = await acting(gate, person, log.state)
        order = _command(c.Advance, do="advance", decided=decided, reason=reason)
        return await gate.advance(tournament, order, actor, log.entry)

    _report(run_at(store, work), as_json, language)


@tournament.command()
@store_option()
@_id
@click.option("--at", "at", type=int, help="After this entry; else the latest.")
@click.option("--explain", "entrant", help="Show every addend of this entrant's values.")
@json_option
@language_option
def standings(
    store: Location, tournament: str, at: int | None, entrant: str | None, as_json: bool, language: str
) -> None:
    """Show the standings after any entry.

    \b
    Example:
      glasnost tournament standings --store games TOURNAMENT --explain n3
    """
    from api.gate.tournament_commands import state_at
    from domain.tournaments.judging import entrant_in
    from replay.tournaments.results import explained_of, standings_of

    with opened_store(store, write=False) as opened:
        log = opened.tournament(tournament)
        if log is None:
            raise CannotBeDone(f"there is no tournament {tournament}")
        state = state_at(log, at)
        found, names = standings_of(state), opened.people.names([one.player for one in state.numbered])
        why = None
        if entrant is not None:
            why = explained_of(state, entrant_in(state, entrant).id)
    if as_json:
        print_json({"tournament": tournament, "entry": state.entry, "standings": found, "explained": why})
        return
    words = _WORDS[language]
    click.echo(f"{state.title}, {words['entry']} {state.entry} ({found.rules})")
    click.echo("\t".join([words["place"], words["entrant"], *(one.name for one in found.criteria)]))
    for place in found.places:
        name = names.get(state.entrants[place.entrant].player) or place.entrant
        click.echo("\t".join([str(place.place), name, *(value or "-" for value in place.values)]))
    for one in why or ():
        parts = ", ".join(f"{part.round}: {part.value}{' (cut)' if part.cut else ''}" for part in one.addends)
        click.echo(f"{one.name} = {one.value}: {parts}")


@tournament.command()
@store_option()
@_id
@click.argument("match", metavar="MATCH")
@click.option("--reason", required=True, help="The reason, for everybody to read.")
@click.option("--release", is_flag=True, help="Let the match go on.")
@_as
@json_option
@language_option
def freeze(
    store: Location,
    tournament: str,
    match: str,
    reason: str,
    release: bool,
    person: str,
    as_json: bool,
    language: str,
) -> None:
    """Freeze a match: it takes no move, and its clocks stand.

    \b
    Example:
      glasnost tournament freeze --store games TOURNAMENT MATCH --reason "a doubt about a hand"
    """

    async def work(gate: TournamentGate) -> Accepted:
        from api.gate.tournament_measures import carry_out
        from domain.tournaments import commands as c

        log = await gate.commands.log(tournament)
        actor = await acting(gate, person, log.state)
        order = (c.ReleaseMatch if release else c.FreezeMatch)(match=match, reason=reason)
        return await carry_out(gate, tournament, order, actor, log.entry)

    _report(run_at(store, work), as_json, language)


@tournament.command()
@store_option()
@_id
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
@json_option
@language_option
def report(store: Location, tournament: str, as_csv: bool, as_json: bool, language: str) -> None:
    """Show the integrity table: lights for each match, takebacks, longest thinks, faces of dice.

    \b
    Example:
      glasnost tournament report --store games TOURNAMENT --csv > integrity.csv
    """

    async def work(gate: TournamentGate) -> Any:
        from api.gate.tournament_integrity import integrity_of

        return await integrity_of(gate, tournament, language)

    from api.gate.tournament_integrity import as_csv as csv_of

    found = run_at(store, work)
    if as_json:
        print_json(found)
        return
    told = csv_of(found)
    click.echo(told if as_csv else told.replace("\r\n", "\n").replace(",", "\t"), nl=False)


tournament.add_command(tournament_files.verify)
tournament.add_command(tournament_files.export)


# ── How a command is read and reported ──


def _command(kind: type[Any], **plain: Any) -> Any:
    import msgspec

    try:
        return msgspec.convert(plain, kind)
    except msgspec.ValidationError as error:
        raise CannotBeDone(str(error)) from error


def _report(accepted: Accepted, as_json: bool, language: str, **more: Any) -> None:
    """Print what a command added."""
    from domain.log import b64

    log, last = accepted.log, max(accepted.last, 1)
    kinds = [record.kind for record in log.records[accepted.first - 1 : accepted.last]]
    if as_json:
        told = {"tournament": log.id, "entry": last, "root": b64(log.roots[last - 1]), "kinds": kinds}
        print_json(told | more)
        return
    click.echo(f"{log.id}: {_WORDS[language]['entry']} {last}: {', '.join(dict.fromkeys(kinds))}")


def _print_draft(found: Any, as_json: bool, language: str) -> None:
    if as_json:
        print_json({"entry": found.entry, "draft": found.draft, "sha256": found.sha256})
        return
    words = _WORDS[language]
    click.echo(f"{words['boards']}:")
    for place, (w, b, floats, colour) in enumerate(found.draft.boards, 1):
        click.echo(f"{place}\t{w}\t{b}\t{floats}\t{colour}".rstrip())
    for name, why in found.draft.byes.items():
        click.echo(f"{words['bye']}: {name} ({why})")
