"""The OpenAPI document is valid and true."""

from __future__ import annotations

from typing import Any

from openapi_spec_validator import validate

from api.http import filters, problems
from tests.api.http.served import Served

PATHS = {
    "/v1/games",
    "/v1/games/{game}",
    "/v1/players",
    "/v1/players/{player}/matches",
    "/v1/matches",
    "/v1/matches/{match}",
    "/v1/matches/{match}/seats/{seat}",
    "/v1/matches/{match}/seats/{seat}/salt",
    "/v1/matches/{match}/closing",
    "/v1/matches/{match}/prompt",
    "/v1/matches/{match}/moves",
    "/v1/matches/{match}/takebacks",
    "/v1/matches/{match}/takebacks/{n}/answer",
    "/v1/matches/{match}/resignation",
    "/v1/matches/{match}/rulings",
    "/v1/matches/{match}/turns",
    "/v1/matches/{match}/checkpoint",
    "/v1/matches/{match}/file",
    "/v1/replays",
    "/v1/scoreboards/{game}",
    "/v1/streams/tickets",
    "/v1/keys",
    "/v1/refusals",
    "/problems/{kind}",
    "/healthz",
    "/readyz",
    "/metrics",
}


def document(server: Served) -> Any:
    """The document as served."""
    return server.client().get("/openapi.json").json


def test_it_is_valid_openapi_3_1(server: Served) -> None:
    told = document(server)
    assert told["openapi"].startswith("3.1")
    validate(told)
    assert not [name for name in told["components"]["schemas"] if "." in name]


def test_it_names_every_path_and_documents_every_answer(server: Served) -> None:
    told = document(server)
    assert set(told["paths"]) == PATHS
    for path, methods in told["paths"].items():
        for method, operation in methods.items():
            assert operation["summary"], (path, method)
            assert {"400", "401", "422", "429", "500"} <= set(operation["responses"])
            for status, answer in operation["responses"].items():
                assert answer["description"]
                if status >= "400":
                    assert set(answer["content"]) == {"application/problem+json"}


def test_every_parameter_is_described_and_those_of_few_words_name_them(server: Served) -> None:
    operations = [one for methods in document(server)["paths"].values() for one in methods.values()]
    words: dict[tuple[str, str], Any] = {}
    for operation in operations:
        for parameter in operation.get("parameters", []):
            assert parameter.get("description"), (operation["operationId"], parameter["name"])
            words[parameter["in"], parameter["name"]] = parameter["schema"].get("enum")
    assert words["query", "origin"] == [*filters.ORIGINS, None]
    assert words["query", "pool"] == [*filters.POOLS, None]
    assert words["query", "status"] == ["open", "waiting", "running", "over", None]
    assert words["query", "outcome"] == ["running", "won", "lost", "drawn", "void", None]


def test_an_answer_names_the_refusals_of_its_own_route_alone(server: Served) -> None:
    paths = document(server)["paths"]
    told = {path: paths[path]["get"]["responses"] for path in ("/v1/games", "/problems/{kind}")}
    assert told["/v1/games"]["422"]["description"] == "Invalid request"
    assert told["/problems/{kind}"]["404"]["description"] == "Not found"
    (kind,) = paths["/problems/{kind}"]["get"]["parameters"]
    assert kind["description"] == "What a problem's `type` ends in."
    assert "Batch too long" in paths["/v1/matches/{match}/moves"]["post"]["responses"]["422"]["description"]


def test_the_operations_of_which_a_kind_speaks_are_there(server: Served) -> None:
    paths = document(server)["paths"]
    operations = {one["operationId"]: one for methods in paths.values() for one in methods.values()}
    for kind, names in problems._ONLY.items():
        for name in names:
            about = problems.KINDS[kind]
            documented = operations[name]["responses"].get(str(about.status), {"description": about.en})
            assert about.en in documented["description"], (kind, name)


def test_the_documentation_is_served(server: Served) -> None:
    page = server.client().get("/docs")
    assert page.status == 200
    assert page.headers["content-type"].startswith("text/html")
    for path in (*PATHS, "/v1/socket"):
        assert f"<code>{path}</code>".encode() in page.body
    assert b"//" not in page.body.replace(b"<!doctype", b"")


def test_it_describes_the_messages_of_the_socket(server: Served) -> None:
    told = document(server)
    sides = told["x-sockets"]["/v1/socket"]
    schemas = told["components"]["schemas"]
    named = {
        side: [one["$ref"].rpartition("/")[2] for one in kinds["anyOf"]] for side, kinds in sides.items()
    }
    verbs = [schemas[name]["properties"]["do"]["enum"][0] for name in named["client"]]
    assert verbs == [
        "enter",
        "play",
        "prompt",
        "takeback",
        "answer_takeback",
        "resign",
        "salt",
        "follow",
        "leave",
    ]
    assert named["server"] == ["Reply", "Pushed", "MatchOver"]
    assert {"Entered", "Followed", "Done", "PromptView"} <= set(schemas)
