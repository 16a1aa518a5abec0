"""The proxy of the containers stands at another address than the worker, and is believed."""

from __future__ import annotations

import importlib
from http.client import HTTPConnection
from ipaddress import IPv4Network
from pathlib import Path
from typing import Any

from tests.api.http.processes import Process
from tests.ops.examples import OPS

yaml: Any = importlib.import_module("yaml")  # it comes with the test extra, without types
PROXY = "127.0.0.2"


def test_the_containers_trust_only_private_networks() -> None:
    service = yaml.safe_load((OPS / "compose.yaml").read_text("utf-8"))["services"]["worker-1"]
    named = [IPv4Network(one) for one in service["environment"]["FORWARDED_ALLOW_IPS"].split(",")]
    assert service["environment"]["GLASNOST_TRUST_PROXY"] == "true"
    assert all(one.is_private for one in named)
    assert any(IPv4Network("172.18.0.0/16").subnet_of(one) for one in named)  # what docker gives out first


def test_visitors_behind_a_trusted_proxy_are_distinguished_by_its_header_alone(tmp_path: Path) -> None:
    told = {
        "GLASNOST_TRUST_PROXY": "true",
        "FORWARDED_ALLOW_IPS": f"{PROXY}/32",
        "GLASNOST_PLAYERS_PER_MINUTE": "1",
    }
    running = Process(str(tmp_path / "store"), environment=told)
    try:

        def becomes_a_player(visitor: str) -> int:
            connection = HTTPConnection("127.0.0.1", running.port, source_address=(PROXY, 0))
            connection.request("POST", "/v1/players", b'{"name": "Ann"}', {"X-Forwarded-For": visitor})
            status = connection.getresponse().status
            connection.close()
            return status

        visitors = ("198.51.100.1", "198.51.100.2", "203.0.113.7, 198.51.100.1")
        assert [becomes_a_player(visitor) for visitor in visitors] == [201, 201, 429]
    finally:
        running.close()
