"""Requests to a server over its public HTTP API, by a client that does not trust it.

A request that fails is repeated: commands carry an Idempotency-Key, so a repeated one is carried out once.
Answers are bounded in bytes and in time.  A redirect is not followed, so a token goes to one server only.
"""

from __future__ import annotations

import http.client
import secrets
import time
from collections.abc import Callable
from http import HTTPStatus
from typing import IO
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

MOST_BYTES = 8 * 1024 * 1024  # of one answer
SECONDS = 30.0  # for a part of an answer
MOST_SECONDS = 600.0  # for a whole answer
LONGEST_WAIT = 30.0  # seconds between two attempts, whatever the server asks for
FIRST_WAIT = 0.2  # seconds
_AT_ONCE = 64 * 1024
_TRY_AGAIN = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.BAD_GATEWAY, HTTPStatus.SERVICE_UNAVAILABLE)
_WITHOUT_KEY = ("/v1/players",)


class ServerError(Exception):
    """The server cannot be worked with: it is away, or what it says is not understood."""


class Reply(Struct, frozen=True):
    """An answer of the server."""

    status: int
    body: bytes


class Server:
    """The requests to one server; each is repeated until it is answered.

    Args:
        url: `http://HOST[:PORT]` or `https://...`.
        token: of the player; "" for none.
        sleep: waits so many seconds.
        waiting: is called when a request has to be repeated, once until the next answer.
        attempts: a request is sent so often at most; None: until it is answered.
        language: of names and sentences, such as `en`; "" for the server's own choice.

    Raises:
        ValueError: this is no such address.
    """

    def __init__(
        self,
        url: str,
        token: str = "",
        sleep: Callable[[float], object] = time.sleep,
        waiting: Callable[[], object] = lambda: None,
        *,
        attempts: int | None = None,
        language: str = "",
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.query:
            raise ValueError(url)
        self._secure, self._host, self._port = parts.scheme == "https", parts.hostname, parts.port
        self._base, self._sleep, self._waiting = parts.path.rstrip("/"), sleep, waiting
        self._head = {"authorization": f"Bearer {token}"} if token else {}
        if language:
            self._head["accept-language"] = language
        self._attempts = attempts
        self._connection: http.client.HTTPConnection | None = None
        self._answered = False

    def get(self, path: str) -> Reply:
        """GET.  Raises ServerError: see `_send`."""
        return self._send("GET", path, None, {}, self._attempts)

    def download(self, path: str, into: IO[bytes], most: int) -> Reply:
        """GET; the content of an answer with the status 200 is written to a file, and not into the reply.

        Raises:
            ServerError: it has more than `most` bytes; and see `_send`.
        """
        return self._send("GET", path, None, {}, self._attempts, into, most)

    def post(self, path: str, body: object, *, once: bool = False) -> Reply:
        """POST of JSON, carried out once.

        Args:
            once: the route knows no Idempotency-Key, so the request is not repeated.

        Raises:
            ServerError: see `_send`.
        """
        key = {} if once or path in _WITHOUT_KEY else {"idempotency-key": secrets.token_hex(16)}
        head = {"content-type": "application/json", **key}
        return self._send("POST", path, msgspec.json.encode(body), head, 1 if once else self._attempts)

    def post_file(self, path: str, content: bytes, media_type: str) -> Reply:
        """POST of a file, which a server may take twice.  Raises ServerError: see `_send`."""
        return self._send("POST", path, content, {"content-type": media_type}, self._attempts)

    def _send(
        self,
        method: str,
        path: str,
        body: bytes | None,
        head: dict[str, str],
        attempts: int | None,
        into: IO[bytes] | None = None,
        most: int = MOST_BYTES,
    ) -> Reply:
        """Send a request until it is answered.

        Raises:
            ServerError: no server answers there, or not to the very first request, or not in so many
                attempts; or the answer is too long, or takes too long.
        """
        wait, sent = FIRST_WAIT, 0
        while True:
            sent += 1
            try:
                reply, asked_for = self._once(method, path, body, head, into, most)
            except (OSError, http.client.HTTPException) as error:
                self.close()
                what = f"{self._host}: {type(error).__name__}"
                if not self._answered:
                    raise ServerError(f"no server answers at {what}") from error
                if sent == attempts:
                    raise ServerError(f"the connection was lost to {what}") from error
                asked_for = 0.0
            else:
                self._answered = True
                if reply.status not in _TRY_AGAIN or sent == attempts:
                    return reply
            if wait == FIRST_WAIT:
                self._waiting()
            self._sleep(min(max(wait, asked_for), LONGEST_WAIT))
            wait = min(2 * wait, LONGEST_WAIT)

    def _once(
        self,
        method: str,
        path: str,
        body: bytes | None,
        head: dict[str, str],
        into: IO[bytes] | None,
        most: int,
    ) -> tuple[Reply, float]:
        """One attempt: the answer, and the seconds that the server asks to wait for."""
        if self._connection is None:
            kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
            self._connection = kind(self._host, self._port, timeout=SECONDS)
        self._connection.request(method, self._base + path, body, {**self._head, **head})
        answer = self._connection.getresponse()
        asked_for = answer.getheader("retry-after", "")
        seconds = float(asked_for) if asked_for.isdecimal() else 0.0
        if into is None or answer.status != HTTPStatus.OK:
            content = bytearray()
            self._read(answer, content.extend, min(most, MOST_BYTES))
            return Reply(answer.status, bytes(content)), seconds
        into.seek(0)
        into.truncate()
        self._read(answer, into.write, most)
        return Reply(answer.status, b""), seconds

    def _read(self, answer: http.client.HTTPResponse, keep: Callable[[bytes], object], most: int) -> None:
        """Read an answer to its end.

        Raises:
            ServerError: it is too long, or takes too long.
            http.client.IncompleteRead: it ends too early.
        """
        until, size = time.monotonic() + MOST_SECONDS, 0
        with answer:
            while piece := answer.read1(_AT_ONCE):
                size += len(piece)
                if size > most:
                    self.close()
                    raise ServerError(f"an answer has more than {most} bytes")
                if time.monotonic() > until:
                    self.close()
                    raise ServerError(f"an answer takes more than {MOST_SECONDS:.0f} seconds")
                keep(piece)
            if answer.length:
                raise http.client.IncompleteRead(b"", answer.length)

    def close(self) -> None:
        """Hang up."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
