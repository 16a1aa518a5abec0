"""A game that was played elsewhere: what a ruling may take from its match file.

The file proves that its moves fit together, and no more: who played it is what an official says.  So the
result is *reported*.
"""

from __future__ import annotations

from msgspec import Struct

from domain.events import BoardOf
from domain.game import OptionValue
from domain.games import GAMES
from domain.kernel import Refused
from domain.match import Match
from domain.tournaments.drafts import options_of
from domain.tournaments.outcomes import EndedMatch, bids_for_seats, ended, result_of
from domain.tournaments.state import Board, Round, Tournament


class ReportedMatch(Struct, frozen=True):
    """The match in a file that was verified; `sha256`: of the file, in hex."""

    sha256: str
    game: str
    edition: str
    options: dict[str, OptionValue]
    ended: EndedMatch


def reported_match(match: Match, sha256: str) -> ReportedMatch | None:
    """Return the match of a file; None while it runs."""
    found, opened = ended(match), match.opened
    if found is None:
        return None
    return ReportedMatch(sha256, opened.game, opened.edition, opened.options, found)


def must_be_of_game(s: Tournament, game: str, edition: str) -> None:
    """Check that a file is of the game of a tournament.  Raises Refused: bad-file."""
    if (game, edition) != (s.terms.game, s.terms.edition):
        given, wanted = f"{game} {edition or ''}".strip(), f"{s.terms.game} {s.terms.edition or ''}".strip()
        raise Refused("bad-file", "reported-game", {"given": given, "wanted": wanted})


def must_be_result(s: Tournament, one: Round, board: Board, file: ReportedMatch, result: str) -> None:
    """Check that a board can have a result by this file.

    Raises:
        Refused: bad-file: the match is of another game, other options, another board or other entrants, it
            was reported for another board already, or it came to another result.
    """
    must_be_of_game(s, file.game, file.edition)
    options = options_of(s.terms, board)
    differ = sorted(name for name in options | file.options if options.get(name) != file.options.get(name))
    if differ:
        raise Refused("bad-file", "reported-options", {"names": differ})
    place = file.ended.place
    if place not in (None, BoardOf(s.id, one.number, board.number)):
        raise Refused("bad-file", "reported-place", {"match": file.ended.match})
    _must_be_unused(s, one, board, file)
    results = results_of(s, board, file.ended)
    if result not in results:
        raise Refused("bad-file", "reported-result", {"result": result, "found": results})


def _must_be_unused(s: Tournament, one: Round, board: Board, file: ReportedMatch) -> None:
    """Check that the ruling of no other board names this match.  Raises Refused: bad-file."""
    for had in s.rounds:
        for other in had.boards:
            ruling = other.ruling
            if ruling is None or (had.number, other.number) == (one.number, board.number):
                continue
            if ruling.file and (ruling.file_match == file.ended.match or ruling.file_root == file.ended.root):
                about = {"round": had.number, "board": other.number}
                raise Refused("bad-file", "reported-twice", about)


def results_of(s: Tournament, board: Board, found: EndedMatch) -> list[str]:
    """Return the results that a board may have by a match that was played elsewhere.

    Who won follows from the players, if they are those of this tournament, else from the seats that the board
    gives.  Where players bid for the seats, both may have had either one.

    Raises:
        Refused: bad-file: others played it, the sides were exchanged, or it has no result.
    """
    if found.result is None:
        raise Refused("bad-file", "reported-without-result")
    seats = list(GAMES[s.terms.game].seats)[:2]
    first = _first(s, board, [found.players.get(seat, "") for seat in seats])
    if not found.result.winner:
        return ["½"]
    place = seats.index(found.result.winner)
    pairs = [(name, board.b if name == board.w else board.w) for name in first]
    return [result_of(board, pair[place], drawn=False) for pair in pairs]


def _first(s: Tournament, board: Board, players: list[str]) -> list[str]:
    """The entrants who may have had the first seat.  Raises Refused: bad-file."""
    known = {player: one.id for one in s.entrants.values() for player in (one.player, *one.players) if player}
    named = [known.get(player, "") for player in players]
    strangers = [name for name in named if name and name not in board.entrants]
    if strangers or (named[0] and named[0] == named[1]):
        raise Refused("bad-file", "reported-players")
    other = {board.w: board.b, board.b: board.w}
    first = named[0] or other.get(named[1], "")
    if bids_for_seats(s, board):
        return [first] if first else list(board.entrants)
    if first and first != board.seated[0]:
        raise Refused("bad-file", "reported-exchanged")
    return [board.seated[0]]
