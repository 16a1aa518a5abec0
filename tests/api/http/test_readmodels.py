"""Reading the read models beside everything else that needs a thread."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from api.http.readmodels import ReadModels
from projections import read
from projections.read import Asked, MatchFilter
from tests.api.gate.memory import MemoryStore

READERS = 40  # more than there are threads


def test_readers_who_wait_leave_threads_for_everybody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    models, ready = ReadModels(MemoryStore(), tmp_path), threading.Event()
    monkeypatch.setattr(models.runner, "wait", lambda position, seconds: ready.wait(10))

    async def work() -> list[int]:
        pages = [
            asyncio.create_task(models.ask(read.matches, MatchFilter(), Asked())) for _ in range(READERS)
        ]
        await asyncio.sleep(0)
        await asyncio.wait_for(asyncio.to_thread(ready.set), 5)
        return [len((await page).rows) for page in pages]

    try:
        assert asyncio.run(work()) == [0] * READERS
    finally:
        models.close()
