"""kill -9 under load: no acknowledged move is lost, none is half there, nothing shown was not stored."""

from __future__ import annotations

import json
import os
import random
import socket
import time
from pathlib import Path

import pytest

from api.store.store import SqliteStore
from domain.match import Match
from replay import verify
from tests.api.http.load import Load
from tests.api.http.processes import process
from tests.api.http.served import Client

PLAYERS = 6  # matches at once
SHORT, LONG = 2, 20


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        port: int = found.getsockname()[1]
    return port


def _killed(folder: Path, kills: int, seed: int) -> tuple[list[Load], int]:
    """Kill the server so often under load; gives what the clients know, and the port."""
    port, source = _free_port(), random.Random(seed)
    loads = [Load(port, seed + number) for number in range(PLAYERS)]
    for number in range(kills):
        with process(folder, port) as running:
            if number == 0:
                for load in loads:
                    load.start()
            time.sleep(source.uniform(0.3, 1.2))
            running.kill()
    with process(folder, port):
        time.sleep(0.5)
        for load in loads:
            load.stop()
    for load in loads:
        load.join()
    return loads, port


def _check(folder: Path, loads: list[Load], port: int) -> int:
    """Compare what the clients know with what is stored; gives the number of moves."""
    with process(folder, port):
        client = Client(port)
        for load in loads:
            assert not load.failures
            assert not load.refused
            for match, acknowledged in load.acknowledged.items():
                moves = _stored(client, match)
                roots = {move["move"]: move["root"] for move in moves}
                assert [roots.get(move) for move, _ in acknowledged] == [root for _, root in acknowledged]
                shown = load.shown[match]
                assert [number for number, _ in shown] == list(range(1, len(shown) + 1))
                assert [data for _, data in shown] == moves[: len(shown)]
        client.close()
    store = SqliteStore.open(folder / "store", write=False)
    matches = [one for name in store.matches() if (one := store.match(name))]
    for found in matches:
        _verify(store, found)
    store.close()
    return sum(found.move for found in matches)


def _stored(client: Client, match: str) -> list[dict[str, object]]:
    lines = client.get(f"/v1/matches/{match}/moves", accept="application/x-ndjson").body.splitlines()
    moves = [json.loads(line) for line in lines]
    assert [move["move"] for move in moves] == list(range(1, len(moves) + 1))
    return moves


def _verify(store: SqliteStore, match: Match) -> None:
    report = verify.verify_records(match.records, store.note(match.id) or "", secret=store.secret(match.id))
    assert report.ok, report
    assert match.status != "over" or store.note(match.id)


def test_two_kills_under_load(tmp_path: Path) -> None:
    loads, port = _killed(tmp_path, SHORT, 1)
    assert _check(tmp_path, loads, port) > 100


@pytest.mark.long
def test_twenty_kills_under_load(tmp_path: Path) -> None:
    kills = LONG if os.environ.get("GLASNOST_FULL") == "1" else SHORT
    loads, port = _killed(tmp_path, kills, 2)
    moves = _check(tmp_path, loads, port)
    assert moves > 100
    print(f"{kills} kills: {moves} moves stored, {sum(len(load.acknowledged) for load in loads)} matches")
