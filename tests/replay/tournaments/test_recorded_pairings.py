"""Recorded rounds of gacrux itself, so that no change of it goes unnoticed, and those of bbpPairings.

A file holds the rounds of one engine and version (`ops/pairing_vectors.py`); gacrux must pair them all so.
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from domain.tournaments.crosstable import Cell, Colour, Crosstable, Line, Outcome, problem
from replay.tournaments.pairing import pair
from replay.tournaments.simulation import SimulatedRound
from replay.tournaments.trf import TrfFile, pairing_input, written
from replay.tournaments.trf_reading import read
from tests.replay.tournaments.recorded import files, load, rounds

ROOT = Path(__file__).parents[3]
PLAYERS = {17: 60, 40: 60, 128: 6}


def check(path: Path, chosen: dict[int, range]) -> int:
    """Pair the rounds of these tournaments again; gives their number."""
    done = 0
    for one in load(path):
        if one.seed in chosen.get(one.players, ()):
            for expected in rounds(one):
                answer = pair(expected.trf)
                made = frozenset((board.w, board.b) for board in answer.boards)
                assert (made, answer.byes) == (expected.boards, expected.byes), (
                    one.players,
                    one.seed,
                    expected,
                )
                done += 1
    return done


@pytest.mark.parametrize("path", files(), ids=lambda path: path.name)
def test_a_sample_of_the_recorded_rounds_is_paired_in_the_same_way(path: Path) -> None:
    assert check(path, {17: range(3), 40: range(1)}) == 28


@pytest.mark.long
@pytest.mark.parametrize("path", files(), ids=lambda path: path.name)
def test_all_recorded_rounds_are_paired_in_the_same_way(path: Path) -> None:
    assert check(path, {players: range(count) for players, count in PLAYERS.items()}) == 882


def test_the_records_say_which_engine_made_them_and_are_complete() -> None:
    assert files()
    for path in files():
        recorded = load(path)
        assert {f"{one.engine}-{one.version.partition(',')[0]}" for one in recorded} == {
            path.name.removesuffix(".ndjson.xz")
        }
        assert [(one.players, one.seed) for one in recorded] == [
            (players, seed) for players, count in PLAYERS.items() for seed in range(count)
        ]


def line(number: int, rating: int, *games: tuple[int, Colour, Outcome] | None) -> Line:
    """An entrant with games (opponent, colour, outcome); None: absent."""
    cells = tuple(Cell("absent") if one is None else Cell("played", *one) for one in games)
    return Line(f"n{number}", number, rating, cells)


# Two positions for which bbpPairings publishes its answer, in its own tests of the rules C5 and C9 of 2025.
C5 = (
    line(1, 2720, (4, "w", "win"), (2, "b", "win")),
    line(2, 2701, (5, "b", "win"), (1, "w", "loss")),
    line(3, 2697, (6, "w", "win"), (4, "b", "win")),
    line(4, 2689, (1, "b", "loss"), (3, "w", "loss"), None),
    line(5, 2673, (2, "w", "loss"), (6, "b", "win")),
    line(6, 2664, (3, "b", "loss"), (5, "w", "loss")),
)
C9 = (
    line(1, 2720, (3, "w", "win")),
    line(2, 2701, (4, "b", "win")),
    line(3, 2697, (1, "b", "loss")),
    line(4, 2689, (2, "w", "loss")),
    line(5, 2673, None),
)


@pytest.mark.parametrize(
    ("lines", "number", "boards", "bye"),
    [(C5, 3, {(1, 5), (3, 2)}, 6), (C9, 2, {(2, 1), (3, 5)}, 4)],
    ids=["C5", "C9"],
)
def test_two_published_answers_of_another_engine_are_ours(
    lines: tuple[Line, ...], number: int, boards: set[tuple[int, int]], bye: int
) -> None:
    answer = pair(pairing_input(Crosstable(3, lines, "w"), number))
    assert {(board.w, board.b) for board in answer.boards} == boards
    assert answer.byes == (bye,)


STUB = """
import sys
from pathlib import Path
from replay.tournaments.pairing import pair
_, system, source, option, *target = sys.argv
assert system == "--dutch"
text = Path(source).read_text("utf-8")
if option == "-p":
    answer = pair(text)
    lines = [f"{board.w} {board.b}" for board in answer.boards] + [f"{bye} 0" for bye in answer.byes]
    Path(target[0]).write_text("\\n".join([str(len(lines)), *lines]) + "\\n")
else:
    from tests.replay.tournaments.recorded import Recorded, rounds
    assert (option, target) == ("-c", [])
    for one in rounds(Recorded("", "", 0, 0, text)):
        print(f"{Path(source).stem}: Round #{one.number}")
        made = {(board.w, board.b) for board in pair(one.trf).boards}
        if made != one.boards:
            print("  Checker pairings        Tournament pairings ")
            for right, given in zip(sorted(made - one.boards), sorted(one.boards - made)):
                print("    %3d - %3d                %3d - %3d" % (*right, *given))
            print()
    print()
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A program that speaks as bbpPairings does, and pairs as gacrux."""
    path = tmp_path / "program"
    path.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} {tmp_path}/stub.py "$@"\n')
    path.chmod(0o755)
    (tmp_path / "stub.py").write_text(STUB)
    return path


def test_the_script_asks_a_program_that_speaks_as_bbp_pairings_does(
    small: list[SimulatedRound], program: Path
) -> None:
    with_bye = next(one for one in small if one.answer.byes)
    answer = runpy.run_path(str(ROOT / "ops" / "pairing_vectors.py"))["by_program"](
        program, "6.0.0", with_bye.trf
    )
    assert (answer.engine, answer.version, answer.round) == ("bbpPairings", "6.0.0", with_bye.number)
    assert answer.byes == with_bye.answer.byes
    assert [(one.w, one.b) for one in answer.boards] == [(one.w, one.b) for one in with_bye.answer.boards]


def test_the_script_lets_a_program_check_an_exported_file_and_reads_which_rounds_it_names(
    small: list[SimulatedRound], program: Path
) -> None:
    script = runpy.run_path(str(ROOT / "ops" / "pairing_vectors.py"))
    played = replace(small[-1].after, rounds=small[-1].number)
    exchanged = script["opponents_exchanged"](played, played.rounds)
    assert problem(exchanged) is None
    assert script["rounds_named"](program, written(TrfFile(played))) == ()
    assert script["rounds_named"](program, written(TrfFile(exchanged))) == (played.rounds,)


def checked_by_gacrux(path: Path, chosen: dict[int, range]) -> int:
    """Let the command of gacrux check recorded files, as they are and with opponents exchanged (OA11).

    Gives the number of rounds.
    """
    script, done = runpy.run_path(str(ROOT / "ops" / "pairing_vectors.py")), 0
    for one in load(path):
        if one.seed not in chosen.get(one.players, ()):
            continue
        table = read(one.trf.encode()).table
        exchanged = written(TrfFile(script["opponents_exchanged"](table, table.rounds)))
        assert script["rounds_named"](None, one.trf) == (), (one.players, one.seed)
        assert script["rounds_named"](None, exchanged) == (table.rounds,), (one.players, one.seed)
        done += table.rounds
    return done


def test_the_command_of_gacrux_finds_nothing_in_an_exported_file_and_names_a_round_with_other_pairs() -> None:
    assert [checked_by_gacrux(path, {17: range(2)}) for path in files()] == [14, 14]


@pytest.mark.long
def test_the_command_of_gacrux_finds_nothing_in_the_rounds_of_another_engine() -> None:
    [path] = [one for one in files() if one.name.startswith("bbpPairings")]
    assert checked_by_gacrux(path, {players: range(count) for players, count in PLAYERS.items()}) == 882


def test_the_script_believes_no_checker_that_leaves_out_rounds(
    small: list[SimulatedRound], tmp_path: Path
) -> None:
    program = tmp_path / "silent"
    program.write_text("#!/bin/sh\necho 'in: Round #1'\n")
    program.chmod(0o755)
    script = runpy.run_path(str(ROOT / "ops" / "pairing_vectors.py"))
    with pytest.raises(SystemExit, match="checked the rounds"):
        script["rounds_named"](program, written(TrfFile(small[-1].after)))
