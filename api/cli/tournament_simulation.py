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

if TYPE_CHECKING:
    from api.cli.common import Advance
    from api.gate.tournament_simulation import Matches
    from api.store.open import Location
    from api.store.sql import SqlStore
    from domain.tournaments.history import TournamentLog
    from domain.tournaments.terms import Terms
    from replay.tournaments.simulation import Plan

PLAYED_BELOW = 64  # entrants: with fewer, every board is a real match unless --matches says otherwise
_share = click.FloatRange(0, 0.5)


@click.command()
@click.option("--players", metavar="N", type=click.IntRange(2, 1_000), default=16, show_default=True)
@click.option("--rounds", metavar="N", type=click.IntRange(1, 40), default=3, show_default=True)
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
    rounds: int,
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
    """Simulate a Swiss tournament, through the same gate as a real one.

    The seed decides who forfeits, rests and withdraws, and how bots choose.  What a tournament and its
    matches draw by themselves comes from their own secrets, as always.

    \b
    Example:
      glasnost tournament simulate --players 128 --rounds 7 --forfeits .05 --byes .03 --withdrawals .02
      glasnost tournament simulate --players 8 --matches bots --out cup.glasnost-tournament --json
    """
    from api.cli.tournament_files import file_at, write_bundle
    from domain.tournaments.terms import Terms
    from replay.tournaments.simulation import Plan

    if rounds >= players:
        raise CannotBeDone(f"--rounds {rounds}: {players} entrants have an opponent for {players - 1} rounds")
    plan = Plan(players, rounds, forfeits, byes, withdrawals, seed)
    wanted: Matches = matches or ("bots" if players < PLAYED_BELOW else "none")
    terms = Terms(game=game_named(game).name, format="swiss", rounds=rounds, most_entrants=players)
    must_be_writable(out)
    with store_or_temporary(store) as opened, progress("simulate", rounds) as advance:
        log = asyncio.run(_simulated(opened, plan, terms, wanted, advance))
        if out is not None:
            with file_at(out) as file:
                write_bundle(opened, log, log.entry, file)
    _print(log, out, as_json, language)


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
