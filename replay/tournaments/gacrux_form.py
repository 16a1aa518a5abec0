"""A crosstable in the form that the engine gacrux computes with, made directly.

The engine's own reader of TRF takes time that grows with the square of the number of games.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from domain.tournaments.crosstable import Cell, Crosstable, Line, Points, cell_of, points_of, problem

_RESULTS = {"win": "W", "draw": "D", "loss": "L", None: "Z"}
_FORFEITS = {"win": "W", "loss": "Z", None: "Z"}
_ALONE = {"pairing_bye": "P", "full_bye": "W", "half_bye": "D", "zero_bye": "Z", "absent": "Z"}
Form = dict[str, Any]


def gacrux_form(table: Crosstable) -> Form:
    """Return the tournament as the classes of the engine take it; penalties count for places only.

    Raises:
        ValueError: the table contradicts itself.
    """
    if (wrong := problem(table)) is not None:
        raise ValueError(f"a crosstable with wrong {wrong} cannot be computed with")
    games = [game for line in table.lines for game in _games(table, line)]
    met = [game["round"] for game in games if game["played"] and game["black"] is not None]
    form: Form = {
        "tournamentNo": 1,
        "tournamentType": "Tournament",
        "tournamentInfo": {},
        "numRounds": table.rounds,
        "currentRound": max(met, default=0),
        "teamTournament": False,
        "teamSize": 0,
        "competitors": [_competitor(table, line) for line in table.lines],
        "scoreSystem": {"game": _scheme(table.points), "match": {}},
        "gameList": games,
        "matchList": [],
    }
    if table.first_colour is not None:
        form["topColor"] = table.first_colour
    if table.accelerations:
        form["accelerated"] = {"name": "Acc", "values": _accelerations(table)}
    if table.forbidden:
        form["prohibited"] = [
            {"firstRound": one.first, "lastRound": one.last, "competitors": [*one.numbers]}
            for one in table.forbidden
        ]
    return form


def _games(table: Crosstable, line: Line) -> Iterator[Form]:
    """The games in which the entrant has "w", and the rounds without an opponent."""
    for number, cell in enumerate(line.cells, 1):
        if cell.kind == "open" or cell.colour == "b":
            continue
        black = None
        if cell.opponent is not None:
            other = cell_of(table.lines[cell.opponent - 1], number)
            black = {"cid": cell.opponent, "result": _result(other)}
        played = cell.kind in ("played", "pairing_bye")
        yield {
            "id": 0,
            "round": number,
            "white": {"cid": line.number, "result": _result(cell)},
            "black": black,
            "played": played,
            "rated": cell.kind == "played" and cell.rated,
        }


def _result(cell: Cell) -> str:
    if cell.opponent is None:
        return _ALONE[cell.kind]
    return (_FORFEITS if cell.kind == "forfeit" else _RESULTS)[cell.outcome]


def _competitor(table: Crosstable, line: Line) -> Form:
    points = sum(points_of(table.points, cell) for cell in line.cells)
    competitor: Form = {
        "cid": line.number,
        "present": True,
        "gamePoints": Decimal(points) / 2,
        "rank": line.number,
        "rating": {"list": "TRF", "rating": line.rating} if line.rating else None,
    }
    if line.penalty:
        taken = Decimal(-line.penalty) / 2
        competitor["adjust"] = [{"cid": line.number, "round": 0, "points": taken, "pairing": False}]
    return competitor


def _scheme(points: Points) -> Form:
    """What each result is worth; a letter stands for what that other result is worth."""
    win, draw, loss = (_points(one) for one in (points.win, points.draw, points.loss))
    bye = _points(points.pairing_bye)
    letters = {"F": "W", "H": "D", "A": "D", "U": "Z"}
    return {"W": win, "D": draw, "L": loss, "Z": Decimal("0.0"), "P": bye, **letters}


def _points(half_points: int) -> Decimal:
    return (Decimal(half_points) / 2).quantize(Decimal("0.1"))


def _accelerations(table: Crosstable) -> list[Form]:
    return [
        {
            "matchPoints": Decimal("0.0"),
            "gamePoints": _points(one.points),
            "firstRound": one.first,
            "lastRound": one.last,
            "firstCompetitor": one.lowest,
            "lastCompetitor": one.highest,
        }
        for one in table.accelerations
    ]
