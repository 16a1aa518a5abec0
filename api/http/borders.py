"""Whom a browser may speak for: by which names this server goes, and pages of which origins may use it.

A page that somebody looks at can send requests to any server, also to one on that person's own machine.  So

*   a request must name this server: a page whose own name was made to lead here names another one;
*   what changes something, and a socket, is refused to pages of other origins than this server's own and
    those that an operator names;
*   what a browser sends changes something only with a type of body that no page can send without asking.

Pages of the origins that are named may read all answers, too (CORS).  No answer allows credentials: a token
is a header that the page sets itself.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Sequence
from functools import lru_cache

from starlette.types import Message, Scope, Send

from api.http.connections import HEALTH
from api.http.negotiation import JSON
from api.http.problems import Failed

ZIP = "application/zip"
SAFE = ("GET", "HEAD", "OPTIONS")  # they change nothing
REQUEST_HEADERS = (
    "Accept-Language, Authorization, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID"
)
EXPOSED = "Accept, Allow, Content-Disposition, ETag, glasnost-replica-lag-ms, Retry-After, WWW-Authenticate"
MAX_AGE = 7_200  # seconds for which a browser need not ask again: no browser remembers it for longer
_READ = (b"host", b"origin", b"cookie", b"content-type", b"sec-fetch-site")
_OWN_SITE = ("same-origin", "none")

Headers = Iterable[tuple[bytes, bytes]]


class Borders:
    """Judges requests by their headers.

    Args:
        hosts: the names of this server, besides addresses and localhost; "*" for any.
        origins: those whose pages may use it, besides its own.
    """

    def __init__(self, hosts: Sequence[str], origins: Sequence[str]) -> None:
        self._hosts, self._origins = frozenset(hosts), frozenset(origins)
        self._is_ours = lru_cache(maxsize=1_000)(self._goes_by)

    def check(self, scope: Scope) -> None:
        """May this request be served?

        Raises:
            Failed: wrong-host, cross-origin, media-type.
        """
        told = {name: value.decode("latin-1") for name, value in scope["headers"] if name in _READ}
        host = told.get(b"host", "")
        if host and not self._is_ours(host) and scope["path"].encode() not in HEALTH:
            raise Failed("wrong-host", f"{host[:80]} is no name of this server; GLASNOST_HOSTS lists them")
        is_socket = scope["type"] == "websocket"
        if not is_socket and scope["method"] in SAFE:
            return
        origin, site = told.get(b"origin"), told.get(b"sec-fetch-site", "")
        if not self._is_welcome(origin, site, host):
            raise Failed("cross-origin", f"pages of {(origin or 'another site')[:80]} may not do this")
        if not is_socket and (origin is not None or site or b"cookie" in told):
            given = told.get(b"content-type", "").partition(";")[0].strip().lower()
            if given not in (JSON, ZIP):
                raise Failed("media-type", f"{JSON}, not {given[:80] or 'nothing'}", {"accept": JSON})

    def preflight(self, scope: Scope, methods: Sequence[str]) -> list[tuple[bytes, bytes]]:
        """The headers that answer a browser which asks whether a page may send a request.

        Raises:
            Failed: cross-origin.
        """
        origin = _value(scope["headers"], b"origin")
        if not self._is_named(origin):
            raise Failed("cross-origin", f"pages of {origin.decode('latin-1')[:80]} may not do this")
        return [
            (b"access-control-allow-methods", ", ".join(methods).encode()),
            (b"access-control-allow-headers", REQUEST_HEADERS.encode()),
            (b"access-control-max-age", b"%d" % MAX_AGE),
        ]

    def shared(self, asked: Headers) -> list[tuple[bytes, bytes]]:
        """The headers with which a page of a named origin may read an answer, whatever that is."""
        origin = _value(asked, b"origin")
        if not self._is_named(origin):
            return []
        return [
            (b"access-control-allow-origin", origin),
            (b"access-control-expose-headers", EXPOSED.encode()),
        ]

    def telling(self, scope: Scope, send: Send) -> Send:
        """What sends an answer with these headers; a cache is told that they depend on the origin."""
        if not self._origins or scope["type"] != "http":
            return send

        async def told(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = [*message.get("headers", ()), *self.shared(scope["headers"])]
                message = {**message, "headers": varying(headers)}
            await send(message)

        return told

    def _is_named(self, origin: bytes) -> bool:
        return origin.decode("latin-1").lower() in self._origins

    def _is_welcome(self, origin: str | None, site: str, host: str) -> bool:
        """Is it a page of ours, or of a named origin, or none at all?"""
        if origin is None:
            return not site or site in _OWN_SITE
        if origin.lower() in self._origins:
            return True
        scheme, _, place = origin.lower().partition("://")
        is_own = scheme in ("http", "https") and place == host.lower() != ""
        return is_own and (not site or site in _OWN_SITE)

    def _goes_by(self, host: str) -> bool:
        """Is it an address, which no foreign name leads to, or one of our names?"""
        if host.startswith("["):
            name = host[1:].partition("]")[0]
        else:
            name = host.partition(":")[0].lower().rstrip(".")
        try:
            ipaddress.ip_address(name)
        except ValueError:
            is_local = name == "localhost" or name.endswith(".localhost")
            return is_local or name in self._hosts or "*" in self._hosts
        return True


def varying(headers: Headers) -> list[tuple[bytes, bytes]]:
    """The same headers; a cache is told that the answer depends on the origin, too."""
    found = [value for name, value in headers if name == b"vary"]
    others = [(name, value) for name, value in headers if name != b"vary"]
    return [*others, (b"vary", b", ".join([*found, b"Origin"]))]


def _value(headers: Headers, wanted: bytes) -> bytes:
    return next((value for name, value in headers if name == wanted), b"")
