"""Where requests come in: one decorator for every route, structs in and out, and the true OpenAPI document.

A route's handler takes a `Call` and its parameters (ordinary FastAPI ones), and gives a struct or a response.
Bodies are decoded by prebuilt decoders and answers encoded by msgspec; pydantic sees parameters only.
FastAPI makes the document; a request comes in by the route's door (`api.http.doors`).
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, TypeVar

import msgspec
from fastapi import APIRouter, Request, Response
from fastapi.routing import APIRoute
from msgspec import Struct

from api.gate import Gate
from api.http import bodies, caching, negotiation, problems
from api.http.access import CHALLENGE, Visitor
from api.http.doors import Door, in_query, refuse_unknown
from api.http.params import IfNoneMatch
from api.http.problems import Failed
from api.http.schemas import BYTES, TEXT, schemas
from api.http.services import Services
from api.http.shapes import Problem
from api.store.seam import Person
from domain.texts import LANGUAGES

EVERYWHERE = (400, 401, 422, 429, 431, 500, 503)  # problems that any route may answer with
FILE = "application/zip"  # the media type of match files
_TOKEN, _NO_TOKEN = "This takes a token.", "No token is needed."
_MAY = "No token is needed; who shows one is answered as the player that it belongs to."
LAG = "glasnost-replica-lag-ms"  # the header that tells how old a replica's answer may be
_JSON = negotiation.JSON
_HEADS = {
    language: ((b"content-language", language.encode()), (b"content-type", _JSON.encode()))
    for language in LANGUAGES
}
_IF_NONE_MATCH = inspect.Parameter(
    "if_none_match", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=IfNoneMatch
)
_GIVEN = ("call", "body")  # a handler's parameters that do not come from address or headers

Handler = Callable[..., Awaitable[Any]]
H = TypeVar("H", bound=Handler)
encode = msgspec.json.Encoder().encode


class Caller:
    """Somebody who was let in, by whichever door: who asks, in which language, and what he may work with."""

    __slots__ = ("lag", "language", "services", "visitor")

    def __init__(self, services: Services, visitor: Visitor, language: str) -> None:
        self.services, self.visitor, self.language = services, visitor, language
        self.lag: float | None = None  # seconds that what he is shown may be old; None: it is current

    @property
    def gate(self) -> Gate:
        """The gate."""
        return self.services.gate

    @property
    def player(self) -> str | None:
        """The id of who asks."""
        return self.visitor.player

    def person(self, *roles: str) -> Person:
        """Who asks; he needs one of these roles, if any are named.

        Raises:
            Failed: unauthorized, forbidden.
        """
        person = self.visitor.person
        if person is None:
            raise self.nobody()
        if roles and person.role not in roles:
            raise Failed("forbidden", f"this takes the role {' or '.join(roles)}, yours is {person.role}")
        return person

    def nobody(self) -> Failed:
        """The refusal of somebody without a token: over HTTP he may show one at any time."""
        return Failed("unauthorized", "send Authorization: Bearer TOKEN", CHALLENGE)


class Call(Caller):
    """One request over HTTP."""

    __slots__ = ("final", "request")

    def __init__(self, services: Services, request: Request, visitor: Visitor) -> None:
        super().__init__(services, visitor, negotiation.language(request.headers.get("accept-language", "")))
        self.request = request
        self.final = False  # everybody may see the answer, and it does not change any more

    def answer(self, content: Any, status: int = 200) -> Response:
        """A struct as a response."""
        return Answer(encode(content), status, self.language)


class Answer(Response):
    """JSON in a language.  Its head is put together here, in a third of the time that any head would take."""

    def __init__(self, body: bytes, status: int, language: str) -> None:
        self.body, self.status_code, self.background = body, status, None
        self.raw_headers = [*_HEADS[language], (b"content-length", b"%d" % len(body))]


class Documented(Struct, frozen=True):
    """What a route answers with besides its struct: a status, what it means, and its media types."""

    status: int
    meaning: str
    media: tuple[str, ...] = ()


_UNCHANGED = Documented(304, "Unchanged: what `If-None-Match` names is still what would be told")


class Api:
    """The routes of one topic.

    Args:
        topic: how the documentation groups them.
        about: what they are for, in a sentence.
    """

    def __init__(self, topic: str, about: str) -> None:
        self.topic, self.about = topic, about
        self.router = APIRouter(tags=[topic])
        self.types: list[Any] = [Problem]

    @property
    def doors(self) -> list[APIRoute]:
        """The routes."""
        return [route for route in self.router.routes if isinstance(route, APIRoute)]

    def get(self, path: str, returns: Any, **more: Any) -> Callable[[H], H]:
        """A route for reading; see `_route`."""
        return self._route("GET", path, returns, None, 200, **more)

    def post(self, path: str, body: Any, returns: Any, status: int = 201, **more: Any) -> Callable[[H], H]:
        """A route for commands; see `_route`.  A `body` with nothing required may be left out."""
        return self._route("POST", path, returns, body, status, **more)

    def _route(
        self,
        method: str,
        path: str,
        returns: Any,
        body: Any,
        status: int,
        *,
        refusals: Iterable[int] = (),
        also: Iterable[Documented] = (),
        token: bool = False,
        personal: bool = False,
        fleeting: bool = False,
    ) -> Callable[[H], H]:
        """Add a route.

        Args:
            returns: the struct that the handler gives, or the media type of what it gives.
            body: the struct that it takes as `body`; None for none, a media type for bytes.
            refusals: the statuses of its problems besides `EVERYWHERE`.
            also: other answers that it may give.
            token: it needs one.
            personal: it needs none, and answers otherwise to somebody who shows one.
            fleeting: no cache may keep what it tells.
        """

        def wrap(handler: H) -> H:
            known = [{"bearer": list[str]()}] if token or personal else []
            extra: dict[str, Any] = {"security": [{}, *known] if personal else known}
            if body is not None:
                extra["requestBody"] = self._request_body(body)
            negotiated = any(other.status == status and other.media for other in also)
            vary = ["accept-language"]
            vary += ["authorization"] if personal else []
            vary += ["accept"] if negotiated else []
            keeps = method == "GET" and not (token or fleeting)
            endpoint, own = _endpoint(handler, body, status, vary if keeps else None)
            summary, *more = inspect.cleandoc(handler.__doc__ or "").split("\n\n")
            self.router.add_api_route(
                path,
                endpoint,
                methods=[method],
                response_model=None,
                response_class=Response,
                status_code=status,
                responses=self._responses(
                    handler.__name__,
                    returns,
                    status,
                    {*refusals, *EVERYWHERE},
                    [*also, *([_UNCHANGED] if keeps else [])],
                ),
                openapi_extra=extra,
                summary=" ".join(summary.split()).rstrip("."),
                description="\n\n".join([*more, _TOKEN if token else _MAY if personal else _NO_TOKEN]),
                operation_id=handler.__name__,
            )
            self.doors[-1].app = Door(endpoint, own)
            return handler

        return wrap

    def _request_body(self, body: Any) -> dict[str, Any]:
        if isinstance(body, str):
            return {"required": True, "content": {body: {"schema": BYTES}}}
        return {"required": not bodies.optional(body), "content": {_JSON: {"schema": self._schema(body)}}}

    def _responses(
        self, name: str, returns: Any, status: int, refusals: set[int], also: Iterable[Documented]
    ) -> dict[int | str, dict[str, Any]]:
        content = _plain(returns) if isinstance(returns, str) else {_JSON: {"schema": self._schema(returns)}}
        told: dict[int | str, dict[str, Any]] = {status: {"description": "Done", "content": content}}
        for other in also:
            media = _plain(*other.media)
            known = told.setdefault(other.status, {"description": other.meaning})
            if media:
                known.setdefault("content", {}).update(media)
        problem = {problems.MEDIA_TYPE: {"schema": self._schema(Problem)}}
        for status in sorted(refusals):
            told[status] = {"description": problems.meaning(status, name), "content": problem}
        return told

    def _schema(self, kind: Any) -> dict[str, Any]:
        self.types.append(kind)
        (schema,), _ = schemas([kind])
        return schema


def _plain(*media: str) -> dict[str, Any]:
    """Bodies that are no JSON, by media type: text, or bytes."""
    return {kind: {"schema": BYTES if kind == FILE else TEXT} for kind in media}


def _endpoint(
    handler: Handler, body: Any, status: int, vary: Sequence[str] | None
) -> tuple[Handler, list[inspect.Parameter]]:
    """What a door calls: let the visitor in, read and decode the body, call the handler, encode.  And the
    parameters that it wants of the client.

    `vary`: the headers on which an answer depends that caches may keep; None: they may not.
    """
    parameters = inspect.signature(handler, eval_str=True).parameters.values()
    own = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in parameters if p.name not in _GIVEN]
    own += [] if vary is None else [_IF_NONE_MATCH]
    known = in_query(own)
    read = None if body is None else bodies.reader(body)

    async def endpoint(request: Request, **given: Any) -> Response:
        services: Services = request.app.state.services
        visitor = await services.tokens.visitor(request)
        services.requests.take(visitor.holder)
        refuse_unknown(request, known)
        call = Call(services, request, visitor)
        if read is not None:
            given["body"] = await read(request, services.settings)
        given.pop(_IF_NONE_MATCH.name, None)  # it may come in several lines
        answer = await handler(call=call, **given)
        response = answer if isinstance(answer, Response) else call.answer(answer, status)
        if vary is None:
            response.headers.setdefault("cache-control", caching.NEVER)
        else:
            alike = call.final and "authorization" not in vary
            private = visitor.person is not None and not alike
            response = await caching.kept(
                request, response, services.packed, vary, own=private, final=call.final
            )
        if call.lag is not None:
            response.headers[LAG] = "unknown" if math.isinf(call.lag) else str(math.ceil(call.lag * 1_000))
        return response

    first = inspect.Parameter("request", inspect.Parameter.KEYWORD_ONLY, annotation=Request)
    vars(endpoint)["__signature__"] = inspect.Signature([first, *own])
    endpoint.__doc__, endpoint.__name__ = handler.__doc__, handler.__name__
    return endpoint, own
