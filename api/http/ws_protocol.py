"""uvicorn's WebSocket protocol, as a session of ours uses it: messages come and go without ASGI's queue.

*   uvicorn and `websockets` make the handshake, keep the connection alive and close it, and read every frame
    that is not a whole short message.  A whole text frame, which is how every client sends a message, is
    handed to the session as soon as it is there, and a message of the session is written as one frame.
*   What a session writes in one turn of the loop goes out in one piece: the reply to a command with the
    move that it made.
*   A client is read no further while its session is busy.
*   uvicorn logs an error, with a trace, for each handshake that is refused and each text that is not UTF-8.
    Strangers may be refused as often as they like; what is an error of the server, the session logs.
*   When the server stops, uvicorn answers a handshake that is under way with a 500; the endpoint answers it.
*   A client that answers no ping is cut off, also where it has read nothing of what was written to it.
"""

from __future__ import annotations

import logging
from typing import Any, Protocol

from starlette.types import Scope
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.http11 import Request

try:
    from websockets.speedups import apply_mask
except ImportError:  # built without a compiler
    from websockets.utils import apply_mask

_EXTENSION = "glasnost.socket"  # of the ASGI scope: where the endpoint finds the connection
_SILENT = logging.Logger("sockets", logging.CRITICAL + 1)
_PIECE = 64 * 1024  # bytes that wait for the end of the turn
_TEXT = 0x81  # the first byte of a whole text frame (RFC 6455, section 5.2)
_MASKED = 0x80  # in the second byte, beside the length: clients mask, the server does not
_TWO, _EIGHT = 126, 127  # lengths that mean: the length follows, in so many bytes


class Receiver(Protocol):
    """A session, as its connection sees it."""

    @property
    def is_busy(self) -> bool:
        """Must the next message wait?"""

    def hear(self, text: str | None) -> None:
        """A message has come; None: a binary one."""


class SocketProtocol(WebSocketsSansIOProtocol):
    """One connection."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.logger = _SILENT
        self._receiver: Receiver | None = None
        self._came, self._at = b"", 0  # what has come, and where the next frame begins in it
        self._written: list[bytes] = []  # what goes out at the end of this turn
        self._size = 0  # bytes of that

    def connection_made(self, transport: Any) -> None:
        """See `asyncio.Protocol`."""
        super().connection_made(transport)
        self._place = transport.place

    def connection_lost(self, exc: Exception | None) -> None:
        """See `asyncio.Protocol`."""
        super().connection_lost(exc)
        config: Any = self.config
        if self._place is not None:
            config.connections.leave(self._place)

    def shutdown(self) -> None:
        """See `WebSocketsSansIOProtocol`."""
        if self.handshake_complete:
            self._flush()
            super().shutdown()

    def keepalive_timeout(self) -> None:
        """See `WebSocketsSansIOProtocol`."""
        super().keepalive_timeout()
        self.loop.call_later(self.close_timeout, self.transport.abort)

    def handle_connect(self, event: Request) -> None:
        """See `WebSocketsSansIOProtocol`; it is called before the endpoint."""
        super().handle_connect(event)
        if not self.handshake_complete:  # else it was no handshake, and is refused already
            scope: Any = self.scope
            scope["extensions"][_EXTENSION] = self

    # ── from the client to the session ──

    def attach(self, receiver: Receiver) -> None:
        """From now on this session receives what comes; after the handshake was accepted."""
        self._receiver = receiver
        self.read_on()

    def data_received(self, data: bytes) -> None:
        """See `asyncio.Protocol`."""
        if not self.handshake_initiated:
            super().data_received(data)
            return
        self._came, self._at = self._came[self._at :] + data, 0
        self.read_on()

    def read_on(self) -> None:
        """Hand over the messages that have come, in order, until the session is busy with one."""
        while self._may_take() and (found := self._next_frame()) is not None:
            frame, payload = found
            if payload and frame[0] == _TEXT and self.conn.current_size is None:
                self._hear(apply_mask(frame[payload:], frame[payload - 4 : payload]))
            else:
                self._flush()
                super().data_received(frame)
        pauses = not self._may_take()
        if pauses != self.read_paused and not self.transport.is_closing():
            self.read_paused = pauses
            (self.transport.pause_reading if pauses else self.transport.resume_reading)()

    def _may_take(self) -> bool:
        """May the next frame be looked at?  After a close frame of ours only the client's is waited for."""
        if self.transport.is_closing():
            return False
        return self.close_sent or (self._receiver is not None and not self._receiver.is_busy)

    def _next_frame(self) -> tuple[bytes, int] | None:
        """The next frame, if it is whole, and where its payload begins; 0: `websockets` is to refuse it."""
        came, at = self._came, self._at
        begin = at + 2
        if len(came) < begin:
            return None
        length = came[at + 1] & 0x7F
        if length >= _TWO:
            size = 2 if length == _TWO else 8
            begin += size
            if len(came) < begin:
                return None
            length = int.from_bytes(came[begin - size : begin])
        if length > self.config.ws_max_size or not came[at + 1] & _MASKED:
            self._at = len(came)
            return came[at:], 0
        begin += 4
        if len(came) < begin + length:
            return None
        self._at = begin + length
        return came[at : self._at], begin - at

    def _hear(self, message: bytes) -> None:
        """A whole text message."""
        if self.close_sent or self._receiver is None:
            return
        try:
            self._receiver.hear(message.decode())
        except UnicodeDecodeError:
            self._flush()
            self.conn.send_close(1007)
            self.handle_parser_exception()

    def send_receive_event_to_app(self) -> None:
        """See `WebSocketsSansIOProtocol`: a message that came in several frames, or a binary one."""
        message, self.frames = b"".join(self.frames), []
        if self.curr_msg_data_type == "text":
            self._hear(message)
        elif self._receiver is not None and not self.close_sent:
            self._receiver.hear(None)

    # ── from the session to the client ──

    async def say(self, message: bytes) -> None:
        """Send a text message; waits while the client is behind.

        Raises:
            OSError: the connection is closed, by whichever side.
        """
        if not self.writable.is_set():
            self._flush()
            await self.writable.wait()
        if self.close_sent or self.disconnected or self.transport.is_closing():
            raise ConnectionAbortedError
        if not self._written:
            self.loop.call_soon(self._flush)
        self._written += (_head(len(message)), message)
        self._size += len(message)
        if self._size > _PIECE:
            self._flush()

    async def send(self, message: Any) -> None:
        """See ASGI."""
        self._flush()
        await super().send(message)
        self.read_on()

    def _flush(self) -> None:
        """Write what was said in this turn."""
        written, self._written, self._size = self._written, [], 0
        if written and not self.close_sent and not self.transport.is_closing():
            self.transport.write(b"".join(written))


def connection_of(scope: Scope) -> SocketProtocol:
    """The connection on which a handshake came."""
    found: SocketProtocol = scope["extensions"][_EXTENSION]
    return found


def _head(length: int) -> bytes:
    """The head of a whole text frame of so many bytes (RFC 6455, section 5.2)."""
    if length < _TWO:
        return bytes((_TEXT, length))
    if length < 1 << 16:
        return bytes((_TEXT, _TWO)) + length.to_bytes(2)
    return bytes((_TEXT, _EIGHT)) + length.to_bytes(8)
