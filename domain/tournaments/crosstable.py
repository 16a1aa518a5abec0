"""The crosstable: who met whom in each round, with which colour and result; pairing and standings read it.

In this order: the points of a result; a cell, which is one round of one entrant; a line, which is one
entrant; the table; and what is computed from it.  All points are integers, in half points.  An entrant is an
id, never the name of a person.  A colour is that of the pairing: "w" or "b", never the seat that was played.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

Colour = Literal["w", "b"]
Outcome = Literal["win", "draw", "loss"]
Kind = Literal[
    "open",  # nothing is known of this round yet
    "pending",  # paired, and without a result
    "played",  # a result over the board, or one ruled instead of it
    "forfeit",  # an opponent was there on paper only: +-, -+ or --
    "pairing_bye",  # the engine found no opponent; it counts as a win unless the points say otherwise
    "full_bye",  # a bye for the points of a win; only imported files have it
    "half_bye",  # a bye that the entrant asked for, for the points of a draw
    "zero_bye",  # a bye that the entrant asked for, for no points
    "absent",  # not paired: withdrawn, not yet entered, or left out
]
BYES = frozenset({"pairing_bye", "full_bye", "half_bye", "zero_bye"})
AGAINST = frozenset({"pending", "played", "forfeit"})  # the kinds that name an opponent
_OUTCOMES_OF_A_BOARD = frozenset(
    {(None, None), ("draw", "draw"), ("win", "loss"), ("loss", "win"), ("loss", "loss")}
)


class Points(Struct, frozen=True, forbid_unknown_fields=True):
    """What a result is worth, in half points.  A lost forfeit and a zero-point bye are worth nothing."""

    win: int = 2
    draw: int = 1
    loss: int = 0
    pairing_bye: int = 2


class Cell(Struct, frozen=True, omit_defaults=True):
    """One round of one entrant.

    `opponent` (the number of a line), `colour`: of the kinds in `AGAINST` only.  `outcome`: of `played` and
    `forfeit` only; both may lose.  `rated`: does the game count for ratings?  `victory_points`: by how many
    the entrant led at the end (negative: was behind), if the game counts them.  `end_turn`: the turn in which
    the entrant won, if that is known; of a pair that plays both sides the later one.  `game_points`: the half
    points from both matches of a pair that plays both sides; a bye counts as two matches.
    """

    kind: Kind
    opponent: int | None = None
    colour: Colour | None = None
    outcome: Outcome | None = None
    rated: bool = True
    victory_points: int | None = None
    end_turn: int | None = None
    game_points: int | None = None


class Line(Struct, frozen=True, omit_defaults=True):
    """One entrant: a number from 1 in the order of seeds, the rating at entry (0: none), a cell a round.

    `cells`: one for each round from the first; rounds that are missing at the end are open.
    `withdrawn`: not to be paired in the next round, nor later.
    `penalty`: the half points that arbiters took away so far.
    """

    entrant: str
    number: int
    rating: int = 0
    cells: tuple[Cell, ...] = ()
    withdrawn: bool = False
    penalty: int = 0


class Forbidden(Struct, frozen=True):
    """Entrants (numbers of lines) of whom no two may meet from `first` to `last` round, both included."""

    first: int
    last: int
    numbers: tuple[int, ...]


class Acceleration(Struct, frozen=True):
    """Half points that are added for the pairing only, from `first` to `last` round.

    They are for the entrants with the numbers from `lowest` to `highest`, all limits included.
    """

    points: int
    first: int
    last: int
    lowest: int
    highest: int


class Crosstable(Struct, frozen=True, omit_defaults=True):
    """A tournament or a division of one.

    `rounds`: how many there will be.  `lines`: in the order of their numbers, 1 to n.
    `first_colour`: of the first entrant in the first round; it is drawn, and needed for Swiss pairing.
    """

    rounds: int
    lines: tuple[Line, ...]
    first_colour: Colour | None = None
    points: Points = Points()
    forbidden: tuple[Forbidden, ...] = ()
    accelerations: tuple[Acceleration, ...] = ()


OPEN = Cell("open")


def cell_of(line: Line, round_number: int) -> Cell:
    """Return the cell of a round (from 1)."""
    return line.cells[round_number - 1] if round_number <= len(line.cells) else OPEN


def points_of(points: Points, cell: Cell) -> int:
    """Return what a cell is worth, in half points."""
    match cell.kind:
        case "played":
            return _of_outcome(points, cell.outcome)
        case "forfeit":
            return points.win if cell.outcome == "win" else 0
        case "pairing_bye":
            return points.pairing_bye
        case "full_bye":
            return points.win
        case "half_bye":
            return points.draw
        case _:
            return 0


def _of_outcome(points: Points, outcome: Outcome | None) -> int:
    match outcome:
        case "win":
            return points.win
        case "draw":
            return points.draw
        case "loss":
            return points.loss
        case None:
            return 0


def score(table: Crosstable, line: Line, through: int | None = None) -> int:
    """Return the half points of an entrant through a round (None: all), without what arbiters took away."""
    return sum(points_of(table.points, cell) for cell in line.cells[:through])


def rounds_paired(table: Crosstable) -> int:
    """Return the number of the last round with a board or a bye of the engine; 0: none."""
    return max(
        (
            number
            for line in table.lines
            for number, cell in enumerate(line.cells, 1)
            if cell.kind in AGAINST or cell.kind == "pairing_bye"
        ),
        default=0,
    )


def boards(table: Crosstable, round_number: int) -> Iterator[tuple[Line, Line]]:
    """Yield the pairs of a round, the entrant with "w" first, in the order of the lines."""
    for line in table.lines:
        cell = cell_of(line, round_number)
        if cell.colour == "w" and cell.opponent is not None:
            yield line, table.lines[cell.opponent - 1]


def problem(table: Crosstable) -> str | None:
    """Return the id of what is wrong with a table, or None.

    "numbers": the lines are not numbered from 1 to n; "entrants": one stands there twice; "rounds": a line
    has more cells than there are rounds; "cells": a cell lacks what its kind needs; "mirror": two cells of a
    board contradict each other (see `contradiction`).
    """
    if [line.number for line in table.lines] != list(range(1, len(table.lines) + 1)):
        return "numbers"
    if len({line.entrant for line in table.lines}) < len(table.lines):
        return "entrants"
    if any(len(line.cells) > table.rounds for line in table.lines):
        return "rounds"
    if not all(_complete(cell) for line in table.lines for cell in line.cells):
        return "cells"
    return None if contradiction(table) is None else "mirror"


def _complete(cell: Cell) -> bool:
    against = cell.kind in AGAINST
    decided = cell.kind in ("played", "forfeit")
    fits = cell.outcome != "draw" if cell.kind == "forfeit" else True
    return (
        (cell.opponent is not None) == against == (cell.colour is not None)
        and (cell.outcome is not None) == decided
        and fits
    )


def contradiction(table: Crosstable) -> tuple[Line, int] | None:
    """Return the first line and round (from 1) whose opponent is none, or says something else of the board.

    None: there is none.
    """
    for line in table.lines:
        for index, cell in enumerate(line.cells):
            if cell.opponent is None:
                continue
            if not 1 <= cell.opponent <= len(table.lines) or cell.opponent == line.number:
                return line, index + 1
            other = cell_of(table.lines[cell.opponent - 1], index + 1)
            agree = other.opponent == line.number and other.kind == cell.kind and other.colour != cell.colour
            if not agree or (cell.outcome, other.outcome) not in _OUTCOMES_OF_A_BOARD:
                return line, index + 1
    return None
