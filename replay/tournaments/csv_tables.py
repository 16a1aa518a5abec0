"""Standings, boards and crosstables of tournaments as CSV (RFC 4180), for spreadsheets."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence

from domain.games import GAMES
from domain.tournaments.crosstable import Cell, Crosstable, score
from domain.tournaments.outcomes import seating, seats_are_open
from domain.tournaments.state import Board, Round, Tournament, results_of
from domain.tournaments.terms import BOTH, Points
from domain.tournaments.totals import summed
from replay.sanitize import no_formula, one_line
from replay.tournaments.standings import Standings

_RESULTS = {"win": "1", "draw": "½", "loss": "0", None: ""}
_ALONE = {
    "pairing_bye": "bye",
    "full_bye": "bye 1",
    "half_bye": "bye ½",
    "zero_bye": "bye 0",
    "absent": "absent",
    "open": "",
}
_FORFEITS = {"win": "+", "loss": "-"}


def standings_csv(standings: Standings, names: Mapping[str, str]) -> str:
    """Return a line for each entrant, by place; `names`: of entrants, by their ids; others keep the id.

    A value that there is not is empty.
    """
    head = ["place", "number", "entrant", "name", *(one.name for one in standings.criteria)]
    rows = (
        [place.place, place.number, place.entrant, _name(names, place.entrant), *_texts(place.values)]
        for place in standings.places
    )
    return _csv(head, rows)


def crosstable_csv(table: Crosstable, names: Mapping[str, str]) -> str:
    """Return a line for each entrant, by number, with its points; a round is opponent, colour and result."""
    rounds = max((len(line.cells) for line in table.lines), default=0)
    head = [
        "number",
        "entrant",
        "name",
        "rating",
        "points",
        *(f"round {one}" for one in range(1, rounds + 1)),
    ]
    rows = (
        [
            line.number,
            line.entrant,
            _name(names, line.entrant),
            line.rating or "",
            f"{(score(table, line) - line.penalty) / 2:.1f}",
            *(_cell(cell) for cell in line.cells),
            *[""] * (rounds - len(line.cells)),
        ]
        for line in table.lines
    )
    return _csv(head, rows)


def boards_csv(s: Tournament, rounds: Iterable[Round], names: Mapping[str, str]) -> str:
    """Return a line for each board of these rounds.

    `w_seat` and `b_seat` hold the seats of `w` and `b`; they are empty while a lot or bids are to come.
    If each pair plays both sides, `w_total` and `b_total` hold the points of `w` and `b` from both boards of
    the pair; they are empty until both have a result.

    Args:
        s: the tournament.
        rounds: some of its rounds.
        names: see `standings_csv`.
    """
    head = ["round", "board", "w", "w_name", "b", "b_name", "result", "status", "reason", "match"]
    points = s.terms.points if s.terms.sides == BOTH else None
    rows = (
        [
            one.number,
            board.number,
            *(board.w, _name(names, board.w), board.b, _name(names, board.b)),
            no_formula(board.result),
            board.status,
            no_formula(one_line(_reason(board))),
            board.match,
            *(_totals(points, board, one.boards_of(board.w)) if points else ()),
            *_seats(s, board),
        ]
        for one in rounds
        for board in one.boards
    )
    return _csv([*head, *(("w_total", "b_total") if points else ()), "w_seat", "b_seat"], rows)


def _seats(s: Tournament, board: Board) -> tuple[str, str]:
    """The seats of both entrants of a board, "" if they are not known yet."""
    if seats_are_open(s, board):
        return "", ""
    first, second = list(GAMES[s.terms.game].seats)[:2]
    return (first, second) if seating(s, board) == board.entrants else (second, first)


def _totals(points: Points, board: Board, pair: Sequence[Board]) -> tuple[str, str]:
    """The points of both entrants of a board from all boards of their pair."""
    results = results_of(pair)
    if not all(results):
        return "", ""
    first, second = (f"{half / 2:.1f}" for half in summed(points, results))
    return (first, second) if board.w == pair[0].w else (second, first)


def _reason(board: Board) -> str:
    if board.ruling is not None:
        return board.ruling.reason
    return board.outcome.reason if board.outcome else ""


def _cell(cell: Cell) -> str:
    if cell.opponent is None:
        return _ALONE[cell.kind]
    result = _FORFEITS[cell.outcome or "loss"] if cell.kind == "forfeit" else _RESULTS[cell.outcome]
    return f"{cell.opponent}{cell.colour}{result}"


def _name(names: Mapping[str, str], entrant: str) -> str:
    return no_formula(one_line(names.get(entrant, entrant)))


def _texts(values: Sequence[str | None]) -> Iterable[str]:
    return ("" if value is None else value for value in values)


def _csv(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    target = io.StringIO(newline="")
    writer = csv.writer(target)
    writer.writerow(head)
    writer.writerows(rows)
    return target.getvalue()
