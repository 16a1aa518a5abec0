"""Two engines pair the same rounds: gacrux, which the server uses, and caissify-pairings, which it does not.

Both follow the Dutch system as it stands since February 2026.  Who meets whom must be equal in every round,
and so must the colours, but for one rule: where only the rank decides (E.4), the second engine ranks two
entrants by their numbers alone, and the rules by their points first (A.2).  On such a board the test computes
the colours itself.
"""

from __future__ import annotations

import pytest
from caissify_pairings.engines.dutch import DutchEngine

from domain.tournaments.crosstable import AGAINST, Colour, Crosstable, Line, cell_of, points_of, score
from replay.tournaments.pairing import PairedBoard
from replay.tournaments.simulation import Plan, SimulatedRound, simulate

Pair = frozenset[int]
WORDS = {"w": "white", "b": "black"}


def floats_of(table: Crosstable, line: Line, rounds: int) -> list[str]:
    """The floats of an entrant in the rounds played: down, up or none.

    A round without a game floats down if it brought more than a loss would have.
    """
    found = []
    for number in range(1, rounds + 1):
        cell = cell_of(line, number)
        if cell.kind != "played" or cell.opponent is None:
            found.append("down" if points_of(table.points, cell) > table.points.loss else "none")
            continue
        own = score(table, line, number - 1)
        other = score(table, table.lines[cell.opponent - 1], number - 1)
        found.append("down" if own > other else "up" if own < other else "none")
    return found


def numbered(one: SimulatedRound) -> list[Line]:
    """The entrants who were paired so far or are to be paired now: the others have no pairing number yet."""
    return [
        line
        for line in one.before.lines
        if present(one, line)
        or any(cell.kind in AGAINST or cell.kind == "pairing_bye" for cell in line.cells[: one.number - 1])
    ]


def present(one: SimulatedRound, line: Line) -> bool:
    return not line.withdrawn and cell_of(line, one.number).kind == "open"


def player(table: Crosstable, line: Line, number: int, rounds: int) -> dict[str, object]:
    """An entrant as the second engine wants it: what became of it in the first `rounds` rounds."""
    cells = [cell_of(line, number) for number in range(1, rounds + 1)]
    return {
        "id": line.number,
        "starting_number": line.number,
        "pairing_number": number,
        "rating": line.rating,
        "score": score(table, line, rounds) / 2,
        "color_hist": [WORDS[cell.colour] for cell in cells if cell.kind == "played" and cell.colour],
        "float_history": floats_of(table, line, rounds),
        "bye_count": sum(cell.kind in ("pairing_bye", "full_bye") for cell in cells),
        "forfeit_win_count": sum(cell.kind == "forfeit" and cell.outcome == "win" for cell in cells),
    }


def second_opinion(one: SimulatedRound) -> tuple[dict[Pair, int], set[int]]:
    """The pairs of the second engine with the entrant who has white, and its byes."""
    table, played = one.before, one.number - 1
    met = {
        (line.number, cell.opponent)
        for line in table.lines
        for cell in line.cells[:played]
        if cell.kind == "played" and cell.opponent is not None and line.number < cell.opponent
    }
    made = DutchEngine(
        players=[
            player(table, line, number, played)
            for number, line in enumerate(numbered(one), 1)
            if present(one, line)
        ],
        previous_pairings=met,
        round_number=one.number,
        total_rounds=table.rounds,
        initial_color=WORDS[table.first_colour or "w"],
    ).generate_pairings()
    whites = {
        frozenset((pair["white_id"], pair["black_id"])): pair["white_id"] for pair in made if pair["black_id"]
    }
    return whites, {pair["white_id"] for pair in made if not pair["black_id"]}


def higher_has_its_colour(one: SimulatedRound, board: PairedBoard) -> bool:
    """Has the entrant with more points, who comes first (A.2), got the colour that is due to it (E.4)?"""
    table, played = one.before, one.number - 1
    first, second = (table.lines[number - 1] for number in (board.w, board.b))
    higher = max(first, second, key=lambda line: (score(table, line, played), -line.number))
    history = [cell.colour for cell in higher.cells[:played] if cell.kind == "played"]
    due = "b" if history.count("w") > history.count("b") else "w"
    if history.count("w") == history.count("b"):
        due = "b" if history[-1] == "w" else "w"
    return (board.w if due == "w" else board.b) == higher.number


def check(one: SimulatedRound) -> int:
    """Compare a round; return the number of boards whose colours the rank decided against the number."""
    whites, byes = second_opinion(one)
    assert {frozenset((board.w, board.b)) for board in one.answer.boards} == set(whites), one.number
    assert set(one.answer.byes) == byes, one.number
    turned = [board for board in one.answer.boards if whites[frozenset((board.w, board.b))] != board.w]
    for board in turned:
        table = one.before
        points = [score(table, table.lines[number - 1], one.number - 1) for number in (board.w, board.b)]
        assert board.colour_rule == "E.4", (one.number, board)
        assert points[0] != points[1], (one.number, board)
        assert higher_has_its_colour(one, board), (one.number, board)
    return len(turned)


@pytest.mark.parametrize(
    ("players", "seeds"),
    [
        (17, range(2)),
        pytest.param(17, range(60), marks=pytest.mark.long),
        pytest.param(40, range(60), marks=pytest.mark.long),
        *(pytest.param(128, range(seed, seed + 1), marks=pytest.mark.long) for seed in range(6)),
    ],
    ids=str,
)
def test_two_engines_pair_alike(players: int, seeds: range) -> None:
    boards = turned = rounds = 0
    for seed in seeds:
        first: Colour = "b" if seed % 2 else "w"
        plan = Plan(players, 7, forfeits=0.05, byes=0.03, withdrawals=0.02, seed=seed, first_colour=first)
        for one in simulate(plan):
            turned += check(one)
            boards += len(one.answer.boards)
            rounds += 1
    print(f"{players} players: {rounds} rounds, {boards} boards, {turned} where the rank decided")
    assert rounds == 7 * len(seeds)
    assert turned < boards / 20
