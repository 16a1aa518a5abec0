"""Limits of connections: how many there may be, in all and for each address, and which one is closed first.

A process can open a limited number of files, and a connection costs the client nothing.  So there is a limit
for all connections, and one for each address.  If one of them is reached, the connection that has waited
longest for its client is closed: first the idle ones, then those with incomplete headers, then those with an
incomplete body.  Nothing of such a request was carried out.  If all of them are busy, a new connection gets
one of a few spare places, in which only the health of the server is answered.
"""

from __future__ import annotations

import ipaddress
import resource
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Protocol

from api.http.auth import network

IDLE, HEAD, BODY, SENDING = range(4)  # what a connection waits for, in the order in which they are closed
ADDRESS, FULL, ROOM = "address", "full", "room"  # why one was closed; the others are in `SLOW`
SLOW = {HEAD: "slow-head", BODY: "slow-body"}
SPARE = 32  # connections beyond the limit, on which only `HEALTH` is answered
SPARE_EACH = 4  # of one address
HEALTH = (b"/healthz", b"/readyz", b"/metrics")
_THIS_MACHINE = ["127.0.0.1", "::1"]  # where the proxy that is trusted is, unless a setting says otherwise
_OWN = 128  # descriptors for the store, its read models and Redis: PostgreSQL with a replica takes 50


class Held(Protocol):
    """A connection that holds a place."""

    @property
    def sending(self) -> bool:
        """Are there bytes that the client has not received yet?"""

    def hang_up(self) -> None:
        """Close it, now."""


class ConnectionSlot:
    """The place of one connection.

    `address` is None where it is a proxy's.  `waits`: for what of its other side; None while it is served.
    `refusal`: why it is a spare place, else empty.
    """

    __slots__ = ("address", "held", "is_left", "refusal", "waits")

    def __init__(self, address: str | None, held: Held) -> None:
        self.address, self.held = address, held
        self.waits: int | None = IDLE
        self.refusal, self.is_left = "", False


class _Group:
    """Connections that are counted together, and those that wait, the longest first."""

    def __init__(self) -> None:
        self.count = 0
        self.waiting: tuple[OrderedDict[ConnectionSlot, None], ...] = tuple(
            OrderedDict() for _ in range(SENDING + 1)
        )

    def longest(self) -> ConnectionSlot | None:
        """The connection to be closed where room is needed."""
        return next((place for queue in self.waiting for place in queue), None)


class Connections:
    """All of one server.

    Args:
        most: how many there may be; see `allowed`.
        each: how many of one address; one address never gets more than three quarters of all.
        proxies: addresses and networks whose connections are many visitors'.
    """

    def __init__(self, most: int, each: int, proxies: Iterable[str] = ()) -> None:
        self.most, self.each = most, max(min(each, most * 3 // 4), 1)
        self._proxies = list(_networks(proxies))
        self._all = _Group()
        self._of: dict[str, _Group] = {}
        self._spare: OrderedDict[ConnectionSlot, None] = OrderedDict()
        self.closed: Counter[str] = Counter()

    @property
    def count(self) -> int:
        """How many there are."""
        return self._all.count + len(self._spare)

    def arrive(self, host: str, held: Held) -> ConnectionSlot | None:
        """A place for a new connection; None: it must be closed at once."""
        is_proxy = bool(self._proxies) and self._is_a_proxy(host)
        place = ConnectionSlot(None if is_proxy else network(host), held)
        own = self._of.get(place.address) if place.address is not None else None
        if own is not None and own.count >= self.each and not self._make_room(own):
            place.refusal = ADDRESS
        elif self._all.count >= self.most and not self._make_room(self._all):
            place.refusal = FULL
        if place.refusal:
            return place if self._take_a_spare_one(place) else None
        for group in self._groups(place):
            group.count += 1
            group.waiting[IDLE][place] = None
        return place

    def wait(self, place: ConnectionSlot, what: int | None) -> None:
        """From now on a connection waits for something else; None: it is served."""
        if not (place.refusal or place.is_left):
            for group in self._groups(place):
                if place.waits is not None:
                    del group.waiting[place.waits][place]
                if what is not None:
                    group.waiting[what][place] = None
        place.waits = what

    def leave(self, place: ConnectionSlot) -> None:
        """A connection is closed, or about to be."""
        if place.is_left:
            return
        self.wait(place, None)
        place.is_left = True
        if place.refusal:
            del self._spare[place]
            return
        for group in self._groups(place):
            group.count -= 1
        if place.address is not None and not self._of[place.address].count:
            del self._of[place.address]

    def _groups(self, place: ConnectionSlot) -> tuple[_Group, ...]:
        if place.address is None:
            return (self._all,)
        own = self._of.get(place.address)
        if own is None:
            own = self._of[place.address] = _Group()
        return self._all, own

    def _make_room(self, group: _Group) -> bool:
        """Close the connection of a group that has waited longest, if any waits."""
        while (place := group.longest()) is not None:
            if place.waits == IDLE and place.held.sending:
                self.wait(place, SENDING)  # what was asked for is still on its way
                continue
            self._close(place, ROOM)
            return True
        return False

    def _take_a_spare_one(self, place: ConnectionSlot) -> bool:
        """Give a spare place, in which only health is answered; an older spare one may be closed for it."""
        own = [one for one in self._spare if place.address and one.address == place.address]
        if len(own) >= SPARE_EACH or len(self._spare) >= SPARE:
            waiting = own if len(own) >= SPARE_EACH else list(self._spare)
            gone = next((one for one in waiting if one.waits is not None), None)
            if gone is None:
                self.closed[place.refusal] += 1
                return False
            self._close(gone, gone.refusal)
        self._spare[place] = None
        return True

    def _close(self, place: ConnectionSlot, why: str) -> None:
        self.closed[why] += 1
        self.leave(place)
        place.held.hang_up()

    def _is_a_proxy(self, host: str) -> bool:
        return any(one.network_address in proxy for one in _networks([host]) for proxy in self._proxies)


def _networks(named: Iterable[str]) -> Iterator[ipaddress.IPv4Network | ipaddress.IPv6Network]:
    """Those of these that are addresses or networks."""
    for one in named:
        with suppress(ValueError):
            yield ipaddress.ip_network(one, strict=False)


def allowed(most: int) -> int:
    """Return how many connections this process may have: at most `most`, and so few that file descriptors
    remain for everything else.
    """
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files == resource.RLIM_INFINITY:
        return most
    return max(min(most, files - min(_OWN + SPARE, files // 2)), 2)


def proxies(environment: Mapping[str, str]) -> list[str]:
    """Return the proxies whose `X-Forwarded-For` is trusted, as uvicorn reads them from the environment.

    "*" is ignored: with it, uvicorn would trust any client.
    """
    named = [one.strip() for one in environment.get("FORWARDED_ALLOW_IPS", "").split(",")]
    return [one for one in named if one not in ("", "*")] or _THIS_MACHINE
