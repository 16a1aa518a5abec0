"""The socket: a second way to the same gate, one WebSocket for each player (docs/http.md).

The handshake is refused like any request, with the same documents.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import Any

from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from api.http.app_state import Services
from api.http.routing import refuse_unknown, schemas
from api.http.ws_auth import SocketAuth
from api.http.ws_messages import SAID, TOLD, Entered, Followed
from api.http.ws_protocol import connection_of
from api.http.ws_session import PATH, STOPPING, Session
from api.store.interface import StoreError
from domain.kernel import Refused

_log = logging.getLogger("glasnost.http")
TYPES = (*SAID, *TOLD, Entered, Followed)


class SocketEndpoint:
    """ASGI: the handshake, then the session."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI.

        Raises:
            Refused: unauthorized, invalid, limit, unavailable: then there is no socket.
        """
        connection = HTTPConnection(scope)
        try:
            await self._serve(connection, receive, send)
        except (Refused, StoreError):
            raise
        except OSError:  # the client has disconnected
            return
        except Exception:
            _log.error("error in the server", exc_info=True, extra={"route": PATH})
            raise Refused("failed", "server-error") from None

    async def _serve(self, connection: HTTPConnection, receive: Receive, send: Send) -> None:
        services: Services = connection.app.services
        refuse_unknown(connection, ())
        auth = SocketAuth(services, connection)
        try:
            await auth.arrive()
            await receive()  # websocket.connect
            if services.gate.stopping:  # a new socket would not be notified of the stop
                raise Refused("unavailable", "server-stopping")
            session = Session(services, auth, connection_of(connection.scope))
            with services.sockets.registered(partial(session.end, STOPPING)):
                await send({"type": "websocket.accept"})
                await session.run(receive, send)
        finally:
            auth.leave()


async def not_a_handshake(request: Request) -> Response:
    """Return the refusal of a plain request to the socket's address."""
    raise Refused("upgrade", "websocket-only", headers={"upgrade": "websocket"})


def described() -> dict[str, Any]:
    """Return the schema of the messages, which the OpenAPI document shows at the socket's route."""

    def any_of(kinds: tuple[Any, ...]) -> dict[str, Any]:
        told, _ = schemas(kinds)
        return {"anyOf": told}

    return {PATH: {"client": any_of(SAID), "server": any_of(TOLD)}}
