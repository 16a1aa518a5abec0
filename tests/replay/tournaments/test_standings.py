"""Standings: equal to those of an oracle that reads the file alone, explained to the last addend."""

from __future__ import annotations

import ast
import random
import sys
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

import msgspec
import pytest
from msgspec import UNSET
from msgspec.structs import replace

from domain.game import Game
from domain.kernel import Refused
from domain.tournaments.crosstable import Cell, Crosstable, Line, Outcome
from domain.tournaments.state import Outcome as BoardOutcome
from domain.tournaments.terms import TIE_BREAKS, Terms
from replay.tournaments import standings as product
from replay.tournaments.results import standings_of
from replay.tournaments.simulation import Plan, SimulatedRound, simulate
from replay.tournaments.standings import Explained, Settings, explained, standings
from replay.tournaments.trf import TrfFile, written
from tests.domain.tournaments.hall import Hall
from tests.replay.tournaments import oracle

ORDER = ("PTS", "BH/C1", "BH", "SB", "DE", "WIN")
ALL = (
    ("PTS", "BH/C1", "BH", "SB", "DE", "WIN", "PS", "KS", "ARO", "AOB", "FB", "REP"),
    ("PTS", "VPD", "FAST", "LOT", "BPG", "BWG", "WON", "ARO/C1", "BH/M1", "SB/C1", "PS/C1", "FB/C1"),
)


def of_product(table: Crosstable, order: tuple[str, ...] = ORDER) -> list[tuple[int, int, list[str | None]]]:
    """Place, number and values, without the place in direct encounters."""
    found = standings(table, Settings(order))
    shown = [index for index, one in enumerate(found.criteria) if one.name != "DE"]
    return [(one.place, one.number, [one.values[index] for index in shown]) for one in found.places]


def test_standings_are_those_of_the_oracle(small: list[SimulatedRound]) -> None:
    for one in small:
        assert of_product(one.after) == oracle.standings(written(TrfFile(one.after)))


def test_standings_of_many_tournaments_are_those_of_the_oracle() -> None:
    for seed in range(6):
        *_, last = simulate(Plan(8 + seed % 9, 2 + seed % 5, 0.15, 0.08, 0.05, seed))
        assert of_product(last.after) == oracle.standings(written(TrfFile(last.after)))


@pytest.mark.long
def test_standings_of_large_tournaments_are_those_of_the_oracle() -> None:
    for seed in range(60):
        *_, last = simulate(Plan(16 + seed % 9, 3 + seed % 6, 0.15, 0.08, 0.05, seed))
        assert of_product(last.after) == oracle.standings(written(TrfFile(last.after)))
    *_, last = simulate(Plan(128, 7, 0.05, 0.03, 0.02, 7))
    assert of_product(last.after) == oracle.standings(written(TrfFile(last.after)))


def test_direct_encounters_are_those_of_the_oracle_where_they_come_first() -> None:
    parted = 0
    for seed in range(8):
        *_, last = simulate(Plan(8, 3 + seed % 3, 0.1, 0.05, 0.0, seed))
        found = of_product(last.after, ("PTS", "DE"))
        assert [one[:2] for one in found] == oracle.by_encounters(written(TrfFile(last.after)))
        points = {number: values[0] for _, number, values in found}
        parted += len({place for place, _, _ in found}) > len(set(points.values()))
    assert parted > 2


def test_the_oracle_uses_nothing_of_the_project_and_no_engine() -> None:
    tree = ast.parse(Path(oracle.__file__).read_text("utf-8"))
    imported = {
        name.partition(".")[0]
        for node in ast.walk(tree)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert imported
    assert imported <= sys.stdlib_module_names


@pytest.mark.parametrize("order", ALL, ids=("first", "second"))
def test_the_addends_of_every_tie_break_make_its_value(
    order: tuple[str, ...], small: list[SimulatedRound]
) -> None:
    check_addends(small[-1].after, order)


def test_every_tie_break_that_terms_may_list_gives_standings(small: list[SimulatedRound]) -> None:
    names = sorted(TIE_BREAKS)
    for at in range(0, len(names), 10):
        check_addends(small[-1].after, ("PTS", *names[at : at + 10]))


def test_the_terms_cap_the_victory_points_that_a_round_counts(toy_game: Game) -> None:
    # given two entrants, of whom one won by 30 points
    hall = Hall(Terms(game="toy", format="round_robin", rounds=1, tie_breaks=("VPD",)), 2)
    hall.pair()
    (board,) = hall.s.rounds[0].boards
    left, right = toy_game.seats
    outcome = BoardOutcome(
        1, "1-0", "score", 9, "", board.w, {left: 32, right: 2}, {left: board.w, right: board.b}
    )
    rounds = (replace(hall.s.rounds[0], boards=(replace(board, outcome=outcome, confirmed="verify"),)),)

    # when standings are made by terms with a cap, then both sides have no more than that
    for cap, shown in ((UNSET, ["30", "-30"]), (40, ["30", "-30"]), (12, ["12", "-12"])):
        s = replace(hall.s, rounds=rounds, terms=replace(hall.s.terms, vpd_cap=cap))
        assert [one.values[1] for one in standings_of(s).places] == shown


@pytest.mark.long
@pytest.mark.parametrize("order", ALL, ids=("first", "second"))
def test_the_addends_of_every_tie_break_make_its_value_in_fifty_tournaments(order: tuple[str, ...]) -> None:
    for seed in range(50):
        *_, last = simulate(Plan(10 + seed % 8, 3 + seed % 5, 0.1, 0.06, 0.04, seed))
        check_addends(last.after, order)


def check_addends(table: Crosstable, order: tuple[str, ...]) -> None:
    """Every value of every entrant is made of its addends."""
    penalised = replace(table, lines=(replace(table.lines[0], penalty=1), *table.lines[1:]))
    settings = Settings(order, cap=10, lots={1: 2, 2: 1})
    for place in standings(penalised, settings).places:
        for value, one in zip(place.values, explained(penalised, settings, place.number), strict=True):
            assert one.value == value
            left = [Decimal(addend.value) for addend in one.addends if not addend.cut]
            assert sum(left) == Decimal(one.total)
            check_value(one, left)
            check_cuts(one, left)


def check_value(one: Explained, left: list[Decimal]) -> None:
    if one.how == "sum":
        assert one.value == one.total
    elif one.how == "average" and one.value is not None:
        exponent = Decimal({"ARO": "1"}.get(one.name[:3], "0.01"))
        average = (Decimal(one.total) / len(left)).quantize(exponent, rounding=ROUND_HALF_UP)
        assert Decimal(one.value) == average
    elif one.name == "DE" and one.passes:
        assert Decimal(one.passes[0].partition("/")[0]) == Decimal(one.total)


def check_cuts(one: Explained, left: list[Decimal]) -> None:
    """As many are cut as the name says, if there are so many."""
    kind, count = one.name.partition("/")[2][:1], int(one.name.partition("/")[2][1:] or 0)
    cut = [addend for addend in one.addends if addend.cut]
    if kind:
        assert len(cut) <= count * (2 if kind == "M" else 1)
        assert len(cut) > 0 or not one.addends
    elif one.name != "KS":
        assert cut == []


def test_buchholz_less_one_leaves_out_exactly_the_marked_addend(small: list[SimulatedRound]) -> None:
    table, settings = small[-1].after, Settings(("PTS", "BH/C1", "BH"))
    for line in table.lines:
        _, less, all_ = explained(table, settings, line.number)
        (cut,) = [one for one in less.addends if one.cut]
        assert Decimal(all_.total) - Decimal(cut.value) == Decimal(less.total)
        assert [replace(one, cut=False) for one in less.addends] == list(all_.addends)


def test_results_that_arrive_in_a_hundred_orders_give_equal_bytes(small: list[SimulatedRound]) -> None:
    last = small[-1].after
    places = [(line.number, at) for line in last.lines for at in range(len(line.cells))]
    chance, seen = random.Random(3), set()
    for _ in range(100):
        chance.shuffle(places)
        cells: dict[int, dict[int, Cell]] = {}
        for number, at in places:
            cells.setdefault(number, {})[at] = last.lines[number - 1].cells[at]
        lines = [
            replace(line, cells=tuple(cells[line.number][at] for at in range(len(line.cells))))
            for line in last.lines
        ]
        seen.add(msgspec.json.encode(standings(replace(last, lines=tuple(lines)), Settings())))
    assert len(seen) == 1


def match(*, w: int, b: int, outcome: Outcome, **more: int) -> dict[int, Cell]:
    """The cells of a game; `lead`: the victory points of w; `turn`: the last turn."""
    other: dict[Outcome, Outcome] = {"win": "loss", "loss": "win", "draw": "draw"}
    lead, turn = more.get("lead"), more.get("turn")
    behind = None if lead is None else -lead
    return {
        w: Cell("played", b, "w", outcome, victory_points=lead, end_turn=turn),
        b: Cell("played", w, "b", other[outcome], victory_points=behind, end_turn=turn),
    }


def table_of(rounds: list[list[dict[int, Cell]]]) -> Crosstable:
    """The table of these games, entrant by entrant."""
    merged = [{number: cell for game in games for number, cell in game.items()} for games in rounds]
    numbers = range(1, max(max(one) for one in merged) + 1)
    lines = (
        Line(f"n{number}", number, 0, tuple(one.get(number, Cell("absent")) for one in merged))
        for number in numbers
    )
    return Crosstable(max(3, len(rounds)), tuple(lines), "w")


def test_victory_points_are_capped_fast_wins_come_first_and_lots_decide() -> None:
    table = table_of(
        [
            [
                match(w=1, b=2, outcome="win", lead=30, turn=7),
                match(w=3, b=4, outcome="win", lead=3, turn=4),
                match(w=5, b=6, outcome="win", turn=10),
            ],
            [match(w=2, b=3, outcome="draw"), match(w=4, b=1, outcome="loss", lead=-8, turn=10)],
        ]
    )
    found = standings(table, Settings(("PTS", "VPD", "FAST", "LOT"), cap=20, lots={5: 2, 6: 1}))
    assert {one.number: one.values for one in found.places} == {
        1: ("2", "28", "8.5", None),
        3: ("1.5", "3", "4", None),
        5: ("1", "0", "10", "2"),
        2: ("0.5", "-20", None, None),
        6: ("0", "0", None, "1"),
        4: ("0", "-11", None, None),
    }
    assert [one.number for one in found.places] == [1, 3, 5, 2, 6, 4]
    assert found.criteria[2:] == (
        product.Criterion("FAST", True, "average"),
        product.Criterion("LOT", True, "place"),
    )
    lots = standings(
        table_of([[match(w=1, b=2, outcome="draw")]]), Settings(("PTS", "LOT"), lots={1: 2, 2: 1})
    )
    assert [(one.place, one.number) for one in lots.places] == [(1, 2), (2, 1)]


def test_a_penalty_counts_in_points_and_in_no_tie_break() -> None:
    table = table_of([[match(w=1, b=2, outcome="win")], [match(w=3, b=1, outcome="draw")]])
    penalised = replace(table, lines=(replace(table.lines[0], penalty=3), *table.lines[1:]))
    before, after = (standings(one, Settings(("PTS", "BH", "SB"))) for one in (table, penalised))
    values = {one.number: one.values for one in after.places}
    assert values[1] == ("0", *before.places[0].values[1:])
    assert [values[number] for number in (2, 3)] == [
        one.values for number in (2, 3) for one in before.places if one.number == number
    ]
    points = explained(penalised, Settings(), 1)[0]
    assert [(one.round, one.value) for one in points.addends] == [(1, "1"), (2, "0.5"), (0, "-1.5")]


def test_in_a_round_robin_a_forfeit_counts_as_a_game() -> None:
    forfeits = {1: Cell("forfeit", 2, "w", "win"), 2: Cell("forfeit", 1, "b", "loss")}
    table = table_of([[forfeits], [match(w=2, b=3, outcome="win")], [match(w=3, b=1, outcome="win")]])
    robin = standings(table, Settings(("PTS", "SB", "DE"), round_robin=True))
    assert [one.values[:2] for one in robin.places] == [("1", "1"), ("1", "1"), ("1", "1")]
    for is_robin, counted in ((True, [(1, 2, "1"), (3, 3, "0")]), (False, [(3, 3, "0")])):
        _, encounter = explained(table, Settings(("PTS", "DE"), round_robin=is_robin), 1)
        assert [(one.round, one.opponent, one.value) for one in encounter.addends] == counted


def test_of_two_games_with_one_opponent_a_direct_encounter_counts_the_average() -> None:
    games = [match(w=1, b=2, outcome="win"), match(w=2, b=1, outcome="win")]
    table = table_of([[game] for game in games])
    (_, encounter) = explained(table, Settings(("PTS", "DE"), round_robin=True), 1)
    assert [one.value for one in encounter.addends] == ["0.5", "0"]
    assert encounter.passes[0] == encounter.total == "0.5"


def test_while_a_round_is_played_its_missing_boards_are_counted() -> None:
    pending = {3: Cell("pending", 4, "w"), 4: Cell("pending", 3, "b")}
    first = [match(w=1, b=2, outcome="win"), pending]
    found = standings(table_of([first]), Settings(("PTS", "BH")))
    assert (found.through, found.pending) == (1, 1)
    done = [match(w=1, b=2, outcome="win"), match(w=3, b=4, outcome="draw")]
    paired = {1: Cell("pending", 3, "w"), 3: Cell("pending", 1, "b")}
    found = standings(table_of([done, [paired]]), Settings())
    assert (found.through, found.pending) == (1, 0)


def test_before_the_first_result_all_share_the_first_place() -> None:
    empty = Crosstable(3, tuple(Line(f"n{number}", number) for number in (1, 2, 3)), "w")
    found = standings(empty, Settings(("PTS", "BH/C1", "SB", "DE", "KS", "VPD", "FAST")))
    assert {one.place for one in found.places} == {1}
    assert (found.through, found.rules) == (0, "2026-03-01")
    assert standings(Crosstable(3, ()), Settings()).places == ()


@pytest.mark.parametrize(
    "name",
    ["", "XX", "BH/C10", "BH/C", "PTS/C1", "DE/P", "bh", "BH\n", "SB/M1", "BH/C1/C1", "KS/L" + "9" * 50],
)
def test_a_tie_break_that_there_is_not_is_refused(name: str) -> None:
    with pytest.raises(Refused) as error:
        standings(Crosstable(3, ()), Settings(("PTS", name)))
    assert (error.value.kind, error.value.id) == ("invalid", "unknown-tie-break")


def test_more_tie_breaks_than_a_table_has_room_for_are_refused() -> None:
    with pytest.raises(Refused) as error:
        standings(Crosstable(3, ()), Settings(("PTS",) * 13))
    assert error.value.id == "too-many-tie-breaks"


def test_without_the_extra_standings_are_not_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gacrux", None)
    with pytest.raises(Refused) as error:
        standings(table_of([[match(w=1, b=2, outcome="win")]]), Settings())
    assert (error.value.kind, error.value.id) == ("not-offered", "no-standings-extra")
