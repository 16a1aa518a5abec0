"""The root address, HEAD, which is GET without a body, and methods that an address does not accept."""

from __future__ import annotations

import pytest

from tests.api.http.served import Served
from tests.api.http.test_commands import bid


def test_root_redirects_to_the_documentation(server: Served) -> None:
    answer = server.client().get("/")
    assert (answer.status, answer.headers["location"]) == (307, "/docs")
    assert answer.body == b"/docs lists all that there is\n"
    assert server.client().get(answer.headers["location"]).status == 200
    told = server.client().get("/nonsense").problem(404, "not-found")
    assert told["detail"] == "there is nothing at this address; /docs lists all that there is"


@pytest.mark.parametrize(
    "path",
    ["/healthz", "/readyz", "/metrics", "/v1/games", "/v1/matches", "/docs", "/openapi.json", "/nonsense"],
)
def test_head_answers_like_get_without_a_body(server: Served, path: str) -> None:
    told = server.client().get(path)
    client = server.client()
    for _ in range(2):  # a body would be read as the beginning of the next answer
        answer = client.send("HEAD", path)
        assert (answer.status, answer.body) == (told.status, b"")
        assert answer.headers["content-type"] == told.headers["content-type"]
    if path != "/metrics":  # where each look counts
        assert answer.headers["content-length"] == told.headers["content-length"]


def test_head_of_match_moves_and_stream_answers_like_get(server: Served) -> None:
    match, players = server.table()
    address = bid(match, players)
    client = server.client()
    assert client.send("HEAD", address).headers["etag"] == client.get(address).headers["etag"]
    for accept in ("application/json", "application/x-ndjson", "text/event-stream"):
        answer = client.send("HEAD", f"{address}/moves", None, {"accept": accept})
        assert (answer.status, answer.headers["content-type"].partition(";")[0]) == (200, accept)
    assert server.services is not None
    assert server.services.streams.total == 0
    assert client.send("HEAD", "/v1/matches/m1").status == 404


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("DELETE", "/v1/games", "GET, HEAD"),
        ("PUT", "/v1/matches", "GET, HEAD, POST"),
        ("HEAD", "/v1/streams/tickets", "POST"),
        ("PATCH", "/v1/matches/m1/moves", "GET, HEAD, POST"),
        ("POST", "/healthz", "GET, HEAD"),
    ],
)
def test_unknown_method_is_refused_with_the_allowed_ones(
    server: Served, method: str, path: str, allowed: str
) -> None:
    answer = server.client().send(method, path)
    assert (answer.status, answer.headers["allow"]) == (405, allowed)
    if method != "HEAD":
        told = answer.problem(405, "method")
        assert told["detail"] == f"this address does not know {method}; it knows: {allowed}"
        russian = server.client().send(method, path, None, {"accept-language": "ru"}).problem(405, "method")
        about = f"по этому адресу нет метода {method}; есть: {allowed}"
        assert russian["detail"] == f"Метод не поддерживается: {about}"
