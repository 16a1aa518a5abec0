"""`ops/learn.py` trains, writes its weights, and measures what it has learnt."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np

from tests.test_imports import ROOT


def test_a_short_training_writes_weights_and_measures_them(tmp_path: Path) -> None:
    weights = tmp_path / "agent.npz"
    done = subprocess.run(
        [
            *(sys.executable, ROOT / "ops" / "learn.py", "--minutes", "0"),
            *("--matches", "6", "--easy", "1", "--out", weights),
        ],
        env={"PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    told = done.stdout.splitlines()
    assert len(told) == 3
    assert re.search(r", 64 matches; against random: [\d.]+ of 6, 95 % interval", told[0])
    assert re.match(r"against random: [\d.]+ of 6, 95 % interval", told[1])
    assert re.match(r"against easy: [\d.]+ of 1, 95 % interval", told[2])
    with np.load(weights) as learnt:
        assert all(np.isfinite(learnt[name]).all() for name in learnt)
        assert learnt["b"].any(), "the hidden layer has learnt nothing"
