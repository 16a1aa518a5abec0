"""Around all routes: counts and logs of every request, allowed hosts and origins."""

from __future__ import annotations

import ipaddress
import logging
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import Message, Scope, Send

from api.http import decoding, sessions
from api.http.connections import HEALTH
from api.http.decoding import FORM, FORM_DATA, JSON
from api.http.metrics import Metrics
from api.http.problems import answer, document
from api.http.schemas import Problem
from domain.kernel import Refused

# What failed may have been the answer to a command that was carried out: perhaps something has changed.
_log = logging.getLogger("glasnost.http")


def answered(metrics: Metrics, method: str, route: str, status: int, seconds: float) -> None:
    """Count and log a request, or a message of a socket."""
    metrics.answered(method, route, status, seconds)
    if _log.isEnabledFor(logging.DEBUG):
        told = {"method": method, "route": route, "status": status, "us": int(seconds * 1_000_000)}
        _log.debug("request", extra=told)


def unforeseen(language: str) -> Problem:
    """Return the problem document of an unexpected error."""
    return document("failed", Refused("failed", "look-first"), language)


async def failed(request: HTTPConnection, error: Exception) -> Response:
    """Return the response to an unexpected error; it does not contain the text of the error."""
    language = decoding.language_of(request)
    return answer(unforeseen(language), language)


# ── Cross-origin protection: the host names of this server, and the origins whose pages may use it ──
#
# A web page can send requests to any server, also to one on the user's own machine.  So
#
# *   a request must name this server in `Host`: after DNS rebinding, a page names another host;
# *   commands and sockets are refused to pages of other origins than this server's own and those that the
#     operator lists;
# *   a command of a browser needs a content type that a page cannot send without a preflight request.
# *   the cookie of a session counts only for pages of this server (`api.http.sessions`).
#
# Pages of the listed origins may read all answers, too (CORS).  No answer allows credentials: a token
# is a header that the page sets itself.

ZIP = "application/zip"
FORMS = "/t/"  # the pages that take forms without a script
SAFE = ("GET", "HEAD", "OPTIONS")  # they change nothing
REQUEST_HEADERS = (
    "Accept-Language, Authorization, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID"
)
EXPOSED = (
    "Accept, Allow, Content-Disposition, ETag, glasnost-replica-lag-ms, glasnost-snapshot,"
    " glasnost-sql-sha256, glasnost-truncated, Retry-After, WWW-Authenticate"
)
MAX_AGE = 7_200  # seconds for which a browser may keep a preflight answer: no browser keeps it longer
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
            Refused: wrong-host, cross-origin, media-type.
        """
        told = _judged(scope)
        host = told.get(b"host", "")
        if host and not self._is_ours(host) and scope["path"].encode() not in HEALTH:
            raise Refused("wrong-host", "wrong-host", {"host": host[:80]})
        is_socket = scope["type"] == "websocket"
        reads = not is_socket and scope["method"] in SAFE
        if b"cookie" in told:
            scope[sessions.SECRET] = sessions.secret_of(scope, told, reads=reads)
        if reads:
            return
        origin, site = told.get(b"origin"), told.get(b"sec-fetch-site", "")
        if not self._is_welcome(origin, site, host):
            if not origin:
                raise Refused("cross-origin", "another-site")
            raise Refused("cross-origin", "foreign-origin", {"origin": origin[:80]})
        if not is_socket and (origin is not None or site or b"cookie" in told):
            given = told.get(b"content-type", "").partition(";")[0].strip().lower()
            if given not in (JSON, ZIP) and not self._is_own_form(scope, told, host, given):
                raise Refused(
                    "media-type",
                    "wrong-media-type",
                    {"wanted": JSON, "given": given[:80] or "nothing"},
                    {"accept": JSON},
                )

    @staticmethod
    def _is_own_form(scope: Scope, headers: Mapping[bytes, str], host: str, media: str) -> bool:
        """Is this a form that a page of this host sends, to a page that takes forms without a script?"""
        if media not in (FORM, FORM_DATA) or not scope["path"].startswith(FORMS):
            return False
        return sessions.is_own_page(headers, host, secure=sessions.is_secure(scope, headers, host))

    def origin(self, scope: Scope) -> str:
        """Return the origin by which the client reaches this server."""
        headers = _judged(scope)
        host = headers.get(b"host", "")
        secure = sessions.is_secure(scope, headers, host)
        if b"origin" in headers and sessions.is_own_page(headers, host, secure=secure):
            return headers[b"origin"]
        return f"{'https' if secure else 'http'}://{host}"

    def must_be_own_page(self, scope: Scope) -> bool:
        """Check that a page of this host sends the request; return whether the browser uses https.

        Raises:
            Refused: cross-origin.
        """
        told = _judged(scope)
        host = told.get(b"host", "")
        secure = sessions.is_secure(scope, told, host)
        if not sessions.is_own_page(told, host, secure=secure):
            raise Refused("cross-origin", "own-page-only")
        return secure

    def preflight(self, scope: Scope, methods: Sequence[str]) -> list[tuple[bytes, bytes]]:
        """The headers that answer a browser which asks whether a page may send a request.

        Raises:
            Refused: cross-origin.
        """
        origin = _value(scope["headers"], b"origin")
        if not self._is_named(origin):
            raise Refused("cross-origin", "foreign-origin", {"origin": origin.decode("latin-1")[:80]})
        return [
            (b"access-control-allow-methods", ", ".join(methods).encode()),
            (b"access-control-allow-headers", REQUEST_HEADERS.encode()),
            (b"access-control-max-age", b"%d" % MAX_AGE),
        ]

    def shared(self, asked: Headers) -> list[tuple[bytes, bytes]]:
        """Return the CORS headers with which a page of a listed origin may read any answer."""
        origin = _value(asked, b"origin")
        if not self._is_named(origin):
            return []
        return [
            (b"access-control-allow-origin", origin),
            (b"access-control-expose-headers", EXPOSED.encode()),
        ]

    def telling(self, scope: Scope, send: Send) -> Send:
        """Return a `send` that adds these headers, and `Vary: Origin`."""
        if not self._origins or scope["type"] != "http":
            return send

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = [*message.get("headers", ()), *self.shared(scope["headers"])]
                message = {**message, "headers": varying(headers)}
            await send(message)

        return send_with_headers

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


def _judged(scope: Scope) -> dict[bytes, str]:
    """The headers by which a request is judged; one that was sent twice counts as both values together."""
    sent = [(name, value.decode("latin-1")) for name, value in scope["headers"] if name in _READ]
    found = dict(sent)
    if len(found) < len(sent):
        found = {name: ", ".join([value for other, value in sent if other == name]) for name in found}
    return found


def varying(headers: Headers) -> list[tuple[bytes, bytes]]:
    """Return the same headers with `Origin` added to `Vary`."""
    found = [value for name, value in headers if name == b"vary"]
    others = [(name, value) for name, value in headers if name != b"vary"]
    return [*others, (b"vary", b", ".join([*found, b"Origin"]))]


def _value(headers: Headers, wanted: bytes) -> bytes:
    return next((value for name, value in headers if name == wanted), b"")
