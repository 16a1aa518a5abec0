"""The crosstable of a tournament after any entry, as pairing and standings read it.

Only effective results count: the latest ruling, else what was recorded.  An entrant's number is the place
among all who take part, or did; a round that is not published yet counts as paired.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from domain.tournaments.crosstable import (
    OPEN,
    Acceleration,
    Cell,
    Colour,
    Crosstable,
    Forbidden,
    Line,
    Outcome,
    Points,
)
from domain.tournaments.crosstable import Kind as CellKind
from domain.tournaments.drafts import without_board
from domain.tournaments.state import Board, Round, Tournament, results_of
from domain.tournaments.terms import BOTH
from domain.tournaments.totals import FORFEITS, summed, total

FIRST_COLOUR = "lot/colour"  # the lot that gives the first colour of the first entrant
_WINS = {"1-0": "w", "0-1": "b", "+-": "w", "-+": "b"}


def crosstable(s: Tournament, *, adjourned: bool = False) -> Crosstable:
    """Return the table after the latest entry of a state.

    Args:
        adjourned: count an adjourned board as a draw, as pairing does.
    """
    listed = s.numbered
    numbers = {one.id: number for number, one in enumerate(listed, 1)}
    by_round = [_cells(s, had, numbers, adjourned) for had in s.rounds]
    lines = tuple(
        Line(
            one.id,
            number,
            one.rating,
            tuple([cells[one.id] for cells in by_round]),
            not one.takes_part,
            one.penalty,
        )
        for number, one in enumerate(listed, 1)
    )
    return Crosstable(
        rounds=s.last_round,
        lines=lines,
        first_colour=first_colour(s),
        points=Points(
            s.terms.points.win, s.terms.points.draw, s.terms.points.loss, s.terms.points.pairing_bye
        ),
        forbidden=_forbidden(s, numbers),
        accelerations=_accelerations(s, len(lines)),
    )


def _forbidden(s: Tournament, numbers: dict[str, int]) -> tuple[Forbidden, ...]:
    """The pairs that the terms forbid, by numbers; entrants who do not take part are in none."""
    found = [
        Forbidden(one.first, min(one.last, s.last_round), tuple(numbers[name] for name in named))
        for one in s.terms.forbidden or ()
        if len(named := [name for name in one.entrants if name in numbers]) > 1 and one.first <= s.last_round
    ]
    return tuple(found)


def table_for_pairing(s: Tournament, round_number: int) -> Crosstable:
    """Return the table of which a round is to be paired: with the byes asked for, and who is away, in it."""
    earlier = _before(s, round_number)
    table = crosstable(earlier, adjourned=True)
    free = without_board(earlier, round_number)
    lines = tuple(_with_bye(line, free.get(line.entrant), round_number) for line in table.lines)
    return Crosstable(
        table.rounds, lines, table.first_colour, table.points, table.forbidden, table.accelerations
    )


def with_byes_to_come(s: Tournament, table: Crosstable) -> Crosstable:
    """Return the table with the byes that entrants of a Swiss tournament have asked for in rounds to come.

    Who has withdrawn is absent from all of them, as programs that pair from a file expect.
    """
    if s.terms.format != "swiss":
        return table
    free = {number: without_board(s, number) for number in range(len(s.rounds) + 1, table.rounds + 1)}
    return replace(table, lines=tuple(_with_byes(line, free) for line in table.lines))


def _with_byes(line: Line, free: Mapping[int, Mapping[str, str]]) -> Line:
    kinds = [some.get(line.entrant) for some in free.values()]
    while kinds and kinds[-1] is None:
        kinds.pop()
    return replace(line, cells=(*line.cells, *(OPEN if why is None else Cell(_bye(why)) for why in kinds)))


def first_colour(s: Tournament) -> Colour | None:
    """Return the colour of the first entrant: that of an imported file, or the one that was drawn.

    None: the lot is still to be drawn.
    """
    if s.origin is not None and s.origin.first_colour is not None:
        return s.origin.first_colour
    lot = s.lots.get(FIRST_COLOUR)
    return None if lot is None else ("w", "b")[lot]


def _before(s: Tournament, round_number: int) -> Tournament:
    """The tournament without what was paired from this round on."""
    return replace(s, rounds=s.rounds[: round_number - 1])


def _with_bye(line: Line, why: str | None, round_number: int) -> Line:
    if why is None:
        return line
    cells = (*line.cells[: round_number - 1], Cell(_bye(why)))
    return Line(line.entrant, line.number, line.rating, cells, line.withdrawn, line.penalty)


def _cells(s: Tournament, had: Round, numbers: dict[str, int], adjourned: bool) -> Mapping[str, Cell]:
    """The cells of a round by entrant.  The round keeps them while terms and numbers stay the same."""
    basis = (s.terms, numbers)
    known = had.cells.get(adjourned)
    if known is None or known[0] != basis:
        made = {entrant: _with_game_points(s, entrant, had, numbers, adjourned) for entrant in numbers}
        known = had.cells[adjourned] = basis, made
    return known[1]


def _with_game_points(
    s: Tournament, entrant: str, had: Round, numbers: dict[str, int], adjourned: bool
) -> Cell:
    boards = had.boards_of(entrant)
    cell = _cell(s, entrant, had, boards, numbers, adjourned)
    if s.terms.sides != BOTH:
        return cell
    if not boards:
        return replace(cell, game_points=2 * s.score_in(had, entrant, ()))
    w, b = summed(s.terms.points, results_of(boards))
    return replace(cell, game_points=w if boards[0].w == entrant else b)


def _cell(
    s: Tournament,
    entrant: str,
    had: Round,
    boards: Sequence[Board],
    numbers: dict[str, int],
    adjourned: bool,
) -> Cell:
    if not boards:
        return Cell(_bye(had.byes.get(entrant, "absent")))
    colour: Colour = "w" if boards[0].w == entrant else "b"
    opponent = numbers[boards[0].b if colour == "w" else boards[0].w]
    result = s.result_of(boards)
    if not result:
        drawn = _drawn_for_now(s, boards) if adjourned else ""
        if drawn:
            return Cell("played", opponent, colour, _outcome(drawn, colour))
        return Cell("pending", opponent, colour)
    kind: CellKind = "forfeit" if result in FORFEITS else "played"
    leads = [lead for board in boards if (lead := _lead(board, entrant)) is not None]
    return Cell(
        kind,
        opponent,
        colour,
        _outcome(result, colour),
        rated=_is_rated(s, had, boards),
        victory_points=sum(leads) if leads else None,
        end_turn=max((_turn_of_win(board, entrant) for board in boards), default=0) or None,
    )


def _is_rated(s: Tournament, had: Round, boards: Sequence[Board]) -> bool:
    """Does the game of a pair count for ratings?  Of an imported round its file says so."""
    if not s.terms.rated and not s.was_played_elsewhere(had.number):
        return False
    return any(
        board.result not in FORFEITS and not (board.ruling and board.ruling.unrated) for board in boards
    )


def _drawn_for_now(s: Tournament, boards: Sequence[Board]) -> str:
    """The result of a pair if its adjourned boards count as drawn; "" if another board has no result yet."""
    found = [
        "½" if not result and board.policy is not None and board.policy.policy == "adjourn" else result
        for board, result in zip(boards, results_of(boards), strict=True)
    ]
    return total(s.terms.points, found)


def _bye(why: str) -> CellKind:
    kinds: dict[str, CellKind] = {
        "pairing_bye": "pairing_bye",
        "full_bye": "full_bye",
        "half_bye": "half_bye",
        "zero_bye": "zero_bye",
    }
    return kinds.get(why, "absent")


def _outcome(result: str, colour: Colour) -> Outcome:
    if result == "½":
        return "draw"
    return "win" if _WINS.get(result) == colour else "loss"


def _lead(board: Board, entrant: str) -> int | None:
    """By how many points of the game the entrant led at the end; None after a ruling, or without a score."""
    outcome = board.outcome
    if board.ruling is not None or outcome is None:
        return None
    own = [score for seat, score in outcome.score.items() if outcome.sides.get(seat) == entrant]
    others = [score for seat, score in outcome.score.items() if outcome.sides.get(seat) != entrant]
    return own[0] - others[0] if len(own) == len(others) == 1 else None


def _turn_of_win(board: Board, entrant: str) -> int:
    """The turn in which the entrant won the match of a board; 0 if it did not, or after a ruling."""
    outcome = board.outcome
    if board.ruling is not None or outcome is None or outcome.winner != entrant:
        return 0
    return outcome.end_turn


def _accelerations(s: Tournament, count: int) -> tuple[Acceleration, ...]:
    """Those of an imported file, or those of the terms."""
    if s.origin is not None and s.origin.accelerations:
        return s.origin.accelerations
    return _baku(s, count) if s.terms.accelerated else ()


def _baku(s: Tournament, count: int) -> tuple[Acceleration, ...]:
    """Baku acceleration: the upper half gets a win in the first rounds, then a draw."""
    half = 2 * -(-count // 4)
    rounds = -(-s.terms.rounds // 2)
    wins = -(-rounds // 2)
    points = s.terms.points
    full = Acceleration(points.win, 1, wins, 1, half)
    return (full, Acceleration(points.draw, wins + 1, rounds, 1, half)) if rounds > wins else (full,)
