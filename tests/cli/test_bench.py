"""`glasnost bench`: every benchmark runs, and prints a line for each claim with its floor."""

from __future__ import annotations

import os
import re

import pytest

from tests.cli.program import ROOT, Program, process
from tests.docs.glasnost import FORKS
from tests.services import forked
from tests.services.forked import Forked
from tests.services.forking import SCRIPT

# How many claims each prints in a quick run.
LINES = {
    "analysis": 1,
    "bots": 1,
    "catchup": 7,
    "connection": 2,
    "data": 17,
    "fanout": 1,
    "fold": 6,
    "fuzz": 6,
    "importing": 1,
    "late": 2,
    "log": 5,
    "memory": 3,
    "position": 10,
    "pushed": 6,
    "queries": 7,
    "questions": 4,
    "rebuild": 2,
    "research": 4,
    "serving": 3,
    "size": 12,
    "sockets": 2,
    "sql": 6,
    "store": 3,
    "thinking": 4,
    "tournaments": 6,
    "verify": 9,
    "web": 7,
    "workers": 1,
}

# What the first line of some must say besides.
SAID = {
    "analysis": r"claim: at most 60 s",
    "bots": r"ms a decision \(p99 [\d.]+, most [\d.]+ of \d+\); CPU .*\(p99 [\d.]+, most [\d.]+ of \d+\)",
}


def test_the_benchmarks_are_listed(glasnost: Program) -> None:
    assert glasnost("bench", "--list").ok().out.split() == sorted(LINES)


@pytest.mark.parametrize("name", LINES)
def test_a_benchmark_prints_its_claims_with_floor_and_ratio(name: str) -> None:
    lines = quick(name)
    assert len(lines) == LINES[name]
    for line in lines:
        assert "floor: " in line
        assert "ratio " in line
    assert re.search(SAID.get(name, ""), lines[0])


def quick(name: str) -> list[str]:
    """What a quick run prints.  The first benchmark is run by the command, the others by a fork server, which
    also starts their servers."""
    if name == next(iter(LINES)) or not forked.AVAILABLE:
        with process("bench", name, GLASNOST_BENCH="quick") as bench:
            out, err = bench.communicate(timeout=600)
        assert (bench.returncode, err) == (0, "")
        return out.splitlines()
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "GLASNOST_BENCH": "quick", FORKS: forked.server()}
    running = Forked(SCRIPT, str(ROOT / "ops" / "bench" / f"{name}.py"), environment=environment)
    said, told = running.communicate()
    assert (running.returncode, told) == (0, b"")
    return said.decode().splitlines()


def test_an_unknown_benchmark_is_refused(glasnost: Program) -> None:
    glasnost("bench", "nonsense").refused(2, "no benchmark 'nonsense'", "fold, fuzz")
