"""Where several processes write one store: the matches at hand follow what the others commit.

Whoever asks for a match gets all that was committed before, so each question reads on in the store first.
Whoever follows one is told as soon as the store tells of a commit.
"""

from __future__ import annotations

import asyncio
import logging

from api.gate.desks import Desk, Desks
from api.gate.house import House
from api.store.seam import Store, StoreError
from domain.log import Damaged

_log = logging.getLogger("glasnost.gate")


class Following:
    """Keeps the matches at hand in step with a shared store.

    Args:
        store: where other processes may write.
        desks: the matches at hand.
        house: its bots go on where those of another process do not.
    """

    def __init__(self, store: Store, desks: Desks, house: House) -> None:
        self._store, self._desks, self._house = store, desks, house
        self._tasks: set[asyncio.Task[None]] = set()
        self._stopping = False

    def start(self) -> None:
        """Hear of commits from now on."""
        if not self._store.shared:
            return
        loop = asyncio.get_running_loop()

        def told(match: str, position: int) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(self._hear, match, position)

        self._store.watch(told)

    async def catch_up(self, desk: Desk) -> None:
        """Take in what is committed by now."""
        await self._desks.catch_up(desk)
        self._house.mind(desk)

    async def stop(self) -> None:
        """Hear of nothing more."""
        self._stopping = True
        while self._tasks:
            await asyncio.wait(self._tasks)

    def _hear(self, match: str, position: int) -> None:
        desk = self._desks.peek(match)
        if desk is not None and desk.position < position and not self._stopping:
            task = asyncio.create_task(self._follow(desk))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _follow(self, desk: Desk) -> None:
        try:
            await self.catch_up(desk)
        except (StoreError, Damaged) as error:  # whoever asks for the match is told
            _log.warning("a match is not followed", extra={"reason": type(error).__name__})
