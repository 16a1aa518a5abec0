"""The outermost layer: counts and logs every request, and turns what nobody foresaw into a problem."""

from __future__ import annotations

import asyncio
import logging
import time

from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.http import negotiation
from api.http.metrics import Metrics
from api.http.problems import answer, document
from api.http.shapes import Problem

# What failed may have been the answer to a command that was carried out: nobody can say that nothing changed.
_FAILED = "look at the match before you send this again; the log of the server says more"
_CUT_OFF = "the server stops, and could not wait for the outcome; look, or send the same again"
_log = logging.getLogger("glasnost.http")


class Watch:
    """ASGI middleware around all routes.

    Args:
        app: what answers.
        metrics: where requests are counted.
    """

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app, self._metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun, status = time.perf_counter(), 0

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                self._answered(scope, status, time.perf_counter() - begun)
            await send(message)

        try:
            await self._app(scope, receive, noting)
        except asyncio.CancelledError:  # the server stops, and waits no longer: uvicorn would say 500
            if status:
                raise
            language = negotiation.language(Request(scope).headers.get("accept-language", ""))
            await answer(document("in-doubt", _CUT_OFF, language), language)(scope, receive, noting)
        except Exception as error:
            _log.error("error in the server", exc_info=True, extra={"route": _route(scope)})
            if status == 0:
                response = await failed(Request(scope), error)
                await response(scope, receive, noting)

    def _answered(self, scope: Scope, status: int, seconds: float) -> None:
        route = _route(scope)
        method = scope["method"] if route else "other"
        answered(self._metrics, method, route or "none", status, seconds)


def answered(metrics: Metrics, method: str, route: str, status: int, seconds: float) -> None:
    """Count and log a request, or a message of a socket."""
    metrics.answered(method, route, status, seconds)
    if _log.isEnabledFor(logging.DEBUG):
        told = {"method": method, "route": route, "status": status, "us": int(seconds * 1_000_000)}
        _log.debug("request", extra=told)


def _route(scope: Scope) -> str:
    """The path as the documentation writes it: never an id, let alone a query."""
    return str(getattr(scope.get("route"), "path", ""))


def unforeseen(language: str) -> Problem:
    """What is told of an error that nobody foresaw."""
    return document("failed", _FAILED, language)


async def failed(request: HTTPConnection, error: Exception) -> Response:
    """The answer to a request on which the server failed; what the error says is not told."""
    language = negotiation.language(request.headers.get("accept-language", ""))
    return answer(unforeseen(language), language)
