"""The analysis of a match over HTTP: not while it runs, made once, one at a time, and bounded."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from api.bots import analysis
from domain.agents import AGENTS
from domain.games import GAMES
from tests.api.http.served import Client, Served, served
from tests.matches import finished
from tests.replay.files import file_of
from tests.waiting import soon

ASLEEP = (sys.executable, "-c", "import time; time.sleep(600)")
BROKEN = (sys.executable, "-c", "raise SystemExit(1)")
GAME = "thirteen_minutes"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few playouts, so that an analysis takes a moment."""
    monkeypatch.setattr(analysis, "PLAYOUTS", 4)


def put(client: Client, seed: int) -> str:
    """The address of the analysis of a match that is over."""
    match = finished(GAMES[GAME], seed, name=f"over-{seed}").match
    sent = client.send("POST", "/v1/replays", file_of(match), {"content-type": "application/zip"})
    assert sent.status == 201, sent
    return f"/v1/matches/{match.id}/analysis"


def made(client: Client, address: str) -> Any:
    """The analysis, when it is there."""
    soon(lambda: client.get(address).status == 200)
    return client.get(address).json


def test_a_running_match_has_none_whoever_asks(server: Served) -> None:
    """A spy: its players, an administrator and a spectator get the same bytes, and no process is started."""
    match, players = server.table(GAME)
    clients = [*players, server.client(), server.person("admin")]
    answers = [client.get(f"/v1/matches/{match}/analysis") for client in clients]
    assert {(answer.status, answer.body) for answer in answers} == {(409, answers[0].body)}
    assert answers[0].problem(409, "unfinished")["detail"] == "a match is analysed when it is over"
    assert server.services is not None
    assert server.services.analyses.process is None


def test_it_is_made_for_a_token_and_then_there_for_all(server: Served) -> None:
    ann, eve = server.player(), server.client()
    address = put(ann, 31)
    eve.get(address).problem(401, "unauthorized")
    waiting = ann.get(address)
    assert (waiting.status, waiting.headers["retry-after"]) == (202, "2")
    assert set(waiting.json) == {"done", "of"}
    told = made(ann, address)
    assert eve.get(address).json == told
    assert told["agent"]["playouts"] == 4
    assert told["agent"]["version"] == AGENTS[GAME].judging_version
    first, second = GAMES[GAME].seats
    total = told["start"] + told["luck"][first] + told["choices"][first] - told["choices"][second]
    assert total + told["ending"] == pytest.approx(told["result"], abs=0.001)
    assert told["luck"][first] == -told["luck"][second]
    assert {one["move"] for one in told["moves"]} >= set(told["turning_points"])
    russian = eve.get(address, accept_language="ru").json
    assert [one["picks"] for one in russian["moves"]] == [one["picks"] for one in told["moves"]]
    assert [one["said"] for one in russian["moves"]] != [one["said"] for one in told["moves"]]


def test_a_process_that_is_killed_is_started_again_and_the_log_keeps_its_bytes(
    server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = server.player()
    address = put(ann, 32)
    before = ann.get(address.replace("analysis", "moves")).body
    assert server.services is not None
    analyses = server.services.analyses
    monkeypatch.setattr(analysis, "_COMMAND", ASLEEP)
    assert ann.get(address).status == 202
    soon(lambda: analyses.process is not None)
    monkeypatch.undo()
    monkeypatch.setattr(analysis, "PLAYOUTS", 4)
    assert analyses.process is not None
    os.kill(analyses.process.pid, signal.SIGKILL)
    made(ann, address)
    assert ann.get(address.replace("analysis", "moves")).body == before


def test_a_match_over_which_processes_die_is_given_up(
    server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analysis, "_COMMAND", BROKEN)
    ann = server.player()
    address = put(ann, 33)
    assert ann.get(address).status == 202
    soon(lambda: ann.get(address).status == 404)
    assert "ten minutes" in ann.get(address).problem(404, "not-found")["detail"]


def test_a_flooder_waits_for_one_and_the_queue_is_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thousand requests start one process; other players have a place in the queue until it is full."""
    monkeypatch.setattr(analysis, "_COMMAND", ASLEEP)
    monkeypatch.setattr(analysis, "WAITING", 2)
    with served(tmp_path, requests_per_second=10_000) as server:
        ann, ben, eve = (server.player(name) for name in ("Ann", "Ben", "Eve"))
        first, second, third = (put(ann, seed) for seed in (34, 35, 36))
        assert [ann.get(first).status for _ in range(20)] == [202] * 20
        refused = ann.get(second).problem(429, "limit")
        assert refused["detail"].startswith("another match waits")
        assert ben.get(first).status == 202  # it is asked for already
        assert ben.get(second).json == {"done": 0, "of": 0}
        assert eve.get(third).problem(429, "limit")["detail"].startswith("2 matches wait")
        assert server.services is not None
        process = server.services.analyses.process
        assert process is not None
        pid = process.pid
    with pytest.raises(ProcessLookupError):  # it ends with the server
        os.kill(pid, 0)


def test_a_server_without_processes_for_bots_says_so(tmp_path: Path) -> None:
    with served(tmp_path, bot_workers=0) as server:
        ann = server.player()
        address = put(ann, 37)
        for client in (ann, server.client()):
            told = client.get(address).problem(501, "not-offered")
            assert "glasnost analyse" in told["detail"]


def test_a_private_match_is_analysed_for_those_who_know_its_id(server: Served) -> None:
    ann = server.player()
    match, players = server.table(GAME, private=True)
    players[0].post(f"/v1/matches/{match}/resignation")
    made(ann, f"/v1/matches/{match}/analysis")
    server.client().get(f"/v1/matches/{match}x/analysis").problem(404, "unknown-match")
