"""Who is asking: tokens (only their hashes are held) and roles."""

from __future__ import annotations

import asyncio
import hashlib
import ipaddress
from collections import OrderedDict
from collections.abc import Callable
from functools import lru_cache

from msgspec import Struct
from starlette.requests import HTTPConnection

from api.http.limits import Buckets
from api.http.negotiation import bearer
from api.http.problems import Failed
from api.store.seam import People, Person

_KNOWN = 10_000  # tokens held in memory
_KNOWN_SECONDS = 60.0  # then the store is asked again: a token may have been revoked
CHALLENGE = {"www-authenticate": "Bearer"}


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

    async def visitor(self, request: HTTPConnection) -> Visitor:
        """Who sends this request.

        Raises:
            Failed: unauthorized, where there is a token and it is not a good one.
        """
        return await self.owner(shown(request), address(request))

    async def owner(self, token: str | None, shown_by: str) -> Visitor:
        """Whose token this is, shown by somebody at this address; None: he has none.

        Raises:
            Failed: unauthorized.
        """
        if token is None:
            return Visitor(None, f"address {shown_by}")
        holder = hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        now = self._clock()
        kept = self._known.get(holder)
        if kept and now - kept[0] < _KNOWN_SECONDS:
            return Visitor(kept[1], holder)
        self._limit.take(shown_by)
        return Visitor(await self._looked_up(holder, token, now), holder)

    async def _looked_up(self, holder: str, token: str, now: float) -> Person:
        person = await asyncio.to_thread(self._people.by_token, token)
        if person is None:
            self._known.pop(holder, None)
            raise Failed("unauthorized", "this token is not known here", CHALLENGE)
        self._known[holder] = (now, person)
        self._known.move_to_end(holder)
        if len(self._known) > _KNOWN:
            self._known.popitem(last=False)
        return person


def shown(request: HTTPConnection) -> str | None:
    """The token that a request shows; None where it shows none.

    Raises:
        Failed: unauthorized, where the header holds none.
    """
    header = request.headers.get("authorization")
    token = bearer(header) if header is not None else None
    if header is not None and token is None:
        raise Failed("unauthorized", "the header is: Authorization: Bearer TOKEN", CHALLENGE)
    return token


def address(request: HTTPConnection) -> str:
    """The address that a request comes from."""
    client = request.scope.get("client")
    return network(str(client[0])) if client else "unknown"


@lru_cache(maxsize=4_096)
def network(host: str) -> str:
    """What counts as one visitor: of an IPv6 address its /64, for whoever has one has all of that."""
    try:
        found = ipaddress.ip_address(host)
    except ValueError:
        return host
    if found.version == 4:
        return str(found)
    return str(found.ipv4_mapped or ipaddress.IPv6Network((found.packed, 64), strict=False))
