"""Who is asking: tokens (only their hashes are held), roles, and tickets for streams."""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from collections import OrderedDict
from collections.abc import Callable

from msgspec import Struct
from starlette.requests import Request

from api.http.limits import Buckets
from api.http.negotiation import bearer
from api.http.problems import Failed
from api.store.seam import People, Person
from domain.history import Chair

_KNOWN = 10_000  # tokens held in memory
_KNOWN_SECONDS = 60.0  # then the store is asked again: a token may have been revoked
_TICKETS = 10_000  # at once, of all players
_CHALLENGE = {"www-authenticate": "Bearer"}


class Visitor(Struct, frozen=True):
    """Somebody who asks: `holder` is the hash of his token, or his address where he has none."""

    person: Person | None
    holder: str

    @property
    def player(self) -> str | None:
        """His id."""
        return self.person.id if self.person else None


class Tokens:
    """Whose token is it?  Asks the store, and remembers for a while.

    Args:
        people: the store's people.
        limit: how often an address may show a token that must be looked up.
        clock: seconds that never run backwards.
    """

    def __init__(self, people: People, limit: Buckets, clock: Callable[[], float]) -> None:
        self._people, self._limit, self._clock = people, limit, clock
        self._known: OrderedDict[str, tuple[float, Person]] = OrderedDict()

    async def visitor(self, request: Request) -> Visitor:
        """Who sends this request.

        Raises:
            Failed: unauthorized, where there is a token and it is not a good one.
        """
        header = request.headers.get("authorization")
        if header is None:
            return Visitor(None, f"address {address(request)}")
        token = bearer(header)
        if token is None:
            raise Failed("unauthorized", "the header is: Authorization: Bearer TOKEN", _CHALLENGE)
        holder = hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        now = self._clock()
        kept = self._known.get(holder)
        if kept and now - kept[0] < _KNOWN_SECONDS:
            return Visitor(kept[1], holder)
        self._limit.take(address(request))
        return Visitor(await self._looked_up(holder, token, now), holder)

    async def _looked_up(self, holder: str, token: str, now: float) -> Person:
        person = await asyncio.to_thread(self._people.by_token, token)
        if person is None:
            self._known.pop(holder, None)
            raise Failed("unauthorized", "this token is not known here", _CHALLENGE)
        self._known[holder] = (now, person)
        self._known.move_to_end(holder)
        if len(self._known) > _KNOWN:
            self._known.popitem(last=False)
        return person


class Admission(Struct):
    """What a ticket opens: one match's stream, as one viewer; `until` on the tickets' clock."""

    match: str
    viewer: Chair | None
    holder: str
    until: float
    streams: int = 0


class Tickets:
    """Tickets for a browser's EventSource, which cannot send a token: short-lived, for one stream only.

    A stream that is open keeps its ticket alive, so that the browser can connect again by itself.

    Args:
        seconds: how long a ticket lives.
        clock: seconds that never run backwards.
    """

    def __init__(self, seconds: int, clock: Callable[[], float]) -> None:
        self._seconds, self._clock = seconds, clock
        self._given: OrderedDict[str, Admission] = OrderedDict()

    def give(self, match: str, viewer: Chair | None, holder: str) -> str:
        """A new ticket."""
        self._clear()
        ticket = secrets.token_urlsafe(24)
        self._given[_hash(ticket)] = Admission(match, viewer, holder, self._clock() + self._seconds)
        return ticket

    def admit(self, ticket: str, match: str) -> Admission:
        """What the ticket opens.

        Raises:
            Failed: unauthorized.
        """
        found = self._given.get(_hash(ticket))
        if found is None or found.match != match or self._over(found):
            raise Failed("unauthorized", "this ticket is not, or no longer, good for this stream", _CHALLENGE)
        return found

    def opened(self, admission: Admission) -> None:
        """A stream begins."""
        admission.streams += 1

    def ended(self, admission: Admission) -> None:
        """A stream ends; for a while the ticket opens another one."""
        admission.streams -= 1
        admission.until = self._clock() + self._seconds

    def _over(self, admission: Admission) -> bool:
        return not admission.streams and self._clock() > admission.until

    def _clear(self) -> None:
        for name in [name for name, admission in self._given.items() if self._over(admission)]:
            del self._given[name]
        if len(self._given) >= _TICKETS:
            raise Failed("limit", "too many tickets are out", {"retry-after": str(self._seconds)})


def address(request: Request) -> str:
    """The address that a request comes from."""
    return request.client.host if request.client else "unknown"


def _hash(ticket: str) -> str:
    return hashlib.sha256(ticket.encode("utf-8", "surrogatepass")).hexdigest()
