"""`glasnost tournament bids`: what was paid for the sides, and how often the bought side won."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from api.cli.common import json_option, language_option, print_json, store_option
from api.cli.tournament_gate import run_at
from api.cli.tournament_options import only_on_a_store

if TYPE_CHECKING:
    from api.gate.tournament_bids import BidReport
    from api.gate.tournaments import TournamentGate
    from api.store.open import Location

_WORDS = {
    "en": {"head": "side\tpaid\tmatches\twon\t95 %", "free": "nothing paid", "open": "not over"},
    "ru": {"head": "сторона\tцена\tпартий\tвыиграно\t95 %", "free": "без цены", "open": "не окончено"},
}


@click.command()
@only_on_a_store("stop the server, or use a copy of its store")
@store_option()
@click.argument("tournament", metavar="TOURNAMENT")
@json_option
@language_option
def bids(store: Location, tournament: str, as_json: bool, language: str) -> None:
    """Show the bids for the sides: the price, and how often the bought side won, with Wilson's interval.

    \b
    Example:
      glasnost tournament bids --store games TOURNAMENT
    """

    async def work(gate: TournamentGate) -> BidReport:
        from api.gate.tournament_bids import bids_of

        return await bids_of(gate, tournament)

    found: BidReport = run_at(store, work)
    if as_json:
        print_json(found)
        return
    words = _WORDS[language]
    click.echo(words["head"])
    for one in found.bids:
        interval = f"{one.low:.2f}–{one.high:.2f}"
        click.echo("\t".join([one.side, str(one.points), str(one.matches), str(one.won), interval]))
    click.echo(f"{words['free']}: {found.free}")
    click.echo(f"{words['open']}: {found.open}")
