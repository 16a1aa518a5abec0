"""The application: all routes, what is done for each request, the handshake of sockets, the documentation."""

from __future__ import annotations

import asyncio
import logging
import time
from functools import cache, partial
from typing import Any

from fastapi import FastAPI, Request, Response
from starlette.requests import HTTPConnection
from starlette.routing import Route, WebSocketRoute
from starlette.types import Message, Receive, Scope, Send

from api.http import caching, decoding, openapi
from api.http.app_state import Services
from api.http.auth import address
from api.http.connections import HEALTH
from api.http.decoding import JSON
from api.http.exception_handlers import HANDLERS, refused
from api.http.middleware import answered, failed
from api.http.problems import DOCS, answer, document
from api.http.routes import (
    analysis,
    data,
    event_stream,
    lists,
    lobby,
    matches,
    notifications,
    officials,
    players,
    positions,
    reservations,
    server_info,
    sessions,
    tournament_disputes,
    tournament_exports,
    tournament_feeds,
    tournament_officials,
    tournaments,
    transparency,
    uploads,
    verifications,
)
from api.http.routing import Router, encode, refuse_unknown
from api.http.ws_auth import SocketAuth
from api.http.ws_messages import PATH
from api.http.ws_protocol import connection_of
from api.http.ws_session import STOPPING, Session
from api.settings import product
from api.store.interface import StoreError
from api.web.assets import Assets
from api.web.pages import Pages
from domain.kernel import Refused

TOPICS = (
    server_info.games_api,
    players.api,
    players.people_api,
    sessions.api,
    matches.api,
    reservations.api,
    matches.commands_api,
    officials.api,
    event_stream.api,
    positions.api,
    verifications.api,
    analysis.api,
    lists.api,
    tournaments.api,
    tournament_officials.api,
    tournament_disputes.api,
    tournament_exports.api,
    tournament_feeds.api,
    lobby.api,
    notifications.api,
    transparency.api,
    uploads.api,
    data.api,
    server_info.api,
)
_log = logging.getLogger("glasnost.http")
_OPENAPI = "/openapi.json"
_ABOUT = """\
Matches of two-player board games, each of them a log that can be replayed and verified.

Times are microseconds UTC; roots, keys and salts are base64. Every refusal is a problem document (RFC 9457).
Labels and explanations follow Accept-Language (en, ru)."""


class Application(FastAPI):
    """FastAPI, whose routes `api.http.routing` serves and whose document `api.http.openapi` makes."""

    def serve(self, services: Services) -> None:
        """Serve these routes over these services."""
        self.services = services
        self.documents = dict[str, bytes]()  # the documents of `_serve_document`, by media type
        self._addresses = Router(route for topic in TOPICS for route in topic.routes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI; every request is counted and answered, also one that fails."""
        send = self.services.borders.telling(scope, send)
        if scope["type"] != "http":
            await self._serve(scope, receive, send)
            return
        begun, status = time.perf_counter(), 0

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status, route = message["status"], getattr(scope.get("route"), "path", "")
                method, seconds = scope["method"] if route else "other", time.perf_counter() - begun
                answered(self.services.metrics, method, route or "none", status, seconds)
            await send(message)

        try:
            await self._serve(scope, receive, noting)
        except asyncio.CancelledError:  # the server stops, and waits no longer: uvicorn would say 500
            if status:
                raise
            language = decoding.language_of(Request(scope))
            stopped = answer(document("in-doubt", Refused("in-doubt", "outcome-unknown"), language), language)
            await stopped(scope, receive, noting)
        except Exception as error:
            _log.error("error in the server", exc_info=True, extra={"route": _route(scope)})
            if status == 0:
                response = await failed(Request(scope), error)
                await response(scope, receive, noting)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """By the endpoint of the route; where there is none, by FastAPI, which serves or refuses the rest."""
        scope["app"] = self
        services = self.services
        visitor, visits = address(scope), services.visits
        endpoint = self._addresses.find(scope) if scope["type"] == "http" else None
        try:
            services.borders.check(scope)
            if visits.has_all(visitor) and scope["path"].encode() not in HEALTH:
                raise Refused("limit", "too-many-requests", {"most": visits.most}, {"retry-after": "1"})
            response = self._options(scope) if scope.get("method") == "OPTIONS" else None
        except Refused as error:
            response = await refused(HTTPConnection(scope), error)
        if response is not None:
            await response(scope, receive, send)
            return
        visits.add(visitor)  # behind a proxy, the only limit of this kind
        try:
            if endpoint is None:
                await super().__call__(scope, receive, send)
            else:
                response = await endpoint(Request(scope, receive))
                await response(scope, receive, send)
        finally:
            visits.remove(visitor)

    def _options(self, scope: Scope) -> Response | None:
        """What a path knows; None where it is none of the routes.

        Raises:
            Refused: cross-origin, where a browser asks for a page that may not use this server.
        """
        known = self.allowed(scope["path"])
        if not known:
            return None
        response = Response(status_code=204, headers={"allow": ", ".join([*known, "OPTIONS"])})
        asked = {name for name, _ in scope["headers"]}
        if {b"origin", b"access-control-request-method"} <= asked:
            response.raw_headers += self.services.borders.preflight(scope, known)
        return response

    def allowed(self, path: str) -> list[str]:
        """The methods that a path knows, where it is one of the routes."""
        return self._addresses.allowed(path)

    def openapi(self) -> dict[str, Any]:
        """The OpenAPI document, made once."""
        if self.openapi_schema is None:
            self.openapi_schema = openapi.document(self, TOPICS)
        return self.openapi_schema


def _route(scope: Scope) -> str:
    """The path as the documentation writes it, without ids and without the query."""
    return str(getattr(scope.get("route"), "path", ""))


def build(services: Services) -> Application:
    """The application over these services."""
    app = Application(
        title="Glasnost",
        version=product(),
        description=_ABOUT,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        exception_handlers={**HANDLERS, Exception: failed},
    )
    app.serve(services)
    app.router.routes.extend(Pages(_assets()).routes)
    app.router.routes.append(Route(transparency.TILES, transparency.serve_tile))
    for path, kind in ((DOCS, "text/html"), (_OPENAPI, JSON)):
        app.add_route(path, partial(_serve_document, kind=kind), include_in_schema=False)
    app.add_route(PATH, _not_a_handshake, include_in_schema=False)
    app.router.routes.append(WebSocketRoute(PATH, SocketEndpoint()))
    return app


@cache
def _assets() -> Assets:
    """The static files, which a process reads and packs once."""
    return Assets()


# ── The handshake of a socket: it is refused like any request, with the same documents ──


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


async def _not_a_handshake(request: Request) -> Response:
    """Return the refusal of a plain request to the socket's address."""
    raise Refused("upgrade", "websocket-only", headers={"upgrade": "websocket"})


# ── The OpenAPI document ──


async def _serve_document(request: Request, kind: str) -> Response:
    """The document, for people or for programs: the same for all clients."""
    app = request.app
    if kind not in app.documents:
        document = app.openapi()
        page = encode(document) if kind == JSON else openapi.docs_page(document).encode()
        app.documents[kind] = page
    head = {"content-security-policy": "frame-ancestors 'none'"}
    response = Response(app.documents[kind], headers=head, media_type=kind)
    return await caching.kept(request, response, app.services.packed, (), own=False, final=True)
