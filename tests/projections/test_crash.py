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


def run(log: Path, read_models: Path, *kills: tuple[str, str, int]) -> list[str]:
    """What is printed by runners that are killed, one after the other: the exit code of each."""
    arguments = [str(word) for kill in kills for word in kill]
    command = [sys.executable, "-m", "tests.projections.killed", str(log), str(read_models), *arguments]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\n")[
        :-1
    ]


def test_a_kill_at_any_statement_leaves_exactly_once(tmp_path: Path) -> None:
    items = Hall(list(GAMES.values()), 8, seed=1).play(900)
    write_log(items, tmp_path / "log")
    ends = run(tmp_path / "log", tmp_path / "read.db", *KILLS, ("", "all", 0))
    assert ends == [str(-signal.SIGKILL)] * len(KILLS) + ["0"]
    caught_up(items, tmp_path / "fresh.db", projections=WITH_CHAIN)
    assert dumped(tmp_path / "read.db", WITH_CHAIN) == dumped(tmp_path / "fresh.db", WITH_CHAIN)
