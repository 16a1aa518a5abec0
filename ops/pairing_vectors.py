"""Records whole Swiss tournaments as an engine pairs them, and compares two engines round by round.

    python ops/pairing_vectors.py record                       by gacrux, as installed
    python ops/pairing_vectors.py record --program PATH        by bbpPairings
    python ops/pairing_vectors.py compare --program PATH       bbpPairings pairs all that was recorded again
    python ops/pairing_vectors.py compare                      gacrux does
    python ops/pairing_vectors.py check --program PATH         bbpPairings checks the TRF of every tournament
    python ops/pairing_vectors.py check                        gacrux does, by its own command (`-c`)

882 rounds: 60 tournaments of 17 and of 40 players and 6 of 128, seven rounds each, with forfeits, asked byes
and withdrawals.  A record is one tournament in TRF: it holds the boards, colours and byes of every round, and
what an engine reads before a round is made from it.

bbpPairings (Apache-2.0, C++) is compiled from its source by `make`, with a compiler that knows C++20; PATH is
its program.  The rules of 2026 need its version 6.0.0.  No test needs it: tests read what was recorded,
whichever engine has recorded it.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from msgspec.structs import replace

from domain.tournaments.crosstable import Crosstable, Line, boards, cell_of, rounds_paired
from replay.tournaments.pairing import PairedBoard, PairingAnswer, pair
from replay.tournaments.simulation import Plan, simulate
from replay.tournaments.trf import TrfFile, written
from replay.tournaments.trf_reading import read
from tests.replay.tournaments.recorded import FOLDER, Recorded, files, load, rounds, save

SIZES = {17: 60, 40: 60, 128: 6}  # tournaments of so many players
ROUNDS = 7
SECONDS = 600  # of one round, or of one check
Pair = Callable[[str], PairingAnswer]


def main() -> int:
    """Record, compare or check; exit code 1: some round differs."""
    parser = argparse.ArgumentParser(description="Recorded pairings, by one engine or another.")
    parser.add_argument("what", choices=("record", "compare", "check"))
    parser.add_argument("--program", type=Path, help="the program of bbpPairings; without it: gacrux")
    parser.add_argument("--version", default="6.0.0", help="its version, for the record")
    asked = parser.parse_args()
    if asked.what == "check":
        return check(asked.program)
    engine: Pair = pair if asked.program is None else partial(by_program, asked.program, asked.version)
    return compare(engine) if asked.what == "compare" else record(engine)


def record(engine: Pair) -> int:
    """Write the file of an engine; the pairs of each round are its own."""
    made = []
    for number, one in enumerate(recorded(engine), 1):
        made.append(one)
        print(f"{number} of {sum(SIZES.values())}", file=sys.stderr)
    path = FOLDER / f"{made[0].engine}-{made[0].version.split(',')[0]}.ndjson.xz"
    path.parent.mkdir(parents=True, exist_ok=True)
    save(path, made)
    print(f"{path.name}: {len(made) * ROUNDS} rounds")
    return 0


def recorded(engine: Pair) -> Iterator[Recorded]:
    """All tournaments, as this engine pairs them."""
    for players, count in SIZES.items():
        for seed in range(count):
            plan = Plan(players, ROUNDS, forfeits=0.05, byes=0.03, withdrawals=0.02, seed=seed)
            *_, last = simulate(plan, engine)
            trf = written(TrfFile(last.after, f"{players} players, seed {seed}"))
            yield Recorded(last.answer.engine, last.answer.version, players, seed, trf)


def compare(engine: Pair) -> int:
    """Pair every recorded round again, and print those that differ."""
    done = different = 0
    for path in files():
        for one in load(path):
            for expected in rounds(one):
                answer = engine(expected.trf)
                made = frozenset((board.w, board.b) for board in answer.boards)
                done += 1
                if (made, answer.byes) != (expected.boards, expected.byes):
                    different += 1
                    print(f"{path.name}, {one.players} players, seed {one.seed}, round {expected.number}:")
                    print(
                        f"  recorded {sorted(expected.boards - made)}, now {sorted(made - expected.boards)}"
                    )
    print(f"{done} rounds, {different} differ")
    return 1 if different else 0


def check(program: Path | None) -> int:
    """Let bbpPairings check each TRF, and the same one with two opponents of the last round exchanged.

    Without its program gacrux does.

    It must name no round of the first, and of the second the last round alone.
    """
    done = wrong = 0
    for path in files():
        for one in load(path):
            table = read(one.trf.encode()).table
            exchanged = written(TrfFile(opponents_exchanged(table, table.rounds)))
            for what, trf, expected in (("as it is", one.trf, ()), ("exchanged", exchanged, (table.rounds,))):
                done += 1
                if (found := rounds_named(program, trf)) != expected:
                    wrong += 1
                    print(f"{path.name}, {one.players} players, seed {one.seed}, {what}: rounds {found}")
    print(f"{done} files checked, {wrong} with a wrong answer")
    return 1 if wrong else 0


def rounds_named(program: Path | None, trf: str) -> tuple[int, ...]:
    """Return the rounds of a file that a checker (`-c`) would pair otherwise: bbpPairings, or else gacrux."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "in.trf"
        source.write_text(trf, "utf-8")
        if program is None:
            printed = output([sys.executable, "-m", "gacrux.pairingchecker", "-i", str(source), "-c", "-dT"])
        else:
            printed = output([str(program), "--dutch", str(source), "-c"])
    before, *parts = re.split(
        r"^(?:in:|=+) Round #(?=\d)", printed.partition("\nCheck: ")[0], flags=re.MULTILINE
    )
    numbers = [int(re.match(r"\d+", part)[0]) for part in parts]  # type: ignore[index]
    if before.strip() or numbers != list(range(1, rounds_paired(read(trf.encode()).table) + 1)):
        raise SystemExit(f"{program or 'gacrux'} checked the rounds {numbers}: {printed}")
    named = [bool(part.partition("\n")[2].strip()) for part in parts]
    return tuple(number for number, is_named in zip(numbers, named, strict=True) if is_named)


def opponents_exchanged(table: Crosstable, number: int) -> Crosstable:
    """The table with the black players of the first two boards of a round exchanged; the results stay."""
    (w, b), (other_w, other_b), *_ = boards(table, number)
    new = {
        w.number: (cell_of(w, number), other_b),
        other_b.number: (cell_of(b, number), w),
        other_w.number: (cell_of(other_w, number), b),
        b.number: (cell_of(other_b, number), other_w),
    }

    def changed(line: Line) -> Line:
        if line.number not in new:
            return line
        cell, opponent = new[line.number]
        cells = (*line.cells[: number - 1], replace(cell, opponent=opponent.number), *line.cells[number:])
        return replace(line, cells=cells)

    return replace(table, lines=tuple(map(changed, table.lines)))


def by_program(program: Path, version: str, trf: str) -> PairingAnswer:
    """Ask bbpPairings, which reads a file and writes the number of pairs, then a pair a line; 0: a bye."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "in.trf", Path(folder) / "out.txt"
        source.write_text(trf, "utf-8")
        output([str(program), "--dutch", str(source), "-p", str(target)])
        _, *lines = target.read_text("utf-8").split("\n")
    pairs = [tuple(map(int, line.split())) for line in lines if line.strip()]
    boards = [PairedBoard(at, w, b, (None, None), "", 0) for at, (w, b) in enumerate(pairs, 1) if b]
    byes = tuple(w for w, b in pairs if not b)
    number = rounds_paired(read(trf.encode()).table) + 1
    return PairingAnswer("bbpPairings", version, "2026", number, tuple(boards), byes)


def output(command: list[str]) -> str:
    """What a command prints; one that fails ends this script."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    if done.returncode != 0:
        raise SystemExit(f"{command[0]} ended with {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
