"""The endpoints of the routes: they are found, and read the documented parameters."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.openapi.utils import get_openapi

from api.http.app import TOPICS
from api.http.openapi import documented
from api.http.routing import Route, Router
from tests.api.http.served import Served

ROUTES = [route for topic in TOPICS for route in topic.routes]
NAMES = [route.endpoint.__name__ for route in ROUTES]


def at(method: str, path: str) -> object:
    """What is found there."""
    return Router(ROUTES).find({"type": "http", "method": method, "path": path})


@pytest.mark.parametrize("route", ROUTES, ids=NAMES)
def test_endpoint_reads_exactly_the_documented_parameters(route: Route) -> None:
    documentation = documented("topic", [route], [])
    (told,) = get_openapi(title="x", version="1", routes=documentation)["paths"].values()
    (operation,) = told.values()
    assert sorted((one.key, one.place) for one in route.endpoint.params) == sorted(
        (one["name"], one["in"]) for one in operation.get("parameters", [])
    )


@pytest.mark.parametrize("route", ROUTES, ids=NAMES)
def test_every_route_is_found_by_its_path(route: Route) -> None:
    given = {name: f"{name}-1" for name in route.names}
    scope: dict[str, Any] = {"type": "http", "method": route.method, "path": route.path.format_map(given)}
    assert Router(ROUTES).find(scope) is route.endpoint
    assert (scope["route"], scope["path_params"]) == (route, given)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/"),
        ("GET", ""),
        ("GET", "/v1"),
        ("GET", "/v1/matches/"),
        ("GET", "/v1/matches//moves"),
        ("GET", "/v1/matches/m/moves/"),
        ("GET", "/v1/matches/m/nonsense"),
        ("GET", "/v1/matches/{match}/{nonsense}"),
        ("PUT", "/v1/matches/m/moves"),
        ("HEAD", "/v1/streams/tickets"),
    ],
)
def test_path_without_an_endpoint_is_left_to_fastapi(method: str, path: str) -> None:
    assert at(method, path) is None


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/v1/matches/a%20b", "path match: it must match ^[A-Za-z0-9_-]{1,64}$"),
        ("/v1/matches/m?at=soon", "query at: a whole number is needed, not 'soon'"),
        ("/v1/matches/m?at=0", "query at: at least 1, not 0"),
        ("/v1/matches?limit=500", "query limit: at most 200, not 500"),
        ("/v1/matches/m?at=", "query at: a whole number is needed, not ''"),
        (f"/v1/matches/m?at={'9' * 5_000}", f"query at: a whole number is needed, not '{'9' * 40}'"),
        ("/v1/matches/m/moves?proof=perhaps", "query proof: true or false is needed, not 'perhaps'"),
        (f"/v1/matches/m?view={'x' * 65}", "query view: at most 64 characters, not 65"),
        ("/v1/matches/m?vieuw=us", "there is no parameter 'vieuw' here"),
    ],
)
def test_refusal_names_the_invalid_parameter(server: Served, path: str, said: str) -> None:
    assert said in server.client().get(path).problem(422, "invalid")["detail"]


def test_refusal_details_contain_no_library_texts(server: Served) -> None:
    for language, said in (
        ("en", "query limit: at most 200, not 500"),
        ("ru", "Запрос неверен: параметр limit: не больше 200, а не 500"),
    ):
        refused = server.client().get("/v1/matches?limit=500", accept_language=language)
        assert refused.problem(422, "invalid")["detail"] == said


def test_refusal_names_the_invalid_header(server: Served) -> None:
    answer = server.client().post(
        "/v1/matches/m/moves", {"expect": 1, "picks": []}, Idempotency_Key="x" * 201
    )
    said = "header Idempotency-Key: at most 200 characters, not 201"
    assert said in answer.problem(422, "invalid")["detail"]


def test_unknown_path_is_404_and_unknown_method_is_405(server: Served) -> None:
    server.client().get("/v1/nonsense").problem(404, "not-found")
    refused = server.client().send("DELETE", "/v1/games")
    refused.problem(405, "method")
    assert refused.headers["allow"] == "GET, HEAD"
