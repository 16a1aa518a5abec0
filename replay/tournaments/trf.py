"""TRF, the file format of chess tournaments (the edition of 2026): what a file holds, and how it is written.

The writer makes what two independent engines read: records 012, 142, 152, 162 (with W, D, L and P only), 001,
250 and 260, comments (###), and 299 for points that arbiters took away.  A line names an entrant by id unless
the caller gives names.  `replay.tournaments.trf_reading` reads files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from domain.tournaments.crosstable import (
    OPEN,
    Acceleration,
    Cell,
    Crosstable,
    Forbidden,
    Line,
    Points,
    cell_of,
    points_of,
    problem,
)

MOST_POINTS = 1998  # half points: what four columns hold
NAME = 33  # columns of a name
_PLAYED = {"win": "1", "draw": "=", "loss": "0"}
_UNRATED = {"win": "W", "draw": "D", "loss": "L"}
_FORFEIT = {"win": "+", "loss": "-"}
_ALONE = {"pairing_bye": "U", "full_bye": "F", "half_bye": "H", "zero_bye": "Z", "absent": "Z"}


class Kept(Struct, frozen=True):
    """A record that is not read but kept: its line in the file (from 1), its text, and is its id known?"""

    line: int
    text: str
    known: bool


class TrfFile(Struct, frozen=True):
    """A tournament with what only its file has.

    `names`, `ranks`: of the entrants in the order of the lines; empty: their ids, and their numbers.
    `kept`: records that Glasnost does not use.  `encoding`: "utf-8" or "latin-1".
    `says_rounds`: does the file say how many rounds there will be?
    """

    table: Crosstable
    title: str = ""
    names: tuple[str, ...] = ()
    ranks: tuple[int, ...] = ()
    comments: tuple[str, ...] = ()
    kept: tuple[Kept, ...] = ()
    encoding: str = "utf-8"
    says_rounds: bool = True


def written(file: TrfFile) -> str:
    """Return the text of a TRF file; equal content gives equal text.

    Raises:
        ValueError: the table contradicts itself, or has numbers for which the format has no room.
    """
    table = file.table
    if (wrong := problem(table)) is not None:
        raise ValueError(f"a crosstable with wrong {wrong} has no TRF")
    return "".join(f"{line}\n" for line in _lines(file))


def pairing_input(table: Crosstable, round_number: int, title: str = "") -> str:
    """Return the TRF from which an engine pairs a round: the rounds before it, and the byes entered for it.

    The points in it include these byes, as the engine demands.  What was taken away by arbiters is left out:
    it counts in standings only.

    Raises:
        ValueError: see `written`.
    """
    return written(TrfFile(before_round(table, round_number), title))


def before_round(table: Crosstable, round_number: int) -> Crosstable:
    """Return a table as it is when a round is paired: see `pairing_input`."""
    return replace(table, lines=tuple(_for_round(line, round_number) for line in table.lines))


def _for_round(line: Line, round_number: int) -> Line:
    """The line before a round is paired; an entrant who is withdrawn is absent from it."""
    cells = [cell_of(line, number) for number in range(1, round_number)]
    asked = cell_of(line, round_number)
    if asked.kind in ("half_bye", "zero_bye", "full_bye", "absent"):
        cells.append(asked)
    elif line.withdrawn:
        cells.append(Cell("absent"))
    return Line(line.entrant, line.number, line.rating, tuple(cells))


def _lines(file: TrfFile) -> Iterator[str]:
    table = file.table
    yield from (f"### {comment}".rstrip() for comment in file.comments)
    yield f"012 {file.title}".rstrip()
    yield from (kept.text for kept in file.kept)
    yield f"142 {table.rounds}"
    if table.first_colour is not None:
        yield f"152 {table.first_colour.upper()}"
    yield _scheme(table.points)
    for index, line in enumerate(table.lines):
        name = file.names[index] if file.names else line.entrant
        rank = file.ranks[index] if file.ranks else line.number
        yield _player(table.points, line, name, rank)
    yield from map(_acceleration, table.accelerations)
    yield from map(_forbidden, table.forbidden)
    yield from (_penalty(line) for line in table.lines if line.penalty)


def _scheme(points: Points) -> str:
    worth = {"W": points.win, "D": points.draw, "L": points.loss, "P": points.pairing_bye}
    return "162  " + "    ".join(f"{key}{half / 2:4.1f}" for key, half in worth.items())


def _player(points: Points, line: Line, name: str, rank: int) -> str:
    total = sum(points_of(points, cell) for cell in line.cells)
    if not 0 <= total <= MOST_POINTS:
        raise ValueError(f"{total / 2} points do not fit into the columns of TRF")
    rating = str(line.rating) if line.rating else ""
    head = f"001 {line.number:4}      {name[:NAME]:<33} {rating:>4}{'':28}{total / 2:4.1f} {rank:4}"
    cells = line.cells
    while cells and cells[-1] == OPEN:
        cells = cells[:-1]
    return head + "".join(f"  {_cell(cell)}" for cell in cells)


def _cell(cell: Cell) -> str:
    """The eight columns of one round."""
    if cell.kind == "open":
        return " " * 8
    if cell.opponent is None:
        return f"0000 - {_ALONE[cell.kind]}"
    letters: Mapping[str, str] = _FORFEIT if cell.kind == "forfeit" else _PLAYED if cell.rated else _UNRATED
    result = " " if cell.outcome is None else letters[cell.outcome]
    return f"{cell.opponent:4} {cell.colour} {result}"


def _acceleration(one: Acceleration) -> str:
    return f"250  0.0 {one.points / 2:4.1f} {one.first:3} {one.last:3} {one.lowest:4} {one.highest:4}"


def _forbidden(one: Forbidden) -> str:
    return f"260 {one.first:3} {one.last:3}" + "".join(f" {number:4}" for number in one.numbers)


def _penalty(line: Line) -> str:
    """Round 999 says: for the standings, neither for tie-breaks nor for pairing."""
    return f"299     0.0  {-line.penalty / 2:4.1f}  999 {line.number:4}"
