"""How a request finds its route and how the route's parameters are read.

FastAPI makes the OpenAPI document of the routes.  If it served them, too, each request would pass ten layers
and a solver of dependencies, which takes 150 us where judging a move takes 60.  So each route has a `Door`,
which reads the same parameters, each checked by pydantic as FastAPI would do, and `Addresses` finds it in as
many steps as its path has parts.  Whatever has no door here goes on to FastAPI.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from inspect import Parameter
from operator import attrgetter
from typing import Annotated, Any, get_args, get_origin

from fastapi import Request, Response
from fastapi.params import Param, Query
from fastapi.routing import APIRoute
from pydantic import TypeAdapter, ValidationError
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from api.gate import Denied
from api.http.problems import Failed
from api.http.refusing import refused
from api.store.seam import StoreError

Endpoint = Callable[..., Awaitable[Response]]
_PLACES: dict[str, Callable[[Request], Mapping[str, str]]] = {
    "path": attrgetter("path_params"),
    "query": lambda request: request.query_params if request.scope["query_string"] else {},
    "header": attrgetter("headers"),
}


_SAID = {
    "int": "a whole number is needed, not {given!r}",
    "bool": "true or false is needed, not {given!r}",
    "greater_than_equal": "at least {ge}, not {given}",
    "less_than_equal": "at most {le}, not {given}",
    "string_too_long": "at most {max_length} characters, not {length}",
    "string_too_short": "at least {min_length} characters, not {length}",
    "string_pattern_mismatch": "it must match {pattern}",
}
"""What is wrong with a parameter, by the kind of error that pydantic names, or by what that begins with."""
_SHOWN = 40  # characters of what was given


class Given:
    """One parameter that a client gives: `key` is its name in its `place` (path, query or header)."""

    def __init__(self, parameter: Parameter) -> None:
        self.name, self._default = parameter.name, parameter.default
        about = _about(parameter)
        self.key = about.alias or parameter.name
        self.place = about.in_.value
        self._those_of = _PLACES[self.place]
        self._check = TypeAdapter[Any](parameter.annotation).validator.validate_python

    def read(self, request: Request) -> Any:
        """Its value.

        Raises:
            Failed: invalid.
        """
        value = self._those_of(request).get(self.key)
        if value is None and self._default is not Parameter.empty:
            return self._default
        try:
            return self._check(value)
        except ValidationError as error:
            told = f"{self.place} {self.key}: {_said(error.errors()[0], value or '')}"
            raise Failed("invalid", told) from error


class Door:
    """What serves one route: reads the parameters, calls the endpoint, sends what it gives or refuses.

    Args:
        endpoint: takes the request and the parameters.
        parameters: those that a client gives.
    """

    def __init__(self, endpoint: Endpoint, parameters: Iterable[Parameter]) -> None:
        self._endpoint, self.given = endpoint, [Given(parameter) for parameter in parameters]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        request = Request(scope, receive)
        try:
            response = await self._endpoint(request, **{one.name: one.read(request) for one in self.given})
        except (Failed, Denied, StoreError) as error:
            response = await refused(request, error)
        await response(scope, receive, send)


class _Place:
    """What stands below one part of a path: the parts that may follow, and the routes that end here."""

    __slots__ = ("any", "named", "routes")

    def __init__(self) -> None:
        self.named: dict[str, _Place] = {}
        self.any: _Place | None = None
        self.routes: dict[str, APIRoute] = {}


class Addresses:
    """The routes by path and method."""

    def __init__(self, routes: Iterable[APIRoute]) -> None:
        self._top = _Place()
        for route in routes:
            place = self._top
            for part in route.path.split("/"):
                if part.startswith("{"):
                    place.any = place.any or _Place()
                    place = place.any
                else:
                    place = place.named.setdefault(part, _Place())
            for method in route.methods or ():
                place.routes[method] = route

    def find(self, scope: Scope) -> ASGIApp | None:
        """What serves a request; None where this is for FastAPI to say.

        The scope is told the route and the parts of its path that are parameters.  What answers GET answers
        HEAD as well: uvicorn sends the head alone.
        """
        place, given = self._place(scope["path"])
        method = scope["method"]
        route = place.routes.get("GET" if method == "HEAD" else method) if place else None
        if route is None:
            return None
        scope["route"], scope["path_params"] = route, dict(zip(route.param_convertors, given, strict=True))
        return route.app

    def allowed(self, path: str) -> list[str]:
        """The methods that the routes at a path know; none where there are no routes."""
        place, _ = self._place(path)
        known = set(place.routes) if place else set[str]()
        return sorted(known | {"HEAD"} if "GET" in known else known)

    def _place(self, path: str) -> tuple[_Place | None, list[str]]:
        """Where a path ends, and its parts that are parameters."""
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
    """The names of those parameters that stand in the query."""
    about = [(parameter, _about(parameter)) for parameter in parameters]
    return [one.alias or parameter.name for parameter, one in about if isinstance(one, Query)]


def refuse_unknown(request: HTTPConnection, known: Sequence[str]) -> None:
    """A misspelt parameter would be left out of account silently, and so would all but one of several values.

    Raises:
        Failed: invalid.
    """
    if not request.scope["query_string"]:
        return
    seen = set[str]()
    for name, _ in request.query_params.multi_items():
        if not known:
            raise Failed("invalid", f"there is no parameter {name[:40]!r} here: this address takes none")
        if name not in known:
            told = ", ".join(known)
            raise Failed("invalid", f"there is no parameter {name[:40]!r} here; there are: {told}")
        if name in seen:
            raise Failed("invalid", f"the parameter {name} is given twice; give it once")
        seen.add(name)


def _said(error: Any, given: str) -> str:
    """What is wrong with a parameter, in our own words; `api.http.details` knows the same in Russian."""
    kind = error["type"]
    said = _SAID.get(kind) or _SAID.get(kind.partition("_")[0], "no such value is possible")
    return said.format_map({**error.get("ctx", {}), "given": given[:_SHOWN], "length": len(given)})


def _about(parameter: Parameter) -> Param:
    """Where FastAPI is told that a parameter stands."""
    assert get_origin(parameter.annotation) is Annotated, f"{parameter.name} does not say where it stands"
    return next(one for one in get_args(parameter.annotation) if isinstance(one, Param))
