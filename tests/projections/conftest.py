"""Workers that share a file of read models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from projections.sharing import SharedRunner
from tests.projections.support import STORE, FakeSource, Worker


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[Worker]:
    """Begins a worker that follows these logs; all of them share a folder."""
    running: list[SharedRunner] = []

    def begun(logs: Mapping[str, FakeSource]) -> SharedRunner:
        running.append(SharedRunner(logs, tmp_path, STORE))
        running[-1].start()
        return running[-1]

    yield begun
    for one in running:
        one.stop()
