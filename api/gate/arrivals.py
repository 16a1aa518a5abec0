"""Results from a store's thread on their way to the loop: all that came meanwhile in one call.

A commit makes a whole group of appends durable at once.  Waking the loop for each of them, as
`asyncio.wrap_future` does, would cost as much as judging some of the moves.
"""

from __future__ import annotations

import asyncio
from collections import deque
from concurrent.futures import CancelledError, Future
from functools import partial
from typing import Any, TypeVar

T = TypeVar("T")
_Pair = tuple[asyncio.Future[Any], Future[Any]]


class Arrivals:
    """Where coroutines wait for what another thread does."""

    def __init__(self) -> None:
        self._came: deque[_Pair] = deque()
        self._called = False

    async def of(self, future: Future[T]) -> T:
        """The result of a future of another thread.  Whoever is cancelled meanwhile cancels it, too."""
        loop = asyncio.get_running_loop()
        waiting: asyncio.Future[T] = loop.create_future()
        future.add_done_callback(partial(self._come, loop, waiting))
        try:
            return await waiting
        except asyncio.CancelledError:
            future.cancel()
            raise

    def _come(self, loop: asyncio.AbstractEventLoop, waiting: asyncio.Future[T], future: Future[T]) -> None:
        """In the other thread: the loop is called unless it is called already."""
        self._came.append((waiting, future))
        if not self._called and not loop.is_closed():
            self._called = True
            loop.call_soon_threadsafe(self._deliver)

    def _deliver(self) -> None:
        """On the loop: what comes from now on calls it again."""
        self._called = False
        while self._came:
            waiting, future = self._came.popleft()
            if waiting.done():
                continue
            try:
                waiting.set_result(future.result())
            except CancelledError:
                continue
            except Exception as error:
                waiting.set_exception(error)
