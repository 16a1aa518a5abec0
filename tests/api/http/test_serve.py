"""The serving process: what it prints, what an empty store gets, how it stops."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path
from typing import Any

import pytest

from api.http.auth import network
from api.http.server import CannotServe, listening
from api.settings import BadSetting, Settings, read
from domain.games import GAMES
from replay import verify
from tests.api.http.processes import Process, process
from tests.api.http.served import Client
from tests.api.http.streaming import Listener
from tests.waiting import PATIENCE, soon

# In these games easy searches longest; one in which it searches is left.
BY_POLICY = """
from api.bots import levels
for game in ("thirteen_minutes", "imperial_struggle"):
    levels.LEVELS["easy"].methods[game] = levels.Method(levels.POLICY)
"""


@pytest.mark.parametrize(
    "first", [BY_POLICY, pytest.param("", marks=pytest.mark.long)], ids=["sooner", "whole"]
)
def test_first_start_prints_one_line_and_plays_one_match_of_each_game(tmp_path: Path, first: str) -> None:
    with process(tmp_path, empty=False, first=first) as running:
        client = Client(running.port)
        assert client.get("/healthz").status == 200
        soon(first_matches, client)
        listed = first_matches(client)
        assert {(row["game"], row["origin"]) for row in listed} == {
            ("thirteen_minutes", "bots"),
            ("cia_vs_kgb", "bots"),
            ("twilight_struggle", "bots"),
            ("imperial_struggle", "bots"),
        }
        for row in listed:
            assert set(row["bots"].values()) == {"easy"}
            assert verify.verify(client.get(f"/v1/matches/{row['match']}/file").body).ok
        client.close()
        assert running.stop() == (0, "")
    with process(tmp_path, empty=False) as running:
        client = Client(running.port)
        assert len(client.get("/v1/matches").json["matches"]) == len(GAMES)
        client.close()


def first_matches(client: Client) -> list[dict[str, Any]]:
    """The first matches, once all are over."""
    listed: list[dict[str, Any]] = client.get("/v1/matches").json["matches"]
    return listed if len(listed) == len(GAMES) and all(row["status"] == "over" for row in listed) else []


def test_no_first_matches_are_played_if_switched_off(tmp_path: Path) -> None:
    with process(tmp_path) as running:
        client = Client(running.port)
        assert client.get("/v1/matches").json["matches"] == []
        client.close()


def test_graceful_stop_ends_streams_and_answers_all_requests(tmp_path: Path) -> None:
    with process(tmp_path) as running:
        ann = Client(running.port)
        told = ann.post("/v1/players", {"name": "Ann"}).json
        ann.token = told["token"]
        match = ann.post("/v1/matches", {"game": "thirteen_minutes"}).json["match"]
        stream = Listener(running.port, f"/v1/matches/{match}/moves")
        assert stream.take(1)[0].id == 1
        ended: list[bytes] = []
        reader = threading.Thread(target=lambda: ended.extend(stream.lines()))
        reader.start()
        code, _ = running.stop()
        reader.join(PATIENCE)
        assert (code, reader.is_alive()) == (0, False)
        stream.close()
        ann.close()
    with process(tmp_path) as running:
        again = Client(running.port, told["token"])
        assert again.get(f"/v1/matches/{match}").json["move"] == 1
        again.close()


def test_port_in_use_is_refused_with_a_remedy() -> None:
    with listening("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(CannotServe, match=f"port {port}.*--port"), listening("127.0.0.1", port):
            raise AssertionError("two cannot listen on one port")


def test_invalid_listen_address_is_refused() -> None:
    with pytest.raises(CannotServe), listening("no.such.host.invalid", 0):
        raise AssertionError("there is no such host")


def test_settings_are_read_from_the_environment() -> None:
    told = read({"GLASNOST_BODY_BYTES": "100", "GLASNOST_TRUST_PROXY": "true", "GLASNOST_LOG_LEVEL": "debug"})
    assert told == Settings(body_bytes=100, trust_proxy=True, log_level="debug")
    assert read({}) == Settings()
    assert (Settings().requests_per_second, Settings().players_per_minute) == (2_000, 100)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("GLASNOST_BODY_BYTES", "0"),
        ("GLASNOST_BODY_BYTES", "64k"),
        ("GLASNOST_BODY_BYTES", "-1"),
        ("GLASNOST_BODY_BYTES", ""),
        ("GLASNOST_BODY_BYTES", "١"),
        ("GLASNOST_TRUST_PROXY", "yes"),
        ("GLASNOST_LOG_LEVEL", "loud"),
    ],
)
def test_refusal_names_the_invalid_setting(name: str, value: str) -> None:
    with pytest.raises(BadSetting, match=name):
        read({name: value})


def test_forwarded_address_is_trusted_only_from_a_local_proxy(tmp_path: Path) -> None:
    """Of what it passes on, only the last address is its own word; the others are the visitor's."""
    told = {"GLASNOST_TRUST_PROXY": "true", "FORWARDED_ALLOW_IPS": "*", "GLASNOST_PLAYERS_PER_MINUTE": "2"}
    running = Process(str(tmp_path / "store"), environment=told)
    try:
        client = Client(running.port)

        def becomes_a_player(forwarded: str) -> int:
            return client.post("/v1/players", {"name": "Ann"}, x_forwarded_for=forwarded).status

        assert [becomes_a_player(f"203.0.113.{n}, 198.51.100.1") for n in range(3)] == [201, 201, 429]
        assert becomes_a_player("198.51.100.1, 198.51.100.2") == 201
        client.close()
    finally:
        running.close()


@pytest.mark.parametrize(
    ("address", "visitor"),
    [
        ("7.7.7.7", "7.7.7.7"),
        ("::ffff:7.7.7.7", "7.7.7.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("unknown", "unknown"),
    ],
)
def test_addresses_of_one_network_count_as_one_client(address: str, visitor: str) -> None:
    assert network(address) == visitor


def test_deleted_store_accepts_no_more_moves(tmp_path: Path) -> None:
    """SQLite would go on writing a file that has no name any more."""
    running = Process(str(tmp_path / "store"))
    try:
        client = Client(running.port)
        client.token = client.post("/v1/players", {"name": "Ann"}).json["token"]
        shutil.rmtree(tmp_path / "store")
        told = client.post("/v1/matches", {"game": "thirteen_minutes"}).problem(503, "unavailable")
        assert "was deleted or replaced while it is served" in told["detail"]
        assert "store" in client.get("/readyz").problem(503, "not-ready")["reasons"]
        client.close()
    finally:
        running.close()


def test_server_starts_though_the_first_matches_find_no_room(tmp_path: Path) -> None:
    first = """
import asyncio
from api.http import server
async def find_no_room(gate):
    await asyncio.sleep(3600)
server.play_one_of_each = find_no_room
"""
    running = Process(str(tmp_path / "store"), empty=False, first=first)
    try:
        client = Client(running.port)
        assert client.get("/healthz").status == 200
        client.close()
    finally:
        running.close()
