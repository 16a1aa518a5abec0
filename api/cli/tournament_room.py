"""`glasnost tournament room`: the dispute room of a match as text, as the page of the same name shows it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from api.cli.common import CannotBeDone, heading, json_option, language_option, print_json, store_option
from api.cli.tournament_gate import acting, run_at
from api.cli.tournament_options import only_on_a_store

if TYPE_CHECKING:
    from api.gate import CachedMatch
    from api.gate.tournaments import TournamentGate
    from api.http.tournament_disputes import DisputeView
    from api.store.open import Location
    from domain.tournaments.history import TournamentLog
    from domain.tournaments.judging import Actor
    from replay.words import Words

_WORDS = {
    "en": {
        "why": "in question",
        "hidden": "hidden while the match runs; --why opens it, by an entry of the log that says so",
        "told": "moves",
        "offered": "offered",
        "taken": "taken",
        "think": "longest thought",
        "asked": "takebacks asked",
        "agreed": "agreed",
        "root": "root",
        "deeds": "measures and rulings",
    },
    "ru": {
        "why": "вопрос",
        "hidden": "скрыто, пока партия идёт; --why откроет и запишет это в журнал",
        "told": "ходы",
        "offered": "варианты",
        "taken": "выбрано",
        "think": "самое долгое раздумье",
        "asked": "просьбы взять ход назад",
        "agreed": "согласие",
        "root": "корень",
        "deeds": "меры и решения",
    },
}


@click.command()
@only_on_a_store("on a server see the page /t/TOURNAMENT/disputes/MATCH")
@store_option()
@click.argument("tournament", metavar="TOURNAMENT")
@click.argument("match", metavar="MATCH")
@click.option("--at", "move", type=click.IntRange(1), help="After this move; default: the latest.")
@click.option("--window", type=click.IntRange(1, 100), default=10, show_default=True, help="So many moves.")
@click.option("--why", default="", help="Open what is hidden in a running match; the log says so, and why.")
@click.option("--root", "kept", default="", help="A root that a player kept after the move --at.")
@click.option("--as", "person", default="", help="The id of the official who looks; else the opener.")
@json_option
@language_option
def room(
    store: Location,
    tournament: str,
    match: str,
    move: int | None,
    window: int,
    why: str,
    kept: str,
    person: str,
    as_json: bool,
    language: str,
) -> None:
    """Show the evidence about a match: its table from each view, what each view was shown, clocks, rulings.

    While the match runs, --why opens the views of the seats.  An entry of the log then says who looked at
    which moves, and why; everybody can read it.

    \b
    Example:
      glasnost tournament room --store games TOURNAMENT MATCH --at 40
      glasnost tournament room --store games TOURNAMENT MATCH --at 40 --why "a doubt about a headline"
    """

    async def work(gate: TournamentGate) -> dict[str, Any]:
        log = await gate.commands.log(tournament)
        actor = await acting(gate, person, log.state)
        cached = await _checked(gate, log, actor, match)
        at = min(move or cached.match.move, cached.match.move)
        opened = cached.match.closed is not None
        if why and not opened:
            await _open(gate, log, actor, match, at, why)
            opened = True
        return _contents(log, cached, language, (max(1, at - window + 1), at), opened, kept)

    found = run_at(store, work)
    if as_json:
        print_json(found)
    else:
        _print(found, _WORDS[language])


async def _checked(gate: TournamentGate, log: TournamentLog, actor: Actor, match: str) -> CachedMatch:
    from domain.tournaments.judging import must_be_official
    from domain.tournaments.measures import board_of_match

    must_be_official(log.state, actor)
    board_of_match(log.state, match)
    return await gate.gate.cached(match)


async def _open(
    gate: TournamentGate, log: TournamentLog, actor: Actor, match: str, at: int, why: str
) -> None:
    from domain.tournaments import commands as c
    from domain.tournaments.measures import ALL

    order = c.ReadPrivileged(why=why, match=match, view=ALL, first=1, last=at)
    await gate.commands.command(log.id, order, actor, expect=log.entry)


def _contents(
    log: TournamentLog, cached: CachedMatch, language: str, window: tuple[int, int], opened: bool, kept: str
) -> dict[str, Any]:
    """What the room shows, as plain data."""
    from api.http.tournament_disputes import dispute_view
    from replay.words import Words

    match, words = cached.match, Words(cached.match, language)
    evidence = dispute_view(log.state, cached, words, {}, window)
    views = [None, *match.seats]
    return {
        "match": match.id,
        "move": window[1],
        "status": match.status,
        "why": evidence.dispute.why,
        "held": _held(cached, window[1], kept),
        "roots": evidence.roots,
        "views": {words.viewer(view): _view(cached, words, window[1], view, opened) for view in views},
        "moves": _moves(cached, words, evidence, window, opened),
        "seats": {words.name(seat): seen for seat, seen in evidence.seats.items()},
        "deeds": evidence.deeds,
        "clocks": evidence.clocks.get(str(window[1])),
    }


def _view(cached: CachedMatch, words: Words, move: int, view: str | None, opened: bool) -> str | None:
    from replay.knowledge import table_text

    return table_text(cached.match, words, move, view, 98) if opened or view is None else None


def _moves(
    cached: CachedMatch, words: Words, evidence: DisputeView, window: tuple[int, int], opened: bool
) -> list[dict[str, Any]]:
    from replay.knowledge import choices, said_with
    from replay.scenes.positions import SPECTATOR

    match = cached.match
    views = [SPECTATOR, *(match.seats if opened else ())]
    said = {one.move: one for one in said_with(match, words, views, range(window[0], window[1] + 1), {})}
    offers = {one.move: choices(one, words) for one in evidence.offers}
    return [
        {
            "move": row.move,
            "time": row.time,
            "root": row.root,
            "stands": row.stands,
            "told": said[row.move].said,
            "offered": [one.option for one in offers.get(row.move, ())],
            "taken": [one.option for one in offers.get(row.move, ()) if one.taken],
        }
        for row in evidence.moves
    ]


def _held(cached: CachedMatch, move: int, kept: str) -> str | None:
    from domain.log import Damaged, unb64
    from replay.evidence import held

    if not kept:
        return None
    try:
        return held(cached.match, move, unb64(kept))
    except Damaged as error:
        raise CannotBeDone(f"--root: {error}") from error


def _print(found: Mapping[str, Any], words: Mapping[str, str]) -> None:
    click.echo(f"{found['match']}, {found['move']}: {found['status']}")
    if found["why"]:
        click.echo(f"{words['why']}: {', '.join(found['why'])}")
    for one in found["roots"]:
        click.echo(f"{words['root']} {one.entrant} ({one.move}): {one.held}")
    if found["held"]:
        click.echo(f"{words['root']}: {found['held']}")
    for view, table in found["views"].items():
        heading(f"── {view} ──")
        click.echo(table or words["hidden"])
    heading(f"── {words['told']} ──")
    for row in found["moves"]:
        click.echo(f"{row['move']:>4}  {row['time']}  {row['root'][:8]}")
        for view, said in row["told"].items():
            click.echo(f"        {view}: {' '.join(said)}")
        if row["offered"]:
            taken = ", ".join(row["taken"])
            click.echo(f"        {words['offered']}: {len(row['offered'])}; {words['taken']}: {taken}")
    for seat, seen in found["seats"].items():
        asked, agreed = len(seen.takebacks_asked), len(seen.agreed)
        think = seen.longest_think.took / 1_000_000 if seen.longest_think else 0
        click.echo(
            f"{seat}: {words['think']} {think:.1f} s, {words['asked']}: {asked}, {words['agreed']}: {agreed}"
        )
    for deed in found["deeds"]:
        click.echo(f"{words['deeds']}: {deed.move} {deed.kind} {deed.by} {deed.reason}".rstrip())
