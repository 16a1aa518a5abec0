"""Scoreboards, and what is known of a player."""

from __future__ import annotations

import asyncio

from msgspec import Struct
from starlette.responses import Response

from api.bots.levels import LEVELS
from api.gate.bots import player_of
from api.http.routes.lists import POOLS, must_be_somebody, names_of, stood_for
from api.http.routing import Call
from api.web.shell import HasShell, texts
from domain.games import GAMES
from domain.kernel import Refused
from projections import read
from projections.boards import TotalsRow
from projections.model import LIVE
from projections.ratings import RatingRow
from projections.read import Asked, HistoryFilter, Played
from replay.game_words import game_words, title_of
from replay.words import Words

FEW = 10  # matches, below which numbers say little
_ROWS = 50
_HISTORY = 100
_WIDTH, _HEIGHT = 600.0, 120.0  # of the line of ratings


class Ending(Struct, frozen=True):
    """One way in which matches ended, and how many did."""

    name: str
    by: str
    count: int


class Share(Struct, frozen=True):
    """How many matches a side won."""

    name: str
    place: int
    won: int
    percent: int


class Against(Struct, frozen=True):
    """How a player did against another one."""

    player: str
    played: int
    won: int


async def scoreboard_page(pages: HasShell, call: Call, game: str = next(iter(GAMES))) -> Response:
    """A game's board (by default of the first): totals, and its players in order.

    `edition` and `pool` choose which.
    """
    if game not in GAMES:
        raise Refused("unknown-game", "no-such-game", {"games": list(GAMES)})
    query, known = call.request.query_params, GAMES[game]
    edition = query["edition"] if query.get("edition") in known.editions else known.editions[0]
    pool = query["pool"] if query.get("pool") in POOLS else LIVE
    words = Words.of_game(known, edition, known.settle(edition, {})[1], call.language)
    models = call.services.models
    found = await models.ask(read.totals, game, edition, pool)
    page = await models.ask(read.standings, game, edition, Asked(_ROWS, _cursor(query.get("after"))), pool)
    people = call.services.store.people
    totals = found[0] if found else TotalsRow(game=game, edition=edition, pool=pool)
    return pages.shell.page(
        call,
        "board.html",
        script="tables",
        title=words.game,
        game=game,
        games=[(name, title_of(GAMES[name], call.language)) for name in GAMES],
        editions=game_words(known, call.language).editions,
        edition=edition,
        pool=pool,
        totals=totals,
        shares=_shares(totals, words),
        endings=_endings(totals, words),
        seats=[(seat, words.name(seat)) for seat in known.seats],
        standings=page.rows,
        names=await names_of(call, [row.player for row in page.rows]),
        bots={player_of(bot): bot for bot in LEVELS},
        programs=await asyncio.to_thread(people.bots, [row.player for row in page.rows]),
        next=page.next,
        few=FEW,
        state={},
    )


def _cursor(wanted: str | None) -> str | None:
    """The `next` of another page, if that is what the address has."""
    try:
        stood_for(wanted, (int, int, str))
    except Refused:
        return None
    return wanted


def _shares(totals: TotalsRow, words: Words) -> list[Share]:
    played = totals.played or 1
    return [
        Share(words.name(seat), place, tally.won, round(100 * tally.won / played))
        for place, (seat, tally) in enumerate(totals.sides.items())
    ]


def _endings(totals: TotalsRow, words: Words) -> list[Ending]:
    """The ways to end, the most frequent first."""
    found = []
    for way, count in totals.endings.items():
        by, _, reason = way.partition(":")
        found.append(Ending(words.field(reason) if by == "play" else "", by, count))
    return sorted(found, key=lambda ending: -ending.count)


async def player_page(pages: HasShell, call: Call, player: str) -> Response:
    """A player's standings, ratings over time, matches, and against whom; `game` shows one game alone."""
    wanted = call.request.query_params.get("game")
    game = wanted if wanted in GAMES else None
    models = call.services.models
    which = HistoryFilter(game, hidden=await models.hidden(), reader=call.player)
    page = await models.ask(read.history, player, which, Asked(_HISTORY))
    if not page.rows:
        await must_be_somebody(call, player)
    standings = await models.ask(read.standings_of, player)
    rows = {row.match: row for row in await models.ask(read.match_rows, {p.seating.match for p in page.rows})}
    seats = {match: row.seats for match, row in rows.items() if not row.claimed}
    others = {other for sits in seats.values() for other in sits.values() if other}
    names = await names_of(call, sorted({player, *others}))
    name = names.get(player) or player
    is_bot = bool(await asyncio.to_thread(call.services.store.people.bots, [player]))
    return pages.shell.page(
        call,
        "player.html",
        script="tables",
        player=player,
        name=texts(call.language)("row_bot", name=name) if is_bot else name,
        game=game,
        games=[(name, title_of(GAMES[name], call.language)) for name in GAMES],
        titles={name: title_of(GAMES[name], call.language) for name in GAMES},
        standings=standings,
        lines=_lines([played.rating for played in page.rows if played.rating]),
        matches=[_match(played, seats, player, call.language) for played in page.rows],
        against=_against(page.rows, seats, player),
        names=names,
        few=FEW,
        state={},
    )


class MatchLine(Struct, frozen=True):
    """A match in the history of a player."""

    match: str
    game: str
    title: str
    seat: str
    place: int
    other: str
    outcome: str
    reason: str
    at: int
    before: int | None
    after: int | None


def _match(played: Played, seats: dict[str, dict[str, str | None]], player: str, language: str) -> MatchLine:
    row, game = played.seating, GAMES[played.seating.game]
    words = game.texts[language]
    others = [sits for sits in seats.get(row.match, {}).values() if sits and sits != player]
    known = row.by == "play" and row.reason
    return MatchLine(
        match=row.match,
        game=row.game,
        title=words.name(row.game),
        seat=words.name(row.seat),
        place=list(game.seats).index(row.seat),
        other=others[0] if others else "",
        outcome=row.outcome,
        reason=words.name(row.reason) if known else "",
        at=row.closed_at or row.seated_at or 0,
        before=played.rating.before if played.rating else None,
        after=played.rating.after if played.rating else None,
    )


def _against(rows: tuple[Played, ...], seats: dict[str, dict[str, str | None]], player: str) -> list[Against]:
    """The players against whom matches of these were played to their end, the most frequent first."""
    found: dict[str, list[bool]] = {}
    for row in (played.seating for played in rows if played.seating.outcome != "running"):
        for other in {sits for sits in seats.get(row.match, {}).values() if sits and sits != player}:
            found.setdefault(other, []).append(row.outcome == "won")
    counted = [Against(other, len(results), sum(results)) for other, results in found.items()]
    return sorted(counted, key=lambda one: (-one.played, one.player))


class RatingLine(Struct, frozen=True):
    """The ratings of a player in one game and edition, as a line of a drawing and as numbers."""

    game: str
    points: str
    dots: list[tuple[float, float, int, str]]
    least: int
    most: int


def _lines(ratings: list[RatingRow]) -> list[RatingLine]:
    """A line for each board on which the player has more than one rating; the latest is on the right."""
    boards: dict[tuple[str, str], list[RatingRow]] = {}
    for row in sorted(ratings, key=lambda row: row.closed):
        boards.setdefault((row.game, row.edition), []).append(row)
    return [_line(game, rows) for (game, _), rows in boards.items() if len(rows) > 1]


def _line(game: str, rows: list[RatingRow]) -> RatingLine:
    values = [row.after for row in rows]
    least, most = min(values), max(values)
    step, span = _WIDTH / (len(values) - 1), max(most - least, 1)
    dots = [
        (
            round(step * place, 1),
            round(_HEIGHT - (row.after - least) / span * _HEIGHT, 1),
            row.after,
            row.match,
        )
        for place, row in enumerate(rows)
    ]
    return RatingLine(game, " ".join(f"{x},{y}" for x, y, _, _ in dots), dots, least, most)
