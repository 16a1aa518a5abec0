"""What other threads tell the loop: all that came meanwhile in one call.

A commit makes a whole group of appends durable at once, and news of commits come in groups, too.  Waking the
loop for each of them, as `asyncio.wrap_future` does, would cost as much as judging some of the moves.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from functools import partial
from typing import Any, Generic, TypeVar

T = TypeVar("T")
_Loop = asyncio.AbstractEventLoop
_Pair = tuple[asyncio.Future[Any], Future[Any]]


class Inbox(Generic[T]):
    """What came from other threads and is to be taken in on the loop, in order.

    Args:
        take: takes in one of it, and does not fail.
    """

    def __init__(self, take: Callable[[T], None]) -> None:
        self._take = take
        self._came: deque[T] = deque()
        self._called = False

    def put(self, loop: _Loop, thing: T) -> None:
        """In another thread: the loop is called unless it is called already; a closed one hears nothing."""
        if loop.is_closed():
            return
        self._came.append(thing)
        if not self._called:
            self._called = True
            loop.call_soon_threadsafe(self._deliver)

    def _deliver(self) -> None:
        """On the loop: what comes from now on calls it again."""
        self._called = False
        while self._came:
            self._take(self._came.popleft())


class Arrivals:
    """Where coroutines wait for what another thread does."""

    def __init__(self) -> None:
        self._inbox: Inbox[_Pair] = Inbox(_settle)

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

    def _come(self, loop: _Loop, waiting: asyncio.Future[T], future: Future[T]) -> None:
        self._inbox.put(loop, (waiting, future))


def _settle(pair: _Pair) -> None:
    waiting, future = pair
    if waiting.done():
        return
    try:
        waiting.set_result(future.result())
    except CancelledError:
        return
    except Exception as error:
        waiting.set_exception(error)
