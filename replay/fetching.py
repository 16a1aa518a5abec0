"""Fetches what lies at a URL: only over HTTP, only from the named host, with limits on bytes and time."""

from __future__ import annotations

import http.client
import io
import threading
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import IO, TypeVar
from urllib.parse import urlsplit

SCHEMES = ("http", "https")
_AT_ONCE = 1 << 16  # bytes

T = TypeVar("T")


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


def posted(address: str, body: bytes, *, most: int, seconds: float) -> tuple[int, bytes]:
    """Post bytes to a URL; return the status and the body of the answer, whatever the status is.

    Redirects are not followed.  See `fetched` for the arguments.

    Raises:
        CannotFetch: it is not an HTTP URL, or the answer is too long or takes too long.
    """
    found = io.BytesIO()
    kind = {"content-type": "text/plain; charset=utf-8"}

    def work(late: threading.Event) -> int:
        request = urllib.request.Request(address, body, kind)
        with _opener().open(request, timeout=2 * seconds) as answer:
            _copy(answer, found, most, late)
            return int(answer.status)

    return _in_time(address, seconds, work), found.getvalue()


def fetch(address: str, into: IO[bytes], *, most: int, seconds: float, redirects: bool = True) -> None:
    """Do as `fetched`, and write the bytes into a file; after an error it may hold a part of them."""

    handlers: list[urllib.request.BaseHandler] = [
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPErrorProcessor(),
    ]
    if redirects:
        handlers.append(_SameHost())

    def work(late: threading.Event) -> None:
        with _opener(*handlers).open(address, timeout=2 * seconds) as answer:
            _copy(answer, into, most, late)

    _in_time(address, seconds, work)


def _in_time(address: str, seconds: float, work: Callable[[threading.Event], T]) -> T:
    """Do this in a thread of its own, and stop waiting when the time is over; the event is then set."""
    if urlsplit(address).scheme not in SCHEMES:
        raise CannotFetch(f"{address}: only http:// and https:// are fetched")
    ended = list[T]()
    failed = list[Exception]()
    late = threading.Event()

    def run() -> None:
        try:
            ended.append(work(late))
        except Exception as error:  # raised below, in the calling thread
            failed.append(error)

    thread = threading.Thread(target=run, name="fetch", daemon=True)
    thread.start()
    thread.join(seconds)
    is_late = thread.is_alive()
    late.set()
    if failed:
        raise CannotFetch(f"{address}: {_said(failed[0])}") from failed[0]
    if is_late:
        raise CannotFetch(f"{address}: no answer within {seconds:.0f} seconds")
    return ended[0]


def _copy(answer: http.client.HTTPResponse, into: IO[bytes], most: int, late: threading.Event) -> None:
    left = most
    while (some := answer.read1(min(_AT_ONCE, left + 1))) and not late.is_set():
        if len(some) > left:
            raise ValueError(f"more than {most} bytes")
        into.write(some)
        left -= len(some)


def _opener(*handlers: urllib.request.BaseHandler) -> urllib.request.OpenerDirector:
    """Opens HTTP URLs alone; without further handlers no redirect is followed, and any status answers."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(),
        *handlers,
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
