"""`glasnost tournament simulate`: a whole tournament in one command, with the log that a real one writes."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import click

from api.cli.common import (
    CannotBeDone,
    json_option,
    language_option,
    must_be_writable,
    print_json,
    progress,
    store_option,
    store_or_temporary,
)
from api.cli.games import game_named
from api.cli.tournament_options import only_on_a_store

if TYPE_CHECKING:
    from api.cli.common import Advance
    from api.gate.tournament_simulation import Matches
    from api.store.open import Location
    from api.store.sql import SqlStore
    from domain.tournaments.history import TournamentLog
    from domain.tournaments.terms import Terms
    from replay.tournaments.simulation import Plan

PLAYED_BELOW = 64  # entrants: with fewer, every board is a real match unless --matches says otherwise
FORMATS = ("swiss", "round_robin", "knockout", "league", "stages")
DIVISION, LEAST_DIVIDED = 8, 4  # entrants
_share = click.FloatRange(0, 0.5)


@click.command()
@only_on_a_store("use a store of its own")
@click.option("--players", metavar="N", type=click.IntRange(2, 1_000), default=16, show_default=True)
@click.option(
    "--format",
    "format_",
    type=click.Choice(FORMATS),
    default="swiss",
    show_default=True,
    help="knockout: two games a contest; league: divisions of eight; stages: Swiss, then a knock-out.",
)
@click.option(
    "--rounds", metavar="N", type=click.IntRange(1, 40), default=3, show_default=True, help="Of Swiss rounds."
)
@click.option("--both-sides", is_flag=True, help="Each pair plays two matches, the sides exchanged.")
@click.option("--forfeits", metavar="PART", type=_share, default=0.0, help="Part of the boards of a round.")
@click.option("--byes", metavar="PART", type=_share, default=0.0, help="Part of the entrants, each round.")
@click.option(
    "--withdrawals", metavar="PART", type=_share, default=0.0, help="Part of the entrants, each round."
)
@click.option("--seed", metavar="N", type=click.IntRange(0, 2**63), default=1, show_default=True)
@click.option(
    "--matches",
    type=click.Choice(["none", "bots"]),
    help="none: draw results by rating, marked as reported; bots: play every board.  Default: bots below 64"
    " players, else none.",
)
@click.option("--game", default="thirteen_minutes", show_default=True, help="The game.")
@store_option(required=False, help="Keep the tournament in this store; default: a temporary one.")
@click.option(
    "--out",
    metavar="FILE.glasnost-tournament",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the tournament file, too.",
)
@json_option
@language_option
def simulate(
    players: int,
    format_: str,
    rounds: int,
    both_sides: bool,
    forfeits: float,
    byes: float,
    withdrawals: float,
    seed: int,
    matches: Matches | None,
    game: str,
    store: Location | None,
    out: Path | None,
    as_json: bool,
    language: str,
) -> None:
    """Simulate a tournament, through the same gate as a real one.

    The seed decides who forfeits, rests and withdraws, and how bots choose.  What a tournament and its
    matches draw by themselves comes from their own secrets, as always.

    \b
    Example:
      glasnost tournament simulate --players 128 --rounds 7 --forfeits .05 --byes .03 --withdrawals .02
      glasnost tournament simulate --players 8 --matches bots --out cup.glasnost-tournament --json
      glasnost tournament simulate --format league --players 16 --matches none
    """
    from msgspec.structs import replace

    from api.cli.tournament_files import file_at
    from api.cli.tournament_gate import write_bundle
    from domain.tournaments.terms import BOTH, GAME_POINTS
    from replay.tournaments.simulation import Plan

    if format_ in ("swiss", "stages") and rounds >= players:
        raise CannotBeDone(f"--rounds {rounds}: {players} entrants have an opponent for {players - 1} rounds")
    if byes and format_ != "swiss":
        raise CannotBeDone(f"--byes {byes}: entrants ask for byes in a Swiss tournament only")
    plan = Plan(players, rounds, forfeits, byes, withdrawals, seed)
    wanted: Matches = matches or ("bots" if players < PLAYED_BELOW else "none")
    terms = _terms(format_, game_named(game).name, players, rounds)
    if both_sides:
        terms = replace(terms, sides=BOTH, tie_breaks=(GAME_POINTS, *terms.ranked_by))
        _must_fit(terms)
    must_be_writable(out)
    with store_or_temporary(store) as opened, progress("simulate", rounds) as advance:
        log = asyncio.run(_simulated(opened, plan, terms, wanted, advance))
        if out is not None:
            with file_at(out) as file:
                write_bundle(opened, log, log.entry, file)
    _print(log, out, as_json, language)


def _terms(format_: str, game: str, players: int, rounds: int) -> Terms:
    """The terms of a simulation.  Raises CannotBeDone: there are too many or too few players."""
    from msgspec.structs import replace

    from domain.tournaments.formats.knockout import MOST
    from domain.tournaments.terms import MOST_ROUNDS, Knockout, League, Stage, Terms

    if format_ == "swiss":
        return Terms(game=game, format="swiss", rounds=rounds, most_entrants=players)
    if format_ in ("knockout", "round_robin") and players > MOST:
        raise CannotBeDone(f"--players {players}: a bracket or a table has at most {MOST}")
    if format_ in ("league", "stages") and players < LEAST_DIVIDED:
        raise CannotBeDone(f"--players {players}: a league, and stages, need at least {LEAST_DIVIDED}")
    common = Terms(game=game, format="round_robin", rounds=MOST_ROUNDS, most_entrants=players)
    match format_:
        case "knockout":
            return replace(common, format="knockout", knockout=Knockout(2))
        case "league":
            count = max(2, -(-players // DIVISION))
            return replace(common, format="league", league=League((players // count,) * count, 1, 1))
        case "stages":
            size = min(MOST, 1 << (players // 2).bit_length() - 1)
            stages = (Stage("swiss", rounds), Stage("knockout", MOST_ROUNDS - rounds, size))
            return replace(common, format="stages", stages=stages)
    return common


def _must_fit(terms: Terms) -> None:
    """Check that the terms do not contradict one another.  Raises CannotBeDone."""
    from domain.kernel import Refused
    from domain.tournaments.terms import must_fit

    try:
        must_fit(terms, None)
    except Refused as error:
        raise CannotBeDone(f"--both-sides: {error}") from error


async def _simulated(
    store: SqlStore, plan: Plan, terms: Terms, matches: Matches, advance: Advance
) -> TournamentLog:
    from api.gate import Gate
    from api.gate.tournament_simulation import Endless, Simulation
    from api.http.server import clock
    from api.settings import product
    from replay.tournaments.pairing import pair

    gate = Gate(store, store.keys, clock, product())
    simulation = Simulation(gate, pair, plan, terms, matches)
    try:
        return await simulation.run(lambda number: advance(1, str(number)))
    except Endless as error:
        raise CannotBeDone(f"match {error} of bots did not end") from error
    finally:
        await simulation.finish()
        await gate.close()


def _print(log: TournamentLog, out: Path | None, as_json: bool, language: str) -> None:
    from domain.log import b64

    about = {
        "tournament": log.id,
        "entries": log.entry,
        "root": b64(log.root),
        "rounds": len(log.state.rounds),
        "file": str(out) if out is not None else None,
    }
    if as_json:
        print_json(about)
        return
    words = {"en": "{rounds} rounds, {entries} entries", "ru": "туров: {rounds}, записей: {entries}"}
    click.echo(f"{log.id}: {words[language].format(**about)}")
