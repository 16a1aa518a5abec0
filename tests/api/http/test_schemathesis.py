"""Schemathesis over the OpenAPI document: whatever it sends, the server has no error, and the document is
true of every answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.api.http.served import Served
from tests.api.http.test_commands import bid

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
# For each operation and mode, in the sample and in the long run.  Few are enough for those of tournaments:
# tests/api/http/test_tournaments.py has what is hostile.
SAMPLE, FULL = 3, 12
FEW_OF_SAMPLE, FEW_OF_FULL = 1, 4


@schemathesis.serializer("application/zip")
def _plain(context: Any, value: Any) -> bytes:
    """A match file is bytes as they come."""
    return value if isinstance(value, bytes) else str(value).encode()


def test_generated_requests_get_only_documented_responses(server: Served) -> None:
    probe_all(server, SAMPLE, FEW_OF_SAMPLE)


@pytest.mark.long
def test_many_generated_requests_get_only_documented_responses(
    server: Served, often: Callable[[int, int], int]
) -> None:
    probe_all(server, often(SAMPLE, FULL), often(FEW_OF_SAMPLE, FEW_OF_FULL))


def probe_all(server: Served, examples: int, few: int) -> None:
    """Send so many generated requests to each operation in each mode, `few` to one of tournaments."""
    match, players = server.table()
    bid(match, players)
    admin = server.person("admin")
    schema = schemathesis.openapi.from_url(f"http://127.0.0.1:{server.port}/openapi.json")
    operations = [result.ok() for result in schema.get_all_operations() if isinstance(result, Ok)]
    assert len(operations) == 107
    for operation in operations:
        if operation.tags == ["data"]:  # without a data set they answer 501; see tests/api/data
            continue
        given = [one.name for one in operation.iter_parameters()]
        may_be_wrong = given not in ([], ["If-None-Match"]) or len(operation.body) > 0
        for mode in GenerationMode if may_be_wrong else [GenerationMode.POSITIVE]:
            of_tournaments = (operation.tags or [""])[0].startswith("tournament")
            probed(operation, mode, match, admin.token or "", few if of_tournaments else examples)
    assert server.client().get(f"/v1/matches/{match}").json["move"] >= 5


def probed(operation: Any, mode: GenerationMode, match: str, token: str, examples: int) -> None:
    """Send what Schemathesis invents to one operation, half of it to a match that exists."""

    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def probe(case: Any) -> None:
        if "match" in case.path_parameters and len(str(case.query)) % 2:
            case.path_parameters["match"] = match
        case.call_and_validate(headers={"authorization": f"Bearer {token}"}, checks=CHECKS)

    probe()
