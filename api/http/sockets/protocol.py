"""uvicorn's WebSocket protocol, with what it lacks where the other side misbehaves.

*   uvicorn logs an error, with a trace, for each handshake that is refused and each text that is not UTF-8.
    A stranger may be refused as often as he likes; what is an error of the server, the
    door tells.
*   When the server stops, uvicorn answers a handshake that is under way with a 500; the door answers it.
*   Whoever answers no ping is cut off, also where he has read nothing of what was written to him.
"""

from __future__ import annotations

import logging
from typing import Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

_SILENT = logging.Logger("sockets", logging.CRITICAL + 1)


class SocketProtocol(WebSocketsSansIOProtocol):
    """One connection."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.logger = _SILENT

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
            super().shutdown()

    def keepalive_timeout(self) -> None:
        """See `WebSocketsSansIOProtocol`."""
        super().keepalive_timeout()
        self.loop.call_later(self.close_timeout, self.transport.abort)
