"""The OpenAPI document is true of the routes that answer from a data set."""

from __future__ import annotations

import pytest
import schemathesis
from schemathesis import GenerationMode
from schemathesis.core.result import Ok

from tests.api.http.served import Served
from tests.api.http.test_schemathesis import probed
from tests.waiting import soon

EXAMPLES = 12  # for each operation and each mode


@pytest.mark.long
def test_generated_requests_get_only_documented_responses(asked: Served) -> None:
    player = asked.player()
    soon(lambda: player.post("/v1/sql", {"sql": "SELECT 1"}).status == 200)
    schema = schemathesis.openapi.from_url(f"http://127.0.0.1:{asked.port}/openapi.json")
    found = [result.ok() for result in schema.get_all_operations() if isinstance(result, Ok)]
    operations = [operation for operation in found if operation.tags == ["data"]]
    assert len(operations) == 8
    for operation in operations:
        given = [one.name for one in operation.iter_parameters()]
        may_be_wrong = given not in ([], ["If-None-Match"]) or len(operation.body) > 0
        for mode in GenerationMode if may_be_wrong else [GenerationMode.POSITIVE]:
            probed(operation, mode, "m1", player.token or "", EXAMPLES)
