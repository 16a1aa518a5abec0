"""Text from an address: only over HTTP, only from the host that was named, bounded in bytes and in time."""

from __future__ import annotations

import http.client
import threading
import urllib.error
import urllib.request
from typing import IO
from urllib.parse import urlsplit

from api.cli.common import CannotBeDone

SCHEMES = ("http", "https")
SECONDS = 10.0  # for all of it, redirects too
MOST = 1 << 16  # bytes


def is_address(text: str) -> bool:
    """Is it an address, and no file?"""
    return "://" in text


def fetched(address: str) -> str:
    """What an address answers.

    Raises:
        CannotBeDone: it is none over HTTP, answers something else than 200, leads to another host, or what
            it sends is too long, takes too long or is no text.
    """
    if urlsplit(address).scheme not in SCHEMES:
        raise CannotBeDone(f"{address}: only http:// and https:// are fetched")
    found: list[str | Exception] = []

    def work() -> None:
        try:
            found.append(_content(address))
        except Exception as error:  # told below, in the thread that asked
            found.append(error)

    thread = threading.Thread(target=work, name="fetch", daemon=True)
    thread.start()
    thread.join(SECONDS)
    if not found:
        raise CannotBeDone(f"{address}: no answer within {SECONDS:.0f} seconds")
    if isinstance(found[0], Exception):
        raise CannotBeDone(f"{address}: {_said(found[0])}") from found[0]
    return found[0]


def _content(address: str) -> str:
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPErrorProcessor(),
        _SameHost(),
    ):
        opener.add_handler(handler)
    with opener.open(address, timeout=2 * SECONDS) as answer:
        content: bytes = answer.read(MOST + 1)
    if len(content) > MOST:
        raise ValueError(f"more than {MOST} bytes")
    return content.decode()


class _SameHost(urllib.request.HTTPRedirectHandler):
    """Follows no redirect that leads elsewhere."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        """See `HTTPRedirectHandler.redirect_request`."""
        here, there = urlsplit(req.full_url), urlsplit(newurl)
        if (here.scheme, here.netloc) != (there.scheme, there.netloc):
            fp.close()
            raise ValueError(f"it leads to another host ({there.scheme}://{there.netloc[:120]})")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _said(error: Exception) -> str:
    if isinstance(error, urllib.error.HTTPError):
        error.close()
        return f"the answer is {error.code}"
    if isinstance(error, urllib.error.URLError):
        return str(error.reason)
    return str(error) or type(error).__name__
