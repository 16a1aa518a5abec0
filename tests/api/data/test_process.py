"""The data process beside a server: started, killed and started again; what it has open, and what it lacks."""

from __future__ import annotations

import os
import signal
import socket
from pathlib import Path

import pytest

from api.http.data_process import DataPlace, DataProcess, read_data
from api.settings import BadSetting
from domain.game import Game
from tests.api.data.conftest import Small
from tests.api.http.served import Served, served
from tests.cli.program import Program
from tests.waiting import soon

KILLS = 3


def process_of(server: Served) -> DataProcess:
    assert server.services is not None
    return server.services.data


def test_a_killed_process_is_started_again_and_no_move_is_refused_meanwhile(
    small: Small, tmp_path: Path, toy_game: Game
) -> None:
    with served(tmp_path, data=DataPlace(small.folder, None)) as server:
        process, client = process_of(server), server.client()
        match, players = server.table()
        for kill in range(KILLS):
            soon(lambda: client.get("/v1/queries/win_rate").status == 200)
            pid = process.pid
            assert pid is not None
            client.begin("GET", "/v1/queries/headlines")  # under way when it is killed
            os.kill(pid, signal.SIGKILL)
            assert client.answer().status in (200, 503)
            asked = next(one for one in players if one.get(f"/v1/matches/{match}/prompt").status == 200)
            prompt = asked.get(f"/v1/matches/{match}/prompt").json
            picks = [option["id"] for option in prompt["options"][: prompt["least"]]]
            moved = asked.post(f"/v1/matches/{match}/moves", {"expect": prompt["move"], "picks": picks})
            assert moved.status == 201, (kill, moved)
            answer = client.get("/v1/queries/win_rate")
            if answer.status != 200:
                answer.problem(503, "data-away")
                assert int(answer.headers["retry-after"]) <= 5
            soon(lambda: process.pid not in (None, pid))
        last = process.pid
        soon(lambda: client.get("/v1/queries").status == 200)
    assert last is not None
    assert not Path(f"/proc/{last}").exists(), "it ends with its server"


def test_the_process_has_nothing_of_store_keys_and_people(asked: Served, small: Small) -> None:
    """AN10: no file of theirs is open, and none of their settings is in its environment."""
    asked.client().get("/v1/queries/win_rate?pool=bots")
    pid = process_of(asked).pid
    environment = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    names = {line.partition(b"=")[0].decode() for line in environment if line}
    assert names <= {"PATH", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "PYTHONPATH"} | {
        "GLASNOST_SQL",
        "GLASNOST_LOG_LEVEL",
    }
    for link in Path(f"/proc/{pid}/fd").iterdir():
        try:
            target = os.readlink(link)
        except FileNotFoundError:
            continue
        assert str(small.store) not in target
        assert "glasnost.db" not in target
        assert ".keys" not in target


def test_a_server_without_a_data_set_says_what_its_operator_can_do(tmp_path: Path, toy_game: Game) -> None:
    with served(tmp_path) as server:
        for path in ("/v1/data", "/v1/queries", "/v1/queries/win_rate", "/v1/positions?where=turn%20=%201"):
            told = server.client().get(path).problem(501, "not-offered")
            assert told["detail"].startswith("this server has no data set; its operator can build one with")
        assert server.client().get("/healthz").status == 200


def test_a_server_without_the_extra_says_so_in_one_sentence(
    tmp_path: Path, toy_game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.http.data_process.missing", lambda extra, what: f"{what} needs {extra}")
    with served(tmp_path, data=DataPlace(tmp_path, None)) as server:
        told = server.client().get("/v1/queries").problem(501, "not-offered")
        assert "the extra `analysis`, which is not installed" in told["detail"]
        assert process_of(server).pid is None


def test_a_folder_that_is_no_data_set_leaves_the_server_as_it_is(tmp_path: Path, toy_game: Game) -> None:
    with served(tmp_path / "home", data=DataPlace(tmp_path, None)) as server:
        soon(lambda: process_of(server).pid is not None)
        server.client().get("/v1/queries").problem(503, "data-away")
        assert server.client().get("/readyz").status == 200


def test_several_servers_ask_one_process_that_runs_by_itself(
    asked: Served, tmp_path: Path, toy_game: Game
) -> None:
    path = process_of(asked)._socket
    with served(tmp_path, data=DataPlace(None, path)) as server:
        assert server.client().get("/v1/queries").status == 200
        assert process_of(server).pid is None
    assert asked.client().get("/v1/queries").status == 200


def test_the_setting_names_a_folder_or_a_socket(tmp_path: Path) -> None:
    assert read_data({}) is None
    assert read_data({"GLASNOST_DATA": str(tmp_path)}) == DataPlace(tmp_path, None)
    assert read_data({"GLASNOST_DATA": "unix:/run/x"}) == DataPlace(None, Path("/run/x"))
    for wrong in ("unix:relative", str(tmp_path / "nothing")):
        with pytest.raises(BadSetting, match="GLASNOST_DATA"):
            read_data({"GLASNOST_DATA": wrong})


def test_what_is_wrong_with_the_command_is_said_in_one_line(glasnost: Program, small: Small) -> None:
    glasnost("data", "serve", "nothing", "--port", "0").refused(2, "no data set")
    glasnost("data", "serve", small.folder).refused(2, "--socket PATH or --port N")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        glasnost("data", "serve", small.folder, "--port", port).refused(2, f"port {port}")
    Path("file").write_text("kept")
    glasnost("data", "serve", small.folder, "--socket", "file").refused(2, "file")
    assert Path("file").read_text() == "kept"
    assert "Example:" in glasnost("data", "serve", "--help").ok().out
    assert "--attached" not in glasnost("data", "serve", "--help").out
