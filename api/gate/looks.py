"""Looks into a store that others write, too: what is stored since of the matches at hand.

Each look sees everything that was committed before it was asked for.  Those that wait at the same time are
one question, which costs little more than one look alone; a question that was sent takes in no other look.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from api.gate.desks import forget
from api.store.seam import Log, Store
from domain.log import Damaged, Record

_PATIENCE = 0.1  # seconds for which a question waits for the one before it, which may hang

_Found = Mapping[str, list[Record]]


class Looks:
    """Asks a store what the matches at hand lack.

    Args:
        store: it is read in threads.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._question: _Question | None = None  # the latest

    async def since(self, match: str, move: int) -> list[Record]:
        """The stored records of a match after its move `move`: all that were committed by now.

        Raises:
            StoreError: the store cannot be read.
            Damaged: these are not the bytes of moves.
        """
        question = self._question
        if question is None or question.is_sent:
            question = self._question = _Question(self._store, question)
        try:
            found = await question.answer(match, move)
        except Damaged:  # of which match, only a question about it alone can tell
            return await asyncio.to_thread(self._store.since, match, move)
        return [record for record in found if record.move > move]


class _Question:
    """One question to the log, asked when the one before it is answered.

    Args:
        log: it is asked.
        before: the question before this one.
    """

    def __init__(self, log: Log, before: _Question | None) -> None:
        self._log, self._moves = log, dict[str, int]()
        self.is_sent = False
        asking = self._ask(before._task if before else None)
        self._task: asyncio.Task[_Found] = asyncio.create_task(asking)
        self._task.add_done_callback(forget)

    async def answer(self, match: str, move: int) -> list[Record]:
        """The records of a match after a move, and maybe some before it; only until it is sent."""
        self._moves[match] = min(move, self._moves.get(match, move))
        return (await asyncio.shield(self._task))[match]

    async def _ask(self, before: asyncio.Task[_Found] | None) -> _Found:
        if before is not None and not before.done():
            await asyncio.wait((before,), timeout=_PATIENCE)
        self.is_sent = True
        return await asyncio.to_thread(self._log.since_each, self._moves)
