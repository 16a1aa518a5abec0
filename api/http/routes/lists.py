"""Read models: the match list, turn summaries, scoreboards, and the history of a player."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import Query
from msgspec import Struct

from api.bots.levels import LEVELS
from api.gate.bots import player_of
from api.http.permissions import looked, viewer
from api.http.routes import AtLeast, GameName, Limit, MatchId, PlayerId, View
from api.http.routing import FORBIDDEN, LOOKS, Api, Call, encode
from api.http.views import SPECTATOR
from domain.bounds import MOST
from domain.branches import BRANCH
from domain.games import GAMES
from domain.imported import IMPORTED, REMARK, UPLOADED, name_of
from domain.kernel import Refused
from domain.match import Match
from domain.match_base import SOLO, Chair
from projections import read
from projections.boards import StandingRow, TotalsRow
from projections.matches import MatchRow
from projections.model import BOTS, LIVE
from projections.moments import key_moments
from projections.read import Asked, HistoryFilter, MatchFilter
from projections.sentences import TurnTold, tell, why
from projections.summary import Turn, fitting, part
from projections.turns import summarize, usual_viewer

# ── The filters of the lists: what each may be ──
#
# What it cannot be is refused with what there is: a typing error must not look like an empty list.

SEEDED, SCRIPTED = "seeded", "scripted"  # of matches that the command line plays
ORIGINS = (LIVE, BOTS, SEEDED, SCRIPTED, BRANCH, UPLOADED, IMPORTED)
POOLS = (*ORIGINS, SOLO)


def _of(words: Sequence[str], about: str) -> Any:
    """A query parameter that is one of these words, or left out."""
    return Query(max_length=64, description=about, json_schema_extra={"enum": [*words, None]})


OneGame = Annotated[str | None, Query(max_length=64, description="A game's name; left out: of all games.")]
Edition = Annotated[str | None, Query(max_length=64, description="An edition of that game, or of any.")]
Player = Annotated[str | None, Query(max_length=64, description="The id of a player in the match.")]
Status = Annotated[str | None, _of(read.STATUSES, "How far the match is.")]
Outcome = Annotated[str | None, _of(read.OUTCOMES, "How it ended for the player; running: not yet.")]
Origin = Annotated[
    str | None,
    _of(
        ORIGINS,
        "Played here with people (live), by bots alone (bots), from a seed (seeded), from a script (scripted)"
        " or from a move of another match (branch); sent as a match file (uploaded); or imported from a"
        " record of another site (imported).",
    ),
]
Pool = Annotated[
    str | None,
    _of(
        POOLS,
        "The matches of one origin, or live ones in which one player had both seats (solo); left out: live,"
        " the only one that is rated.",
    ),
]
Since = Annotated[
    int | None, Query(ge=0, le=MOST, description="Opened at this time or later, in microseconds UTC.")
]
Until = Annotated[int | None, Query(ge=0, le=MOST, description="Opened before, in microseconds UTC.")]
Day = Annotated[str | None, Query(pattern=r"^\d{4}-\d{2}-\d{2}$", description="Opened on this day, UTC.")]
Rows = Annotated[int, Query(ge=1, le=read.MOST, description="Rows on a page.")]
Cursor = Annotated[str | None, Query(max_length=400, description="The `next` of another page.")]


def must_be_known(game: str | None, edition: str | None, origin: str | None, pool: str | None = None) -> None:
    """Raises Refused: invalid, where one of these is none that there is."""
    _one_of("game", game, list(GAMES))
    games = [GAMES[game]] if game else list(GAMES.values())
    _one_of("edition", edition, list(dict.fromkeys(name for one in games for name in one.editions)))
    _one_of("origin", origin, ORIGINS)
    _one_of("pool", pool, POOLS)


def must_be_in_order(since: int | None, until: int | None) -> None:
    """Raises Refused: invalid, where no time lies between these."""
    if since is not None and until is not None and since > until:
        raise Refused("invalid", "since-after-until", {"since": since, "until": until})


def stood_for(after: str | None, kinds: tuple[type, ...]) -> Sequence[str | int]:
    """The values for which the `next` of another page stands; none where this is the first.

    Raises:
        Refused: invalid.
    """
    return read.cursor(after, kinds) or ()


async def must_be_somebody(call: Call, player: str) -> None:
    """A player has a name here, or sits in a match, or is a bot.

    Raises:
        Refused: unknown-player.
    """
    if player in map(player_of, LEVELS) or await call.services.names.of([player], call.language):
        return
    if not (
        await call.services.models.ask(read.history, player, HistoryFilter(reader=call.player), Asked(1))
    ).rows:
        raise Refused("unknown-player", "no-such-participant", {"player": repr(player[:64])})


def _one_of(name: str, value: str | None, known: Sequence[str]) -> None:
    if value is not None and value not in known:
        raise Refused(
            "invalid", "no-such-value", {"name": name, "value": repr(value[:40]), "known": list(known)}
        )


# ── Read models: the match list, turn summaries, scoreboards, and the history of a player ──


api = Api("boards", "Lists, turn summaries, scoreboards, histories.")
_DAY = 86_400_000_000  # microseconds
AfterTurn = Annotated[
    str,
    Query(
        pattern=r"^[0-9]{1,9}(\.[0-9]{1,9})?$", description="Turns after this one, or the `next` of a page."
    ),
]


class MatchList(Struct, frozen=True):
    """Matches, the latest opened first; `next` asks for the rest."""

    matches: tuple[MatchRow, ...]
    names: dict[str, str]
    next: str | None


class History(Struct, frozen=True):
    """A player's matches, the latest opened first, and the player's standings."""

    player: str
    name: str | None
    matches: tuple[read.Played, ...]
    standings: list[StandingRow]
    next: str | None


class Scoreboard(Struct, frozen=True):
    """A game's totals, and the players of one board in order; only the pool of live matches is rated.

    `unverified`: these matches were imported from elsewhere.
    """

    game: str
    edition: str
    pool: str
    unverified: bool
    totals: list[TotalsRow]
    standings: tuple[StandingRow, ...]
    names: dict[str, str]
    next: str | None


class TurnView(Struct, frozen=True):
    """One turn as data and in sentences."""

    turn: Turn
    told: TurnTold


class MomentView(Struct, frozen=True):
    """A move that one should look at, with its turn, its weight (1 to 100), and why."""

    move: int
    turn: int
    weight: int
    why: list[str]


class TurnList(Struct, frozen=True):
    """The turns of a match as `view` saw them: a seat, "spectator" or "all".

    Without a `view` in the request a running or imported match is shown as to a spectator, and one that is
    over in full.  `moments`: the heaviest moments of the whole match, at most 12, by move; only the first
    page has them.  `remark`: what readers of an imported match should know.  `next` asks for the rest; a
    turn too long for one page goes on in the next one.
    """

    match: str
    game: str
    unverified: bool
    remark: str | None
    over: bool
    view: str
    moments: list[MomentView]
    turns: list[TurnView]
    next: str | None


@api.get("/v1/matches", MatchList, personal=True, refusals=("unknown-player",))
async def list_matches(
    call: Call,
    game: OneGame = None,
    edition: Edition = None,
    player: Player = None,
    status: Status = None,
    origin: Origin = None,
    since: Since = None,
    until: Until = None,
    date: Day = None,
    limit: Rows = 50,
    after: Cursor = None,
) -> MatchList:
    """Matches by game, edition, player, status, origin and time of opening (or its `date`).

    Private matches are in the list of a caller who sits in them, and in no other one.
    """
    must_be_known(game, edition, origin)
    must_be_in_order(since, until)
    if date is not None:
        since, until = _within(date, since, until)
    hidden = await call.services.models.hidden()
    which = MatchFilter(
        game, edition, player, status, origin, since, until, hidden=hidden, reader=call.player
    )
    page = await call.services.models.ask(read.matches, which, Asked(limit, after))
    if player is not None and not page.rows:
        await must_be_somebody(call, player)
    return await _listed(call, page)


async def _listed(call: Call, page: read.Page[MatchRow]) -> MatchList:
    """A page of matches, with the names of the players of this server."""
    own = (row for row in page.rows if row.unverified or not row.claimed)
    players = [player for row in own for player in row.seats.values() if player and _is_own(row, player)]
    return MatchList(page.rows, await names_of(call, players), page.next)


@api.get("/v1/matches/{match}/branches", MatchList, personal=True, refusals=LOOKS)
async def list_branches(
    call: Call, match: MatchId, at_least: AtLeast = None, limit: Rows = 50, after: Cursor = None
) -> MatchList:
    """The branches of a match, the latest opened first."""
    await looked(call, match, at_least)
    hidden = await call.services.models.hidden()
    which = MatchFilter(branch_of=match, hidden=hidden, reader=call.player)
    return await _listed(call, await call.services.models.ask(read.matches, which, Asked(limit, after)))


@api.get(
    "/v1/matches/{match}/turns",
    TurnList,
    personal=True,
    refusals=(*FORBIDDEN, *LOOKS, "unknown-seat"),
)
async def read_turns(
    call: Call,
    match: MatchId,
    after: AfterTurn = "0",
    limit: Limit = None,
    at_least: AtLeast = None,
    view: View = None,
) -> TurnList:
    """What each turn brought: plays, score before and after, turning points; and the key moments."""
    found = (await looked(call, match, at_least)).match
    move, over = found.move, found.closed is not None
    seen_by = usual_viewer(found, move) if view is None else viewer(found, call.player, view)
    call.final, size = over, call.services.settings.turns_bytes
    made = await asyncio.to_thread(turn_page, found, move, seen_by, call.language, after, limit, size)
    shown = (found.seat_of(seen_by, move) if seen_by else None) or SPECTATOR
    remark = REMARK[call.language] if found.imported else None
    return TurnList(
        found.id,
        found.game.name,
        found.imported,
        remark,
        over,
        shown,
        made.moments,
        made.turns,
        made.next,
    )


@api.get("/v1/scoreboards/{game}", Scoreboard, refusals=("unknown-game",))
async def read_scoreboard(
    call: Call,
    game: GameName,
    edition: Edition = None,
    pool: Pool = None,
    limit: Rows = 50,
    after: Cursor = None,
) -> Scoreboard:
    """A game's board; `pool` is live (matches between people, rated), bots, or another origin."""
    if game not in GAMES:
        raise Refused("unknown-game", "no-such-game", {"games": list(GAMES)})
    must_be_known(game, edition, None, pool)
    chosen, among = edition or GAMES[game].editions[0], pool or LIVE
    models = call.services.models
    totals = await models.ask(read.totals, game, chosen, among)
    page = await models.ask(read.standings, game, chosen, Asked(limit, after), among)
    names = await names_of(call, [row.player for row in page.rows])
    return Scoreboard(game, chosen, among, among == IMPORTED, totals, page.rows, names, page.next)


@api.get("/v1/players/{player}/matches", History, personal=True, refusals=("unknown-player",))
async def read_history(
    call: Call,
    player: PlayerId,
    game: OneGame = None,
    edition: Edition = None,
    origin: Origin = None,
    outcome: Outcome = None,
    limit: Rows = 50,
    after: Cursor = None,
) -> History:
    """A player's matches and standings; private matches only for a caller who sits in them."""
    must_be_known(game, edition, origin)
    models = call.services.models
    which = HistoryFilter(game, edition, origin, outcome, await models.hidden(), call.player)
    page = await models.ask(read.history, player, which, Asked(limit, after))
    if not page.rows:
        await must_be_somebody(call, player)
    standings = await models.ask(read.standings_of, player)
    name = (await names_of(call, [player])).get(player)
    return History(player, name, page.rows, standings, page.next)


class TurnPage(Struct, frozen=True):
    """A page of turns, on the first one the moments of the match, and where the next page begins."""

    moments: list[MomentView]
    turns: list[TurnView]
    next: str | None


def turn_page(
    match: Match,
    move: int,
    seen_by: Chair | None,
    language: str,
    after: str,
    limit: int | None,
    size: int,
) -> TurnPage:
    """A page of the turns of a match as it stood after `move`, as data and in words."""
    summary = summarize(match, move, seen_by)
    words = match.game.words(language, match.opened.options, match.opened.edition)
    moments = [
        MomentView(moment.move, moment.turn, moment.weight, list(why(match.game, words, summary, moment)))
        for moment in (key_moments(match, summary, move) if after == "0" else ())
    ]
    shown, rest = _page(match, summary.turns, language, after, limit, size)
    return TurnPage(moments, shown, rest)


def _page(
    match: Match, turns: Sequence[Turn], language: str, after: str, limit: int | None, size: int
) -> tuple[list[TurnView], str | None]:
    """The turns of a page, and where the next one begins.

    It ends with a turn before it has more than `size` bytes; a longer turn is sent in parts.
    """
    number, _, plays = after.partition(".")
    begin, told, room = (int(number), int(plays or 0)), list[TurnView](), size
    for turn in turns:
        first = begin[1] if turn.number == begin[0] else 0
        if turn.number < begin[0] or (turn.number == begin[0] and not 0 < first < len(turn.plays)):
            continue
        if len(told) == limit:
            return told, str(turn.number - 1)
        view, last, length = _turn_view(match, language, turn, first, room)
        if told and (last < len(turn.plays) or length > room):
            return told, str(turn.number - 1)
        told.append(view)
        if last < len(turn.plays):
            return told, f"{turn.number}.{last}"
        room -= length
    return told, None


def _turn_view(match: Match, language: str, turn: Turn, first: int, room: int) -> tuple[TurnView, int, int]:
    """A turn from its `first` play on, as far as there is room: up to which play, and how many bytes that is.

    One play is sent whole, however long it is.
    """
    game, opened = match.game, match.opened
    words = game.words(language, opened.options, opened.edition)
    last = first + fitting(turn, first, room)
    while True:
        one = part(turn, first, last)
        view = TurnView(one, tell(game, words, one))
        length = len(encode(view))
        if length <= room or last - first == 1:
            return view, last, length
        last = first + (last - first) // 2


def _within(date: str, since: int | None, until: int | None) -> tuple[int, int]:
    """The part of a day, in microseconds UTC, that lies between two moments.

    Raises:
        Refused: invalid.
    """
    try:
        day = datetime.fromisoformat(date).replace(tzinfo=UTC)
    except ValueError as error:
        raise Refused("invalid", "no-such-day", {"date": date}) from error
    begin = int(day.timestamp()) * 1_000_000
    end = begin + _DAY
    return max(begin, since or begin), end if until is None else min(end, until)


def _is_own(row: MatchRow, player: str) -> bool:
    """May this player's name be shown?  A match from elsewhere can claim any player."""
    return not row.unverified or name_of(player) is not None


async def names_of(call: Call, players: Sequence[str]) -> dict[str, str]:
    """Return the names of these players, by id, as far as they have any."""
    imported = {player: name for player in players if (name := name_of(player)) is not None}
    people = {player for player in players if player not in imported and not player.startswith("bot:")}
    return await call.services.names.of(sorted(people), call.language) | imported
