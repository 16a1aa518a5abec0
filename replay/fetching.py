"""Fetches what lies at a URL: only over HTTP, only from the named host, with limits on bytes and time."""

from __future__ import annotations

import http.client
import io
import threading
import urllib.error
import urllib.request
from typing import IO
from urllib.parse import urlsplit

SCHEMES = ("http", "https")
_AT_ONCE = 1 << 16  # bytes


class CannotFetch(OSError):
    """Nothing was fetched; the text says from where, and why."""


def is_address(text: str) -> bool:
    """Is it a URL, and not a file?"""
    return "://" in text


def fetched(address: str, *, most: int, seconds: float, redirects: bool = True) -> bytes:
    """Fetch what lies at a URL.

    Args:
        most: bytes that the answer may have.
        seconds: for the whole request, redirects included.
        redirects: follow redirects to the same host.

    Raises:
        CannotFetch: it is not an HTTP URL, the status is not 200, it redirects to another host (or at all,
            if redirects are not followed), or the answer is too long or takes too long.
    """
    found = io.BytesIO()
    fetch(address, found, most=most, seconds=seconds, redirects=redirects)
    return found.getvalue()


def fetch(address: str, into: IO[bytes], *, most: int, seconds: float, redirects: bool = True) -> None:
    """Do as `fetched`, and write the bytes into a file; after an error it may hold a part of them."""
    if urlsplit(address).scheme not in SCHEMES:
        raise CannotFetch(f"{address}: only http:// and https:// are fetched")
    ended: list[Exception | None] = []
    late = threading.Event()

    def work() -> None:
        try:
            _copy(_opener(redirects), address, into, most, seconds, late)
            ended.append(None)
        except Exception as error:  # raised below, in the calling thread
            ended.append(error)

    thread = threading.Thread(target=work, name="fetch", daemon=True)
    thread.start()
    thread.join(seconds)
    late.set()
    if not ended:
        raise CannotFetch(f"{address}: no answer within {seconds:.0f} seconds")
    if ended[0] is not None:
        raise CannotFetch(f"{address}: {_said(ended[0])}") from ended[0]


def _copy(
    opener: urllib.request.OpenerDirector,
    address: str,
    into: IO[bytes],
    most: int,
    seconds: float,
    late: threading.Event,
) -> None:
    with opener.open(address, timeout=2 * seconds) as answer:
        left = most
        while (some := answer.read1(min(_AT_ONCE, left + 1))) and not late.is_set():
            if len(some) > left:
                raise ValueError(f"more than {most} bytes")
            into.write(some)
            left -= len(some)


def _opener(redirects: bool) -> urllib.request.OpenerDirector:
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPErrorProcessor(),
        *([_SameHost()] if redirects else []),
    ):
        opener.add_handler(handler)
    return opener


class _SameHost(urllib.request.HTTPRedirectHandler):
    """Follows only redirects to the same host."""

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
