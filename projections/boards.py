"""Scoreboards: totals of each game, standings of its players, and the rating of matches between people.

A match counts for the players who held its seats when it closed, wherever they sat down.  A result by ruling
or resignation counts like one by play.
A match without a result, or closed before every seat was taken, counts as void and nowhere else.

Boards are kept apart by pool (`domain.match_base.pool_of`).  Only the matches of the pool "live" are rated.
Totals and standings count what the logs of the matches say; ratings follow the rulings of a tournament, too.
A private match counts on no board.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from msgspec import Struct
from msgspec.structs import replace

from domain.events import Closed, Opened, Seated
from domain.games import GAMES
from domain.kernel import Result, Seat
from domain.log import TOURNAMENT
from domain.match_base import pool_of
from domain.tournaments import events as e
from domain.tournaments.outcomes import winner_of
from domain.tournaments.totals import BOTH_LOST
from projections.model import (
    LIVE,
    Change,
    Delivered,
    Gone,
    Projection,
    Row,
    Rows,
    claimed_by,
    expect,
    origin_of,
)
from projections.ratings import BEGINNER, RatedMatch, RatingRow, Skill, rated_again
from projections.seat_swaps import Exchanges, across, exchanged, settles


class Tally(Struct, frozen=True):
    """How many matches were played, won and drawn (without a winner); the others were lost."""

    played: int = 0
    won: int = 0
    drawn: int = 0

    def plus(self, winner: Seat | None, seat: Seat) -> Tally:
        """Return the tally with one more match, seen from `seat`."""
        return Tally(self.played + 1, self.won + (winner == seat), self.drawn + (winner is None))


class TotalsRow(Row, frozen=True, kw_only=True):
    """A game and edition as a whole; `endings` counts each way to end, as "by:reason" ("play:points")."""

    table: ClassVar[str] = "totals"
    key: ClassVar[tuple[str, ...]] = ("game", "edition", "pool")

    game: str
    edition: str
    pool: str
    played: int = 0
    drawn: int = 0
    void: int = 0
    sides: dict[Seat, Tally] = {}
    endings: dict[str, int] = {}


class StandingRow(Row, frozen=True, kw_only=True):
    """A player on one board; `rating` is 0 and `skill` None where the pool is not rated."""

    table: ClassVar[str] = "standings"
    key: ClassVar[tuple[str, ...]] = ("game", "edition", "pool", "player")
    indexes: ClassVar[tuple[tuple[str, ...], ...]] = (
        ("game", "edition", "pool", "rating", "won", "player"),
        ("player",),
    )

    game: str
    edition: str
    pool: str
    player: str
    rating: int = 0
    skill: Skill | None = None
    played: int = 0
    won: int = 0
    drawn: int = 0
    sides: dict[Seat, Tally] = {}
    endings: dict[str, int] = {}
    changed_at: int | None = None


class BoardMatch(Row, frozen=True, kw_only=True):
    """What the fold must remember of a match until it closes; `players`: who plays each seat now.

    A match whose players are only `claimed` counts on no board, nor does a private one.
    """

    table: ClassVar[str] = "board_matches"
    key: ClassVar[tuple[str, ...]] = ("match",)
    internal: ClassVar[bool] = True

    match: str
    game: str
    edition: str
    origin: str
    claimed: bool = False
    private: bool = False
    players: dict[Seat, str] = {}
    bots: bool = False
    exchanges: Exchanges = ()

    @property
    def pool(self) -> str:
        """The board on which the match counts."""
        return pool_of(self.origin, self.players.values(), self.bots)


def fold(rows: Rows, delivered: Delivered) -> Iterator[Change]:
    """What one record does to the scoreboards."""
    record = delivered.record
    entry: Any = record.entry
    if record.topic == TOURNAMENT:
        yield from _of_tournament(rows, record.match, entry, delivered.position)
    elif isinstance(entry, Opened):
        origin = origin_of(delivered, entry)
        claimed = claimed_by(delivered, entry)
        yield BoardMatch(
            match=entry.match,
            game=entry.game,
            edition=entry.edition,
            origin=origin,
            claimed=claimed,
            private=entry.private,
        )
    elif isinstance(entry, Seated) or settles(entry):
        yield _at_the_table(expect(rows.get(BoardMatch, record.match), record), entry)
    elif isinstance(entry, Closed):
        match = expect(rows.get(BoardMatch, record.match), record)
        yield Gone(BoardMatch, (match.match,))
        if not (match.claimed or match.private):
            yield from _closed(rows, match, entry, delivered.position)


def _at_the_table(match: BoardMatch, entry: Any) -> BoardMatch:
    """Update who sits where, after a player sits down or the players change places (or both at once)."""
    if isinstance(entry, Seated):
        players = {**match.players, entry.seat: entry.player}
        match = replace(match, players=players, bots=match.bots or bool(entry.bot))
    if exchanged(match.exchanges, entry):
        players, exchanges = across(match.game, match.players), (*match.exchanges, entry.move)
        match = replace(match, players=players, exchanges=exchanges)
    return match


def _closed(rows: Rows, match: BoardMatch, entry: Closed, position: int) -> Iterator[Change]:
    board = (match.game, match.edition, match.pool)
    game, edition, pool = board
    totals = rows.get(TotalsRow, *board) or TotalsRow(game=game, edition=edition, pool=pool)
    if entry.result is None or len(match.players) < len(GAMES[game].seats):
        yield replace(totals, void=totals.void + 1)
        return
    yield counted(totals, match.players, entry.by, entry.result)
    standings = {player: _standing(rows, board, player) for player in match.players.values()}
    for seat, player in match.players.items():
        standings[player] = scored(standings[player], seat, entry)
    if pool == LIVE:
        one = RatedMatch(
            game=game,
            edition=edition,
            closed=position,
            match=match.match,
            at=entry.at,
            players=match.players,
            winner=entry.result.winner,
            before={seat: standings[player].skill or BEGINNER for seat, player in match.players.items()},
        )
        yield one
        yield from one.lines()
        for seat, skill in one.after.items():
            player = match.players[seat]
            standings[player] = replace(standings[player], skill=skill, rating=skill.shown)
    yield from standings.values()


# ── Rulings of tournaments ──


class BoardResult(Row, frozen=True, kw_only=True):
    """What the fold must remember of a board of a tournament, to rate its match again after a ruling.

    `w`, `b`: its entrants.  `match`, `sides`: of its recorded result.  `ruled`: what the last ruling says.
    """

    table: ClassVar[str] = "board_results"
    key: ClassVar[tuple[str, ...]] = ("tournament", "round", "board")
    internal: ClassVar[bool] = True

    tournament: str
    round: int
    board: int
    w: str
    b: str
    match: str = ""
    sides: dict[Seat, str] = {}
    ruled: str = ""


def _of_tournament(rows: Rows, tournament: str, entry: Any, position: int) -> Iterator[Change]:
    """What an entry of a tournament does to ratings."""
    if isinstance(entry, (e.Paired, e.PairingChanged)):
        yield Gone(BoardResult, (tournament, entry.round))
        for one in entry.boards:
            yield BoardResult(tournament=tournament, round=entry.round, board=one.board, w=one.w, b=one.b)
    elif isinstance(entry, (e.ResultRecorded, e.Ruled)):
        known = rows.get(BoardResult, tournament, entry.round, entry.board)
        if known is None:
            return
        if isinstance(entry, e.Ruled):
            board = replace(known, ruled=entry.result)
        else:
            board = replace(known, match=entry.match, sides=entry.sides)
        yield board
        if board.match and board.ruled:
            yield from _ruled(rows, board, position, entry.at)


def _ruled(rows: Rows, board: BoardResult, position: int, at: int | None) -> Iterator[Change]:
    """Rate the match of a board again, as a ruling has it, and what follows from that."""
    line = next(iter(rows.under(RatingRow, board.match)), None)
    match = rows.get(RatedMatch, line.game, line.edition, line.closed) if line else None
    if match is None:
        return
    winner = winner_of(board.ruled, board.w, board.b)
    seat = next((seat for seat, name in board.sides.items() if name == winner), None)
    changed = replace(match, winner=seat, counts=board.ruled not in BOTH_LOST)
    if changed == match:
        return
    ledger = {one.closed: one for one in rows.under(RatedMatch, match.game, match.edition)}
    again, skills = rated_again(changed, [one for one in ledger.values() if one.closed > match.closed])
    for one in again:
        lines = list(one.lines())
        is_changed = lines != list(ledger[one.closed].lines())
        yield replace(one, changed=position, changed_at=at) if is_changed else one
        yield from lines
    for player, skill in skills.items():
        standing = _standing(rows, (match.game, match.edition, LIVE), player)
        yield replace(standing, skill=skill, rating=skill.shown)


def counted(totals: TotalsRow, players: dict[Seat, str], by: str, result: Result) -> TotalsRow:
    """The totals after one more match."""
    sides = {seat: totals.sides.get(seat, Tally()).plus(result.winner, seat) for seat in players}
    return replace(
        totals,
        played=totals.played + 1,
        drawn=totals.drawn + (result.winner is None),
        sides=dict(sorted({**totals.sides, **sides}.items())),
        endings=_ending(totals.endings, by, result),
    )


def scored(row: StandingRow, seat: Seat, entry: Closed) -> StandingRow:
    """A player's standing after one more match on `seat`."""
    result = entry.result
    assert result is not None, "a match without a result is not scored"
    all_sides = Tally(row.played, row.won, row.drawn).plus(result.winner, seat)
    sides = {**row.sides, seat: row.sides.get(seat, Tally()).plus(result.winner, seat)}
    return replace(
        row,
        played=all_sides.played,
        won=all_sides.won,
        drawn=all_sides.drawn,
        sides=dict(sorted(sides.items())),
        endings=_ending(row.endings, entry.by, result),
        changed_at=max((at for at in (row.changed_at, entry.at) if at is not None), default=None),
    )


def _ending(endings: dict[str, int], by: str, result: Result) -> dict[str, int]:
    name = f"{by}:{result.reason}"
    return dict(sorted({**endings, name: endings.get(name, 0) + 1}.items()))


def _standing(rows: Rows, board: tuple[str, str, str], player: str) -> StandingRow:
    game, edition, pool = board
    return rows.get(StandingRow, *board, player) or StandingRow(
        game=game, edition=edition, pool=pool, player=player
    )


BOARDS = Projection(
    "boards",
    9,
    (TotalsRow, StandingRow, RatingRow, RatedMatch, BoardMatch, BoardResult),
    fold,
    of_tournaments=True,
)
