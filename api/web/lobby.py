"""The first page: what a player can do next, which seats are free, and what there is to watch."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import UNSET, Struct
from msgspec.structs import replace
from starlette.responses import Response

from api.http.caching import NEVER
from api.http.lobby import Highlight, Lobby, LobbyMatch
from api.http.routes.lobby import lobby_of
from api.http.routing import Call
from api.web.clocks import SeatClock, seat_clock
from api.web.shell import HasShell
from domain.games import GAMES
from domain.texts import Texts
from replay.boards.drawing import BOARDS
from replay.game_words import title_of

_HIGHLIGHTED = 20  # of the caller's own matches that are over
_DRAWN = 12  # running matches of which a page shows the board


class SeatShown(Struct, frozen=True):
    """A seat of a match in a list: who plays it, and whether they are asked."""

    id: str
    name: str
    place: int
    player: str
    address: str
    is_bot: bool
    is_asked: bool
    score: int | None
    clock: SeatClock | None = None


class MatchShown(Struct, frozen=True):
    """A match in a list, in words; times are microseconds UTC.

    `opponent`: the id of the other player, "" for a bot, and for a match in which the caller does not sit.
    `board`: the address of a small picture of the board, "" where none is shown.
    """

    match: str
    game: str
    title: str
    edition: str
    status: str
    turn: str
    move: int
    seats: tuple[SeatShown, ...]
    own: tuple[str, ...]
    free: tuple[tuple[str, str], ...]
    since: int | None
    task: str
    result: str
    opponent: str
    private: bool
    frozen: bool
    highlight: Highlight | None
    board: str = ""


async def lobby_page(pages: HasShell, call: Call) -> Response:
    """The lobby of a player or a visitor; `game` shows the matches of one game alone."""
    found = await lobby_of(call)
    wanted = call.request.query_params.get("game")
    game = wanted if wanted in GAMES else None
    closed = [row for row in (*found.over[:_HIGHLIGHTED], *found.finished) if game in (None, row.game)]
    highlights = await call.services.lobbies.highlights(closed, call.language)
    shown = describe(call.language, found.names, highlights, call.services.clock())
    groups = {
        group: [shown(row) for row in getattr(found, group) if game in (None, row.game)]
        for group in ("mine", "theirs", "open", "over", "seats", "live", "finished")
    }
    left = _DRAWN
    for group in ("mine", "theirs", "live"):
        groups[group], left = _with_boards(groups[group], left)
    response = pages.shell.page(
        call,
        "lobby.html",
        script="lobby",
        groups=groups,
        game=game,
        games=[(name, title_of(GAMES[name], call.language)) for name in GAMES],
        state={
            "player": found.player,
            "mine": len(groups["mine"]),
            "now": _now(call, found),
            "game": game,
            "rows": [
                f"{row.match} {row.move if row.own else row.status}"
                for row in found.matches
                if game in (None, row.game)
            ],
        },
    )
    if call.visitor.person is not None:
        response.headers["cache-control"] = NEVER
    return response


def _with_boards(rows: list[MatchShown], most: int) -> tuple[list[MatchShown], int]:
    """These matches, with a picture of at most so many boards; how many more there may be."""
    shown = []
    for row in rows:
        has_board = most > 0 and row.status == "running" and row.game in BOARDS
        most -= has_board
        shown.append(replace(row, board=f"/m/{row.match}/board.svg?move={row.move}") if has_board else row)
    return shown, most


def _now(call: Call, lobby: Lobby) -> int | None:
    """The server's time, for the clocks of a page; None if there is none, so that the page can be cached."""
    return call.services.clock() if any(row.clock is not UNSET for row in lobby.matches) else None


def describe(
    language: str, names: dict[str, str], highlights: Mapping[str, Highlight], now: int
) -> Callable[[LobbyMatch], MatchShown]:
    """Return what puts a match of a lobby in words; `names` are those of players, `highlights` by match;
    clocks are read at `now` (microseconds UTC)."""
    return lambda row: _shown(row, language, names, highlights.get(row.match), now)


def _shown(
    row: LobbyMatch, language: str, names: dict[str, str], highlight: Highlight | None, now: int
) -> MatchShown:
    words = GAMES[row.game].texts[language]
    seats = tuple(_seat(row, seat, place, words, names, now) for place, seat in enumerate(row.seats))
    task = ""
    if row.waits_for_me:
        task = "salt" if set(row.own) & set(row.unopened) else "takeback" if row.takeback else "move"
    since = row.closed_at if row.status == "over" else row.since if row.own else row.changed_at
    return MatchShown(
        match=row.match,
        game=row.game,
        title=row.title,
        edition=words.names.get(row.edition, row.edition) if len(GAMES[row.game].editions) > 1 else "",
        status=row.status,
        turn=row.turn,
        move=row.move,
        seats=seats,
        own=row.own,
        free=tuple((seat, words.name(seat)) for seat in row.free),
        since=since or None,
        task=task,
        result=_result(row, words),
        opponent=_opponent(row, names),
        private=row.private,
        frozen=row.frozen is True,
        highlight=highlight,
    )


def _opponent(row: LobbyMatch, names: dict[str, str]) -> str:
    others = [player for seat, player in row.seats.items() if seat not in row.own and player in names]
    return str(others[0]) if row.own and others else ""


def _seat(row: LobbyMatch, seat: str, place: int, words: Texts, names: dict[str, str], now: int) -> SeatShown:
    player = row.seats[seat] or ""
    is_bot = seat in row.bots
    return SeatShown(
        id=seat,
        name=words.name(seat),
        place=place,
        player=names.get(player) or row.bots.get(seat, ""),
        address=f"/p/{player}" if player in names else "",
        is_bot=is_bot,
        is_asked=seat in row.asked or (row.status == "waiting" and seat in row.unopened),
        score=row.score.get(seat),
        clock=seat_clock(row.clock, seat, now),
    )


def _result(row: LobbyMatch, words: Texts) -> str:
    """The seat that won, "" if none did."""
    return words.name(row.result.winner) if row.result and row.result.winner else ""
