"""What the match of a board comes to in its tournament: who had which seat, who won."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from domain.events import BoardOf, Closed, Ruled
from domain.games import GAMES
from domain.kernel import Result, Seat
from domain.log import b64
from domain.match import Match
from domain.tournaments.commands import RecordResult
from domain.tournaments.drafts import options_of
from domain.tournaments.state import Board, Tournament
from domain.tournaments.terms import BID, BY_LOT


class EndedMatch(Struct, frozen=True):
    """What a tournament needs to know of a match that is over.

    place: the board for which it was opened.  players: by seat, "" for a seat that nobody took.
    first_root, root: over the first move, and over all moves.  rulings: the moves that are rulings.
    result: None if it has none; by: what closed it.  house_seeded: did no seat add a salt?
    """

    match: str
    place: BoardOf | None
    players: Mapping[Seat, str]
    moves: int
    first_root: str
    root: str
    rulings: tuple[int, ...]
    result: Result | None
    by: str
    house_seeded: bool = False


def ended(match: Match) -> EndedMatch | None:
    """Return what a match came to; None while it runs."""
    closed = match.records[-1].entry
    if not isinstance(closed, Closed):
        return None
    return EndedMatch(
        match=match.id,
        place=match.opened.tournament,
        players=sitting(match),
        moves=closed.move,
        first_root=b64(match.roots[0]),
        root=b64(match.roots[-1]),
        rulings=tuple(record.move for record in match.records if isinstance(record.entry, Ruled)),
        result=closed.result,
        by=closed.by,
        house_seeded=match.house_seeded,
    )


def sitting(match: Match) -> dict[Seat, str]:
    """Return who sits on each seat now; "" for a free one."""
    return {seat: seated.player if seated else "" for seat, seated in match.players.items()}


def sides_of(s: Tournament, board: Board, players: Mapping[Seat, str]) -> dict[Seat, str]:
    """Return the entrant of each seat, as the players sit; a free seat is that of the pairing.

    Args:
        players: by seat; "" for a free one.
    """
    names = {player: name for name in board.entrants for player in _people(s, name)}
    found = {
        seat: names.get(player) or board.seated[place % 2]
        for place, (seat, player) in enumerate(players.items())
    }
    return found if len(set(found.values())) == 2 else dict(zip(players, board.seated, strict=False))


def seating(s: Tournament, board: Board, players: Mapping[Seat, str | None] | None = None) -> tuple[str, str]:
    """Return both entrants of a board, the one who plays the first seat first.

    A match that is over says it.  One that runs says it with `players`: who sits there now, by seat.  Else it
    is the seats that were kept.
    """
    seats = list(GAMES[s.terms.game].seats)[:2]
    sides = board.outcome.sides if board.outcome else {}
    if not sides and players:
        sides = sides_of(s, board, {seat: players.get(seat) or "" for seat in seats})
    first, second = (sides.get(seat, kept) for seat, kept in zip(seats, board.seated, strict=True))
    return first, second


def seats_are_open(s: Tournament, board: Board) -> bool:
    """Can the tournament not say yet who plays which seat?  A lot or bids are to come."""
    if board.outcome is not None:
        return False
    return bids_for_seats(s, board) or (s.terms.sides == BY_LOT and not board.opened)


def bids_for_seats(s: Tournament, board: Board) -> bool:
    """Do the players of a board bid for the seats in their match?"""
    return options_of(s.terms, board).get(BID, "none") != "none"


def recorded(
    s: Tournament,
    round_number: int,
    board: Board,
    match: EndedMatch,
    checked: dict[str, str],
    not_run: str = "",
) -> RecordResult:
    """Return the command that records what a match came to.

    Args:
        s: the tournament before it.
        checked: what `verify` found, by question; not_run: why it could not be run.
    """
    sides, result = sides_of(s, board, match.players), match.result
    winner = sides.get(result.winner, "") if result and result.winner else ""
    return RecordResult(
        round=round_number,
        board=board.number,
        match=match.match,
        closed_move=match.moves,
        root=match.root,
        winner=winner,
        reason=result.reason if result else match.by,
        drawn=result is not None and not winner,
        score=dict(result.score) if result else {},
        sides=sides,
        checked=checked,
        not_run=not_run,
        closed_by=match.by,
        house_seeded=match.house_seeded,
    )


def result_of(board: Board, winner: str, drawn: bool) -> str:
    """Return the result of a board; "" if its match has none."""
    if winner:
        return "1-0" if winner == board.w else "0-1"
    return "½" if drawn else ""


def _people(s: Tournament, name: str) -> tuple[str, ...]:
    one = s.entrants[name]
    return (one.player, *one.players)
