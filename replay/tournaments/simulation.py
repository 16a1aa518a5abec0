"""Simulates a Swiss tournament: withdrawals, byes, pairing, results by rating, and again, from one seed.

Equal plans give equal tournaments on every machine.  Nothing is written: a caller takes the rounds one after
the other and makes of them what it needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

from msgspec import Struct
from msgspec.structs import replace

from domain.tournaments.crosstable import (
    OPEN,
    Cell,
    Colour,
    Crosstable,
    Line,
    Outcome,
    cell_of,
)
from replay.tournaments.pairing import PairingAnswer, pair
from replay.tournaments.trf import pairing_input

DRAWS = 0.1  # of all games
BOTH_ABSENT = 0.1  # of all forfeits
_LATE = 2  # rounds at the end in which no bye is given
_OTHER: dict[Outcome, Outcome] = {"win": "loss", "loss": "win", "draw": "draw"}


class Plan(Struct, frozen=True):
    """What to simulate.  `forfeits`: part of the boards; `byes`, `withdrawals`: of the entrants a round."""

    players: int
    rounds: int
    forfeits: float = 0.0
    byes: float = 0.0
    withdrawals: float = 0.0
    seed: int = 0
    first_colour: Colour = "w"


class SimulatedRound(Struct, frozen=True):
    """One round: `before` with its byes and withdrawals, what the engine read and answered, and `after`."""

    number: int
    before: Crosstable
    trf: str
    answer: PairingAnswer
    after: Crosstable


def entrants(plan: Plan) -> Crosstable:
    """Return the table before the first round: ratings from 2,400 down to 1,200, ids n1, n2, ..."""
    step = 1_200 / max(1, plan.players - 1)
    lines = (Line(f"n{number}", number, round(2_400 - step * (number - 1))) for number in _numbers(plan))
    return Crosstable(plan.rounds, tuple(lines), plan.first_colour)


def simulate(plan: Plan, pair: Callable[[str], PairingAnswer] = pair) -> Iterator[SimulatedRound]:
    """Yield the rounds of a tournament; `pair` asks the engine.

    Raises:
        Refused: a round cannot be paired.
    """
    chance, table = Random(plan.seed), entrants(plan)
    for number in range(1, plan.rounds + 1):
        before = sitting_out(plan, chance, table, number)
        trf = pairing_input(before, number)
        answer = pair(trf)
        table = _played(plan, chance, before, answer)
        yield SimulatedRound(number, before, trf, answer, table)


def _numbers(plan: Plan) -> range:
    return range(1, plan.players + 1)


def sitting_out(plan: Plan, chance: Random, table: Crosstable, number: int) -> Crosstable:
    """Return the table before a round: some withdraw, some ask for a bye; two entrants at least are left.

    `chance`: is moved on in the same way for equal plans and tables.
    """
    lines, left = list(table.lines), sum(not line.withdrawn for line in table.lines)
    for index, line in enumerate(lines):
        leaves, rests = chance.random() < plan.withdrawals, chance.random() < plan.byes
        if line.withdrawn or left <= 2:
            continue
        if leaves and number > 1:
            lines[index], left = replace(line, withdrawn=True), left - 1
        elif rests and number <= plan.rounds - _LATE and not _rested(line):
            lines[index], left = _with(line, number, Cell("half_bye")), left - 1
    return replace(table, lines=tuple(lines))


def _rested(line: Line) -> bool:
    return any(cell.kind == "half_bye" for cell in line.cells)


def _with(line: Line, number: int, cell: Cell) -> Line:
    """The line with a cell for a round; rounds that are missing before it are open."""
    cells = [cell_of(line, earlier) for earlier in range(1, number)]
    return replace(line, cells=(*cells, cell))


def _played(plan: Plan, chance: Random, table: Crosstable, answer: PairingAnswer) -> Crosstable:
    """The table after a round: results of its boards, its bye, and who was absent."""
    lines, number = list(table.lines), answer.round
    for board in answer.boards:
        for at, cell in cells_of(plan, chance, lines[board.w - 1], lines[board.b - 1]):
            lines[at - 1] = _with(lines[at - 1], number, cell)
    for bye in answer.byes:
        lines[bye - 1] = _with(lines[bye - 1], number, Cell("pairing_bye"))
    for index, line in enumerate(lines):
        if cell_of(line, number) == OPEN:
            lines[index] = _with(line, number, Cell("absent"))
    return replace(table, lines=tuple(lines))


def cells_of(plan: Plan, chance: Random, w: Line, b: Line) -> Iterator[tuple[int, Cell]]:
    """Yield the numbers and cells of both entrants of a board, drawn by their ratings."""
    forfeited, drawn, toss, size = (chance.random() for _ in range(4))
    expected = 1 / (1 + 10 ** ((b.rating - w.rating) / 400))
    outcome: Outcome = "win" if toss < expected else "loss"
    if forfeited < plan.forfeits:
        both = forfeited < plan.forfeits * BOTH_ABSENT
        yield w.number, Cell("forfeit", b.number, "w", "loss" if both else outcome)
        yield b.number, Cell("forfeit", w.number, "b", "loss" if both else _OTHER[outcome])
        return
    if drawn < DRAWS:
        outcome = "draw"
    points = {"win": 1, "draw": 0, "loss": -1}[outcome] * (1 + int(size * 20))
    turn = 4 + int(drawn * 7)
    yield w.number, Cell("played", b.number, "w", outcome, True, points, turn)
    yield b.number, Cell("played", w.number, "b", _OTHER[outcome], True, -points, turn)
