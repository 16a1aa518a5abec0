"""The application: all routes, the refusals, the watch around them, and the OpenAPI document."""

from __future__ import annotations

from typing import Any

import msgspec
from fastapi import FastAPI, Request, Response
from fastapi.openapi.utils import get_openapi
from fastapi.responses import HTMLResponse

from api.http import manual
from api.http.edge import REF
from api.http.refusing import HANDLERS
from api.http.routes import boards, commands, games, log, matches, players, replays, service
from api.http.services import Services
from api.http.watch import Watch
from api.settings import product

TOPICS = (games.api, players.api, matches.api, commands.api, log.api, boards.api, replays.api, service.api)
_ABOUT = """\
Matches of two-player board games, each of them a log that can be replayed and verified.

Times are microseconds UTC; roots, keys and salts are base64. Every refusal is a problem document (RFC 9457).
Labels and explanations follow Accept-Language (en, ru)."""


class Application(FastAPI):
    """FastAPI with a document that knows the structs."""

    def openapi(self) -> dict[str, Any]:
        """The OpenAPI document, made once."""
        if self.openapi_schema is None:
            self.openapi_schema = _document(self)
        return self.openapi_schema


def build(services: Services) -> FastAPI:
    """The application over these services."""
    app = Application(
        title="Glasnost",
        version=product(),
        description=_ABOUT,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        exception_handlers=dict(HANDLERS),
    )
    app.state.services = services
    for topic in TOPICS:
        app.router.routes.extend(topic.router.routes)  # flat: a router in a router costs 30 us a request
    app.add_route("/docs", _manual, include_in_schema=False)
    app.add_middleware(Watch, metrics=services.metrics)
    return app


async def _manual(request: Request) -> Response:
    return HTMLResponse(manual.page(request.app.openapi()))


def _document(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document, with the schemas of every struct."""
    document = get_openapi(
        title=app.title, version=app.version, description=app.description, routes=app.routes
    )
    types = [kind for topic in TOPICS for kind in topic.types]
    _, schemas = msgspec.json.schema_components(types, ref_template=REF)
    components = document.setdefault("components", {})
    components["schemas"] = schemas
    components["securitySchemes"] = {"bearer": {"type": "http", "scheme": "bearer"}}
    return document
