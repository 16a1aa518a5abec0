"""The data process beside a server: started, killed and started again; what it has open and what it lacks."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from api.http.data_process import DataPlace, DataProcess, read_data
from api.settings import BadSetting
from tests.api.data.conftest import Small, fork_data_processes
from tests.api.http.processes import process as serving
from tests.api.http.served import Client, Served, served
from tests.waiting import soon


def process_of(server: Served) -> DataProcess:
    assert server.services is not None
    return server.services.data


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Data processes are forked; `test_a_process_has_nothing_of...` starts one as a server does."""
    with pytest.MonkeyPatch.context() as patch:
        fork_data_processes(patch, tmp_path_factory.mktemp("quick") / "log")
        yield


@pytest.fixture(scope="module")
def plain(quick: None, small: Small, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server whose data process has no setting of its own."""
    with served(tmp_path_factory.mktemp("plain"), data=DataPlace(small.folder, None)) as server:
        yield server
    last = process_of(server).pid
    assert not Path(f"/proc/{last}").exists(), "it ends with its server"


def test_sql_is_off_unless_it_is_switched_on(plain: Served) -> None:
    """AN11: then it says how, with a token or without one, and everything else is answered."""
    client = plain.player()
    soon(lambda: client.get("/v1/queries").status == 200)
    for asks in (client, plain.client()):
        told = asks.post("/v1/sql", {"sql": "SELECT 1"}).problem(501, "not-offered")
        assert "GLASNOST_SQL=on" in told["detail"]
    assert client.get("/v1/queries/win_rate").status == 200


@pytest.mark.parametrize("kills", [1, pytest.param(20, marks=pytest.mark.long)])
def test_a_killed_process_is_started_again_and_no_move_is_refused_meanwhile(
    plain: Served, kills: int
) -> None:
    """AN11."""
    process, client = process_of(plain), plain.client()
    match, players = plain.table("thirteen_minutes")
    seen = set[int]()
    for _ in range(kills):
        soon(lambda: client.get("/v1/queries").status == 200)
        assert process.pid not in {None, *seen}
        seen.add(process.pid or 0)
        client.begin("GET", "/v1/queries/tm_win_rate")  # under way when it is killed
        os.kill(process.pid or 0, signal.SIGKILL)
        assert client.answer().status in (200, 503)
        play(match, players)
        answer = client.get("/v1/queries/tm_win_rate?pool=bots")
        if answer.status != 200:
            answer.problem(503, "data-away")
            assert int(answer.headers["retry-after"]) <= 5
    soon(lambda: client.get("/v1/queries").status == 200)


def play(match: str, players: list[Client]) -> None:
    """A player who is asked answers, and is not refused."""
    address = f"/v1/matches/{match}"
    for player in players:
        answer = player.get(f"{address}/prompt")
        if answer.status == 200:
            asked = answer.json
            picks = [option["pick"] for option in asked["options"][: max(1, asked["least"])]]
            moved = player.post(f"{address}/moves", {"expect": asked["move"], "picks": picks})
            assert moved.status == 201, moved
            return
    raise AssertionError("no player is asked")


def test_a_process_has_nothing_of_store_keys_and_people_and_ends_with_a_server_that_is_killed(
    small: Small, tmp_path: Path
) -> None:
    """AN10: no file of theirs is open, and none of their settings is in its environment."""
    scratch = Path(tempfile.mkdtemp())  # its path is short: the address of a socket has 107 bytes at most
    named = {"GLASNOST_DATA": str(small.folder), "GLASNOST_SQL": "on", "TMPDIR": str(scratch)}
    with serving(tmp_path, environment=named) as server:
        client = Client(server.port)
        soon(lambda: client.get("/v1/queries").status == 200)
        assert client.get("/v1/queries/win_rate?pool=bots").status == 200
        (process,) = (one for one in psutil.Process(server.pid).children() if "data" in one.cmdline())
        names = set(process.environ())
        assert names >= {"GLASNOST_SQL", "TMPDIR"}
        assert names <= {"PATH", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "PYTHONPATH"} | {
            "GLASNOST_SQL",
            "GLASNOST_LOG_LEVEL",
        }
        theirs = (str(tmp_path), str(small.store), "glasnost.db", ".keys")
        assert not [path for path in files_of(process.pid) if any(word in path for word in theirs)]
        (left,) = scratch.glob("glasnost-*")
        assert (left / "socket").exists()
        client.close()
        server.kill()
        soon(lambda: not list(scratch.iterdir()))
    scratch.rmdir()


def files_of(process: int) -> list[str]:
    """What a process has open."""
    found = []
    for link in Path(f"/proc/{process}/fd").iterdir():
        with suppress(FileNotFoundError):  # it has closed it meanwhile
            found.append(os.readlink(link))
    return found


def test_a_server_without_a_data_set_says_what_its_operator_can_do(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        for path in ("/v1/data", "/v1/queries", "/v1/queries/win_rate", "/v1/positions?where=turn%20=%201"):
            told = server.client().get(path).problem(501, "not-offered")
            assert told["detail"].startswith("this server has no data set; its operator can build one with")
        assert server.client().get("/healthz").status == 200


def test_a_server_without_the_extra_says_so_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.http.data_process.missing", lambda extra, what: f"{what} needs {extra}")
    with served(tmp_path, data=DataPlace(tmp_path, None)) as server:
        told = server.client().get("/v1/queries").problem(501, "not-offered")
        assert "the extra `analysis`, which is not installed" in told["detail"]
        assert process_of(server).pid is None


def test_a_folder_that_is_no_data_set_leaves_the_server_as_it_is(quick: None, tmp_path: Path) -> None:
    with served(tmp_path / "home", data=DataPlace(tmp_path, None)) as server:
        soon(lambda: process_of(server).pid is not None)
        server.client().get("/v1/queries").problem(503, "data-away")
        assert server.client().get("/readyz").status == 200


def test_several_servers_ask_one_process_that_runs_by_itself(asked: Served, tmp_path: Path) -> None:
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
