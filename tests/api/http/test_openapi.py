"""The OpenAPI document is valid and true."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from openapi_spec_validator import validate

from api.http import problems
from api.http.routes import lists
from projections.tournaments import STATUSES as TOURNAMENT_STATUSES
from tests.api.http.served import Served, served

PATHS = {
    "/v1/games",
    "/v1/games/{game}",
    "/v1/players",
    "/v1/players/{player}",
    "/v1/players/{player}/forgetting",
    "/v1/players/{player}/matches",
    "/v1/players/{player}/name",
    "/v1/players/{player}/revocation",
    "/v1/players/{player}/token",
    "/v1/audit",
    "/v1/matches",
    "/v1/matches/{match}",
    "/v1/matches/{match}/seats/{seat}",
    "/v1/matches/{match}/seats/{seat}/salt",
    "/v1/matches/{match}/closing",
    "/v1/matches/{match}/seats/{seat}/reservation",
    "/v1/matches/{match}/seats/{seat}/reservation/withdrawal",
    "/v1/matches/{match}/reservations",
    "/v1/matches/{match}/positions",
    "/v1/lobby",
    "/v1/notifications",
    "/v1/notifications/feed",
    "/v1/matches/{match}/prompt",
    "/v1/matches/{match}/scene",
    "/v1/matches/{match}/moves",
    "/v1/matches/{match}/takebacks",
    "/v1/matches/{match}/takebacks/{n}/answer",
    "/v1/matches/{match}/resignation",
    "/v1/matches/{match}/clock",
    "/v1/matches/{match}/evidence",
    "/v1/matches/{match}/freeze",
    "/v1/matches/{match}/rulings",
    "/v1/matches/{match}/branches",
    "/v1/matches/{match}/turns",
    "/v1/matches/{match}/checkpoint",
    "/v1/matches/{match}/file",
    "/v1/matches/{match}/verification",
    "/v1/matches/{match}/analysis",
    "/log/checkpoint",
    "/v1/log/consistency",
    "/v1/log/proof",
    "/v1/matches/{match}/withdrawal",
    "/v1/replays",
    "/v1/scoreboards/{game}",
    "/v1/sessions",
    "/v1/sessions/{session}",
    "/v1/sessions/links",
    "/v1/streams/tickets",
    "/v1/data",
    "/v1/data/dictionary",
    "/v1/data/parts/{sha256}",
    "/v1/queries",
    "/v1/queries/{query}",
    "/v1/positions",
    "/v1/sql",
    "/v1/explorer",
    "/v1/tournaments",
    "/v1/tournaments/import",
    "/v1/tournaments/{tournament}",
    "/v1/tournaments/{tournament}/calls",
    "/v1/tournaments/{tournament}/calls/{entry}/answer",
    "/v1/tournaments/{tournament}/checkpoint",
    "/v1/tournaments/{tournament}/crosstable",
    "/v1/tournaments/{tournament}/schedule",
    "/v1/tournaments/{tournament}/disputes",
    "/v1/tournaments/{tournament}/disputes/{match}",
    "/v1/tournaments/{tournament}/export",
    "/v1/tournaments/{tournament}/feed.atom",
    "/v1/players/{player}/tasks",
    "/v1/tournaments/{tournament}/entrants",
    "/v1/tournaments/{tournament}/entries",
    "/v1/tournaments/{tournament}/freezes",
    "/v1/tournaments/{tournament}/integrity",
    "/v1/tournaments/{tournament}/invitations",
    "/v1/tournaments/{tournament}/log",
    "/v1/tournaments/{tournament}/penalties",
    "/v1/tournaments/{tournament}/previews",
    "/v1/tournaments/{tournament}/privileged-reads",
    "/v1/tournaments/{tournament}/reported-files",
    "/v1/tournaments/{tournament}/reported-files/{file}",
    "/v1/tournaments/{tournament}/publication",
    "/v1/tournaments/{tournament}/rounds",
    "/v1/tournaments/{tournament}/rounds/{round_number}",
    "/v1/tournaments/{tournament}/rounds/{round_number}/boards/{board}",
    "/v1/tournaments/{tournament}/rounds/{round_number}/boards/{board}/rulings",
    "/v1/tournaments/{tournament}/rounds/{round_number}/changes",
    "/v1/tournaments/{tournament}/rounds/{round_number}/close",
    "/v1/tournaments/{tournament}/rounds/{round_number}/publication",
    "/v1/tournaments/{tournament}/sealed",
    "/v1/tournaments/{tournament}/standings",
    "/v1/tournaments/{tournament}/tasks",
    "/v1/bots",
    "/v1/keys",
    "/v1/refusals",
    "/problems/{kind}",
    "/healthz",
    "/readyz",
    "/metrics",
}


OPERATIONS = {
    "answer_takeback",
    "ask_takeback",
    "create_player",
    "create_ticket",
    "healthz",
    "list_games",
    "list_matches",
    "list_refusals",
    "metrics",
    "open_match",
    "play",
    "read_analysis",
    "read_checkpoint",
    "read_file",
    "read_game",
    "read_history",
    "read_keys",
    "read_lobby",
    "read_match",
    "read_moves",
    "read_positions",
    "read_problem",
    "read_prompt",
    "read_scene",
    "read_scoreboard",
    "read_turns",
    "read_verification",
    "readyz",
    "resign",
    "rule",
    "sit_down",
    "upload",
}
"""Names of functions in every client that was generated: one may join them, none may change."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One server for all tests, because it takes a second to make the document."""
    with served(tmp_path_factory.mktemp("server")) as running:
        yield running


def document(server: Served) -> Any:
    """The document as served."""
    return server.client().get("/openapi.json").json


def test_document_is_valid_openapi_3_1(server: Served) -> None:
    told = document(server)
    assert told["openapi"].startswith("3.1")
    validate(told)
    assert not [name for name in told["components"]["schemas"] if "." in name]


def test_every_path_and_response_is_documented(server: Served) -> None:
    told = document(server)
    assert set(told["paths"]) == PATHS
    for path, methods in told["paths"].items():
        for method, operation in methods.items():
            assert operation["summary"], (path, method)
            assert {"400", "401", "422", "429", "431", "500", "503"} <= set(operation["responses"])
            for status, answer in operation["responses"].items():
                assert answer["description"]
                assert all(content["schema"] for content in answer.get("content", {}).values())
                if status >= "400":
                    assert set(answer["content"]) == {"application/problem+json"}


def test_operation_ids_are_stable(server: Served) -> None:
    told = [one["operationId"] for methods in document(server)["paths"].values() for one in methods.values()]
    assert len(set(told)) == len(told)
    assert set(told) >= OPERATIONS


def test_every_tag_is_declared_and_described_once(server: Served) -> None:
    told = document(server)
    assert told["servers"] == [{"url": "/", "description": "This server"}]
    topics = [tag["name"] for tag in told["tags"]]
    operations = [one for methods in told["paths"].values() for one in methods.values()]
    assert {tag for one in operations for tag in one["tags"]} == set(topics)
    assert not [one["operationId"] for one in operations if one["summary"] in one["description"]]
    page = server.client().get("/docs").body.decode()
    assert [page.count(f"<h2>{topic.title()}</h2>") for topic in topics] == [1] * len(topics)


def _objects(schema: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """Every schema of an object in a part of the document, with its place."""
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            yield place, schema
        for name, part in schema.items():
            yield from _objects(part, f"{place}/{name}")
    elif isinstance(schema, list):
        for number, part in enumerate(schema):
            yield from _objects(part, f"{place}/{number}")


def test_objects_with_free_keys_declare_additional_properties(server: Served) -> None:
    objects = dict(_objects(document(server)["components"]["schemas"]))
    unsaid = [
        place
        for place, told in objects.items()
        if not {"properties", "additionalProperties", "anyOf"} & set(told)
    ]
    assert unsaid == []
    assert objects["/NewMatch/properties/options"]["additionalProperties"] is True
    assert objects["/MatchView/properties/table"]["additionalProperties"] is True
    assert "anyOf" in objects["/MatchView/properties/seats"]["additionalProperties"]


def test_only_fields_that_are_always_sent_are_required(server: Served) -> None:
    schemas = document(server)["components"]["schemas"]
    assert [place for place, told in _objects(schemas) if "default" in told] == []
    asked = {name: schemas[name].get("required", []) for name in ("NewMatch", "Sit", "Moves", "Ruling")}
    assert asked == {"NewMatch": ["game"], "Sit": [], "Moves": ["expect"], "Ruling": ["reason"]}
    optional = {"MatchView": {"branch", "clock", "frozen", "incomplete", "private"}}
    for name in ("StandingRow", "TotalsRow", "SeatingRow", "MatchRow", "MatchView", "MatchOver"):
        required = set(schemas[name]["properties"]) - optional.get(name, set())
        assert set(schemas[name]["required"]) == required, name
    assert set(schemas["Problem"]["required"]) == {"type", "title", "status", "detail"}
    assert schemas["NamedOption"]["properties"]["cost"] == {"type": "integer"}


def test_match_files_are_binary_and_single_values_are_const(server: Served) -> None:
    told = document(server)
    sent = told["paths"]["/v1/replays"]["post"]["requestBody"]["content"]["application/zip"]
    got = told["paths"]["/v1/matches/{match}/file"]["get"]["responses"]["200"]["content"]["application/zip"]
    assert sent["schema"] == got["schema"] == {"type": "string", "format": "binary"}
    over = told["components"]["schemas"]["MatchOver"]["properties"]["over"]
    assert over == {"type": "boolean", "const": True}
    point = told["components"]["schemas"]["Turn"]["properties"]["points"]["items"]
    assert point["discriminator"]["propertyName"] == "point"
    assert set(point) == {"oneOf", "discriminator"}


def test_every_parameter_is_described_and_enums_list_their_values(server: Served) -> None:
    operations = [one for methods in document(server)["paths"].values() for one in methods.values()]
    words: dict[tuple[str, str], Any] = {}
    for operation in operations:
        for parameter in operation.get("parameters", []):
            assert parameter.get("description"), (operation["operationId"], parameter["name"])
            if "enum" in parameter["schema"]:
                about = "tournament " if "tournament" in operation["operationId"] else ""
                words[parameter["in"], about + parameter["name"]] = parameter["schema"]["enum"]
    assert words["query", "tournament status"] == [*TOURNAMENT_STATUSES]
    assert words["query", "origin"] == [*lists.ORIGINS]
    assert words["query", "pool"] == [*lists.POOLS]
    assert words["query", "status"] == ["open", "waiting", "running", "over"]
    assert words["query", "outcome"] == ["running", "won", "lost", "drawn", "void"]


def test_response_lists_only_the_refusals_of_its_route(server: Served) -> None:
    paths = document(server)["paths"]
    told = {path: paths[path]["get"]["responses"] for path in ("/v1/games", "/problems/{kind}")}
    assert told["/v1/games"]["422"]["description"] == "Invalid request"
    assert told["/problems/{kind}"]["404"]["description"] == "Not found"
    kind, _ = paths["/problems/{kind}"]["get"]["parameters"]
    assert kind["description"] == "What a problem's `type` ends in."
    assert "Batch too long" in paths["/v1/matches/{match}/moves"]["post"]["responses"]["422"]["description"]


def test_every_problem_kind_is_documented_at_a_route(server: Served) -> None:
    operations = [one for methods in document(server)["paths"].values() for one in methods.values()]
    told = [answer["description"] for one in operations for answer in one["responses"].values()]
    missing = {kind for kind, about in problems.KINDS.items() if not any(about.en in one for one in told)}
    assert missing == {"method", "too-slow", "wrong-host", "upgrade", "full"}, "those of any address"


def test_the_documentation_is_served(server: Served) -> None:
    page = server.client().get("/docs")
    assert page.status == 200
    assert page.headers["content-type"].startswith("text/html")
    for path in (*PATHS, "/v1/socket"):
        assert f"<code>{path}</code>".encode() in page.body
    assert b"//" not in page.body.replace(b"<!doctype", b"")


def test_socket_messages_are_documented(server: Served) -> None:
    told = document(server)
    sides = told["x-sockets"]["/v1/socket"]
    schemas = told["components"]["schemas"]
    named = {
        side: [one["$ref"].rpartition("/")[2] for one in kinds["anyOf"]] for side, kinds in sides.items()
    }
    verbs = [schemas[name]["properties"]["do"]["enum"][0] for name in named["client"]]
    assert verbs == [
        "enter",
        "sit",
        "play",
        "prompt",
        "takeback",
        "answer_takeback",
        "resign",
        "clock",
        "freeze",
        "salt",
        "follow",
        "leave",
        "lobby",
        "follow_tournament",
        "leave_tournament",
    ]
    assert named["server"] == [
        "Reply",
        "Pushed",
        "MatchOver",
        "LobbyPush",
        "TournamentEntry",
        "BoardsMoved",
    ]
    assert {"Entered", "Followed", "Done", "PromptView"} <= set(schemas)
