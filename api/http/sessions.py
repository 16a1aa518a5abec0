"""The cookie of a session: its name and flags, when it counts, and the label of the device that has it.

A browser attaches a cookie to requests that any page makes it send.  So a cookie counts only

*   for reading: unless the browser says that a page of another origin reads the API (a page of ours may be
    opened by a link from anywhere);
*   for everything else, sockets included: if `Sec-Fetch-Site` says that a page of ours asks or, where the
    browser does not send it, if `Origin` is this host.

A cookie that does not count, or that names no session, is no cookie: the caller is not signed in.

On https the cookie has the prefix `__Host-`: no other host, and no page on plain http, can set it.  A
cookie without it counts on plain http only, because any host of the same domain could set it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from starlette.types import Scope

SECRET = "glasnost.session"  # in the ASGI scope: the secret of the cookie, if it counts
SECURE_NAME, PLAIN_NAME = "__Host-glasnost", "glasnost"
_COOKIE = re.compile(rb"(?:^|;)[ \t]*((?:__Host-)?glasnost)=([^;]*)")
_SECRET = re.compile(rb"[A-Za-z0-9_-]{43}")
_LOOPBACK = re.compile(r"(?:(?:.+\.)?localhost\.?|127(?:\.\d{1,3}){3}|\[::1\])(?::\d*)?", re.IGNORECASE)
_API = "/v1/"
_SECONDS = 400 * 86_400  # no browser keeps a cookie longer; the server decides when the session is over
_FLAGS = "Path=/; HttpOnly; SameSite=Lax"

Headers = Mapping[bytes, str]


def is_secure(scope: Scope, headers: Headers, host: str) -> bool:
    """Does the browser use https?  The proxy may not say so.

    Browsers send `Sec-Fetch-Site` over https, and over plain http only to their own machine.

    Args:
        headers: the headers `origin` and `sec-fetch-site`, as far as they were sent.
        host: the header `host`.
    """
    if scope["scheme"] in ("https", "wss") or headers.get(b"origin", "").lower().startswith("https://"):
        return True
    return bool(headers.get(b"sec-fetch-site")) and not _LOOPBACK.fullmatch(host)


def is_own_page(headers: Headers, host: str, *, secure: bool) -> bool:
    """Does the browser say that a page of this host sends the request?"""
    site, scheme = headers.get(b"sec-fetch-site"), "https" if secure else "http"
    if site:
        return site == "same-origin"
    return bool(host) and headers.get(b"origin", "").lower() == f"{scheme}://{host.lower()}"


def secret_of(scope: Scope, headers: Headers, *, reads: bool) -> str | None:
    """Return the secret of the session cookie; None if there is none that counts.

    Args:
        headers: the headers `host`, `origin` and `sec-fetch-site`, as far as they were sent.
        reads: the request is GET or HEAD, and not the handshake of a socket.
    """
    host = headers.get(b"host", "")
    found = _cookie(scope, secure=is_secure(scope, headers, host))
    if found is None:
        return None
    name, secret = found
    if not reads:
        return secret if is_own_page(headers, host, secure=name == SECURE_NAME) else None
    is_foreign = headers.get(b"sec-fetch-site", "none") not in ("same-origin", "none")
    return None if is_foreign and scope["path"].startswith(_API) else secret


def _cookie(scope: Scope, *, secure: bool) -> tuple[str, str] | None:
    """The name and the secret of the cookie; None if there is none of the right form, or several."""
    header = b"; ".join(value for name, value in scope["headers"] if name == b"cookie")
    found = [(name.decode(), value.strip()) for name, value in _COOKIE.findall(header)]
    for wanted in (SECURE_NAME,) if secure else (SECURE_NAME, PLAIN_NAME):
        values = [value for name, value in found if name == wanted]
        if len(values) == 1 and _SECRET.fullmatch(values[0]):
            return wanted, values[0].decode()
    return None


def set_cookie(secret: str, *, secure: bool) -> str:
    """Return the header `Set-Cookie` that gives a browser its session."""
    if secure:
        return f"{SECURE_NAME}={secret}; Max-Age={_SECONDS}; {_FLAGS}; Secure"
    return f"{PLAIN_NAME}={secret}; Max-Age={_SECONDS}; {_FLAGS}"


def clear_cookie(*, secure: bool) -> str:
    """Return the header `Set-Cookie` that removes the cookie."""
    if secure:
        return f"{SECURE_NAME}=; Max-Age=0; {_FLAGS}; Secure"
    return f"{PLAIN_NAME}=; Max-Age=0; {_FLAGS}"


# ── The label of a device, from closed lists: nothing that a client writes is stored ──

_BROWSERS = (  # in this order, because each names those after it as well
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser", "Samsung Internet"),
    ("Firefox", "Firefox"),
    ("FxiOS", "Firefox"),
    ("Chrom", "Chrome"),
    ("CriOS", "Chrome"),
    ("Safari", "Safari"),
)
_SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)
_READ = 500  # characters of the header that are read


def device(user_agent: str) -> str:
    """Return a label such as "Firefox, Linux" for the header `User-Agent`; "" if nothing is known of it."""
    start = user_agent[:_READ]
    names = (next((name for mark, name in known if mark in start), None) for known in (_BROWSERS, _SYSTEMS))
    return ", ".join(name for name in names if name is not None)
