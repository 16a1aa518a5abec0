"""uvicorn's HTTP protocol, with what it lacks where the other side misbehaves.

*   Whoever hangs up in the middle is no error of the server: what is still written to him is dropped.
*   A head that does not end is refused, and not kept.
*   A connection on which nobody ever asks anything is closed like one on which nobody asks any more.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

_TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


class Line:
    """A transport that takes no offence when it is written to after it was closed."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """See `asyncio.WriteTransport`."""
        if not self._transport.is_closing():
            self._transport.write(data)


class Protocol(HttpToolsProtocol):
    """One connection."""

    _head: int | None = None  # bytes of an unfinished head, but for the piece in which it began

    def connection_made(self, transport: Any) -> None:
        """See `asyncio.Protocol`."""
        line: Any = Line(transport)
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
