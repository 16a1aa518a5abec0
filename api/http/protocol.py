"""uvicorn's HTTP protocol, with what it lacks where the other side misbehaves, or waits.

*   Whoever hangs up in the middle is no error of the server: what is still written to him is dropped.
*   A head that is too long is refused; one that does not end is not kept.
*   What is no request is refused with a problem document, like anything else.
*   A connection on which nobody ever asks anything is closed like one on which nobody asks any more.
*   An answer goes out in one piece, not its head first.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from api.http import negotiation
from api.http.problems import answer, document

_ANSWER = b"HTTP/1.1 "  # how its head begins
_LINE = len(b" / HTTP/1.1\r\n\r\n") - 1  # bytes of a head besides its method, its address and its headers


class Line:
    """A transport that takes no offence when it is written to after it was closed.

    The head of an answer goes out together with what is written next, and at the latest when the loop has
    done what waits for it now.  uvicorn writes one after the other, and each piece is a call of the system
    that wakes the reader.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport, self._loop = transport, loop
        self._begun = b""
        # asked for with each piece, and so not by way of `__getattr__`
        self.is_closing = transport.is_closing
        self.pause_reading, self.resume_reading = transport.pause_reading, transport.resume_reading

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """See `asyncio.WriteTransport`."""
        if self._begun:
            data, self._begun = self._begun + data, b""
        elif data.startswith(_ANSWER):
            self._begun = data
            self._loop.call_soon(self._send_head)
            return
        if not self.is_closing():
            self._transport.write(data)

    def close(self) -> None:
        """See `asyncio.BaseTransport`."""
        self._send_head()
        self._transport.close()

    def _send_head(self) -> None:
        if self._begun:
            self.write(b"")


class Protocol(HttpToolsProtocol):
    """One connection."""

    _head: int | None = None  # bytes of an unfinished head, but for the piece in which it began
    _begun = _piece = 0  # bytes of that piece, and of the latest
    _is_too_long = False

    def connection_made(self, transport: Any) -> None:
        """See `asyncio.Protocol`."""
        line: Any = Line(transport, self.loop)
        super().connection_made(line)
        self._most = self.config.h11_max_incomplete_event_size or 0
        self.timeout_keep_alive_task = self.loop.call_later(
            self.timeout_keep_alive, self.timeout_keep_alive_handler
        )

    def data_received(self, data: bytes) -> None:
        """See `asyncio.Protocol`."""
        self._piece = len(data)
        if self._head is not None:
            self._head += self._piece
        super().data_received(data)
        if self._head is not None and self._head > self._most and not self.transport.is_closing():
            self._refuse_the_head()

    def on_message_begin(self) -> None:
        """See `httptools`."""
        self._head, self._begun = 0, self._piece
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """See `httptools`."""
        if self._begun + (self._head or 0) > self._most and self._length() > self._most:
            self._is_too_long = True
            raise ValueError("the head is too long")  # which ends in `send_400_response`
        self._head = None
        super().on_headers_complete()

    def send_400_response(self, msg: str) -> None:
        """See `HttpToolsProtocol`."""
        if self._is_too_long:
            self._refuse_the_head()
        else:
            self._refuse("malformed", "this is no HTTP/1.1 request, or its first line is too long")

    def _length(self) -> int:
        """Bytes of the head, as it is commonly written."""
        told = sum(len(name) + len(value) + len(b": \r\n") for name, value in self.headers)
        return len(self.parser.get_method()) + len(self.url) + _LINE + told

    def _refuse_the_head(self) -> None:
        told = f"the first line and the headers are longer than {self._most} bytes together"
        self._refuse("head-too-large", told)

    def _refuse(self, kind: str, detail: str) -> None:
        """Answer with a problem document, in the language that was asked for so far, and hang up."""
        asked = dict(self.headers or ()).get(b"accept-language", b"").decode("latin-1")
        language = negotiation.language(asked)
        told = answer(document(kind, detail, language), language, {"connection": "close"})
        head = b"".join(b"%b: %b\r\n" % pair for pair in told.raw_headers)
        self.transport.write(STATUS_LINE[told.status_code] + head + b"\r\n" + bytes(told.body))
        self.transport.close()
