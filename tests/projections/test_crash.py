"""A runner that is really killed, again and again, loses nothing and doubles nothing."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from pathlib import Path

from domain.games import GAMES
from tests.projections.support import WITH_CHAIN, Hall, caught_up, dumped, write_log

ROOT = Path(__file__).parents[2]
RNG = random.Random(1)
KILLS = [
    *(("", "borders", number) for number in range(1, 20)),  # every border within a batch
    *(("", "all", RNG.randint(1, 250)) for _ in range(4)),  # amid the rows of a batch
    *((name, "borders", RNG.randint(1, 60)) for name in ("boards", "history")),  # while one is built
    *((name, "swap", number) for name in ("boards", "history") for number in (1, 4, 6)),
]


def run(log: Path, read_models: Path, rebuild: str, count: str, die_at: int) -> tuple[int, str]:
    arguments = ["-m", "tests.projections.killed", str(log), str(read_models), rebuild, count, str(die_at)]
    done = subprocess.run([sys.executable, *arguments], cwd=ROOT, check=False, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def test_a_kill_at_any_statement_leaves_exactly_once(tmp_path: Path) -> None:
    items = Hall(list(GAMES.values()), 8, seed=1).play(900)
    write_log(items, tmp_path / "log")
    ends = [run(tmp_path / "log", tmp_path / "read.db", *kill) for kill in KILLS]
    assert ends == [(-signal.SIGKILL, "")] * len(KILLS)
    assert run(tmp_path / "log", tmp_path / "read.db", "", "all", 0) == (0, "")
    caught_up(items, tmp_path / "fresh.db", projections=WITH_CHAIN)
    assert dumped(tmp_path / "read.db", WITH_CHAIN) == dumped(tmp_path / "fresh.db", WITH_CHAIN)
