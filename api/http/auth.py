"""Authentication: tokens and sessions (only their hashes are held), roles, and tickets for streams."""

from __future__ import annotations

import asyncio
import hashlib
import ipaddress
import secrets
from collections import OrderedDict, deque
from collections.abc import Callable, MutableMapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Protocol, TypeVar

import msgspec
from cachetools import FIFOCache
from msgspec import Struct
from starlette.requests import HTTPConnection
from starlette.types import Scope

from api.bus.redis_client import Away
from api.http.decoding import CHALLENGE, bearer_of
from api.http.rate_limits import Buckets
from api.http.sessions import SECRET
from api.store.interface import People, Person, SessionBounds, StoreError
from domain.kernel import Refused
from domain.match_base import Chair

_KNOWN = 10_000  # tokens held in memory
_KNOWN_SECONDS = 60.0  # then the store is asked again: a token may have been revoked
IN_SESSION = "session "  # the prefix of the holder of a client that is signed in by a cookie
_DIGITS = 32  # of a hash in the name of a holder
NO_TOKEN = "address "  # the prefix of the holder of a client without a token

T = TypeVar("T")


class Visitor(Struct, frozen=True):
    """A client.

    holder: the hash of its token or session, or its address if it has neither.
    session: the id of its session; "" if it is not signed in by a cookie.
    """

    person: Person | None
    holder: str
    session: str = ""

    @property
    def counted(self) -> str:
        """As whom limits count the client: a player is one, with any token or session."""
        return self.person.id if self.person else self.holder

    @property
    def owner(self) -> str:
        """Whose idempotency keys: those of a token, or of a player in any session."""
        return self.counted if self.session else self.holder

    @property
    def player(self) -> str | None:
        """The id of the player; None without a token."""
        return self.person.id if self.person else None


class Changes:
    """The players whose cached data is outdated because any process changed them.  The store reports them
    from any thread.

    Args:
        people: the store's people.
    """

    def __init__(self, people: People) -> None:
        self.heard: deque[str] = deque()  # those that `drop_from` has not dropped yet
        self.count = 0
        people.watch(self._hear)

    def _hear(self, player: str) -> None:
        self.count += 1
        self.heard.append(player)

    def drop_from(self, known: MutableMapping[str, T], owner: Callable[[str, T], str]) -> None:
        """Drop the outdated entries; `owner` returns the player of an entry."""
        while self.heard:
            player = self.heard.popleft()
            for name in [name for name, kept in known.items() if player in ("", owner(name, kept))]:
                del known[name]


class Tokens:
    """Finds the owner of a token or session: asks the store, and caches the answer for `_KNOWN_SECONDS`; one
    that is revoked is dropped at once.

    Args:
        people: the store's people.
        limit: how often an address may send a token or session that must be looked up.
        clock: seconds that never run backwards.
        now: the time in microseconds UTC.
        bounds: how long sessions last.
    """

    def __init__(
        self,
        people: People,
        limit: Buckets,
        clock: Callable[[], float],
        now: Callable[[], int],
        bounds: SessionBounds,
    ) -> None:
        self._people, self._limit, self._clock = people, limit, clock
        self._now, self._bounds = now, bounds
        self._known: FIFOCache[str, tuple[float, Visitor]] = FIFOCache(_KNOWN)
        self._changes = Changes(people)

    async def visitor(self, request: HTTPConnection) -> Visitor:
        """Return the visitor who sends this request: by the token or, without one, by the cookie.

        A cookie that does not count, or names no session, is ignored.

        Raises:
            Refused: unauthorized, if there is a token and it is not valid; limit.
        """
        token = bearer_of(request)
        if token is None and (secret := request.scope.get(SECRET)) is not None:
            return await self._signed_in(secret, address(request.scope))
        return await self.owner(token, address(request.scope))

    async def owner(self, token: str | None, shown_by: str) -> Visitor:
        """Return the visitor with this token (None: without one), whose request comes from `shown_by`.

        Raises:
            Refused: unauthorized; limit.
        """
        if token is None:
            return Visitor(None, f"{NO_TOKEN}{shown_by}")
        holder = _hash(token)[:_DIGITS]
        kept = self.cached(holder)
        if kept is not None:
            return kept
        self._limit.take(shown_by)
        return await self._looked_up(holder, lambda: _visitor(self._people.by_token(token), holder))

    async def _signed_in(self, secret: str, shown_by: str) -> Visitor:
        """The visitor with this session; one without a token if there is no such session."""
        holder = f"{IN_SESSION}{_hash(secret)[:_DIGITS]}"
        kept = self.cached(holder)
        if kept is not None:
            return kept
        self._limit.take(shown_by)
        try:
            return await self._looked_up(
                holder, lambda: self._in_session(holder, self._people.by_session, secret)
            )
        except Refused:
            return await self.owner(None, shown_by)

    async def still(self, visitor: Visitor) -> Visitor:
        """Return the current state of a visitor whose token was valid before, as the store has it.

        Raises:
            Refused: unauthorized, if the token is revoked.
        """
        return await self._looked_up(visitor.holder, lambda: self._by_holder(visitor.holder))

    async def check(self, holder: str) -> None:
        """Check that a stream or socket may stay open: `holder` is that of the visitor who opened it.
        If the store is not available, it may.

        Raises:
            Refused: unauthorized.
        """
        if not holder.startswith(NO_TOKEN) and self.cached(holder) is None:
            with suppress(StoreError):
                await self._looked_up(holder, lambda: self._by_holder(holder))

    async def is_good(self, holder: str) -> bool:
        """Return whether `check` passes."""
        try:
            await self.check(holder)
        except Refused:
            return False
        return True

    def _by_holder(self, holder: str) -> Visitor | None:
        if holder.startswith(IN_SESSION):
            digits = holder.removeprefix(IN_SESSION)
            return self._in_session(holder, self._people.by_session_holder, digits)
        return _visitor(self._people.by_holder(holder), holder)

    def _in_session(
        self,
        holder: str,
        find: Callable[[str, int, SessionBounds], tuple[Person, str] | None],
        what: str,
    ) -> Visitor | None:
        found = find(what, self._now(), self._bounds)
        return Visitor(found[0], holder, found[1]) if found else None

    def cached(self, holder: str) -> Visitor | None:
        """Return the cached owner of a token or session; None if it is not cached."""
        if self._changes.heard:
            self._changes.drop_from(self._known, lambda _, kept: kept[1].counted)
        try:
            since, visitor = self._known[holder]
        except KeyError:
            return None
        return visitor if self._clock() - since < _KNOWN_SECONDS else None

    async def _looked_up(self, holder: str, ask: Callable[[], Visitor | None]) -> Visitor:
        now, changes = self._clock(), self._changes.count
        visitor = await asyncio.to_thread(ask)
        if visitor is None:
            self._known.pop(holder, None)
            raise Refused("unauthorized", "unknown-token", headers=CHALLENGE)
        if changes == self._changes.count:  # else it may be revoked already
            self._known[holder] = (now, visitor)
        return visitor


def _visitor(person: Person | None, holder: str) -> Visitor | None:
    return Visitor(person, holder) if person else None


def address(scope: Scope) -> str:
    """Return the address that a request comes from, as `network` groups it."""
    client = scope.get("client")
    return network(str(client[0])) if client else "unknown"


@lru_cache(maxsize=4_096)
def network(host: str) -> str:
    """Return what counts as one client: an IPv4 address, or the /64 network of an IPv6 address."""
    try:
        found = ipaddress.ip_address(host)
    except ValueError:
        return host
    if found.version == 4:
        return str(found)
    return str(found.ipv4_mapped or ipaddress.IPv6Network((found.packed, 64), strict=False))


# ── Tickets: they open a stream without a token ──


_MOST = 10_000  # at once, of all players


class TicketContent(Struct, frozen=True):
    """The part of a ticket that the workers share."""

    match: str
    viewer: Chair | None
    holder: str
    counted: str = ""


class Admission(Struct):
    """What a ticket opens: one match's stream, as one viewer; `name` is its hash, `until` on its clock."""

    name: str
    content: TicketContent
    until: float
    streams: int = 0

    @property
    def viewer(self) -> Chair | None:
        """As whom."""
        return self.content.viewer

    @property
    def holder(self) -> str:
        """Whose token or session must be valid."""
        return self.content.holder

    @property
    def counted(self) -> str:
        """As whom the streams are counted."""
        return self.content.counted or self.content.holder


class SharedTickets(Protocol):
    """Where workers leave things for one another; see `api.bus.redis_client.TicketStore`."""

    async def put(self, tickets: dict[str, bytes], seconds: int) -> None:
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
        self._admissions: OrderedDict[str, Admission] = OrderedDict()
        self._shared: SharedTickets | None = None
        self._left: set[str] = set()  # of which a stream ended since they were renewed

    def share(self, shared: SharedTickets) -> None:
        """From now on a ticket is good at every worker that shares this shelf."""
        self._shared = shared

    async def give(self, match: str, viewer: Chair | None, holder: str, counted: str = "") -> str:
        """A new ticket.

        Args:
            holder: that of the visitor who asks for it.
            counted: as whom its streams are counted; "": as the holder.

        Raises:
            Refused: limit.
        """
        self._make_room()
        ticket = secrets.token_urlsafe(24)
        name, content = _hash(ticket), TicketContent(match, viewer, holder, counted)
        self._admissions[name] = Admission(name, content, self._clock() + self._seconds)
        with suppress(Away):  # then it is good here
            await self._tell([self._admissions[name]])
        return ticket

    async def admit(self, ticket: str, match: str) -> Admission:
        """What the ticket opens.

        Raises:
            Refused: unauthorized.
        """
        name = _hash(ticket)
        found = self._admissions.get(name)
        if found is None or self._over(found):
            found = await self._from_elsewhere(name)
        if found is None or found.content.match != match:
            raise Refused("unauthorized", "ticket-expired", headers=CHALLENGE)
        return found

    def opened(self, admission: Admission) -> None:
        """A stream begins."""
        admission.streams += 1
        self._admissions[admission.name] = admission  # it may have been thrown out a moment ago

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
        used = [one for one in self._admissions.values() if one.streams or one.name in self._left]
        await self._tell(used)
        self._left.clear()

    async def _tell(self, admissions: Sequence[Admission]) -> None:
        if self._shared is not None:
            sent = {one.name: msgspec.json.encode(one.content) for one in admissions}
            await self._shared.put(sent, self._seconds)

    async def _from_elsewhere(self, name: str) -> Admission | None:
        """The ticket of another worker, or one that lives on at another worker."""
        if self._shared is None:
            return None
        try:
            sent = await self._shared.get(name)
        except Away as error:
            raise Refused("unauthorized", "ticket-unchecked", headers=CHALLENGE) from error
        if sent is None:
            return None
        found = Admission(name, msgspec.json.decode(sent, type=TicketContent), self._clock())
        return self._admissions.setdefault(name, found)

    def _over(self, admission: Admission) -> bool:
        return not admission.streams and self._clock() > admission.until

    def _throw_out(self) -> None:
        for name in [name for name, admission in self._admissions.items() if self._over(admission)]:
            del self._admissions[name]
        self._left &= self._admissions.keys()

    def _make_room(self) -> None:
        """Where there are too many, the oldest without a stream gives way, so a caller who asks for
        more and more takes no place from others.
        """
        self._throw_out()
        if len(self._admissions) < _MOST:
            return
        idle = next((name for name, admission in self._admissions.items() if not admission.streams), None)
        if idle is None:
            raise Refused("limit", "too-many-tickets", headers={"retry-after": str(self._seconds)})
        del self._admissions[idle]


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
