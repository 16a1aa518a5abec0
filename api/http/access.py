"""Who is asking: tokens (only their hashes are held) and roles."""

from __future__ import annotations

import asyncio
import hashlib
import ipaddress
from collections import OrderedDict, deque
from collections.abc import Callable, MutableMapping
from contextlib import suppress
from functools import lru_cache
from typing import TypeVar

from msgspec import Struct
from starlette.requests import HTTPConnection

from api.http.limits import Buckets
from api.http.negotiation import bearer
from api.http.problems import Failed
from api.store.seam import People, Person, StoreError

_KNOWN = 10_000  # tokens held in memory
_KNOWN_SECONDS = 60.0  # then the store is asked again: a token may have been revoked
CHALLENGE = {"www-authenticate": "Bearer"}
NO_TOKEN = "address "  # how the holder of somebody without a token begins

T = TypeVar("T")


class Visitor(Struct, frozen=True):
    """Somebody who asks: `holder` is the hash of his token, or his address where he has none."""

    person: Person | None
    holder: str

    @property
    def player(self) -> str | None:
        """His id."""
        return self.person.id if self.person else None


class Changes:
    """Who was changed, by whichever process, since somebody looked: what is remembered of them is no longer
    true.  It is told from any thread.

    Args:
        people: the store's people.
    """

    def __init__(self, people: People) -> None:
        self._heard: deque[str] = deque()
        self.count = 0
        people.watch(self._hear)

    def _hear(self, player: str) -> None:
        self.count += 1
        self._heard.append(player)

    def drop_from(self, known: MutableMapping[str, T], owner: Callable[[str, T], str]) -> None:
        """Drop what is no longer true; `owner` says of which person an entry tells."""
        while self._heard:
            player = self._heard.popleft()
            for name in [name for name, kept in known.items() if player in ("", owner(name, kept))]:
                del known[name]


class Tokens:
    """Whose token is it?  Asks the store, and remembers for a while; a token that was revoked is forgotten
    at once.

    Args:
        people: the store's people.
        limit: how often an address may show a token that must be looked up.
        clock: seconds that never run backwards.
    """

    def __init__(self, people: People, limit: Buckets, clock: Callable[[], float]) -> None:
        self._people, self._limit, self._clock = people, limit, clock
        self._known: OrderedDict[str, tuple[float, Person]] = OrderedDict()
        self._changes = Changes(people)

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
            return Visitor(None, f"{NO_TOKEN}{shown_by}")
        holder = hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        kept = self._kept(holder)
        if kept is not None:
            return Visitor(kept, holder)
        self._limit.take(shown_by)
        return Visitor(await self._looked_up(holder, lambda: self._people.by_token(token)), holder)

    async def check(self, holder: str) -> None:
        """See whether what was opened with a token may go on: `holder` is that of the visitor who opened it.
        While the store is away, it may.

        Raises:
            Failed: unauthorized.
        """
        if not holder.startswith(NO_TOKEN) and self._kept(holder) is None:
            with suppress(StoreError):
                await self._looked_up(holder, lambda: self._people.by_holder(holder))

    async def is_good(self, holder: str) -> bool:
        """The same as a question."""
        try:
            await self.check(holder)
        except Failed:
            return False
        return True

    def _kept(self, holder: str) -> Person | None:
        """Whose token it is, as far as that is remembered."""
        self._changes.drop_from(self._known, lambda _, kept: kept[1].id)
        kept = self._known.get(holder)
        return kept[1] if kept and self._clock() - kept[0] < _KNOWN_SECONDS else None

    async def _looked_up(self, holder: str, ask: Callable[[], Person | None]) -> Person:
        now, changes = self._clock(), self._changes.count
        person = await asyncio.to_thread(ask)
        if person is None:
            self._known.pop(holder, None)
            raise Failed("unauthorized", "this token is not known here", CHALLENGE)
        if changes == self._changes.count:  # else it may be revoked already
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
