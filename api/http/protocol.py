"""uvicorn's HTTP protocol, with what it lacks where the other side misbehaves, or waits.

*   Whoever hangs up in the middle is no error of the server: what is still written to him is dropped.
*   A head that does not end is refused, and not kept.
*   A connection on which nobody ever asks anything is closed like one on which nobody asks any more.
*   An answer goes out in one piece, not its head first.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

_ANSWER = b"HTTP/1.1 "  # how its head begins
_TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


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
        if self._head is not None:
            self._head += len(data)
        super().data_received(data)
        if self._head is not None and self._head > self._most:
            self.transport.write(_TOO_LARGE)
            self.transport.close()

    def on_message_begin(self) -> None:
        """See `httptools`."""
        self._head = 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """See `httptools`."""
        self._head = None
        super().on_headers_complete()
