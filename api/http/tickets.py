"""Tickets for streams: who may open one without showing a token."""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Protocol

import msgspec
from msgspec import Struct

from api.bus.link import Away
from api.http.access import CHALLENGE
from api.http.problems import Failed
from domain.outline import Chair

_MOST = 10_000  # at once, of all players


class Voucher(Struct, frozen=True):
    """What the other workers are told of a ticket."""

    match: str
    viewer: Chair | None
    holder: str


class Admission(Struct):
    """What a ticket opens: one match's stream, as one viewer; `name` is its hash, `until` on its clock."""

    name: str
    voucher: Voucher
    until: float
    streams: int = 0

    @property
    def viewer(self) -> Chair | None:
        """As whom."""
        return self.voucher.viewer

    @property
    def holder(self) -> str:
        """Whose streams are counted."""
        return self.voucher.holder


class Shelf(Protocol):
    """Where workers leave things for one another; see `api.bus.vouchers.Vouchers`."""

    async def put(self, vouchers: dict[str, bytes], seconds: int) -> None:
        """Keep these, by name, for so long.  Raises Away."""

    async def get(self, name: str) -> bytes | None:
        """What lies under a name.  Raises Away."""


class Tickets:
    """Tickets for a browser's EventSource, which cannot send a token: short-lived, for one stream only.

    A stream that is open keeps its ticket alive, so that the browser can connect again by itself.  Where
    workers share their tickets, each asks itself first; without the others it knows its own.

    Args:
        seconds: how long a ticket lives.
        clock: seconds that never run backwards.
    """

    def __init__(self, seconds: int, clock: Callable[[], float]) -> None:
        self._seconds, self._clock = seconds, clock
        self._given: OrderedDict[str, Admission] = OrderedDict()
        self._shelf: Shelf | None = None
        self._left: set[str] = set()  # of which a stream ended since they were renewed

    def share(self, shelf: Shelf) -> None:
        """From now on a ticket is good at every worker that shares this shelf."""
        self._shelf = shelf

    async def give(self, match: str, viewer: Chair | None, holder: str) -> str:
        """A new ticket.

        Raises:
            Failed: limit.
        """
        self._make_room()
        ticket = secrets.token_urlsafe(24)
        name, voucher = _hash(ticket), Voucher(match, viewer, holder)
        self._given[name] = Admission(name, voucher, self._clock() + self._seconds)
        with suppress(Away):  # then it is good here
            await self._tell([self._given[name]])
        return ticket

    async def admit(self, ticket: str, match: str) -> Admission:
        """What the ticket opens.

        Raises:
            Failed: unauthorized.
        """
        name = _hash(ticket)
        found = self._given.get(name)
        if found is None or self._over(found):
            found = await self._from_elsewhere(name)
        if found is None or found.voucher.match != match:
            raise Failed("unauthorized", "this ticket is not, or no longer, good for this stream", CHALLENGE)
        return found

    def opened(self, admission: Admission) -> None:
        """A stream begins."""
        admission.streams += 1
        self._given[admission.name] = admission  # it may have been thrown out a moment ago

    def ended(self, admission: Admission) -> None:
        """A stream ends; for a while the ticket opens another one."""
        admission.streams -= 1
        admission.until = self._clock() + self._seconds
        self._left.add(admission.name)

    async def stay(self) -> None:
        """Keep the tickets of open streams alive at the other workers, for ever."""
        while True:
            await asyncio.sleep(self._seconds / 3)
            with suppress(Away):
                await self.renew()

    async def renew(self) -> None:
        """Tell the other workers of the tickets that were used since, or still are.

        Raises:
            Away.
        """
        self._throw_out()
        used = [one for one in self._given.values() if one.streams or one.name in self._left]
        await self._tell(used)
        self._left.clear()

    async def _tell(self, admissions: Sequence[Admission]) -> None:
        if self._shelf is not None:
            told = {one.name: msgspec.json.encode(one.voucher) for one in admissions}
            await self._shelf.put(told, self._seconds)

    async def _from_elsewhere(self, name: str) -> Admission | None:
        """The ticket of another worker, or one that lives on at another worker."""
        if self._shelf is None:
            return None
        try:
            told = await self._shelf.get(name)
        except Away as error:
            raise Failed(
                "unauthorized", "this ticket cannot be looked up just now; ask for a new one", CHALLENGE
            ) from error
        if told is None:
            return None
        found = Admission(name, msgspec.json.decode(told, type=Voucher), self._clock())
        return self._given.setdefault(name, found)

    def _over(self, admission: Admission) -> bool:
        return not admission.streams and self._clock() > admission.until

    def _throw_out(self) -> None:
        for name in [name for name, admission in self._given.items() if self._over(admission)]:
            del self._given[name]
        self._left &= self._given.keys()

    def _make_room(self) -> None:
        """Where there are too many, the oldest without a stream gives way: whoever asks for more and more
        keeps nobody from his.
        """
        self._throw_out()
        if len(self._given) < _MOST:
            return
        idle = next((name for name, admission in self._given.items() if not admission.streams), None)
        if idle is None:
            raise Failed("limit", "too many tickets are out", {"retry-after": str(self._seconds)})
        del self._given[idle]


def _hash(ticket: str) -> str:
    return hashlib.sha256(ticket.encode("utf-8", "surrogatepass")).hexdigest()
