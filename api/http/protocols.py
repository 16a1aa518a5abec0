"""uvicorn's HTTP protocol, extended for clients that misbehave or are slow.

*   A client that disconnects during a request is not an error of the server: pending output is dropped.
*   A head that is too long is refused; one that does not end is not kept.
*   There is a limit of connections (`api.http.connections`); one over it may ask for health only.
*   A whole head has a deadline, and so has a whole body, which grows with what comes of it.
*   A connection is not kept for an answer of which nothing is taken any more.
*   Invalid HTTP is refused with a problem document, like any other refusal.
*   A connection without any request is closed like one without a further request.
*   An answer goes out in one piece, not its head first.
"""

from __future__ import annotations

import asyncio
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from api.http import decoding
from api.http.app_state import Services
from api.http.connections import ADDRESS, BODY, FULL, HEAD, HEALTH, IDLE, SLOW, ConnectionSlot
from api.http.problems import answer, document
from domain.kernel import Refused

IDLE_SECONDS = 75  # until a connection without traffic in either direction is closed
_SOON = {"retry-after": "1"}  # seconds
_ANSWER = b"HTTP/1.1 "  # how its head begins
_LINE = len(b" / HTTP/1.1\r\n\r\n") - 1  # bytes of a head besides its method, its address and its headers


class Line:
    """A transport that ignores what is written to it after it was closed.

    The head of an answer goes out together with what is written next, and at the latest when the loop has
    done what waits for it now.  uvicorn writes one after the other, and each piece is a call of the system
    that wakes the reader.

    Args:
        transport: what it stands for.
        loop: where it is used.
        patience: seconds after which it is broken off where nothing is taken of what waits to be sent.
    """

    place: ConnectionSlot | None = None

    def __init__(
        self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop, patience: float = IDLE_SECONDS
    ) -> None:
        self._transport, self._loop, self._patience = transport, loop, patience
        self._begun, self._left = b"", 0
        self._looking: asyncio.TimerHandle | None = None
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
        self.look_on()

    def look_on(self) -> None:
        """From now on check that the client receives the pending output."""
        self.look_away()
        self._left = self._transport.get_write_buffer_size()
        if self._left:
            self._looking = self._loop.call_later(self._patience, self._look)

    def look_away(self) -> None:
        """The output was received, or the client is gone: stop checking."""
        if self._looking is not None:
            self._looking.cancel()
            self._looking = None

    def _look(self) -> None:
        if self._transport.get_write_buffer_size() < self._left:
            self.look_on()
        else:
            self._transport.abort()

    def _send_head(self) -> None:
        if self._begun:
            self.write(b"")


class Config(uvicorn.Config):
    """uvicorn's configuration, and what our connections need besides.

    Args:
        application: what answers.
        services: what it works with.
    """

    def __init__(self, application: Any, services: Services, **options: Any) -> None:
        super().__init__(application, http=Protocol, **options)
        self.connections, self.settings = services.connections, services.settings
        self.borders = services.borders


class Protocol(HttpToolsProtocol):
    """One connection."""

    config: Config
    _place: ConnectionSlot | None = None
    _deadline: asyncio.TimerHandle | None = None  # of the head or the body that is under way
    _since = 0.0  # when that began
    _taken = 0  # bytes of the body that have come
    _in_body = False
    _is_upgraded = False
    _head: int | None = None  # bytes of an unfinished head, but for the piece in which it began
    _begun = _piece = 0  # bytes of that piece, and of the latest
    _refusal = Refused("malformed", "not-http")

    def connection_made(self, transport: Any) -> None:
        """See `asyncio.Protocol`."""
        line: Any = Line(transport, self.loop, self.timeout_keep_alive)
        super().connection_made(line)
        self._settings, self._most = self.config.settings, self.config.settings.head_bytes
        self._place = line.place = self.config.connections.arrive(self.client[0] if self.client else "", self)
        if self._place is None:
            transport.abort()
            return
        seconds = self._settings.head_seconds if self._place.refusal else self.timeout_keep_alive
        self.timeout_keep_alive_task = self.loop.call_later(seconds, self.timeout_keep_alive_handler)

    def connection_lost(self, exc: Exception | None) -> None:
        """See `asyncio.Protocol`."""
        super().connection_lost(exc)
        self._expect(None)
        line: Any = self.transport
        line.look_away()
        if self._place is not None:
            self.config.connections.leave(self._place)

    def pause_writing(self) -> None:
        """See `asyncio.Protocol`."""
        super().pause_writing()
        line: Any = self.transport
        line.look_on()

    def resume_writing(self) -> None:
        """See `asyncio.Protocol`."""
        super().resume_writing()
        line: Any = self.transport
        if not line.is_closing():
            line.look_away()

    @property
    def sending(self) -> bool:
        """See `api.http.connections.Held`."""
        return self.transport.get_write_buffer_size() > 0

    def hang_up(self) -> None:
        """See `api.http.connections.Held`."""
        self.transport.abort()

    def data_received(self, data: bytes) -> None:
        """See `asyncio.Protocol`."""
        self._piece = len(data)
        if self._head is not None:
            self._head += self._piece
        super().data_received(data)
        if self.transport.is_closing() or self._is_upgraded:
            return
        if self._head is not None and self._head > self._most:
            self._refuse(self._too_long())
        else:
            self._look_what_is_awaited()

    def handle_websocket_upgrade(self) -> None:
        """See `HttpToolsProtocol`."""
        self._is_upgraded = True
        self._expect(None)
        if self._place is not None:
            self.config.connections.wait(self._place, None)
        super().handle_websocket_upgrade()

    def on_response_complete(self) -> None:
        """See `HttpToolsProtocol`."""
        super().on_response_complete()
        if not self.transport.is_closing():
            self._look_what_is_awaited(came=False)

    def _look_what_is_awaited(self, *, came: bool = True) -> None:
        """Set the deadline of incomplete headers or an incomplete body, and record what is waited for.

        Args:
            came: something was received; else an answer has ended.
        """
        is_served = bool(self.pipeline) or (self.cycle is not None and not self.cycle.response_complete)
        awaited: int | None
        if self._in_body:
            awaited = BODY
        elif self._head is not None or (came and not is_served):
            awaited = HEAD
        else:
            awaited = None if is_served else IDLE
        self._expect(awaited if awaited in SLOW else None)
        if is_served and not (self._in_body and not self.pipeline):
            awaited = None
        if self._place is not None and self._place.waits != awaited:
            self.config.connections.wait(self._place, awaited)

    def _expect(self, what: int | None) -> None:
        """Start the deadline of the headers or the body."""
        if what is None and self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
        elif what is not None and self._deadline is None:
            if not self._in_body and self._head is None:
                self._since = self.loop.time()  # empty lines, before a first line
            self._look_at_the_time()

    def _look_at_the_time(self) -> None:
        self._deadline = None
        now = self.loop.time()
        if self._in_body and (self.flow.read_paused or self.cycle.waiting_for_100_continue):
            self._since = now  # it waits for the server
        settings = self._settings
        if self._in_body:
            seconds = settings.body_seconds + self._taken / settings.body_bytes_per_second
        else:
            seconds = settings.head_seconds
        if now < self._since + seconds:
            self._deadline = self.loop.call_at(self._since + seconds, self._look_at_the_time)
        else:
            self._cut()

    def _cut(self) -> None:
        """Refuse headers or a body that missed the deadline, unless a response is being sent."""
        self.config.connections.closed[SLOW[BODY if self._in_body else HEAD]] += 1
        if self._in_body:
            is_quiet = not self.pipeline and not self.cycle.response_started
        else:
            is_quiet = self.cycle is None or self.cycle.response_complete
        if is_quiet:
            part = "body" if self._in_body else "head"
            self._refuse(Refused("too-slow", f"{part}-too-slow"))
        else:
            self.hang_up()

    def on_message_begin(self) -> None:
        """See `httptools`."""
        self._expect(None)
        self._head, self._begun, self._since = 0, self._piece, self.loop.time()
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """See `httptools`."""
        if self._begun + (self._head or 0) > self._most and self._length() > self._most:
            self._refusal = self._too_long()
            raise ValueError(self._refusal)  # which ends in `send_400_response`
        is_spare = self._place is not None and bool(self._place.refusal)
        if is_spare and self.url.partition(b"?")[0] not in HEALTH:
            self._refusal = self._no_room()
            raise ValueError(self._refusal)
        self._expect(None)
        self._head = None
        self._in_body, self._taken, self._since = True, 0, self.loop.time()
        super().on_headers_complete()
        if is_spare and self.cycle is not None:
            self.cycle.keep_alive = False

    def on_body(self, body: bytes) -> None:
        """See `httptools`."""
        self._taken += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """See `httptools`."""
        self._in_body = False
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """See `HttpToolsProtocol`."""
        self._refuse(self._refusal)

    def _length(self) -> int:
        """The bytes of the headers, as clients usually write them."""
        told = sum(len(name) + len(value) + len(b": \r\n") for name, value in self.headers)
        return len(self.parser.get_method()) + len(self.url) + _LINE + told

    def _too_long(self) -> Refused:
        return Refused("head-too-large", "head-too-large", {"most": self._most})

    def _no_room(self) -> Refused:
        """The refusal of a request, other than for health, on a spare connection."""
        connections, place = self.config.connections, self._place
        why = place.refusal if place is not None else FULL
        connections.closed[why] += 1
        if why == ADDRESS:
            return Refused("limit", "too-many-connections", {"most": connections.each})
        return Refused("full", "server-full", {"most": connections.most})

    def _refuse(self, error: Refused) -> None:
        """Answer with a problem document, in the language of the headers received so far, and disconnect."""
        asked = dict(self.headers or ()).get(b"accept-language", b"").decode("latin-1")
        language = decoding.language(asked)
        soon = _SOON if error.kind in ("limit", "full") else {}
        told = answer(document(error.kind, error, language), language, {"connection": "close", **soon})
        headers = [*told.raw_headers, *self.config.borders.shared(self.headers or ())]
        head = b"".join(b"%b: %b\r\n" % pair for pair in headers)
        self.transport.write(STATUS_LINE[told.status_code] + head + b"\r\n" + bytes(told.body))
        self.transport.close()
