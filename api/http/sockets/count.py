"""The sockets that are open: how many each visitor has, and their common end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from api.http.limits import AtOnce


class Sockets(AtOnce):
    """All of one server; `most` is how many one visitor may have."""

    def __init__(self, most: int) -> None:
        super().__init__(most)
        self._ends: dict[asyncio.Task[None], Callable[[], None]] = {}

    @contextmanager
    def told(self, end: Callable[[], None]) -> Iterator[None]:
        """Meanwhile the task that is running serves a socket, which `end` asks to come to its end."""
        task = asyncio.current_task()
        assert task is not None, "a socket is served by a task"
        self._ends[task] = end
        try:
            yield
        finally:
            del self._ends[task]

    async def stop(self, seconds: float) -> None:
        """Ask all to end, and wait for them, but no longer than this."""
        for end in self._ends.values():
            end()
        if self._ends:
            await asyncio.wait(tuple(self._ends), timeout=seconds)
