"""How a command is carried out: judged on the committed match, made durable, and only then answered.

Whoever gives a command may go away, and it is carried out all the same.  A refusal changes nothing and is
kept (`api.gate.refusals`).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from msgspec.structs import asdict, replace

from api.gate.commits import Commits
from api.gate.desks import Desk, Desks
from api.gate.house import House
from api.gate.orders import Accepted, Order, last_own, recalled, remembered, seat_if_any, settled
from api.gate.refusals import UNTOLD, Denied, Refusal, Refusals
from api.store.seam import Conflict, StoreError
from domain.drafting import Refused
from domain.outline import Outline

_log = logging.getLogger("glasnost.gate")


class Carrier:
    """Carries out commands, one at a time for each match.

    Args:
        commits: makes what a command leads to durable.
        desks: the matches at hand.
        house: its bots answer after each command.
        refusals: the record of what was refused.
    """

    def __init__(self, commits: Commits, desks: Desks, house: House, refusals: Refusals) -> None:
        self._commits, self._desks, self._house, self._refusals = commits, desks, house, refusals
        self._store = commits.store
        self._tasks: set[asyncio.Task[Accepted]] = set()

    async def desk(self, match: str) -> Desk:
        """The desk of a match, with the state as this process knows it.

        Raises:
            Denied: unknown-match, withdrawn.
        """
        desk = self._desks.at_hand(match)
        if desk is None:
            desk = await self._desks.get(match)
            if desk is None:
                raise Denied("unknown-match", "there is no such match", match=match)
            if not self._store.shared:
                self._house.wake(desk)
        await self.must_be_shown(desk.match)
        return desk

    async def must_be_shown(self, match: Outline) -> None:
        """An uploaded match may have been withdrawn, at whichever worker.  Raises Denied: withdrawn."""
        if match.proof is None:
            return
        found = await asyncio.to_thread(self._store.uploads.withdrawal, match.id)
        if found is not None:
            day = datetime.fromtimestamp(found.at / 1_000_000, UTC)
            raise Denied("withdrawn", f"withdrawn on {day:%Y-%m-%d}: {found.reason}", match=match.id)

    async def command(self, order: Order) -> Accepted:
        """Carry out a command to a stored match.  Raises Denied."""
        return await self.carry(order, self._carried_out(order))

    async def carry(self, order: Order, work: Coroutine[Any, Any, Accepted]) -> Accepted:
        """Carry on to the end even if the caller goes away; keep a refusal in the record."""
        task = asyncio.create_task(self._noted(order, work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            task.add_done_callback(_unheard)
            raise

    async def _noted(self, order: Order, work: Coroutine[Any, Any, Accepted]) -> Accepted:
        try:
            accepted = await work
        except Denied as error:
            if order.player is not None or error.kind != "exists":  # the house itself asks for what is there
                self._refusals.keep(refusal := self._refusal(order, error))
                _log.info("refused", extra=asdict(refusal))
            raise
        self._commits.counts.commands[order.command] += 1
        if _log.isEnabledFor(logging.INFO):
            who = {"match": accepted.desk.match.id, "player": order.player, "seat": accepted.seat}
            _log.info(order.command, extra={**who, "first": accepted.first, "last": accepted.last})
        return accepted

    async def opened_before(self, order: Order) -> Accepted | None:
        """The match that was opened with this key before, if any."""
        desk = await self._desks.get(order.match) if order.key else None
        if desk is None:
            return None
        with desk.used():
            async with desk.lock:  # what a command under way has stored it takes in itself
                return await self._known(desk, order)

    async def finish(self) -> None:
        """Answer everybody who waits."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def _carried_out(self, order: Order) -> Accepted:
        desk = await self.desk(order.match)
        with desk.used():
            async with desk.lock:
                accepted = await self._judged_twice(desk, order)
                if accepted.settled:  # it was answered before
                    return accepted
                await self._house.answer(desk)
                return replace(accepted, settled=settled(desk.match, accepted.last))

    async def _known(self, desk: Desk, order: Order) -> Accepted | None:
        """The answer that this key got before, if any.  Raises Denied: key-reused, unavailable."""
        if order.key is None:
            return None
        try:
            known = await asyncio.to_thread(self._store.remembered, order.key.scope, order.key.key)
        except StoreError as error:
            raise Denied("unavailable", str(error), match=order.match) from error
        if known is None:
            return None
        if known.body != order.key.body:
            raise Denied("key-reused", "this key was used with another request", match=order.match)
        if self._store.shared:
            await self._desks.read_on(desk)
        return recalled(known, desk)

    async def _judged_twice(self, desk: Desk, order: Order) -> Accepted:
        """Judge and commit; once more on the stored state, where this process was behind."""
        try:
            return await self._judged_or_known(desk, order)
        except Conflict:
            await self._desks.refresh(desk)
        except Denied as error:
            if not self._store.shared or error.kind in UNTOLD or not await self._desks.read_on(desk):
                raise
        try:
            return await self._judged_or_known(desk, order)
        except Conflict as error:
            raise Denied("conflict", "somebody else was faster; look again", match=order.match) from error

    async def _judged_or_known(self, desk: Desk, order: Order) -> Accepted:
        """Judge and commit; where that is refused, give the answer that the key got before, if any.

        Nobody looks for a key before: most are new, and one that is taken refuses the append (`Conflict`).
        """
        try:
            return await self._judged(desk, order)
        except (Conflict, Denied) as refused:
            in_doubt = isinstance(refused, Denied) and refused.kind == "in-doubt"
            known = None if in_doubt else await self._known(desk, order)
            if known is None:
                raise
            return known

    async def _judged(self, desk: Desk, order: Order) -> Accepted:
        seat = order.seat or seat_if_any(desk.match, order.player)
        reservations = await order.look() if order.look else None
        try:
            draft = order.judge(desk.match, self._commits.context(desk), seat)
        except Refused as error:
            raise Denied(
                error.kind,
                error.detail,
                rule=error.rule,
                legal=error.legal,
                match=order.match,
                seat=seat,
                chair=desk.match.chair_of(seat) if seat else None,
                expect=order.expect,
                fault=error.fault,
            ) from error
        form = order.key.form if order.key else ""
        accepted = Accepted(desk, seat, draft.records[0].move, last_own(draft), 0, form)
        await self._commits.commit(desk, draft, remembered(order.key, accepted), reservations)
        return accepted

    def _refusal(self, order: Order, error: Denied) -> Refusal:
        desk = self._desks.at_hand(order.match)
        where, move = (desk.match.id, desk.match.move) if desk else (None, None)
        return Refusal(
            self._commits.clock() or 0, error.kind, order.command, where, order.player, error.seat, move
        )


def _unheard(task: asyncio.Task[Accepted]) -> None:
    """Whoever would have been told of a refusal is gone."""
    with suppress(Denied, StoreError, asyncio.CancelledError):
        task.result()
