"""Routing: one decorator for every route, with structs in and out.

A route's handler takes a `Call` and its parameters (ordinary FastAPI ones), and returns a struct or a
response.
Prebuilt msgspec decoders and encoders handle the bodies; pydantic sees parameters only.
The route's `RouteEndpoint` serves the requests; FastAPI writes the document (`api.http.openapi`).
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Awaitable, Callable, Iterable, Sequence
from inspect import Parameter
from typing import Annotated, Any, TypeVar, get_args, get_origin

import msgspec
from fastapi import Header, Request, Response
from fastapi.params import Param, Query
from msgspec import Struct
from pydantic import TypeAdapter, ValidationError
from starlette.requests import HTTPConnection
from starlette.types import Scope

from api.gate import Gate
from api.http import caching, decoding
from api.http.app_state import Services
from api.http.auth import Visitor
from api.http.decoding import CHALLENGE
from api.http.exception_handlers import refused
from api.store.interface import Person, StoreError
from domain.kernel import Refused
from domain.refusals import Sentence
from domain.texts import LANGUAGES

# ── How a request finds its route and how the route's parameters are read ──
#
# If FastAPI served the routes, each request would pass ten layers and a dependency solver, which takes 150
# us; judging a move takes 60.  And it would make the documentation of all routes when a server starts, which
# takes a third of the start.  So each route has a `RouteEndpoint`, which reads the same parameters, each
# checked by pydantic as FastAPI would do, and `Router` finds it in as many steps as its path has parts.  A
# path without an endpoint here is passed to FastAPI.

_WRONG = {
    "int": "parameter-not-int",
    "bool": "parameter-not-bool",
    "greater_than_equal": "parameter-too-small",
    "less_than_equal": "parameter-too-large",
    "string_too_long": "parameter-too-long",
    "string_too_short": "parameter-too-short",
    "string_pattern_mismatch": "parameter-pattern",
}
"""The id of our refusal for a kind of pydantic error, or for the first word of that kind."""
_BOUNDS = {"ge": "least", "min_length": "least", "le": "most", "max_length": "most"}
_SHOWN = 40  # characters of the given value


class RouteParam:
    """One parameter that a client gives: `key` is its name in its `place` (path, query or header)."""

    def __init__(self, parameter: Parameter) -> None:
        self.name, self.default = parameter.name, parameter.default
        about = _about(parameter)
        self.key = about.alias or parameter.name
        self.place = about.in_.value
        self._header = self.key.lower().encode()
        self.is_optional = parameter.default is not Parameter.empty
        self._check = TypeAdapter[Any](parameter.annotation).validator.validate_python

    def read(self, request: Request) -> Any:
        """Return its value, checked and converted.

        Raises:
            Refused: invalid.
        """
        if self.place == "path":
            value = request.scope["path_params"].get(self.key)
        elif self.place == "header":
            value = decoding.header_of(request.scope, self._header, None)
        else:
            value = request.query_params.get(self.key)
        if value is None and self.is_optional:
            return self.default
        try:
            return self._check(value)
        except ValidationError as error:
            where = Sentence(f"parameter-in-{self.place}", {"name": self.key})
            raise _wrong(where, error.errors()[0], value or "") from error


class _Place:
    """A node of the tree of paths: the parts that may follow, and the routes that end here."""

    __slots__ = ("any", "named", "routes")

    def __init__(self) -> None:
        self.named: dict[str, _Place] = {}
        self.any: _Place | None = None
        self.routes: dict[str, tuple[Route, list[str]]] = {}  # by method, with its path parameters


class Router:
    """The routes by path and method."""

    def __init__(self, routes: Iterable[Route]) -> None:
        self._top = _Place()
        for route in routes:
            place = self._top
            for part in route.path.split("/"):
                if part.startswith("{"):
                    place.any = place.any or _Place()
                    place = place.any
                else:
                    place = place.named.setdefault(part, _Place())
            place.routes[route.method] = route, route.names

    def find(self, scope: Scope) -> RouteEndpoint | None:
        """Return the endpoint that serves a request; None if FastAPI must answer it.

        Puts the route and its path parameters into the scope.  A route for GET serves HEAD as well: uvicorn
        sends only the headers.
        """
        place, given = self._place(scope["path"])
        method = scope["method"]
        found = place.routes.get("GET" if method == "HEAD" else method) if place else None
        if found is None:
            return None
        route, names = found
        scope["route"], scope["path_params"] = route, dict(zip(names, given, strict=True))
        return route.endpoint

    def allowed(self, path: str) -> list[str]:
        """Return the methods that a path accepts; an empty list if it has no routes."""
        place, _ = self._place(path)
        known = set(place.routes) if place else set[str]()
        return sorted(known | {"HEAD"} if "GET" in known else known)

    def _place(self, path: str) -> tuple[_Place | None, list[str]]:
        """The node at which a path ends (None if there is none), and the values of its path parameters."""
        place, given = self._top, list[str]()
        for part in path.split("/"):
            below = place.named.get(part)
            if below is None:
                below = place.any
                if below is None or not part:
                    return None, given
                given.append(part)
            place = below
        return place, given


def in_query(parameters: Iterable[Parameter]) -> list[str]:
    """Return the names of the query parameters among these."""
    about = [(parameter, _about(parameter)) for parameter in parameters]
    return [one.alias or parameter.name for parameter, one in about if isinstance(one, Query)]


def refuse_unknown(request: HTTPConnection, known: Sequence[str]) -> None:
    """Refuse unknown and repeated query parameters, which would otherwise be ignored silently.

    Raises:
        Refused: invalid.
    """
    if not request.scope["query_string"]:
        return
    seen = set[str]()
    for name, _ in request.query_params.multi_items():
        if not known:
            raise Refused("invalid", "no-parameters", {"name": repr(name[:40])})
        if name not in known:
            raise Refused("invalid", "unknown-parameter", {"name": repr(name[:40]), "known": known})
        if name in seen:
            raise Refused("invalid", "parameter-twice", {"name": name})
        seen.add(name)


def _wrong(where: Sentence, error: Any, value: str) -> Refused:
    """The refusal of a parameter, in our own words instead of those of pydantic."""
    kind, about = error["type"], error.get("ctx", {})
    id = _WRONG.get(kind) or _WRONG.get(kind.partition("_")[0], "parameter-impossible")
    shown = value[:_SHOWN] if "ge" in about or "le" in about else repr(value[:_SHOWN])
    bounds = {_BOUNDS.get(name, name): str(value) for name, value in about.items()}
    return Refused("invalid", id, {**bounds, "where": where, "given": shown, "length": len(value)})


def _about(parameter: Parameter) -> Param:
    """The FastAPI declaration of a parameter: path, query or header."""
    assert get_origin(parameter.annotation) is Annotated, f"{parameter.name} does not say where it stands"
    return next(one for one in get_args(parameter.annotation) if isinstance(one, Param))


# One decorator for every route: it decodes the body, encodes the answer, and documents both.


# Kinds of problems: those of every route, and those of many routes.
EVERYWHERE = ("malformed", "unauthorized", "invalid", "limit", "head-too-large", "failed", "unavailable")
FORBIDDEN = ("forbidden", "cross-origin")
SENT = (*FORBIDDEN, "too-large", "media-type")  # routes with a request body
LOOKS = ("unknown-match", "unknown-move", "withdrawn", "behind")  # routes that read a match
FILE = "application/zip"  # the media type of match files
OCTETS = "application/octet-stream"
LAG = "glasnost-replica-lag-ms"  # the header with the age of a replica's answer in milliseconds
_JSON = decoding.JSON
_HEADS = {
    language: ((b"content-language", language.encode()), (b"content-type", _JSON.encode()))
    for language in LANGUAGES
}
_NEVER = (b"cache-control", caching.NEVER.encode())
IfNoneMatch = Annotated[str | None, Header(alias="If-None-Match", description="The ETag already at hand.")]
_IF_NONE_MATCH = inspect.Parameter(
    "if_none_match", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=IfNoneMatch
)
_GIVEN = ("call", "body")  # a handler's parameters that do not come from address or headers

Handler = Callable[..., Awaitable[Any]]
H = TypeVar("H", bound=Handler)
encode = msgspec.json.Encoder().encode


class Caller:
    """The client of one request or socket: visitor, language, and the services that handlers use."""

    __slots__ = ("gate", "lag", "language", "services", "visitor")

    def __init__(self, services: Services, visitor: Visitor, language: str) -> None:
        self.services, self.visitor, self.language = services, visitor, language
        self.gate: Gate = services.gate
        self.lag: float | None = None  # the age in seconds that the shown state may have; None: it is current

    @property
    def player(self) -> str | None:
        """The id of the player; None for a client without a token."""
        return self.visitor.player

    def person(self, *roles: str) -> Person:
        """Return the person with the token, who needs one of these roles if any are named.

        Raises:
            Refused: unauthorized, forbidden.
        """
        person = self.visitor.person
        if person is None:
            raise self.no_person()
        if roles and person.role not in roles:
            raise Refused("forbidden", "wrong-role", {"roles": roles, "role": person.role})
        return person

    def no_person(self) -> Refused:
        """Return the refusal of a client without a token, who may send one with any HTTP request."""
        return Refused("unauthorized", "token-needed", headers=CHALLENGE)


class Call(Caller):
    """One request over HTTP."""

    __slots__ = ("final", "request")

    def __init__(self, services: Services, request: Request, visitor: Visitor) -> None:
        super().__init__(
            services, visitor, decoding.language(decoding.header_of(request.scope, b"accept-language", ""))
        )
        self.request = request
        self.final = False  # the answer is public and does not change any more

    def answer(self, content: Any, status: int = 200) -> Response:
        """Return a struct as a JSON response."""
        return Answer(encode(content), status, self.language)


class Answer(Response):
    """JSON in a language.  It builds its own headers, in a third of the time that Starlette takes."""

    def __init__(self, body: bytes, status: int, language: str) -> None:
        self.body, self.status_code, self.background = body, status, None
        self.raw_headers = [*_HEADS[language], (b"content-length", b"%d" % len(body))]


class RouteEndpoint:
    """Serves one route.

    Args:
        handler: takes the `Call` and its parameters, and returns a struct or a response.
        body: see `Api._route`.
        status: that of a struct.
        vary: the request headers on which a cacheable answer depends; None: no cache may keep it.
        free: other parameters may be in the query.
    """

    def __init__(
        self, handler: Handler, body: Any, status: int, vary: Sequence[str] | None, *, free: bool = False
    ) -> None:
        parameters = inspect.signature(handler, eval_str=True).parameters.values()
        own = [p.replace(kind=Parameter.KEYWORD_ONLY) for p in parameters if p.name not in _GIVEN]
        sent = own if vary is None else [*own, _IF_NONE_MATCH]  # the header may come in several lines
        self.params = [RouteParam(one) for one in sent]
        self._handler, self._status, self._vary = handler, status, vary
        self._read = None if body is None else decoding.reader(body)
        self._known = None if free else in_query(own)
        given = self.params[: len(own)]
        optional = [one for one in given if one.place == "query" and one.is_optional]
        self._all, self._without_query = given, [one for one in given if one not in optional]
        self._defaults = {one.name: one.default for one in optional}  # most requests have no query
        # FastAPI documents it like a function
        request = Parameter("request", Parameter.KEYWORD_ONLY, annotation=Request)
        self.__signature__ = inspect.Signature([request, *sent])
        self.__doc__, self.__name__ = handler.__doc__, handler.__name__

    async def __call__(self, request: Request) -> Response:
        """Authenticate, take from the rate limit, read what was sent, call the handler and encode.

        A refusal is a response, too.
        """
        services: Services = request.app.services
        try:
            arguments = self._arguments(request)
            visitor = await services.tokens.visitor(request)
            services.requests.take(visitor.counted)
            if request.scope["query_string"] and self._known is not None:
                refuse_unknown(request, self._known)
            call = Call(services, request, visitor)
            if self._read is not None:
                arguments["body"] = await self._read(request, services.settings)
            answer = await self._handler(call=call, **arguments)
            return await self._response_to(call, answer)
        except (Refused, StoreError) as error:
            return await refused(request, error)

    def _arguments(self, request: Request) -> dict[str, Any]:
        """The parameters that a request gives."""
        if request.scope["query_string"]:
            return {one.name: one.read(request) for one in self._all}
        arguments = self._defaults.copy()
        for one in self._without_query:
            arguments[one.name] = one.read(request)
        return arguments

    async def _response_to(self, call: Call, answer: Any) -> Response:
        """The response that tells the answer of a handler, with its caching headers."""
        is_ready = isinstance(answer, Response)
        response = answer if is_ready else Answer(encode(answer), self._status, call.language)
        vary = self._vary
        if vary is not None:
            alike = call.final and "authorization" not in vary
            private = call.visitor.person is not None and not alike
            packed = call.services.packed
            response = await caching.kept(call.request, response, packed, vary, own=private, final=call.final)
        elif not is_ready or b"cache-control" not in dict(response.raw_headers):
            response.raw_headers.append(_NEVER)
        if call.lag is not None:
            response.headers[LAG] = "unknown" if math.isinf(call.lag) else str(math.ceil(call.lag * 1_000))
        return response


class Documented(Struct, frozen=True):
    """Another documented answer of a route: its status, what it means, and its media types or its struct."""

    status: int
    meaning: str
    media: tuple[str, ...] = ()
    returns: type[Struct] | None = None


_UNCHANGED = Documented(304, "Unchanged: `If-None-Match` names the current version")


class Route(Struct, frozen=True, eq=False):
    """One route: what serves it, and what its documentation says besides the docstring of its handler.

    returns, body, refusals, also, token, personal: see `Api._route`.
    """

    method: str
    path: str
    endpoint: RouteEndpoint
    returns: Any
    body: Any
    status: int
    refusals: frozenset[str]
    also: tuple[Documented, ...]
    token: bool
    personal: bool

    @property
    def names(self) -> list[str]:
        """The names of its path parameters, in their order."""
        return [part[1:-1] for part in self.path.split("/") if part.startswith("{")]


class Api:
    """The routes of one topic.

    Args:
        topic: how the documentation groups them.
        about: what they are for, in a sentence.
    """

    def __init__(self, topic: str, about: str) -> None:
        self.topic, self.about = topic, about
        self.routes: list[Route] = []

    def get(self, path: str, returns: Any, **more: Any) -> Callable[[H], H]:
        """A route for reading; see `_route`."""
        return self._route("GET", path, returns, None, 200, **more)

    def post(self, path: str, body: Any, returns: Any, status: int = 201, **more: Any) -> Callable[[H], H]:
        """A route for commands; see `_route`.  A `body` with nothing required may be left out."""
        return self._route("POST", path, returns, body, status, **more)

    def put(self, path: str, body: Any, returns: Any, **more: Any) -> Callable[[H], H]:
        """A route that replaces something; see `_route`."""
        return self._route("PUT", path, returns, body, 200, **more)

    def delete(
        self, path: str, returns: type[Struct], *, refusals: Iterable[str] = (), token: bool = False
    ) -> Callable[[H], H]:
        """A route that removes something and takes no body; see `_route`."""
        return self._route("DELETE", path, returns, None, 200, refusals=refusals, token=token)

    def _route(
        self,
        method: str,
        path: str,
        returns: Any,
        body: Any,
        status: int,
        *,
        refusals: Iterable[str] = (),
        also: Iterable[Documented] = (),
        token: bool = False,
        personal: bool = False,
        fleeting: bool = False,
        free: bool = False,
    ) -> Callable[[H], H]:
        """Add a route.

        Args:
            returns: the struct that the handler returns, several of which it returns one, or the media type
                of its response.
            body: the struct that it takes as `body`; None if it takes none, a media type for bytes.
            refusals: the kinds of its problems besides `EVERYWHERE`.
            also: its other documented answers.
            token: it requires a token.
            personal: it requires no token, but the answer depends on the token if there is one.
            fleeting: no cache may keep its answer.
            free: it takes parameters that are not declared here; the handler judges them.
        """

        def wrap(handler: H) -> H:
            negotiated = any(other.status == status and other.media for other in also)
            vary = ["accept-language"]
            vary += ["authorization", "cookie"] if personal else []
            vary += ["accept"] if negotiated else []
            keeps = method == "GET" and not (token or fleeting)
            endpoint = RouteEndpoint(handler, body, status, vary if keeps else None, free=free)
            refuses = frozenset({*refusals, *EVERYWHERE})
            answers = (*also, *([_UNCHANGED] if keeps else []))
            self.routes.append(
                Route(method, path, endpoint, returns, body, status, refuses, answers, token, personal)
            )
            return handler

        return wrap
