"""What the match of a board comes to in its tournament: who had which seat, who won."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from domain.events import BoardOf, Closed, Ruled
from domain.games import GAMES
from domain.kernel import Result, Seat
from domain.log import b64
from domain.match import Match
from domain.refusals import Sentence
from domain.tournaments.commands import RecordResult
from domain.tournaments.drafts import options_of
from domain.tournaments.state import Board, Tournament
from domain.tournaments.terms import BID, BY_LOT
from domain.tournaments.totals import BOTH_LOST
from domain.turns import turns

RULING = "ruling"  # the reason of a result that was ruled


class RulingInMatch(Struct, frozen=True):
    """What a ruling in the log of a match decided: exactly one of these."""

    back_to: int | None = None
    result: Result | None = None
    void: bool = False


def decided_by(entry: Ruled) -> RulingInMatch:
    """Return what a ruling decided."""
    return RulingInMatch(entry.back_to, entry.result, entry.void)


class EndedMatch(Struct, frozen=True):
    """What a tournament needs to know of a match that is over.

    place: the board for which it was opened.  players: by seat, "" for a seat that nobody took.
    first_root, root: over the first move, and over all moves.  rulings: by their moves.
    result: None if it has none; by: what closed it.  house_seeded: did no seat add a salt?
    end_turn: the turn of the game to which the last move belongs, from 1.
    """

    match: str
    place: BoardOf | None
    players: Mapping[Seat, str]
    moves: int
    first_root: str
    root: str
    rulings: Mapping[int, RulingInMatch]
    result: Result | None
    by: str
    house_seeded: bool = False
    end_turn: int = 0


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
        rulings={
            record.move: decided_by(entry)
            for record in match.records
            if isinstance(entry := record.entry, Ruled)
        },
        result=closed.result,
        by=closed.by,
        house_seeded=match.house_seeded,
        end_turn=turns(match, None)[0][-1],
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
        end_turn=match.end_turn,
    )


def lacks_salt(s: Tournament, house_seeded: bool) -> bool:
    """Do the terms want a salt of a player for the draws, and has a match none (`house_seeded`)?"""
    return house_seeded and not s.terms.house_seeded


WAITS = {
    "no_result": Sentence("waits-no-result"),
    "not_verified": Sentence("waits-not-verified"),
    "not_checked": Sentence("waits-not-checked"),
    "no_salt": Sentence("waits-no-salt"),
    "called": Sentence("waits-called"),
}
"""Why a recorded result waits for an official, by the names that the API gives."""


def why_it_waits(s: Tournament, round_number: int, board: Board) -> tuple[str, ...]:
    """Return why the recorded result of a board waits for an official: names of `WAITS`.

    There is none if it does not wait, and if a call that kept it from being confirmed has its answer.
    """
    outcome = board.outcome
    if outcome is None or board.stands:
        return ()
    found = set(outcome.checked.values())
    holds = {
        "no_result": not outcome.result,
        "not_verified": "failed" in found,
        "not_checked": "not run" in found or not found,
        "no_salt": outcome.house_seeded,
        "called": any((call.round, call.board) == (round_number, board.number) for call in s.standing_calls),
    }
    return tuple(name for name, is_so in holds.items() if is_so)


def winner_of(result: str, w: str, b: str) -> str:
    """Return who has won by the result of a board, its forfeits among them; "" if neither has."""
    return {"1-0": w, "+-": w, "0-1": b, "-+": b}.get(result, "")


def result_of(board: Board, winner: str, drawn: bool) -> str:
    """Return the result of a board; "" if its match has none."""
    if winner:
        return "1-0" if winner == board.w else "0-1"
    return "½" if drawn else ""


def for_result(sides: Mapping[Seat, str], board: Board, result: str) -> RulingInMatch:
    """Return the ruling by which a running match ends so that its board has a result.

    Args:
        sides: the entrant of each seat.
    """
    if result in BOTH_LOST:
        return RulingInMatch(void=True)
    winner = winner_of(result, board.w, board.b)
    seat = next((seat for seat, name in sides.items() if name == winner), None)
    return RulingInMatch(result=Result(seat, RULING, {}))


def _people(s: Tournament, name: str) -> tuple[str, ...]:
    one = s.entrants[name]
    return (one.player, *one.players)
