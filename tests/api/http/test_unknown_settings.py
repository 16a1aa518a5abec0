"""A server with an unknown setting reports it in its log, and serves."""

from __future__ import annotations

import json
from pathlib import Path

from tests.api.http.processes import Process


def test_misspelt_setting_is_reported_at_start(tmp_path: Path) -> None:
    given = {"GLASNOST_LOG_LEVEL": "warning", "GLASNOST_REQUEST_PER_SECOND": "5"}
    running = Process(str(tmp_path / "store"), environment=given)
    try:
        code, told = running.stop()
    finally:
        running.close()
    assert code == 0
    lines = [json.loads(line) for line in told.splitlines() if line.startswith("{")]
    assert [(line["event"], line["variable"], line["like"]) for line in lines if "variable" in line] == [
        ("unknown setting", "GLASNOST_REQUEST_PER_SECOND", "GLASNOST_REQUESTS_PER_SECOND")
    ]
