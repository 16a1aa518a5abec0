"""`glasnost data`: from the command to the files, also beside a server and after a kill."""

from __future__ import annotations

import json
import shutil
import socket
from contextlib import ExitStack
from pathlib import Path

import pytest

from api.cli.main import run
from domain.games import GAMES
from tests.api.http.served import Client
from tests.cli.program import Program, started

OFTEN = "from api.cli import data; vars(data)['_LOOK'] = 0.02"  # seconds between two looks at the store


@pytest.fixture(scope="module")
def two_matches(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store of two finished matches and its keys, to be copied."""
    home = tmp_path_factory.mktemp("two")
    for game in ("thirteen_minutes", "cia_vs_kgb"):
        assert run(["play", game, "--seed", "7", "--store", str(home / "games")]) == 0
    return home


@pytest.fixture
def games(glasnost: Program, two_matches: Path) -> Path:
    """A store of the test's own with two finished matches."""
    shutil.copytree(two_matches, glasnost.folder, dirs_exist_ok=True)
    return glasnost.folder / "games"


def test_a_data_set_is_built_snapshotted_checked_and_compared(glasnost: Program, games: Path) -> None:
    made = glasnost("data", "build", "club", "--store", games, "--json").json
    assert (made["matches"], made["built"], made["left_out"]) == (2, 2, 0)
    shot = glasnost("data", "snapshot", "club", "one", "--store", games, "--json").json
    assert shot["snapshot"] == made["snapshot"]
    checked = glasnost("data", "check", "one", "--key", shot["key"], "--json").json
    assert (checked["wrong"], checked["signed"]["by"]) == ([], ["+".join(shot["key"].split("+")[:2])])
    name = glasnost("play", "thirteen_minutes", "--seed", "8", "--store", games, "--json").json["match"]
    again = glasnost("data", "build", "club", "--store", games).ok()
    assert again.out.startswith("3 matches, 1 of them built now, in ")
    assert glasnost("data", "changes", "one", "club").ok().out == f"+ {name}\n"
    assert glasnost("data", "changes", "one", "one").ok().out == "no difference\n"
    assert glasnost("data", "changes", "one", "club", "--json").json["added"] == [name]


def test_what_is_wrong_is_said_in_one_line(glasnost: Program, games: Path) -> None:
    glasnost("data", "check", "nothing").refused(2, "no data set")
    glasnost("data", "build", "games", "--store", games).refused(2, "not empty, and no data set")
    glasnost("data", "build", "club", "--store", "nowhere").refused(2, "nowhere")
    glasnost("data", "build", "club", "--store", games, "--without", "facts").refused(2, "decisions")
    shot = glasnost("data", "build", "club", "--store", games, "--json").json
    glasnost("data", "build", "club", "--store", games, "--coarse-times").refused(2, "built with no options")
    glasnost("data", "snapshot", "club", "club", "--store", games).refused(2, "exists already")
    glasnost("data", "snapshot", "club", "new", "--store", games, "--licence", "no.txt").refused(2, "no.txt")
    glasnost("data", "check", "club", "--key", "x").refused(2, "--key", "not a key")
    key = glasnost("keys", "--store", games, "--json").json["present"]
    glasnost("data", "check", "club", "--key", key).refused(1, "none of these keys signed it")
    assert shot["matches"] == 2
    part = next(Path("club").rglob("facts-*.parquet"))
    data = part.read_bytes()
    part.write_bytes(data[:100] + bytes([data[100] ^ 1]) + data[101:])
    found = glasnost("data", "check", "club").refused(1, "1 files are not as the manifest says")
    assert found.out.startswith(f"{part.relative_to('club').as_posix()}: other bytes")


def test_a_data_process_that_cannot_listen_says_so_in_one_line(glasnost: Program, games: Path) -> None:
    glasnost("data", "serve", "nothing", "--port", "0").refused(2, "no data set")
    glasnost("data", "build", "club", "--store", games, "--without", "decisions").ok()
    glasnost("data", "serve", "club").refused(2, "--socket PATH or --port N")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        glasnost("data", "serve", "club", "--port", port).refused(2, f"port {port}: ")
    Path("file").write_text("kept")
    glasnost("data", "serve", "club", "--socket", "file").refused(2, "file: ")
    assert Path("file").read_text() == "kept"


def test_help_shows_how_to_begin(glasnost: Program) -> None:
    for command in ((), ("build",), ("snapshot",), ("check",), ("changes",), ("serve",)):
        assert "Example:" in glasnost("data", *command, "--help").ok().out


def test_a_followed_store_adds_each_match_beside_a_server(glasnost: Program, games: Path) -> None:
    """The server's bots play; the data set follows, is killed, and goes on."""
    folder, matches = glasnost.folder, 2
    with ExitStack() as running:
        server = started("serve", "--port", "0", "--store", games, "--empty")
        running.callback(server.communicate)
        running.callback(server.kill)
        assert server.stdout is not None
        client = Client(int(server.stdout.readline().rpartition(b":")[2]))
        running.callback(client.close)
        client.token = client.post("/v1/players", {"name": "Opener"}).json["token"]
        for _ in range(2):
            command = ("data", "build", folder / "club", "--store", games, "--follow", "--json")
            follower = started(*command, before=OFTEN)
            running.callback(follower.communicate)
            running.callback(follower.kill)
            assert follower.stdout is not None
            assert json.loads(follower.stdout.readline())["matches"] == matches
            match = client.post("/v1/matches", {"game": "thirteen_minutes"}).json["match"]
            for seat in GAMES["thirteen_minutes"].seats:
                assert client.post(f"/v1/matches/{match}/seats/{seat}", {"bot": "random"}).status == 201
            matches += 1
            assert json.loads(follower.stdout.readline())["matches"] == matches
            busy = glasnost("data", "build", "club", "--store", games)
            busy.refused(2, f"process {follower.pid} builds this data set")
            follower.kill()
            follower.wait()
    built = glasnost("data", "build", "club", "--store", games, "--json").json
    fresh = glasnost("data", "build", "fresh", "--store", games, "--json").json
    assert (built["snapshot"], built["matches"]) == (fresh["snapshot"], 4)
    glasnost("data", "check", "club").ok()
